"""What the random programs of `numeric` do with lists of numbers, of tuples and of lists."""

from __future__ import annotations

import random
from typing import Protocol


class Writer(Protocol):
    """The part of the writer that is used here."""

    dice: random.Random

    def pick(self, *choices: str) -> str: ...
    def index(self) -> str: ...
    def number(self, depth: int = 2) -> str: ...
    def part(self) -> str: ...


def some(w: Writer) -> str:
    """A list of integers."""
    i, j = w.index(), w.index()
    return w.pick(
        "L", "K", "G", "E", "T", f"M[{i}]", f"P[{i}]", f"M[{i} % 3]", f"P[{i} % 3]",
        f"L[{i}:{j}]",
        f"L[{i}:{j}:{w.pick('-1', '2', '-2', i)}]", "K[::-1]",
        f"[0] * {i}", f"[{i}, {j}]", "[]", "L[:]", "K + G", f"[e for e in L if e > {i}]",
        f"[e * {i} for e in range({j})]", "list(K)", f"row({i})",
    )  # fmt: skip


def with_tuples(w: Writer) -> str:
    """What is done with lists of tuples, and with heaps."""
    i, j, one = w.index(), w.index(), w.pick("W", "X")
    return w.pick(
        f"{one}.append(({i}, {j}))",
        f"{one}.append(({i}, {j}))",
        f"a, b = {one}.pop()",
        f"{one}.pop()",
        f"if {one}: a, b = {one}[-1]",
        f"W[{i}] = ({j}, {w.number(0)})",
        f"a, b = W[{i}]",
        f"c = W[{i}][1] - W[{j}][0]",
        f"c = ({i}, a) {w.pick('==', '!=')} W[{j}]",
        f"c = (z, {i}) == Y[{j}]",
        f"for a, b in {one}: s += a - b",
        f"for a, b in [({i}, 1), (2, {j}), (0, n)]: s += a * b",
        f"for z, a in ((z, {i}), (0.5, 1)): s += a",
        f"X = [(e, {i}) for e in K]",
        "X = W[1:]",
        "X = [(1, 2)] * 2",
        f"W, X = X, W + [({i}, 0)]",
        f"heapq.heappush(Y, ({w.pick('z', '0.5', 'x[2]')}, {i}))",
        f"heapq.heappush(Y, ({w.pick('1.5', '-0.5', 'F[2]')}, {i}))",
        "z, a = heapq.heappop(Y)",
        f"heapq.heappush(N, {i})",
        f"heapq.heappush(N, {j})",
        "a = heapq.heappop(N)",
        "heapq.heappop(N)",
        f"Y.append((float({i}), {j}))",
        f"J.append({i})",
        f"J.append({j})",
        "a = J.popleft()",
        f"if len(J) > {i}: J.{w.pick('pop', 'popleft')}()",
        f"J[{i}] = {w.pick('a', '3', 'J[0]')}",
        "b = J[-1] - J[0]",
        f"J = deque([{i}, {j}])",
        f"O.append({w.pick(f'x[{i}]', '0.5', 'z', f'F[{j}]')})",
        f"O[{i}] = {w.pick(f'x[{j}]', '1.5', 'z')}",
        "z = O.pop()",
        f"U.append({w.pick(f'x[{i}]', f'A[{i}, {j}]')})",
        f"U[{i}] = x[{j}] * 2",
        f"z = {w.pick('O', 'U')}[{i}] + {w.pick('O', 'U')}[{j}]",
        f"O[{i}] {w.pick('+', '*')}= {w.pick(f'x[{j}]', '2')}",
    )  # fmt: skip


