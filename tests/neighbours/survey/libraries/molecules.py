"""mdtraj, ase, spglib: atoms, trajectories and crystals."""

import ase

from tests.neighbours.survey.inputs import grid, pending, rounded

PACKAGE = "ase"


@rounded(1e-10)
def atoms(np):
    a = ase.Atoms("H4", positions=np.arange(12.0).reshape(4, 3), cell=np.eye(3) * 9, pbc=True)
    a.positions += np.ones(3)
    a.rotate(30, "z")
    return a.get_all_distances(mic=True), a.get_scaled_positions(), a.get_center_of_mass()


@rounded(1e-10)
def energies(np):
    from ase.calculators.lj import LennardJones

    a = ase.Atoms("Ar3", positions=np.array([[0, 0, 0], [1.2, 0, 0], [0, 1.3, 0.1]]))
    a.calc = LennardJones()
    return a.get_potential_energy(), a.get_forces()


@rounded(1e-8)
def optimised(np):
    from ase.build import molecule
    from ase.calculators.lj import LennardJones
    from ase.optimize import BFGS

    a = molecule("H2O")
    a.positions = np.array([[0, 0, 0], [1.2, 0, 0], [0, 1.3, 0.1]])
    a.calc = LennardJones()
    BFGS(a, logfile=None).run(fmax=0.01, steps=20)
    return a.positions


def arrays_of_atoms(np):
    a = ase.Atoms("H3")
    a.set_array("charge", np.arange(3.0))
    a.set_positions(pending(np)[:9].reshape(3, 3))
    charge = a.get_array("charge", copy=False)
    charge += 1
    return a.arrays["charge"], a[np.array([True, False, True])].positions, len(a[[0, 1]])


def crystals(np):
    import spglib

    lattice, points = np.eye(3) * 4, np.array([[0, 0, 0], [0.5, 0.5, 0.5]])
    cell = (lattice, points, np.array([1, 1]))
    found = spglib.get_symmetry_dataset(cell)
    return (
        spglib.get_spacegroup(cell),
        found.rotations,
        found.translations,
        spglib.find_primitive(cell),
        spglib.niggli_reduce(lattice),
    )


def _trajectory(np):
    import mdtraj

    top = mdtraj.Topology()
    residue = top.add_residue("ALA", top.add_chain())
    for _ in range(5):
        top.add_atom("C", mdtraj.element.carbon, residue)
    return mdtraj.Trajectory((grid(np, "float32", 20, 15) / 100).reshape(20, 5, 3), top)


@rounded(1e-5)
def trajectories(np):
    import mdtraj

    t = _trajectory(np)
    pairs = np.array([[0, 1], [2, 3]])
    return (
        mdtraj.compute_distances(t, pairs),
        mdtraj.compute_angles(t, np.array([[0, 1, 2]])),
        mdtraj.rmsd(t, t, 0),
        mdtraj.compute_rg(t),
        t.superpose(t, 0).xyz,
    )


@rounded(1e-5)
def written(np):
    import mdtraj

    t = _trajectory(np)
    t.save("a.xtc")
    return mdtraj.load("a.xtc", top=t.topology).xyz, t.slice(np.arange(0, 20, 5)).xyz
