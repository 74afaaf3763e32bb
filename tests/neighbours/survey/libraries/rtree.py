"""Rtree: indices of boxes, one by one and in bulk."""

import rtree


def index(np):
    i = rtree.index.Index()
    b = np.arange(400.0).reshape(100, 4) % 97
    b[:, 2:] = b[:, :2] + 3
    for k, row in enumerate(b):
        i.insert(k, row)
    return sorted(i.intersection(b[3])), sorted(i.nearest(np.array([5.0, 5, 6, 6]), 3)), i.bounds


def stream(np):
    r = np.random.default_rng(1)
    lo = r.random((5000, 2))
    hi = lo + 0.01
    i = rtree.index.Index((np.arange(5000), lo, hi))
    ids, n = i.intersection_v(lo[:20] * 1.01, hi[:20])
    ids2, n2, d = i.nearest_v(lo[:5], hi[:5], num_results=2, return_max_dists=True)
    lo[:] = 0
    return np.sort(ids), n, n2, d
