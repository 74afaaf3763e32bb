"""Libraries that ask for the type `numpy.ndarray` itself: MDAnalysis, statsmodels, umap-learn,
pycocotools.
"""

import statsmodels.api as sm

from tests.neighbours.survey.inputs import grid, rounded

PACKAGE = "statsmodels"


@rounded(1e-5)
def merge(np):
    import MDAnalysis

    u = MDAnalysis.Universe.empty(4, 2, atom_resindex=np.array([0, 0, 1, 1]), trajectory=True)
    u.add_TopologyAttr("masses", np.arange(4.0) + 1)
    u.add_TopologyAttr("names", np.array(["A", "B", "C", "D"]))
    u.atoms.positions = np.arange(12.0).reshape(4, 3)
    m = MDAnalysis.Merge(u.atoms[:2], u.atoms[3:])
    return m.atoms.positions, m.atoms.masses


@rounded(1e-4)
def nearest_factor(np):
    from statsmodels.stats.correlation_tools import corr_nearest_factor

    d = np.exp(-np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0))))
    r = corr_nearest_factor(d, 2)
    return r.Converged, np.asarray(r.corr.to_matrix())


@rounded(1e-4)
def factor(np):
    x = np.random.default_rng(1).normal(size=(100, 4))
    x[:, 1] += x[:, 0]
    x[:, 2] -= x[:, 0]
    f = sm.Factor(x, n_factor=1, method="ml")
    r = f.fit()
    return np.abs(r.loadings), f.loglike(np.full(8, 0.5))


@rounded(1e-4)
def mixed(np):
    r = np.random.default_rng(2)
    x = np.column_stack([np.ones(60), r.normal(size=60)])
    g = np.repeat(np.arange(6), 10)
    y = x @ np.array([1, 2]) + r.normal(size=6)[g] + 0.1 * r.normal(size=60)
    m = sm.MixedLM(y, x, g, exog_re=x[:, :1]).fit()
    return m.params, m.exog_names if hasattr(m, "exog_names") else m.model.exog_names


@rounded(1e-1)
def aligned(np):
    import umap

    x = np.random.default_rng(1).random((2, 30, 4))
    m = umap.AlignedUMAP(n_neighbors=4, n_epochs=2, random_state=1).fit(
        x, relations=[{k: k for k in range(30)}]
    )
    return [e.shape for e in m.embeddings_]


def imshow(np):
    import plotly.express as px

    return px.imshow(grid(np, rows=10, columns=12) * 2, zmax=200).to_json(), px.imshow(
        grid(np, "uint8", 10, 36).reshape(10, 12, 3), binary_string=True
    ).to_json()


def masks(np):
    from pycocotools import mask

    m = np.asfortranarray((np.arange(60).reshape(6, 10) % 3 > 0).astype("uint8"))
    encoded = mask.encode(m)
    return encoded["counts"], mask.decode(encoded), mask.area(encoded)


def boxes(np):
    from pycocotools import mask

    return mask.iou(np.array([[0.0, 0, 3, 3]]), np.array([[1.0, 1, 3, 3]]), [0])
