"""cloudpickle and joblib: functions that name the module, arrays between processes and in files."""

import pickle

import cloudpickle
import joblib

from tests.neighbours.survey.inputs import pending, rounded


def _back(value):
    return pickle.loads(cloudpickle.dumps(value))


def arrays(np):
    return _back(np.arange(3)), _back(pending(np)), _back(pending(np)[::3])


def lambda_naming_the_module(np):
    return _back(lambda x: np.sqrt(x) + np.ones(3))(np.arange(3.0))


def lambda_naming_random_numbers(np):
    return _back(lambda: np.random.default_rng(1).random(3))()


def lambda_naming_linear_algebra(np):
    return _back(lambda: np.linalg.norm(np.arange(3.0)))(), _back(lambda: np.fft.fft(np.ones(2)))()


def functions_of_the_module(np):
    names = "sin sum concatenate linspace where einsum dot sort asarray".split()
    return [_back(getattr(np, name)) is getattr(np, name) for name in names]


def functions_of_random(np):
    names = "rand randn normal randint choice uniform".split()
    return [pickle.loads(pickle.dumps(getattr(np.random, name))).__name__ for name in names]


def module(np):
    return _back(np) is np, _back(np.random) is np.random, _back(np.linalg) is np.linalg


def class_with_arrays(np):
    class Holder:
        scale = np.ones(3)

        def __init__(self):
            self.x = pending(np)

        def total(self):
            return np.sum(self.x), self.scale

    return _back(Holder()).total()


def class_of_arrays(np):
    class Doubled(np.ndarray):
        unit = "m"

        def doubled(self):
            return self * 2

    x = _back(np.arange(3.0).view(Doubled))
    return np.asarray(x.doubled()), x.unit, x[1:].unit, isinstance(x, np.ndarray)


def generators(np):
    g = _back(np.random.default_rng(3))
    return g.random(3), _back(np.random.RandomState(4)).rand(2)


def types(np):
    return [_back(t) for t in (np.float32, np.dtype("i4"), np.ndarray)], _back(np.float64(2))


def in_parallel(np):
    work = joblib.delayed(lambda i: np.random.default_rng(i).random() + np.linalg.norm(np.ones(4)))
    return joblib.Parallel(n_jobs=2)(work(i) for i in range(2))


def in_threads(np):
    x = pending(np)
    work = joblib.delayed(lambda i: float(np.sum(x[i::4])))
    return joblib.Parallel(n_jobs=2, prefer="threads")(work(i) for i in range(4))


def large_argument_in_parallel(np):
    x = pending(np)
    work = joblib.delayed(lambda a, i: (a[i], a.sum(), a.flags.writeable, type(a).__name__))
    return joblib.Parallel(n_jobs=2, max_nbytes=1000)(work(x, i) for i in range(2))


def large_argument_is_written_once(np):
    x = pending(np)
    work = joblib.delayed(lambda a, i: a.filename)
    return len(set(joblib.Parallel(n_jobs=2, max_nbytes=1000)(work(x, i) for i in range(6))))


def changed_between_calls(np):
    x = pending(np)
    work = joblib.delayed(lambda a, i: a[i])
    first = joblib.Parallel(n_jobs=2, max_nbytes=1000)(work(x, i) for i in range(2))
    x += 1
    y = x[::2]
    return first, [
        joblib.Parallel(n_jobs=2, max_nbytes=1000)(work(a, i) for i in range(2)) for a in (x, y)
    ]


def dumped(np):
    joblib.dump({"x": pending(np), "y": np.arange(3)}, "a.joblib")
    found = joblib.load("a.joblib")
    return found["x"], found["y"]


def memory_mapped(np):
    joblib.dump(pending(np), "b.joblib")
    found = joblib.load("b.joblib", mmap_mode="r")
    return type(found).__name__, np.asarray(found)


def compressed(np):
    joblib.dump(pending(np), "c.joblib.gz", compress=3)
    return joblib.load("c.joblib.gz")


def cached(np):
    calls = []
    memory = joblib.Memory("cache", verbose=0)

    @memory.cache(ignore=["seen"])
    def double(x, seen):
        seen.append(1)
        return x * 2

    x = pending(np)
    first, second = double(x, calls), double(np.asarray(x), calls)
    return first, second, len(calls)


def hashed(np):
    x = pending(np)
    return (
        joblib.hash(np.arange(3)),
        joblib.hash(x),
        joblib.hash(x[::2]),
        joblib.hash({"a": np.ones(2)}),
    )


@rounded(1e-13)
def pool_of_random_functions(np):
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(2) as pool:
        return [a.shape for a in pool.map(np.random.rand, [2, 3])], pool.map(np.sum, [pending(np)])
