"""sep: background, which is subtracted in place, sources, apertures."""

import sep

from tests.neighbours.survey.inputs import raised, rounded


def _image(np, dtype):
    y, x = np.mgrid[0:100, 0:120]
    im = np.ones((100, 120)) * 10
    for a, b in ((20, 30), (60, 70), (90, 15)):
        im += 100 * np.exp(-((x - a) ** 2 + (y - b) ** 2) / 8.0)
    return im.astype(dtype)


@rounded(1e-5)
def background(np):
    d = _image(np, np.float32)
    b = sep.Background(d)
    s = d - b.back()
    b.subfrom(d)
    return b.globalback, b.rms(), s, d * 1


@rounded(1e-4)
def extraction(np):
    d = _image(np, np.float64)
    d -= 10
    o, seg = sep.extract(d, 1.5, err=1.0, segmentation_map=True, mask=d > 99)
    return o["x"], o["flux"], seg, o.dtype.names, raised(lambda: sep.extract(d[::2, ::2], 1.5))[0]


@rounded(1e-5)
def apertures(np):
    d = _image(np, np.float32)
    f, e, g = sep.sum_circle(d, np.array([20.0, 60]), np.array([30.0, 70]), 5.0, err=np.sqrt(d))
    m = np.zeros((100, 120), dtype=bool)
    sep.mask_ellipse(m, 50, 40, 10, 5, 0.3)
    return (
        f,
        e,
        g,
        m.sum(),
        ~m,
        sep.winpos(d, np.array([20.0]), np.array([30.0]), np.array([2.0])),
        sep.kron_radius(d, [20.0], [30.0], [3.0], [3.0], [0.0], 6.0),
    )
