"""What the random programs of `numeric` do with items of tuples, targets, and first items."""

from __future__ import annotations

from typing import Protocol

SUMS = (
    "sum(x[e] for e in range(a % 4))",
    "sum(F[e] * 0.5 for e in range(a % 3))",
    "sum(e for e in F[7:])",
    "sum(e * z for e in Q[1])",
)


class Writer(Protocol):
    """The part of the writer that is used here."""

    def pick(self, *choices: str) -> str: ...
    def index(self) -> str: ...
    def number(self, depth: int = 2) -> str: ...


def number(w: Writer) -> str:
    """A number of a tuple, or of `divmod`."""
    i, j = w.index(), w.index()
    return w.pick(
        f"(1.0, 0.5, 0.25)[{i} % {w.pick('3', '3', '4')}]",
        f"(2, {i}, -1)[{j} % 3 - {w.pick('0', '1', '3')}]",
        f"((0, 1), (1, {i}), (-1, 2))[{j} % 3][{w.pick('0', '1', i)}]",
        f"A.shape[{i} % 2]",
        w.pick("np.iinfo(np.int32).max", "np.finfo(float).eps", "np.iinfo(np.uint8).max - a"),
        f"(x[{i} % 7], x[0])[u[{j} % 7] % 2]",
        f"divmod(u[{i} % 7], {w.pick('3', j, '-2')})[{w.pick('0', '1')}]",
        f"divmod({w.pick('x[1]', '7', f'F[{i} % 7]')}, {w.pick('0.75', 'u[2]', f'F[{j} % 7]')})[1]",
    )


def statement(w: Writer) -> str:
    """An assignment to several places."""
    i, j = w.index(), w.index()
    return w.pick(
        f"M[{i} % 3][{j} % 3], P[{j} % 3][0] = {w.pick('2', i)}, M[{j} % 3][1]",
        f"M[{i} % 3][0], M[0][{j} % 3] = M[0][{j} % 3], M[{i} % 3][0]",
        f"M[M[0][{i} % 3] % 3][0], L[{j} % 7] = {i}, {j}",
        f"M[{i} % 3], P[{j} % 3][1] = P[{j} % 3], {i}",
        f"u[a % 7], a = {i}, u[{j} % 7]",
        f"L[{i} % 7], s = s, L[{j} % 7]",
        f"y[{i} % 7], z, y[{j} % 7] = z, y[{i} % 7], {w.number(0)}",
        f"a = u[a % 7] = {j} % 5",
        f"w[{i} % 7] = abs({w.number(0)}) % 256",
        f"a, b = divmod({w.pick('u[1]', i, 'a')}, {w.pick('3', f'u[{j} % 7]')})",
        f"L[{i} % 7], L[L[0] % 7] = {i}, {j}",
        f"s = {w.pick('L', 'F', 'K', 'mix', 'W[0]', 'M')}.pop(0)",
        f"if len({w.pick('L', 'mix')}) > {i}: L.pop(0); mix.append({w.number(0)})",
        f"L.append(L.pop(0) + {i})",
        f"z = F.pop(0); F.append({w.pick('z', 'z * 0.5', '1.5')})",
        f"a, b = W.pop(0); W.append(({i}, {j}))",
        f"s = H.pop(0); H.append({i} > 2)",
        f"{w.pick('s', 'z', f'y[{i} % 7]', f'f[{i} % 7]')} {w.pick('=', '+=')} {w.pick(*SUMS)}",
        f"{w.pick('s', f'y[{i} % 7]')} = {w.pick('x[1]', '0.5', 'f[2]', i)} - {w.pick(*SUMS)}",
        f"for a, z in enumerate({w.pick('F', 'x', 'K')}, start={i}): s += a * z",
    )  # fmt: skip
