"""shap: explainers of trees, of functions and of linear models."""

import shap

from tests.neighbours.survey.inputs import rounded


def _data(np):
    x = np.random.default_rng(1).random((100, 4))
    return x, x[:, 0] * 2 + x[:, 1] ** 2


@rounded(1e-6)
def trees(np):
    from sklearn.ensemble import RandomForestRegressor

    x, y = _data(np)
    m = RandomForestRegressor(5, random_state=1).fit(x, y)
    e = shap.TreeExplainer(m)
    v = e.shap_values(x[:10])
    return v, e.expected_value, e.shap_interaction_values(x[:2])


@rounded(1e-5)
def kernel(np):
    x, y = _data(np)
    np.random.seed(1)
    e = shap.KernelExplainer(lambda a: a[:, 0] * 3 + np.sin(a[:, 1]), x[:20])
    return e.shap_values(x[:3], nsamples=50, silent=True)


@rounded(1e-6)
def permutation(np):
    x, y = _data(np)
    e = shap.explainers.Permutation(lambda a: np.exp(a).sum(axis=1), x[:10], seed=1)(x[:3])
    return e.values, e.base_values, e.data, e[:, 0].values, e.abs.mean(0).values


@rounded(1e-6)
def linear(np):
    from sklearn.linear_model import LinearRegression

    x, y = _data(np)
    e = shap.LinearExplainer(LinearRegression().fit(x, y), x)
    return e.shap_values(x[:5])
