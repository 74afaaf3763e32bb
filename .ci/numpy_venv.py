"""Make an environment for tests under another version of NumPy.

    numpy_venv.py FOLDER NUMPY PYTHON...

The environment has the newest of the versions PYTHON that is installed, tried in their order, this
NumPy, pytest as pinned in requirements-dev.txt, and a path to the package in this checkout, whose
extension serves every Python from 3.11 on. Where no such Python is installed it says so, and makes
nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PINNED = ("hypothesis==", "pytest==", "pytest-xdist==")


def candidates(version: str) -> Iterator[str]:
    """Commands that may be a Python of this version: on the PATH, of pyenv, of uv."""
    yield sys.executable
    for folder in os.get_exec_path():
        yield os.path.join(folder, f"python{version}")
    latest = output("pyenv", "latest", version)
    if latest:
        yield os.path.join(output("pyenv", "prefix", latest), "bin", "python")
    yield output("uv", "python", "find", "--no-python-downloads", version)


def output(*command: str) -> str:
    """What a command prints; nothing where it fails or there is none."""
    if shutil.which(command[0]) is None:
        return ""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def find(versions: list[str]) -> str:
    """The first Python of these versions that runs and can make environments."""
    program = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    for version in versions:
        for candidate in candidates(version):
            if candidate and output(candidate, "-c", program) == version:
                return candidate
    return ""


def main(folder: Path, numpy: str, versions: list[str]) -> None:
    """What the head of this file says."""
    python = find(versions)
    if not python:
        print(f"skipped: tests under NumPy {numpy}, no Python {' or '.join(versions)}")
        return
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()
    pinned = [line for line in lines if line.startswith(PINNED)]
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    inside = str(folder / "bin" / "python")
    pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    subprocess.run([*pip, "--only-binary", ":all:", f"numpy=={numpy}", *pinned], check=True)
    show = "import sysconfig; print(sysconfig.get_path('purelib'))"
    (Path(output(inside, "-c", show)) / "fastnp.pth").write_text(f"{ROOT / 'pybind' / 'python'}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
