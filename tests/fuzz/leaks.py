"""Whether evaluations leak: `python -m tests.fuzz.leaks --count 1000000`.

Each kind of operation, and each kind of error in the middle of one, is repeated. Afterwards the
process must not have more memory, the allocator no more blocks in use, Python no more objects, and
the engine no more live bytes than before. Prints what grew, by kind. Faults need a build with debug
assertions.
"""

from __future__ import annotations

import argparse
import copy
import ctypes
import gc
import pickle
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import fastnp as np
import numpy
from fastnp import _fastnp

from tests.fuzz.foreign import by_dlpack
from tests.fuzz.run import MODES
from tests.progress import with_progress

small: Any = np.arange(8.0)
large: Any = np.arange(3000.0)
grid: Any = np.arange(12.0).reshape(3, 4)
whole: Any = np.arange(8)
raw = numpy.arange(8.0)
ERRORS = (ValueError, TypeError, IndexError, MemoryError, RuntimeError, AttributeError)
# The first calls fill caches: of programs, of blocks, of Python's.
WARM = 300
# Bytes and objects (or references to one) that may be left of the repetitions of a kind.
MOST_BYTES, MOST_OBJECTS = 48 << 10, 300


class Refusing:
    """An operand whose conversion fails."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array")


def in_place(x: Any, n: int) -> None:
    """Several writes to a copy."""
    y = x * 2.0 + n
    y[0] = 1.0
    y[1:3] += x[1:3]
    y *= 0.5
    float(y[2])


def faulty(x: Any, n: int) -> None:
    """A flush in which memory, a thread, code or the user's patience comes to its end."""
    y = np.sqrt(x + n) * x
    z = y[1:] - y[:-1]
    _fastnp.arm_fault(1 + n % 9)
    try:
        z.sum()
        np.flush()
    except KeyboardInterrupt:
        pass
    finally:
        _fastnp.arm_fault(0)
    float(z[0])


def interrupted(np: Any, x: Any, n: int) -> None:
    """A function of the user's that is called by NumPy, and is interrupted."""

    def stop(*_: Any) -> Any:
        x * n
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        np.fromfunction(stop, (3,))
    with suppress(KeyboardInterrupt):
        np.apply_along_axis(stop, 0, x)


