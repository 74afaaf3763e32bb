"""Every function with a native version, against NumPy on a table of arguments."""

from __future__ import annotations

import importlib
import inspect
import math
import runpy
import warnings
from pathlib import Path
from typing import Any

import fastnp
import numpy
import pytest
from fastnp import _functions
from fastnp._fallback import registry
from fastnp._fallback.registry import NATIVE
from fastnp._functions import TOPICS

from tests.array.test_fourier import ONE_AXIS, SEVERAL_AXES
from tests.compare import both

rng = numpy.random.default_rng(7)
LINE = rng.standard_normal(7)
FLAT = rng.standard_normal((3, 4))
CUBE = rng.standard_normal((2, 3, 4))
INTS = rng.integers(-5, 6, (3, 4))
BITS = INTS > 0
SINGLE = FLAT.astype("f4")
WAVE = FLAT + 1j * FLAT[::-1]
HOLES = numpy.where(BITS, FLAT, numpy.nan)
SQUARE = rng.standard_normal((4, 4))
ODD = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0, -1.5])
FORTRAN = numpy.asfortranarray(FLAT)
EMPTY = numpy.empty((0, 3))
TRIPLE = rng.standard_normal((5, 3))
INPUTS = (LINE, FLAT, CUBE, INTS, BITS, SINGLE, WAVE, FORTRAN, FLAT[::2, ::-1])

_REDUCED: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((x,), kwargs)
    for x in INPUTS
    for kwargs in (
        {},
        {"axis": 0},
        {"axis": -1, "keepdims": True},
        {"axis": 9},
        {"keepdims": True},
    )
]
_ORDERED = [case for case in _REDUCED if case[0][0].dtype.kind != "c"]
_WHERE = [((x,), {"where": x > 0, "axis": 0}) for x in (FLAT, INTS)]
_INITIAL = [((FLAT,), {"initial": 3.0, "where": BITS}), ((EMPTY,), {"axis": 0})]
_LISTS: list[Any] = [(([1, 2, 3],), {}), ((2.5,), {})]


