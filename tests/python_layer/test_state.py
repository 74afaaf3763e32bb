"""Floating-point error state, settings, counters."""

from __future__ import annotations

import io
import warnings
from typing import Any

import fastnp
import numpy
import pytest
from fastnp import _fastnp
from fastnp._state import errstate as _errstate

# The stubs give NumPy's types, which say less than is tested here.
np: Any = fastnp


def test_errstate_twice() -> None:
    state = np.errstate(divide="ignore")
    with state, pytest.raises(TypeError, match="twice"), state:
        pass
    assert isinstance(state, numpy.errstate)


def test_warning_text_and_line() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _errstate.fp_warning([("divide", 9, "divide", "warn"), ("invalid", 9, "divide", "warn")])
    assert [str(w.message) for w in caught] == [
        "divide by zero encountered in divide",
        "invalid value encountered in divide",
    ]
    assert {w.filename for w in caught} == {__file__}


def test_raise_print_call_log(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FloatingPointError, match="overflow encountered in exp"):
        _errstate.fp_warning([("over", 2, "exp", "raise")])
    _errstate.fp_warning([("under", 4, "exp", "print")])
    assert capsys.readouterr().err == "Warning: underflow encountered in exp\n"
    with pytest.raises(NameError):
        _errstate.fp_warning([("over", 2, "exp", "call")])
    calls: list[Any] = []
    with np.errstate(call=lambda *args: calls.append(args)):
        _errstate.fp_warning([("over", 10, "exp", "call"), ("invalid", 10, "exp", "call")])
    assert calls == [("overflow", 10), ("invalid value", 10)]
    log = io.StringIO()
    with np.errstate(call=log):
        _errstate.fp_warning([("over", 2, "exp", "log")])
    assert log.getvalue() == "Warning: overflow encountered in exp\n"


def test_settings() -> None:
    table = np.settings()
    assert table["fallback"]["value"] == "ignore"
    assert "FASTNP_FALLBACK" in repr(table)
    assert len(table) <= 10
    name = next(name for name, row in table.items() if row["type"] == "int")
    before = table[name]["value"]
    with np.settings(**{name: 1}):
        assert np.settings()[name]["value"] == 1
    assert np.settings()[name]["value"] == before
    with pytest.raises(KeyError, match="no setting"):
        np.settings(nothing=1)
    with pytest.raises(ValueError, match="fallback"):
        np.settings(fallback="never")


def test_observing() -> None:
    np.reset_stats()
    np.eval(np.ones(2), 3.0)
    np.eval()
    assert np.stats()["fallbacks"] == 0
    assert "fallbacks" in repr(np.stats())
    assert isinstance(np.explain(np.ones(2)), str)
    assert np.flush is _fastnp.flush
