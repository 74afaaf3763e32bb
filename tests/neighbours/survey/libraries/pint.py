"""pint, astropy.units and uncertainties: numbers with units and errors."""

import pint

from tests.neighbours.survey.inputs import pending, rounded

U = pint.UnitRegistry()


def _shown(*quantities):
    return [(q.magnitude, str(q.units)) for q in quantities]


def quantity(np):
    q = U.Quantity(np.arange(3.0), "m")
    return _shown(q, q * 2, q.to("cm"), np.arange(3.0) * U.m, q**2)


@rounded(1e-12)
def pending_quantity(np):
    q = U.Quantity(pending(np), "m")
    q += 1 * U.m
    return _shown(q, q.to("km"), q.mean(), np.sqrt(q))


@rounded(1e-13)
def functions(np):
    q = U.Quantity(np.array([1.0, 2, 3]), "m")
    return _shown(
        np.sum(q),
        np.max(q),
        np.concatenate([q, q]),
        np.cumsum(q),
        np.diff(q),
        np.trapezoid(q, q),
        np.cross(q, q),
        np.dot(q, q),
        np.std(q),
        np.clip(q, 1 * U.m, 2 * U.m),
    )


@rounded(1e-13)
def functions_without_units(np):
    q = U.Quantity(np.array([0.1, 0.2, 0.3]), "")
    return _shown(np.sin(q), np.exp(q), np.arctan2(q, q))


def comparisons(np):
    q = U.Quantity(np.arange(3.0), "m")
    return q > 100 * U.cm, q == q, np.all(q >= 0 * U.m)


def index(np):
    q = U.Quantity(pending(np), "m")
    q[0] = 5 * U.km
    return _shown(q[:3], q[np.array([1, 2])], q[q > 399_990 * U.m])


def arrays_with_units(np):
    q = U.Quantity(np.ones(3), "m")
    return _shown(
        np.ones(3) * q, q / np.arange(1.0, 4), np.multiply(np.ones(3), q), np.float64(2) * q
    )


def printed(np):
    print(U.Quantity(np.arange(3.0), "m"), repr(U.Quantity(np.arange(3), "s")))


def with_errors(np):
    from uncertainties import unumpy

    x = unumpy.uarray(np.array([1.0, 2]), np.array([0.1, 0.2]))
    return unumpy.nominal_values(x * 2), unumpy.std_devs(x + x), str((x**2)[0])
