"""The command line end to end: frameworks good and bad, the JSON, a suite in NPBench's layout."""

from __future__ import annotations

import json
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import pytest

from npbench.__main__ import main

FEW = "gemm,mandelbrot1,nbody"


@pytest.fixture
def framework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write a module that is NumPy but for some lines, where the workers find it."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def write(lines: str) -> str:
        (tmp_path / "stand_in.py").write_text(f"from numpy import *\nimport numpy\n{lines}\n")
        return "numpy,stand_in"

    return write


def run(path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Run the command line; its exit status and its JSON."""
    status = main(["--preset", "test", "--repeat", "4", "--json", str(path), *options])
    return status, json.loads(path.read_text())


def test_numpy_agrees_with_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chart = tmp_path / "chart.svg"
    status, found = run(
        tmp_path / "out.json",
        *("--frameworks", "numpy,again=numpy", "--kernels", FEW, "--plot", str(chart)),
    )
    assert status == 0
    assert found["schema"] == "npbench/1"
    assert {"cpu", "cores", "python"} <= set(found["machine"])
    assert [kernel["kernel"] for kernel in found["kernels"]] == FEW.split(",")
    for kernel in found["kernels"]:
        reference, again = kernel["outcomes"]
        assert reference["label"] == "numpy"
        assert again["label"] == "again"
        assert len(again["seconds"]) == len(reference["seconds"]) == 4
        assert again["agrees"]
        assert again["agreement"]["max_relative"] == 0.0
        assert again["fallbacks"] is None
        assert again["first_seconds"] > 0
        assert again["peak_bytes"] > 1 << 20
        assert again["ratio"] > 0
        assert again["version"]
    assert found["summary"][0]["agree"] == 3
    xml.etree.ElementTree.parse(chart)
    printed = capsys.readouterr()
    assert "geometric mean" in printed.out
    assert "3 of 3 agree" in printed.out
    assert "[2/3] mandelbrot1: ok" in printed.err


def test_numpy_alone_has_no_ratio(tmp_path: Path) -> None:
    status, found = run(tmp_path / "out.json", "--frameworks", "numpy", "--kernels", "gemm")
    assert status == 0
    assert found["kernels"][0]["outcomes"][0]["median_seconds"] > 0


def test_a_lazy_framework_is_evaluated_and_asked(tmp_path: Path, framework: Any) -> None:
    names = framework(
        "log = []\n"
        "def eval(*arrays): log.append(len(arrays))\n"
        "def fallbacks(): return [('sort', len(log))]\n"
        "def stats(): return {'kernels_compiled': len(log)}\n"
    )
    status, found = run(
        tmp_path / "out.json", "--frameworks", names, "--kernels", "nbody,channel_flow"
    )
    assert status == 0
    # Once for the copied inputs, which is before the count, and once for the outputs.
    for kernel in found["kernels"]:
        assert kernel["outcomes"][1]["fallbacks"] == {"sort": 1}
        assert kernel["outcomes"][1]["compiled"] == 1


@pytest.mark.parametrize(
    ("lines", "status", "words"),
    [
        ("def linspace(*a, **k): return numpy.linspace(*a, **k) + 1e-3", "ok", "differs"),
        ("def less(*a): raise RuntimeError('no less')", "error", "RuntimeError: no less"),
        ("import os, signal\ndef less(*a): os.kill(os.getpid(), signal.SIGKILL)", "crash", "KILL"),
        ("import time\ndef less(*a): time.sleep(60)", "timeout", "no reply within 1 s"),
        ("raise ImportError('not here')", "error", "ImportError: not here"),
    ],
)
def test_failures_are_told_and_fail_the_run(
    tmp_path: Path,
    framework: Any,
    capsys: pytest.CaptureFixture[str],
    lines: str,
    status: str,
    words: str,
) -> None:
    names = framework(lines)
    # Starting Python takes a good part of a second where the machine is busy: only the case that
    # is about the timeout has a short one.
    seconds = "1" if status == "timeout" else "60"
    code, found = run(
        tmp_path / "out.json",
        *("--frameworks", names, "--kernels", "mandelbrot1", "--timeout", seconds),
    )
    assert code == 1
    reference, other = found["kernels"][0]["outcomes"]
    if status != "timeout":
        assert reference["status"] == "ok"
    assert other["status"] == status
    assert words in capsys.readouterr().out
    assert found["summary"][0]["agree"] == 0


def test_a_clobbered_input_is_a_disagreement(tmp_path: Path, framework: Any) -> None:
    names = framework("def clip(x, low, high):\n    return numpy.clip(x, low, high, out=x)\n")
    status, found = run(tmp_path / "out.json", "--frameworks", names, "--kernels", "compute")
    assert status == 1
    assert "array_1" in found["kernels"][0]["outcomes"][1]["agreement"]["detail"]


@pytest.mark.parametrize(
    "options",
    [
        ("--kernels", "no_such_kernel"),
        ("--preset", "XXL"),
        ("--frameworks", "numpy,numpy"),
        ("--plot", "chart.gif"),
        ("--suite", "/nonexistent"),
    ],
)
def test_nonsense_is_refused_before_anything_runs(options: tuple[str, str]) -> None:
    assert main(["--frameworks", "numpy", *options]) == 2


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A checkout with one benchmark: some arguments from the preset, some from an initialiser."""
    root = tmp_path / "suite"
    folder = root / "npbench" / "benchmarks" / "field" / "scale"
    folder.mkdir(parents=True)
    (root / "bench_info").mkdir()
    info = {
        "name": "Scale",
        "short_name": "scale",
        "relative_path": "field/scale",
        "module_name": "scale",
        "func_name": "kernel",
        "parameters": {"S": {"N": 10, "factor": 3.0}},
        "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["x", "y"]},
        "input_args": ["factor", "x", "y"],
        "array_args": ["x", "y"],
        "output_args": ["y"],
    }
    (root / "bench_info" / "scale.json").write_text(json.dumps({"benchmark": info}))
    (folder / "scale.py").write_text(
        "import numpy as np\ndef initialize(N):\n    return np.arange(N) * 1.0, np.zeros(N)\n"
    )
    (folder / "scale_numpy.py").write_text(
        "import numpy as np\n"
        "def kernel(factor, x, y):\n    y[:] = factor * x\n    return np.sum(y)\n"
    )
    return root


def test_a_suite_in_the_layout_of_npbench(tmp_path: Path, suite: Path) -> None:
    out = tmp_path / "out.json"
    frameworks = ("--frameworks", "numpy,again=numpy")
    status, found = run(out, "--suite", str(suite), "--preset", "S", *frameworks)
    assert status == 0
    assert found["kernels"][0]["kernel"] == "scale"
    assert found["kernels"][0]["sizes"] == {"N": 10, "factor": 3.0}
    assert found["kernels"][0]["outcomes"][1]["agreement"]["agrees"]


FAR = """
from types import SimpleNamespace
made = []
class Far:
    def __init__(self, near): self.near, self.ready = numpy.array(near), made.append(self)
    shape = property(lambda self: self.near.shape)
    dtype = property(lambda self: self.near.dtype)
    def __array__(self, *args, **kwargs): raise TypeError('Implicit conversion is not allowed')
    def __rmul__(self, factor): return Far(factor * self.near)
    def copy(self): return Far(self.near)
    def __setitem__(self, index, other): self.near[index], self.ready = other.near, False
array = Far
def sum(far): return Far(far.near.sum())
def wait():
    for far in made: far.ready = True
cuda = SimpleNamespace(get_current_stream=lambda: SimpleNamespace(synchronize=wait))
def asnumpy(far):
    assert far.ready
    return far.near
"""


def test_arrays_of_a_device_are_waited_for_and_fetched(
    tmp_path: Path, suite: Path, framework: Any
) -> None:
    # As CuPy's: ready after waiting for the stream, converted by an explicit call only.
    names = framework(FAR)
    out = tmp_path / "out.json"
    status, found = run(out, "--suite", str(suite), "--preset", "S", "--frameworks", names)
    assert status == 0, found
    assert found["kernels"][0]["outcomes"][1]["agrees"]
