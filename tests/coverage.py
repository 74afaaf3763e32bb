"""Which of NumPy's functions and methods the engine runs: `python -m tests.coverage` writes the
table `docs/coverage.md`.

Every public function is called once with arrays of ours, and the counters say whether the engine or
NumPy ran it. For a function that runs in NumPy, views and in-place writes are checked too: they
must refer to the memory of the argument.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import fastnp
import numpy

PAGE = Path(__file__).resolve().parent.parent / "docs" / "coverage.md"

LINE, MATRIX = "np.arange(1.0, 5.0)", "(np.eye(4) * 3 + np.arange(16.0).reshape(4, 4) / 9)"
# Arguments to try, in this order, until NumPy takes them.
PATTERNS = [
    f"{LINE}",
    f"{MATRIX}",
    f"{LINE}, {LINE}",
    f"{MATRIX}, {LINE}",
    f"{MATRIX}, 1",
    f"{LINE}, [1]",
    f"[{LINE}, {LINE}]",
    f"{MATRIX}, 0, 1",
    f"{MATRIX}, (0, 1)",
    f"{LINE}, {LINE}, {LINE}",
    "np.arange(4)",
    "np.arange(4), np.arange(4)",
    "np.arange(4) > 1",
    "4",
    "4, 4",
    "1.0, 9.0",
    "4, 1.0",
]
# Where those would not show what a function is for.
SPECIAL = {
    "apply_along_axis": f"np.sum, 0, {MATRIX}",
    "apply_over_axes": f"np.sum, {MATRIX}, 0",
    "array_split": f"{LINE}, 2",
    "bincount": "np.arange(4)",
    "block": f"[[{MATRIX}, {MATRIX}]]",
    "broadcast_to": f"{LINE}, (3, 4)",
    # Fewer elements are NumPy's.
    "choose": "np.arange(5000) % 2, [np.arange(5000), np.arange(5000)]",
    "clip": f"{LINE}, 2.0, 3.0",
    "compress": f"np.array([True, False, True, True]), {LINE}",
    "concat": f"[{LINE}, {LINE}]",
    "concatenate": f"[{LINE}, {LINE}]",
    "copyto": f"{LINE}, {LINE}",
    "cross": "np.arange(3.0), np.arange(3.0)",
    "delete": f"{LINE}, 1",
    "digitize": f"{LINE}, {LINE}",
    "einsum": f"'ij,j->i', {MATRIX}, {LINE}",
    "einsum_path": f"'ij,j->i', {MATRIX}, {LINE}",
    "extract": f"np.array([True, False, True, True]), {LINE}",
    "fill_diagonal": f"{MATRIX}, 0.0",
    "from_dlpack": f"{LINE}",
    "frombuffer": "bytes(16)",
    "fromfunction": "lambda i, j: i + j, (3, 3)",
    "full": "(4,), 2.0",
    "full_like": f"{LINE}, 2.0",
    "histogram": f"{LINE}, 4",
    "histogram2d": f"{LINE}, {LINE}, 4",
    "histogramdd": f"{MATRIX}, 2",
    "insert": f"{LINE}, 1, 2.0",
    "isin": f"{LINE}, {LINE}",
    "ix_": "np.arange(3), np.arange(2)",
    "lexsort": f"[{LINE}, {LINE}]",
    "linspace": "0.0, 1.0, 8",
    "meshgrid": f"{LINE}, {LINE}",
    "nanpercentile": f"{LINE}, 50",
    "nanquantile": f"{LINE}, 0.5",
    "pad": f"{LINE}, 1",
    "partition": f"{LINE}, 1",
    "percentile": f"{LINE}, 50",
    "piecewise": f"{LINE}, [{LINE} > 1], [1.0, 2.0]",
    "place": f"{LINE}, np.array([True, False, True, True]), [0.0]",
    "polyfit": f"{LINE}, {LINE}, 1",
    "polyval": f"{LINE}, {LINE}",
    "put": f"{LINE}, [1], [0.0]",
    "put_along_axis": f"{LINE}, np.array([1]), 0.0, 0",
    "putmask": f"{LINE}, np.array([True, False, True, True]), 0.0",
    "quantile": f"{LINE}, 0.5",
    "ravel_multi_index": "(np.arange(3), np.arange(3)), (4, 4)",
    "reshape": f"{MATRIX}, (2, 8)",
    "resize": f"{LINE}, (6,)",
    "roll": f"{LINE}, 1",
    "select": f"[{LINE} > 2, {LINE} > 1], [{LINE}, 2 * {LINE}]",
    "split": f"{LINE}, 2",
    "take_along_axis": f"{LINE}, np.array([1, 0]), 0",
    "tensordot": f"{MATRIX}, {MATRIX}, 1",
    "tile": f"{LINE}, 2",
    "trapezoid": f"{LINE}",
    "unravel_index": "np.arange(4), (2, 2)",
    "where": f"{LINE} > 2, {LINE}, 0.0",
    "linalg.lstsq": f"{MATRIX}, {LINE}, None",
    "linalg.matrix_power": f"{MATRIX}, 3",
    "linalg.multi_dot": f"[{MATRIX}, {MATRIX}, {LINE}]",
    "linalg.cross": "np.arange(3.0), np.arange(3.0)",
    "linalg.solve": f"{MATRIX}, {LINE}",
    "linalg.tensorsolve": f"{MATRIX}, {LINE}",
    "linalg.tensorinv": f"{MATRIX}, 1",
    "ndarray.astype": f"{LINE}, 'f4'",
    "ndarray.clip": f"{LINE}, 2.0, 3.0",
    "ndarray.choose": f"np.array([0, 1, 0, 1]), [{LINE}, {LINE}]",
    "ndarray.compress": f"{LINE}, [True, False, True, True]",
    "ndarray.getfield": f"{LINE}, 'f8'",
    "ndarray.put": f"{LINE}, [1], [0.0]",
    "ndarray.reshape": f"{MATRIX}, (2, 8)",
    "ndarray.setfield": f"{LINE}, 1.0, 'f8'",
    "ndarray.take": f"{LINE}, [1, 0]",
}
# What makes no sense of arrays: text, files, types, settings, output.
LEFT_OUT = frozenset(
    """
    add_docstring add_newdoc array2string array_repr array_str asmatrix base_repr binary_repr bmat
    broadcast_shapes busday_count busday_offset busdaycalendar can_cast common_type
    datetime_as_string datetime_data disp errstate eye format_float_positional
    format_float_scientific fromfile fromiter frompyfunc fromregex fromstring genfromtxt
    get_include get_printoptions getbufsize geterr geterrcall identity info is_busday isdtype
    isfortran isscalar issubdtype iterable load loadtxt min_scalar_type mintypecode nested_iters
    ones empty zeros tri printoptions promote_types result_type save savetxt savez savez_compressed
    set_printoptions setbufsize seterr seterrcall show_config show_runtime test typename vectorize
    ndarray.dump ndarray.dumps ndarray.tofile ndarray.to_device ndarray.setflags ndarray.resize
    """.split()
)


class Row(NamedTuple):
    """A function, who ran it, and what is known of its copies."""

    name: str
    arguments: str
    native: bool
    shared: str


def names() -> Iterator[str]:
    """Every public function, dotted, and every method."""
    for prefix, module in (("", numpy), ("linalg.", numpy.linalg), ("fft.", numpy.fft)):
        for name in sorted(module.__all__):
            value = getattr(module, name)
            if (
                callable(value)
                and not isinstance(value, type)
                and not isinstance(value, numpy.ufunc)
            ):
                yield prefix + name
    for name in sorted(dir(numpy.ndarray)):
        if not name.startswith("_") and callable(getattr(numpy.ndarray, name)):
            yield "ndarray." + name


def found(module: Any, name: str) -> Callable[..., Any]:
    """What a dotted name stands for."""
    for part in name.split("."):
        module = getattr(module, part)
    function: Callable[..., Any] = module
    return function


def arguments(module: Any, text: str) -> tuple[Any, ...]:
    """Arguments written as text, made under a module."""
    made: tuple[Any, ...] = eval(f"({text},)", {"np": module})
    return made


def accepted(name: str) -> str | None:
    """The first arguments that NumPy's function takes."""
    for text in [SPECIAL[name]] if name in SPECIAL else PATTERNS:
        try:
            found(numpy, name)(*arguments(numpy, text))
        except Exception:
            continue
        return text
    return None


