"""iminuit: fits of functions that use the module."""

import iminuit
from iminuit import cost

from tests.neighbours.survey.inputs import pending, rounded


@rounded(1e-6)
def function_of_an_array(np):
    target = np.array([1.0, 2, 3])
    m = iminuit.Minuit(lambda p: np.sum((p - target) ** 2), np.zeros(3))
    m.migrad()
    return np.asarray(m.values), m.valid


@rounded(1e-6)
def least_squares(np):
    x = np.linspace(0, 1, 20)
    c = cost.LeastSquares(x, 2 * x + 1, 0.1, lambda x, a, b: a * x + b)
    m = iminuit.Minuit(c, a=0.0, b=0.0)
    m.migrad()
    return np.asarray(m.values), np.asarray(m.covariance)


@rounded(1e-5)
def unbinned(np):
    x = np.linspace(-1, 1, 51)

    def density(x, mu):
        return np.exp(-0.5 * (x - mu) ** 2) / np.sqrt(2 * np.pi)

    m = iminuit.Minuit(cost.UnbinnedNLL(x, density), mu=0.5)
    m.migrad()
    return float(m.values[0]) + 1


@rounded(1e-5)
def binned(np):
    counts, edges = np.histogram(np.linspace(0, 1, 100) ** 2, bins=5)
    c = cost.BinnedNLL(counts, edges, lambda x, a: 1 - (1 - np.asarray(x)) ** a)
    m = iminuit.Minuit(c, a=1.0)
    m.limits = (0.1, 10)
    m.migrad()
    return float(m.values[0])


@rounded(1e-6)
def pending_data(np):
    x = pending(np) / 400_000
    m = iminuit.Minuit(lambda a: float(((x - a) ** 2).sum()), a=0.0)
    m.migrad()
    return float(m.values[0])
