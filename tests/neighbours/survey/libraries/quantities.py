"""quantities and vector: classes that derive from NumPy's, for numbers with units and vectors."""

import quantities as pq

from tests.neighbours.survey.inputs import pending, raised, rounded

PACKAGE = "quantities"


def _shown(*values):
    return [(q.magnitude, q.dimensionality.string) for q in values]


@rounded(1e-13)
def arithmetic(np):
    q = pq.Quantity(np.arange(3.0), "m")
    return _shown(q, q + q, np.arange(3.0) * pq.s, q / (2 * pq.s), q**2, q.rescale("cm"))


@rounded(1e-13)
def with_arrays(np):
    q = [1.0, 2.0, 3.0] * pq.m
    return _shown(np.ones(3) * q, q * np.arange(3), np.multiply(np.ones(3), q), q / np.ones(3))


@rounded(1e-12)
def of_pending(np):
    q = pq.Quantity(pending(np), "km")
    q += 1 * pq.km
    q[0] = 5 * pq.m
    return _shown(q, q[:3], q.mean(), q.sum(), np.sqrt(q * q))


@rounded(1e-13)
def functions(np):
    q = pq.Quantity(np.array([3.0, 1, 2]), "m")
    return (
        _shown(np.sort(q), np.concatenate([q, q]), np.max(q), np.cumsum(q)),
        np.argsort(q),
        np.sin(pq.Quantity(np.arange(3.0), "radian")).magnitude,
    )


def memory_is_shared(np):
    x = pending(np)
    q = pq.Quantity(x, "m", copy=False)
    q[0] = 7 * pq.m
    x += 1
    return x, q.magnitude


def errors(np):
    q = pq.Quantity(np.ones(2), "m")
    return raised(lambda: q + 1 * pq.s), raised(lambda: np.exp(q))[0], str(q), repr(q > q)


@rounded(1e-12)
def uncertain(np):
    q = pq.UncertainQuantity(np.array([1.0, 2]), "m", np.array([0.1, 0.2]))
    return (q * q).magnitude, (q * q).uncertainty.magnitude


@rounded(1e-12)
def vectors(np):
    import vector

    v = vector.array({"x": np.arange(4.0) + 1, "y": np.ones(4), "z": np.arange(4.0)})
    w = vector.array({"rho": np.ones(4), "phi": np.linspace(0, 1, 4), "z": np.zeros(4)})
    return [
        v.rho,
        v.cross(w).x,
        v.dot(w),
        (v + w).mag,
        (v * np.arange(4.0)).z,
        abs(v),
        np.equal(v, v),
    ]


@rounded(1e-12)
def vectors_of_records(np):
    import vector

    records = np.zeros(5, dtype=[("x", "f8"), ("y", "f8")])
    records["x"] = pending(np)[:5]
    v = records.view(vector.VectorNumpy2D)
    return v.rho, v.rotateZ(0.3).x, np.sum(v).x, v.deltaphi(v[::-1])