def row(name: str) -> Row | None:
    """A function's line; none where there is nothing to call it with."""
    text = accepted(name)
    if text is None:
        return None
    found(fastnp, name)(*arguments(fastnp, text))  # what is made on first use
    given = arguments(fastnp, text)
    fastnp.flush()
    fastnp.reset_stats()
    result = found(fastnp, name)(*given)
    native = fastnp.stats()["fallbacks"] == 0
    return Row(name, text, native, sharing(name, text, given, result))


def sharing(name: str, text: str, given: tuple[Any, ...], result: Any) -> str:
    """Whether views and in-place writes, if there are any, are as in NumPy."""
    theirs = arguments(numpy, text)
    wanted = found(numpy, name)(*theirs)
    notes = []
    for ours, before in zip(given, theirs, strict=True):
        if isinstance(before, numpy.ndarray) and not numpy.array_equal(
            numpy.asarray(ours), before, equal_nan=before.dtype.kind == "f"
        ):
            raise AssertionError(f"{name}({text}) leaves another array behind than NumPy's")
    if isinstance(wanted, numpy.ndarray) and isinstance(theirs[0], numpy.ndarray):
        if numpy.shares_memory(wanted, theirs[0]):
            if not fastnp.shares_memory(result, given[0]):
                raise AssertionError(f"{name}({text}) is a view in NumPy")
            notes.append("view")
        elif "out" in parameters(name) and fills(numpy, name, text, wanted):
            if not fills(fastnp, name, text, result):
                raise AssertionError(f"{name}({text}, out=out) does not fill and return out")
            notes.append("`out=`")
    return ", ".join(notes)


