"""NumPy's own test files pass under fastnp in every mode, but for those listed as known to fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.numpy_suite.watch import BROKEN, FILES, MODES, known_failures, label, run_file, unknown


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FILES)
def test_numpys_tests_pass(name: str, mode: str, tmp_path: Path) -> None:
    results = run_file(name, "fastnp", mode, 120, tmp_path).tests
    broken = {label(name, t): why for t, (outcome, why) in results.items() if outcome in BROKEN}
    fresh = [f"{test} # {broken[test]}" for test in unknown(set(broken), known_failures(mode))]
    assert not fresh, f"{len(fresh)} tests fail:\n" + "\n".join(sorted(fresh)[:40])
    assert any(outcome == "passed" for outcome, _ in results.values())
