"""pandas accepts our arrays as data, masks and keys, and stores NumPy's arrays.

Its compiled code requires `numpy.ndarray` itself, so the values of a Series or DataFrame must be
that.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pandas as pd
import pytest

from tests.compare import assert_same
from tests.neighbours.meeting import assert_no_more_copies, meet

RANDOM = numpy.random.default_rng(0)
X = RANDOM.random(2000)
Y = RANDOM.random(2000)
KEYS = RANDOM.integers(0, 5, 2000)
P = RANDOM.random((1000, 3))
ROW = P[0]
SERIES = pd.Series(Y)
FRAME = pd.DataFrame(P)

Cases = dict[str, tuple[Callable[..., Any], list[Any]]]


def column_set(a: Any, values: Any) -> Any:
    """A frame, assigned to in every way."""
    frame = pd.DataFrame(P.copy())
    frame["new"] = a
    frame.loc[:, 0] = a
    frame.iloc[:, 1] = values
    frame.loc[a > 0.5, 2] = 0.0
    frame.insert(0, "first", a)
    return frame.assign(last=values)


def elements_set(a: Any) -> Any:
    """A series, assigned to in every way."""
    series = pd.Series(Y.copy())
    series[a > 0.5] = a[a > 0.5]
    series.iloc[:3] = a[:3]
    series.loc[a < 0.1] = -1.0
    return series


MAKING: Cases = {
    "Series": (pd.Series, [X]),
    "Series of integers": (pd.Series, [KEYS]),
    "Series of booleans": (pd.Series, [X > 0.5]),
    "Series with an index": (lambda x, k: pd.Series(x, index=k), [X, KEYS]),
    "Series of another type": (lambda k: pd.Series(k, dtype="float32"), [KEYS]),
    "Index": (pd.Index, [KEYS]),
    "DataFrame": (pd.DataFrame, [P]),
    "DataFrame with names": (lambda p: pd.DataFrame(p, columns=list("abc")), [P]),
    "DataFrame of columns": (lambda x, k: pd.DataFrame({"x": x, "k": k}), [X, KEYS]),
    "array": (lambda x: pd.array(x).to_numpy(), [X]),
    "Categorical": (lambda k: pd.Categorical(k.tolist()).codes, [KEYS]),
    "to_datetime": (lambda k: pd.to_datetime(k, unit="s"), [KEYS]),
    "concat": (lambda x, y: pd.concat([pd.Series(x), pd.Series(y)]), [X, Y]),
}

ARITHMETIC: Cases = {
    "s + a": (lambda a: SERIES + a, [X]),
    "a + s": (lambda a: a + SERIES, [X]),
    "a * s - a / s": (lambda a: a * SERIES - a / SERIES, [X]),
    "s ** a": (lambda a: SERIES**a, [X]),
    "a > s": (lambda a: a > SERIES, [X]),
    "s > a": (lambda a: SERIES.gt(a), [X]),
    "df * a": (lambda a: FRAME * a, [P]),
    "a - df": (lambda a: a - FRAME, [P]),
    "df + row": (lambda a: FRAME + a, [ROW]),
    "df @ a": (lambda a: FRAME @ a, [ROW]),
    "a @ df": (lambda a: a @ FRAME, [P[:, 0]]),
    "np.add": (lambda a: numpy.add(SERIES, a), [X]),
    "corr": (lambda a: pd.Series(a).corr(SERIES), [X]),
}

SELECTING: Cases = {
    "s[mask]": (lambda x, m: pd.Series(x)[m], [X, X > 0.5]),
    "s.loc[mask]": (lambda x, m: pd.Series(x).loc[m], [X, X > 0.5]),
    "s.iloc[mask]": (lambda x, m: pd.Series(x).iloc[m], [X, X > 0.5]),
    "df[mask]": (lambda p, m: pd.DataFrame(p)[m], [P, P[:, 0] > 0.5]),
    "df.loc[mask, column]": (lambda p, m: pd.DataFrame(p).loc[m, 1], [P, P[:, 0] > 0.5]),
    "s.iloc[indices]": (lambda x, k: pd.Series(x).iloc[k], [X, KEYS]),
    "s.loc[labels]": (lambda x, k: pd.Series(x).loc[k], [X, KEYS]),
    "s.reindex": (lambda x, k: pd.Series(x).reindex(k), [X, KEYS]),
    "where": (lambda x, m, o: pd.Series(x).where(m, o), [X, X > 0.5, Y]),
    "isin": (lambda k, v: pd.Series(k).isin(v), [KEYS, numpy.array([1, 2])]),
    "assigning columns": (column_set, [P[:, 0], P[:, 1]]),
    "assigning elements": (elements_set, [X]),
    "set_index": (lambda a: pd.DataFrame(P).set_index(a), [P[:, 0]]),
    "searchsorted": (lambda x, v: pd.Series(x).searchsorted(v), [numpy.sort(X), Y]),
}

COMPUTING: Cases = {
    "groupby": (lambda x, k: pd.Series(x).groupby(k).agg(["mean", "median", "max"]), [X, KEYS]),
    "groupby a column": (
        lambda x, k: pd.DataFrame({"x": x, "k": k}).groupby("k").agg(["sum", "std"]),
        [X, KEYS],
    ),
    "groupby, transform": (lambda x, k: pd.Series(x).groupby(k).transform("mean"), [X, KEYS]),
    "rolling": (lambda x: pd.Series(x).rolling(5).mean(), [X]),
    "cut": (lambda x, b: pd.cut(x, b).codes, [X, numpy.linspace(0, 1, 5)]),
    "qcut": (lambda x: pd.qcut(x, 4).codes, [X]),
    "unique": (pd.unique, [KEYS]),
    "factorize": (pd.factorize, [KEYS]),
    "value_counts": (lambda k: pd.Series(k).value_counts(), [KEYS]),
    "crosstab": (pd.crosstab, [KEYS, KEYS[::-1]]),
    "get_dummies": (pd.get_dummies, [KEYS]),
    "isna": (pd.isna, [X]),
    "sort_values": (lambda p: pd.DataFrame(p).sort_values([0, 1]), [P]),
    "describe": (lambda p: pd.DataFrame(p).describe(), [P]),
    "rank": (lambda x: pd.Series(x).rank(), [X]),
    "merge": (
        lambda k: pd.DataFrame({"k": k}).merge(pd.DataFrame({"k": [1, 2], "v": [3, 4]})),
        [KEYS],
    ),
    "interpolate": (
        lambda x: pd.Series(x).interpolate(),
        [numpy.where(X > 0.5, X, numpy.nan)],
    ),
    "to_csv": (lambda p: pd.DataFrame(p).to_csv(), [P[:20]]),
    "to_numpy": (lambda p: pd.DataFrame(p).to_numpy(), [P]),
    "values": (lambda x: pd.Series(x).values, [X]),
}

EVERYTHING = {**MAKING, **ARITHMETIC, **SELECTING, **COMPUTING}


@pytest.mark.parametrize("name", EVERYTHING)
def test_result_is_the_same(name: str) -> None:
    call, arrays = EVERYTHING[name]
    meet(call, *arrays)


@pytest.mark.parametrize("copy", [None, True, False])
def test_what_is_kept_is_numpys(copy: bool | None) -> None:
    x: Any = fastnp.array(X)
    for held in (
        pd.Series(x, copy=copy),
        pd.DataFrame({"x": x}, copy=copy)["x"],
        pd.DataFrame(fastnp.array(P), copy=copy)[0],
        pd.Series(pd.Index(x)),
    ):
        assert type(held.values) is numpy.ndarray
        assert type(held.to_numpy()) is numpy.ndarray


def test_from_and_to_without_a_copy() -> None:
    x: Any = fastnp.array(X)
    series = pd.Series(x, copy=False)
    assert numpy.shares_memory(series.to_numpy(), numpy.asarray(x))
    frame = pd.DataFrame(fastnp.array(P), copy=False)
    back: Any = fastnp.asarray(frame.to_numpy())
    assert type(back) is fastnp.ndarray
    assert fastnp.shares_memory(back, frame.to_numpy())
    assert back.sum() == pytest.approx(P.sum())
    large = RANDOM.random(400_000)
    assert_no_more_copies(lambda x: len(pd.Series(x, copy=False)), large)
    assert_no_more_copies(lambda x: len(pd.Series(x)), large)


def test_functions_of_ours_on_pandas_objects() -> None:
    calls: list[Callable[[Any], Any]] = [
        lambda np: np.sin(SERIES),
        lambda np: np.exp(FRAME),
        lambda np: np.mean(SERIES),
        lambda np: np.asarray(SERIES).sum(),
        lambda np: np.where(SERIES > 0.5, SERIES, 0.0).sum(),
        lambda np: np.sqrt(np.abs(FRAME)),
    ]
    for call in calls:
        ours, theirs = call(fastnp), call(numpy)
        assert type(ours) is type(theirs)
        # Elementary functions are ours here, and need not be NumPy's bits.
        assert numpy.allclose(ours, theirs, rtol=1e-14, atol=0)
        if isinstance(ours, (pd.Series, pd.DataFrame)):
            assert type(ours.values) is numpy.ndarray and ours.index.equals(theirs.index)


def test_program() -> None:
    """Reading a file, masking, grouping and going back, as one writes it."""

    def program(np: Any) -> Any:
        text = "a,b\n" + "\n".join(f"{k % 7},{k * 0.5}" for k in range(500))
        frame = pd.read_csv(io.StringIO(text))
        values = np.asarray(frame["b"])
        frame["z"] = (values - values.mean()) / values.std()
        frame = frame[np.abs(np.asarray(frame["z"])) < 1.0]
        return frame.groupby("a")["b"].sum(), frame.loc[np.asarray(frame["b"]) > 100, "a"].count()

    ours, theirs = program(fastnp), program(numpy)
    assert theirs[0].equals(ours[0]) and theirs[1] == ours[1]


def test_numpys_functions_take_series() -> None:
    series = pd.Series([3.0, 1.0, 2.0])
    assert type(fastnp.asarray(series)) is fastnp.ndarray
    assert_same(fastnp.asarray(series), numpy.asarray(series))
    assert_same(fastnp.sort(series), numpy.sort(series))
    assert_same(fastnp.concatenate([series, series]), numpy.concatenate([series, series]))
    ours = pd.Series(fastnp.arange(3.0))
    assert_same(fastnp.concatenate([ours, series]), numpy.concatenate([ours, series]))
