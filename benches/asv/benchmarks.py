"""What asv times, a class a question. The same expressions as `benches.floor` and `benches.rivals`,
in the form that asv asks for; these two compare with NumPy and other libraries.
"""

from __future__ import annotations

import subprocess
import sys

import fastnp as np


class SmallCalls:
    """What the smallest operations cost."""

    def setup(self) -> None:
        self.x = np.arange(10.0)
        self.y = np.arange(10.0)

    def time_add(self) -> None:
        self.x + self.y

    def time_sum(self) -> None:
        self.x.sum()

    def time_element(self) -> None:
        self.x[3]


class Expressions:
    """Fused expressions over arrays of a cache, and of the memory."""

    params = (10_000, 1_000_000)
    param_names = ("elements",)

    def setup(self, n: int) -> None:
        self.x = np.linspace(0.0, 1.0, n)
        np.eval(self.x)

    def time_trigonometry(self, n: int) -> None:
        np.eval(np.sin(self.x) ** 2 + np.cos(self.x) ** 2)

    def time_polynomial(self, n: int) -> None:
        np.eval(((self.x * 3 + 2) * self.x + 1) * self.x)

    def time_norm(self, n: int) -> None:
        float(np.sqrt((self.x * self.x).sum()))

    def time_stencil(self, n: int) -> None:
        y = self.x.copy()
        for _ in range(10):
            y[1:-1] = (y[:-2] + y[1:-1] + y[2:]) / 3
        np.eval(y)

    def peakmem_temporaries(self, n: int) -> None:
        np.eval(np.exp(self.x) + np.log1p(self.x) * np.sqrt(self.x))


class Import:
    """The import of the package, in a process of its own."""

    timeout = 30

    def time_import(self) -> None:
        subprocess.run([sys.executable, "-c", "import fastnp"], check=True)
