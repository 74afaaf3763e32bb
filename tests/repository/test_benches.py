"""The benches run: a few cells of each, of the smallest size."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_functions(tmp_path: Path) -> None:
    out = tmp_path / "times.json"
    command = [sys.executable, "-m", "benches.functions", "--functions", "exp", "power"]
    command += ["--sizes", "100", "--rounds", "2", "--budget", "0.001", "--json", str(out)]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    cells = {f"{name}, {dtype}" for name in ("exp", "power") for dtype in ("float64", "float32")}
    assert set(content["seconds"]["100"]) == cells
    assert "geometric mean" in text
    assert text.count("float32") >= 2


def test_chains(tmp_path: Path) -> None:
    out = tmp_path / "times.json"
    command = [sys.executable, "-m", "benches.chains", "--sizes", "100", "--lengths", "1", "3"]
    command += ["--rounds", "1", "--span", "0.0001", "--json", str(out)]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    assert set(content["mixed, float32, 100, 3"]) == {"numpy", "fastnp"}
    assert text.count("float64") == 6


def test_neighbours(tmp_path: Path) -> None:
    out = tmp_path / "times.json"
    command = [sys.executable, "-W", "ignore", "-m", "benches.neighbours", "--sizes", "10"]
    command += ["--rounds", "1", "--budget", "0.0001", "--json", str(out)]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    assert "NumPy's arrays: np.asarray(va), n=10" in content["seconds"]
    assert len(content["seconds"]) > 150
    assert "cells below 0.8" in text and "cells below 0.95" in text


def test_natives(tmp_path: Path) -> None:
    out = tmp_path / "times.json"
    command = [sys.executable, "-W", "ignore", "-m", "benches.natives", "--sizes", "10"]
    command += ["--rounds", "1", "--budget", "0.0001", "--json", str(out)]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    assert {"np.add.at(d, i, b), n=10", "np.pad(a, 2), n=10"} <= set(content["seconds"])
    assert "geometric mean of 89 cells" in text and "cells below 0.95" in text


def test_user_functions() -> None:
    command = [sys.executable, "-m", "benches.user_functions", "--elements", "1000"]
    command += ["--rounds", "1"]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert text.count(" ms ") == 8


def test_fft(tmp_path: Path) -> None:
    out = tmp_path / "times.json"
    command = [sys.executable, "-m", "benches.fft", "--largest", "100", "--rounds", "1"]
    command += ["--budget", "0.0001", "--json", str(out)]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    assert {"fft 16 complex128", "rfft 97 float64", "schroedinger"} <= set(content["seconds"])
    assert "all transforms: geometric mean" in text
