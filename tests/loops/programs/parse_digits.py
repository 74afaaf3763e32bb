"""Numbers parsed from an array of characters' codes."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 150000
rng = np.random.default_rng(15)
text = " ".join(str(v) for v in rng.integers(-9999, 100000, n))
codes = np.frombuffer(text.encode(), dtype=np.uint8)
values = np.zeros(n, dtype=np.int64)
count, value, sign, inside = 0, 0, 1, False
for c in codes:
    if c == 32:
        if inside:
            values[count] = sign * value
            count += 1
        value, sign, inside = 0, 1, False
    elif c == 45:
        sign = -1
    else:
        value = value * 10 + int(c) - 48
        inside = True
if inside:
    values[count] = sign * value
    count += 1
print(count, values.sum(), values[:5], values.min())
