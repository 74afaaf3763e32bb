"""A new user's first fifteen minutes, `docs/tour.md` followed literally: first speed-up, plan,
profile, a fallback found and removed.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHEELS = sorted((ROOT / "dist").glob("*.whl"))
PROGRAM = "\n".join(
    re.findall(
        r"^```python\n(.*?)^```",
        (ROOT / "docs" / "tour.md").read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
)
# What the tour says of the output of its programs.
SEEN = ("pending: ", "fastnp profile: ", "sort ran in NumPy 20 times", "instead: ", "sort ")


def finder() -> Any:
    """The program that finds Pythons for environments."""
    spec = importlib.util.spec_from_file_location("numpy_venv", ROOT / ".ci" / "numpy_venv.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def python_of(version: str, home: Path) -> tuple[str, dict[str, str]]:
    """An environment with nothing but the wheel and NumPy, if `make wheel` has built one; else one
    of the environments of the tests, with the extension that is tested.
    """
    found = finder()
    environment = {**os.environ, "PYTHONPATH": ""}
    if WHEELS:
        base = found.find([version])
        if not base:
            pytest.skip(f"no Python {version}")
        subprocess.run([base, "-m", "venv", str(home)], check=True)
        python = str(home / "bin" / "python")
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, str(WHEELS[-1])], check=True)
        return python, environment
    environment["PYTHONPATH"] = str(ROOT / "pybind" / "python")
    program = "import numpy, sys; print('%d.%d' % sys.version_info[:2])"
    for path in (sys.executable, *Path(sys.prefix).glob("numpy-*/bin/python")):
        if found.output(str(path), "-c", program) == version:
            return str(path), environment
    pytest.skip(f"no Python {version} with NumPy: make environments")


@pytest.mark.parametrize("version", ["3.11", "3.13"])
def test_the_tour_can_be_followed(version: str, tmp_path: Path) -> None:
    python, environment = python_of(version, tmp_path / "environment")
    script = tmp_path / "tour.py"
    script.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [python, str(script)], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    for text in SEEN:
        assert text in done.stdout, done.stdout
    assert "unaccounted for" in (tmp_path / "profile.html").read_text(encoding="utf-8")
