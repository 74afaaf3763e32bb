"""Random programs whose operands lie in several orders of memory, against NumPy.

Arrays have more points than unrelated nodes share a kernel for, so that the planner takes kernels
apart by the orders in which they step through memory.
"""

from __future__ import annotations

from random import Random
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same

SHAPE = (90, 110)
# Exact operations: the order in which elements are computed does not matter.
FORMS = (
    "np.abs({0})",
    "1.5 - {0}",
    "{0} + {1}",
    "{0} - {1}",
    "{0} * {1}",
    "np.maximum({0}, {1})",
    "np.where({0} > {1}, {0}, 0.25)",
    "np.where({1} > {0}, {1}, {0})",
)
UPDATES = ("{0}[:] *= {1}[:]", "{0}[1:] -= {1}[1:]", "{0}[:, ::2] += {1}[:, ::2]")


def operands(np: Any) -> dict[str, Any]:
    """Evaluated arrays of one shape, of which some are transposed."""
    random = numpy.random.default_rng(1)
    made = {}
    for name in "abcd":
        shape = SHAPE if name in "ab" else SHAPE[::-1]
        whole = np.array(random.integers(-8, 8, shape) / 4)
        made[name] = whole if name in "ab" else whole.T
    return made


def program(seed: int) -> list[str]:
    """Statements over the operands and earlier results."""
    random = Random(seed)
    names, lines = list("abcd"), []
    for number in range(random.randint(4, 10)):
        one, other = random.choice(names[-4:]), random.choice(names)
        if number > 1 and random.random() < 0.25:
            target = random.choice(names[4:])
            lines.append(random.choice(UPDATES).format(target, other))
            continue
        text = one
        for _ in range(random.randint(1, 3)):
            text = f"({random.choice(FORMS).format(text, other)})"
        names.append(f"v{number}")
        lines.append(f"v{number} = {text}")
    return lines


def results(np: Any, lines: list[str]) -> dict[str, Any]:
    """The variables of a program after it has run."""
    values: dict[str, Any] = {"np": np, **operands(np)}
    if np is fastnp:
        fastnp.eval(*(values[name] for name in "abcd"))
    exec("\n".join(lines), values)
    return {name: value for name, value in values.items() if name.startswith("v")}


@pytest.mark.parametrize("seed", range(120))
def test_programs_over_several_orders_of_memory(seed: int) -> None:
    lines = program(seed)
    expected, found = results(numpy, lines), results(fastnp, lines)
    fastnp.eval(*found.values())
    for name, value in found.items():
        assert_same(value, expected[name])
