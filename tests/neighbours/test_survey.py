"""The survey of other libraries: what differs is what `survey/known.txt` lists, and no more.

Those of the libraries that are installed are run; `make neighbours` installs the others.
"""

from __future__ import annotations

from pathlib import Path

import fastnp
import numpy
import pytest

from tests.neighbours.survey.inputs import grid, pending
from tests.neighbours.survey.known import KNOWN, checked, known
from tests.neighbours.survey.survey import (
    CRASHED,
    DIFFERS,
    REFUSED,
    Finding,
    Result,
    libraries,
    survey,
)


@pytest.mark.parametrize("library", libraries())
def test_library(library: str) -> None:
    result = survey(library)
    if result.absent:
        pytest.skip(f"not installed: {result.absent}")
    wrong = checked(result, known().get(library, {}))
    assert not wrong, "\n".join(wrong)


def test_known_differences_are_of_libraries() -> None:
    assert set(known()) <= set(libraries()), KNOWN


def test_inputs_are_pending() -> None:
    for make in (pending, grid):
        fastnp.flush()
        x = make(fastnp)
        assert fastnp.explain(x).startswith("pending")
        assert numpy.array_equal(numpy.asarray(x), make(numpy))


def test_list_is_held_to() -> None:
    result = Result("a", "1", findings=[Finding("p", "same"), Finding("q", DIFFERS, "values")])
    assert checked(result, {"q": DIFFERS}) == []
    assert checked(result, {}) == ["new: a q differs: values"]
    assert checked(result, {"q": CRASHED}) == []
    assert checked(result, {"q": REFUSED}) == ["changed: a q differs, known as refused: values"]
    assert checked(result, {"p": DIFFERS, "q": DIFFERS}) == [
        "no longer: a p is known as differs, and is the same: take it off the list"
    ]
    assert checked(result, {"q": DIFFERS, "r": DIFFERS}) == ["unknown program: a r"]


PROGRAMS = '''
"""Programs that end in every way."""

import os, signal, sys, time


def same(np):
    return np.arange(3), pending(np)


def differs(np):
    return np.__name__ == "numpy"


def refused(np):
    if np.__name__ == "fastnp":
        raise TypeError("no fastnp")


def crashes(np):
    if np.__name__ == "fastnp":
        os.kill(os.getpid(), signal.SIGSEGV)


def leaves(np):
    if np.__name__ == "fastnp":
        os._exit(3)


def prints(np):
    print(np.__name__, np.arange(3))


def broken(np):
    raise ValueError("under both")


@rounded(1e-6)
def rounds(np):
    return 1.0 + (np.__name__ == "fastnp") * 1e-9
'''


def test_every_outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "outcomes.py").write_text(
        "from tests.neighbours.survey.inputs import pending, rounded\n" + PROGRAMS
    )
    monkeypatch.setenv("SURVEY_LIBRARIES", str(tmp_path))
    found = {f.program: f.outcome for f in survey("outcomes").findings}
    assert found == {
        "same": "same",
        "differs": "differs",
        "refused": "refused",
        "crashes": "crashed",
        "leaves": "crashed",
        "prints": "same",
        "broken": "broken",
        "rounds": "same",
    }
