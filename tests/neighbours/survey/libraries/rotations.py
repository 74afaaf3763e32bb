"""quaternionic and transforms3d: rotations, as a class that overrides ufuncs and as functions."""

import quaternionic

from tests.neighbours.survey.inputs import grid, pending, rounded

PACKAGE = "quaternionic"


def _units(np, n=6):
    return quaternionic.array(np.arange(4.0 * n).reshape(n, 4) + 1).normalized


@rounded(1e-13)
def arithmetic(np):
    q = _units(np)
    found = q * q, q + q, q * 1.5, q / q, np.exp(q)
    return [x.ndarray for x in found], abs(q)


@rounded(1e-13)
def rotated(np):
    q = _units(np)
    return q.rotate(np.eye(3)), q[0].to_rotation_matrix, q.to_euler_angles


@rounded(1e-12)
def of_pending(np):
    q = quaternionic.array(grid(np, rows=50_000, columns=4) + 1)
    q *= 2
    return q.norm, np.conjugate(q).ndarray, q.vector


@rounded(1e-13)
def multiplied_by_arrays(np):
    q = _units(np)
    return (np.arange(6.0) * q).ndarray, (q * np.arange(6.0)).ndarray, np.add(q, q).ndarray


@rounded(1e-12)
def interpolated(np):
    times = np.linspace(0, 5, 11)
    return quaternionic.squad(_units(np), np.arange(6.0), times).ndarray


@rounded(1e-13)
def matrices(np):
    from transforms3d import affines, euler, quaternions

    m = euler.euler2mat(0.1, np.float64(0.2), 0.3)
    whole = affines.compose(np.arange(3.0), m, np.ones(3) * 2)
    return (
        m,
        whole,
        affines.decompose(whole),
        quaternions.mat2quat(np.array(m)),
        quaternions.qmult(np.array([1.0, 0, 1, 0]), np.array([0, 1.0, 0, 1])),
    )


@rounded(1e-13)
def vectors_of_pending(np):
    from transforms3d import quaternions

    return quaternions.rotate_vector(pending(np)[:3], np.array([0.6, 0.8, 0, 0]))
