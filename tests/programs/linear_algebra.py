"""Solving, inverting, decomposing, by library and by hand."""

import numpy as np

n = 6
A = np.fromfunction(lambda i, j: 1.0 / (i + j + 1), (n, n)) + np.eye(n)
b = np.arange(1.0, n + 1)
x = np.linalg.solve(A, b)
print(x.round(8), np.allclose(A @ x, b), round(float(np.linalg.det(A)), 8))
L = np.zeros((n, n))
for i in range(n):
    for j in range(i + 1):
        rest = A[i, j] - np.dot(L[i, :j], L[j, :j])
        L[i, j] = np.sqrt(rest) if i == j else rest / L[j, j]
print(np.allclose(L, np.linalg.cholesky(A)), L[-1].round(8))
U = A.copy()
for k in range(n - 1):
    factor = U[k + 1 :, k] / U[k, k]
    U[k + 1 :, k:] -= factor[:, None] * U[k, k:]
print(np.prod(np.diag(U)).round(8), np.abs(np.tril(U, -1)).max() < 1e-12)
q, r = np.linalg.qr(A)
u, s, vt = np.linalg.svd(A)
print(np.allclose(q @ r, A), np.allclose((u * s) @ vt, A), s.round(8), np.linalg.matrix_rank(A))
print(
    np.linalg.norm(A).round(8), np.linalg.norm(b, 1), np.allclose(np.linalg.inv(A) @ A, np.eye(n))
)
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    print("LinAlgError", error)
