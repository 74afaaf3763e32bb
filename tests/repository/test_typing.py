"""A type checker sees NumPy's signatures through `import fastnp as np`, and our own names exactly.

NumPy's own stubs are the reference: a name or a type is correct if `import numpy as np` gives the
same.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import warnings
import zlib
from pathlib import Path
from typing import Any

import fastnp
import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pybind" / "python" / "fastnp"
OWN = (
    "FallbackError FallbackWarning LoopError describe_device device doctor eval explain fallbacks "
    "flush get_device install jit load_ipython_extension parallel_for parallel_reduce "
    "parallel_scan profile reset_stats set_device settings stats strict synchronize "
    "unload_ipython_extension"
)

# Run under both modules: the types have to be the same.
SHARED = """
import {module} as np
import {module}.linalg as la
import {module}.lib.stride_tricks as st
import {module}.polynomial.polynomial as poly
from {module}.random import default_rng
from {module}.typing import NDArray

x = np.arange(10.0)
def scale(a: NDArray[np.float64], by: float = 2.0) -> np.ndarray: return a * by

reveal_type(x)
reveal_type(np.sin)
reveal_type(np.mean)
reveal_type(np.sum(x, axis=0))
reveal_type(scale(x))
reveal_type(x.reshape(2, 5).astype(np.float32))
reveal_type(np.zeros(3, dtype=np.int16))
reveal_type(np.where(x > 1, x, 0))
reveal_type(np.linalg.norm(x))
reveal_type(la.svd(np.eye(3)))
reveal_type(default_rng(1).normal(size=3))
reveal_type(np.random.default_rng)
reveal_type(np.fft.rfft(x))
reveal_type(np.ma.masked_array([1.0]))
reveal_type(np.polynomial.Polynomial)
reveal_type(poly.polyval)
reveal_type(st.sliding_window_view)
reveal_type(np.float64(1) + 1)
reveal_type(np.finfo)
reveal_type(np.errstate)
reveal_type(np.newaxis)
reveal_type(np.__version__)
np.no_such_name
np.zeros(shape="three")
x.no_such_method()
"""

# Ours alone, each with what is to be revealed, or the error.
EXTRA = """
import builtins
import numpy
import fastnp as np
x = np.arange(10.0)
def plain(a: numpy.ndarray) -> None: ...
plain(x)
reveal_type(np.eval())  # None
reveal_type(np.eval(1))  # int
reveal_type(np.eval(x, x))  # tuple[object, ...]
reveal_type(np.explain(x))  # fastnp._Explanation
reveal_type(np.explain(x).svg())  # str
reveal_type(np.profile().__enter__())  # fastnp.profile
reveal_type(np.doctor("program.py")[0].line)  # int
reveal_type(np.flush())  # None
reveal_type(np.stats())  # dict[str, int]
reveal_type(np.reset_stats())  # None
reveal_type(np.fallbacks()[0].name)  # str
reveal_type(np.fallbacks()[0].sites)  # dict[str, int]
reveal_type(np.settings()["tiny"]["value"])  # int | str
reveal_type(np.settings(debug=1, fallback="warn").__enter__())  # fastnp.settings
reveal_type(np.strict().__enter__())  # fastnp.strict
reveal_type(np.FallbackError("x"))  # fastnp.FallbackError
reveal_type(isinstance(np.FallbackWarning(), UserWarning))  # bool
reveal_type(isinstance(np.LoopError(), RuntimeError))  # bool
@np.jit
def doubled(a: int) -> int: return 2 * a
@np.jit(strict=True)
def halved(a: int) -> float: return a / 2
reveal_type(doubled)  # def (a: int) -> int
reveal_type(halved(1))  # float
reveal_type(np.install())  # None
reveal_type(np.parallel_for((2, 3), print, 1))  # None
np.settings(no_such=1)  # Unexpected keyword argument "no_such" for "settings"
np.settings(fallback="perhaps")  # Argument "fallback" to "settings" has incompatible type
"""


def modules() -> list[str]:
    """The stubs of submodules, as dotted names under the package."""
    found = []
    for path in sorted(PACKAGE.rglob("*.pyi")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        if not name.startswith("_"):
            found.append(name.removesuffix(".__init__"))
    return found


def public(module: Any) -> list[str]:
    """What a module documents as its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        return [name for name in names if hasattr(module, name)]


