"""Compiled programs on Python's values: exact checks, words in and out, interrupts, threads."""

from __future__ import annotations

import math
import signal
import threading
import time
from typing import Any

import fastnp
import numpy
import pytest
from fastnp import _fastnp

SCALARS = {
    "?": numpy.True_,
    "b": numpy.int8(-3),
    "h": numpy.int16(-300),
    "i": numpy.int32(-70000),
    "l": numpy.int64(-(2**40)),
    "B": numpy.uint8(200),
    "H": numpy.uint16(60000),
    "I": numpy.uint32(4_000_000_000),
    "L": numpy.uint64(2**64 - 1),
}


def copier(words: int, results: str | None = None) -> tuple[str, dict[int, str] | None]:
    """A program that copies its first words to the words after them."""
    lines = [f"function copy frame {2 * words}", "reg r: i64", "block entry:"]
    for word in range(words):
        lines += [f"r = get {word}", f"put {word + words}, r"]
    return "\n".join([*lines, "return 3"]), None if results is None else {3: results}


def copied(spec: str, value: Any, words: int = 1, results: str | None = None) -> list[Any] | None:
    """The words, or objects, that a value of a parameter becomes; None for a mismatch."""
    text, by_code = copier(words, results)
    ran = _fastnp.LoopProgram(text, spec, by_code).run((value,))
    if ran is None:
        return None
    assert ran[0] == 3
    return ran[1]


def test_pythons_numbers() -> None:
    """Exact classes go in and come out; nothing else does."""
    for value in (0, 1, -5, 2**63 - 1, -(2**63)):
        assert copied("i", value, 1, "i") == [value]
    other: Any
    for other in (2**63, -(2**63) - 1, 10**30, True, 1.0, numpy.int64(1), None):
        assert copied("i", other) is None
    for number in (0.0, -0.0, 1.5, math.inf, -math.inf):
        assert [str(x) for x in copied("f", number, 1, "f") or []] == [str(number)]
    assert math.isnan((copied("f", math.nan, 1, "f") or [0.0])[0])
    for other in (1, numpy.float64(1.0), "1", numpy.ones(())):
        assert copied("f", other) is None
    assert copied("b", True, 1, "b") == [True]
    assert copied("b", False, 1, "b") == [False]
    assert copied("b", 1) is None
    assert copied("b", numpy.True_) is None
    assert copied("r", range(3, 50, 7), 3) == [3, 50, 7]
    assert copied("r", range(2**63), 3) is None
    assert copied("r", [1, 2], 3) is None


def test_numpys_scalars() -> None:
    """A scalar's class is compared exactly, and a result has that class again."""
    for char, value in SCALARS.items():
        result = copied(f"w:{char}", value, 1, f"w{char}")
        assert result == [value]
        assert result is not None and type(result[0]) is type(value)
        signed = int(value) - 2**64 if int(value) >= 2**63 else int(value)
        assert copied(f"w:{char}", value) == [signed]
        assert [c for c in SCALARS if copied(f"w:{c}", value) is not None] == [char]
    for spec, number in (("d", numpy.float64(0.1)), ("s", numpy.float32(0.1))):
        result = copied(spec, number, 1, spec)
        assert result == [number]
        assert result is not None and type(result[0]) is type(number)
    assert copied("d", 0.1) is None
    assert copied("d", numpy.float32(0.1)) is None
    assert copied("l", numpy.int64(-7), 1, "l") == [-7]


@pytest.mark.parametrize("np", [numpy, fastnp])
@pytest.mark.parametrize("char", list("?bhilqBHILfdFD"))
def test_arrays(np: Any, char: str) -> None:
    """Address, extents and strides; type, rank, density and writeability are checked."""
    a = np.ones((3, 4), dtype=char)
    size = a.dtype.itemsize
    words = copied(f"A{char}2cw", a, 5)
    assert words is not None and words[1:] == [3, 4, 4 * size, size]
    assert words[0] == a.__array_interface__["data"][0]
    assert copied(f"A{char}2sr", a[::-1, 1::2], 5) is not None
    assert (copied(f"A{char}2sr", a[::-1, 1::2], 5) or [])[1:] == [3, 2, -4 * size, 2 * size]
    assert copied(f"A{char}2cr", a[:, ::2], 5) is None
    assert copied(f"A{char}2cr", a.T, 5) is None
    assert copied(f"A{char}2cr", a[:, :1], 5) is not None
    assert copied(f"A{char}2cw", np.ones((0, 4), dtype=char), 5) is not None
    assert copied(f"A{char}1cw", a, 3) is None
    assert copied(f"A{'d' if char != 'd' else 'f'}2cw", a, 5) is None
    assert (copied(f"A{char}0cw", np.array(1, dtype=char), 1) or [0])[0] != 0
    assert copied(f"A{char}2cw01", a, 5) == words
    assert copied(f"A{char}2cw10", a, 5) is None
    assert copied(f"A{char}2sw10", a.T, 5) is not None
    assert copied(f"A{char}2sw01", a[::-2, ::-1], 5) is not None
    assert copied(f"A{char}2sw10", a[:1], 5) is not None
    assert copied(f"A{char}2sr01", numpy.broadcast_to(numpy.ones(4, char), (3, 4)), 5) is None
    a.flags.writeable = False
    assert copied(f"A{char}2cw", a, 5) is None
    assert copied(f"A{char}2cr", a, 5) is not None


