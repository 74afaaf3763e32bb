"""What the random programs of `numeric` do with dictionaries and sets under computed keys."""

from __future__ import annotations

import random
from typing import Protocol

SETUP = """\
from collections import Counter, defaultdict
tally, hits, sums, rows = Counter([3, 3]), defaultdict(int), defaultdict(float), defaultdict(list)
links, nets = [{k, k + 1} if k % 2 else set() for k in range(7)], defaultdict(set)
ints, halves, grid = {3: 5, 1: -2, 40: 0}, {k * 5 % 7: k * 0.5 for k in range(7)}, {}
ways = {k: [k + 1, k * 3 % 9] for k in range(9)}
spots, seen, cells = {k * 37 % 101 for k in range(40)}, set(), {(0, 1), (2, x.size)}
spots -= {37, 74, 10, 5}
memo, ends, alike = {}, {(1, 2): (0, 0.5)}, ints
class Tracker:
    def __init__(self):
        self.found, self.seen = {}, set()
    def add(self, p):
        if p in self.found:
            self.found[p] += 1
            return self.found[p]
        self.found[p] = 1
        self.seen.add((p, p % 3))
        return x[p % 9]
counter = Tracker()
def visit(p, q):
    if (p, q) in cells:
        cells.discard((p, q))
        return 0
    cells.add((p, q))
    spots.add(p * 8 % 50)
    ints[p] = ints.get(p, 0) + q
    hits[p] += q
    rows[q].append(p)
    nets[q].add(p)
    links[p % 7].discard(q)
    if p in halves:
        del halves[p]
    return y[p % 9]
def table(p):
    found = {e: e * p for e in range(p)}
    found[p] = p
    return found
def around(p):
    return {(p + e, e) for e in K}
"""
LOCALS = "memo, seen, cells, spots = {}, set(), {(1, 2), (3, n)}, {5, 8, n}"


class Writer(Protocol):
    """The part of the writer that is used here."""

    dice: random.Random

    def pick(self, *choices: str) -> str: ...
    def index(self) -> str: ...
    def number(self, depth: int = 2) -> str: ...


def key(w: Writer) -> str:
    """An integer that is a key."""
    i, j = w.index(), w.index()
    return w.pick(i, j, f"{i} * {j} % 11", f"{i} - {j}", "a", "3", "1", f"L[{i}]", f"u[{i}]")


def number(w: Writer) -> str:
    """A number of a dictionary, or about one."""
    k, i, j = key(w), w.index(), w.index()
    return w.pick(
        f"ints[{k}]", f"ints.get({k}, {i})", f"halves.get({k}, 0.5)", f"halves[{k}]",
        f"ways[{k}][{i}]", f"grid.get(({i}, {j}), 0)", f"grid.get(({i}, {j}), z)",
        f"len({w.pick('ints', 'tally', 'seen', 'cells', 'memo', 'grid', 'counter.found')})",
        f"memo.get({k}, -1)", f"({k} in {w.pick('ints', 'memo', 'spots', 'seen', 'halves')})",
        f"(({i}, {j}) in {w.pick('cells', 'grid', 'ends')})", f"counter.found.get({k}, 7)",
        f"ends.get(({i}, {j}), (1, 1.5))[0]", f"sum(e for e in {w.pick('spots', 'ints')}) % 1000",
    )  # fmt: skip


def some_set(w: Writer) -> str:
    """A set of integers."""
    i = w.index()
    return w.pick("spots", "seen", f"links[{i}]", f"nets[{i}]", f"{{{i}, {w.index()}, 8}}")


def walk(w: Writer, name: str) -> str:
    """What a loop over a table of small integers binds, one of them a name, and over which."""
    return w.pick(
        f"{name} in {w.pick('ways', 'seen', 'tally', 'ints', 'hits', 'halves', 'spots')}",
        f"{name}, b in {w.pick('cells', 'ints.items()', 'memo.items()', 'tally.items()')}",
        f"{name} in {w.pick('links[3]', 'nets[1]', 'nets', 'rows', 'counter.found')}",
        f"{name} in {w.pick('ints', 'memo', 'tally')}.{w.pick('values', 'keys')}()",
        f"({name}, b), c in grid.items()", f"{name}, z in halves.items()",
    )  # fmt: skip


def target(w: Writer) -> str:
    """What a loop over a dictionary or a set binds, and over which."""
    return w.pick(
        "a in spots", "a in seen", "a in ints", "a in memo", "a, b in cells", "a, b in grid",
        "z in halves.values()", "a, b in ints.items()", "a in ints.keys()",
        "(a, b), c in grid.items()", "a, b in enumerate(spots)", "a, b in zip(K, spots)",
    )  # fmt: skip


