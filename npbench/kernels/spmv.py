"""The product of a sparse matrix in compressed rows (CSR) and a vector, row by row.

The matrix is made without SciPy: `nnz` positions, all equally likely, with uniform values. So are
NPBench's, but these are others.
"""

import numpy as np

PRESETS = {
    "test": {"M": 12, "N": 10, "nnz": 30},
    "S": {"M": 4096, "N": 4096, "nnz": 8192},
    "M": {"M": 32_768, "N": 32_768, "nnz": 65_536},
    "L": {"M": 262_144, "N": 262_144, "nnz": 262_144},
    "paper": {"M": 131_072, "N": 131_072, "nnz": 262_144},
}
MUTATES = ()


def initialize(M, N, nnz):
    rng = np.random.default_rng(42)
    x = rng.random((N,))
    # Positions in the order of rows, and of columns within a row.
    positions = np.sort(rng.choice(M * N, size=nnz, replace=False, shuffle=False))
    rows, columns = np.divmod(positions, N)
    starts = np.searchsorted(rows, np.arange(M + 1))
    return {
        "A_row": starts.astype(np.uint32),
        "A_col": columns.astype(np.uint32),
        "A_val": rng.random((nnz,)),
        "x": x,
    }


def kernel(A_row, A_col, A_val, x):
    y = np.empty(A_row.size - 1, A_val.dtype)
    for i in range(A_row.size - 1):
        cols = A_col[A_row[i] : A_row[i + 1]]
        vals = A_val[A_row[i] : A_row[i + 1]]
        y[i] = vals @ x[cols]
    return y
