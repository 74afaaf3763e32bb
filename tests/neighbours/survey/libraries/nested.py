"""Arrays of other kinds: awkward, sparse, rapidfuzz, simsimd."""

import awkward as ak

from tests.neighbours.survey.inputs import grid, pending, rounded

PACKAGE = "awkward"


def made(np):
    x = ak.from_numpy(np.arange(6.0).reshape(2, 3))
    return x.to_list(), ak.to_numpy(x), str(x.type)


def of_pending(np):
    x = ak.Array(pending(np))
    return float(ak.sum(x)), ak.to_numpy(x[3:5]), ak.to_numpy(x * np.arange(200_000.0))[:4]


def ragged(np):
    x = ak.unflatten(np.arange(6.0), np.array([1, 0, 3, 2]))
    return ak.sum(x, axis=1).to_list(), np.sqrt(x).to_list(), (x + np.ones(4)).to_list()


def indexed(np):
    x = ak.Array([[1, 2], [3], []])
    return x[np.array([2, 0])].to_list(), x[np.array([True, False, True])].to_list()


def from_buffers(np):
    form, length, buffers = ak.to_buffers(ak.from_numpy(np.arange(3.0)))
    return ak.from_buffers(form, length, {k: np.asarray(v) for k, v in buffers.items()}).to_list()


@rounded(1e-14)
def sparse_arrays(np):
    import sparse

    x = np.eye(4) * 2
    s = sparse.COO.from_numpy(x)
    return s.nnz, (s @ x), s.sum(axis=0).todense(), np.sqrt(s).todense(), (s * x).todense()


def sparse_of_coordinates(np):
    import sparse

    s = sparse.COO(np.array([[0, 1], [1, 2]]), np.array([3.0, 4.0]), shape=(2, 3))
    return s.todense(), sparse.GCXS.from_numpy(grid(np) * (grid(np) % 9 > 7)).nnz


def distances_of_texts(np):
    from rapidfuzz import fuzz, process

    scores = process.cdist(["abc", "abd"], ["abc", "xyz"], scorer=fuzz.ratio)
    return np.asarray(scores) + 1, process.cdist(np.array(["ab", "b"]), ["b"])


@rounded(1e-6)
def similarities(np):
    import simsimd

    x, y = np.arange(1.0, 65), np.ones(64)
    return float(simsimd.cosine(x, y)), float(simsimd.sqeuclidean(pending(np), pending(np) * 2))


@rounded(1e-6)
def similarities_of_all(np):
    import simsimd

    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    return np.array(simsimd.cdist(x, x + 1, metric="sqeuclidean"))