def statement(w: Writer) -> str:
    """A statement with dictionaries and sets."""
    i, j, k = w.index(), w.index(), key(w)
    some, one = w.pick("ints", "memo", "alike"), w.pick("spots", "seen")
    return w.pick(
        f"{some}[{k}] = {w.pick(i, f'{j} * 2', 'a', f'len({some})')}",
        f"{some}[{k}] = {some}.get({k}, 0) + {w.pick('1', i, 'c')}",
        f"{some}[{k}] {w.pick('+', '-', '*')}= {w.pick('1', i, '3')}",
        f"if {k} in {some}: {some}[{k}] += {i}",
        f"halves[{k}] = {w.pick('0.5', 'z', f'x[{i}]', f'{i}')}",
        f"grid[({i}, {j})] = {w.pick('a', '1', f'grid.get(({j}, {i}), 2)')}",
        f"grid[{i}, {j} % 4] = {i}",
        f"grid[({i}, {j})] = grid[({j}, {i})] + 1",
        f"if ({i}, {j}) not in cells: cells.add(({i}, {j}))",
        f"cells.{w.pick('add', 'discard', 'discard', 'remove')}(({i}, {j} % 3))",
        f"{one}.{w.pick('add', 'add', 'discard', 'remove')}({k})",
        f"{one}.add({i} * {w.pick('8', '37', '1009')} + a % 1000)",
        f"if {k} in {one}: {one}.{w.pick('discard', 'remove')}({k})",
        f"if {k} in {some}: del {some}[{k}]",
        f"{w.pick('del ', '')}{some}[{k}]",
        f"if {k} in {some}: a = {some}.pop({k})",
        f"if {k} in ints: ints.pop({k})",
        f"ways[{k}].append({i})",
        f"ways[{k}][{j}] = {i}",
        f"ways[{k}] = {w.pick(f'[{i}, 2]', f'ways[{j}]', 'K')}",
        f"ends[({i}, {j})] = ({j}, {w.pick('z', '0.5')})",
        f"c = visit({i}, {j})",
        f"s += visit({i}, {w.pick(j, '2')})",
        f"c = counter.add({k})",
        f"{w.pick('tally', 'hits')}[{k}] {w.pick('+', '-')}= {w.pick('1', i, 'b', 'len(hits)')}",
        f"sums[{k}] += {w.pick('0.5', 'z', f'x[{i}]')}",
        f"rows[{k}].append({w.pick(i, 'len(rows)')})",
        f"s += {w.pick('tally', 'hits', 'sums')}[{k}]",
        f"for a in rows[{k}]: s += a",
        f"links[{i}].{w.pick('add', 'add', 'discard')}({k})",
        f"nets[{k}].add({j})",
        f"links[{i}] = {w.pick('set()', one, f'nets[{k}]', f'{{{i}, a}}')}",
        f"for a in {w.pick(f'links[{i}]', f'nets[{k}]')}: s += a",
        f"s += ({k} in links[{i}]) + len(nets) + len(links[{j}])",
        f"memo = {w.pick('Counter()', 'defaultdict(int)', 'tally')}",
        f"memo = {w.pick('{}', f'table({i})', 'ints', f'{{e: e * {j} for e in K}}')}",
        f"seen = {w.pick('set()', f'{{{i}, {j}}}', 'spots', '{e * 8 % 51 for e in L}', 'set(L)')}",
        f"cells = {w.pick(f'around({i})', '{(e, f) for e, f in zip(K, L)}', '{(a, b)}')}",
        f"{w.pick('y[1]', 'c')}, memo[{k}] = {i}, {j}",
        f"if {some}: s += 1",
        f"if len({one}) > 90: {one} = set()",
        f"for {target(w)}: s += {w.pick('1', 'a', 'a - b')}",
        f"for {target(w)}:\n  if a > {i}: break",
        f"for a in {one}:\n  if a == {k}: {one}.add(a * 8 + 1); break",
        f"for a in {some}:\n  if a == {k}: {some}[a] = b",
        f"for a in {some}:\n  if a == {k}: print(a, {some}.get({j}))",
        f"for a in {w.pick('list', 'sorted')}({w.pick(some, one)}): s += {w.pick('a', i)}",
        f"for a in list({some}):\n  if a > {i}: del {some}[a]",
        f"T = {w.pick('list', 'sorted')}({w.pick(one, some, f'{some}.values()')})",
        f"a = {w.pick('min', 'max', 'sum')}({w.pick(one, f'{some}.values()')}) % 1000",
        f"X = list({w.pick('cells', 'grid', f'{some}.items()')})",
        f"print({w.pick('ints', 'memo', 'cells', 'seen', 'halves', 'grid', 'spots')})",
        f"{some}.setdefault({k}, {w.pick(i, 'a', f'L[{i}]')})",
        f"c {w.pick('', '+')}= {some}.setdefault({k}, {w.pick(i, '3', f'len({some})')})",
        f"ways.setdefault({k}, []).append({i})",
        f"T = {{}}\nT.setdefault({k}, []).append({i})\nT.setdefault({j}, []).append({j})",
        f"T = {{}}\nfor a in K: T.setdefault(a % 3, set()).add({w.pick(i, 'a', k)})",
        f"{one} {w.pick('|', '-', '|', '&')}= {w.pick(f'{{{i}, {k}}}', f'links[{i}]', one)}",
        f"{w.pick(one, f'links[{i}]')}.{w.pick('update', 'difference_update')}({some_set(w)})",
        f"{w.pick(one, f'links[{i}]')} = {some_set(w)} {w.pick('&', '-', '-', '|')} {some_set(w)}",
        f"s += len({some_set(w)} {w.pick('&', '-', '|', '^')} {some_set(w)})",
        f"s += {some_set(w)}.{w.pick('issubset', 'issuperset', 'isdisjoint')}({some_set(w)})",
        f"if {some_set(w)} & {some_set(w)}: s += 1",
        f"{one}.update({w.pick('L', 'K', f'[{i}, {k}]')})",
        f"{some}.update({w.pick('ints', 'alike', f'{{{i}: {j}, {k}: 2}}')})",
        f"c = {number(w)}",
        f"z = {number(w)}",
        f"o = {w.pick(some, 'halves', 'tally')}.get({k})",
        f"s += {number(w)}",
    )  # fmt: skip
