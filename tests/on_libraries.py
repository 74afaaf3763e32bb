"""Whether a device's libraries compute what NumPy does: transforms and linear algebra.

`agreement` compares random ones with NumPy's on the device that is set: values to rounding, vectors
and columns up to their signs; types, shapes, layouts and errors as they are. `python -m
tests.on_libraries` prints how many there were, which failed, and how many a library computed.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

import fastnp
import numpy

SHAPES: list[tuple[int, ...]] = [(1,), (7,), (8,), (4, 6), (3, 5, 4), (2, 3, 4, 5), (0, 3), (3, 0)]
MATRICES: list[tuple[int, ...]] = [(1, 1), (4, 4), (3, 3, 3), (2, 3, 5, 5), (0, 0), (2, 0, 0)]
MATRICES += [(0, 2, 2), (3, 4), (3,)]
ONE = "fft ifft rfft irfft hfft ihfft".split()
MANY = "fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2".split()
NORMS = [None, "backward", "ortho", "forward", "none of them"]
ROUNDED = {"f": 1e-5, "F": 1e-5, "d": 1e-11, "D": 1e-11}
ONE_MATRIX: list[tuple[str, dict[str, Any]]] = [("inv", {}), ("det", {}), ("cholesky", {})]
ONE_MATRIX += [("slogdet", {})]
ONE_MATRIX += [("cholesky", {"upper": True}), ("eigvalsh", {}), ("eigvalsh", {"UPLO": "U"})]
Same = Callable[[Any, Any], bool]

random = numpy.random.default_rng(5)


def made(shape: tuple[int, ...], code: str) -> Any:
    """Numbers of a type."""
    if code in "FD":
        return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(code)
    if code in "fd":
        return random.standard_normal(shape).astype(code)
    return random.integers(0, 9, shape).astype(code)


def views(x: Any) -> Iterator[Any]:
    """The same memory in other layouts."""
    yield from (x, x.T, x[::-1], x[..., ::2])
    if x.ndim > 2:
        yield x.swapaxes(0, 1)


def outcome(module: Any, name: str, args: Any, kwargs: Any) -> Any:
    """The result of a call, or the error it raises."""
    try:
        return attrgetter(name)(module)(*args, **kwargs)
    except Exception as error:
        return error


class Comparison:
    """The cases compared so far, and those that failed."""

    def __init__(self) -> None:
        self.count = 0
        self.failed: list[str] = []

    def __call__(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], same: Same | None = None
    ) -> None:
        """Compare the result or the error of a call with NumPy's."""
        self.count += 1
        theirs = outcome(numpy, name, args, kwargs)
        ours = outcome(fastnp, name, [taken(x) for x in args], kwargs)
        if isinstance(theirs, Exception) or isinstance(ours, Exception):
            right = (type(ours), str(ours)) == (type(theirs), str(theirs))
        else:
            right = (same or alike)(ours, theirs)
        if not right:
            self.failed.append(f"{name} of {args}, {kwargs}: {ours!r}, not {theirs!r}")


def taken(x: Any) -> Any:
    """An array of ours in the order of NumPy's, on the same memory or not."""
    if not isinstance(x, numpy.ndarray):
        return x
    return fastnp.array(x) if random.integers(2) else fastnp.asarray(x)


def alike(ours: Any, theirs: Any) -> bool:
    """Whether types, shapes and layouts agree, and values to rounding."""
    if isinstance(theirs, tuple):
        return type(ours) is type(theirs) and all(map(alike, ours, theirs))
    if isinstance(theirs, numpy.generic) and type(ours) is not type(theirs):
        return False
    a, b = numpy.asarray(ours), numpy.asarray(theirs)
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    if a.size > 1 and 1 not in a.shape and numpy.ndim(ours) and ours.strides != theirs.strides:
        return False
    allowed = ROUNDED.get(a.dtype.char, 0.0)
    scale = max(1.0, float(numpy.abs(b[numpy.isfinite(b)]).max(initial=0)))
    return numpy.allclose(a, b, rtol=allowed, atol=allowed * scale, equal_nan=True)


def transforms(compare: Comparison) -> None:
    """Random transforms of every type and layout."""
    for code, shape in itertools.product("fdFDi?B", SHAPES):
        for x in views(made(shape, code)):
            for name in ONE:
                n = [None, 1, 3, 8, 0][random.integers(5)]
                norm = NORMS[random.integers(len(NORMS))]
                axis = int(random.integers(-x.ndim, x.ndim))
                # What NumPy makes of nothing here it reads beyond the array.
                if 0 not in x.shape or name not in ("irfft", "hfft"):
                    compare(f"fft.{name}", (x, n, axis, norm), {})
            for name in MANY:
                if 0 not in x.shape or not name.startswith("irfft"):
                    compare(f"fft.{name}", (x,), several(x))


def several(x: Any) -> dict[str, Any]:
    """Random arguments of a transform over several axes."""
    kwargs: dict[str, Any] = {}
    if random.integers(2):
        axes = [int(at) for at in random.permutation(x.ndim)[: random.integers(1, x.ndim + 1)]]
        kwargs["axes"] = axes
        if random.integers(2):
            kwargs["s"] = [int(n) for n in random.integers(-1, 6, len(axes))]
    if random.integers(2):
        kwargs["norm"] = NORMS[random.integers(len(NORMS))]
    return kwargs


