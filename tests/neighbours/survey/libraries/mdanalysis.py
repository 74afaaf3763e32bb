"""MDAnalysis: distances written to results, universes, trajectories in memory, neighbour lists."""

import MDAnalysis

from tests.neighbours.survey.inputs import grid, rounded

PACKAGE = "MDAnalysis"


@rounded(1e-5)
def distances(np):
    from MDAnalysis.lib import distances as d

    a, b = grid(np, "float32", 300, 3), grid(np, "float32", 200, 3)[::-1]
    box = np.array([260, 260, 260, 90, 90, 90], dtype=np.float32)
    r = np.zeros((300, 200))
    d.distance_array(a * 2, b, box=box, result=r)
    q = r * 2
    return (
        r,
        q,
        d.self_distance_array(a[:20]),
        d.calc_bonds(a[:50], b[:50]),
        d.calc_angles(a[:50], b[:50], a[50:100]),
        d.capped_distance(a[:30], b[:30], 60.0),
    )


@rounded(1e-5)
def universe(np):
    u = MDAnalysis.Universe.empty(6, 2, atom_resindex=np.array([0, 0, 0, 1, 1, 1]), trajectory=True)
    u.add_TopologyAttr("masses", np.arange(6.0) + 1)
    u.atoms.positions = np.arange(18).reshape(6, 3) * 1.5
    u.atoms.positions += np.array([1, 0, 0])
    u.atoms[[0, 2]].translate(np.ones(3))
    p = u.atoms.positions
    p[0] = 99
    return (
        u.atoms.positions,
        u.atoms.center_of_mass(),
        u.residues.masses,
        u.select_atoms("prop mass > 2").indices,
        u.atoms[np.array([True, False] * 3)].indices,
    )


@rounded(1e-5)
def trajectories(np):
    from MDAnalysis.coordinates.memory import MemoryReader

    x = (np.arange(10 * 4 * 3).reshape(10, 4, 3) % 7).astype(np.float32) * 2
    u = MDAnalysis.Universe.empty(4, trajectory=True)
    u.load_new(x, format=MemoryReader)
    out = [u.atoms.positions.copy() for _ in u.trajectory]
    u.trajectory[3]
    u.atoms.positions = np.zeros((4, 3))
    return out, x[3], u.trajectory.timeseries().shape


@rounded(1e-4)
def alignment(np):
    from MDAnalysis.analysis import align, rms

    a = np.random.default_rng(1).random((20, 3)) * 10
    b = a @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1.0]]) + 0.1
    return rms.rmsd(a, b, center=True, superposition=True), align.rotation_matrix(
        a - a.mean(0), b - b.mean(0)
    )[0]


@rounded(1e-5)
def neighbours(np):
    from MDAnalysis.lib.nsgrid import FastNS

    x = np.random.default_rng(1).random((200, 3)).astype(np.float32) * 10
    g = FastNS(2.0, x, np.array([10, 10, 10, 90, 90, 90], dtype=np.float32))
    r = g.self_search()
    o = np.lexsort(r.get_pairs().T)
    return (
        r.get_pairs()[o],
        r.get_pair_distances()[o],
        MDAnalysis.lib.mdamath.triclinic_vectors(np.array([1, 2, 3, 90, 80, 90.0])),
    )
