"""Build the source distribution, the wheel from it, and check both: `python .ci/wheel.py FOLDER`.

Run by `make wheel`, with the interpreter that has maturin and auditwheel. The wheel is built from
the source distribution alone, in a folder of its own, as `pip install` does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The newest C library that a wheel may need; wheels for upload are built in a container with 2.28.
NEWEST = (2, 39)


def run(*command: str, cwd: Path = ROOT) -> str:
    """What a command prints; ends the program if it fails."""
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def check(holds: object, text: str) -> None:
    """End the program with a message unless something holds."""
    if not holds:
        raise SystemExit(f"wheel: {text}")


def build(folder: Path, profile: str) -> tuple[Path, Path]:
    """The source distribution and the wheel made of it."""
    maturin = (sys.executable, "-m", "maturin")
    run(*maturin, "sdist", "--out", str(folder))
    [source] = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory(prefix="fastnp-") as clean:
        with tarfile.open(source) as archive:
            archive.extractall(clean, filter="data")
        [unpacked] = Path(clean).iterdir()
        os.environ["CARGO_TARGET_DIR"] = str(ROOT / "target" / "wheel")
        command = [*maturin, "build", "--profile", profile, "--out", str(folder)]
        run(*command, "--interpreter", sys.executable, cwd=unpacked)
    [wheel] = folder.glob("*.whl")
    return source, wheel


def check_wheel(wheel: Path) -> None:
    """Its tags are true, and what it holds is complete."""
    tags = wheel.stem.split("-")[2:]
    check(tags[:2] == ["cp311", "abi3"], f"not for the stable ABI of Python 3.11: {wheel.name}")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for name in ("__init__.py", "__init__.pyi", "py.typed", "_profile/profile.py"):
        check(f"fastnp/{name}" in names, f"lacks {name}")
    check(any(name.endswith("licenses/LICENSE-MIT") for name in names), "lacks its licence")
    stray = [name for name in names if not re.match(r"fastnp(-[\d.]+\.dist-info)?/", name)]
    check(not stray, f"holds {stray}")
    if sys.platform != "linux":
        return
    shown = " ".join(run(sys.executable, "-m", "auditwheel", "show", str(wheel)).split())
    found = re.search(r'consistent with the following platform tag: "manylinux_(\d+)_(\d+)_', shown)
    check(found, f"auditwheel finds it consistent with no manylinux tag: {shown}")
    assert found is not None
    version = (int(found[1]), int(found[2]))
    promised = re.search(r"manylinux_(\d+)_(\d+)_", tags[2])
    check(promised, f"no manylinux tag: {wheel.name}")
    assert promised is not None
    check(version <= (int(promised[1]), int(promised[2])), f"its tag promises too much: {shown}")
    check(version <= NEWEST, f"it needs a C library newer than {NEWEST}: {shown}")


def main() -> None:
    """Build and check into the folder that the command line names."""
    folder = Path(sys.argv[1]).resolve()
    profile = sys.argv[2] if len(sys.argv) > 2 else "release"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    source, wheel = build(folder, profile)
    check_wheel(wheel)
    for path in (source, wheel):
        print(f"{path.relative_to(Path.cwd())}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
