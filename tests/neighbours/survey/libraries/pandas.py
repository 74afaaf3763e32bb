"""pandas: frames and series of arrays, their memory, files, and the module's functions."""

import io

import pandas as pd

from tests.neighbours.survey.inputs import grid, pending, rounded


def series(np):
    s = pd.Series(pending(np))
    return s.dtype, s.sum(), s.to_numpy(), type(s.to_numpy()), s.iloc[3:5].tolist()


def frame(np):
    f = pd.DataFrame({"a": pending(np), "b": np.arange(200_000), "c": pending(np, "float32")})
    return f.dtypes.astype(str).tolist(), f.sum().tolist(), f["b"].to_numpy()


def frame_of_a_matrix(np):
    f = pd.DataFrame(grid(np))
    f += 1
    return f.to_numpy(), f.T.shape, f[3].to_numpy()


def not_copied(np):
    x = pending(np)
    s = pd.Series(x, copy=False)
    x += 1
    y = x * 2
    return s.to_numpy(), y, np.shares_memory(s.to_numpy(), x)


def printed(np):
    print(pd.DataFrame({"a": np.arange(3), "b": np.array(["x", "y", "z"])}))
    print(pd.Series(pending(np)))


def masks(np):
    f = pd.DataFrame({"a": np.arange(10)})
    return (
        f[np.arange(10) > 6].to_numpy(),
        f.loc[np.array([1, 3])].to_numpy(),
        f.iloc[np.array([2])].to_numpy(),
    )


def assigned(np):
    f = pd.DataFrame({"a": np.zeros(200_000)})
    f["b"] = pending(np)
    f.loc[:2, "a"] = np.array([7.0, 8, 9])
    f["c"] = f["a"] + np.ones(200_000)
    return f.to_numpy()


def arithmetic(np):
    s = pd.Series([1.0, 2, 3])
    parts = (s + np.ones(3), np.ones(3) + s, s > np.array([0, 2, 4]), np.sqrt(s), np.add(s, s))
    return [(type(p).__name__, p.tolist()) for p in parts]


@rounded(1e-13)
def functions_of_the_module(np):
    f = pd.DataFrame({"a": np.arange(4.0), "b": np.ones(4)})
    return (
        np.sum(f["a"]),
        np.mean(f, axis=0).tolist(),
        np.exp(f).to_numpy(),
        np.where(f["a"] > 1, 1, 0),
    )


def grouped(np):
    f = pd.DataFrame({"k": np.arange(1000) % 3, "v": np.arange(1000.0)})
    return f.groupby("k")["v"].agg(["sum", "max"]).to_numpy(), f.groupby(np.arange(1000) % 2)[
        "v"
    ].sum().tolist()


def applied(np):
    s = pd.Series(np.arange(20.0))
    return (
        s.rolling(3).apply(np.mean, raw=True).tolist()[2:],
        s.apply(np.sqrt).iloc[4],
        s.map(np.float32).dtype,
    )


def aggregated(np):
    f = pd.DataFrame({"a": np.arange(4.0)})
    return (
        f.agg(np.sum).tolist(),
        f.agg({"a": np.mean}).tolist(),
        f["a"].agg([np.min, np.max]).tolist(),
    )


def dates(np):
    index = pd.DatetimeIndex(np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[ns]"))
    return (
        index.astype(str).tolist(),
        (index - np.timedelta64(1, "D")).astype(str).tolist(),
        index.values,
    )


def categories(np):
    c = pd.Categorical(np.array(["a", "b", "a"]))
    return (
        c.codes,
        list(c.categories),
        pd.factorize(np.array([3, 1, 3])),
        pd.unique(np.array([3, 1, 3])),
    )


def cuts(np):
    return pd.cut(np.arange(6.0), 3, labels=False), pd.qcut(np.arange(6.0), 2, labels=False)


def merged(np):
    a = pd.DataFrame({"k": np.arange(5), "v": np.arange(5.0)})
    b = pd.DataFrame({"k": np.array([1, 3]), "w": np.ones(2)})
    return (
        a.merge(b, on="k").to_numpy(),
        pd.concat([a, a]).shape,
        a.isin(np.array([1, 2])).to_numpy(),
    )


def files(np):
    text = pd.DataFrame({"a": pending(np)[:4], "b": np.arange(4)}).to_csv(index=False)
    return text, pd.read_csv(io.StringIO(text)).to_numpy(), pd.DataFrame(np.eye(2)).to_json()


def pickled(np):
    import pickle

    return pickle.loads(pickle.dumps(pd.DataFrame({"a": pending(np)}))).to_numpy()


def index(np):
    i = pd.Index(np.arange(5))
    return (
        i.get_indexer(np.array([1, 9])),
        i.searchsorted(np.array([2])),
        i.take(np.array([0, 1])).tolist(),
    )


def missing(np):
    s = pd.Series(np.array([1.0, np.nan, 3]))
    return s.fillna(0).tolist(), pd.isna(np.array([1.0, np.nan])), s.interpolate().tolist()


def parquet(np):
    pd.DataFrame({"a": pending(np)}).to_parquet("a.parquet")
    return pd.read_parquet("a.parquet")["a"].to_numpy()


def used_again(np):
    s = pd.Series(pending(np))
    x = np.asarray(s)
    y = x * 2 + 1
    s2 = pd.Series(y)
    return np.asarray(s2), np.sum(s2), np.concatenate([s, s2])
