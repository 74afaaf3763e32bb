"""Labelled images: connected-components-3d, fastremap, mahotas."""

import cc3d

from tests.neighbours.survey.inputs import grid, pending

PACKAGE = "connected-components-3d"


def components(np):
    x = np.zeros((6, 6), dtype=np.uint8)
    x[1:3, 1:3] = 1
    x[4:, 4:] = 2
    labels, n = cc3d.connected_components(x, return_N=True, connectivity=4)
    return labels, n, {k: v for k, v in cc3d.statistics(labels).items() if k == "voxel_counts"}


def components_of_pending(np):
    return cc3d.connected_components((grid(np) % 7 > 4).astype(np.uint32), connectivity=8)


def dust(np):
    x = (grid(np) % 11 > 8).astype(np.uint8)
    return cc3d.dust(x, threshold=3, connectivity=4, in_place=True), x.sum()


def renumbered(np):
    import fastremap

    x = np.array([5, 9, 9, 1], dtype=np.uint32)
    return fastremap.renumber(x, in_place=False), fastremap.unique(x, return_counts=True)


def renumbered_in_place(np):
    import fastremap

    x = (pending(np) % 5).astype(np.uint32) + 7
    y, mapping = fastremap.renumber(x, in_place=True)
    return y, sorted(mapping.items()), fastremap.minmax(x)


def mask(np):
    import fastremap

    x = np.arange(12, dtype=np.int64).reshape(3, 4)
    return fastremap.mask(x, [2, 3]), fastremap.remap(x, {k: k + 1 for k in range(12)})


def morphology(np):
    import mahotas

    x = grid(np) % 5 > 3
    return mahotas.label(x)[1], mahotas.dilate(x), mahotas.distance(x)[:3]


def filters(np):
    import mahotas

    x = (grid(np) % 256).astype(np.uint8)
    smooth = mahotas.gaussian_filter(x, 2)
    return mahotas.median_filter(x), mahotas.otsu(x), mahotas.sobel(x), smooth


def written_by_mahotas(np):
    import mahotas

    x = grid(np) % 2 > 0
    out = np.empty(x.shape, bool)
    return mahotas.erode(x, out=out) is out, out