def systems(compare: Comparison) -> None:
    """Linear algebra of every type, of one matrix and of stacks."""
    for code, shape in itertools.product("fdFDi", MATRICES):
        base = made(shape, code)
        positive = base
        if base.ndim > 1 and shape[-1] == shape[-2] and code != "i":
            positive = base @ base.swapaxes(-1, -2).conj() + numpy.eye(shape[-1], dtype=code)
        sides = [made(shape[-1:], code), made(shape[:-1] + (3,), code), made((5,), "d"), 3.0]
        sides += [made(shape[:-1] + (3,), "d"), made(shape[-1:] + (2,), "F"), [1.0] * shape[-1]]
        for x, b in itertools.product([base, base.swapaxes(0, -1), base[..., ::-1]], sides):
            compare("linalg.solve", (x, b), {})
        for name, kwargs in ONE_MATRIX:
            for x in (positive, positive.swapaxes(0, -1), base)[: 2 if "eig" in name else 3]:
                compare(f"linalg.{name}", (x,), kwargs)
        for triangle in "LU":
            same = partial(decomposes, x=positive)
            compare("linalg.eigh", (positive, triangle), {}, same)
    for code, shape in itertools.product("fdFDi", [*MATRICES, (6, 2), (2, 6), (3, 2, 4)]):
        x = made(shape, code)
        for mode in ("reduced", "complete", "r", "raw", "no such"):
            compare("linalg.qr", (x, mode), {}, partial(multiplies, x=x))
        for full in (True, False):
            compare("linalg.svd", (x, full), {}, partial(spans, x=x))
        compare("linalg.svd", (x, True, False), {})
        compare("linalg.svdvals", (x,), {})


def multiplies(ours: Any, theirs: Any, x: Any) -> bool:
    """Whether the factorization is valid, up to the signs of columns."""
    if type(ours) is not type(theirs) or not isinstance(ours, numpy.linalg._linalg.QRResult):
        pairs = zip(ours, theirs) if isinstance(theirs, tuple) else [(ours, theirs)]
        return all(alike(abs(a), abs(b)) for a, b in pairs)
    q, r = (numpy.asarray(part) for part in ours)
    if any((a.strides, a.dtype) != (b.dtype and b.strides, b.dtype) for a, b in zip(ours, theirs)):
        return False
    return close(q @ r, x, q) and close(q.swapaxes(-1, -2).conj() @ q, identity(q.shape[-1]), q)


def spans(ours: Any, theirs: Any, x: Any) -> bool:
    """Whether singular values are NumPy's, and the vectors are orthogonal singular vectors."""
    u, s, vh = (numpy.asarray(part) for part in ours)
    shapes = [(a.shape, a.dtype, a.strides) for a in ours] == [
        (b.shape, b.dtype, b.strides) for b in theirs
    ]
    k = s.shape[-1]
    product = (u[..., :k] * s[..., None, :]) @ vh[..., :k, :]
    orthogonal = close(u.swapaxes(-1, -2).conj() @ u, identity(u.shape[-1]), u)
    orthogonal &= close(vh @ vh.swapaxes(-1, -2).conj(), identity(vh.shape[-2]), u)
    same = type(ours) is type(theirs) and alike(ours[1], theirs[1])
    return shapes and same and orthogonal and close(product, x, u)


def identity(n: int) -> Any:
    return numpy.eye(n)


def close(a: Any, b: Any, like: Any) -> bool:
    """Whether values agree to rounding in the type of another array."""
    return numpy.allclose(a, b, atol=20 * ROUNDED[like.dtype.char])


def decomposes(ours: Any, theirs: Any, x: Any) -> bool:
    """Whether these are eigenvectors, which are not unique."""
    if type(ours) is not type(theirs) or not alike(ours.eigenvalues, theirs.eigenvalues):
        return False
    v = numpy.asarray(ours.eigenvectors)
    if v.dtype != theirs.eigenvectors.dtype or ours[1].strides != theirs[1].strides:
        return False
    if x.dtype.kind == "i":
        return True  # not Hermitian
    scale = max(1.0, float(numpy.abs(x).max(initial=0)))
    allowed = 10 * ROUNDED[v.dtype.char] * scale
    return numpy.allclose(x @ v, v * theirs.eigenvalues[..., None, :], atol=allowed)


def wrong(compare: Comparison) -> None:
    """Singular matrices, and matrices that are not positive definite or contain nan."""
    singular = numpy.array([[1.0, 2.0], [2.0, 4.0]])
    found = [numpy.zeros((3, 3)), singular, numpy.array([numpy.eye(2), singular])]
    found += [numpy.array([[1.0, 2.0], [2.0, 1.0]]), numpy.full((2, 2), numpy.nan)]
    for x, name in itertools.product(found, ("inv", "cholesky", "det")):
        compare(f"linalg.{name}", (x,), {})


def agreement() -> dict[str, Any]:
    """Compare all of them; give counts and failures."""
    compare, before = Comparison(), fastnp.stats()["library_routines"]
    with numpy.errstate(all="ignore"):
        transforms(compare)
        systems(compare)
        wrong(compare)
    routines = fastnp.stats()["library_routines"] - before
    return {"compared": compare.count, "failed": compare.failed, "routines": routines}


def main() -> int:
    """Print what was found."""
    found = agreement()
    print(found["compared"], len(found["failed"]), found["routines"])
    print("\n".join(found["failed"]))
    return 1 if found["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
