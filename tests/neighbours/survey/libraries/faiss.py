"""Faiss: vectors added to an index, searched, and changed in place."""

import faiss

from tests.neighbours.survey.inputs import grid

PACKAGE = "faiss-cpu"


def search(np):
    index = faiss.IndexFlatL2(500)
    index.add(grid(np, "float32"))
    return index.search(grid(np, "float32")[:3], 2), index.ntotal


def normalize(np):
    x = grid(np, "float32")
    x += 1
    faiss.normalize_L2(x)
    return x


def reconstructed(np):
    index = faiss.IndexFlatL2(4)
    index.add(np.arange(8, dtype=np.float32).reshape(2, 4))
    return index.reconstruct(1), index.reconstruct_n(0, 2)


def with_ids(np):
    index = faiss.IndexIDMap(faiss.IndexFlatL2(4))
    index.add_with_ids(np.eye(4, dtype=np.float32), np.array([10, 20, 30, 40]))
    return index.search(np.eye(4, dtype=np.float32)[1:2], 1)


def k_means(np):
    points = np.array([[0, 0], [0, 1], [9, 9], [9, 8]] * 30, np.float32)
    means = faiss.Kmeans(2, 2, niter=5, seed=1)
    means.train(points)
    return np.sort(np.asarray(means.centroids), axis=0)


def distances(np):
    x = grid(np, "float32")
    return faiss.pairwise_distances(x[:5].copy(), x[:7].copy()), faiss.knn(
        x[:4].copy(), x[:9].copy(), 2
    )


def vector(np):
    v = faiss.FloatVector()
    faiss.copy_array_to_vector(np.arange(5, dtype=np.float32), v)
    return faiss.vector_to_array(v)
