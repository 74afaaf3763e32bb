"""NPBench on the device, by its own runner."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benches.device.modules import installed
from npbench import catalog
from tests.progress import with_progress


def npbench(device: str, preset: str, seconds: float, more: list[str]) -> dict[str, Any]:
    """The NPBench kernels by their own runner, one after the other until the time is up.

    Preset `L` is compared with CuPy if it is installed, since NumPy takes minutes.
    """
    start, cupy = time.monotonic(), "cupy" in installed()
    large = cupy and preset == "L"
    frameworks = "cupy,fastnp" if large else "numpy,fastnp" + ",cupy" * cupy
    kernels: list[dict[str, Any]] = []
    missed = []
    for name in with_progress(catalog.names(), f"kernels of preset {preset}"):
        left = seconds - (time.monotonic() - start)
        if left <= 0:
            missed.append(name)
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "npbench.json"
            command = [sys.executable, "-m", "npbench", "--preset", preset, "--kernels", name]
            command += ["--frameworks", frameworks, "--json", str(path), *more]
            environment = {**os.environ, "FASTNP_BACKEND": device}
            try:
                # Differences and failures are in the file, and printed below.
                subprocess.run(
                    command, env=environment, check=False, capture_output=True, timeout=left
                )
                kernels += json.loads(path.read_text(encoding="utf-8"))["kernels"]
            except subprocess.TimeoutExpired:
                missed.append(name)
    return {"kernels": kernels, "missed": missed, "over": speedups(kernels)}


def speedups(kernels: list[dict[str, Any]]) -> dict[str, float]:
    """The speed-up of fastnp over each other framework: the geometric mean over the kernels on
    which both agree with the reference."""
    ratios: dict[str, list[float]] = {}
    for kernel in kernels:
        agreeing = {o["label"]: o["median_seconds"] for o in kernel["outcomes"] if o["agrees"]}
        ours = agreeing.pop("fastnp", None)
        for label, seconds in agreeing.items():
            if ours and seconds:
                ratios.setdefault(label, []).append(seconds / ours)
    return {label: statistics.geometric_mean(found) for label, found in ratios.items()}


def wrong(found: dict[str, Any]) -> list[str]:
    """What failed, or differs from the reference."""
    return [
        f"{kernel['kernel']} under {outcome['label']}: {outcome['error'] or 'differs'}"
        for kernel in found["kernels"]
        for outcome in kernel["outcomes"]
        if not outcome["agrees"]
    ]