def names(module: str) -> str:
    """A program that mentions every public name NumPy has at run time, with its submodules'."""
    lines = ["import numpy, " + module]
    lines += [f"import {module}.{name}" for name in modules()]
    lines += [f"{module}.{name}" for name in public(numpy)]
    for name in modules():
        there = importlib.import_module("numpy." + name)
        lines += [f"{module}.{name}.{attribute}" for attribute in public(there)]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[int, str]]]:
    """What mypy says of each program: line and message. One run, as most of it is reading stubs."""
    folder = tmp_path_factory.mktemp("typed")
    programs = {
        "shared_numpy": SHARED.format(module="numpy"),
        "shared_fastnp": SHARED.format(module="fastnp"),
        "names_numpy": names("numpy"),
        "names_fastnp": names("fastnp") + "".join(f"\nfastnp.{name}" for name in OWN.split()),
        "extra": EXTRA,
    }
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file=", "--strict", "--no-pretty"]
    # What mypy reuses of stubs that changed it shows in another order.
    stubs = b"".join(path.read_bytes() for path in sorted(PACKAGE.glob("*.pyi")))
    cache = ROOT / ".mypy_cache" / f"typed-{zlib.crc32(stubs):08x}"
    done = subprocess.run(
        [*command, "--cache-dir", str(cache), *(f"{name}.py" for name in programs)],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    found: dict[str, list[tuple[int, str]]] = {name: [] for name in programs}
    for line in done.stdout.splitlines():
        match = re.match(r"(\w+)\.py:(\d+): (?:note|error): (.*)", line)
        if match:
            found[match[1]].append((int(match[2]), match[3]))
    return found


Checked = dict[str, list[tuple[int, str]]]


def test_types_are_numpys(checked: Checked) -> None:
    ours, theirs = checked["shared_fastnp"], checked["shared_numpy"]
    assert len(theirs) >= SHARED.count("reveal_type") + 3
    assert ours == theirs


def test_own_names_are_typed(checked: Checked) -> None:
    said = dict(reversed(checked["extra"]))
    wanted = {
        number: line.split("  # ")[1]
        for number, line in enumerate(EXTRA.splitlines(), 1)
        if "  # " in line
    }
    assert said.keys() == wanted.keys(), checked["extra"]
    for number, text in wanted.items():
        revealed = f'Revealed type is "{text}"'
        assert said[number] == revealed or said[number].startswith(text), (said[number], text)


def test_every_name_is_typed(checked: Checked) -> None:
    """What exists at run time and NumPy types is in our stubs."""
    ours, theirs = (
        {message.replace("fastnp", "numpy") for _, message in checked[f"names_{module}"]}
        for module in ("fastnp", "numpy")
    )
    assert ours <= theirs


def test_every_typed_name_exists() -> None:
    stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    declared = set(re.findall(r"^(?:def|class) ([a-z]\w*|[A-Z]\w*)", stub, re.MULTILINE))
    assert declared == set(OWN.split())
    assert {name for name in dir(fastnp) if name[0] != "_"} - set(dir(numpy)) == declared
    assert set(numpy.__all__) <= set(dir(fastnp))
    for name in modules():
        assert public(importlib.import_module("fastnp." + name)), name


def test_stubs_agree_with_the_package(tmp_path: Path) -> None:
    """mypy's stubtest over our own names; with NumPy's in the same module it takes a minute."""
    stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    stub = re.sub(r"^from numpy import .*\n", "", stub, flags=re.MULTILINE)
    (tmp_path / "own.pyi").write_text(stub, encoding="utf-8")
    (tmp_path / "own.py").write_text(f"from fastnp import {', '.join(OWN.split())}\n")
    command = [sys.executable, "-m", "mypy.stubtest", "own", "--concise"]
    command += ["--ignore-missing-stub", "--ignore-disjoint-bases"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_the_package_says_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert modules()
