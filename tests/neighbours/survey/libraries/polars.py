"""Polars: series and frames of arrays, expressions with arrays, arrays of series."""

import polars as pl

from tests.neighbours.survey.inputs import grid, pending


def series(np):
    small, large = pl.Series(np.arange(3)), pl.Series("a", pending(np))
    return str(small.dtype), small.to_list(), large.to_numpy(), str(large.dtype)


def frame_of_columns(np):
    frame = pl.DataFrame({"a": np.arange(3), "b": np.ones(3)})
    return frame.to_dict(as_series=False), str(frame.schema)


def frame_of_pending_columns(np):
    return pl.DataFrame({"a": pending(np), "b": pending(np, "int32")}).to_numpy()


def frame_of_a_matrix(np):
    return pl.DataFrame(grid(np)).shape, pl.DataFrame(np.arange(6).reshape(3, 2)).rows()


def from_numpy(np):
    return pl.from_numpy(np.arange(6).reshape(3, 2), schema=["a", "b"]).rows()


def filter_with_a_mask(np):
    frame = pl.DataFrame({"a": [1, 2, 3]})
    return frame.filter(np.array([True, False, True])).rows()


def series_filter(np):
    return pl.Series([1, 2, 3]).filter(np.array([True, False, True])).to_list()


def arithmetic(np):
    s = pl.Series([1.0, 2.0, 3.0])
    return (s + np.ones(3)).to_list(), (s * np.arange(3.0)).to_list()


def array_first(np):
    result = np.ones(3) + pl.Series([1.0, 2, 3])
    return type(result).__name__, list(result)


def literal(np):
    frame = pl.DataFrame({"a": [1, 2, 3]})
    return frame.with_columns(b=pl.lit(np.arange(3))).rows()


def index(np):
    s = pl.Series([5, 6, 7])
    return s[np.array([0, 2])].to_list(), s.gather(np.array([1])).to_list()


def functions_of_the_module(np):
    s = pl.Series([1.0, 4.0, 9.0])
    return [type(np.sqrt(s)).__name__, np.sqrt(s).to_list(), np.asarray(s), np.max(s.to_numpy())]


def ufunc_on_an_expression(np):
    frame = pl.DataFrame({"a": [1.0, 4.0]})
    return frame.select(np.sqrt(pl.col("a"))).rows()


def array_of_a_series(np):
    x = np.asarray(pl.Series(range(150_000)))
    return x, x + 1, np.array(pl.Series([1, 2])), pl.Series([1.5]).to_numpy()


def is_in(np):
    return pl.Series([1, 2, 3]).is_in(np.array([2, 3])).to_list()


def set_with_an_array(np):
    s = pl.Series([1.0, 2, 3])
    s[np.array([0, 1])] = 9.0
    return s.to_list(), s.scatter(np.array([2]), 5.0).to_list()
