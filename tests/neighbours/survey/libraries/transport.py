"""POT, gudhi, ripser, edt: distances, by compiled code."""

import ot

from tests.neighbours.survey.inputs import grid, raised, rounded

PACKAGE = "POT"


@rounded(1e-9)
def plans(np):
    a, b = np.ones(5) / 5, np.arange(1.0, 5) / 10
    x, y = np.arange(10.0).reshape(5, 2), np.arange(8.0).reshape(4, 2) / 2
    m = ot.dist(x, y)
    return m, ot.emd(a, b, m), ot.emd2(a, b, m), ot.sinkhorn(a, b, m / m.max(), 0.1)


@rounded(1e-9)
def of_pending(np):
    x = grid(np, rows=100, columns=2) / 10
    y = x * 2 + 1
    return (
        ot.dist(x, y),
        ot.emd2([], [], ot.dist(x, y)),
        ot.sliced_wasserstein_distance(x, y, seed=1, n_projections=5),
    )


@rounded(1e-9)
def in_one_dimension(np):
    x, y = np.linspace(0, 1, 50), np.linspace(0, 2, 40) ** 2
    return ot.wasserstein_1d(x, y), ot.emd_1d(x, y)[:3], ot.utils.unif(4)


@rounded(1e-6)
def barycenters(np):
    rng = np.random.default_rng(1)
    h = rng.random((20, 2))
    m = ot.dist(np.arange(20.0).reshape(-1, 1))
    return ot.bregman.barycenter(h / h.sum(axis=0), m / m.max(), 0.05, np.array([0.4, 0.6]))


@rounded(1e-9)
def gromov(np):
    c = ot.dist(np.arange(12.0).reshape(6, 2))
    return ot.gromov.gromov_wasserstein2(c, c * 2, np.ones(6) / 6, np.ones(6) / 6)


def wrong_class(np):
    return raised(lambda: ot.dist(np.ones(3), [1.0, 2]))[0]


def homology(np):
    import gudhi

    points = np.random.default_rng(2).random((30, 2))
    tree = gudhi.RipsComplex(points=points, max_edge_length=0.4).create_simplex_tree(2)
    tree.compute_persistence()
    cubes = gudhi.CubicalComplex(top_dimensional_cells=grid(np, rows=12, columns=12))
    cubes.persistence()
    return tree.persistence_intervals_in_dimension(0), cubes.persistence_intervals_in_dimension(0)


@rounded(1e-6)
def bars(np):
    import ripser

    x = np.random.default_rng(2).random((25, 2))
    return ripser.ripser(x)["dgms"], ripser.ripser(ot.dist(x), distance_matrix=True)["dgms"][0]


def distance_fields(np):
    import edt

    labels = (grid(np, rows=60, columns=50) % 3).astype(np.uint32)
    return edt.edt(labels), edt.edtsq(labels.T, anisotropy=(1, 2)), edt.sdf(labels > 0)
