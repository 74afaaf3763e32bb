"""`python -m fastnp program.py` and `python -m fastnp -m module`: a program as Python runs it, with
fastnp in NumPy's place and its loops compiled.

The program is `__main__`, with the arguments, the import path, the exit code and the tracebacks
that it has under `python program.py`.
"""

from __future__ import annotations

import atexit
import builtins
import importlib.machinery
import os
import runpy
import sys
from collections.abc import Callable, Mapping
from types import ModuleType, TracebackType
from typing import Any, NoReturn

from fastnp._interpreter import freeze, ignored_warnings
from fastnp._loops.install import install, program_code

__all__ = ["main"]

USAGE = """\
usage: python -m fastnp [option ...] program.py [argument ...]
       python -m fastnp [option ...] -m module [argument ...]

Run a program with fastnp in NumPy's place and its loops compiled.

  --report        print at the end which loops were compiled, and why others were not
  --profile       print at the end where the time went
  --profile=FILE  write that to a file: a page (.html), a trace for Chrome (.json) or text (.txt)
  --doctor        print at the end which lines cost time, and what to write instead
  --costs         print the constants of the planner's cost model, beside what they are here
  -h, --help      print this
"""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def main(
    options: Mapping[str, Callable[[str], Callable[[], None]]],
    alone: Mapping[str, Callable[[], None]],
) -> None:
    """Run what the command line names, with options that begin something and return its end.

    Options that stand `alone` are done without a program.
    """
    arguments = sys.argv[1:]
    if len(arguments) == 1 and arguments[0] in alone:
        alone[arguments[0]]()
        return
    chosen = []
    while arguments and arguments[0].partition("=")[0] in (*options, "-h", "--help"):
        name, _, value = arguments.pop(0).partition("=")
        if name not in options:
            print(USAGE, end="")
            raise SystemExit(0)
        chosen.append((options[name], value))
    if not arguments or (arguments[0] == "-m" and len(arguments) == 1):
        _fail(USAGE.rstrip())
    install()
    for begin, value in chosen:
        atexit.register(begin(value))
    # What is there now stays until the end: the garbage collector need not look at it.
    freeze()
    try:
        if arguments[0] == "-m":
            _run_module(arguments[1], arguments[2:])
        else:
            _run_file(arguments)
    except SystemExit:
        raise
    except BaseException:
        _trim_traceback()
        raise


def _fail(text: str) -> NoReturn:
    print(text, file=sys.stderr)
    raise SystemExit(2)


def _main_module() -> ModuleType:
    """A new `__main__`, with what the interpreter gives one."""
    module = ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, __spec__=None, __package__=None)
    if sys.version_info < (3, 14):
        module.__dict__.update(__annotations__={})
    sys.modules["__main__"] = module
    return module


def _run_file(arguments: list[str]) -> None:
    given = arguments[0]
    path = os.path.abspath(given)
    sys.argv[:] = arguments
    if os.path.isdir(path) or _is_archive(path):
        if not sys.flags.safe_path:
            sys.path[0] = given
        else:
            sys.path.insert(0, given)
        _main_module()
        runpy._run_module_as_main("__main__", False)  # type: ignore[attr-defined]
        return
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        _fail(f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}")
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    module = _main_module()
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    module.__dict__.update(__file__=path, __cached__=None, __loader__=loader)
    code = program_code(source, path, is_program=True)
    if code is None:
        with ignored_warnings():  # Python has given them.
            code = compile(source, path, "exec", dont_inherit=True)
    exec(code, module.__dict__)


def _is_archive(path: str) -> bool:
    if path.endswith(".py") or not os.path.isfile(path):
        return False
    import zipfile

    return zipfile.is_zipfile(path)


def _run_module(name: str, arguments: list[str]) -> None:
    sys.argv[:] = ["-m", *arguments]
    _main_module()
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


def _trim_traceback() -> None:
    """Have the traceback that the interpreter is about to print begin in the program."""
    hook = sys.excepthook

    def trimmed(
        kind: type[BaseException], value: BaseException, traceback: TracebackType | None
    ) -> Any:
        sys.excepthook = hook
        for is_ours in (False, True):
            while traceback is not None and _is_ours(traceback) == is_ours:
                traceback = traceback.tb_next
        value.__traceback__ = sys.last_traceback = traceback
        return hook(kind, value, traceback)

    sys.excepthook = trimmed


def _is_ours(traceback: TracebackType) -> bool:
    return traceback.tb_frame.f_code.co_filename.startswith(_PACKAGE)
