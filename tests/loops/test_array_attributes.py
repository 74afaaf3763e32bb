"""New arrays that methods bind to attributes in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

CLASSES = """
class Filter:
    def __init__(self):
        self.F, self.H = np.array([[1.0, 0.5], [0.0, 1.0]]), np.array([[1.0, 0.0]])
        self.x, self.P, self.count = np.array([0.0, 1.0]), np.eye(2) * 4, 0
        self.last, self.other = None, None
    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T * 0.5 + np.eye(2)
    def update(self, z):
        r = z - (self.H @ self.x)[0]
        K = (self.P @ self.H.T)[:, 0] / (1.0 + self.P[0, 0])
        self.x = self.x + K * r
        self.P = self.P - np.outer(K, self.H[0] @ self.P)
        self.count += 1
        return r
    def checked(self, z, k):
        self.x = self.x * 0.5 + z
        self.P = self.P + self.x
        return self.x[k]
    def kept(self, z):
        new = np.zeros(2)
        for k in range(2):
            new[k] = self.x[k] * 0.5 + z
        self.x = new
        new[0] += 1
        return new
    def swapped(self, z):
        self.other = self.x
        self.x = self.x * 0.5 + z
        self.last = self.other
    def steps(self, z):
        for k in range(3):
            self.x = self.x * 0.5 + z
            if self.x[0] > 2:
                self.P = self.P * 0.5
    def grown(self, k):
        self.x = np.arange(k) * 0.5
        return self.x.sum()
    def seen(self, row):
        self.last = row
        self.x = np.maximum(row[:2], 0.25) + self.x * 0.5
        return self.x
    def both(self, z):
        self.x, self.other = self.x + z, self.x * z
        return self.other[0]
class Network:
    def __init__(self):
        self.W, self.V = (np.arange(35.0) % 5 - 2).reshape(7, 5), np.ones((5, 3))
        self.b = np.zeros(5)
        self.x = self.h = self.p = None
    def forward(self, x):
        self.x = x
        self.h = np.maximum(0, np.round(x @ self.W + self.b)) % 8
        z = np.minimum(self.h @ self.V, 2.5)
        e = np.floor(z - z.max())
        self.p = e / 4
        return self.p
    def backward(self, label):
        d = self.p.copy()
        d[label] -= 1
        back = self.V @ d
        back[self.h <= 0] = 0
        self.V -= np.floor(np.outer(self.h, d) / 4)
        self.W -= np.floor(0.25 * np.outer(self.x, back))
        self.b = self.b - 0.25 * back
kf, kg, net = Filter(), Filter(), Network()
out = np.zeros((7, 2))
"""
WHOLE = {
    "a filter": """
for i in range(n):
    kf.predict()
    y[i] = kf.update(x[i])
    out[i] = kf.x
kf.P = kf.P * 1.0
""",
    "an array of a method's variable": """
for i in range(n):
    v = kf.kept(i)
    out[i] = kf.x
    y[i] = v[0]
""",
    "an array under several names": """
for i in range(n):
    kf.swapped(i)
    y[i] = kf.last[0] + kf.other[1] + kf.x[0]
""",
    "arrays in a loop of the method": """
for i in range(n):
    kf.steps(i * 0.5)
    y[i] = kf.x[0] + kf.P[0, 0]
""",
    "an array that is returned": """
for i in range(n):
    p = kf.seen(A[i])
    y[i] = p[0] + kf.last[3]
    out[i] = p
    kf.x = kf.x * 0.5
    y[i] += p[1]
""",
    "two objects": """
for i in range(n):
    kf.predict()
    kg.x = kf.x
    kf.predict()
    y[i] = kf.x[0] + kg.x[1]
    y[i] -= kf.x[1]
""",
    "a network": """
for i in range(n):
    p = net.forward(A[i] / 8)
    y[i] = p[i % 3] * 2
    net.backward(i % 3)
y[:5] = net.b
""",
    "several at once": """
for i in range(n):
    y[i] = kf.both(i * 0.5) + kf.x[1]
""",
}
LEFT = {
    "a method that is left behind its stores": """
for i in range(n):
    y[i] = kf.checked(i * 0.25, i % 3)
""",
    "left behind several stores": """
for i in range(n):
    y[i] = kf.checked(i, 0) + kf.checked(i, 1) * x[i + 1]
    out[i] = kf.x
""",
    "arrays of other lengths": """
for i in range(n):
    y[i] = kf.grown(i % 4 + 1)
    y[i] = y[i] + kf.grown(9 - i) + kf.grown(i + 2)
    kf.predict()
""",
    "an array that the interpreter has meanwhile": """
seen = []
for i in range(n):
    kf.predict()
    if i % 3 == 2:
        seen.append(kf.x)
    kf.update(i)
for one in seen:
    one += 1
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    test_compiled.assert_whole(*test_compiled.run(CLASSES + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """Attributes have the arrays of before where a statement is left."""
    test_compiled.assert_same(*test_compiled.run(CLASSES + LEFT[name]))
