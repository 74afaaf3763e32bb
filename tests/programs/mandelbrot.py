"""The Mandelbrot set with masked updates of those points that have not escaped."""

import numpy as np

y, x = np.mgrid[-1.2:1.2:24j, -2:0.6:40j]
c = x + 1j * y
z = np.zeros_like(c)
escaped_at = np.zeros(c.shape, dtype=int)
for step in range(1, 30):
    live = escaped_at == 0
    z[live] = z[live] ** 2 + c[live]
    gone = live & (np.abs(z) > 2)
    escaped_at[gone] = step
    z[gone] = 0
for row in escaped_at[::2]:
    print("".join("." if n == 0 else chr(96 + min(n, 26)) for n in row))
print((escaped_at == 0).sum(), escaped_at[escaped_at > 0].mean().round(6))
