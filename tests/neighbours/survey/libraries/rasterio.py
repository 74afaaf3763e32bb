"""rasterio: bands written from arrays, and read into them."""

import warnings

import rasterio
from rasterio import features, transform, warp
from rasterio.io import MemoryFile

from tests.neighbours.survey.inputs import grid

PROFILE = {
    "driver": "GTiff",
    "width": 500,
    "height": 400,
    "count": 1,
    "dtype": "float32",
    "crs": "EPSG:3857",
    "transform": transform.from_origin(0, 400, 1, 1),
}


def _stored(np, **changes):
    memory = MemoryFile()
    with memory.open(**{**PROFILE, **changes}) as out:
        out.write(grid(np, "float32"), 1)
    return memory


def write(np):
    with _stored(np) as memory, memory.open() as found:
        return found.read(1), found.shape


def write_three_dimensions(np):
    with MemoryFile() as memory:
        with memory.open(**PROFILE) as out:
            out.write(grid(np, "float32")[None])
        with memory.open() as found:
            return found.read()


def write_mask(np):
    with MemoryFile() as memory:
        with memory.open(**PROFILE) as out:
            out.write_mask(grid(np) > 100)
        with memory.open() as found:
            return found.read_masks(1)


def write_window(np):
    with MemoryFile() as memory:
        with memory.open(**PROFILE) as out:
            out.write(np.ones((5, 6), np.float32), 1, window=((2, 7), (3, 9)))
        with memory.open() as found:
            return found.read(1)


def _plain():
    memory = MemoryFile()
    with memory.open(**PROFILE):
        pass
    return memory


def read_into(np):
    with _plain() as memory, memory.open() as found:
        out = np.ones((400, 500), np.float32)
        found.read(1, out=out)
        out += 1
        return out


def read_into_a_pending_array(np):
    with _plain() as memory, memory.open() as found:
        out = grid(np, "float32")
        found.read(1, out=out)
        return out, out.sum()


def read_and_used(np):
    with _plain() as memory, memory.open() as found:
        x = np.asarray(found.read(1))
        return x * 2 + 1, np.sum(found.read())


def shapes(np):
    image = np.zeros((20, 30), np.uint8)
    image[3:6, 5:9] = 1
    return [(shape["coordinates"], value) for shape, value in features.shapes(image)]


def rasterize(np):
    box = {"type": "Polygon", "coordinates": [[(1, 1), (5, 1), (5, 5), (1, 5), (1, 1)]]}
    out = np.zeros((10, 10), np.uint8)
    features.rasterize([(box, 3)], out=out)
    return out


def reproject(np):
    out = np.zeros((200, 250), np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warp.reproject(
            grid(np, "float32"),
            out,
            src_transform=PROFILE["transform"],
            src_crs="EPSG:3857",
            dst_transform=transform.from_origin(0, 400, 2, 2),
            dst_crs="EPSG:3857",
        )
    return out


def coordinates(np):
    x, y = transform.xy(PROFILE["transform"], np.arange(3), np.arange(3))
    return [float(v) for v in x], [float(v) for v in y]


def fill(np):
    from rasterio.fill import fillnodata

    image = grid(np, "float32")
    return fillnodata(image, mask=(image != 0)).shape


def sieve(np):
    return features.sieve(grid(np, "uint8"), 3)


def module(np):
    return rasterio.dtypes.get_minimum_dtype(np.arange(300)), rasterio.dtypes.is_ndarray(np.ones(2))
