"""Whole programs, unmodified but for the import, print and compute the same under both modules.

Each file of `tests/programs` starts with `import numpy as np`; under fastnp only that line is
replaced. Printed text must be equal, and so must every variable at the end, up to the rounding of
sums and elementary functions.
"""

from __future__ import annotations

import contextlib
import io
import types
from pathlib import Path
from typing import Any

import numpy
import pytest

from tests.compare import difference

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").glob("*.py"))
LINE = "import numpy as np\n"


def run(path: Path, module: str) -> tuple[str, dict[str, Any]]:
    """The output of the program and its variables, with NumPy replaced by `module`."""
    source = path.read_text()
    assert source.count(LINE) == 1, f"{path.name} imports numpy otherwise than by {LINE!r}"
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source.replace(LINE, f"import {module} as np\n"), str(path), "exec"), names)
    return printed.getvalue(), names


def comparable(value: Any) -> bool:
    """Arrays, scalars and plain containers; not functions, modules and generators."""
    if isinstance(value, (list, tuple)):
        return all(comparable(item) for item in value)
    plain = (numpy.ndarray, numpy.generic, int, float, complex, str, bytes)
    return isinstance(value, plain) and not isinstance(
        value, (types.ModuleType, numpy.ma.MaskedArray)
    )


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(path: Path) -> None:
    printed, variables = run(path, "fastnp")
    expected, theirs = run(path, "numpy")
    assert printed == expected
    for name, value in theirs.items():
        if not name.startswith("__") and comparable(value):
            single = getattr(value, "dtype", None) in (numpy.float32, numpy.float16)
            reason = difference(
                variables[name], value, rtol=1e-5 if single else 1e-9, where=f"{path.name}: {name}"
            )
            assert reason is None, reason
