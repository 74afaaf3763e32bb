"""Shapely, GeoPandas and pyproj: geometries of arrays, coordinates in place."""

import shapely
from shapely import geometry

from tests.neighbours.survey.inputs import pending


def points(np):
    made = shapely.points(np.arange(3.0), np.arange(3.0))
    return type(made), shapely.get_x(made), shapely.get_coordinates(made)


def pending_points(np):
    x = pending(np)[:2000]
    return shapely.get_x(shapely.points(x, x)), shapely.distance(
        shapely.points(x, x), shapely.Point(0, 0)
    )


def lines(np):
    line = geometry.LineString(np.arange(8.0).reshape(4, 2))
    return (
        line.length,
        np.asarray(line.coords),
        shapely.linestrings(np.arange(8.0).reshape(2, 2, 2)).shape,
    )


def polygons(np):
    ring = np.array([[0.0, 0], [2, 0], [2, 2], [0, 2]])
    square = geometry.Polygon(ring)
    return (
        square.area,
        shapely.contains_xy(square, np.array([1.0, 3]), np.array([1.0, 3])),
        square.wkt,
    )


def transformed(np):
    square = shapely.box(0, 0, 1, 1)
    return shapely.transform(square, lambda c: c * np.array([2.0, 3])).wkt


def tree(np):
    found = shapely.STRtree(shapely.points(np.arange(5.0), np.zeros(5)))
    return found.query(shapely.box(1.5, -1, 3.5, 1)), found.nearest(
        shapely.points(np.array([1.2]), np.zeros(1))
    )


def set_coordinates(np):
    made = shapely.points(np.arange(3.0), np.arange(3.0))
    shapely.set_coordinates(made, np.ones((3, 2)))
    return shapely.get_y(made)


def masks(np):
    made = shapely.points(np.arange(5.0), np.zeros(5))
    return shapely.get_x(made[np.arange(5) > 2]), [p.x for p in made[np.array([0, 2])]]


def frame(np):
    import geopandas

    f = geopandas.GeoDataFrame(
        {"v": np.arange(3)}, geometry=geopandas.points_from_xy(np.arange(3.0), np.ones(3))
    )
    return f.total_bounds, f.buffer(1).area.round(6).tolist(), f.cx[0.5:, :].v.tolist()
