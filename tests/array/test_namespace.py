"""Every public name of NumPy resolves, and fastnp's own names do what their docs say.

A fallback is allowed if it is recorded; `fastnp.strict()` makes it an error.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings
from typing import Any

import fastnp
import numpy
import pytest

SUBMODULES = (
    "linalg fft random ma testing polynomial lib char rec strings emath exceptions dtypes "
    "ctypeslib typing lib.stride_tricks lib.scimath lib.format lib.mixins ma.extras "
    "polynomial.polynomial polynomial.chebyshev"
).split()
OWN = (
    "stats reset_stats fallbacks strict explain eval settings describe_device device get_device "
    "set_device synchronize"
).split()


def public(module: Any) -> list[str]:
    """What a module documents as its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        return [name for name in names if hasattr(module, name)]


def missing(path: str) -> list[str]:
    """Names of a NumPy module that its counterpart lacks."""
    ours, theirs = (attribute(m, path) for m in (fastnp, numpy))
    return [name for name in public(theirs) if not hasattr(ours, name)]


def attribute(module: Any, path: str) -> Any:
    """A submodule reached by attributes, as users write it."""
    for part in path.split(".") if path else ():
        module = getattr(module, part)
    return module


def test_every_name_of_numpy_resolves() -> None:
    assert missing("") == []
    assert [name for name in dir(numpy) if name[0] != "_" and not hasattr(fastnp, name)] == []


@pytest.mark.parametrize("path", SUBMODULES)
def test_every_name_of_a_submodule_resolves(path: str) -> None:
    assert missing(path) == []


@pytest.mark.parametrize("path", SUBMODULES)
def test_submodules_can_be_imported(path: str) -> None:
    if path == "emath":  # an attribute in NumPy, too, not a module
        return
    module = importlib.import_module(f"fastnp.{path}")
    assert public(importlib.import_module(f"numpy.{path}"))[0] in dir(module)


def test_ways_to_import() -> None:
    names: dict[str, Any] = {}
    program = """
from fastnp import *
from fastnp import linalg as la, float32, pi
from fastnp.linalg import norm, LinAlgError
from fastnp.random import default_rng, seed
from fastnp.fft import fft
import fastnp.linalg
import fastnp.lib.stride_tricks as st
import fastnp.polynomial.polynomial as poly
x = array([3.0, 4.0])
length = float(norm(x))
"""
    exec(program, names)
    assert names["length"] == 5.0
    assert names["LinAlgError"] is numpy.linalg.LinAlgError
    assert names["float32"] is numpy.float32


def test_constants_types_and_exceptions_are_numpys() -> None:
    for name in "float64 int64 dtype generic number bool_ finfo newaxis pi inf".split():
        assert getattr(fastnp, name) is getattr(numpy, name), name
    # The engine has to hear of the state as well.
    assert issubclass(fastnp.errstate, numpy.errstate)
    assert fastnp.exceptions.AxisError is numpy.exceptions.AxisError
    assert fastnp.__version__
    assert set(numpy.__all__) <= set(dir(fastnp))
    for name in ("all", "any", "min", "max", "sum", "round", "abs"):
        assert callable(getattr(fastnp, name))


def test_unknown_names_are_refused_in_numpys_words() -> None:
    for name in ("no_such_name", "float_", "product"):
        with pytest.raises(AttributeError) as theirs:
            getattr(numpy, name)
        with pytest.raises(AttributeError) as ours:
            getattr(fastnp, name)
        assert str(ours.value).replace("fastnp", "numpy") == str(theirs.value)


def test_docs_and_signatures_are_there() -> None:
    assert "sum" in (fastnp.sum.__doc__ or "").lower()
    assert fastnp.add.__name__ == "add" and fastnp.add.nin == 2 and fastnp.add.nout == 1
    assert fastnp.add.identity == 0 and fastnp.multiply.identity == 1
    assert fastnp.sin.types == numpy.sin.types
    assert callable(fastnp.add.reduce) and callable(fastnp.add.accumulate)
    assert isinstance(fastnp.frompyfunc(lambda x: x, 1, 1), numpy.ufunc)


def test_stats_count() -> None:
    fastnp.reset_stats()
    before = fastnp.stats()
    for key in (
        "kernels_launched",
        "kernels_compiled",
        "flushes",
        "native_operations",
        "fallbacks",
    ):
        assert isinstance(before[key], int) and before[key] == 0, key
    x = fastnp.arange(100_000.0)
    fastnp.eval(x * 2 + 1)
    after = fastnp.stats()
    assert after["native_operations"] >= 2
    assert after["flushes"] >= 1
    assert after["kernels_launched"] >= 1


