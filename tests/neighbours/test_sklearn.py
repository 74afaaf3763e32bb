"""scikit-learn fits the same models to our arrays, and returns NumPy's arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from sklearn import (
    cluster,
    decomposition,
    ensemble,
    impute,
    linear_model,
    metrics,
    model_selection,
    naive_bayes,
    neighbors,
    preprocessing,
    svm,
    tree,
)
from sklearn.pipeline import make_pipeline

from tests.neighbours.meeting import assert_no_more_copies, meet

RANDOM = numpy.random.default_rng(0)
P = RANDOM.random((1000, 3))
TARGET = P @ [1.0, 2.0, 3.0]
CLASSES = (TARGET > 3).astype(int)
KINDS = RANDOM.integers(0, 3, 1000)

ESTIMATORS: dict[str, tuple[Callable[[], Any], Any]] = {
    "LogisticRegression": (linear_model.LogisticRegression, CLASSES),
    "SGDClassifier": (lambda: linear_model.SGDClassifier(random_state=0), CLASSES),
    "RandomForest": (lambda: ensemble.RandomForestClassifier(3, random_state=0), CLASSES),
    "SVC": (svm.SVC, CLASSES),
    "KNeighbors": (neighbors.KNeighborsClassifier, CLASSES),
    "DecisionTree": (lambda: tree.DecisionTreeClassifier(random_state=0), CLASSES),
    "GaussianNB": (naive_bayes.GaussianNB, CLASSES),
    "HistGradientBoosting": (
        lambda: ensemble.HistGradientBoostingClassifier(max_iter=3),
        CLASSES,
    ),
    "LinearRegression": (linear_model.LinearRegression, TARGET),
    "Ridge": (linear_model.Ridge, TARGET),
    "Lasso": (lambda: linear_model.Lasso(0.01), TARGET),
    "SVR": (svm.SVR, TARGET),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fit_and_predict(name: str) -> None:
    make, target = ESTIMATORS[name]

    def learn(x: Any, y: Any) -> Any:
        model = make().fit(x, y)
        fair = model.predict_proba(x) if hasattr(model, "predict_proba") else None
        return model.predict(x), fair, model.score(x, y)

    meet(learn, P, target)


TRANSFORMERS: dict[str, tuple[Callable[..., Any], Any]] = {
    "StandardScaler": (preprocessing.StandardScaler, P),
    "StandardScaler in place": (lambda: preprocessing.StandardScaler(copy=False), P),
    "MinMaxScaler": (preprocessing.MinMaxScaler, P),
    "PolynomialFeatures": (lambda: preprocessing.PolynomialFeatures(2), P),
    "FunctionTransformer": (preprocessing.FunctionTransformer, P),
    "PCA": (lambda: decomposition.PCA(2), P),
    "SimpleImputer": (impute.SimpleImputer, numpy.where(P > 0.5, P, numpy.nan)),
    "OneHotEncoder": (lambda: preprocessing.OneHotEncoder(sparse_output=False), KINDS[:, None]),
    "KMeans": (lambda: cluster.KMeans(3, n_init=2, random_state=0), P),
}


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_fit_and_transform(name: str) -> None:
    make, values = TRANSFORMERS[name]
    meet(lambda x: make().fit_transform(x), values)


def test_splitting() -> None:
    meet(lambda x, y: model_selection.train_test_split(x, y, random_state=0), P, CLASSES)
    meet(lambda x: list(model_selection.KFold(3).split(x)), P)
    meet(lambda x, y: list(model_selection.StratifiedKFold(3).split(x, y)), P, CLASSES)


def test_pipeline() -> None:
    def learn(x: Any, y: Any) -> Any:
        model = make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression())
        return model.fit(x, y).predict(x), model.score(x, y)

    meet(learn, P, CLASSES)


def test_cross_validation_and_search() -> None:
    meet(lambda x, y: model_selection.cross_val_score(linear_model.Ridge(), x, y), P, TARGET)

    def search(x: Any, y: Any) -> Any:
        found = model_selection.GridSearchCV(linear_model.Ridge(), {"alpha": [0.1, 1]}, cv=3)
        return found.fit(x, y).best_score_, found.best_params_

    meet(search, P, TARGET)


@pytest.mark.parametrize(
    "name",
    "accuracy_score confusion_matrix f1_score precision_recall_fscore_support".split(),
)
def test_metrics_of_classes(name: str) -> None:
    meet(getattr(metrics, name), CLASSES, CLASSES[::-1])


def test_metrics() -> None:
    meet(metrics.mean_squared_error, TARGET, TARGET * 1.1, rtol=1e-14)
    meet(metrics.roc_curve, CLASSES, TARGET)
    meet(metrics.pairwise_distances, P)


def test_nothing_is_copied_on_the_way() -> None:
    large = RANDOM.random((100_000, 4))
    assert_no_more_copies(lambda x: preprocessing.StandardScaler().fit(x).mean_[0], large)
    assert_no_more_copies(lambda x: preprocessing.MaxAbsScaler().fit_transform(x)[0, 0], large)