def fills(module: Any, name: str, text: str, expected: Any) -> bool:
    """Whether a function fills and returns `out=`; some of NumPy's do not."""
    out = module.empty(expected.shape, expected.dtype)
    result = found(module, name)(*arguments(module, text), out=out)
    return result is out and numpy.array_equal(numpy.asarray(out), numpy.asarray(expected))


def parameters(name: str) -> frozenset[str]:
    """The names of a function's parameters."""
    try:
        return frozenset(inspect.signature(found(numpy, name)).parameters)
    except ValueError:
        return frozenset()


def rows() -> list[Row]:
    """The whole table."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        made = [row(name) for name in names() if name not in LEFT_OUT]
    return [line for line in made if line is not None]


def page(lines: list[Row]) -> str:
    """The table as Markdown."""
    native = [line for line in lines if line.native]
    text = [
        "# What runs natively",
        "",
        "Written by `python -m tests.coverage`, which calls each of NumPy's functions and methods",
        "once, with arrays of float64 or what it is for. Other arguments may run elsewhere;",
        "`fastnp.fallbacks()` tells of a program. All ufuncs of the op table are native besides.",
        "What runs in NumPy runs on the same memory: nothing is copied on the way there or back,",
        "results of native types are arrays of ours, and the run is counted. *view*: the result",
        "shares the operand's memory, as NumPy's does; *`out=`*: it is filled and returned.",
        "",
        f"{len(native)} of {len(lines)} run natively.",
        "",
        "| function | runs in | checked |",
        "|---|---|---|",
        *(f"| `{x.name}` | {'engine' if x.native else 'NumPy'} | {x.shared} |" for x in lines),
        "",
    ]
    return "\n".join(text)


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(rows()))
    print(PAGE.read_text().splitlines()[9])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
