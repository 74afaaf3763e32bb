"""What programs begin with: arrays that fastnp has not computed yet, and errors as values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

# Elements of an array that fastnp records and computes later; smaller ones it computes at once.
MANY = 200_000

F = TypeVar("F", bound=Callable[..., Any])


def pending(np: Any, dtype: str = "float64", n: int = MANY) -> Any:
    """1, 3, 5, …: the result of operations that fastnp has only recorded."""
    return np.arange(n, dtype=dtype) * 2 + 1


def grid(np: Any, dtype: str = "float64", rows: int = 400, columns: int = 500) -> Any:
    """A pending matrix of the numbers 0 to 250, in a pattern."""
    return (np.arange(rows * columns).reshape(rows, columns) * 7 % 251).astype(dtype)


def raised(call: Callable[[], Any]) -> tuple[str, str]:
    """The type and the text of the exception that a call is meant to raise."""
    try:
        call()
    except Exception as error:
        return type(error).__name__, str(error)
    return "nothing", "no exception was raised"


def rounded(rtol: float) -> Callable[[F], F]:
    """Mark a program whose numbers may differ by rounding: sums in another order, and sines."""

    def mark(program: F) -> F:
        program.rtol = rtol  # type: ignore[attr-defined]
        return program

    return mark
