"""`fastnp.install`: in modules of the user's own, NumPy's name gives fastnp and loops run compiled.

A finder before Python's own gives these modules a loader that rewrites them. Packages that were
installed, the standard library and fastnp are left alone. Rewritten code holds sites, which are
objects of this process: `code_cache` keeps in files what they are made of. Programs that `runpy`
and `multiprocessing` run are rewritten too; a process that is spawned is told to install before it
imports anything.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from fastnp._interpreter import Uncollected, ignored_warnings
from fastnp._loops import code_cache
from fastnp._loops.imports import redirect
from fastnp._loops.report import UNITS
from fastnp._loops.rewrite import Unit, fill, rewrite
from fastnp._state import loops as _switch

__all__ = ["install", "is_own", "program_code", "uninstall"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
# The folder of the standard library, and the names of those of what was installed. `sysconfig`,
# which knows all of them, takes 2 ms to import.
_OTHERS = (os.path.dirname(os.path.realpath(os.__file__)) + os.sep, _PACKAGE + os.sep)
_INSTALLED = ("site-packages", "dist-packages")


def is_own(path: str) -> bool:
    """Whether a file, or a folder, is the user's."""
    whole = os.path.realpath(path)
    if path.startswith("<") or (whole + os.sep).startswith(_OTHERS):
        return False
    return not any(part in _INSTALLED for part in whole.split(os.sep))


def program_code(source: bytes | str, filename: str, is_program: bool = False) -> CodeType | None:
    """Code of a module with its imports and loops rewritten; None if it does not compile. Python
    compiles a program each time, and warns of its syntax each time.
    """
    if _switch.enabled():
        try:
            # Trees are many objects, which the collector would visit several times.
            with Uncollected(makes_garbage=True):
                return _rewritten(source, filename, is_program)
        except (SyntaxError, ValueError, RecursionError):
            with ignored_warnings():  # Python has given them.
                return _redirected(source, filename)
    return _redirected(source, filename)


def _rewritten(source: bytes | str, filename: str, is_program: bool) -> CodeType:
    @cache
    def original() -> CodeType:
        with ignored_warnings(), Uncollected(makes_garbage=True):
            code = _redirected(source, filename)
        assert code is not None
        return code

    def with_trees() -> Unit:
        with ignored_warnings():
            return rewrite(_parsed(source, filename), filename)

    found = code_cache.read(source, filename, with_trees)
    if found is None:
        tree = _parsed(source, filename)
        unit = rewrite(tree, filename)
        made = compile(tree, filename, "exec", dont_inherit=True)
        code_cache.write(source, filename, made, unit)
        found = fill(made), unit
    elif is_program:
        compile(source, filename, "exec", dont_inherit=True)
    code, unit = found
    for site in unit.sites:
        site.original = original
    UNITS.append(unit)
    return code


def _parsed(source: bytes | str, filename: str) -> ast.Module:
    """The syntax tree of a module, with its imports of NumPy redirected."""
    tree = ast.parse(source, filename)
    redirect(tree)
    return tree


def _redirected(source: bytes | str, filename: str) -> CodeType | None:
    try:
        return compile(_parsed(source, filename), filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None


class ProgramLoader(SourceFileLoader):
    """Loader of a module of the user's."""

    def get_code(self, fullname: str) -> CodeType | None:
        """The code, rewritten. A module that does not compile raises what Python's loader does."""
        path = self.get_filename(fullname)
        source = self.get_data(path)
        code = program_code(source, path)
        if code is not None:
            return code
        with ignored_warnings():  # Python has given them.
            return self.source_to_code(source, path)


# Tracebacks show no frames of importlib: a syntax error is the program's alone.
ProgramLoader.get_code.__code__ = ProgramLoader.get_code.__code__.replace(
    co_filename="<frozen importlib._bootstrap_external>"
)


class ProgramFinder:
    """Import finder for modules of the user's, and for those that start processes."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Python's own spec, with our loader; None for other modules."""
        if fullname in _PATCHES:
            return _patched(PathFinder.find_spec(fullname, path, target), fullname)
        top = fullname.partition(".")[0]
        if top in sys.stdlib_module_names or top in ("fastnp", "numpy"):
            return None
        if path is not None and not any(is_own(folder) for folder in path):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or not spec.origin:
            return None
        if not is_own(spec.origin):
            return None
        spec.loader = ProgramLoader(spec.loader.name, spec.loader.path)
        return spec


def _patched(spec: ModuleSpec | None, name: str) -> ModuleSpec | None:
    """The spec of a module that is changed once it is imported."""
    if spec is not None and spec.loader is not None:
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _patch(name, module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
    return spec


# --- processes and programs -----------------------------------------------------------------------


class _Installed:
    """Part of what a spawned process is told first: installs there when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (_IN_CHILD.format(path=sys.path), {})


# A process that cannot import fastnp runs the program as it is.
_IN_CHILD = """
import sys
before = sys.path[:]
sys.path[:] = {path!r}
try:
    import fastnp
    fastnp.install()
except ImportError:
    pass
finally:
    sys.path[:] = before
"""


def _patch_spawn(module: Any) -> None:
    original = module.get_preparation_data

    def get_preparation_data(name: str, *arguments: Any) -> dict[str, Any]:
        data: dict[str, Any] = original(name, *arguments)
        return {"fastnp": _Installed(), **data} if _finder in sys.meta_path else data

    module.get_preparation_data = get_preparation_data


def _patch_forkserver(module: Any) -> None:
    # The server would import the program before it is told anything; so its children do.
    server = module._forkserver
    if server._preload_modules == ["__main__"]:
        server._preload_modules = []


def _patch_runpy(module: Any) -> None:
    original = module._get_code_from_file
    # Until Python 3.12 the name of the run comes first, and the file's name is given back.
    is_pair = original.__code__.co_argcount == 2

    def _get_code_from_file(*arguments: Any) -> Any:
        path = os.path.abspath(os.fsdecode(arguments[-1]))
        found = original(*arguments)
        if _finder in sys.meta_path and path.endswith(".py") and is_own(path):
            with open(path, "rb") as file:
                code = program_code(file.read(), (found[0] if is_pair else found).co_filename)
            if code is not None:
                return (code, found[1]) if is_pair else code
        return found

    module._get_code_from_file = _get_code_from_file


_PATCHES: dict[str, Callable[[Any], None]] = {
    "multiprocessing.spawn": _patch_spawn,
    "multiprocessing.forkserver": _patch_forkserver,
    "runpy": _patch_runpy,
}
_done: set[str] = set()
_finder = ProgramFinder()


def _patch(name: str, module: ModuleType) -> None:
    if name not in _done:
        _done.add(name)
        _PATCHES[name](module)


def install() -> None:
    """Use fastnp in every module of this program that is imported from now on.

    `import numpy` there gives fastnp, in all forms, and loops run compiled where that is possible;
    `python -m fastnp program.py` does the same for a program and its modules without an edit.
    Modules of installed packages and of the standard library stay as they are.

    >>> import fastnp
    >>> fastnp.install()
    """
    if _finder in sys.meta_path:
        return
    # Before Python's own finder, behind those that others have put before it.
    places = [k for k, finder in enumerate(sys.meta_path) if finder is PathFinder]
    sys.meta_path.insert(places[0] if places else 0, _finder)
    importlib.invalidate_caches()
    for name in _PATCHES:
        if name in sys.modules:
            _patch(name, sys.modules[name])


install.__module__ = "fastnp"


def uninstall() -> None:
    """Leave modules that are imported from now on as they are."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
