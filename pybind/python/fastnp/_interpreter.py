"""Refusal of interpreters that the engine cannot be right in: subinterpreters, and threads without
the GIL; imports without garbage collection; and warnings that are held back.

The extension module has one state a process, and its objects belong to the interpreter that made
them; used by a second interpreter, or by one that ends before the process, they crash. PyO3 refuses
a second interpreter only. So this is asked before NumPy and the extension are imported.
"""

import atexit
import gc
import importlib
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

__all__ = ["Uncollected", "check_gil", "freeze", "ignored_warnings", "recorded_warnings"]


# A process that has made fewer objects than this has imported modules and done little else: NumPy
# makes 30,000, a dozen of the standard library's larger modules 15,000 more.
START_OBJECTS = 50_000


# Whether an object of the program that is frozen has a finalizer.
_collects_at_end = False


class Uncollected:
    """A block in which the garbage collector does not run, around imports.

    They make some 20,000 objects that stay, which the collector would visit several times: a
    thirtieth of the import's instructions. At the start of a process all objects are frozen at the
    end of the block: the collector need not look at modules, classes and functions again. Later
    there may be objects of the program's own that become garbage, so new objects join the oldest
    generation, where the collector would have brought them, unless the program has frozen some,
    which would be thawed. In a block that makes garbage as well (`makes_garbage`) they stay the
    youngest.
    """

    def __init__(self, makes_garbage: bool = False) -> None:
        self.makes_garbage = makes_garbage

    def __enter__(self) -> None:
        self.was_enabled = gc.isenabled()
        gc.disable()
        is_import = self.was_enabled and not self.makes_garbage
        # The program's own.
        self.before: Sequence[object] = gc.get_objects() if is_import and _is_at_start() else ()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if not self.was_enabled:
            return
        if not self.makes_garbage and kind is None:
            if self.before:
                freeze(self.before)
            elif gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
        gc.enable()


def freeze(of_program: Sequence[object] | None = None) -> None:
    """Have the collector leave all objects alone that are there now, until the process ends.

    Then they are thawed if one of them that is of the program, or one that was made since, might do
    something as it is found (`_finalization`): a file that is still open, to which a function of a
    module refers, would not be flushed. Else the collector does not run at the end either.
    """
    global _collects_at_end
    from fastnp import _finalization

    objects = gc.get_objects() if of_program is None else of_program
    _collects_at_end = _collects_at_end or _finalization.are_finalized(objects)
    gc.freeze()
    atexit.unregister(_end)
    atexit.register(_end)


def _end() -> None:
    from fastnp import _finalization

    if _collects_at_end or _finalization.is_collector_needed():
        gc.unfreeze()
    else:
        gc.freeze()


def _is_at_start() -> bool:
    collections: int = gc.get_stats()[0]["collections"]
    return collections * gc.get_threshold()[0] < START_OBJECTS


def check_gil() -> None:
    """Raise `ImportError` if the GIL stays off after the extension was imported, which needs it.

    A free-threaded Python takes the GIL back for such extensions, unless it was told not to.
    """
    is_enabled = getattr(sys, "_is_gil_enabled", None)
    if is_enabled is not None and not is_enabled():
        raise ImportError(
            "fastnp needs the GIL, which PYTHON_GIL=0 or -X gil=0 forbids: its reference counts "
            "and its lock rely on it."
        )


def _is_main() -> bool:
    try:
        interpreters = importlib.import_module(
            "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
        )
    except ImportError:  # a Python without subinterpreters
        return True
    # Since Python 3.13 a tuple: the number, and who made it.
    numbers = (interpreters.get_current(), interpreters.get_main())
    current, main = (n[0] if isinstance(n, tuple) else int(n) for n in numbers)
    return bool(current == main)


if not _is_main():
    raise ImportError(
        "fastnp cannot be imported in a subinterpreter: its arrays share one engine, which "
        "belongs to the main interpreter. Import it there, or use processes."
    )


# Not by `warnings.catch_warnings`: with it Python forgets which warnings it has shown, and shows
# them once more.


@contextmanager
def ignored_warnings() -> Iterator[None]:
    """A block of which no warning is shown."""
    everything = ("ignore", None, Warning, None, 0)
    warnings.filters.insert(0, everything)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        warnings.filters.remove(everything)  # type: ignore[attr-defined]


@contextmanager
def recorded_warnings() -> Iterator[list[tuple[str | Warning, type[Warning]]]]:
    """A block of which the warnings of Python code are recorded: messages, and categories."""
    found: list[tuple[str | Warning, type[Warning]]] = []

    def warn(
        message: str | Warning, category: type[Warning] = UserWarning, *_: object, **__: object
    ) -> None:
        found.append((message, type(message) if isinstance(message, Warning) else category))

    original = warnings.warn
    warnings.warn = warn  # type: ignore[assignment]
    try:
        yield found
    finally:
        warnings.warn = original
