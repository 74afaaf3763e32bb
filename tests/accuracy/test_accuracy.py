"""The errors of functions and reductions are within their bounds.

They are those of `docs/accuracy.md`, measured at fewer points.
"""

from __future__ import annotations

import math
import pathlib
import re
import struct

import numpy
import pytest

from tests.accuracy import functions, reductions, transforms
from tests.accuracy.__main__ import QUICK

REFERENCE = pathlib.Path(__file__).parent / "reference"
TABLE = pathlib.Path(__file__).parents[2] / "docs" / "accuracy.md"
# NumPy's largest error of each function and type: the fourth column of the first table.
RECORDED = {
    (name, dtype): float(numpys)
    for name, dtype, numpys in re.findall(
        r"^\| (\w+) \| (\w+) \| \S+ \| (\S+) \| \S+ \|$",
        TABLE.read_text(encoding="utf-8").partition("## Reductions")[0],
        re.MULTILINE,
    )
}

pytestmark = pytest.mark.skipif(not functions.has_reference(), reason="no long double here")

REAL = [
    (name, d)
    for name in functions.UNARY + functions.BINARY
    for d in ("float16", "float32", "float64")
]
COMPLEX = functions.COMPLEX_UNARY + functions.COMPLEX_BINARY


@pytest.mark.parametrize(("name", "dtype"), REAL)
def test_function(name: str, dtype: str) -> None:
    row = functions.measure(name, dtype, QUICK)
    # Fewer points may miss NumPy's largest error, so the recorded one counts too.
    row = row._replace(numpys=max(row.numpys, RECORDED[name, dtype]))
    assert row.ours <= row.bound, row


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_function(name: str, dtype: str) -> None:
    row = functions.measure(name, dtype, QUICK)
    assert row.ours <= max(row.bound, 4.0), row


@pytest.mark.parametrize("dtype", transforms.DTYPES)
@pytest.mark.parametrize("name", transforms.TRANSFORMS)
def test_transform(name: str, dtype: str) -> None:
    for points in (100, 243, 1009, 1024, 4096, 65536):
        row = transforms.measure(name, dtype, points)
        assert row.ours <= row.bound, row


@pytest.mark.parametrize("dtype", reductions.DTYPES)
@pytest.mark.parametrize("name", reductions.REDUCTIONS)
def test_reduction(name: str, dtype: str) -> None:
    layouts = reductions.LAYOUTS[:2] if name == "dot" else reductions.LAYOUTS
    for layout in layouts:
        row = reductions.measure(name, dtype, layout, [1, 10, 1000, 10_000])
        assert row.ours <= row.bound, row


@pytest.mark.parametrize("path", sorted(REFERENCE.glob("*.txt")), ids=lambda path: path.stem)
def test_the_reference_is_exact(path: pathlib.Path) -> None:
    """Long double is within a hundredth of an ulp of values computed with 400 bits."""
    for line in path.read_text().splitlines():
        *words, off = line.split()
        *arguments, rounded = (struct.unpack(">d", bytes.fromhex(word))[0] for word in words)
        args = [numpy.array([x]) for x in arguments]
        with numpy.errstate(all="ignore"):
            true = functions.reference(path.stem, args)[0]
        distance = (true - numpy.longdouble(rounded)) / numpy.longdouble(math.ulp(rounded))
        assert abs(float(distance) * 1000 - float(off)) < 10, (path.stem, arguments)
