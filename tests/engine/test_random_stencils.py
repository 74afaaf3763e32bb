"""Random stencils under NumPy and fastnp, often enough that loops are compiled for their shifts.

A stencil is a few operations of parts of one or two arrays that are shifted against each other, of
any types, stored to a part of a third array. Loops for shifts are made once 2 ** 18 points were
computed without, which programs of `tests.fuzz` do not reach.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import fastnp
import numpy
import pytest

# More than the points after which a loop is compiled.
POINTS = 300_000
TYPES = ("d", "f", "q", "i", "Q", "I", "D", "F", "h")
OPERATIONS = ("{} + {}", "{} - {}", "{} * {}", "np.maximum({}, {})", "np.where({} > 2, {}, 1)")


class Stencil:
    """A random stencil: the source of a function of two arrays and a third that it stores to."""

    def __init__(self, seed: int) -> None:
        dice = random.Random(seed)
        axes = dice.choice([1, 2, 2, 2, 3])
        shape = [dice.choice([9, 11, 20, 30, 45, 70, 150]) for _ in range(axes)]
        # Few points run at once, statement by statement.
        while numpy.prod(shape) < 6000:
            shape[0] *= 2
        self.shape = tuple(shape)
        self.types = [dice.choice(TYPES[:6]) for _ in "ab"]
        if dice.random() < 0.7:
            self.types[1] = self.types[0]
        # Rows share vectors where elements are equally large. What integers floats become that do
        # not fit is undefined.
        size = numpy.dtype(self.types[0]).itemsize if dice.random() < 0.7 else None
        are_floats = any(char in "df" for char in self.types[:2])
        results = [char for char in TYPES if size in (None, numpy.dtype(char).itemsize)]
        results = [char for char in results if not are_floats or char in "dfDF"]
        self.types.append(dice.choice(results))
        reach = dice.choice([1, 1, 2])
        parts = [self.part(dice, axes, reach) for _ in range(dice.randint(2, 7))]
        text = parts[0]
        for part in parts[1:]:
            text = f"({dice.choice(OPERATIONS).format(text, part)})"
        inner = ", ".join([f"{reach}:-{reach}"] * axes)
        self.source = f"c[{inner}] {dice.choice(['', '', '+'])}= {text}"

    @staticmethod
    def part(dice: random.Random, axes: int, reach: int) -> str:
        """A part of an array, shifted along some axes."""
        indices = []
        for _ in range(axes):
            by = dice.randint(-reach, reach) if dice.random() < 0.6 else 0
            indices.append(f"{reach + by}:{(by - reach) or None}")
        return f"{dice.choice('aaab')}[{', '.join(indices)}]"

    def arrays(self, seed: int) -> list[Any]:
        """Small integers in arrays of the types."""
        generator = numpy.random.default_rng(seed)
        return [generator.integers(0, 9, self.shape).astype(char) for char in self.types]


@pytest.mark.parametrize("seed", range(400))
def test_random_stencils(seed: int) -> None:
    stencil = Stencil(seed)
    code = compile(stencil.source, "stencil", "exec")
    a, b, expected = stencil.arrays(seed)
    ours = [fastnp.array(array) for array in (a, b, expected)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(code, {"np": numpy, "a": a, "b": b, "c": expected})
        except TypeError:
            pytest.skip("a result that its array does not hold")
        first = ours[2].copy()
        for _ in range(POINTS // a.size + 2):
            ours[2] = first.copy()
            exec(code, {"np": fastnp, "a": ours[0], "b": ours[1], "c": ours[2]})
            fastnp.eval(ours[2])
    found = numpy.asarray(ours[2])
    assert (found == expected).all(), f"{stencil.source}, {stencil.shape}, {stencil.types}"
