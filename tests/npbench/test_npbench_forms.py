"""The kernels in Numba's form: their loops run by Python, and one compiled by Numba."""

from __future__ import annotations

import copy
import inspect
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npbench import __main__ as command_line
from npbench import agreement, catalog, forms, outputs
from npbench.kernel import KernelError


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module `numba` that leaves functions as they are."""

    def njit(function: Any = None, **options: Any) -> Any:
        return function if callable(function) else lambda compiled: compiled

    module = types.ModuleType("numba")
    vars(module).update(njit=njit, prange=range)
    monkeypatch.setitem(sys.modules, "numba", module)


def call(kernel: Any, inputs: dict[str, Any], folder: Path) -> Path:
    """The outputs of one call, as a worker would save them."""
    arguments = copy.deepcopy(inputs)
    found = outputs.flatten(kernel.bind(np)(*arguments.values()))
    found |= {name: arguments[name] for name in kernel.mutates}
    outputs.save(folder, found, outputs.written(arguments, inputs))
    return folder


# A thousand steps of channel_flow take seconds in Python; a viscous flow is steady after a hundred.
FEWER: dict[str, dict[str, Any]] = {"channel_flow": {"nu": 5.0}}


@pytest.mark.parametrize("name", catalog.names())
def test_the_loops_for_numba_agree(name: str, tmp_path: Path, stand_in: None) -> None:
    kernel = catalog.find(name)
    form = forms.form_of(kernel, "numba")
    assert tuple(inspect.signature(form.bind(np)).parameters) == kernel.arguments
    inputs = kernel.inputs("test") | FEWER.get(name, {})
    expected = call(kernel, inputs, tmp_path / "numpy")
    found = call(form, inputs, tmp_path / "numba")
    verdict = agreement.compare(expected, found, kernel.norm_tolerances.get("test"))
    assert verdict.agrees, verdict


def test_every_form_belongs_to_a_kernel() -> None:
    assert catalog.names(catalog.FOLDER / "numba") == catalog.names()


def test_a_kernel_without_a_form_is_named() -> None:
    with pytest.raises(KernelError, match="gemm has no form for other"):
        forms.form_of(catalog.find("gemm"), "other")


def test_a_framework_that_is_not_installed_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(forms, "is_installed", lambda module: False)
    options = ("--preset", "test", "--repeat", "1", "--kernels", "crc16")
    assert command_line.main(["--frameworks", "numpy,numba", *options]) == 0
    printed = capsys.readouterr()
    assert "numba is not installed; left out" in printed.err
    assert "numba" not in printed.out
    assert command_line.main(["--frameworks", "numba", *options]) == 2


def test_numba_takes_no_programs_of_a_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(forms, "is_installed", lambda module: True)
    (tmp_path / "bench_info").mkdir()
    assert command_line.main(["--frameworks", "numpy,numba", "--suite", str(tmp_path)]) == 2
    assert "forms of our kernels only" in capsys.readouterr().err


def test_numba_compiles_a_form(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("numba")
    options = ("--preset", "test", "--repeat", "1", "--kernels", "crc16", "--verbose")
    assert command_line.main(["--frameworks", "numpy,numba", *options]) == 0
    assert "1 of 1 agree" in capsys.readouterr().out
