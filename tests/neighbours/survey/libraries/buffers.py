"""Bytes of arrays: cbor2, zstandard, lz4."""

import cbor2
import lz4.block
import lz4.frame
import zstandard

from tests.neighbours.survey.inputs import grid, pending, raised

PACKAGE = "cbor2"


def cbor(np):
    x = pending(np, n=1000)

    def default(enc, v):
        enc.encode({"d": v.dtype.str, "b": v.tobytes()})

    b = cbor2.dumps({"x": x * 2, "n": np.arange(3).tolist()}, default=default)
    return (
        cbor2.loads(b),
        raised(lambda: cbor2.dumps(np.arange(3))),
        raised(lambda: cbor2.dumps(np.float32(2))),
    )


def zstd(np):
    x = pending(np) * 2
    c = zstandard.ZstdCompressor().compress(x)
    y = np.frombuffer(zstandard.ZstdDecompressor().decompress(c))
    return (
        y * 1,
        zstandard.ZstdCompressor().compress(grid(np, "uint8")),
        zstandard.ZstdCompressor().multi_compress_to_buffer([x, x[:10]])[1].tobytes(),
    )


def zstd_streams(np):
    import io

    x = pending(np, "int32")
    o = io.BytesIO()
    with zstandard.ZstdCompressor().stream_writer(o, closefd=False) as w:
        w.write(x)
        x += 1
        w.write(x)
    r = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(o.getvalue()))
    y = np.zeros(200000, dtype=np.int32)
    n = r.readinto(y)
    return n, y + 1


def lz4s(np):
    x = pending(np, "float32") + 1
    return (
        np.frombuffer(lz4.frame.decompress(lz4.frame.compress(x)), dtype=np.float32),
        lz4.block.decompress(lz4.block.compress(x, store_size=True)) == x.tobytes(),
        raised(lambda: lz4.frame.compress(x[::2])),
    )