def statement(w: Writer) -> str:
    """A statement with lists."""
    if w.dice.random() < 0.3:
        return with_tuples(w)
    i, j = w.index(), w.index()
    name = w.pick("T", "R", "E", "G", "K")
    return w.pick(
        f"{name} = {some(w)}",
        f"{name} = {some(w)}",
        f"M[{i}] = {some(w)}",
        f"M[{i} % 3][{j}] = {w.number(1)}",
        f"P[{i} % 3][{j} % 3] {w.pick('+', '-')}= {w.number(0)}",
        f"M[{i} % 3], M[0] = M[0], M[{i} % 3]",
        f"{name}.append({w.index()})",
        f"{name}.append({w.index()})",
        f"M[{i} % 3].append({w.number(0)})",
        f"Q[{i} % 3].append({w.pick('0.5', 'z', 'F[1]')})",
        f"M.append({some(w)})",
        f"a = {name}.pop()",
        f"{name}.pop()",
        f"a = len({some(w)})",
        f"a = sum({some(w)}) % 1000",
        f"b = max({some(w)})",
        f"R = {w.pick('L', 'K', 'T', 'E')}",
        "M = [[0] * 3 for e in range(3)]",
        f"M = [[{w.index()}] * 2] * 3",
        "T = [e + f for e, f in zip(K, L)]",
        f"a, b = M[{i} % 3][:2]",
        "a, b, c = M[a % 3]",
        f"c = push({name}, {w.index()})",
        f"if len({name}) < 40: {name}.insert({w.pick(i, '0', '-1', 'a')}, {w.index()})",
        f"{w.pick(name, 'F', 'W', f'M[{i} % 3]')}.{w.pick('reverse()', f'pop({i})', 'clear()')}",
        f"if {i} in {name}: {name}.remove({i})",
        f"del {w.pick(name, 'K', 'mix', 'M')}[{w.pick(i, '-1', 'a')}]",
        f"a = {name}.pop({w.pick(i, 'a', '1')})",
        f"s += {name}.pop({i}) - {w.pick('L', name)}.pop({j})",
        f"s += {name}.pop() {w.pick('+', '-', '*', '//')} {w.pick(i, f'{name}.pop()', 'len(K)')}",
        f"{w.pick('L', name, 'y')}[{i}] {w.pick('', '+')}= {name}.{w.pick('pop()', 'pop(0)')}",
        f"if {name}.pop() > {i}: s += len({name})",
        f"{name}.append({name}.pop() + {w.pick(i, 'J.pop()', 'J.popleft()')})",
        f"if {some(w)} {w.pick('==', '!=')} {w.pick(name, some(w))}: s += 1",
        f"if {name}: s += {name}[-1]",
        f"T = [M[e % 3][{i}] for e in K]",
        f"L[{i}:{j}] = L[{i}:{j}][::-1]",
        f"if len(L) + len(R) + len(K) < 90: {w.pick('L', 'R', 'K')}[{w.part()}] = {some(w)}",
        "W[:2] = W[1::-1]",
        # Lists that are made twice as long in nested loops would fill the memory.
        f"if len({name}) < 30: {name} += {some(w)}",
        f"if len(M[{i} % 3]) < 9: M[{i} % 3] += {w.pick('K[:2]', f'[{j}]', f'M[{j} % 3]')}",
        f"if len({name}) < 30: "
        f"{name}.extend({w.pick('G[:9]', 'K[:5]', name, 'reversed(G[:9])', 'R[:9]')})",
        f"{w.pick('K', 'L', 'F', 'O', 'mix')}.sort()",
        f"T = sorted({some(w)})",
        f"{name}[{i}] += push({w.pick('T', 'R', 'E', 'G', 'K')}, {j})",
        f"z = sum({w.pick('F', 'U', 'Q[0]', '[x[1], x[2]]')})",
        f"z = {w.pick('sum', 'min', 'max')}({w.pick('mix', f'mix[:{i}]', '[1, z, 2]')})",
        f"z = sorted({w.pick('mix', f'[{i}, 0.5, 1.0, 1]')})[{j}]",
        f"mix[{i} % 7] = {w.number(0)}",
        f"{w.pick('L', 'K', 'T')}[:] = reversed({w.pick('L', 'K')})",
        f"L[{i}:{j}] = reversed(L[{i}:{j}])",
        f"Q[{i} % 3] = [0.5]",
        f"Cs[{i} % 3] {w.pick('=', '+=', '-=')} {w.pick('1j', 'd', f'Cs[{j}]')} * 0.5",
        f"d = {w.pick(f'Cs[{i}]', 'sum(Cs) / 4', 'sum(e / 2 for e in Cs)', 'Cs[:2][-1]')}",
        f"if len(Cs) < 9: Cs.append({w.pick('Cs[0]', f'complex({i}, 0.5)', 'd')})",
    )
