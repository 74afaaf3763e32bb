"""Lloyd's k-means with boolean masks for the clusters."""

import numpy as np

rng = np.random.default_rng(12)
centres = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 6.0]])
points = np.concatenate([c + rng.standard_normal((40, 2)) for c in centres])
means = points[::40].copy()
for sweep in range(10):
    distance = ((points[:, None, :] - means[None]) ** 2).sum(axis=2)
    label = np.argmin(distance, axis=1)
    for k in range(3):
        member = label == k
        if member.any():
            means[k] = points[member].mean(axis=0)
    if sweep % 5 == 0:
        print(sweep, np.bincount(label, minlength=3))
inertia = distance[np.arange(len(points)), label].sum()
print(np.round(means, 6), f"{inertia:.6f}")
