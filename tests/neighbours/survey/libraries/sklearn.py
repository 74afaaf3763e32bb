"""scikit-learn: models fitted to arrays, metrics, and transforms in place."""

from sklearn import (
    cluster,
    datasets,
    decomposition,
    ensemble,
    linear_model,
    metrics,
    model_selection,
    neighbors,
    preprocessing,
    svm,
    tree,
)
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_array, resample, shuffle

from tests.neighbours.survey.inputs import grid, pending, rounded

PACKAGE = "scikit-learn"


def _data(np):
    x = grid(np)[:, :5] / 10
    return x, (x.sum(axis=1) > 60).astype(int)


@rounded(1e-9)
def linear_models(np):
    x, y = _data(np)
    model = linear_model.LinearRegression().fit(x, y)
    return model.coef_, model.predict(x), linear_model.Ridge().fit(x, y).coef_


@rounded(1e-5)
def classifiers(np):
    x, y = _data(np)
    models = [
        linear_model.LogisticRegression(max_iter=500),
        svm.SVC(),
        tree.DecisionTreeClassifier(random_state=0),
    ]
    return [m.fit(x, y).predict(x) for m in models]


def forests(np):
    x, y = _data(np)
    return ensemble.RandomForestClassifier(5, random_state=0).fit(x, y).predict_proba(x)


def clusters(np):
    x, _ = _data(np)
    return cluster.KMeans(2, n_init=1, random_state=0).fit(x).labels_, cluster.DBSCAN(eps=5).fit(
        x
    ).labels_


@rounded(1e-9)
def decompositions(np):
    x, _ = _data(np)
    return abs(decomposition.PCA(2).fit_transform(x)), decomposition.PCA(3).fit(
        x
    ).explained_variance_


@rounded(1e-12)
def scaled_in_place(np):
    x = grid(np)
    result = preprocessing.StandardScaler(copy=False).fit_transform(x)
    x += 1
    return x, result


@rounded(1e-12)
def preprocessed(np):
    x, y = _data(np)
    return (
        preprocessing.MinMaxScaler().fit_transform(x),
        preprocessing.LabelEncoder().fit_transform(y),
        preprocessing.normalize(x + 1),
    )


@rounded(1e-12)
def measured(np):
    _, y = _data(np)
    other = 1 - y
    other[:50] = y[:50]
    return (
        metrics.accuracy_score(y, other),
        metrics.confusion_matrix(y, other),
        metrics.f1_score(y, other),
        metrics.roc_auc_score(y, np.arange(400.0)),
    )


@rounded(1e-12)
def measured_numbers(np):
    x = pending(np)
    return metrics.mean_squared_error(x, x + 1), metrics.r2_score(x, x * 1.01)


def neighbours(np):
    x, y = _data(np)
    found = neighbors.NearestNeighbors(n_neighbors=3).fit(x)
    return found.kneighbors(x[:4]), neighbors.KNeighborsClassifier().fit(x, y).score(x, y)


def split(np):
    x, y = _data(np)
    return (
        model_selection.train_test_split(x, y, random_state=0),
        shuffle(y, random_state=1),
        resample(y, random_state=2),
    )


@rounded(1e-9)
def cross_validation(np):
    x, y = _data(np)
    return model_selection.cross_val_score(linear_model.Ridge(), x, y, cv=3)


@rounded(1e-12)
def own_estimator(np):
    class Mean(RegressorMixin, BaseEstimator):
        def fit(self, x, y):
            self.mean_ = np.mean(y)
            return self

        def predict(self, x):
            return np.full(len(x), self.mean_)

    x, y = _data(np)
    return model_selection.cross_val_predict(Mean(), x, y, cv=3), Mean().fit(x, y).score(x, y)


def checked(np):
    x = check_array(grid(np))
    return (
        type(x),
        x,
        check_array(grid(np, "float32"), dtype="float64", order="F").flags.f_contiguous,
    )


def in_parallel(np):
    x, y = _data(np)
    return ensemble.ExtraTreesClassifier(4, n_jobs=2, random_state=0).fit(x, y).predict(x)


def made(np):
    x, y = datasets.make_classification(50, random_state=0)
    return np.asarray(x) * 2, np.bincount(y)
