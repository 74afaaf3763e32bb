"""`einsum` of two operands that is a tensor contraction: transpositions and one matrix product.

Without `optimize`, NumPy multiplies and adds element by element: twelve times as long for matrices
of 1,000 by 1,000. Every other expression falls back to NumPy, which is not slower there.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import dot, matmul, ndarray


class _Contraction(NamedTuple):
    """A contraction as a batched matrix product: the order of the operands' axes."""

    left: tuple[int, ...]  # batch axes, free axes, summed axes
    right: tuple[int, ...]  # batch axes, summed axes, free axes
    batch: int
    summed: int


@lru_cache(maxsize=256)
def _terms(subscripts: str) -> tuple[list[str], str] | None:
    """The letters of the operands and of the output; None for terms with an ellipsis or with a
    letter twice.
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    letters = "".join(terms)
    if not (letters + output).isalpha() and letters + output:
        return None
    if not arrow:
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    distinct = all(len(set(term)) == len(term) for term in [*terms, output])
    return (terms, output) if distinct and set(output) <= set(letters) else None


@lru_cache(maxsize=256)
def _contraction(left: str, right: str, output: str) -> _Contraction | None:
    """The contraction of two terms; None where it is not a matrix product."""
    both = set(left) & set(right)
    batch = [c for c in left if c in both and c in output]
    summed = [c for c in left if c in both and c not in output]
    rows = [c for c in left if c not in both]
    columns = [c for c in right if c not in both]
    if not summed or not rows + columns or "".join(batch + rows + columns) != output:
        # A sum over one operand, or of elementwise products, or a transposed result.
        return None
    return _Contraction(
        tuple(left.index(c) for c in batch + rows + summed),
        tuple(right.index(c) for c in batch + summed + columns),
        len(batch),
        len(summed),
    )


def _is_default(name: str, value: Any) -> bool:
    """Whether an argument is NumPy's default, as libraries pass it on."""
    if name == "dtype":  # a dtype of float64 is equal to None
        return value is None
    return bool((name, value) in [("order", "K"), ("casting", "safe")])


class _Plan(NamedTuple):
    """How an expression of two operands is computed."""

    terms: list[str]
    contraction: _Contraction | None  # None for the inner product of vectors
    is_swapped: bool  # whether the second operand is the left one


@lru_cache(maxsize=256)
def _plan(subscripts: str) -> _Plan | None:
    """The plan for an expression; None if NumPy computes it."""
    found = _terms(subscripts)
    if found is None or len(found[0]) != 2:
        return None
    (left, right), output = found
    if left == right and len(left) == 1 and not output:
        return _Plan([left, right], None, is_swapped=False)
    for is_swapped, (x, y) in enumerate(((left, right), (right, left))):
        contraction = _contraction(x, y, output)
        if contraction is not None:
            return _Plan([left, right], contraction, bool(is_swapped))
    return None


@native(_np.einsum, few=1_000)
def einsum(*operands: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> Any:
    if kwargs:
        kwargs = {name: x for name, x in kwargs.items() if not _is_default(name, x)}
    if out is None and not kwargs and len(operands) == 3 and type(operands[0]) is str:
        subscripts, x, y = operands
        plan = _plan(subscripts)
        if plan is not None and _fit(plan.terms, (x, y)):
            if plan.contraction is None:
                return dot(x, y)
            left, right = (y, x) if plan.is_swapped else (x, y)
            made = _product(plan.contraction, left, right)
            if made is not None:
                return made
    if out is not None:
        kwargs["out"] = out
    if optimize is not False:
        kwargs["optimize"] = optimize
    return call(_np.einsum, operands, kwargs)


def _fit(terms: list[str], arrays: tuple[Any, ...]) -> bool:
    """Whether arrays of ours have the axes the letters name, without broadcasting."""
    if len(terms) != len(arrays):
        return False
    extents: dict[str, int] = {}
    for term, x in zip(terms, arrays):
        if type(x) is not ndarray or x.ndim != len(term) or x.dtype.char in "?e":
            return False
        for letter, n in zip(term, x.shape):
            if extents.setdefault(letter, n) != n:
                return False
    return True


def _product(contraction: _Contraction, x: Any, y: Any) -> Any:
    """The product; None for a stack of inner products, which takes twice NumPy's time. For stacks
    of 3 x 3 matrices with vectors the product itself takes .2 (100,000) to .8 of it (20).
    """
    # The result is in C order; NumPy's order "K" gives the same for C-ordered operands.
    b, s = contraction.batch, contraction.summed
    extents = tuple(x.shape[axis] for axis in contraction.left)
    batch, rows, summed = extents[:b], extents[b : x.ndim - s], prod(extents[x.ndim - s :])
    columns = tuple(y.shape[axis] for axis in contraction.right[b + s :])
    if b and prod(rows) * prod(columns) == 1:
        return None
    if b == 0 and s == 1 and x.ndim <= 2 and y.ndim <= 2:
        return matmul(x.transpose(contraction.left), y.transpose(contraction.right))
    left = _matrices(x, contraction.left, (*batch, prod(rows), summed))
    right = _matrices(y, contraction.right, (*batch, summed, prod(columns)))
    return matmul(left, right).reshape(batch + rows + columns)


def _matrices(x: Any, axes: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """A stack of matrices of this shape, the array's axes in this order. A view costs 150 ns."""
    if axes != tuple(range(len(axes))):
        x = x.transpose(axes)
    return x if x.shape == shape else x.reshape(shape)