def test_other_arrays() -> None:
    """Subclasses, other byte orders, unaligned memory and what is no array do not fit."""

    class Derived(numpy.ndarray[Any, Any]):
        pass

    plain = numpy.ones(4)
    assert copied("Ad1sr", plain, 3) is not None
    assert copied("Ad1sr", plain.view(Derived), 3) is None
    assert copied("Ad1sr", numpy.ones(4, dtype=">f8"), 3) is None
    assert copied("Ad1sr", numpy.zeros(33, "b")[1:].view("d"), 3) is None
    assert copied("Ad1sr", [1.0], 3) is None
    assert copied("Ad0sr", 1.0, 1) is None


ADD_ONE = """
function add_one frame 4
reg p: i64
reg n: i64
reg stride: i64
reg i: i64
reg one: i64
reg x: f64
reg unit: f64
reg more: i8
block entry:
  p = get 0
  n = get 1
  stride = get 2
  one = iconst 1
  unit = fconst 0x3ff0000000000000
  jump head
block head:
  more = icmp.lt i, n
  br more, body, done
block body:
  x = load.f64 p, 0
  x = fadd x, unit
  store.f64 p, 0, x
  p = add p, stride
  i = add i, one
  jump head
block done:
  put 3, i
  return 0
"""


@pytest.mark.parametrize("np", [numpy, fastnp])
def test_writes_are_seen(np: Any) -> None:
    """What was recorded before a run reads the old elements, what comes after it the new ones."""
    program = _fastnp.LoopProgram(ADD_ONE, "Ad1sw", {0: "i"})
    a = np.arange(6.0) * 2
    twice, reverse, shared = a * 2, a[::-1], a[2:]
    assert program.run((a,)) == (0, [6])
    assert a.tolist() == [1, 3, 5, 7, 9, 11]
    assert twice.tolist() == [0, 4, 8, 12, 16, 20]
    assert reverse.tolist() == [11, 9, 7, 5, 3, 1]
    assert program.run((shared,)) == (0, [4])
    assert program.run((a[::-2],)) == (0, [3])
    assert a.tolist() == [1, 4, 6, 9, 10, 13]
    after = a + 1
    assert program.run((a,)) == (0, [6])
    assert after.tolist() == [2, 5, 7, 10, 11, 14]
    assert (a + 0).tolist() == [2, 5, 7, 10, 11, 14]


def test_numpys_view_of_ours() -> None:
    """A view that NumPy has of our memory is that memory, computed before the code reads it."""
    program = _fastnp.LoopProgram(ADD_ONE, "Ad1sw", {0: "i"})
    ours: Any = fastnp.arange(5.0)
    view = ours.to_numpy()
    ours *= 3
    assert program.run((view,)) == (0, [5])
    assert ours.tolist() == [1, 4, 7, 10, 13]


def test_results_by_code() -> None:
    """Each code has its list; words may be skipped, and without a list all are integers."""
    text = """
function many frame 6
reg code: i64
reg zero: i64
reg is: i8
reg x: i64
reg y: f64
block entry:
  code = get 0
  is = icmp.eq code, zero
  x = bits y
  put 1, x
  put 2, code
  put 3, is
  br is, first, second
block first:
  return 0
block second:
  return 1
"""
    program = _fastnp.LoopProgram(text, ("i",), {0: "di.i", 5: ""})
    assert program.run((0,)) == (0, [0.0, 0, 0])
    assert program.run((7,)) == (1, [0, 7, 0, 0, 0])
    assert program.code_bytes > 0
    clif, assembly = _fastnp.loop_listing(text)
    assert "brif" in clif and assembly


def test_mistakes() -> None:
    """A wrong text has a line; wrong parameters and results are named; values are counted."""
    with pytest.raises(ValueError, match=r"line 2: .*nothing"):
        _fastnp.LoopProgram("function f frame 0\nnothing at all", "")
    for parameters, results in (("x", None), ("w:d", None), ("Ax1cw", None), ("i", {0: "x"})):
        with pytest.raises(ValueError, match="no type of a compiled loop"):
            _fastnp.LoopProgram(copier(1)[0], parameters, results)
    with pytest.raises(ValueError, match="2 values for 1"):
        _fastnp.LoopProgram(copier(1)[0], "i").run((1, 2))


UNTIL = """
function until frame 2
reg p: i64
reg stop: i8
reg leave: i8
block entry:
  p = get 0
  jump head
block head:
  stop = load.b p, 0
  br stop, done, ask
block ask:
  leave = call poll()
  br leave, left, head
block done:
  return 0
block left:
  return 1
"""


def test_other_threads_run() -> None:
    """A program that asks lets another thread run, which ends it here."""
    flag = numpy.zeros(1, dtype=bool)
    program = _fastnp.LoopProgram(UNTIL, "A?1cr")
    timer = threading.Timer(0.05, lambda: flag.__setitem__(0, True))
    timer.start()
    ran = program.run((flag,))
    timer.join()
    assert ran is not None and ran[0] == 0


@pytest.mark.parametrize("handled", [False, True])
@pytest.mark.usefixtures("interruptible")
def test_interrupts_leave(handled: bool) -> None:
    """A pending SIGINT ends the program; its handler runs afterwards, in the interpreter."""
    program = _fastnp.LoopProgram(UNTIL, "A?1cr")
    seen: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if handled:
        signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    timer = threading.Timer(0.05, lambda: signal.raise_signal(signal.SIGINT))
    ran = None
    try:
        timer.start()
        if handled:
            ran = program.run((numpy.zeros(1, dtype=bool),))
            time.sleep(0.01)
            assert ran is not None and ran[0] == 1
            assert seen == [signal.SIGINT]
        else:
            with pytest.raises(KeyboardInterrupt):
                ran = program.run((numpy.zeros(1, dtype=bool),))
                time.sleep(1)
    finally:
        signal.signal(signal.SIGINT, before)
        timer.join()
