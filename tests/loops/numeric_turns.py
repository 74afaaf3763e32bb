"""Loops of the random programs of `numeric` whose turns store elements of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.loops.numeric_arrays import Writer

# The variable of the loop.
TURN = "jj"

# Arrays of one axis, and of two; some are views of others.
VECTORS = ("x", "y", "x", "y", "A[3]", "f")
MATRICES = ("A", "B", "A", "B", "t", "C", "D")


def index(w: Writer) -> str:
    """An index that is the same in all turns, mostly."""
    return w.pick(w.index(), w.index(), "1", "-2", TURN, away(w))


def away(w: Writer) -> str:
    """The turn, or some turns away."""
    by = w.pick("1", "1", "2", "3", w.index())
    return w.pick(TURN, TURN, f"{TURN} - {by}", f"{TURN} + {by}", f"{by} + {TURN}")


def slice_(w: Writer) -> str:
    i = w.index()
    return w.pick(f":{i}", f":{i}", ":", f"{i}:", f"1:{i}", "::2")


def element(w: Writer) -> str:
    """An element, of each turn or of all."""
    matrix = w.pick(*MATRICES)
    return w.pick(
        f"{w.pick('x', 'y', 'x', 'y', 'f', 'u')}[{w.pick(TURN, away(w), index(w))}]",
        f"{matrix}[{index(w)}, {away(w)}]",
        f"{matrix}[{index(w)}, {TURN}]",
        f"{matrix}[{TURN}, {index(w)}]",
    )


def part(w: Writer) -> str:
    """A part of an array, mostly of each turn."""
    matrix, one = w.pick(*MATRICES), w.pick(TURN, TURN, TURN, w.index())
    return w.pick(
        f"{matrix}[{slice_(w)}, {one}]",
        f"{matrix}[{slice_(w)}, {one}]",
        f"{matrix}[{one}, {slice_(w)}]",
        f"{w.pick('x', 'y', 'A[2]', 'B[:, 3]')}[{slice_(w)}]",
        w.pick("x", "y", "s"),
    )


def vector(w: Writer) -> str:
    """A vector, of each turn or of all."""
    matrix = w.pick(*MATRICES)
    return w.pick(
        f"{matrix}[{slice_(w)}, {w.pick(TURN, TURN, index(w))}]",
        f"{matrix}[{w.pick(TURN, index(w))}, {slice_(w)}]",
        f"{w.pick('x', 'y')}[{slice_(w)}]",
        f"{w.pick('x', 'y')}[{slice_(w)}]",
        f"{w.pick('x', 'y', f'B[{TURN}]')}",
    )


def value(w: Writer, depth: int) -> str:
    if depth == 0:
        product = f"{vector(w)} @ {vector(w)}"
        return w.pick(
            element(w), element(w), w.pick("0.5", "2", "a", "-0.25", w.index()), f"({product})",
            w.pick(f"np.dot({vector(w)}, {vector(w)})", "(x @ y)", f"({product})", part(w)),
        )  # fmt: skip
    left, right = value(w, depth - 1), value(w, 0)
    return w.pick(
        left, f"({left} {w.pick('+', '-', '*', '+', '-', '*', '/')} {right})", f"-{right}"
    )


def write(w: Writer, depth: int) -> None:
    """A loop whose turns store elements."""
    i = w.index()
    turns = w.pick(
        "n",
        "n",
        "7",
        f"{i}, n",
        f"1, {i}",
        "1, n",
        "1, n - 1",
        "2, n - 3",
        "n - 1, -1, -1",
        "0, n, 2",
        "-3, 4",
    )
    w.line(depth, f"for {TURN} in range({turns}):")
    for _ in w.pick("1", "1", "12", "123"):
        target = w.pick(element(w), element(w), part(w), part(w))
        operator = w.pick("=", "+=", "-=", "*=") if "[" in target else w.pick("+=", "-=")
        w.line(depth + 1, f"{target} {operator} {value(w, len(w.pick('', 'x', 'x', 'xx')))}")
