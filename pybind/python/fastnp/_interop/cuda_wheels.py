"""NVIDIA's libraries from PyPI's wheels, which are not on the dynamic loader's search path.

A library opened by its path here is found by its name when the engine opens it later. This file
runs while the extension is being imported, so it imports nothing of the package.
"""

import ctypes
from importlib.util import find_spec
from pathlib import Path

# For each purpose: the libraries in the order of their dependencies, their versions in CUDA 13 and
# 12, and the wheels that contain them.
LIBRARIES = {
    "device": (
        ("libnvrtc.so", (13, 12), ("nvidia.cu13", "nvidia.cuda_nvrtc")),
        ("libcublasLt.so", (13, 12), ("nvidia.cu13", "nvidia.cublas")),
        ("libcublas.so", (13, 12), ("nvidia.cu13", "nvidia.cublas")),
    ),
    "fourier": (("libcufft.so", (12, 11), ("nvidia.cu13", "nvidia.cufft")),),
    "solver": (
        ("libnvJitLink.so", (13, 12), ("nvidia.cu13", "nvidia.nvjitlink")),
        ("libcusparse.so", (12,), ("nvidia.cu13", "nvidia.cusparse")),
        ("libcusolver.so", (12, 11), ("nvidia.cu13", "nvidia.cusolver")),
    ),
}


def load(purpose: str = "device") -> None:
    """Open the installed libraries that the loader does not find by name."""
    for name, versions, packages in LIBRARIES[purpose]:
        files = [f"{name}.{version}" for version in versions]
        if not any(map(_opens, files)):
            any(_opens(str(path)) for package in packages for path in _paths(package, files))


def _paths(package: str, files: list[str]) -> list[Path]:
    """The paths of those files that a package contains, in the order of `files`."""
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:
        return []
    folders = (spec and spec.submodule_search_locations) or []
    found = (Path(folder) / "lib" / name for name in files for folder in folders)
    return [path for path in found if path.exists()]


def _opens(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
