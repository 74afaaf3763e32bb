"""JSON and other text and binary formats: orjson, msgpack, ormsgpack, json, csv, yaml."""

import csv
import io
import json

import orjson

from tests.neighbours.survey.inputs import grid, pending, raised


def arrays(np):
    option = orjson.OPT_SERIALIZE_NUMPY
    return orjson.dumps(np.arange(3), option=option), orjson.dumps({"a": np.eye(2)}, option=option)


def pending_array(np):
    return orjson.dumps(pending(np), option=orjson.OPT_SERIALIZE_NUMPY)


def every_type(np):
    names = "bool uint8 int8 int16 int32 int64 float16 float32 float64".split()
    return [orjson.dumps(np.arange(2).astype(n), option=orjson.OPT_SERIALIZE_NUMPY) for n in names]


def scalars(np):
    return orjson.dumps([np.float64(1.5), np.int32(2)], option=orjson.OPT_SERIALIZE_NUMPY)


def refused_without_the_option(np):
    return raised(lambda: orjson.dumps(np.arange(3)))


def default(np):
    return orjson.dumps(np.arange(3), default=lambda a: a.tolist())


def arrays_and_a_default(np):
    option = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_INDENT_2
    value = {"a": np.arange(3) * 2, "b": 1 + 2j, "c": [np.eye(2), np.array(["x"])]}
    return orjson.dumps(value, lambda x: x.tolist() if hasattr(x, "tolist") else str(x), option)


def refused_by_the_default(np):
    return raised(
        lambda: orjson.dumps([np.arange(3), 1j], str.upper, orjson.OPT_SERIALIZE_NUMPY)
    ), orjson.loads(orjson.dumps([1, None]))


def not_contiguous(np):
    x = grid(np)[::100, ::100]
    return raised(lambda: orjson.dumps(x, option=orjson.OPT_SERIALIZE_NUMPY))


def messagepack(np):
    import msgpack

    packed = msgpack.packb({"a": np.arange(3)}, default=lambda a: a.tolist())
    return msgpack.unpackb(packed), msgpack.packb(np.arange(3).tobytes())


def messages(np):
    import ormsgpack

    option = ormsgpack.OPT_SERIALIZE_NUMPY
    value = {"a": np.arange(3) * 2, "b": [np.eye(2), np.float32(2)], "c": pending(np)}
    return (
        ormsgpack.packb(value, option=option),
        ormsgpack.packb([np.arange(3), 1j, grid(np)[::100, ::100]], _as_text_or_list, option),
        ormsgpack.packb(np.arange(3), _as_text_or_list),
        raised(lambda: ormsgpack.packb(np.arange(3))),
        raised(lambda: ormsgpack.packb([np.arange(3), 1j], str.upper, option)),
    )


def _as_text_or_list(value):
    return value.tolist() if hasattr(value, "tolist") else str(value)


def standard_json(np):
    return json.dumps(np.arange(3).tolist()), raised(lambda: json.dumps(np.arange(3)))


def standard_csv(np):
    out = io.StringIO()
    csv.writer(out).writerows(np.arange(6).reshape(2, 3))
    return out.getvalue()


def yaml(np):
    import yaml as package

    return package.safe_dump(pending(np)[:3].tolist())
