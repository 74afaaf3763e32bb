"""Bottleneck: reductions, moving windows, and a replacement in place."""

import bottleneck as bn

from tests.neighbours.survey.inputs import grid, pending


def reductions(np):
    x = pending(np)
    x[5] = np.nan
    return (
        bn.nansum(x),
        bn.nanmax(x),
        bn.nanmean(x),
        bn.nanargmin(x),
        bn.anynan(x),
        bn.nansum(np.arange(3)),
    )


def by_axis(np):
    return bn.nansum(grid(np), axis=0), bn.median(grid(np), axis=1), bn.nanmin(grid(np).T, axis=0)


def replace(np):
    x = np.array([1.0, np.nan, 3])
    bn.replace(x, np.nan, 0)
    y = pending(np)
    bn.replace(y, 7.0, -1.0)
    y += 1
    return x, y


def moving_windows(np):
    return bn.move_sum(pending(np), 5), bn.move_max(grid(np), 3, axis=0)


def ordered(np):
    return (
        bn.rankdata(np.array([3.0, 1, 2])),
        bn.partition(np.array([3.0, 1, 2]), 1),
        bn.push(np.array([1.0, np.nan])),
    )


def used_again(np):
    x = np.asarray(bn.move_mean(pending(np), 3, min_count=1))
    x += 1
    return x, np.sum(x)
