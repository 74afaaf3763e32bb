"""Some hundred random programs, and every one that failed once; `tests.fuzz.programs` runs more."""

from __future__ import annotations

from textwrap import dedent

import fastnp
import pytest

from tests.fuzz import faults
from tests.fuzz.generate import Program
from tests.fuzz.kept import KEPT
from tests.fuzz.programs import kept_seeds
from tests.fuzz.run import MODES, check, explained, recheck
from tests.fuzz.surroundings import SURROUNDINGS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["default", "lazy", "mock"])
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_programs_agree(first: int, mode: str) -> None:
    with fastnp.settings(**MODES[mode]):
        for seed in range(first, first + 50):
            program, reason = check(seed)
            assert reason is None, explained(program, reason)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in SURROUNDINGS if name != "nothing"])
def test_random_programs_agree_in_surroundings(name: str) -> None:
    surroundings = SURROUNDINGS[name]
    for mode, count in (("lazy", 16), ("mock", 4)):
        with fastnp.settings(**MODES[mode]), surroundings.context():
            for seed in range(count):
                program, reason = check(seed, surroundings)
                assert reason is None, explained(program, reason)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", MODES)
def test_once_failed_programs_agree(mode: str) -> None:
    with fastnp.settings(**MODES[mode]):
        for seed in kept_seeds():
            program, reason = check(seed)
            assert reason is None, explained(program, reason)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", KEPT)
def test_kept_programs_agree(what: str, mode: str) -> None:
    statements = dedent(KEPT[what]).strip().splitlines()
    with fastnp.settings(**MODES[mode]):
        assert recheck(Program(0, statements)) is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["lazy", "mock"])
def test_programs_survive_every_fault(mode: str) -> None:
    with fastnp.settings(**MODES[mode], pool_limit=0):
        for seed in range(6):
            program, _, reason = faults.check(seed, MODES[mode])
            assert reason is None, f"{reason}\n{program.script()}"
