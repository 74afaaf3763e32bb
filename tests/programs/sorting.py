"""Sorting, ranking, selecting and set operations."""

import numpy as np

rng = np.random.default_rng(3)
x = rng.integers(0, 50, 20)
order = np.argsort(x, kind="stable")
ranks = np.empty_like(order)
ranks[order] = np.arange(len(x))
print(x, np.sort(x), x[order[::-1]][:5], ranks)
m = x.reshape(4, 5).copy()
m.sort(axis=0)
print(m, np.sort(m, axis=None)[:4], np.partition(x, 3)[3], np.argmax(m, axis=1))
print(
    np.unique(x, return_counts=True), np.intersect1d(x, np.arange(10)), np.setdiff1d([1, 2, 3], [2])
)
names = np.array(["pear", "fig", "apple"])
print(names[np.argsort(names)], np.lexsort((x[:5], x[5:10])), np.searchsorted([1, 3, 5], [0, 3, 9]))
print(
    np.sort([np.nan, 1.0, -np.inf]),
    np.where(x > 40)[0],
    np.nonzero(m > 45),
    np.isin(x, [1, 2, 3]).sum(),
)
values = np.array([2.5, -1.0, 7.25])
print(values.argmin(), np.take(values, [2, 0]), np.take_along_axis(m, m.argsort(axis=1), axis=1)[0])
