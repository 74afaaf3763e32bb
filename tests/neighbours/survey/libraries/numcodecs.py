"""numcodecs: compressors, filters, decoding into arrays."""

import numcodecs

from tests.neighbours.survey.inputs import grid, pending


def compressors(np):
    out = []
    for c in (
        numcodecs.Zlib(),
        numcodecs.Blosc(cname="lz4"),
        numcodecs.Zstd(),
        numcodecs.LZ4(),
        numcodecs.BZ2(),
        numcodecs.GZip(),
        numcodecs.LZMA(),
    ):
        x = pending(np, n=20000) * 2
        b = c.encode(x)
        x[:] = 0
        y = np.zeros(20000)
        c.decode(b, out=y)
        out.append((np.frombuffer(c.decode(b)), y * 2))
    return out


def filters(np):
    x = pending(np, "int64", 20000)
    fs = [
        numcodecs.Delta("i8"),
        numcodecs.Shuffle(8),
        numcodecs.Quantize(2, "f8"),
        numcodecs.FixedScaleOffset(1, 10, "f8", "i4"),
        numcodecs.AsType("i4", "i8"),
        numcodecs.CRC32(),
        numcodecs.Adler32(),
    ]
    return [
        np.asarray(f.encode(x.astype(f.dtype) if hasattr(f, "dtype") else x))
        for f in fs
        if f.codec_id not in ("crc32", "adler32", "shuffle")
    ], [bytes(f.encode(x))[:8] for f in fs if f.codec_id in ("crc32", "adler32", "shuffle")]


def bits(np):
    m = pending(np) % 3 == 0
    c = numcodecs.PackBits()
    e = c.encode(m)
    return np.asarray(e), c.decode(e)


def objects(np):
    s = np.array(["a", "bb", None, 3], dtype=object)
    j = numcodecs.JSON()
    p = j
    v = numcodecs.VLenUTF8()
    a = numcodecs.VLenArray("<i8")
    arr = np.empty(2, dtype=object)
    arr[0] = np.arange(3)
    arr[1] = np.arange(2) * 2
    return (
        [
            j.decode(j.encode(s)),
            p.decode(p.encode(s)),
            v.decode(v.encode(np.array(["x", "yy"], dtype=object))),
        ],
        [np.asarray(x) for x in a.decode(a.encode(arr))],
        numcodecs.Categorize(["a", "b"], dtype="U1").encode(np.array(["a", "b", "a"])),
    )


def strided(np):
    from tests.neighbours.survey.inputs import raised

    z = numcodecs.Zlib()
    f = np.asfortranarray(grid(np) * 2)
    return z.decode(z.encode(f))[:80], raised(lambda: z.encode(grid(np)[::2, ::3]))
