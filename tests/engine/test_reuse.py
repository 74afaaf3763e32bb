"""Reuse of array objects and storages: a new array shows no trace of the old one.

Freed objects, storages and their memory go to free lists (`object_pool.rs`, `free_list.rs`).
References that could outlive the old array: a view, a memory view, a weak reference, a selection,
another thread.
"""

from __future__ import annotations

import functools
import gc
import sys
import threading
import weakref
from typing import Any

import fastnp
import numpy
import pytest

SMALL = 40  # elements of arrays that are computed at once
MANY = 300  # more than wait of anything


def churn(value: float = -7.0) -> list[Any]:
    """Takes everything from the free lists, and refills them."""
    for _ in range(MANY):
        fastnp.full(SMALL, value)
    return [fastnp.full(SMALL, value) for _ in range(MANY)]


def test_a_view_outlives_its_array() -> None:
    a = fastnp.arange(float(SMALL))
    view, row = a[3:6], a.reshape(2, -1)[1]
    del a
    held = churn()
    assert view.tolist() == [3.0, 4.0, 5.0]
    assert row[0] == SMALL / 2
    del held, view
    assert row.base is not None and row.base[3] == 3.0


def test_a_memory_view_outlives_its_array() -> None:
    a: Any = fastnp.arange(float(SMALL))
    seen, other = memoryview(a), numpy.asarray(fastnp.arange(float(SMALL)))
    del a
    held = churn()
    assert list(seen) == list(other) == list(range(SMALL))
    del held


def test_a_selection_outlives_its_mask_and_source() -> None:
    a, m = fastnp.arange(float(SMALL)), fastnp.arange(SMALL) % 2 == 0
    picked = a[m]
    del a
    masks = [fastnp.ones(SMALL, bool) for _ in range(MANY)]
    del m
    masks += [fastnp.zeros(SMALL, bool) for _ in range(MANY)]
    held = churn()
    assert picked.tolist() == list(range(0, SMALL, 2))
    del held, masks


def test_a_mask_in_the_place_of_another_is_another() -> None:
    a = fastnp.arange(float(SMALL))
    picked = a[fastnp.arange(SMALL) < 5]
    for _ in range(MANY):
        mask = fastnp.zeros(SMALL, bool)
        with pytest.raises(ValueError, match="NumPy boolean array indexing assignment"):
            a[mask] = picked
        del mask
    assert picked.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_weak_references_die_with_their_array() -> None:
    called = []
    for i in range(MANY):
        a = fastnp.full(3, float(i))

        def gone(reference: Any, i: int = i) -> None:
            # Reuses the freed object, or another one of the free list.
            called.append((i, reference() is None, fastnp.arange(3).sum()))

        reference = weakref.ref(a, gone)
        second = weakref.ref(a)
        assert reference() is a
        del a
        after = fastnp.zeros(3)
        assert reference() is None and second() is None
        assert weakref.getweakrefcount(after) == 0
    assert called == [(i, True, 3) for i in range(MANY)]


def test_a_million_arrays_leave_nothing() -> None:
    gc.collect()
    before = fastnp.stats()["bytes_live"]
    references = sys.getrefcount(type(fastnp.zeros(1)))
    base = fastnp.arange(10.0)
    for _ in range(125_000):
        (
            base[1:-1],
            base + base,
            fastnp.zeros(5),
            base.copy(),
            fastnp.arange(7),
            -base,
            base[::2],
            base * 2.0,
        )
    many = [base[i % 9 :] + 1.0 for i in range(20_000)]
    assert many[-1].sum() > 0
    del many, base
    gc.collect()
    assert abs(sys.getrefcount(type(fastnp.zeros(1))) - references) < 10
    assert fastnp.stats()["bytes_live"] <= before + 4096


