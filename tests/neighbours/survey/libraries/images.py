"""simplejpeg, dipy, fabio, datashader, contourpy, numpy-stl: pictures and their files."""

import simplejpeg

from tests.neighbours.survey.inputs import grid, raised, rounded

PACKAGE = "simplejpeg"


def _picture(np):
    return (np.arange(60 * 50 * 3) * 7 % 251).astype("uint8").reshape(60, 50, 3)


def jpeg(np):
    data = simplejpeg.encode_jpeg(_picture(np), quality=90)
    return data, simplejpeg.decode_jpeg(data), simplejpeg.decode_jpeg_header(data)


def jpeg_into_a_buffer(np):
    data = simplejpeg.encode_jpeg(_picture(np))
    buffer = np.zeros(60 * 50 * 3, "uint8")
    x = simplejpeg.decode_jpeg(data, buffer=buffer)
    return x, buffer


def jpeg_refused(np):
    return raised(lambda: simplejpeg.encode_jpeg(np.ones((4, 4, 3))))[0], raised(
        lambda: simplejpeg.encode_jpeg(_picture(np)[:, ::2])
    )[0]


@rounded(1e-6)
def diffusion(np):
    from dipy.core.gradients import gradient_table
    from dipy.reconst.dti import TensorModel

    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(12, 3))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    vectors[0] = 0
    values = np.full(12, 1000.0)
    values[0] = 0
    model = TensorModel(gradient_table(values, bvecs=vectors))
    fitted = model.fit(rng.random((3, 3, 2, 12)) * 50 + 100)
    return fitted.fa, fitted.md, fitted.evals


@rounded(1e-9)
def denoised(np):
    from dipy.denoise.nlmeans import nlmeans
    from dipy.segment.mask import median_otsu

    x = grid(np, rows=120, columns=10).reshape(12, 10, 10)
    return nlmeans(x, sigma=2.0), median_otsu(x, median_radius=1, numpass=1)[1]


def streamlines(np):
    from dipy.tracking.streamline import Streamlines, set_number_of_points, transform_streamlines

    lines = Streamlines([np.arange(12.0).reshape(4, 3), np.ones((5, 3))])
    moved = transform_streamlines(lines, np.eye(4) * 2)
    return moved.get_data(), set_number_of_points(lines, 3).get_data(), lines[0]


def detectors(np):
    import fabio

    image = fabio.edfimage.EdfImage(data=grid(np, "float32", 20, 30), header={"a": "1"})
    image.write("a.edf")
    fabio.cbfimage.CbfImage(data=grid(np, "int32", 20, 30)).write("a.cbf")
    return fabio.open("a.edf").data, fabio.open("a.cbf").data


def shaded(np):
    import datashader
    import pandas

    table = pandas.DataFrame({"x": np.arange(500.0) % 37, "y": np.arange(500.0) % 23})
    canvas = datashader.Canvas(plot_width=20, plot_height=10)
    return canvas.points(table, "x", "y").values, canvas.raster(
        __import__("xarray").DataArray(
            grid(np, rows=40, columns=40),
            dims=("y", "x"),
            coords={"x": np.arange(40.0), "y": np.arange(40.0)},
        )
    ).values


@rounded(1e-12)
def contours(np):
    import contourpy

    z = np.hypot(*np.meshgrid(np.linspace(-1, 1, 30), np.linspace(-1, 1, 20)))
    g = contourpy.contour_generator(z=z)
    masked = contourpy.contour_generator(z=np.ma.array(z, mask=z > 1.2))
    return g.lines(0.5), g.filled(0.3, 0.6)[0], masked.lines(0.9)


@rounded(1e-6)
def meshes(np):
    from stl import mesh

    data = np.zeros(4, dtype=mesh.Mesh.dtype)
    data["vectors"] = np.arange(36.0).reshape(4, 3, 3) ** 2 % 11
    m = mesh.Mesh(data)
    m.rotate([0.5, 0.0, 0.0], 0.3)
    m.save("a.stl")
    return m.areas, m.normals, m.min_, mesh.Mesh.from_file("a.stl").points
