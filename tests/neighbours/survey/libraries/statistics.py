"""numba-stats, arch, lifelines, stumpy, numbagg, quantecon, xarray-einstats: distributions."""

from numba_stats import expon, norm, t, voigt

from tests.neighbours.survey.inputs import pending, rounded

PACKAGE = "numba-stats"


@rounded(1e-12)
def densities(np):
    x = np.linspace(-3, 3, 50)
    return [
        norm.pdf(x, 0.5, 2.0),
        norm.cdf(pending(np) / 1e5, 0, 1),
        expon.logpdf(np.arange(5.0), 0, 2),
        t.ppf(np.linspace(0.1, 0.9, 9), 4.0, 0, 1),
        voigt.pdf(x, 0.5, 0.2, 1.0),
    ]


@rounded(1e-5)
def volatility(np):
    from arch import arch_model

    r = np.random.default_rng(1).normal(size=400) * (1 + np.arange(400) % 3)
    found = arch_model(r, mean="Zero", vol="GARCH").fit(disp="off")
    return found.params.to_numpy(), found.conditional_volatility[:9]


@rounded(1e-9)
def bootstrap(np):
    from arch.bootstrap import IIDBootstrap

    x = np.random.default_rng(2).normal(size=200)
    b = IIDBootstrap(x, seed=3)
    return b.conf_int(lambda v: v.mean(), 50), b.cov(np.mean, 30)


@rounded(1e-5)
def unit_roots(np):
    from arch.unitroot import ADF

    walk = np.random.default_rng(3).normal(size=300).cumsum()
    return ADF(walk).stat, ADF(walk).lags


@rounded(1e-8)
def survival(np):
    from lifelines import KaplanMeierFitter, WeibullFitter

    times, seen = np.arange(1.0, 30), np.arange(29) % 3 > 0
    k = KaplanMeierFitter().fit(times, seen)
    w = WeibullFitter().fit(times, seen)
    return k.survival_function_.to_numpy(), k.median_survival_time_, round(w.lambda_, 4)


@rounded(1e-10)
def labelled(np):
    import xarray
    from scipy import stats
    from xarray_einstats import linalg
    from xarray_einstats.stats import XrContinuousRV

    x = xarray.DataArray(np.random.default_rng(1).random((3, 4, 4)), dims=("t", "i", "j"))
    rv = XrContinuousRV(stats.norm, x, 2.0)
    return (
        linalg.inv(x, dims=("i", "j")).values,
        linalg.det(x, dims=("i", "j")).values,
        rv.pdf(0.3).values,
        linalg.matmul(x, x, dims=("i", "j")).values,
    )


@rounded(1e-9)
def matrix_profiles(np):
    import stumpy

    x = np.sin(np.arange(300.0) / 7) + np.random.default_rng(1).normal(size=300) / 9
    return stumpy.stump(x, 20)[:, 0].astype(float), stumpy.mass(x[:30], x)


@rounded(1e-12)
def moving_windows(np):
    import numbagg

    x = pending(np) % 97
    x[5] = np.nan
    return (
        numbagg.move_mean(x, window=5, min_count=1),
        numbagg.nanmean(x.reshape(100, -1), axis=1),
        numbagg.move_exp_nansum(x[:50], alpha=0.5),
        numbagg.group_nanmean(x[:12], np.arange(12) % 3),
    )


@rounded(1e-10)
def economics(np):
    import quantecon

    p = np.array([[0.9, 0.1], [0.4, 0.6]])
    chain = quantecon.MarkovChain(p)
    return (
        chain.stationary_distributions,
        chain.simulate(20, random_state=1),
        quantecon.gini_coefficient(np.arange(1.0, 9)),
        quantecon.tauchen(4, 0.5, 1.0).P,
    )