OPERATIONS: dict[str, Callable[[int], Any]] = {
    "elementwise": lambda n: float((small * 2.0 + n)[3]),
    "elementwise, large": lambda n: float((large * 2.0 + n)[7]),
    "fused": lambda n: float(np.sqrt(large * large + n).sum()),
    "in place": lambda n: in_place(small, n),
    "in place, large": lambda n: in_place(large, n),
    "comparison": lambda n: bool((small < n).any()),
    "integers": lambda n: int((whole // 3 % (n % 5 + 1))[2]),
    "cast": lambda n: (small + n).astype("i4").tolist(),
    "where": lambda n: np.where(small > n % 8, small, 0).tolist(),
    "sum along an axis": lambda n: (grid + n).sum(axis=n % 2).tolist(),
    "extremes": lambda n: (float(grid.max()), int((grid - n).argmin())),
    "scan": lambda n: np.cumsum(small + n).tolist(),
    "product of matrices": lambda n: ((grid + n) @ grid.T).tolist(),
    "view": lambda n: (grid + n).T.reshape(2, 6)[::-1, 1:].tolist(),
    "copy": lambda n: copy.deepcopy(grid[n % 3]).tolist(),
    "mask": lambda n: small[small > n % 8].tolist(),
    "mask, large": lambda n: float(large[large > n % 3000].sum()),
    "positions": lambda n: small[[n % 8, 0, -1]].tolist(),
    "write through positions": lambda n: np.zeros(8).__setitem__([n % 8, 1], n),
    "write through a mask": lambda n: np.zeros(8).__setitem__(small > n % 8, n),
    "concatenate": lambda n: np.concatenate([small, small + n]).tolist(),
    "sort": lambda n: np.sort(-(small + n)).tolist(),
    "out": lambda n: np.add(small, n, out=np.empty(8)).tolist(),
    "ufunc with where": lambda n: np.add(small, n, where=small > 3, out=np.zeros(8)).tolist(),
    "reduce": lambda n: np.add.reduce(grid + n, axis=1).tolist(),
    "at": lambda n: np.add.at(np.zeros(8), [n % 8, 0], 1.0),
    "function of NumPy": lambda n: np.interp(small + n, small, small).tolist(),
    "function of the user": lambda n: np.fromfunction(lambda i: i + n, (4,)).tolist(),
    "Fourier transform": lambda n: np.fft.rfft(small + n).tolist(),
    "linear system": lambda n: np.linalg.solve(np.eye(3) * (n + 1), np.ones(3)).tolist(),
    "operand of NumPy": lambda n: (small + (raw + n)).tolist(),
    "memory of NumPy": lambda n: (np.asarray(raw + n) * 2).tolist(),
    "array for NumPy": lambda n: numpy.asarray(small + n).tolist(),
    "DLPack": lambda n: np.from_dlpack(by_dlpack(small + n)).tolist(),
    "buffer": lambda n: memoryview(small + n).tolist(),
    "pickle": lambda n: pickle.loads(pickle.dumps(small + n)).tolist(),
    "text": lambda n: repr(small + n),
    "iteration": lambda n: [float(x) for x in small + n],
    "from a list": lambda n: np.array([[1.0, n], [2, 3]]).tolist(),
    "dropped while pending": lambda n: large * n,
}
FAILURES: dict[str, Callable[[int], Any]] = {
    "shapes": lambda n: (small + n) + np.ones(7),
    "shapes, large": lambda n: (large + n) * large[1:],
    "product of shapes": lambda n: grid @ (grid + n),
    "assignment of a shape": lambda n: (small + n).__setitem__(slice(3), large),
    "dtype": lambda n: (small + n) << 1,
    "operand": lambda n: (small + n) + "text",
    "operand that refuses": lambda n: (small + n) * Refusing(),
    "name of a dtype": lambda n: (small + n).astype("nothing"),
    "casting": lambda n: np.add(small, n, out=np.zeros(8, "i4")),
    "shape of out": lambda n: np.add(small, n, out=np.zeros(7)),
    "read-only out": lambda n: np.add(small, n, out=np.broadcast_to(small[0] + n, (8,))),
    "position": lambda n: (small + n)[[8 + n]],
    "element": lambda n: (small + n)[8 + n],
    "mask of a shape": lambda n: (small + n)[np.ones(7, bool)],
    "axis": lambda n: (grid + n).sum(axis=2),
    "reshape": lambda n: (grid + n).reshape(5, -1),
    "truth of an array": lambda n: bool(small + n),
    "attribute": lambda n: (small + n).nothing,
    "memory": lambda n: np.full(((1 << 48) + n,), 1.0),
    "memory of a result": lambda n: np.broadcast_to(small[:1], (1 << 48,)) * n,
    "singular matrix": lambda n: np.linalg.inv(np.zeros((3, 3)) * n),
    "list": lambda n: np.array([[1, 2], [n]]),
    "interrupt": lambda n: interrupted(np, small, n),
    "fault": lambda n: faulty(small, n),
    "fault, large": lambda n: faulty(large, n),
}
# Kinds that run functions of NumPy that leak, and the same on NumPy's arrays: `zeros(1)` of NumPy
# 2.3, which `apply_along_axis` calls, leaves a reference to its dtype.
OF_NUMPY: dict[str, Callable[[int], Any]] = {
    "interrupt": lambda n: interrupted(numpy, raw, n),
}


class Allocated(ctypes.Structure):
    """What `mallinfo2` returns: the bytes in use are `uordblks`, and `hblkhd` in mappings."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd")
        + ("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    ]


def usage() -> dict[str, int]:
    """Bytes that the C library and the engine have given out, Python's objects, resident bytes."""
    np.flush()
    gc.collect()
    count = getattr(ctypes.CDLL(None), "mallinfo2", None)
    allocated = 0
    if count is not None:
        count.restype = Allocated
        found = count()
        allocated = found.uordblks + found.hblkhd
    with open("/proc/self/statm") as file:
        resident = int(file.read().split()[1]) * 4096
    return {
        "bytes allocated": allocated - np.stats()["bytes_cached"],
        "bytes live": np.stats()["bytes_live"],
        "objects": sys.getallocatedblocks(),
        "references": sum(map(sys.getrefcount, (None, np.dtype("f8"), np.ndarray))),
        "bytes resident": resident,
    }


def repeat(operation: Callable[[int], Any], times: int, is_failure: bool) -> None:
    """Repeat an operation; one that is to fail must."""
    for n in range(times):
        try:
            operation(n)
        except ERRORS:
            if not is_failure:
                raise


def grown(operation: Callable[[int], Any], times: int, is_failure: bool) -> dict[str, int]:
    """By how much everything grew while an operation was repeated."""
    before = usage()
    repeat(operation, times, is_failure)
    after = usage()
    return {what: after[what] - before[what] for what in after if what != "bytes resident"}


def growth(
    name: str, operation: Callable[[int], Any], times: int, is_failure: bool
) -> dict[str, int]:
    """What grew by more than is allowed while an operation was repeated."""
    ours = grown(operation, times, is_failure)
    numpys = grown(OF_NUMPY[name], times, is_failure) if name in OF_NUMPY else {}
    most = {what: MOST_BYTES if "bytes" in what else MOST_OBJECTS for what in ours}
    left = {what: n - max(numpys.get(what, 0), 0) for what, n in ours.items()}
    return {what: n for what, n in left.items() if n > most[what]}


def leaks(count: int) -> dict[str, dict[str, int]]:
    """What grew over so many evaluations, by kind; resident bytes over all of them."""
    times = count // (len(OPERATIONS) + len(FAILURES)) + 1
    kinds = [(name, False, each) for name, each in OPERATIONS.items()]
    kinds += [(name, True, each) for name, each in FAILURES.items()]
    for _, is_failure, operation in kinds:
        repeat(operation, WARM, is_failure)
    found: dict[str, dict[str, int]] = {}
    start = usage()
    for name, is_failure, operation in with_progress(kinds, "kinds repeated"):
        # A leak grows each time; a cache that is not full yet, once.
        run = (name, operation, times, is_failure)
        if growth(*run) and (over := growth(*run)):
            found[name] = over
    resident = usage()["bytes resident"] - start["bytes resident"]
    if resident > 1 << 20:
        found["all"] = {"bytes resident": resident}
    return found


def main() -> int:
    """Repeat all kinds, and print what grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="evaluations of all kinds")
    parser.add_argument("--mode", choices=MODES, default="default", help="engine settings")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    np.settings(**MODES[arguments.mode])
    found = leaks(arguments.count)
    for name, grown in found.items():
        print(f"{name}: {grown}")
    kinds = len(OPERATIONS) + len(FAILURES)
    print(f"{arguments.count} evaluations of {kinds} kinds, {len(found)} grew")
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
