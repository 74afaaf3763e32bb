"""HDBSCAN: clusters and predictions."""

import hdbscan

from tests.neighbours.survey.inputs import rounded


def _blobs(np):
    r = np.random.default_rng(5)
    return np.concatenate([r.normal(size=(60, 2)) + 8 * k for k in range(3)])


@rounded(1e-8)
def clusters(np):
    x = _blobs(np)
    h = hdbscan.HDBSCAN(min_cluster_size=10, core_dist_n_jobs=1).fit(x)
    x[:] = 0
    return h.labels_, h.probabilities_, h.outlier_scores_


@rounded(1e-6)
def float32(np):
    x = _blobs(np).astype(np.float32) * 2
    return hdbscan.HDBSCAN(algorithm="boruvka_kdtree", core_dist_n_jobs=1).fit_predict(x)


@rounded(1e-8)
def precomputed(np):
    x = _blobs(np)
    d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    return hdbscan.HDBSCAN(metric="precomputed").fit(d).labels_, d[3]


@rounded(1e-8)
def prediction(np):
    x = _blobs(np)
    h = hdbscan.HDBSCAN(prediction_data=True, core_dist_n_jobs=1).fit(x)
    return hdbscan.approximate_predict(h, x[::7] + 0.01), hdbscan.all_points_membership_vectors(h)[
        :5
    ]
