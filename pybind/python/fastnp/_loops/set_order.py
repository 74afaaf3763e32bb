"""Whether the sets of this Python are those that compiled loops have in memory."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from fastnp import _fastnp


@cache
def is_known() -> bool:
    """Whether the sets of this Python are as `tables.rs` has them: their order depends on all that
    was added and removed before.
    """
    dice = Random(0)
    for width, span in ((1, 60), (2, 1 << 40), (3, 2)):
        sample: set[Any] = set()
        operations: list[tuple[bool, list[int]]] = []
        for _ in range(400):
            words = [dice.randint(-span, span) for _ in range(width)]
            if sample and dice.random() < 0.3:
                found = next(iter(sample))
                words = [found] if width == 1 else [*found]
            key = words[0] if width == 1 else (*words,)
            is_added = dice.random() < 0.6
            (sample.add if is_added else sample.discard)(key)
            operations.append((is_added, words))
        items = [[item] if width == 1 else [*item] for item in sample]
        if _fastnp.replayed_set(operations, width) != items:
            return False
    return all(are_operators_known(dice, most) for most in (4, 16, 60))


def are_operators_known(dice: Random, most: int) -> bool:
    """Whether intersections and differences of sets come about as `set_operations` has it."""
    left, right = ({dice.randint(-most, 4 * most) for _ in range(most)} for _ in range(2))
    smaller, larger = (left, right) if len(right) > len(left) else (right, left)
    made = left & right, left - right
    taken = [k for k in smaller if k in larger], [k for k in left if k not in right]
    return all(
        _fastnp.replayed_set([(True, [k]) for k in keys], 1) == [[k] for k in found]
        for found, keys in zip(made, taken, strict=True)
    )
