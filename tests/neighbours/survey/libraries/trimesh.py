"""trimesh: meshes that track changes of their arrays, rays, files."""

import trimesh

from tests.neighbours.survey.inputs import grid, rounded


def _mesh(np):
    v = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    f = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    return v, f


@rounded(1e-12)
def measures(np):
    v, f = _mesh(np)
    m = trimesh.Trimesh(v * 2, f)
    return m.volume, m.area, m.center_mass, m.face_normals, m.is_watertight, m.bounds


@rounded(1e-12)
def in_place(np):
    v, f = _mesh(np)
    m = trimesh.Trimesh(v, f, process=False)
    a = m.area
    m.vertices *= 2
    v[:] = 7
    m.vertices[0] = [-1, 0, 0]
    return a, m.area, m.vertices.view(np.ndarray), m.volume


@rounded(1e-12)
def transforms(np):
    t = trimesh.transformations.rotation_matrix(np.pi / 3, np.array([0, 0, 1.0]))
    p = trimesh.transform_points(grid(np, rows=300, columns=3), t)
    s = trimesh.creation.icosphere(subdivisions=2)
    s.apply_transform(t)
    return p, s.bounds, trimesh.transformations.quaternion_from_matrix(t)


@rounded(1e-9)
def queries(np):
    b = trimesh.creation.box()
    o = np.array([[0, 0, 5.0], [0.2, 0.1, 5]])
    d = np.tile(np.array([0, 0, -1.0]), (2, 1))
    hit = b.ray.intersects_location(o, d)
    return (
        hit,
        b.contains(np.array([[0, 0, 0.1], [3, 0, 0]])),
        trimesh.proximity.closest_point(b, o),
    )


@rounded(1e-9)
def grouping(np):
    x = grid(np, "int64", 500, 2)
    return (
        trimesh.grouping.unique_rows(x)[0],
        trimesh.grouping.group_rows(x % 3),
        trimesh.util.unitize(x.astype(float) + 1),
    )


@rounded(1e-9)
def export(np):
    v, f = _mesh(np)
    m = trimesh.Trimesh(v, f)
    data = m.export(file_type="stl")
    import io

    return data[84:], trimesh.load(io.BytesIO(data), file_type="stl").area
