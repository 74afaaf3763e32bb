"""LightGBM and XGBoost: data sets, training and predictions."""

import lightgbm

from tests.neighbours.survey.inputs import grid, pending, rounded

PACKAGE = "lightgbm"


def _data(np):
    x = grid(np)[:, :5]
    return x, x.sum(axis=1)


@rounded(1e-9)
def regressor(np):
    x, y = _data(np)
    return lightgbm.LGBMRegressor(n_estimators=3, verbose=-1, n_jobs=1).fit(x, y).predict(x)


@rounded(1e-9)
def data_set(np):
    x, y = _data(np)
    data = lightgbm.Dataset(x, label=y, weight=np.ones(400), free_raw_data=False)
    return lightgbm.train({"verbose": -1, "num_threads": 1}, data, 3).predict(x)


@rounded(1e-9)
def own_objective(np):
    x, y = _data(np)

    def gradient(predicted, data):
        return np.asarray(predicted) - data.get_label(), np.ones(len(predicted))

    model = lightgbm.train(
        {"verbose": -1, "objective": gradient, "num_threads": 1}, lightgbm.Dataset(x, y), 2
    )
    return model.predict(x)


@rounded(1e-9)
def pending_column(np):
    x = pending(np)[:, None]
    return (
        lightgbm.LGBMRegressor(n_estimators=1, verbose=-1, n_jobs=1)
        .fit(x, x[:, 0])
        .predict(x[:100])
    )


@rounded(1e-5)
def xgboost(np):
    import xgboost as package

    x, y = _data(np)
    data = package.DMatrix(x, label=y, weight=np.ones(400))
    model = package.train({"nthread": 1}, data, 3)
    return (
        model.predict(data),
        package.XGBRegressor(n_estimators=2, n_jobs=1).fit(x, y).predict(x),
        data.get_label(),
    )
