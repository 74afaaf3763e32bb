"""Pinocchio, GTSAM, libigl, Cantera, CoolProp, OpenMM, pymoo, scikit-fem: models in C++, by Eigen's
bindings, Boost.Python, SWIG and Cython.
"""

import pinocchio

from tests.neighbours.survey.inputs import pending, raised, rounded

PACKAGE = "pin"


@rounded(1e-9)
def manipulators(np):
    model = pinocchio.buildSampleModelManipulator()
    data, q = model.createData(), np.zeros(model.nq) + 0.1
    forces = pinocchio.rnea(model, data, q, np.zeros(model.nv), np.ones(model.nv))
    moved = pinocchio.SE3(np.eye(3), np.arange(3.0))
    return forces, moved.homogeneous, pinocchio.exp3(pending(np)[:3] / 10)


def wrong_shape(np):
    return raised(lambda: pinocchio.SE3(np.eye(2), np.arange(3.0)))[0]


@rounded(1e-9)
def poses(np):
    import gtsam

    rotation = gtsam.Rot3(np.eye(3))
    return (
        rotation.rotate(np.arange(3.0)),
        gtsam.Pose3(rotation, np.ones(3)).matrix(),
        gtsam.noiseModel.Diagonal.Sigmas(np.array([1.0, 2])).sigmas(),
    )


@rounded(1e-9)
def meshes(np):
    import igl

    v = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    f = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    return igl.per_face_normals(v, f, np.zeros(3)), igl.doublearea(v, f), igl.cotmatrix(v, f)


@rounded(1e-9)
def gases(np):
    import cantera

    gas = cantera.Solution("h2o2.yaml")
    x = np.zeros(gas.n_species)
    x[0], x[3] = 1, 2
    gas.TPX = 500.0, 101_325, x
    states = cantera.SolutionArray(gas, 3)
    states.TP = np.linspace(300, 500, 3), 101_325
    return gas.X, gas.density, states.cp


@rounded(1e-9)
def fluids(np):
    from CoolProp.CoolProp import PropsSI

    return PropsSI("D", "T", np.linspace(280, 300, 5), "P", np.full(5, 1e5), "Water")


@rounded(1e-9)
def particles(np):
    import openmm
    from openmm import unit

    system, bonds = openmm.System(), openmm.HarmonicBondForce()
    for _ in range(3):
        system.addParticle(1.0)
    bonds.addBond(0, 1, 0.1, 100.0)
    system.addForce(bonds)
    platform = openmm.Platform.getPlatformByName("Reference")
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), platform)
    context.setPositions(np.arange(9.0).reshape(3, 3) * unit.nanometer)
    state = context.getState(getPositions=True, getForces=True)
    return state.getPositions(asNumpy=True)._value, state.getForces(asNumpy=True)._value


def fronts(np):
    from pymoo.indicators.hv import HV
    from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

    f = np.array([[1.0, 2], [2, 1], [3, 3]])
    return NonDominatedSorting().do(f), HV(ref_point=np.array([4.0, 4]))(f)


@rounded(1e-12)
def elements(np):
    import skfem
    from skfem.models.poisson import laplace

    corners = np.array([[0.0, 1, 0, 1], [0, 0, 1, 1]])
    mesh = skfem.MeshTri(corners, np.array([[0, 1], [1, 2], [2, 3]])).refined(1)
    basis = skfem.Basis(mesh, skfem.ElementTriP1())
    return laplace.assemble(basis).toarray(), basis.get_dofs().all()
