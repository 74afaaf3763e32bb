"""Some hundred random programs, and every one that failed once; `tests.fuzz.programs` runs more."""

from __future__ import annotations

import fastnp
import pytest

from tests.fuzz.programs import kept_seeds
from tests.fuzz.run import MODES, check, explained


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["default", "lazy"])
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_programs_agree(first: int, mode: str) -> None:
    with fastnp.settings(**MODES[mode]):
        for seed in range(first, first + 50):
            program, reason = check(seed)
            assert reason is None, explained(program, reason)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", MODES)
def test_once_failed_programs_agree(mode: str) -> None:
    with fastnp.settings(**MODES[mode]):
        for seed in kept_seeds():
            program, reason = check(seed)
            assert reason is None, explained(program, reason)