def test_sizes_and_types_follow_each_other_in_the_same_memory() -> None:
    random = numpy.random.default_rng(3)
    for _ in range(3000):
        n, code = int(random.integers(0, 70)), str(random.choice(list("?bBhiIlLefdFD")))
        a = fastnp.ones(n, code)
        b = a + a
        assert (b.shape, b.dtype) == ((n,), (numpy.ones(1, code) + numpy.ones(1, code)).dtype)
        assert b.sum() == (numpy.ones(n, code) + numpy.ones(n, code)).sum()
        assert fastnp.zeros(n, code).any() == False  # noqa: E712


def test_the_collector_may_run_at_any_time() -> None:
    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        held: list[Any] = []
        for i in range(500):
            a = fastnp.arange(5.0)
            held.append([a, a[1:], {i: a + 1}])
            held[-1].append(held[-1])
            del held[:-3]
        assert held[-1][2][499].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    finally:
        gc.set_threshold(*threshold)


def test_threads_pass_objects_to_each_other() -> None:
    wrong: list[Any] = []
    pile: list[Any] = []

    def work(k: int) -> None:
        for i in range(3000):
            a = fastnp.full(9, float(k)) + i
            pile.append((a[2:5], k + i))
            if len(pile) > 50:
                view, value = pile.pop(0)
                if view.tolist() != [value] * 3:
                    wrong.append((view, value))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


class Loud:
    """Raises in `__index__`."""

    def __index__(self) -> int:
        raise KeyError("loud")


def test_slots_raise_what_they_should() -> None:
    a: Any = fastnp.arange(5.0)
    for key, error in [
        (9, IndexError),
        (10**30, IndexError),
        ((0, 0), IndexError),
        ("x", IndexError),
    ]:
        with pytest.raises(error):
            a[key]
        with pytest.raises(error):
            a[key] = 1.0
    with pytest.raises(KeyError, match="loud"):
        a[Loud() :]
    with pytest.raises(ValueError, match="cannot delete array elements"):
        del a[0]
    with pytest.raises(ValueError, match="read-only"):
        b = a[:]
        b.flags.writeable = False
        b[0] = 1
    assert a[True].shape == (1, 5) and a[()].shape == (5,) and fastnp.array(3.0)[()] == 3.0
    assert type(a).__getitem__(a, 2) == 2.0 and a.__getitem__(slice(1, 3)).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError):
        type(a).__getitem__([1], 0)


def test_numbers_read_from_arrays_are_numpys() -> None:
    for code in "?bBhHiIlLefdFD":
        ours, theirs = fastnp.arange(3).astype(code)[1], numpy.arange(3).astype(code)[1]
        assert type(ours) is type(theirs) and ours == theirs and repr(ours) == repr(theirs)
    assert sys.getrefcount(fastnp.arange(3.0)[1]) == sys.getrefcount(numpy.arange(3.0)[1])


def test_ufuncs_are_called_in_every_way() -> None:
    a, b = fastnp.arange(4.0), fastnp.ones(4)
    want = [1.0, 2.0, 3.0, 4.0]
    assert fastnp.add(a, b).tolist() == want
    assert fastnp.add(*[a, b]).tolist() == want
    assert functools.partial(fastnp.add, a)(b).tolist() == want
    assert [x.tolist() for x in map(fastnp.add, [a], [b])] == [want]
    out = fastnp.empty(4)
    assert fastnp.add(a, b, out) is out and fastnp.add(a, b, out=out) is out
    assert out.tolist() == want
    assert fastnp.add(a, b, dtype="f4").dtype == numpy.float32
    add: Any = fastnp.add
    for args, names in [((), {}), ((a,), {}), ((a, b, out, out), {}), ((a, b), {"nothing": 1})]:
        with pytest.raises(TypeError):
            add(*args, **names)
    with pytest.raises(TypeError, match="cannot create"):
        type(fastnp.add)()
    assert type(fastnp.sqrt) is fastnp.ufunc and fastnp.sqrt(4.0) == 2.0
    reference = weakref.ref(fastnp.sqrt)
    assert reference() is fastnp.sqrt
