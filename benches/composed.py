"""Composed kernels beside NumPy: `python -m benches.composed`.

The programs are those that FusionStitching and PyFuser are measured by, written here: row-wise
normalisations, a classifier's step, updates through a transposed view, and products: with a narrow
side, with vectors on both sides, with the transposed matrix, with computed matrices; what
broadcasts along short rows or columns, alone and folded; and updates that read a row of what they
overwrite. A line gives the time of a call under NumPy over that under fastnp,
the kernels that a call launches, and for what reads its input and writes a result of its size once,
the share of the bandwidth of a copy of as much memory in the same run.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import fastnp
import numpy

from benches.turns import take_turns

Program = Callable[[Any, Any], Any]


def copied(np: Any, x: Any) -> Any:
    return x.copy()


def softmax(np: Any, x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(np: Any, x: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5)


def variance(np: Any, x: Any) -> Any:
    return x.var(axis=1)


def normalised(np: Any, x: Any) -> Any:
    return x / x.sum(axis=1)[:, None]


def standardised(np: Any, x: Any) -> Any:
    return (x - x.mean(axis=0)) / x.std(axis=0)


def min_max(np: Any, x: Any) -> Any:
    return (x - x.min()) / (x.max() - x.min())


def scaled(np: Any, x: Any) -> Any:
    return np.exp(x) * x[0]


def exponential_means(np: Any, x: Any) -> Any:
    return np.exp(-np.abs(x)).mean(axis=0)


def normal_tails(np: Any, x: Any) -> Any:
    """A normal density, most of which underflows."""
    return np.exp(-((100 * x - 50) ** 2))


def squared_distance(np: Any, x: Any) -> Any:
    difference = x - x[0]
    return (difference * difference).sum()


def with_transposed(np: Any, x: Any) -> Any:
    """A sum with an array of the other memory order."""
    return x + x.reshape(x.shape[::-1]).T


def classified(np: Any, x: Any) -> Any:
    """Log-likelihoods of two normal distributions a feature, and the more likely class."""
    mean, spread = x[:2], 1.0 + x[2:4] * x[2:4]
    difference = x[:, None, :] - mean
    terms = difference * difference / spread + np.log(spread)
    return (-0.5 * terms.sum(axis=2)).argmax(axis=1)


def transposed_updates(np: Any, x: Any) -> Any:
    n = min(x.shape)
    u, t = x[:n, :n].copy(), x[:n, :n] + 1
    for _ in range(20):
        u += t.T
        t += 1
    return u


def skinny(np: Any, x: Any) -> Any:
    return x[:4] @ x[:, :4] if x.shape[0] == x.shape[1] else x.T[:4] @ x


def small_stack(np: Any, x: Any) -> Any:
    stack = x.reshape(-1)[: x.size // 16 * 16].reshape(-1, 4, 4)
    return stack @ stack


def power_step(np: Any, x: Any) -> Any:
    return (x @ x[0]) @ x


def gradient(np: Any, x: Any) -> Any:
    """Of a logistic regression."""
    likely = 1 / (1 + np.exp(-(x @ x[0])))
    return (likely - x[:, 1]) @ x


def gram(np: Any, x: Any) -> Any:
    return x.T @ x


def computed_product(np: Any, x: Any) -> Any:
    return np.dot(1.5 * x, x[0])


def product_across(np: Any, x: Any) -> Any:
    return x[:, 0] @ (x + 1)


def masked_product(np: Any, x: Any) -> Any:
    return (x > 0.5) @ x[0]


def from_first_row(np: Any, x: Any) -> Any:
    """An update that reads a row of what it overwrites; the next one adds it again."""
    x -= x[0]
    x += 0.5
    return x


def eliminated(np: Any, x: Any) -> Any:
    """A step of elimination, with factors so small that it can be repeated."""
    x[1:] -= x[1:, :1] * (x[0] * 1e-9)
    return x


# The program, and whether it reads x once and writes as much.
PROGRAMS: dict[str, tuple[Program, bool]] = {
    "copy": (copied, True),
    "softmax": (softmax, True),
    "layer norm": (layer_norm, True),
    "row sums to one": (normalised, True),
    "standardised columns": (standardised, True),
    "min-max": (min_max, True),
    "variance of rows": (variance, False),
    "scaled exponentials": (scaled, True),
    "means of exponentials": (exponential_means, False),
    "tails of a normal": (normal_tails, True),
    "squared distance": (squared_distance, False),
    "sum with transposed": (with_transposed, False),
    "two classes": (classified, False),
    "transposed updates": (transposed_updates, False),
    "skinny product": (skinny, False),
    "stack of 4 by 4": (small_stack, False),
    "step of power iteration": (power_step, False),
    "logistic gradient": (gradient, False),
    "Gram matrix": (gram, False),
    "scaled matrix @ vector": (computed_product, False),
    "vector @ shifted matrix": (product_across, False),
    "mask @ vector": (masked_product, False),
    "less its first row": (from_first_row, True),
    "elimination": (eliminated, True),
}


def seconds(program: Program, np: Any, x: Any) -> float:
    start = time.perf_counter()
    result = program(np, x)
    if np is fastnp:
        fastnp.eval(result)
    return time.perf_counter() - start


def kernels(program: Program, x: Any) -> int:
    fastnp.reset_stats()
    fastnp.eval(program(fastnp, x))
    return int(fastnp.stats()["kernels_launched"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    print(
        f"{'program':24}{'shape':>16}{'numpy ms':>10}{'ms':>9}{'ratio':>8}{'kernels':>9}"
        f"{'of copy':>9}"
    )
    for shape in ((4096, 1000), (1000, 1000), (100_000, 32), (200_000, 3)):
        theirs = numpy.random.default_rng(0).random(shape)
        ours = fastnp.array(theirs)
        fastnp.eval(ours)
        copy = 0.0
        for name, (program, is_copy_like) in PROGRAMS.items():
            launched = [kernels(program, ours) for _ in range(3)][-1]
            measures = {
                "numpy": partial(seconds, program, numpy, theirs),
                "fastnp": partial(seconds, program, fastnp, ours),
            }
            times = take_turns(measures, arguments.rounds)
            numpys, fastnps = (statistics.median(times[key]) for key in ("numpy", "fastnp"))
            copy = copy or fastnps
            share = f"{copy / fastnps:9.2f}" if is_copy_like else ""
            print(
                f"{name:24}{shape!s:>16}{numpys * 1e3:10.2f}{fastnps * 1e3:9.2f}"
                f"{numpys / fastnps:8.2f}{launched:9}{share}",
                flush=True,
            )


if __name__ == "__main__":
    main()
