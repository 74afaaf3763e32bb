"""`isnan`, `isinf` and `isfinite` of numbers: `math`'s, and NumPy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from fastnp._loops import creation, numbers
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import LARGEST, Emitter, Unsupported
from fastnp._loops.types import BOOL, F64, I8, NP_BOOL, Number, Value

Operand: TypeAlias = Value | Elementwise
NAMES = ("isnan", "isinf", "isfinite")


def of(e: Emitter, name: str, operand: Operand, result: Number = NP_BOOL) -> Value:
    """The answer about one number."""
    x = numbers.to_float(e, e.settle(creation.scalar(operand, name)))
    if name == "isnan":
        answer = e.text.op(I8, "fcmp.uno", x, x)
    elif name == "isfinite":
        answer = e.is_finite(x)
    else:
        largest = e.text.float(LARGEST[F64], F64)
        answer = e.text.op(I8, "fcmp.gt", e.text.op(F64, "fabs", x), largest)
    return Value(result, (answer,))


def of_math(name: str) -> Callable[[Emitter, list[Operand]], Operand]:
    """A function of `math`."""

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        if len(arguments) != 1:
            raise Unsupported(f"math.{name} with {len(arguments)} arguments")
        return of(e, name, arguments[0], BOOL)

    return compute


def functions_of_math() -> dict[int, Callable[[Emitter, list[Operand]], Operand]]:
    """By the functions' addresses."""
    return {id(getattr(math, name)): of_math(name) for name in NAMES}
