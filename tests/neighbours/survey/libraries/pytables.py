"""PyTables: attributes, arrays, tables and compressed arrays in a file in memory."""

from contextlib import contextmanager

import tables

from tests.neighbours.survey.inputs import grid, pending

PACKAGE = "tables"


@contextmanager
def _file():
    with tables.open_file("a.h5", "w", driver="H5FD_CORE", driver_core_backing_store=0) as opened:
        yield opened


def attribute(np):
    with _file() as h:
        h.root._v_attrs.z = np.arange(5.0)
        h.root._v_attrs.large = pending(np, n=1000)
        return h.root._v_attrs.z, h.root._v_attrs.large


def array(np):
    with _file() as h:
        h.create_array("/", "x", np.arange(3))
        h.create_array("/", "y", pending(np))
        return h.root.x[:], h.root.y[:], h.root.y[5:9]


def compressed(np):
    with _file() as h:
        x = h.create_carray("/", "x", obj=grid(np), filters=tables.Filters(5))
        x[0] = np.zeros(500)
        x[1:3] = grid(np)[:2]
        return x[:]


def extendable(np):
    with _file() as h:
        x = h.create_earray("/", "x", tables.Float64Atom(), (0,))
        x.append(np.arange(3.0))
        x.append(pending(np))
        return x[:]


def table(np):
    with _file() as h:
        records = np.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
        records["b"] = [1, 2, 3]
        t = h.create_table("/", "t", records)
        t.append(records)
        return t[:], t.col("b"), [row["a"] for row in t.where("b > 1.5")]


def column_written(np):
    with _file() as h:
        t = h.create_table("/", "t", np.zeros(100_000, dtype=[("a", "f8")]))
        t.modify_column(column=pending(np, n=100_000), colname="a")
        return t.col("a")


def selection(np):
    with _file() as h:
        x = h.create_array("/", "x", np.arange(10))
        return x[np.array([1, 3])], x[np.arange(10) > 7]


def read_out(np):
    with _file() as h:
        x = h.create_array("/", "x", pending(np))
        out = np.empty(200_000)
        x.read(out=out)
        out += 1
        return out
