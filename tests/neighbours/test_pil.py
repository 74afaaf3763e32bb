"""Pillow makes pictures of our arrays, and arrays of ours are made of its pictures."""

from __future__ import annotations

from typing import Any

import fastnp
import numpy
import pytest
from PIL import Image

from tests.neighbours.meeting import meet

RANDOM = numpy.random.default_rng(0)
GREY = RANDOM.integers(0, 255, (40, 50)).astype("u1")
COLOUR = RANDOM.integers(0, 255, (40, 50, 3)).astype("u1")
FADED = RANDOM.integers(0, 255, (40, 50, 4)).astype("u1")

PICTURES = {
    "grey": GREY,
    "colour": COLOUR,
    "with transparency": FADED,
    "floats": GREY.astype("f4") / 3,
    "integers": GREY.astype("i4"),
    "of 16 bits": GREY.astype("u2") * 7,
    "booleans": GREY > 100,
}


@pytest.mark.parametrize("name", PICTURES)
def test_fromarray(name: str) -> None:
    def picture(a: Any) -> Any:
        made = Image.fromarray(a)
        return made.mode, made.size, made.tobytes()

    meet(picture, PICTURES[name], reads=0)
    meet(lambda a: picture(a[::2, ::-3]), PICTURES[name], reads=1)
    meet(lambda a: picture(a.swapaxes(0, 1)), PICTURES[name], reads=0)


@pytest.mark.parametrize("name", PICTURES)
def test_asarray(name: str) -> None:
    picture = Image.fromarray(PICTURES[name])
    for make in ("asarray", "array"):
        ours, theirs = getattr(fastnp, make)(picture), getattr(numpy, make)(picture)
        assert type(ours) is fastnp.ndarray
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert ours.flags.writeable == theirs.flags.writeable
        assert (ours == theirs).all()


def test_pending_arrays_and_back() -> None:
    def brighter(a: Any) -> Any:
        made = Image.fromarray((a.astype("f4") * 1.1).clip(0, 255).astype("u1")).resize((20, 20))
        return numpy.asarray(made)

    meet(brighter, COLOUR)


def test_a_picture_shares_the_memory_where_numpys_does() -> None:
    assert numpy.shares_memory(
        numpy.asarray(fastnp.asarray(Image.fromarray(GREY))), numpy.asarray(Image.fromarray(GREY))
    ) == numpy.shares_memory(
        numpy.asarray(Image.fromarray(GREY)), numpy.asarray(Image.fromarray(GREY))
    )
