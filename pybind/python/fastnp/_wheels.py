"""NVIDIA's libraries as PyPI has them, which no loader looks for by itself.

Once they are opened by their paths, the engine finds them by their names. This imports nothing of
the package: it runs while the extension is being imported.
"""

import ctypes
from importlib.util import find_spec
from pathlib import Path

# For each purpose, in the order in which they need each other, with their versions in CUDA 13 and
# 12, and the wheels that hold them.
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
    """Open those that are installed and that the loader would not find."""
    for name, versions, packages in LIBRARIES[purpose]:
        files = [f"{name}.{version}" for version in versions]
        if not any(map(_opens, files)):
            any(_opens(str(path)) for package in packages for path in _paths(package, files))


def _paths(package: str, files: list[str]) -> list[Path]:
    """The files that a package has, in their order."""
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
