"""Functions whose loops are all left to the interpreter get the code of their source again.

Rewritten code takes 70 ns more for each entry of a loop and some for each turn, which a function
that is called often pays for ever. Functions that are found by their names, in their module or its
classes, are given the code that they have without sites; others keep theirs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

from fastnp._loops.loop import Loop


def restore(site: Loop, module: Callable[[], CodeType]) -> None:
    """Give the function that a site is in the code that it has in the code of its module, if all
    sites in it are plain. Calls that are being made keep theirs.
    """
    frame = _frame_of(site)
    if frame is None or not all(one.plain for one in _sites_of(frame.f_code)):
        return
    code = frame.f_code
    for original in _all_in(module()):
        if (
            original.co_qualname == code.co_qualname
            and original.co_firstlineno == code.co_firstlineno
            and original.co_freevars == code.co_freevars
        ):
            for function in _functions(frame.f_globals):
                if function.__code__ is code:
                    function.__code__ = original


def _frame_of(site: Loop) -> FrameType | None:
    """The frame that is executing the loop; None if none of the callers is."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not any(one is site for one in frame.f_code.co_consts):
        frame = frame.f_back
    return frame


def _sites_of(code: CodeType) -> list[Any]:
    return [constant for constant in code.co_consts if isinstance(constant, Loop)]


def _all_in(code: CodeType) -> Iterator[CodeType]:
    """The code of functions and classes in some code, with those in them."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _all_in(constant)


def _functions(scope: dict[str, Any]) -> Iterator[FunctionType]:
    """The functions of a module, and those of its classes."""
    for value in list(scope.values()):
        if isinstance(value, FunctionType):
            yield value
        elif isinstance(value, type) and value.__module__ == scope.get("__name__"):
            for member in list(vars(value).values()):
                member = getattr(member, "__func__", getattr(member, "fget", member))
                if isinstance(member, FunctionType):
                    yield member
