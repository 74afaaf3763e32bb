"""pandas before 3.0 runs its own method for a function of NumPy's that it knows, or of ours."""

from __future__ import annotations

import re
import sys
import warnings
from types import ModuleType
from typing import Any

import fastnp
import numpy
import pandas as pd
import pytest
from fastnp._interop.pandas import register

KNOWN = """
    all any sum nansum mean nanmean prod nanprod std nanstd var nanvar median nanmedian max nanmax
    min nanmin cumprod nancumprod cumsum nancumsum
    """.split()
BEFORE_3 = int(pd.__version__.partition(".")[0]) < 3


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module like that of pandas before 3.0."""
    module: Any = ModuleType("pandas.core.common")
    table = {getattr(numpy, name): name for name in KNOWN}
    module.get_cython_func = table.get
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.mark.parametrize("name", KNOWN)
def test_our_functions_are_found_as_numpys(common: Any, name: str) -> None:
    ours = getattr(fastnp, name)
    assert common.get_cython_func(ours) is None
    register()
    assert common.get_cython_func(ours) == common.get_cython_func(getattr(numpy, name)) == name


def test_other_functions_are_not(common: Any) -> None:
    register()
    for function in (fastnp.ptp, fastnp.sqrt, numpy.ptp, len, common.get_cython_func):
        assert common.get_cython_func(function) is None


def test_without_a_table_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("pandas.core.common")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    before = dict(vars(module))
    register()
    assert vars(module) == before


def results(np: Any, name: str) -> tuple[list[Any], list[str]]:
    """What pandas returns for a function in different places, or the error, and the warnings."""
    frame = pd.DataFrame({"g": [0, 0, 1, 1], "v": [1.0, 3.0, numpy.nan, 9.0], "w": [1, 2, 3, 5]})
    frame.index = pd.date_range("2020", periods=4)
    groups, function = frame.groupby("g"), getattr(np, name)
    calls = [
        lambda: frame.agg(function),
        lambda: frame.agg(function, axis=1),
        lambda: frame.apply(function),
        lambda: frame.agg({"v": function, "w": [function, "mean"]}),
        lambda: frame.v.agg(function),
        lambda: groups.agg(function),
        lambda: groups.agg([function]),
        lambda: groups.v.transform(function),
        lambda: frame.pivot_table(values="w", index="g", aggfunc=function),
        lambda: frame.resample("2D").agg(function),
        lambda: frame.rolling(2).agg(function),
    ]
    found: list[Any] = []
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for call in calls:
            try:
                found.append(repr(call()))
            except Exception as error:
                found.append(type(error))
    texts = [f"{w.category.__name__} {w.filename}:{w.lineno} {w.message}" for w in warned]
    return found, [re.sub("0x[0-9a-f]+", "", text) for text in texts]


@pytest.mark.skipif(not BEFORE_3, reason="pandas 3.0 calls the function that it is given")
@pytest.mark.parametrize("name", KNOWN)
def test_results_and_warnings_of_pandas(name: str) -> None:
    theirs, warned = results(numpy, name)
    assert results(fastnp, name) == (theirs, warned)
    assert any("is currently using" in text for text in warned)
