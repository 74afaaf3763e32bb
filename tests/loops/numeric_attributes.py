"""What the random programs of `numeric` do with attributes that are arrays."""

from __future__ import annotations

from typing import Protocol

SETUP = """\
class Track:
    def __init__(self, p):
        self.x, self.P, self.last, self.k = np.arange(3) * 0.5 - p, np.eye(3) + p, np.zeros(3), 0
    def step(self, p):
        self.x = self.P[0] * 0.5 + self.x * 0.25
        return self.x[0] - p
    def gain(self, p):
        self.P = self.P * 0.5 + p % 5
        if p > 3:
            self.k += 1
        self.x = np.maximum(self.P @ self.x / 64, -2)
    def maybe(self, p):
        if p > 2:
            self.x = self.x * 0.5 + self.k
            return self.x[1]
        return 0.0
    def made(self, p):
        new = np.zeros(3)
        for k in range(3):
            new[k] = self.x[k] * 0.5 + p
        self.x = new
        new[0] += 1
        return new
    def keep(self, v):
        self.last = v
        self.k += 1
    def turn(self):
        self.last = self.x
        self.x = self.last * 0.5 + self.k
    def at(self, p):
        self.x = self.x - 1
        self.last, self.P = self.x * 2, self.P / 2
        return self.x[p]
    def steps(self, p):
        for k in range(p % 4):
            self.x = self.x * 0.5 + k
        return self.x
    def solved(self, p):
        self.x = np.linalg.solve(self.P + np.eye(3) * (p - 1), self.last)
        return np.linalg.det(self.P) + np.linalg.inv(np.eye(2) * self.k + p)[0, 1]
    def long(self, p):
        self.last = np.arange(p % 5 + 1) * 0.5
        return self.last.sum()
    def counted(self, p):
        conf["n"] = conf["n"] % 1000 + 1
        if p > 2:
            conf["z"], conf[3] = p * 0.5, conf["n"] % 5
        return conf["n"]
def clipped(v, p):
    if v.sum() > p:
        return v * 0.5
    w = v + p
    for k in range(p % 3):
        if k != 1:
            t = v[k] - w[0]
            w[k] += t
    if p == 2:
        return v[::-1] - w
    return w
conf = {"n": 1, "z": 0.5, 3: 2, "v": np.arange(3.0), "mode": None, "inner": {"k": 4}}
trk, other = Track(1), Track(2)
trk.conf = conf
held = trk.x
"""
# What functions bind themselves.
LOCALS = "held = trk.x"


ITEMS = ("conf['n']", "conf['z']", "conf[3]", "conf['inner']['k']", "conf['v'][1]")


class Writer(Protocol):
    """The part of the writer that is used here."""

    def pick(self, *choices: str) -> str: ...
    def index(self) -> str: ...


def statement(w: Writer) -> str:
    """A statement with attributes that are arrays."""
    i, j, one = w.index(), w.index(), w.pick("trk", "trk", "other")
    return w.pick(
        f"z = {one}.step({i})",
        f"s = trk.step(1) + {one}.maybe({i})",
        f"y[{i} % 7] = {one}.step({j})",
        f"{one}.gain({i})",
        f"{one}.gain({i})",
        f"{one}.maybe({i})",
        f"held = {one}.made({i})",
        f"held = {w.pick('trk.x', 'trk.x * 0.5', 'held + 1', f'{one}.steps({i})', 'other.last')}",
        f"held[{i} % 3] = {w.pick(j, '0.5')}",
        f"{one}.x = {w.pick('held', 'held * 0.5', 'trk.x', 'trk.x + other.x', 'other.last')}",
        f"{one}.x[{i} % 3] += {w.pick('1', '0.5', j)}",
        f"{one}.{w.pick('turn()', f'keep(A[{i} % 7][:3])', 'keep(held)', f'keep(x[{i} % 3:])')}",
        f"s += {one}.x[1] + {one}.last[0]",
        f"z = {one}.at({w.pick(i, f'{i} % 3', f'{i} % 3', f'{i} % 3')})",
        f"{one}.steps({i})",
        f"z = {one}.solved({i})",
        f"s += {w.pick(*ITEMS)} - {w.pick(*ITEMS)}",
        f"s = {w.pick(*ITEMS)} - {one}.counted({i}) * {w.pick(*ITEMS)}",
        f"conf['n'] {w.pick('=', '+=')} {w.pick(i, f'{one}.counted({j})')}",
        f"conf['z'] {w.pick('=', '+=')} {w.pick('0.5', i, 'held[0]')}",
        f"conf['v'] {w.pick('= held', '= held + 1', '+= 1', '= A[1][:3]', f'[{i} % 3] = {j}')}",
        f"if conf['mode'] is None: conf['inner']['k'] += {i}",
        f"{one}.counted({i})",
        f"x[:3] = clipped({w.pick('held', 'A[2][:3]', 'x[4:]')}, {i}) / 2",
        f"{w.pick('held', f'{one}.x')} = clipped({w.pick('held', f'{one}.x')}, {i})",
        f"s = clipped(clipped({one}.x, {j}), {i}).sum()",
        w.pick(
            "conf['mode'] = 'fast'", f"conf['new'] = {i}", "del conf['z']", "conf = dict(conf)",
            f"conf[{i} % 4] = 2", "s = len(conf)",
        ),
        f"s = np.linalg.det(A[:{i}, {j}:{j} + {i}])",
        f"y[:3] = np.linalg.solve(B[:3, {i}:{i} + 3] + np.eye(3), {w.pick('held', 'x[4:]')})",
        f"s = {one}.long({i}) + {one}.last[{w.pick('0', '-1', '2')}]",
        f"{one}.x, {one}.k = {one}.x * 0.5, {i}",
        f"{one}.last, trk.x = trk.x + 1, other.x - {i}",
        f"if held {w.pick('is', 'is not')} {one}.x: s += 1",
    )  # fmt: skip
