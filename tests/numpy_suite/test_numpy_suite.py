"""NumPy's own test files pass under fastnp, but for those listed as known to fail.

As users have the engine; the other modes take as long each, and are run by
`python -m tests.numpy_suite --modes forced eager`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.numpy_suite.watch import (
    BROKEN,
    FILES,
    known_failures,
    label,
    least_counts,
    run_file,
    unknown,
)

MODE = "default"


@pytest.mark.parametrize("name", FILES)
def test_numpys_tests_pass(name: str, tmp_path: Path) -> None:
    results = run_file(name, "fastnp", MODE, 120, tmp_path).tests
    broken = {label(name, t): why for t, (outcome, why) in results.items() if outcome in BROKEN}
    fresh = [f"{test} # {broken[test]}" for test in unknown(set(broken), known_failures(MODE))]
    assert not fresh, f"{len(fresh)} tests fail:\n" + "\n".join(sorted(fresh)[:40])
    assert any(outcome == "passed" for outcome, _ in results.values())
    assert len(results) >= least_counts().get(name, 1), "the run was cut short"
