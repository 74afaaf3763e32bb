"""Rewritten code of modules and programs in files beside Python's own, in `__pycache__`.

Rewriting a module and compiling it takes five times as long as Python takes to compile it, and
Python does so once a change of the file alone. What a file holds is for one text, one version of
Python, NumPy and this package; it is written where Python would write code, and read by no other.
The syntax trees of loops are made where one is compiled.
"""

from __future__ import annotations

import importlib.util
import marshal
import os
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as _np

from fastnp._loops import entry, imports, loop, nodes, refusals
from fastnp._loops import rewrite as _rewrite
from fastnp._loops import site as _site
from fastnp._loops.outcome import Refusal
from fastnp._loops.rewrite import State, Unit, constants_of, fill, named_constants
from fastnp._loops.site import Site

__all__ = ["read", "write"]

# Of a site, what is known without its syntax tree.
_FIELDS = "line is_while is_module_level binds first depth weight short is_reversed".split()


def read(
    source: bytes | str, filename: str, rewritten: Callable[[], Unit]
) -> tuple[CodeType, Unit] | None:
    """The code of a module and its loops; `None` if there is no file, or one for something else.

    `rewritten` makes the loops anew, with their syntax trees.
    """
    try:
        if not os.path.isabs(filename):
            return None
        with open(_path(filename), "rb") as file:
            key, contents = file.read(_KEY_SIZE), file.read()
        if key != _key(source, filename):
            return None
        code, named, sites, refused = marshal.loads(contents)
    except (OSError, ValueError, EOFError, TypeError, NotImplementedError):
        return None
    unit = Unit(filename, [], [Refusal(*one) for one in refused], State())

    def load() -> None:
        for site, made in zip(unit.sites, rewritten().sites, strict=True):
            site.node, site.statements = made.node, made.statements

    for around, resumable, fields in sites:
        site: Site = Site.__new__(Site)
        site.initialize()
        for name, value in zip(_FIELDS, fields, strict=True):
            setattr(site, name, value)
        site.load, site.resumable = load, frozenset(resumable)
        site.around = None if around is None else unit.sites[around]
        if site.around is not None:
            site.around.inner.append(site)
        site.qualname, site.filename, site.local_names = "<module>", filename, frozenset()
        unit.sites.append(site)
    return fill(code, constants_of(named, unit)), unit


def write(source: bytes | str, filename: str, code: CodeType, unit: Unit) -> None:
    """Keep the code of a module, which is not filled yet, where Python would."""
    if sys.dont_write_bytecode or not os.path.isabs(filename):
        return
    numbers = {id(site): number for number, site in enumerate(unit.sites)}
    sites = [
        (
            None if site.around is None else numbers[id(site.around)],
            sorted(site.resumable),
            [getattr(site, name) for name in _FIELDS],
        )
        for site in unit.sites
    ]
    refused = [tuple(one) for one in unit.refused]
    contents = marshal.dumps((code, named_constants(code, unit), sites, refused))
    temporary = ""
    try:
        path = _path(filename)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # As Python does: another process reads all of it, or none.
        temporary = f"{path}.{os.getpid()}"
        with open(temporary, "xb") as file:
            file.write(_key(source, filename) + contents)
        os.replace(temporary, path)
    except (OSError, NotImplementedError):
        # No place to write to: the code is made each time.
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def _path(filename: str) -> str:
    return importlib.util.cache_from_source(
        filename, optimization=f"fastnp{sys.flags.optimize or ''}"
    )


_KEY_SIZE = 8


def _key(source: bytes | str, filename: str) -> bytes:
    """What a file is for: a text at a place, which its tracebacks name."""
    text = source.encode() if isinstance(source, str) else source
    about: list[Any] = [importlib.util.MAGIC_NUMBER, filename, _np.__version__, sys.flags.optimize]
    for module in (_rewrite, _site, entry, imports, loop, nodes, refusals):
        status = os.stat(module.__file__ or "")
        about += status.st_mtime_ns, status.st_size
    # As of Python's own files that are checked by their source. `hashlib` takes 10 ms to import.
    return importlib.util.source_hash(repr(about).encode() + text)
