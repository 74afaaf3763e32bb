"""Whether random programs compute on a device what they do under NumPy."""

from __future__ import annotations

import time
from typing import Any

import fastnp

from tests.fuzz.run import check
from tests.on_device import in_processes, processes

# Programs of a process.
LEAST = 10


def compared(device: str, first: int, step: int, end: float) -> tuple[int, list[str]]:
    """How many programs were compared until a time, but at least so many, and those that failed.
    Their seeds are `first`, `first + step`, …"""
    count, failed = 0, []
    with fastnp.device(device), fastnp.settings(tiny=0):
        while count < LEAST or time.time() < end:
            seed = first + count * step
            _, reason = check(seed)
            if reason:
                failed.append(f"seed {seed}: {reason}")
            count += 1
    return count, failed


def agreement(device: str, seconds: float) -> dict[str, Any]:
    """Compare programs for some seconds, in several processes; returns counts and failures."""
    step, end = processes(), time.time() + seconds
    found = in_processes(compared, [(device, first, step, end) for first in range(step)])
    failed = [reason for _, reasons in found for reason in reasons]
    return {"compared": sum(count for count, _ in found), "failed": failed}
