"""Histograms: boost-histogram, fast-histogram."""

import boost_histogram as bh

from tests.neighbours.survey.inputs import pending

PACKAGE = "boost-histogram"


def filled(np):
    h = bh.Histogram(bh.axis.Regular(10, 0, 200_000))
    h.fill(pending(np))
    return h.values(), h.axes[0].edges, float(h.sum())


def weighted(np):
    h = bh.Histogram(bh.axis.Regular(4, 0, 1), storage=bh.storage.Weight())
    h.fill(np.linspace(0, 0.99, 50), weight=np.arange(50.0))
    return h.values(), h.variances()


def of_two_axes(np):
    h = bh.Histogram(bh.axis.Variable(np.array([0.0, 1, 3])), bh.axis.Integer(0, 4))
    h.fill(np.array([0.5, 2.5, 2.0]), np.array([1, 2, 2]))
    return h.values(), h.view(flow=True)


def a_view_is_written(np):
    h = bh.Histogram(bh.axis.Regular(4, 0, 1))
    h.view()[...] = np.arange(4.0)
    h[...] = np.asarray(h.values()) * 2
    return h.values()


def fast(np):
    from fast_histogram import histogram1d, histogram2d

    x = pending(np)
    return histogram1d(x, 10, (0, 200_000)), histogram2d(x, x, 3, ((0, 200_000), (0, 200_000)))


def fast_of_parts(np):
    from fast_histogram import histogram1d

    x = pending(np)
    return histogram1d(x[::-7], 5, (0, 1000)), histogram1d(x[:9], 3, (0, 9), weights=x[:9] * 2)
