"""Debug output by environment variables: `FASTNP_DEBUG` and `FASTNP_DUMP`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import fastnp as np
x = np.array(range(5000)) * 0.5
print(float((np.exp(-x) + 1).sum()), (x.reshape(50, 100) @ x.reshape(100, 50)).shape)
np.flush()
"""
# What each level adds.
TOLD = {
    1: "fastnp: compiled kernel 1: ",
    2: " GB/s\n",
    3: "fastnp: new plan: ",
    4: "kernel reduce(outer 0, inner 1) {",
    5: "portable, Reduce",
}


def run(**environment: str) -> str:
    """What the program writes to standard error."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


@pytest.mark.parametrize("level", range(6))
def test_each_level_adds_to_the_ones_below(level: int) -> None:
    told = run(FASTNP_DEBUG=str(level))
    assert [text in told for text in TOLD.values()] == [at <= level for at in TOLD]


def test_kernels_are_dumped(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    assert run(FASTNP_DUMP=str(folder)) == ""
    names = sorted(path.name for path in folder.iterdir())
    assert names and len(names) % 2 == 0
    for ir, listing in zip(names[::2], names[1::2]):
        assert ir.endswith(".ir") and listing.endswith(".txt") and ir[:-3] == listing[:-4]
        assert (folder / ir).read_text().startswith("kernel ")
        assert (folder / listing).read_text().startswith(("portable, ", "x86\n"))
