"""Whether composed kernels compute what NumPy does: random programs over small arrays.

`agreement` runs them on the current device; small arrays are composed under a debug function alone.
`python -m tests.on_compositions cuda` prints how many there were, how many were composed, and which
failed.
"""

from __future__ import annotations

import sys
from typing import Any

import fastnp
import numpy
from fastnp import _fastnp

from tests.compare import assert_same


def random_program(seed: int) -> tuple[list[str], tuple[int, ...]]:
    """Statements over `x`, `y` and what they make: folds, scans, in-place updates, views."""
    rng = numpy.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(1, 14, rng.integers(2, 4)))
    axis = int(rng.integers(len(shape)))
    full, lines = ["x", "y"], []

    def pick() -> str:
        return full[int(rng.integers(len(full)))]

    for number in range(int(rng.integers(3, 9))):
        a, b, new = pick(), pick(), f"v{number}"
        fold = ["sum", "max", "min", "mean", "prod"][int(rng.integers(5))]
        folded = f"{a}.{fold}(axis={axis}, keepdims=True)"
        lines.append(
            [
                f"{new} = {b} - {folded}",
                f"{new} = {folded} * {b} + {a}",
                f"{new} = np.cumsum({a}, axis={axis}) + {b}",
                f"{new} = {a}[::-1] * 0.5 + {b}",
                f"{new} = np.where({a} > 0, {b}, {folded})",
                f"{new} = {a} + 1; {new} -= {new}.mean(axis={axis}, keepdims=True)",
                f"{new} = {a} * 2; {new}[1:] += {folded}[:1]",
                f"{new} = {a} * 1; {new}[..., ::2] = {b}[..., ::2] - {folded}[..., :1]",
                f"{new} = ({a}.T - {a}.T.max(axis=0)).T",
                f"{new} = {b} / (1 + abs({a}).argmax(axis={axis}, keepdims=True))",
            ][int(rng.integers(10))]
        )
        full.append(new)
    if rng.integers(2):
        # What lives is what is left: the rest may be in scratch memory.
        lines.append(f"del {', '.join(full[2:-1])}" if len(full) > 3 else "pass")
    return lines, shape


def run(lines: list[str], shape: tuple[int, ...], np: Any) -> dict[str, Any]:
    """The arrays of a program."""
    rng = numpy.random.default_rng(len(lines))
    names = {"np": np, "x": np.array(rng.random(shape)), "y": np.array(rng.random(shape) - 0.5)}
    exec("\n".join(lines), names)
    return {key: names[key] for key in names if key[0] in "vxy"}


def agreement(count: int) -> dict[str, Any]:
    """Compare so many programs; returns how many kernels were composed, and the failures."""
    composed, failed = 0, []
    _fastnp.compose_small(True)
    try:
        with fastnp.settings(tiny=0):
            for seed in range(count):
                lines, shape = random_program(seed)
                found, want = run(lines, shape, fastnp), run(lines, shape, numpy)
                composed += "in stages" in fastnp.explain()
                try:
                    assert found.keys() == want.keys()
                    assert_same(tuple(found.values()), tuple(want.values()), rtol=1e-9)
                except AssertionError as error:
                    failed.append(f"seed {seed}: {lines}: {error}")
    finally:
        _fastnp.compose_small(False)
    return {"compared": count, "composed": composed, "failed": failed}


def main(device: str, count: str = "300") -> int:
    """Print what was found."""
    with fastnp.device(device):
        found = agreement(int(count))
    print(found["compared"], found["composed"], len(found["failed"]))
    print("\n".join(found["failed"]))
    return 1 if found["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
