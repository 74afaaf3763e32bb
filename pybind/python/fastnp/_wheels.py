"""NVIDIA's libraries as PyPI has them, which no loader looks for by itself.

Once they are opened by their paths, the engine finds them by their names. This imports nothing of
the package: it runs while the extension is being imported.
"""

import ctypes
from importlib.util import find_spec
from pathlib import Path

# In the order in which they need each other, with the wheels that hold them.
LIBRARIES = (
    ("libnvrtc.so", ("nvidia.cu13", "nvidia.cuda_nvrtc")),
    ("libcublasLt.so", ("nvidia.cu13", "nvidia.cublas")),
    ("libcublas.so", ("nvidia.cu13", "nvidia.cublas")),
)
VERSIONS = (13, 12)


def load() -> None:
    """Open those that are installed and that the loader would not find."""
    for name, packages in LIBRARIES:
        if not any(_opens(f"{name}.{version}") for version in VERSIONS):
            any(_opens(str(path)) for package in packages for path in _files(package, name))


def _files(package: str, name: str) -> list[Path]:
    """The files of a library in a package, the latest version first."""
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:
        return []
    folders = (spec and spec.submodule_search_locations) or []
    found = (
        Path(folder) / "lib" / f"{name}.{version}" for version in VERSIONS for folder in folders
    )
    return [path for path in found if path.exists()]


def _opens(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
