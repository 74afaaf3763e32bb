"""matplotlib draws the same pixels, and reads what it draws whole."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy
import pytest
from matplotlib.collections import LineCollection

from tests.neighbours.meeting import meet

RANDOM = numpy.random.default_rng(0)
X = numpy.sort(RANDOM.random(1000))
Y = RANDOM.random(1000)
FEW_X, FEW_Y, ERROR = X[:50], Y[:50], Y[50:100] * 0.1
IMAGE = RANDOM.random((40, 50))
COLOUR = RANDOM.random((20, 20, 3))
BYTES = RANDOM.integers(0, 255, (20, 20, 4)).astype("u1")
COLUMNS, ROWS = numpy.arange(50.0), numpy.arange(40.0)

# Name: what is drawn on the axes, and the arrays it is drawn from.
DRAWINGS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "plot": (lambda ax, x, y: ax.plot(x, y), [X, Y]),
    "plot of y": (lambda ax, y: ax.plot(y, "o-"), [Y]),
    "plot of integers": (lambda ax, x, y: ax.plot(x, y), [numpy.arange(1000), Y]),
    "plot in a colour": (lambda ax, c: ax.plot([1, 2], color=c), [numpy.array([0.5, 0.2, 0.1])]),
    "semilogy": (lambda ax, x, y: ax.semilogy(x, y), [X, Y]),
    "step": (lambda ax, x, y: ax.step(x, y), [X, Y]),
    "set_data": (lambda ax, x, y: ax.plot([1], [2])[0].set_data(x, y), [X, Y]),
    "limits and ticks": (lambda ax, t: (ax.set_xticks(t), ax.set_xlim(t[[0, -1]])), [ROWS[:5]]),
    "hist": (lambda ax, y: ax.hist(y), [Y]),
    "hist with bins": (lambda ax, y, b: ax.hist(y, bins=b), [Y, numpy.linspace(0, 1, 11)]),
    "hist of two": (lambda ax, x, y: ax.hist([x, y], bins=7), [X, Y]),
    "hist2d": (lambda ax, x, y: ax.hist2d(x, y), [X, Y]),
    "imshow": (lambda ax, z: ax.imshow(z), [IMAGE]),
    "imshow of colours": (lambda ax, z: ax.imshow(z), [COLOUR]),
    "imshow of bytes": (lambda ax, z: ax.imshow(z), [BYTES]),
    "pcolormesh": (lambda ax, z: ax.pcolormesh(z), [IMAGE]),
    "scatter": (lambda ax, x, y: ax.scatter(x, y), [X, Y]),
    "scatter in colours": (
        lambda ax, x, y, c, s: ax.scatter(x, y, c=c, s=s),
        [X, Y, Y, Y * 20],
    ),
    "errorbar": (lambda ax, x, y, e: ax.errorbar(x, y, yerr=e, xerr=e), [FEW_X, FEW_Y, ERROR]),
    "errorbar of two sides": (
        lambda ax, x, y, e: ax.errorbar(x, y, yerr=e),
        [FEW_X, FEW_Y, numpy.stack([ERROR, ERROR * 2])],
    ),
    "contour": (lambda ax, z: ax.contour(z), [IMAGE]),
    "contour at levels": (lambda ax, z, n: ax.contour(z, levels=n), [IMAGE, X[[99, 499, 899]]]),
    "contourf": (lambda ax, x, y, z: ax.contourf(x, y, z), [COLUMNS, ROWS, IMAGE]),
    "fill_between": (lambda ax, x, y: ax.fill_between(x, y, y * 2), [X, Y]),
    "boxplot": (lambda ax, y: ax.boxplot(y), [Y]),
    "quiver": (lambda ax, u, v: ax.quiver(u, v), [IMAGE[:5, :5], IMAGE[5:10, :5]]),
}

# Whose columns, bars or lines matplotlib takes one by one, NumPy's as ours.
BY_COLUMN: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "plot of columns": (lambda ax, z: ax.plot(z), [IMAGE]),
    "hist of columns": (lambda ax, z: ax.hist(z), [IMAGE]),
    "boxplot of columns": (lambda ax, z: ax.boxplot(z), [IMAGE[:, :5]]),
    "line collection": (
        lambda ax, lines: ax.add_collection(LineCollection(lines)),
        [RANDOM.random((200, 2, 2))],
    ),
    "bar": (lambda ax, x, y: ax.bar(x, y, yerr=y), [COLUMNS, FEW_Y]),
}


def pixels(draw: Callable[..., Any]) -> Callable[..., numpy.ndarray]:
    """A function of arrays that gives the picture."""

    def picture(*arrays: Any) -> numpy.ndarray:
        figure, axes = plt.subplots(figsize=(3, 2))
        try:
            draw(axes, *arrays)
            figure.canvas.draw()
            return numpy.asarray(figure.canvas.buffer_rgba()).copy()  # type: ignore[attr-defined]
        finally:
            plt.close(figure)

    return picture


@pytest.mark.parametrize("name", DRAWINGS)
def test_pixels_are_the_same(name: str) -> None:
    draw, arrays = DRAWINGS[name]
    _, theirs = meet(pixels(draw), *arrays)
    assert theirs.std() > 0


@pytest.mark.parametrize("name", BY_COLUMN)
def test_pixels_by_column_are_the_same(name: str) -> None:
    draw, arrays = BY_COLUMN[name]
    # Ten looks at each of fifty columns, not a look at each of two thousand elements.
    meet(pixels(draw), *arrays, reads=600)


def test_pending_arrays_are_drawn() -> None:
    draw = pixels(lambda ax, x, y: ax.plot(x, (y - y.mean()) ** 2))
    meet(draw, X, Y)


def test_what_is_given_back() -> None:
    def line(y: Any) -> Any:
        figure, axes = plt.subplots()
        plt.close(figure)
        return axes.plot(y)[0].get_ydata(), axes.hist(y)[0], axes.hist(y)[1]

    meet(line, Y)


def test_saving_an_image() -> None:
    def saved(z: Any) -> bytes:
        file = io.BytesIO()
        plt.imsave(file, z)
        return file.getvalue()

    meet(saved, IMAGE)
    meet(saved, BYTES)