def cases(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, kwargs


def each(*xs: Any, **kwargs: Any) -> list[Any]:
    return [cases(x, **kwargs) for x in xs]


def over(axes: Any, *xs: Any) -> list[Any]:
    return [cases(x, axis) for x in xs for axis in axes]


SORTED = numpy.sort(LINE)
MANY = numpy.sin(numpy.arange(150_000.0))
WHOLE = numpy.abs(INTS).ravel()
WITH_NAN = numpy.array([1.0, numpy.nan, -1.0, numpy.inf, SORTED[2]])

TABLE: dict[str, list[Any]] = {
    "bincount": each(WHOLE, WHOLE.astype("u1"), WHOLE > 2, WHOLE[::-2], INTS, LINE, WHOLE[:0])
    + [cases(WHOLE, minlength=n) for n in (0, 3, 40, -1)]
    + [cases(WHOLE, w) for w in (FLAT.ravel(), WHOLE, LINE, WAVE.ravel(), SINGLE.ravel()[::-1])]
    + [cases(-WHOLE), cases([1, 2, 2]), cases(numpy.arange(5000) % 7), cases(WHOLE.astype("u8"))],
    "searchsorted": [
        cases(a, v, side)
        for a in (SORTED, numpy.sort(WHOLE), SORTED.astype("f4"), numpy.append(SORTED, numpy.nan))
        for v in (FLAT, INTS, SINGLE, WITH_NAN, SORTED, 0.5, 2, FLAT.T, EMPTY, [1, 2])
        for side in ("left", "right")
    ]
    + [cases(SORTED[:0], FLAT), cases(FLAT, 1.0), cases(SORTED, 1.0, "other")]
    + [cases(LINE, 0.1, sorter=numpy.argsort(LINE)), cases(SORTED, WAVE), cases(SORTED[::2], FLAT)],
    "digitize": [
        cases(x, bins, right)
        for x in (FLAT, INTS, WITH_NAN, 0.5, 1, EMPTY)
        for bins in (SORTED, SORTED[::-1], [0, 1, 2], LINE, [1, 1, 1], FLAT)
        for right in (False, True)
    ],
    "interp": [
        cases(x, SORTED, LINE, *ends)
        for x in (FLAT, INTS, SINGLE, WITH_NAN, SORTED, 0.25, FLAT.T, EMPTY, [0.1, 9])
        for ends in ((), (7.0, None), (None, -1))
    ]
    + [cases(FLAT, SORTED, LINE, period=2.0), cases(FLAT, SORTED, LINE[1:])]
    + [cases(FLAT, SORTED, LINE * 1j), cases(WITH_NAN, SORTED[:1], LINE[:1])]
    + [cases(FLAT, [0, 1], [numpy.inf, numpy.inf]), cases(FLAT, [0, 1], [0, numpy.inf])],
    "histogram": [
        cases(x, bins, density=density)
        for x in (FLAT, INTS, SINGLE, LINE[::-2], EMPTY, BITS, FLAT * 0, FORTRAN)
        for bins in (10, 3, 1, SORTED, [0, 1, 1, 2], LINE, 0, "auto", 2.5)
        for density in (None, True)
    ]
    + [cases(FLAT, 7, r) for r in ((0, 1), (-1.5, 0.5), (1, 1), (2, 1), (0, numpy.inf), (0, 1, 2))]
    + [cases(x, 5) for x in (WITH_NAN, 10**9 + INTS, numpy.arange(5000.0) % 17)]
    + [cases(WITH_NAN, 5, (-1, 1)), cases(WITH_NAN, [-1, 0, 1])]
    + [
        cases(FLAT, bins, r, density, weights)
        for bins in (1, 5, SORTED)
        for r in (None, (-0.5, 0.5), (-1e308, 1e308))
        for density in (None, True)
        for weights in (FLAT, SINGLE, FLAT[:1], FLAT * 1j, FLAT > 0, list(FLAT))
    ]
    + [
        cases(x, 7, weights=w)
        for x, w in ((FORTRAN, FORTRAN), (FORTRAN, FORTRAN.T), (EMPTY, EMPTY))
    ]
    + [cases(x, 7, weights=w) for x, w in ((MANY, MANY / 3), (MANY, (MANY / 3).astype("f4")))],
    "sum": _REDUCED + _WHERE + _INITIAL + _LISTS + [cases(INTS, dtype="f4"), cases(FLAT, 0, "f4")],
    "prod": _REDUCED + _WHERE + _INITIAL + _LISTS,
    "mean": _REDUCED + _WHERE + _LISTS + [cases(EMPTY)],
    "std": _REDUCED
    + _WHERE
    + [cases(FLAT, ddof=1), cases(FLAT, correction=1), cases(FLAT, mean=0.5)],
    "var": _REDUCED + _WHERE + [cases(FLAT, ddof=1), cases(FLAT, 0, None, None, 1)],
    "min": _ORDERED + _INITIAL + _LISTS + [cases(EMPTY)],
    "max": _ORDERED + _INITIAL + _LISTS,
    "amin": _ORDERED,
    "amax": _ORDERED,
    "any": _REDUCED + _WHERE + _LISTS,
    "all": _REDUCED + _WHERE,
    "argmin": _ORDERED + _LISTS,
    "argmax": _ORDERED,
    "cumsum": over((None, 0, -1), *INPUTS) + _LISTS,
    "cumprod": over((None, 0, -1), *INPUTS),
    "count_nonzero": _REDUCED,
    "ptp": [case for case in _ORDERED if case[0][0].dtype.kind != "b"],
    "average": over((None, 0), *INPUTS)
    + [cases(FLAT, weights=BITS + 1.0), cases(INTS, 0, weights=FLAT), cases(FLAT, weights=FLAT * 0)]
    + [cases(FLAT, 1, numpy.arange(4.0)), cases(FLAT, returned=True), cases(INTS, weights=INTS)],
    "nansum": over((None, 0), HOLES, *INPUTS),
    "nanprod": over((None, 0), HOLES, *INPUTS),
    "nanmean": over((None, 0, 1), HOLES, *INPUTS) + each(HOLES, keepdims=True),
    "nancumsum": over((None, 0, 1), HOLES, *INPUTS),
    "nancumprod": over((None, 0), HOLES, *INPUTS),
    "nanvar": over((None, 0, 1), HOLES, HOLES.astype("f4"), *INPUTS)
    + [cases(HOLES, 0, keepdims=True), cases(HOLES, ddof=1), cases(HOLES[:1], 0, ddof=1)],
    "nanstd": over((None, 0, 1), HOLES, HOLES.astype("f4"), *INPUTS) + [cases(HOLES, ddof=1)],
    "cumulative_sum": each(*INPUTS)
    + each(*INPUTS, axis=0)
    + [cases(LINE, include_initial=True), cases(FLAT, axis=1, dtype="f4"), cases(LINE, axis=4)],
    "cumulative_prod": each(*INPUTS) + each(*INPUTS, axis=-1),
    "cov": each(*INPUTS)
    + [cases(FLAT, LINE[:4]), cases(LINE, LINE[::-1]), cases(FLAT, rowvar=False)]
    + [cases(FLAT, ddof=0), cases(FLAT, bias=True), cases(FLAT[:, :1]), cases(INTS, ddof=2)]
    + [cases(FLAT, aweights=numpy.arange(4.0)), cases(FLAT, FLAT[:, :2])],
    "corrcoef": each(*INPUTS) + [cases(LINE, LINE[::-1]), cases(FLAT, rowvar=False)],
    "polyval": [cases(p, x) for p in (LINE, [1, 2, 3], [1.5, 2]) for x in INPUTS],
    "select": [
        cases([FLAT > 0, FLAT < -1], [FLAT, INTS]),
        cases([FLAT > 0, FLAT < -1], [SINGLE, 1], 2),
        cases([FLAT > 0], [WAVE], 2.5),
        cases([FLAT > 0], [1], 0),
        cases([FLAT > 0, LINE[:4] > 0], [FLAT, FLAT]),
        cases([INTS], [FLAT]),
        cases([], []),
        cases([FLAT > 0], [FLAT, FLAT]),
    ],
    "extract": [cases(BITS, x) for x in (FLAT, INTS, FORTRAN, LINE)]
    + [cases(INTS, FLAT), cases(FLAT > 0, FLAT), cases([1, 0], [3, 4])],
    "putmask": [cases(FLAT.copy(), FLAT > 0, 2), cases(INTS.copy(), INTS > 0, [1, 2])],
    "fill_diagonal": [],
    "kron": [
        cases(x, y) for x in (LINE, FLAT, CUBE, INTS, WAVE) for y in (LINE, FLAT, SINGLE, BITS)
    ],
    "ediff1d": each(*INPUTS) + [cases(LINE, 1.0), cases(LINE, None, [0.0])],
    "einsum": [
        cases(*case)
        for case in (
            ("i,i", LINE, LINE),
            ("i,i->", LINE, LINE),
            ("i,j", LINE, LINE),
            ("i,j->ji", LINE, LINE[:3]),
            ("ij,jk", FLAT, FLAT.T),
            ("ij,jk->ki", FLAT, SQUARE),
            ("ij,j", FLAT, FLAT[0]),
            ("j,ij->i", FLAT[0], FLAT),
            ("ij,ij->", FLAT, FLAT),
            ("ij,ij->i", FLAT, INTS),
            ("ij,ij->ji", FLAT, FLAT),
            ("ij,kj->ik", FLAT, SINGLE),
            ("aij,ajk->aik", CUBE, CUBE.transpose(0, 2, 1)),
            ("aij,aij->a", CUBE, CUBE),
            ("abc,bcd->ad", CUBE, CUBE.transpose(1, 2, 0)),
            ("abc,cd->dab", CUBE, SQUARE),
            ("ij->", FLAT),
            ("ij->j", FLAT),
            ("ijk->ki", CUBE),
            ("ij->ji", FLAT),
            ("ii->i", SQUARE),
            ("ii", SQUARE),
            ("...j,j", FLAT, FLAT[0]),
            ("ij,jk,kl", FLAT, SQUARE, SQUARE),
            ("ij,jk", FLAT, FLAT),
            ("ij,ij->ij", FLAT, FLAT[:1]),
            ("ij,k->i", FLAT, LINE),
            ("ij,j", FLAT, BITS[0]),
            ("ij,j", WAVE, WAVE[0]),
            ("i j , j k -> i k", FLAT, SQUARE),
            ("ij", FLAT, FLAT),
            ("i,->i", LINE, numpy.array(2.0)),
        )
    ],
    "nanmin": over((None, 0, 1), HOLES, FLAT, INTS),
    "nanmax": over((None, 0, 1), HOLES, FLAT, INTS),
    "reshape": [cases(x, s) for x in INPUTS for s in (-1, (2, -1), (12,), (4, 3))]
    + [cases(FLAT, (4, 3), "F"), cases(FLAT, (4, 3), copy=True), cases([1, 2], (2, 1))],
    "transpose": over((None,), *INPUTS) + [cases(CUBE, (2, 0, 1)), cases(FLAT, (0,))],
    "matrix_transpose": each(FLAT, CUBE, LINE),
    "ravel": [cases(x, order) for x in INPUTS for order in "CFKA"],
    "squeeze": each(LINE[None], FLAT[:, None]) + [cases(LINE[None], 0), cases(LINE, 0)],
    "expand_dims": over((0, -1, (0, 2), 5, (0, 0)), *INPUTS),
    "swapaxes": [cases(CUBE, 0, 2), cases(FLAT, 0, -1), cases(FLAT, 0, 3)],
    "moveaxis": [
        cases(CUBE, 0, -1),
        cases(CUBE, (0, 1), (1, 2)),
        cases(CUBE, 4, 0),
        cases(CUBE, (0, 1), 0),
    ],
    "rollaxis": [cases(CUBE, 2), cases(CUBE, 0, 3), cases(CUBE, 1, 5), cases(CUBE, 1, 1)],
    "broadcast_to": [
        cases(LINE, (2, 7)),
        cases(LINE, 7),
        cases(LINE, (3,)),
        cases(FLAT, (2, 3, 4)),
    ],
    "broadcast_arrays": [
        cases(LINE, LINE[:, None]),
        cases(LINE, 2.0),
        cases(LINE, FLAT),
        cases(LINE),
    ],
    "atleast_1d": each(*INPUTS, 3.0) + [cases(3.0, LINE)],
    "atleast_2d": each(*INPUTS, 3.0) + [cases(3.0, LINE)],
    "atleast_3d": each(*INPUTS, 3.0) + [cases(LINE, FLAT)],
    "flip": over((None, 0, -1, (0,), 5), *INPUTS),
    "fliplr": each(FLAT, LINE, CUBE),
    "flipud": each(FLAT, LINE, CUBE),
    "rot90": [cases(FLAT, k) for k in range(-1, 5)]
    + [cases(CUBE, 1, (1, 2)), cases(FLAT, 1, (0, 0))],
    "ndim": each(*INPUTS, 1.0, [1]),
    "shape": each(*INPUTS, 1.0, [1]),
    "size": over((None, 0, (0,), 7), LINE, FLAT) + each([1, 2]),
    "array_split": [cases(LINE, n) for n in (1, 3, 9)]
    + [cases(FLAT, 3, 1), cases(LINE, [2, 5]), cases(LINE, 0)],
    "split": [
        cases(FLAT, 3),
        cases(FLAT, 2, 1),
        cases(LINE, 2),
        cases(LINE, [2, 5]),
        cases(LINE, 0),
        cases(LINE, 2, 4),
    ],
    "hsplit": [cases(FLAT, 2), cases(LINE, [1]), cases(FLAT, 3)],
    "vsplit": [cases(FLAT, 3), cases(LINE, 1)],
    "dsplit": [cases(CUBE, 2), cases(FLAT, 1)],
    "unstack": [cases(FLAT), cases(FLAT, axis=1)],
    "stack": [cases([FLAT, INTS], axis) for axis in (0, 1, -1, 4)]
    + [cases([LINE, FLAT]), cases(FLAT, 1), cases([])],
    "vstack": [
        cases([FLAT, INTS]),
        cases((LINE, LINE)),
        cases([LINE, [1] * 7]),
        cases(FLAT),
        cases([[1], [2]]),
    ],
    "hstack": [cases([FLAT, INTS]), cases((LINE, LINE)), cases([LINE, 3.0]), cases([LINE, FLAT])],
    "dstack": [cases([FLAT, INTS]), cases((LINE, LINE))],
    "column_stack": [cases([LINE, LINE]), cases([FLAT, FLAT[:, 0]])],
    "append": [cases(LINE, 3.0), cases(FLAT, FLAT, 0), cases(FLAT, FLAT), cases(FLAT, LINE, 0)],
    "concatenate": [cases([FLAT, INTS]), cases([FLAT, FLAT], 1), cases([LINE, FLAT])],
    "tile": [cases(x, r) for x in (LINE, FLAT, CUBE) for r in (2, (2, 3), (1, 2, 1, 2), 0, ())],
    "repeat": [cases(x, 2, axis) for x in INPUTS for axis in (None, 0, -1)]
    + [cases(LINE, [1] * 7), cases(LINE, -1)],
    "roll": [
        cases(x, s, a) for x in (LINE, FLAT, CUBE) for s in (0, 1, -2, 9) for a in (None, 0, -1)
    ]
    + [
        cases(FLAT, (1, 2), (0, 1)),
        cases(FLAT, 1, (0, 1)),
        cases(FLAT, 1, 6),
        cases(FLAT, (1, 2), 0),
    ],
    "pad": [
        cases(x, w, mode)
        for x in (LINE, FLAT, CUBE, INTS, FORTRAN)
        for w in (0, 1, 2, (1, 2), ((2, 0),), [1])
        for mode in ("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "nothing")
    ]
    + [
        cases(FLAT, 2, constant_values=7),
        cases(FLAT, ((1, 2), (0, 3)), "edge"),
        cases(FLAT, 9, "wrap"),
        cases(INTS, 1, constant_values=((1, 2), (3, 4))),
        cases(INTS, (0, 2), constant_values=(2.5, numpy.float32(7))),
        cases(INTS.astype("i1"), ((0, 1), (0, 0)), constant_values=((300, 1), (1, 300))),
        cases(FLAT, numpy.array([[1], [2]]), "edge"),
        cases(FLAT, ((9, 0), (1, 17)), "symmetric", reflect_type="odd"),
        cases(INTS, ((9, 0), (1, 17)), "reflect", reflect_type="odd"),
        cases(FLAT, 1, "reflect", reflect_type="strange"),
        cases(FLAT[:1], 3, "reflect"),
        cases(SINGLE, ((1, 2), (3, 4)), "linear_ramp", end_values=((5, 6), (7.5, -8))),
        cases(INTS, 3, "linear_ramp", end_values=(20, numpy.int8(-4))),
        cases(CUBE, 2, "linear_ramp"),
        cases(EMPTY, ((1, 0), (0, 0)), "constant"),
        cases(EMPTY, 1, "edge"),
        cases(EMPTY, ((0, 0), (0, 2)), "edge"),
        cases(FLAT, 1, "edge", constant_values=7),
    ]
    + [
        cases(x, ((1, 2), (3, 0)), mode, stat_length=length)
        for x in (FLAT, INTS, FORTRAN)
        for mode in ("maximum", "mean", "minimum", "median")
        for length in (1, 2, (9, 2), ((1, 2), (3, 4)), None, 0, -1)
    ]
    + [
        cases(FLAT, -1),
        cases(FLAT, 1, "reflect", reflect_type="odd"),
        cases(FLAT, 1, "edge", bad=1),
    ],
    "where": [
        cases(BITS, FLAT, INTS),
        cases(BITS),
        cases(BITS, 1, 0),
        cases(BITS, FLAT),
        cases([1, 0]),
    ],
    "clip": [cases(x, -1, 1) for x in (FLAT, INTS, SINGLE)]
    + [
        cases(FLAT, None, 0.5),
        cases(FLAT, min=0),
        cases(FLAT, max=0),
        cases(FLAT, 0),
        cases(FLAT, 0, 1, min=0),
    ]
    + [cases(2.5, 0, 1), cases([1, 5], 0, 2), cases(FLAT, FLAT * 0, INTS), cases(FLAT)],
    "round": [cases(x, d) for x in (*INPUTS, 2.567) for d in (0, 2, -1)],
    "around": [cases(x, d) for x in (FLAT, INTS, [2.567]) for d in (0, 2, -1)],
    "fix": each(FLAT, INTS, [2.5]),
    "real": each(*INPUTS, 1j),
    "imag": each(*INPUTS, 1j),
    "angle": each(*INPUTS, 1j) + [cases(WAVE, True)],
    "nan_to_num": each(ODD, FLAT, INTS, WAVE, HOLES) + [cases(ODD, nan=1.0, posinf=2, neginf=3.5)],
    "apply_along_axis": [
        cases(lambda row: row.sum(), 0, FLAT),
        cases(lambda row: row[::-1] * row[1:, None], 1, FLAT),
        cases(lambda row, by: row * by, -1, CUBE, 2),
    ],
    "apply_over_axes": [cases(lambda x, axis: x.sum(axis, keepdims=True), CUBE, (0, 2))],
    "fromfunction": [
        cases(lambda i, j: i * 10 + j, (3, 4)),
        cases(lambda i: i > 1, (4,), dtype=int),
        cases(lambda i, j: i + j, (2, 3)),
        cases(lambda i: i, (3,), dtype=int),
    ],
    "piecewise": [
        cases(LINE, [LINE < 0, LINE >= 0], [lambda x: -x, lambda x: x * 2]),
        cases(LINE, [LINE < 0], [1.0, lambda x: x]),
    ],
    "correlate": [cases(x, y, "full") for x in (LINE, SORTED[:3], WAVE[0]) for y in (LINE, INTS[0])]
    + [cases(LINE, SORTED[:3]), cases(LINE, SORTED[:3], mode="same"), cases(LINE, WAVE[0][:3])]
    + [cases(LINE, SORTED[:3], "none"), cases(LINE, LINE[:0]), cases(LINE, FLAT), cases(LINE)],
    "convolve": [cases(x, y) for x in (LINE, SORTED[:3], WAVE[0]) for y in (LINE, INTS[0], [2.0])]
    + [cases(SORTED[:3], LINE, "valid"), cases(LINE, SORTED[:3], mode="same")]
    + [cases(LINE, SORTED[:3], "none"), cases(LINE[:0], LINE), cases(FLAT, LINE), cases(LINE)],
    "frombuffer": [cases(text, dtype) for text in (bytes(range(1, 17)), b"") for dtype in "dhBF?"]
    + [cases(bytes(range(16)), *args) for args in (("h", 3), ("h", 3, 4), ("h", -1, 4), ("i", 0))]
    + [cases(bytes(range(16)), "h", offset=2, count=2), cases(bytes(16)), cases(bytes(15))]
    + [cases(bytes(16), "d", *args) for args in ((3,), (-1, 17), (-1, -1), (1 << 62,), (1.0,))]
    + [cases(bytes(16), dtype=dtype) for dtype in (None, float, object)]
    + [cases(bytearray(16)), cases(memoryview(bytes(16)), "u1"), cases("text"), cases()],
    "fromiter": [cases([1, 2.5, True], dtype) for dtype in (float, "f4", complex, int, "i1", "?")]
    + [cases((1, 2, 3), int, *args) for args in ((3,), (-1,), (2,), (4,), (-2,), (0,), (None,))]
    + [cases([1, 2], float, count=2), cases([], float), cases([], float, 1), cases([[1, 2]], float)]
    + [cases([1, "2"], float), cases([1 << 70], float), cases([1 << 70], int), cases([300], "u1")]
    + [cases([1, None], object), cases(LINE, float), cases(3, int)],
    "delete": [
        cases(FLAT, at, axis)
        for at in (1, [0, -1], slice(1, None), slice(0, None, 2))
        for axis in (None, 0, 1)
    ],
    "insert": [cases(FLAT, at, 7, axis) for at in (1, [0, -1], [2, 0]) for axis in (None, 0, 1)],
    "packbits": over((None, 0, -1), BITS, INTS) + [cases(BITS, bitorder="little"), cases(FLAT)],
    "unpackbits": over((None, 0, -1), WHOLE.astype("u1").reshape(3, 4)) + [cases(INTS)],
    "histogram2d": [cases(LINE, SORTED, bins) for bins in (4, [3, 5], SORTED)],
    "histogramdd": [cases(TRIPLE, 4), cases(TRIPLE, [2, 3, [-1, 0, 1]]), cases(LINE, 3)],
    "histogram_bin_edges": [cases(x, 4) for x in INPUTS]
    + [cases(FLAT, SORTED), cases(FLAT, "auto")],
    "trim_zeros": [
        cases(numpy.array([0, 0, 1, 0, 2, 0]), sides) for sides in ("fb", "F", "b", "x", "")
    ]
    + each(numpy.zeros(3), FLAT, [0, 1, 0]),
    "resize": [
        cases(x, s) for x in (LINE, FLAT, EMPTY) for s in (3, (2, 9), (0, 2), [2, 2], (-1,))
    ],
    "nanargmin": over((None, 0, 1), HOLES, FLAT, INTS) + each(HOLES * numpy.nan, WAVE),
    "nanargmax": over((None, 0, 1), HOLES, FLAT, INTS) + [cases(HOLES, 0, keepdims=True)],
    "iscomplex": each(*INPUTS, 1j, WAVE.real + 0j),
    "real_if_close": each(*INPUTS, WAVE.real + 1e-15j) + [cases(FLAT + 0.1j, 0.5)],
    "asarray_chkfinite": each(*INPUTS, HOLES, [1.0, numpy.inf], [1]) + [cases(FLAT, "f4")],
    "unwrap": each(*(x * 4 for x in (LINE, FLAT, CUBE, INTS, SINGLE)))
    + [cases(FLAT * 9, 2.0, 0), cases(INTS, period=4), cases(INTS, period=5), cases(LINE, axis=3)],
    "block": [
        cases([LINE, LINE]),
        cases([[FLAT, FLAT], [INTS, SINGLE]]),
        cases([[FLAT, FLAT[:, :1]]]),
        cases([[LINE], [LINE]]),
        cases([[LINE], LINE]),
        cases([FLAT, 1.0]),
        cases([]),
        cases(FLAT),
        cases([CUBE, CUBE]),
    ],
    "polyadd": [cases(x, y) for x in (LINE, SORTED[:3], INTS[0]) for y in (LINE, INTS[0], [1])],
    "polysub": [cases(x, y) for x in (LINE, SORTED[:3], INTS[0]) for y in (LINE, INTS[0], [1])],
    "polymul": [
        cases(x, y) for x in (LINE, numpy.array([0, 0, 2]), LINE * 0) for y in (LINE, INTS[0], [1])
    ],
    "polyder": [cases(x, m) for x in (LINE, INTS[0], [1, 2]) for m in (0, 1, 2, 9, -1)],
    "vander": [cases(x, n) for x in (LINE, INTS[0], SINGLE[0], BITS[0]) for n in (None, 0, 1, 2, 5)]
    + [cases(LINE, 3, True), cases(FLAT), cases(LINE, -1)],
    "hanning": each(0, 1, 2, 9, 12.5),
    "hamming": each(0, 1, 2, 9, 12.5),
    "blackman": each(0, 1, 2, 9, 12.5),
    "bartlett": each(0, 1, 2, 9, 12.5),
    "sinc": each(FLAT, INTS, SINGLE, numpy.zeros(2)),
    "isposinf": each(ODD, INTS, WAVE),
    "isneginf": each(ODD, INTS, WAVE),
    "isreal": each(*INPUTS),
    "isrealobj": each(*INPUTS, 1j),
    "iscomplexobj": each(*INPUTS, 1j),
    "isclose": [cases(FLAT, y) for y in (FLAT, FLAT + 1e-9, INTS, 1, 2.0, [1, 2, 3, 4])]
    + [
        cases(ODD, ODD, equal_nan=True),
        cases(ODD, ODD),
        cases(1, LINE),
        cases(INTS, INTS),
        cases(SINGLE, 1.0),
    ],
    "allclose": [cases(FLAT, y) for y in (FLAT, FLAT + 1e-9, INTS, 1)]
    + [cases(ODD, ODD, equal_nan=True)],
    "array_equal": [cases(FLAT, y) for y in (FLAT, FLAT + 1, LINE, "text")]
    + [cases(HOLES, HOLES, equal_nan=e) for e in (False, True)],
    "array_equiv": [cases(LINE, LINE[None]), cases(LINE, FLAT), cases(FLAT, 1)],
    "diff": [cases(x, n, a) for x in INPUTS for n in (0, 1, 2, -1) for a in (0, -1, 5)]
    + [cases(LINE, prepend=0.0, append=LINE), cases(FLAT, 1, 0, prepend=FLAT), cases(3.0)],
    "gradient": [cases(x) for x in (LINE, FLAT, CUBE, INTS, SINGLE, WAVE, LINE[:1], BITS)]
    + [
        cases(LINE, 0.5, edge_order=2),
        cases(FLAT, 1.0, 2.0),
        cases(FLAT, axis=1),
        cases(LINE, numpy.arange(7) ** 2.0),
    ]
    + [cases(FLAT, 1.0, 2.0, 3.0)],
    "trapezoid": [
        cases(LINE),
        cases(FLAT, axis=0),
        cases(LINE, numpy.arange(7.0)),
        cases(FLAT, dx=2.0),
        cases(FLAT, FLAT),
    ],
    "outer": [cases(LINE, LINE), cases(FLAT, 2.0), cases(INTS, WAVE), cases([1], [2])],
    "inner": [
        cases(LINE, LINE),
        cases(FLAT, FLAT),
        cases(CUBE, FLAT),
        cases(FLAT, 2.0),
        cases(FLAT, LINE),
    ],
    "vdot": [cases(LINE, LINE), cases(WAVE, WAVE), cases(FLAT, INTS), cases(FLAT, LINE)],
    "dot": [cases(LINE, LINE), cases(FLAT, FLAT.T), cases(FLAT, LINE)],
    "frexp": [cases(FLAT), cases(FLAT.T), cases(INTS), cases(BITS), cases(SINGLE), cases(ODD)],
    "ldexp": [cases(FLAT, 3), cases(FLAT.T, -2), cases(INTS, INTS), cases(SINGLE, 5)],
    "modf": [cases(FLAT), cases(FLAT.T), cases(WAVE), cases(WAVE[::-2])],
    "divmod": [cases(FLAT, 0.3), cases(INTS, INTS), cases(FLAT, FLAT.T[0, 0]), cases(LINE, WAVE)],
    "matmul": [cases(FLAT, FLAT.T), cases(CUBE, SQUARE), cases(FLAT, LINE)],
    "tensordot": [
        cases(CUBE, CUBE, a) for a in (0, 1, 2, 3, ([1, 2], [1, 2]), (0, 0), ([0, 0], [0, 0]))
    ],
    "cross": [
        cases(TRIPLE, TRIPLE[::-1]),
        cases(TRIPLE, TRIPLE[0]),
        cases(LINE, LINE),
        cases(INTS[:, :3], TRIPLE[:3]),
    ],
    "trace": [cases(SQUARE), cases(INTS), cases(CUBE, 1, 1, 2), cases(LINE), cases(BITS)],
    "diagonal": [cases(SQUARE), cases(CUBE, 1, 1, 2), cases(LINE)],
    "diag": [cases(x, k) for x in (LINE, FLAT, CUBE, LINE[:0]) for k in range(-3, 4)],
    "diagflat": [cases(x, k) for x in (LINE, FLAT) for k in (-1, 0, 2)],
    "tril": [cases(x, k) for x in (LINE, FLAT, CUBE, INTS, BITS) for k in (-1, 0, 2)],
    "triu": [cases(x, k) for x in (LINE, FLAT, CUBE, INTS, WAVE) for k in (-1, 0, 2)],
    "tri": [cases(3), cases(3, 5, 1), cases(3, 2, -1, int), cases(0)],
    "linspace": [
        cases(a, b, n, e, dtype=d)
        for a, b in ((0, 1), (2.5, -1), (3, 3), (0.0, 5e-324))
        for n in (0, 1, 2, 7, 50)
        for e in (True, False)
        for d in (None, "f4", int)
    ]
    + [
        cases(0, 1, -1),
        cases(LINE, FLAT[0, 0]),
        cases(0, 1, 5, retstep=True),
        cases(0, 1, 1, retstep=True),
        cases(0, 1j, 3),
    ]
    + [cases(0, 1, 2.5), cases(numpy.float32(0), 1, 3)],
    "logspace": [
        cases(0, 2),
        cases(0, 2, 5, False, 2.0),
        cases(0, 2, 5, dtype="f4"),
        cases([0, 1], 2, 3),
    ],
    "eye": [cases(n, m, k) for n in (0, 3, 5) for m in (None, 2, 6) for k in (-6, -2, 0, 1, 7)]
    + [cases(3, dtype="i4"), cases(3, order="F"), cases(2, dtype=object), cases(2.5)],
    "identity": [cases(3), cases(2, int)],
    "indices": [cases((2, 3)), cases((2, 3), sparse=True), cases((4,), "f4"), cases(())],
    "meshgrid": [
        cases(*xs, sparse=s, indexing=i, copy=c)
        for xs in ((LINE,), (LINE, FLAT[0]), (LINE, FLAT[0], INTS[0]), (LINE, [1, 2]))
        for s in (False, True)
        for i in ("xy", "ij", "no")
        for c in (True, False)
    ]
    + [cases()],
    "result_type": [cases(FLAT, INTS), cases(SINGLE, 1.0), cases("f4", INTS)],
    "can_cast": [cases("i8", "f4"), cases(numpy.dtype("f4"), "f8")],
    "common_type": [cases(FLAT, SINGLE), cases(INTS)],
    "take": [
        cases(FLAT, [0, 1]),
        cases(FLAT, INTS % 3, 0),
        cases(FLAT, 99),
        cases(FLAT, 99, None, None, "clip"),
    ],
    "put": [cases(FLAT.copy(), [0, 0], 1), cases(INTS.copy(), [99], 1), cases([1], 0, 1)],
    "place": [cases(FLAT.copy(), FLAT > 0, [2]), cases(INTS.copy(), INTS > 0, [1, 2])],
    "compress": [cases(BITS.ravel()[:2], FLAT, 0), cases([1, 0], [3, 4])],
    "choose": [cases(INTS * 0, [1, 2]), cases(INTS, [1]), cases([0, 1], ([1, 2], [3, 4]))],
    "take_along_axis": [cases(FLAT, numpy.argsort(FLAT, 0), 0), cases(FLAT, [[0]], 5)],
    "put_along_axis": [cases(FLAT.copy(), numpy.argsort(FLAT, 0), 1, 0)],
    "nonzero": each(BITS, INTS, [1, 0]),
    "flatnonzero": each(BITS, INTS, [1, 0]),
    "astype": [cases(FLAT, "f4"), cases(INTS, float, copy=False)],
    "may_share_memory": [cases(FLAT, FLAT)],
    "from_dlpack": [cases(FLAT), cases(INTS)],
    "shares_memory": [cases(FLAT, FLAT)],
}
NORMS = (
    [cases(x) for x in (LINE, FLAT, CUBE, INTS, WAVE, SINGLE)]
    + [cases(LINE, o) for o in (0, 1, 2, 3, -1, numpy.inf, -numpy.inf, "fro", None)]
    + [cases(FLAT, o) for o in ("fro", "nuc", 1, 2, numpy.inf)]
    + [cases(CUBE, o, a) for o in (None, 1, 2, numpy.inf) for a in (0, -1, (0, 1), 7)]
    + [
        cases(FLAT, None, 1, True),
        cases(FLAT, keepdims=True),
        cases(FLAT, 1, 0, True),
        cases(EMPTY),
        cases([3, 4]),
    ]
)

CREATED_BY_EXTENSION = {
    "array",
    "asarray",
    "asanyarray",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "empty",
    "zeros",
    "ones",
    "full",
    "empty_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "arange",
    "copyto",
}


def ours(value: Any) -> Any:
    if isinstance(value, numpy.ndarray) and type(value) is numpy.ndarray:
        return fastnp.asarray(value)
    if type(value) in (list, tuple):
        return type(value)(ours(item) for item in value)
    return value


def outcome(func: Any, args: Any, kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return func(*args, **kwargs)
        except Exception as error:
            return error


def same(got: Any, want: Any) -> None:
    if isinstance(want, Exception):
        assert type(got) is type(want), got
        assert str(got) == str(want)
        return
    if isinstance(got, Exception):
        raise got
    if type(want) is numpy.ndarray:
        assert type(got) is (fastnp.ndarray if want.dtype != object else numpy.ndarray)
        assert got.shape == want.shape
        assert got.dtype == want.dtype
        if want.dtype == object:
            numpy.testing.assert_array_equal(got, want)
            return
        numpy.testing.assert_allclose(
            numpy.asarray(got), want, rtol=1e-6 if want.dtype.char in "fF" else 1e-13
        )
    elif isinstance(want, (tuple, list)):
        assert type(got) is type(want)
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            same(one, other)
    else:
        assert type(got) is type(want)
        numpy.testing.assert_equal(got, want) if not isinstance(want, numpy.inexact) else (
            numpy.testing.assert_allclose(
                got, want, rtol=1e-6 if want.dtype.char in "fF" else 1e-13
            )
        )


ALL = [(name, args, kwargs) for name, rows in TABLE.items() for args, kwargs in rows]
ALL += [("linalg.norm", args, kwargs) for args, kwargs in NORMS]
LINALG: dict[str, list[Any]] = {
    "linalg.matmul": [cases(FLAT, SQUARE), cases(FLAT, FLAT), cases(INTS, SQUARE)],
    "linalg.matrix_transpose": each(FLAT, CUBE, LINE),
    "linalg.outer": [cases(LINE, LINE), cases(FLAT, LINE)],
    "linalg.cross": [cases(TRIPLE, TRIPLE[::-1]), cases(FLAT, FLAT), cases(TRIPLE, TRIPLE, axis=0)],
    "linalg.diagonal": each(FLAT, CUBE, LINE) + each(CUBE, offset=1),
    "linalg.trace": each(FLAT, CUBE, LINE, INTS)
    + [cases(CUBE, offset=-1), cases(INTS, dtype="f4")],
    "linalg.matrix_norm": each(FLAT, CUBE, LINE, INTS)
    + [cases(FLAT, ord=1), cases(CUBE, keepdims=True), cases(FLAT, ord="nuc")],
    "linalg.vector_norm": each(FLAT, CUBE, LINE, INTS, WAVE)
    + [cases(FLAT, axis=0), cases(FLAT, axis=(0, 1)), cases(CUBE, axis=1, keepdims=True)]
    + [cases(FLAT, ord=o, axis=a) for o in (0, 1, 3, numpy.inf, -numpy.inf) for a in (None, 0)]
    + [cases(FLAT, keepdims=True), cases(EMPTY), cases(FLAT, axis=5)],
    "linalg.matrix_power": [cases(SQUARE, n) for n in (-1, 0, 1, 2, 3, 7)]
    + [cases(FLAT, 2), cases(SQUARE, 1.5), cases(CUBE[:, :, :3], 2)],
}
ALL += [(name, args, kwargs) for name, rows in LINALG.items() for args, kwargs in rows]
# The transforms have a file of their own, `tests/array/test_fourier.py`.
FOURIER: dict[str, list[Any]] = {
    "fft.fftshift": over((None, 0, -1, (0,), 5, "x"), LINE, FLAT, CUBE, EMPTY, [1, 2, 3])
    + [cases(CUBE, (0, 2)), cases(CUBE, [1, 1]), cases(FLAT, 1.5)],
    "fft.ifftshift": over((None, 0, -1, (0,), 5), LINE, FLAT, CUBE, EMPTY)
    + [cases(CUBE, (0, 2)), cases(CUBE, [1, 1])],
    "fft.fftfreq": [cases(n, d) for n in (1, 2, 7, 8, 0, -3, 2.5) for d in (1.0, 0.1, 3, 0)]
    + [cases(8, d=numpy.float32(0.1)), cases(numpy.int64(9))],
    "fft.rfftfreq": [cases(n, d) for n in (1, 2, 7, 8, 0, -3, 2.5) for d in (1.0, 0.1, 3, 0)],
}
TRANSFORMS = {*ONE_AXIS, *SEVERAL_AXES}
ALL += [(name, args, kwargs) for name, rows in FOURIER.items() for args, kwargs in rows]
ALL += [
    (f"ndarray.{name}", args, kwargs)
    for name, rows in {
        "round": [cases(x, d) for x in (*INPUTS, 100 * FLAT, ODD) for d in (0, 2, -1)],
        "diagonal": [cases(x, k) for x in (SQUARE, FLAT, FLAT.T, FORTRAN, CUBE) for k in (-2, 0, 1)]
        + [cases(FLAT, 9), cases(LINE), cases(CUBE, 0, 1, 2), cases(EMPTY)],
    }.items()
    for args, kwargs in rows
]


def find(module: Any, name: str) -> Any:
    for part in name.split("."):
        module = getattr(module, part)
    return module


# With the setting `tiny` at zero no call runs in NumPy because its arrays have few elements.
@pytest.mark.parametrize("tiny", [1024, 0])
@pytest.mark.parametrize(("name", "args", "kwargs"), ALL, ids=[case[0] for case in ALL])
def test_as_numpy(name: str, args: Any, kwargs: Any, tiny: int) -> None:
    want = outcome(find(numpy, name), args, kwargs)
    with fastnp.settings(tiny=tiny):
        named = {key: ours(value) for key, value in kwargs.items()}
        same(outcome(find(fastnp, name), [ours(value) for value in args], named), want)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in TABLE
        if name not in ("where", "dot", "matmul", "divmod", "modf", "frexp", "ldexp")
    ],
)
def test_signature_is_numpys(name: str) -> None:
    if not hasattr(find(fastnp, name), "__wrapped__"):
        pytest.skip("declared by the extension")
    try:
        want = inspect.signature(find(numpy, name))
    except ValueError:
        pytest.skip("NumPy tells no signature")
    got = inspect.signature(find(fastnp, name))
    if name in ("concatenate", "may_share_memory", "shares_memory"):
        pytest.skip("declared by the extension")
    assert [(p.name, p.kind, p.default) for p in got.parameters.values()] == [
        (p.name, p.kind, p.default) for p in want.parameters.values()
    ]


def is_a_librarys(ours: Any) -> bool:
    """Whether a device's library computes a function, which `on_libraries` compares."""
    return hasattr(ours, "on_device")


def test_topics_name_what_their_files_register(monkeypatch: pytest.MonkeyPatch) -> None:
    registered: dict[Any, str] = {}

    class Recorded(dict[Any, Any]):
        def __setitem__(self, original: Any, ours: Any) -> None:
            assert registered.setdefault(original, topic) == topic, f"{original} is in two files"
            super().__setitem__(original, ours)

    monkeypatch.setattr(registry, "NATIVE", Recorded(NATIVE))
    for topic in TOPICS:
        path = Path(_functions.__file__).with_name(f"{topic}.py")
        runpy.run_path(str(path), run_name=f"again.{topic}")
    assert registered == {f: file.rpartition(".")[2] for f, file in registry._ON_DEMAND.items()}


def test_every_native_function_is_in_the_table() -> None:
    for topic in TOPICS:
        importlib.import_module(f"fastnp._functions.{topic}")
    names = {
        value.__name__
        for value, ours in NATIVE.items()
        if not isinstance(value, type) and not is_a_librarys(ours)
    }
    linalg = {name.removeprefix("linalg.") for name in LINALG} | {"norm"}
    fourier = {name.removeprefix("fft.") for name in FOURIER} | TRANSFORMS
    others = CREATED_BY_EXTENSION | linalg | fourier | {"default_rng", "seterr"}
    assert names - others <= set(TABLE)


def test_written_in_place() -> None:
    for dtype in ("f4", "f8"):
        for shape in ((4, 4), (3, 5), (5, 3)):
            x, y = numpy.ones(shape, dtype), fastnp.ones(shape, dtype)
            for np, a in ((numpy, x), (fastnp, y)):
                np.fill_diagonal(a, 3)
                np.putmask(a, a > 2, 0.5)
                np.putmask(a, a < 1, a * 4)
                np.fill_diagonal(a.T, 7.0)
            same(y, x)
    diagonal = fastnp.ones((3, 3)).diagonal()
    assert not diagonal.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        diagonal[0] = 1.0


@both
def test_placed(np: Any) -> Any:
    found: list[Any] = []
    for shape in ((7,), (40, 50), (0, 3)):
        size = math.prod(shape)
        whole = np.arange(1.0 * size).reshape(shape)
        whole = whole.copy()
        mask = whole % 3 > 0
        count = int(np.count_nonzero(mask))
        for values in (
            np.arange(1.0, count + 1),
            np.arange(1.0, count + 9).reshape(1, -1),
            np.arange(1.0, count // 2 + 2),
            np.extract(mask, whole * 2),
            np.arange(count + 1),
            whole,
            [1.0, 2.0],
            [],
        ):
            into = whole.copy()
            into = values if values is whole else into
            try:
                np.place(into, mask, values)
            except (TypeError, ValueError) as error:
                found.append((type(error).__name__, str(error)))
            found.append(into.copy())
        into.flags.writeable = False
        with pytest.raises(ValueError) as caught:
            np.place(into, mask, np.arange(1.0, count + 1))
        found.append(str(caught.value))
    return found


@pytest.mark.parametrize(
    "name", ["sum", "prod", "min", "max", "any", "all", "cumsum", "mean", "std", "round", "clip"]
)
def test_out_is_returned(name: str) -> None:
    x = ours(FLAT)
    args = (-1, 1) if name == "clip" else () if name == "round" else (0,)
    want = getattr(numpy, name)(FLAT, *args)
    out = fastnp.empty(want.shape, want.dtype)
    assert getattr(fastnp, name)(x, *args, out=out) is out
    same(out, want)


@pytest.mark.parametrize(
    "name", ["flip", "fliplr", "flipud", "rot90", "squeeze", "expand_dims", "atleast_3d", "split"]
)
def test_views_share_memory(name: str) -> None:
    x = ours(FLAT.copy())
    args = {"expand_dims": (0,), "split": (3,)}.get(name, ())
    view = getattr(fastnp, name)(x, *args)
    view = view[0] if isinstance(view, list) else view
    assert fastnp.shares_memory(view, x)
    view[...] = 5.0
    assert (x == 5.0).any()
