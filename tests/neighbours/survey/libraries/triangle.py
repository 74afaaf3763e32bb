"""Triangle: Delaunay triangulations."""

import triangle


def delaunay(np):
    v = np.random.default_rng(1).random((40, 2)) * 2
    t = triangle.triangulate({"vertices": v})
    v[:] = 0
    return {k: t[k] for k in sorted(t)}


def constrained(np):
    v = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    t = triangle.triangulate(
        {"vertices": v, "segments": np.array([[0, 1], [1, 2], [2, 3], [3, 0]])}, "pqa0.05"
    )
    return t["vertices"], t["triangles"] + 1


def hull(np):
    return triangle.convex_hull(np.random.default_rng(1).random((40, 2))[::2]), triangle.delaunay(
        np.arange(12.0).reshape(6, 2) % 5
    )


def many(np):
    r = np.random.default_rng(3).random((20000, 2))
    r += 1
    t = triangle.triangulate({"vertices": r})
    return t["triangles"].shape, t["vertices"].sum()
