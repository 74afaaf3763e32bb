"""joblib: worker processes map large arrays of ours from one file, as NumPy's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fastnp
import numpy
import pytest

joblib = pytest.importorskip("joblib")

SIZE = 2_000_000  # 16 MB


def _facts(x: Any) -> tuple[str, bool, str, float]:
    """What a worker gets: class, whether it may be written, the file that it maps, the sum."""
    x = fastnp.asarray(x) if type(x) is numpy.memmap else x
    address = x.__array_interface__["data"][0]
    return type(x).__module__, x.flags.writeable, _mapped(address), float(x.sum())


def _mapped(address: int) -> str:
    """The file that is mapped at an address."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        span, *fields = line.split(maxsplit=5)
        first, last = (int(end, 16) for end in span.split("-"))
        if first <= address < last:
            return fields[4] if len(fields) > 4 else ""
    return ""


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="reads /proc/self/maps")
@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_workers_map_an_argument_that_is_stored_once(backend: str) -> None:
    x: Any = fastnp.arange(float(SIZE))
    total = float(x.sum())
    facts = joblib.delayed(_facts)
    with joblib.Parallel(n_jobs=2, backend=backend) as parallel:
        found = parallel([facts(x) for _ in range(6)])
        (theirs,) = parallel([facts(x.to_numpy())])
        (part, small) = parallel([facts(x[::2]), facts(x[:10])])
    assert {(kind, writeable, value) for kind, writeable, _, value in found} == {
        ("fastnp", False, total)
    }
    files = {file for _, _, file, _ in found}
    assert len(files) == 1, "stored more than once"
    assert "joblib_memmapping_folder" in files.pop()
    assert theirs[3] == total
    assert (part[0], small[0], small[2]) == ("fastnp", "fastnp", "")
    assert part[3] == float(x[::2].sum())


@pytest.mark.parametrize("mode", [None, "r", "r+", "c"])
def test_a_file_is_read_or_mapped(mode: str | None, tmp_path: Path) -> None:
    x: Any = fastnp.arange(float(SIZE)).reshape(2, -1).T
    file = str(tmp_path / "x.joblib")
    joblib.dump({"x": x}, file)
    back = joblib.load(file, mmap_mode=mode)["x"]
    assert type(back) is (fastnp.ndarray if mode is None else numpy.memmap)
    assert back.flags.writeable == (mode != "r")
    assert back.strides == x.strides
    numpy.testing.assert_array_equal(numpy.asarray(back), numpy.asarray(x))
    if mode is not None and Path("/proc/self/maps").exists():
        assert _mapped(back.__array_interface__["data"][0]) == file


def test_hashes_are_numpys() -> None:
    x: Any = fastnp.arange(12.0).reshape(3, 4)
    assert joblib.hash(x) == joblib.hash(x.to_numpy()) != joblib.hash(x + 1)
