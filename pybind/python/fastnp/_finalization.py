"""What the garbage collector is needed for when the process ends.

As it ends, Python has the collector visit all objects twice or three times, for the finalizers of
those that cycles refer to: a module and its functions do. In a process that imports NumPy and does
little else that is a tenth of its time. So the collector leaves all objects alone where none of
them has a finalizer or a callback: then it would free memory alone, as the system does anyway.

Objects that the collector does not know, such as numbers, may belong to modules written in C. Of
the modules here, whose objects do nothing more at their end than free memory, that is known; where
a program has imported another one, the collector runs.
"""

from __future__ import annotations

import gc
import io
import sys
import weakref
from collections.abc import Sequence
from importlib.machinery import BuiltinImporter, ExtensionFileLoader
from itertools import compress
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    ModuleType,
    WrapperDescriptorType,
)

__all__ = ["are_finalized", "is_collector_needed"]

# Modules written in C, and packages with some, whose objects have a `__del__` if they do more at
# their end than free memory.
KNOWN = frozenset(
    "_abc _ast _bisect _blake2 _bz2 _codecs _collections _contextvars _csv _ctypes _datetime"
    " _decimal _elementtree _functools _hashlib _heapq _imp _interpreters _io _json _locale _lzma"
    " _md5 _opcode _operator _pickle _posixsubprocess _queue _random _sha1 _sha2 _sha256 _sha3"
    " _sha512 _signal _socket _sre _stat _statistics _string _struct _suggestions _symtable"
    " _sysconfig _thread _tokenize _tracemalloc _types _typing _uuid _warnings _weakref"
    " _xxsubinterpreters _zoneinfo array atexit binascii builtins cmath errno fastnp faulthandler"
    " fcntl gc grp itertools marshal math numpy posix pwd pyexpat resource select sys time typing"
    " unicodedata zlib".split()
)
# Where the functions are that the standard library's own weak references call.
_OF_LIBRARY = ("weakref", "_weakrefset", "_frozen_importlib", "importlib._bootstrap")
# The functions of `_abc` and `threading.local`.
_BUILTIN = ("_destroy", "clear_locals")
_FILES = (
    io.FileIO,
    io.BufferedReader,
    io.BufferedWriter,
    io.BufferedRandom,
    io.TextIOWrapper,
)
# What a class has itself, whatever its metaclass says.
_mro = type.__dict__["__mro__"].__get__
_namespace = type.__dict__["__dict__"].__get__
# Of classes whose objects the collector knows.
_HAVE_GC = 1 << 14


def is_collector_needed() -> bool:
    """Whether an object that is not frozen, or one that the collector does not know, might do
    something if the collector finds it when the process ends, or the program looks on.
    """
    is_watched = bool(gc.callbacks or gc.get_debug() or gc.garbage)
    return is_watched or are_finalized(gc.get_objects()) or _has_unknown_extension()


def are_finalized(objects: Sequence[object]) -> bool:
    """Whether one of the objects might do something as the collector finds it: it has a finalizer
    or calls back, or is a class whose objects have one and are not known to the collector.
    """
    # By identity: a metaclass may have an `__eq__` of its own.
    classes = [*map(type, objects)]
    keys = [*map(id, classes)]
    finalized, asked = set(), set()
    for key, class_ in dict(zip(keys, classes, strict=True)).items():
        if _finalizer(class_) is not None:
            finalized.add(key)
        elif issubclass(class_, (type, weakref.ref)):
            asked.add(key)
    looked_at = finalized | asked
    standard = _standard_streams() if finalized else set()
    for one in compress(objects, map(looked_at.__contains__, keys)):
        if id(type(one)) in finalized:
            if id(one) not in standard and not _is_over(one):
                return True
        elif issubclass(type(one), weakref.ref):
            if _calls_program(one.__callback__):  # type: ignore[attr-defined]
                return True
        elif _is_untracked(one):  # type: ignore[arg-type]
            return True
    return False


def _finalizer(class_: type) -> object:
    """The finalizer of a class; of one in C it is a wrapper. `None` if it has none."""
    for base in _mro(class_):
        if (found := _namespace(base).get("__del__")) is not None:
            return found
    return None


def _is_untracked(class_: type) -> bool:
    """Whether objects of a class are finalized, and the collector does not know them."""
    if class_.__flags__ & _HAVE_GC:
        return False
    return not isinstance(_finalizer(class_), WrapperDescriptorType | None)


def _is_over(one: object) -> bool:
    """Whether the finalizer of an object has nothing to do: of a file that is closed, or of a
    generator that has returned.
    """
    if type(one) is GeneratorType:
        return one.gi_frame is None
    class_ = type(one)
    if any(class_ is known for known in _FILES):
        try:
            return bool(one.closed)  # type: ignore[attr-defined]
        except ValueError:  # It has been detached from the stream below it.
            return False
    return class_ is io.BytesIO or class_ is io.StringIO


def _standard_streams() -> set[int]:
    """The identities of the parts of the standard streams, which Python flushes itself."""
    found = set()
    for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        part: object = stream
        for inner in ("buffer", "raw", ""):
            found.add(id(part))
            part = getattr(part, inner, None)
    return found


def _calls_program(callback: object) -> bool:
    """Whether a weak reference may call code of the program's."""
    if callback is None or type(callback) is weakref.finalize:
        return False  # `finalize` has a function of its own for the end.
    if type(callback) is BuiltinFunctionType:
        return callback.__name__ not in _BUILTIN
    return not (
        type(callback) is FunctionType and callback.__globals__.get("__name__") in _OF_LIBRARY
    )


def _has_unknown_extension() -> bool:
    """Whether a module written in C is loaded that is not known here."""
    for name, module in sys.modules.copy().items():
        if module is None or name == "__main__" or name.partition(".")[0] in KNOWN:
            continue
        if not issubclass(type(module), ModuleType):
            return True
        loader = vars(module).get("__loader__")
        if loader is BuiltinImporter or type(loader) is ExtensionFileLoader:
            return True
    return False
