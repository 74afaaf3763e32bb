"""freud: radial distributions, order parameters, neighbours."""

import freud

from tests.neighbours.survey.inputs import rounded

PACKAGE = "freud-analysis"


def _system(np):
    return freud.box.Box.cube(10), np.random.default_rng(1).random((300, 3)).astype(
        np.float32
    ) * 10 - 5


@rounded(1e-5)
def rdf(np):
    b, p = _system(np)
    r = freud.density.RDF(20, 4.0)
    r.compute((b, p))
    p[:] = 0
    return r.rdf, r.bin_centers


@rounded(1e-4)
def order(np):
    b, p = _system(np)
    s = freud.order.Steinhardt(6)
    s.compute((b, p), {"num_neighbors": 6})
    return s.particle_order * 2


@rounded(1e-5)
def neighbours(np):
    b, p = _system(np)
    n = freud.locality.AABBQuery(b, p).query(p[::3] * 1, {"r_max": 1.5}).toNeighborList()
    return n[:], n.distances, n.filter(n.distances < 1).segments


@rounded(1e-5)
def boxes(np):
    b, p = _system(np)
    return (
        b.wrap(p.astype(np.float64) * 3),
        b.make_fractional(p),
        b.to_matrix(),
        freud.locality.Voronoi().compute((b, p)).volumes,
    )
