"""Time series: soxr, finufft, ruptures, hmmlearn, dtaidistance."""

import soxr

from tests.neighbours.survey.inputs import pending, rounded

PACKAGE = "soxr"


def _wave(np, n=4000):
    return np.sin(np.arange(float(n)) / 10) + 0.2


@rounded(1e-12)
def resampled(np):
    x = _wave(np)
    return soxr.resample(x, 44_100, 16_000), soxr.resample(x.astype(np.float32), 2, 1).dtype


@rounded(1e-12)
def resampled_pending(np):
    return soxr.resample(pending(np).reshape(-1, 2), 3, 2)[:50]


@rounded(1e-12)
def resampled_in_chunks(np):
    stream = soxr.ResampleStream(2, 1, 1, dtype="float64")
    x = _wave(np)
    return [stream.resample_chunk(x[k : k + 1000], last=k == 3000) for k in range(0, 4000, 1000)]


@rounded(1e-9)
def transformed(np):
    import finufft

    x = np.linspace(-3, 3, 200)
    c = np.ones(200) + 1j * np.arange(200)
    return finufft.nufft1d1(x, c, 16, eps=1e-12), finufft.nufft1d2(x, c[:16] * 2, eps=1e-12)


@rounded(1e-9)
def transformed_into(np):
    import finufft

    x, c, out = np.linspace(-3, 3, 50), np.ones(50, dtype=complex), np.zeros(8, dtype=complex)
    finufft.nufft1d1(x, c, out=out, eps=1e-12)
    return out * 2


@rounded(1e-9)
def breaks(np):
    import ruptures

    x = np.concatenate([np.zeros(100), np.ones(100) * 5, np.zeros(100)])
    algorithm = ruptures.Pelt(model="l2").fit(x)
    return algorithm.predict(pen=3), ruptures.Binseg("rbf").fit(x[::3] * 1.0).predict(n_bkps=2)


@rounded(1e-6)
def hidden_states(np):
    from hmmlearn.hmm import GaussianHMM

    x = np.concatenate([np.zeros(50) + 0.1 * _wave(np, 50), np.ones(50) * 4]).reshape(-1, 1)
    model = GaussianHMM(2, n_iter=5, random_state=0).fit(x)
    return model.predict(x), np.sort(model.means_.ravel()), model.score(x)


@rounded(1e-12)
def distances(np):
    from dtaidistance import dtw

    x, y = _wave(np, 50), _wave(np, 60) * 2
    matrix = dtw.distance_matrix([x, y, x[::2] * 1.0], use_c=False)
    return dtw.distance(x, y), dtw.distance_fast(x, y), matrix, dtw.warping_path(x[:5], y[:6])
