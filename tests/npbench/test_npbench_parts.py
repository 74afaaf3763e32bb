"""The parts of the runner: binding, agreement, introspection of frameworks, the chart."""

from __future__ import annotations

import math
import sys
import types
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npbench import agreement, binding, introspection, outputs, plot
from npbench.agreement import Agreement
from npbench.measure import Measurement, Outcome


def stub(**attributes: Any) -> types.ModuleType:
    module = types.ModuleType("stub")
    vars(module).update(attributes)
    return module


def test_every_form_of_import_gives_the_bound_module(tmp_path: Path) -> None:
    source = tmp_path / "program.py"
    source.write_text(
        "import numpy, numpy.linalg\n"
        "import numpy.linalg as la\n"
        "import numpy as np\n"
        "from numpy import exp\n"
        "from numpy.linalg import norm\n"
        "import math\n"
    )
    linear = stub(norm=object())
    framework = stub(linalg=linear, exp=object())
    found = binding.run_source(source, framework)
    assert found["numpy"] is found["np"] is framework
    assert found["la"] is linear
    assert found["norm"] is linear.norm
    assert found["exp"] is framework.exp
    assert found["math"] is math
    assert sys.modules["numpy"] is np


def compare(tmp_path: Path, a: Any, b: Any, norm: float | None = None) -> Agreement:
    outputs.save(tmp_path / "a", outputs.flatten(a))
    outputs.save(tmp_path / "b", outputs.flatten(b))
    return agreement.compare(tmp_path / "a", tmp_path / "b", norm)


@pytest.mark.parametrize(
    ("a", "b", "agrees"),
    [
        (np.ones(3), np.ones(3) + 1e-12, True),
        (np.ones(3), np.ones(3) + 1e-6, False),
        (np.ones(3, np.float32), np.ones(3, np.float32) + np.float32(1e-6), True),
        (np.ones(3), np.ones(3, np.float32), False),
        (np.ones(3), np.ones((3, 1)), False),
        (np.array([1.0, np.nan, np.inf]), np.array([1.0, np.nan, np.inf]), True),
        (np.array([1.0, np.nan]), np.array([np.nan, 1.0]), False),
        (np.array([np.inf]), np.array([-np.inf]), False),
        (np.array([2**60]), np.array([2**60 + 1]), False),
        (np.array([True]), np.array([False]), False),
        (np.zeros((0, 3)), np.zeros((0, 3)), True),
        (np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3), True),
        (1 + 1j, 1 + 1j + 1e-13j, True),
        (np.array([1e6, 0.0]), np.array([1e6, 1e-8]), True),
        ((1, np.ones(2)), [1, np.ones(2)], True),
        ((1, 2), (1,), False),
        (3, 3, True),
    ],
)
def test_agreement(tmp_path: Path, a: Any, b: Any, agrees: bool) -> None:
    assert compare(tmp_path, a, b).agrees is agrees


def test_agreement_by_norm_and_its_size(tmp_path: Path) -> None:
    found = compare(tmp_path, np.array([1e3, 1.0]), np.array([1e3, 1.1]), 1e-3)
    assert found.agrees
    assert found.norm
    assert math.isclose(found.max_relative, 0.1, rel_tol=1e-3)


def test_agreement_walks_all_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "BLOCK", 4)
    a, b = np.ones(10), np.ones(10)
    b[9] = 2.0
    assert compare(tmp_path, a, b).detail == "result differs in 1 of 10"


def test_written_arguments_are_found() -> None:
    pristine = {"a": np.array([1.0, np.nan]), "b": np.zeros(2), "n": 3}
    arguments = {"a": np.array([1.0, np.nan]), "b": np.ones(2), "n": 4}
    assert outputs.written(arguments, pristine) == ["b"]


class Entry:
    """A record with attributes, as an engine might keep it."""

    name = "sort"
    count = 4


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ([], {}),
        ({"sort": 2, "fft": [1, 1, 1]}, {"sort": 2, "fft": 3}),
        ([("sort", 2), ("sort", 1)], {"sort": 3}),
        (["sort", "sort"], {"sort": 2}),
        ([{"name": "sort", "count": 3}], {"sort": 3}),
        ([Entry()], {"sort": 4}),
    ],
)
def test_fallbacks_in_whatever_shape(answer: Any, expected: dict[str, int]) -> None:
    assert introspection.fallbacks(stub(fallbacks=lambda: answer)) == expected


def test_a_framework_may_stay_silent_or_fail_to_tell() -> None:
    assert introspection.fallbacks(np) is None
    assert introspection.compiled(np) is None
    assert introspection.fallbacks(stub(fallbacks=lambda: 1 / 0)) is None
    assert introspection.compiled(stub(stats=lambda: {"kernels_compiled": 7})) == 7
    assert introspection.compiled(stub(stats=lambda: types.SimpleNamespace(compiled=2))) == 2
    assert introspection.since({"a": 3, "b": 1}, {"a": 1, "b": 1}) == {"a": 2}


def measurement(name: str, seconds: float | None, agrees: bool = True) -> Measurement:
    other = Outcome("new & <fast>", "new", median_seconds=seconds)
    other.agreement = Agreement(agrees, 0.0)
    if seconds is None:
        other.status = "crash"
    return Measurement(name, "S", {}, [Outcome("numpy", "numpy", median_seconds=1.0), other])


def test_the_chart_is_well_formed_and_sorted(tmp_path: Path) -> None:
    found = [
        measurement("slow", 3.0),
        measurement("broken", None),
        measurement("fast", 0.1),
        measurement("wrong", 0.5, agrees=False),
    ]
    plot.write(tmp_path / "chart.svg", found, {"cpu": "A & B", "usable_cores": 2})
    root = xml.etree.ElementTree.parse(tmp_path / "chart.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    names = [word for word in words if word in ("slow", "broken", "fast", "wrong")]
    assert names == ["fast", "wrong", "slow", "broken"]
    assert "10.00×" in words
    assert "failed" in words
    # The wrong answer does not count: the mean is that of 10 and 1/3.
    assert any("geometric mean 1.83×" in (word or "") for word in words)
    assert "2.00× (differs)" in words


def test_a_chart_of_another_kind_is_refused() -> None:
    with pytest.raises(plot.PlotError, match=r"\.svg or \.png"):
        plot.check(Path("chart.gif"))


def test_a_png_without_matplotlib_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(plot.PlotError, match="needs matplotlib"):
        plot.check(Path("chart.png"))
