"""Apache Arrow: arrays, tables and tensors of arrays, and arrays of Arrow's memory."""

import pyarrow as pa
import pyarrow.compute as pc

from tests.neighbours.survey.inputs import grid, pending


def array(np):
    small, large = pa.array(np.ones(3)), pa.array(pending(np))
    return str(small.type), small.to_pylist(), large.to_numpy(), str(large.type)


def array_shares_memory(np):
    x = pending(np)
    held = pa.array(x)
    x += 1
    return held.to_numpy(), x


def array_with_nan_as_null(np):
    x = np.array([1.0, np.nan, 3])
    return pa.array(x, from_pandas=True).to_pylist(), pa.array(x).to_pylist()


def array_with_a_mask(np):
    return pa.array(np.arange(3), mask=np.array([False, True, False])).to_pylist()


def array_of_a_type(np):
    return pa.array(np.arange(3), type=pa.float32()).to_pylist()


def every_type(np):
    names = "bool uint8 int8 int16 int32 int64 float32 float64".split()
    return [str(pa.array(np.arange(3).astype(name)).type) for name in names]


def table(np):
    held = pa.table({"a": pending(np), "b": pending(np, "int32")})
    return held.column("a").to_numpy(), held.column("b").to_numpy(), str(held.schema)


def record_batch(np):
    batch = pa.RecordBatch.from_arrays([pa.array(np.arange(3))], ["a"])
    return batch.to_pydict()


def chunked_array(np):
    held = pa.chunked_array([np.arange(3), np.arange(2)])
    return held.to_pylist(), held.to_numpy()


def tensor(np):
    x = grid(np)
    held = pa.Tensor.from_numpy(x)
    return held.shape, held.strides, held.to_numpy()


def nested_lists(np):
    held = pa.array([np.arange(2), np.arange(3)])
    return str(held.type), held.to_pylist()


def list_array_from_arrays(np):
    return pa.ListArray.from_arrays(np.array([0, 2, 3]), np.arange(3)).to_pylist()


def fixed_size_lists(np):
    held = pa.FixedSizeListArray.from_arrays(pending(np), 4)
    return len(held), held[1].as_py()


def functions(np):
    return pc.sum(np.arange(4)).as_py(), pc.add(pa.array(np.arange(3)), 1).to_pylist()


def buffer(np):
    x = pending(np)
    held = pa.py_buffer(x)
    x += 1
    return held.size, np.frombuffer(held)


def array_of_arrow_memory(np):
    x = np.asarray(pa.array(range(150_000)))
    return x, x * 2, x.flags.writeable, np.sqrt(pa.array([1.0, 4.0]))


def scalars(np):
    return pa.scalar(np.float32(1.5)).as_py(), pa.array([np.int64(1), np.int64(2)]).to_pylist()


def serialized(np):
    sink = pa.BufferOutputStream()
    held = pa.table({"a": pending(np)})
    with pa.ipc.new_stream(sink, held.schema) as writer:
        writer.write_table(held)
    return pa.ipc.open_stream(sink.getvalue()).read_all().column("a").to_numpy()
