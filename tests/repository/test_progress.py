"""Long runs show progress. Short runs, and runs without a terminal, print little."""

from __future__ import annotations

import itertools
import time

import pytest

from tests.progress import with_progress


@pytest.mark.parametrize(
    ("is_terminal", "printed"),
    [(True, "\r\x1b[K0 of 3 runs\r\x1b[K1 of 3 runs\r\x1b[K2 of 3 runs\r\x1b[K"), (False, "")],
)
def test_progress_is_a_line(
    is_terminal: bool,
    printed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seconds = itertools.count(0.0, 2.5)
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)
    assert list(with_progress(["a", "b", "c"], "runs")) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", printed)
