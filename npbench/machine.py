"""
A description of the machine and of the settings that affect its speed. No host or user names.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

# Environment variables with the thread counts of fastnp and of the BLAS libraries NumPy may use.
THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def describe() -> dict[str, Any]:
    """The processor, the system, Python, and the current load and thread settings."""
    settings = {name: os.environ[name] for name in THREAD_SETTINGS if name in os.environ}
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "usable_cores": usable_cores(),
        "memory_bytes": memory_bytes(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "load_average": list(os.getloadavg()),
        "environment": settings,
    }


def cpu_model() -> str:
    """The name of the processor, if the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def usable_cores() -> int:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int:
    """The physical memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
