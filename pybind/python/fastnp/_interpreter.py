"""Refusal of subinterpreters.

The extension module has one state a process, and its objects belong to the interpreter that made
them; used by a second interpreter, or by one that ends before the process, they crash. PyO3 refuses
a second interpreter only. So this is asked before NumPy and the extension are imported.
"""

import importlib
import sys

__all__: list[str] = []


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
