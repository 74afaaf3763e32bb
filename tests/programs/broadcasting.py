"""Broadcasting tricks: new axes, outer operations, windows, indices built from ranges."""

import numpy as np

x, y = np.arange(4), np.arange(3)[:, np.newaxis]
print(x * y + 10, (x[None] == y).astype(int), np.subtract.outer(y[:, 0], x))
cube = np.ones((2, 3, 4)) * x * y * np.array([1, 2])[:, None, None]
print(cube.sum(axis=(0, 2)), cube[..., -1], cube[1, ::-1, 1:3], np.moveaxis(cube, 0, -1).shape)
d = np.hypot(x[:, None] - x, y.T[0, :1])
print(d.round(4), np.broadcast_shapes((3, 1), (4,)), np.broadcast_to(x, (2, 4)).strides)
a, b = np.broadcast_arrays(x, y)
print(a + b, np.ix_([0, 2], [1, 3]), cube[0][np.ix_([0, 2], [1, 3])])
windows = np.lib.stride_tricks.sliding_window_view(np.arange(8), 3)
print(windows.max(axis=1), windows.shape, np.tri(3), np.triu(np.ones((3, 3)), 1))
cube[:, 1] = [[7], [8]]
cube[cube > 7.5] *= -1
print(
    cube, np.where(x[:, None] > x, 1, -1), np.full((2, 2), x[1:3]), np.tile(x, (2, 2)), x.repeat(2)
)
