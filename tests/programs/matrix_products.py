"""Products of all shapes and dtypes."""

import numpy as np

a = np.arange(12.0).reshape(3, 4)
b = np.arange(20).reshape(4, 5)
f = a.astype(np.float32)
stack = np.arange(24.0).reshape(2, 3, 4)
print(a @ b)
print((f @ f.T).dtype, f @ f.T)
print(np.dot(a, np.arange(4)), a[0] @ a[1], np.vdot(a, a))
print((stack @ b).shape, np.matmul(stack, stack.transpose(0, 2, 1))[1])
print(
    np.einsum("ij,jk->ik", a, b)[1],
    np.einsum("ij->j", a),
    np.tensordot(stack, a, axes=([1], [0])).shape,
)
print(np.outer([1, 2], [3, 4]), np.inner(a, a)[0], np.kron(np.eye(2), [[1, 2]]))
c = np.zeros((3, 5))
c += a[::-1] @ b
c[:, 1:] -= c[:, :-1]
print(c, np.trace(a[:, :3]), np.linalg.matrix_power(np.array([[1, 1], [1, 0]]), 10))
print(np.array([[1 + 2j]]) @ np.array([[3 - 1j]]))
