"""Random walks: where they end, how often they return, and how far they get."""

import sys

import numpy as np

WALKS = int(sys.argv[1]) if len(sys.argv) > 1 else 500

rng = np.random.default_rng(30)
steps = np.where(rng.random((WALKS, 400)) < 0.5, -1, 1)
places = np.cumsum(steps, axis=1)
returns = (places == 0).sum(axis=1)
highest = places.max(axis=1)
first = np.where((places >= 10).any(axis=1), (places >= 10).argmax(axis=1), -1)
spread = places.std(axis=0)
growth = np.polyfit(np.log(np.arange(1, 401)), np.log(spread), 1)[0]
print(f"{returns.mean():.4f} {highest.mean():.4f} {(first >= 0).mean():.4f} {growth:.4f}")
