"""PyWavelets, SoundFile, statsmodels, lmfit, emcee, networkx, casadi, gymnasium and others."""

import pywt

from tests.neighbours.survey.inputs import grid, pending, raised, rounded

PACKAGE = "PyWavelets"


def wavelets(np):
    a, d = pywt.dwt(pending(np), "db2")
    return (
        a,
        d,
        pywt.idwt(a, d, "db2"),
        pywt.dwt2(grid(np), "haar")[0],
        pywt.threshold(np.arange(5.0), 2),
    )


def wavelet_levels(np):
    parts = pywt.wavedec(np.arange(64.0), "db1")
    parts[0] *= 2
    return pywt.waverec(parts, "db1"), [p.shape for p in parts]


def sound(np):
    import soundfile

    soundfile.write("a.wav", (pending(np) % 1000) / 1000, 8000)
    x, rate = soundfile.read("a.wav")
    out = np.zeros(200_000)
    soundfile.read("a.wav", out=out)
    return np.asarray(x) * 2, rate, out


@rounded(1e-9)
def regressions(np):
    import statsmodels.api as sm

    x = sm.add_constant(np.arange(20.0))
    found = sm.OLS(np.arange(20.0) ** 2, x).fit()
    return found.params, found.rsquared, found.predict(x)


@rounded(1e-6)
def curve_fits(np):
    import lmfit

    x = np.linspace(-3, 3, 60)
    model = lmfit.models.GaussianModel()
    y = model.eval(x=x, amplitude=2, center=0.5, sigma=1)
    found = model.fit(y, x=x, amplitude=1, center=0, sigma=1)
    return found.best_values["center"], found.best_fit


def chains(np):
    import emcee

    np.random.seed(1)
    sampler = emcee.EnsembleSampler(8, 2, lambda p: -0.5 * np.sum(p**2))
    sampler.run_mcmc(np.arange(16.0).reshape(8, 2) / 16 + np.eye(8)[:, :2], 5)
    return sampler.get_chain().shape, sampler.get_chain()


def graphs(np):
    import networkx as nx

    g = nx.from_numpy_array(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]]))
    return nx.to_numpy_array(g), sorted(g.edges(data="weight")), nx.shortest_path_length(g, 0, 2)


def igraphs(np):
    import igraph

    g = igraph.Graph.Adjacency(np.array([[0, 1], [1, 0]]).tolist())
    return g.ecount(), igraph.Graph(edges=np.array([[0, 1], [1, 2]])).vcount()


@rounded(1e-9)
def symbolic(np):
    import casadi

    x = casadi.SX.sym("x", 3)
    f = casadi.Function("f", [x], [casadi.dot(x, x)])
    return np.array(f(np.arange(3.0))), str(x + np.ones(3)), np.array(casadi.DM(np.eye(2)))


def environments(np):
    import gymnasium

    box = gymnasium.spaces.Box(np.zeros(3, np.float32), np.ones(3, np.float32), seed=1)
    env = gymnasium.make("CartPole-v1")
    first, _ = env.reset(seed=1)
    return box.contains(np.ones(3, np.float32) / 2), box.sample(), first, env.step(np.int64(1))[0]


def compressed(np):
    import blosc2

    held = blosc2.asarray(pending(np))
    return held[:], held[3:9], blosc2.unpack_array2(blosc2.pack_array2(pending(np)))


def parquet(np):
    import fastparquet
    import pandas

    fastparquet.write("a.parq", pandas.DataFrame({"a": pending(np)}))
    return fastparquet.ParquetFile("a.parq").to_pandas()["a"].to_numpy()


def models(np):
    import pydantic

    class Held(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
        x: np.ndarray
        n: float

    held = Held(x=pending(np), n=np.float64(3))
    return held.x, held.n, type(held.n)


def checked_types(np):
    from beartype import beartype

    @beartype
    def f(x: np.ndarray) -> np.ndarray:
        return x * 2

    @beartype
    def g(x: np.typing.NDArray[np.float64]) -> float:
        return float(x[0])

    wrong = raised(lambda: g(np.ones(3, "i4")))[0]
    return f(np.ones(3)), f(pending(np)), g(pending(np)), wrong


def generated(np):
    import random

    from hypothesis import find
    from hypothesis.extra import numpy as extra

    # The same examples under both modules: some overflow.
    found = find(
        extra.arrays(np.float64, 3),
        lambda x: np.sum(np.asarray(x)) > 1e3,
        random=random.Random(1),
    )
    return found.shape, found.dtype