def test_fallbacks_are_listed() -> None:
    x = fastnp.arange(4.0)
    fastnp.reset_stats()
    assert not fastnp.fallbacks()
    result = fastnp.polyfit(x, x, 1)
    assert isinstance(result, fastnp.ndarray)
    if fastnp.stats()["fallbacks"]:
        assert "polyfit" in str(fastnp.fallbacks())


def test_strict_refuses_fallbacks() -> None:
    x = fastnp.arange(5.0)
    with fastnp.strict():
        assert float((x * 2).sum()) == 20.0
    words = numpy.array(["a", "b"])
    fastnp.reset_stats()
    fastnp.char.upper(words)
    if fastnp.stats()["fallbacks"]:
        with fastnp.strict():
            with pytest.raises(Exception, match="upper"):
                fastnp.char.upper(words)
        fastnp.char.upper(words)  # outside the block it falls back again


def test_explain_says_what_would_run() -> None:
    x = fastnp.arange(100_000.0)
    text = str(fastnp.explain(fastnp.sqrt(x * 2 + 1)))
    assert "kernel" in text.lower()
    assert str(fastnp.explain())  # the last plan that ran, for a failing count to show


def test_eval_runs_and_returns() -> None:
    a, b = fastnp.arange(3.0) + 1, fastnp.arange(3.0) * 2
    assert fastnp.eval(a) is a
    both = fastnp.eval(a, b)
    assert both[0] is a and both[1] is b
    flushes = fastnp.stats()["flushes"]
    assert a.tolist() == [1.0, 2.0, 3.0] and b.tolist() == [0.0, 2.0, 4.0]
    assert fastnp.stats()["flushes"] == flushes


def test_settings_are_one_table() -> None:
    table = fastnp.settings()
    assert len(table) <= 10
    for name, row in table.items():
        assert isinstance(name, str)
        assert {"value", "default", "type", "doc"} <= set(row)


def test_own_names_are_few_and_documented() -> None:
    own = {n for n in dir(fastnp) if n[0] != "_" and n not in dir(numpy)}
    assert set(OWN) <= own
    # IPython asks for two by name, and users never write them.
    own -= {"load_ipython_extension", "unload_ipython_extension"}
    assert len(own) <= 23, sorted(own)


# What the package imports beyond NumPy's modules. `python -X importtime -c "import fastnp"` shows
# the time of each: together some 8 ms.
# All but the first are built into Python. `importlib` takes .3 ms for names of what has imported
# everything so far; NumPy imports it too, from 2.4 on.
PLAIN_MODULES = {"__future__", "_xxsubinterpreters", "_interpreters", "atexit", "faulthandler"}
PLAIN_MODULES |= {"gc", "importlib", "importlib.machinery"}
PLAIN_MODULES |= {"importlib._bootstrap", "importlib._bootstrap_external"}
MOST_MODULES = 28


def test_import_is_cheap() -> None:
    """It imports its own modules and no other: no thread, no probe, no cache scan."""
    program = (
        "import sys, threading; import numpy; before = set(sys.modules); import fastnp; "
        "print(threading.active_count(), *set(sys.modules) - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    threads, *modules = done.stdout.split()
    own = {name for name in modules if name.partition(".")[0] == "fastnp"}
    assert threads == "1"
    assert set(modules) - own <= PLAIN_MODULES
    assert len(own) <= MOST_MODULES
    assert "fastnp.ma" not in own


# Objects of the program's own before the import.
MANY = "many = [[] for _ in range(100_000)]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("gc.enable()", "True True"),
        ("import numpy, json", "True True"),
        ("gc.disable()", "False False"),
        ("gc.freeze(), gc.disable()", "False True"),
        ("sys.modules.__setitem__('numpy', None)", "True False"),
        (f"{MANY}; del many", "True False"),
        (f"gc.freeze(); {MANY}", "True True"),
    ],
)
def test_import_and_the_garbage_collector(before: str, after: str) -> None:
    """It stays enabled or disabled; objects are frozen at the start of a process alone."""
    program = (
        f"import contextlib, gc, sys; {before}\n"
        "with contextlib.suppress(ImportError): import fastnp\n"
        "print(gc.isenabled(), gc.get_freeze_count() > 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == after
