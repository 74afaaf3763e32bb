"""NumPy's own test files pass under fastnp, but for those listed as known to fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.numpy_suite.watch import BROKEN, FILES, known_failures, label, run_file


@pytest.mark.parametrize("name", FILES)
def test_numpys_tests_pass(name: str, tmp_path: Path) -> None:
    results = run_file(name, "fastnp", 120, tmp_path)
    broken = {label(name, t): why for t, (outcome, why) in results.items() if outcome in BROKEN}
    fresh = [f"{test} # {broken[test]}" for test in broken if test not in known_failures()]
    assert not fresh, f"{len(fresh)} tests fail:\n" + "\n".join(fresh[:40])
    assert sum(outcome == "passed" for outcome, _ in results.values()) > 20
