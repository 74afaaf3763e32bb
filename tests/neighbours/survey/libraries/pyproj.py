"""pyproj: coordinates transformed, also in place."""

from pyproj import Geod, Transformer

from tests.neighbours.survey.inputs import pending, rounded


def _transformer():
    return Transformer.from_crs(4326, 3857, always_xy=True)


@rounded(1e-12)
def transformed(np):
    x = np.arange(5.0)
    return _transformer().transform(x, x)


@rounded(1e-12)
def pending_transformed(np):
    x = pending(np) / 1e4
    return _transformer().transform(x, x)


@rounded(1e-12)
def in_place(np):
    x, y = np.arange(5.0), np.arange(5.0)
    result = _transformer().transform(x, y, inplace=True)
    return x, y, result[0] is x


@rounded(1e-12)
def pending_in_place(np):
    x, y = pending(np) / 1e4, pending(np) / 1e4
    _transformer().transform(x, y, inplace=True)
    x += 1
    return x, y


@rounded(1e-9)
def distances(np):
    x = np.arange(5.0)
    return Geod(ellps="WGS84").inv(x, x, x + 1, x)


@rounded(1e-12)
def points(np):
    return list(_transformer().itransform(np.array([[1.0, 2], [3, 4]])))
