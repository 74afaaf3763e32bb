"""Geometry: pykdtree, mapbox-earcut, pyclipper, numpy-quaternion."""

from pykdtree.kdtree import KDTree

from tests.neighbours.survey.inputs import pending, rounded

PACKAGE = "pykdtree"


def neighbours(np):
    points = np.arange(20.0).reshape(10, 2)
    return KDTree(points).query(points + 0.1, k=2)


def neighbours_of_pending(np):
    points = pending(np).reshape(-1, 2)
    return KDTree(points).query(points[::1000] * 1.0, k=3)


def neighbours_in_single(np):
    points = np.arange(20, dtype=np.float32).reshape(10, 2)
    return KDTree(points).query(points, k=1, distance_upper_bound=3.0)


def triangles(np):
    import mapbox_earcut

    corners = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    return mapbox_earcut.triangulate_float64(corners, np.array([4], dtype=np.uint32))


def clipped(np):
    import pyclipper

    square = np.array([[0, 0], [10, 0], [10, 10], [0, 10]])
    clipper = pyclipper.Pyclipper()
    clipper.AddPath(square, pyclipper.PT_SUBJECT, True)
    clipper.AddPath(square + 5, pyclipper.PT_CLIP, True)
    return clipper.Execute(pyclipper.CT_INTERSECTION), pyclipper.Area(square.tolist())


@rounded(1e-14)
def quaternions(np):
    import quaternion

    x = np.array([[1.0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5]])
    q = quaternion.as_quat_array(x)
    return quaternion.as_float_array(q * q), quaternion.as_rotation_matrix(q), np.abs(q)


@rounded(1e-12)
def quaternions_rotate(np):
    import quaternion

    q = quaternion.from_rotation_vector(np.array([[0.0, 0, 1], [0, 1, 0]]))
    v = np.arange(6.0).reshape(2, 3)
    return quaternion.rotate_vectors(q, v), quaternion.as_spherical_coords(q)
