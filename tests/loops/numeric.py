"""A writer of random programs whose loops compute with numbers and arrays, as compiled loops do.

All numbers are small multiples of powers of two, so that sums are exact in any order, until they
grow; then integers outgrow 64 bits, floats become infinite, and what warns or raises then must be
the same.
"""

from __future__ import annotations

import random

from tests.loops import (
    numeric_arrays,
    numeric_lists,
    numeric_objects,
    numeric_strings,
    numeric_tables,
)
from tests.loops.definitions import needed
from tests.loops.numeric_setup import CLOSURES, SETUP

INTS = ("i", "j", "k")


class Writer:
    """Writes the program of a seed: random statements after the definitions that they need."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 0
        self.loops = 0
        self.whiles = 0
        # Half of the programs make lists, and change their lengths.
        self.has_lists = self.dice.random() < 0.5
        self.generators = [self.pick("random", "np.random", "rng")]
        if self.dice.random() < 0.3:
            self.generators += ["random", "np.random", "rng", "bits"]
        # Half of them call functions that are made anew.
        self.has_closures = self.dice.random() < 0.5
        # A third of them has lists of objects.
        self.has_objects = self.dice.random() < 0.35
        # And a third loops over several arrays.
        self.has_arrays = self.dice.random() < 0.35
        self.has_tables = self.dice.random() < 0.35

    def program(self) -> str:
        setup = SETUP
        if self.has_objects:
            setup += numeric_objects.SETUP
        if self.has_tables:
            setup += numeric_tables.SETUP
        setup += numeric_strings.SETUP
        in_function = self.dice.random() < 0.5
        if in_function:
            self.line(0, "def work(n, a, b, c, s, z, d, o=None, way='n', hit=None, kind=Kind.RED):")
        if in_function and self.has_lists:
            self.line(1, "T, R, E, G, L = [], [1, 2], [], [5, 7], [3, -1, 4, 1, -5, 9, 2]")
            self.line(1, "K, M = [2, 4, 6], [[1, 2, 3], L, [7, 8, 9]]")
            self.line(1, "W, X, Y, N = [(1, 2), (0, 3)], [], [(0.5, 1)], [2, 5, 3]")
            self.line(1, "O, U, J = [0.5, 1.5], [x[0]], deque([7])")
        at = int(in_function)
        if in_function:
            self.line(1, "spoken = {}")
        if in_function and self.has_objects:
            self.line(1, numeric_objects.LOCALS)
        if in_function and self.has_tables:
            self.line(1, numeric_tables.LOCALS)
        if not in_function:
            self.line(0, "a, b, c, s, z, d = 1, 2, 3, 0, 0.5, 1 + 0.5j")
        if self.has_arrays:
            self.line(at, "q, h, r, g, fs, gs = x + 2, y - 1, A[3], x, [x * 1, y], (A[1], y)")
        if self.has_closures:
            self.closures(at)
        for _ in range(self.dice.randint(1, 2)):
            self.loop(at, 3)
        if in_function:
            lists = ", T, R, E, G, L, K, M, W, X, Y, N, O, U, J" * self.has_lists
            found = ", leaf and leaf.m, len(flock)" * self.has_objects
            found += ", memo, seen, cells, ints, halves, grid" * self.has_tables
            self.line(1, f"return a, b, c, s, z, d, o, way, hit, kind{lists}{found}")
            for _ in range(2):
                arguments = self.pick(
                    "n, 1, 2, 3, 0, 0.5, 2 - 1j", "n, 4, x[1], u[2], 1.5, f[3], Z[4]"
                )
                self.line(0, f"print(work({arguments}))")
        self.line(0, "print(random.random(), np.random.normal(), rng.integers(9), rng.random())")
        self.line(0, "print(bits.random(), bits.integers(9))")
        program = "\n".join(self.lines) + "\n"
        return needed(setup, program) + program

    def pick(self, *choices: str) -> str:
        return self.dice.choice(choices)

    def line(self, depth: int, text: str) -> None:
        self.lines += ["    " * depth + line for line in text.split("\n")]

    def closures(self, depth: int) -> None:
        """Statements that make functions anew."""
        self.line(depth, f"fun = {self.dice.choice(CLOSURES)}")
        self.line(depth, f"gun = {self.pick('fun', *CLOSURES)}")
        self.line(depth, f"hun = {self.pick('fun', 'gun')}")

    # Expressions.

    def index(self) -> str:
        loops = list(INTS[: self.loops]) or ["a"]
        i = self.dice.choice(loops)
        return self.pick(
            i, i, i, f"{i} - 1", f"-{i}", f"{i} % 7", "2", "-1", "a % 7", f"u[{i} % 7]"
        )

    def element(self) -> str:
        i, j = self.index(), self.index()
        return self.pick(
            f"A[{i}, {j}]",
            f"B[{i}, {j}]",
            f"A[{i}][{j}]",
            f"C[{i} % 4, {j}]",
            f"t[{i}, {j}]",
            f"x[{i}]",
            f"y[{i}]",
            f"f[{i}]",
            f"u[{i}]",
            f"v[{i}]",
            f"w[{i}]",
            f"L[{i}]",
            f"F[{i}]",
            f"mix[{i}]",
            f"H[{i}]",
            f"G[{i}]",
            "L[K[1]]",
        )

    def number(self, depth: int = 2) -> str:
        dice = self.dice.random()
        if depth == 0 or dice < 0.25:
            loops = [*INTS[: self.loops], "a", "b", "c", "s", "z"]
            return self.pick(
                self.dice.choice(loops), self.element(), str(self.dice.randint(-3, 9)), "0.5", "n"
            )
        left, right = self.number(depth - 1), self.number(depth - 1)
        if dice < 0.65:
            return f"({left} {self.pick('+', '-', '*', '+', '-', '*', '/', '//', '%')} {right})"
        if dice < 0.7:
            return f"({left}) ** 2"
        if dice < 0.75 and self.has_objects:
            return numeric_objects.number(self)
        if dice < 0.78 and self.has_tables:
            return numeric_tables.number(self)
        if dice < 0.8 and self.has_closures:
            return f"{self.pick('fun', 'gun', 'fun', 'made')}({left})"
        return self.pick(
            f"-({left})",
            f"abs({left})",
            f"max({left}, {right})",
            f"min({left}, {right}, 1)",
            f"({left} if {self.condition(0)} else {right})",
            f"plus({left}, {right})",
            f"safe({left}, {right})",
            f"int({left})",
            f"float({left})",
            f"math.sqrt(abs({left}))",
            f"np.sqrt(abs({left}))",
            f"np.float64({left})",
            f"(a & 255) ^ {self.dice.randint(0, 9)}",
            f"(a << {self.dice.randint(0, 3)}) % 1000",
            "steps(a % 1000)",
            f"math.floor({left})",
            "len(x)",
            "len(G)",
            self.draw(),
            f"{left} ** (a & 3)",
            f"(a & 7) ** {self.index()}",
            "least(a % 100)",
            f"either({left}, {right})",
            "K[a % 3]",
            f"A.shape[{self.dice.randint(0, 1)}]",
            self.attribute(),
            self.attribute(),
            f"{self.vector()}.sum()",
            f"np.dot({self.vector()}, {self.vector()})",
            f"({self.vector()} @ {self.vector()})",
            f"{self.vector()}.{self.pick('max', 'min', 'argmax', 'argmin', 'any', 'all')}()",
            f"np.{self.pick('max', 'min', 'argmax', 'amin', 'any', 'all')}({self.vector()})",
            f"{self.pick('A', 'B', 'C')}.{self.pick('sum', 'max', 'argmin')}()",
            f"np.mean(x[:{self.pick('2', '4', '0')}])",
            f"len(x[x > {right}])",
            f"np.searchsorted({self.pick('np.cumsum(abs(x))', 'edges', 'edges / 2')}, {left})",
            f"round({left})",
            f"np.median({self.pick(self.vector(), 'A[:3, 1:]', 'u', 'B')})",
            f"np.clip({left}, {self.pick('0', '-0.5', left)}, {self.pick('3', '2.5', right)})",
            f"np.linalg.norm({self.pick('A[1] * 0', 'x[1:2]', 'x[3:4] - 4')})",
            f"math.{self.pick('radians', 'degrees')}({self.pick('180', '0', '90.0')})",
            f"float({self.pick(repr('inf'), repr('-inf'), repr('0.5'))})",
            f"({left} + small({self.index()}, 1))",
            self.fold(),
            self.search(),
        )

    def search(self) -> str:
        """What is looked for in a tuple, a list or an array, and norms."""
        i, j = self.index(), self.index()
        items = f"({i}, {j}, {self.pick('3', 'a', 'u[1]')})"
        return self.pick(
            f"{self.pick('min', 'max', 'sum')}({items})",
            f"{items}.{self.pick('index', 'count')}({self.pick(i, j, '3')})",
            f"{self.pick('L', 'K', 'F')}.{self.pick('index', 'count')}({self.pick(i, '4', '0.5')})",
            f"(~{self.pick('u', 'v', 'm', '(x > 1)')}).sum()",
            f"(-u)[{i}]",
            f"abs(u - {i}).{self.pick('max', 'sum')}()",
            f"np.linalg.norm({self.pick('x', 'A[1]', 'x - 2')}, {self.pick('np.inf', '1')})",
            f"np.linalg.norm({self.pick('A * 0', 'C[:0]')})",
            f"np.linalg.norm({self.pick('A', 'C', 't')}, np.inf, axis={self.pick('0', '1')}).sum()",
            f"A[{self.pick('m', '~m', f'x > {i}', f'm[:{i}]')}].{self.pick('sum', 'max')}()",
            f"{self.pick('B[m]', 'C[m[:4]]', 'S[m[:4]]')}.sum(axis=0)[{i}]",
        )  # fmt: skip

    def fold(self) -> str:
        """A function of the items of a generator."""
        i, source = self.index(), self.pick("L", "K", "u", "x", "F", "range(n)", "v", "H", "mix")
        return self.pick(
            f"sum(e * {i} for e in {source})",
            f"sum(e / 4 for e in {source} if e > {i})",
            f"sum(e > {i} for e in {source})",
            f"sum((e - f) ** 2 for e, f in zip({self.pick('L', 'x', 'u')}, {source}))",
            f"any(e == {i} for e in {source})",
            f"all(e < {i} or e > 3 for e in {source})",
            f"max(e - {i} for e in {source})",
            f"min(abs(e - {i}) for e in {source} if e != {i})",
            f"max({source}, key=lambda e: {self.pick('abs(e - 2)', f'e * {i}', f'e > {i}')})",
        )

    def draw(self) -> str:
        """A random number."""
        if self.dice.random() < 0.03:
            return "int(random.random() * 32) / 4"
        one = self.dice.choice(self.generators)
        if one == "random":
            return self.pick(
                "int(random.random() * 32) / 4", "int(random.uniform(-3, 4.5))",
                "random.choice([(1, 2), (0, -1), (4, a)])[1]", "int(random.expovariate(.5) * 4)",
                "int(random.gauss(1, 3))", f"int(random.normalvariate({self.index()}, 2))",
                "random.choice((3, 1, 4))", f"random.randint(-2, abs({self.index()}))",
                f"random.randrange({self.index()})", "random.choice(K)", "random.choice(F)",
            )  # fmt: skip
        name = "randint" if one == "np.random" else "integers"
        return self.pick(
            f"int({one}.random() * 32) / 4", f"int({one}.uniform(-3, 4.5))",
            f"{one}.{name}(-2, {self.index()})", f"{one}.{name}(1 << (a & 31))",
            f"int({one}.normal(1, abs(z) % 8))", f"int({one}.standard_normal() * 4)",
            f"int({one}.exponential(2) * 4)", f"{one}.{name}(6)", f"{one}.choice(K)",
            f"{one}.choice([-1, 1])", f"{one}.choice({self.index()})", f"{one}.choice(u)",
            f"{one}.binomial({self.index()}, {self.pick('0.25', '0.5', '(a & 15) / 12')})",
            f"{one}.poisson(lam={self.index()})", f"int({one}.normal(scale={self.index()}) * 4)",
            f"{one}.choice(2, p=[{self.pick('0.5', 'b / 8')}, 0.5])",
            f"{one}.{name}(low=3, high=9)",
        )  # fmt: skip

    def drawn(self) -> str:
        """An array of random numbers."""
        one, i = self.dice.choice(self.generators), self.index()
        if one == "random":
            return "x"
        name = "randint" if one == "np.random" else "integers"
        return self.pick(
            f"np.floor({one}.random(3) * 8)", f"np.floor({one}.normal(0, 2, size={i}))",
            f"{one}.{name}(-3, 9, size=3)", f"{one}.{name}({i}, size={i})",
            f"np.floor({one}.uniform(-2, {i}, 4))", f"{one}.choice(K, 3)",
            f"np.floor({one}.standard_normal((2, 3)))[1]", f"{one}.choice(x, size={i})",
            f"{one}.binomial(4, 0.5, size={i})", f"{one}.choice(3, p=[0.25, 0, 0.75], size=3)",
        )  # fmt: skip

    def attribute(self) -> str:
        """A number of an object's."""
        i = self.index()
        return self.pick(
            "box.p", "box.q", "box.part.u", "box.part.v", "spare.u", "spare.v", "spare.weight",
            "box.step", "box.total", f"box.r[{i}]", f"box.at({i})", "box.pair[1]", "len(box.items)",
            f"box.items[{i}]", "box.r.sum()", f"spare.scaled({i})", "len(box.r)", f"outer({i})",
            f"box.part.scaled({i}, by=3)",
        )  # fmt: skip

    def object_statement(self) -> str:
        i, part = self.index(), self.part()
        return self.pick(
            f"{self.pick('box.p', 'box.q', 'box.part.v', 'spare.u')} = {self.number(1)}",
            f"{self.pick('box.p', 'box.q')} {self.pick('+', '-', '*')}= {self.number(1)}",
            f"spare.v {self.pick('+', '-', '*')}= {self.number(1)}",
            f"box.p, b = b, box.p + {i}",
            "box.q, spare.v = spare.v, box.part.v",
            f"box.r[{i}] {self.pick('=', '+=')} {self.number(1)}",
            f"box.r[{part}] *= 2",
            "box.r += 1",
            "box.r = box.r + 1",
            f"box.r = x[{part}] * 2",
            "h = box.r",
            f"c = box.bump({self.number(0)})",
            f"box.bump({i}, by={i})",
            f"x[{i}] = box.bump({i})",
            f"h = np.full({self.pick('7', '(2, 3)', i)}, {self.number(0)})",
            f"c = box.twice({i})",
            f"a, b, c = box.p, box.bump({i}), box.p",
            f"a = box.p * 100 - box.bump({i}) + box.p",
            f"box.items.append({i})",
            f"box.items[{i}] = {self.number(0)}",
            f"if box.{self.pick('mode', 'part')} is {self.pick('None', 'spare')}: s += 1",
            "if box.mode == 'a': s += 1",
            "box.part = spare",
            "box.extra = a",
            "e = box; e.p = 7",
        )  # fmt: skip

    def complex(self, depth: int = 2) -> str:
        i, dice = self.index(), self.dice.random()
        if depth == 0 or dice < 0.4:
            return self.pick(
                "d", "d", f"Z[{i}]", "(1 - 2j)", "0.5j", self.number(0), self.number(1)
            )
        left, right = self.complex(depth - 1), self.complex(depth - 1)
        if dice < 0.8:
            return f"({left} {self.pick('+', '-', '*', '/')} {right})"
        return self.pick(
            f"-({left})",
            f"(d + {left}) ** {self.pick('1', '2', '3', '4')}",
            "d.conjugate()",
            "Z[2].conjugate()",
            f"complex({self.number(0)}, {self.number(0)})",
            f"turn({left}, {right})",
            f"(d * {left}).real",
            f"abs(d - {left})",
            f"abs(Z[{i}])",
            f"{self.pick('cmath', 'np')}.{self.pick('exp', 'sqrt', 'log', 'cos')}({left})",
            f"cmath.rect({self.number(0)}, {self.number(0)})",
            f"np.{self.pick('conj', 'abs', 'angle', 'real', 'imag')}(d * {i})",
            f"cmath.polar({left})[{self.pick('0', '1')}]",
        )

    def complex_array(self, depth: int = 2) -> str:
        i, part = self.index(), self.part()
        if depth == 0 or self.dice.random() < 0.3:
            return self.pick(
                "Z", "D[1]", f"Z[{part}]", f"D[{i}, {part}]", "D[:, 2:]", "d", "x", f"D[{i}]",
                "np.zeros(7, dtype=complex)", self.number(0), "Z[::-1]", "u", "0.5",
            )  # fmt: skip
        left, right = self.complex_array(depth - 1), self.complex_array(depth - 1)
        return self.pick(
            f"({left} {self.pick('+', '-', '*', '+', '-', '*', '/')} {right})",
            f"({left} {self.pick('+', '-', '*')} {right})",
            f"-({left})", f"({left}) ** 2", f"np.conj({left})", "Z.conj()", f"np.exp({left} / 64)",
            f"abs({left})", "D[0].real", "Z.imag", f"(Z * {left}).real",
        )  # fmt: skip

    def complex_statement(self) -> str:
        i = self.index()
        if self.dice.random() < 0.4:
            target = self.pick("Z", "D[1]", f"Z[{self.part()}]", "D", f"D[:, {i}:]", "D[::-1]")
            operator = self.pick("=", "=", "+=", "-=", "*=")
            name = self.pick("q", "h")
            return self.pick(
                f"{target} {operator} {self.complex_array()}",
                f"{target} {operator} {self.complex_array()}",
                f"{name} = {self.complex_array()}",
                f"x[:] = {self.pick('D[0].real', 'abs(Z)', 'Z.imag * 2', '(Z * D[1]).imag')}",
                f"Z.real[{i}] = {self.number(0)}",
                "z = abs(Z).max()",
            )
        return self.pick(
            f"d = {self.complex()}",
            f"d = {self.complex()}",
            f"d {self.pick('+', '-', '*')}= {self.complex(1)}",
            f"Z[{i}] = {self.complex()}",
            f"Z[{i}] {self.pick('+', '-', '*')}= {self.complex(1)}",
            "Z[1], Z[2] = Z[2], Z[1]",
            "z = d.real",
            f"z = Z[{i}].imag",
            f"c = {self.complex(1)} {self.pick('==', '!=')} d",
        )

    def optional_statement(self) -> str:
        """What is done with variables that are `None` or a number, or one of a few strings."""
        i, j, number = self.index(), self.index(), self.number(1)
        call = self.pick(f"maybe({i}, {j})", f"maybe(o or {i}, {j})", f"maybe({i}, a % 5)")
        search = f"some({self.pick('x', 'u', 'L', 'F')}, {i})"
        return self.pick(
            f"o = {self.pick('None', number, call, call, 'box.found')}",
            f"o = {number} if {self.condition(0)} else None",
            f"o = None if {self.condition(0)} else {number} if {self.condition(0)} else 0.5",
            f"o = {number} if o is None else min(o, {i})",
            f"if o is {self.pick('None', 'None or o == 2', f'None or {i} < o')}: o = {number}",
            f"if o is not None: s += {self.pick('1', 'o', 'o * 2')}",
            f"if {self.pick('o', 'not o', f'o and {i} > 2', f'o or {i}', 'o != None')}: s += 2",
            f"if {call}: s += 1",
            call,
            f"z = {call}",
            f"s += {self.pick('o', 'o or 2', call, 'least(3) if o is None else o')}",
            f"while o is None and a < {i}: a += 1; o = maybe(a, {j})",
            f"hit = {search}",
            "if hit is not None: a, b = hit",
            f"if {search} is None: s -= 1",
            f"way = {self.pick(repr('n'), repr('s'), repr('east'), f'named({i})')}",
            "way = 's' if way == 'n' else 'east' if way == 's' else 'n'",
            f"if way {self.pick('==', '!=')} 'n': {self.pick('s += 1', f'x[{i}] += 1')}",
            f"if named({i}) == way: s += 3",
            f"box.found = {self.pick('None', number, call)}",
            f"if box.found is None: box.found = {number}",
            f"if box.found is not None and box.found > {i}: s += 1",
            f"c = box.seek({i})",
        )  # fmt: skip

    def enumeration_statement(self) -> str:
        """What is done with members of an enumeration."""
        i, one = self.index(), self.pick("box.kind", "spare.kind", "kind")
        member = self.pick("Kind.RED", "Kind.BLUE", "Kind.GREEN", "box.kind", "spare.kind", "kind")
        return self.pick(
            f"{one} = {self.pick(member, member, f'other({member})', 'None')}",
            f"{one} = {member} if {self.condition(0)} else {self.pick('Kind.RED', 'kind')}",
            f"if {one} {self.pick('is', 'is not', '==', '!=')} {self.pick(member, 'None')}: s += 1",
            f"if {one} {self.pick('in', 'not in')} (Kind.RED, {member}): s += 2",
            f"{one}, spare.kind = spare.kind, {one}",
            f"if {one} is Kind.RED: {self.pick('box.kind', 'kind')} = other({member})",
            f"c = {one} == {member}",
            f"{self.pick('', 'kind = ')}box.turn({i})",
            f"box.turn({i})",
            self.pick("box.kind = kind = Kind.BLUE", "spare.kind = a", "print(box.kind, kind)"),
        )  # fmt: skip

    def condition(self, depth: int = 1) -> str:
        if depth and self.dice.random() < 0.3:
            joined = f" {self.pick('and', 'or')} "
            return f"({self.condition(0)}{joined}{self.condition(0)})"
        if self.dice.random() < 0.1:
            i = self.index()
            return self.pick(
                f"{i} in ({self.number(0)}, 2, 3)",
                f"{self.number(0)} not in [1, 2, a]",
                f"{i} in {self.pick('L', 'K', 'F', 'G')}",
                f"K.count({i}) > 0",
                f"{i} not in {{1, 2}}",
                f"not {self.condition(0)}",
                f"{i} {self.pick('in', 'not in')} {self.pick('u', 'x[1:]', 'A', 'w', 'm', 'f')}",
                f"m[{self.index()}]",
                f"0 < {self.number(0)} < 5",
            )
        compare = self.pick("<", "<=", ">", ">=", "==", "!=")
        return f"{self.number(1)} {compare} {self.number(0)}"

    def test(self) -> str:
        """A condition, which may call a function that stores."""
        call = self.pick(f"swap(L, {self.index()}, 2)", f"box.bump({self.index()})")
        return self.pick(self.condition(), self.condition(), f"{call} > {self.index()}")

    def part(self) -> str:
        i = self.index()
        return self.pick(
            ":", ":", f":{i}", f"{i}:", f"1:{i}", "::2", "::-1", "1:-1", f"{i}:{i} + 3", "2:5",
            f"::{i}", f"{i}::{i}",
        )  # fmt: skip

    def vector(self) -> str:
        i, part = self.index(), self.part()
        return self.pick(
            f"A[{i}, {part}]",
            f"B[{part}, {i}]",
            f"A[{i}]",
            f"x[{part}]",
            f"y[{part}]",
            f"x[{part}]",
            f"f[{part}]",
            "np.flip(x)",
            f"x[u[{part}]]",
            self.pick(
                f"x[x > {i}]", "y[m]", f"A[{i}][m]", f"B[{part}][{i} % 2][m]", f"A[u, {i}]",
                f"A[{i}, u]", f"B[u[{part}], v % 7]", "A.sum(axis=0)", "B.max(axis=1)",
                "A.min(0)", f"np.max(C, axis={self.pick('0', '1', '-1')})",
                "(np.cumsum(x) / 8)", f"np.cumsum(A[{i}] > 0)", f"(np.cumsum(u[{part}]) / 4)",
                "np.floor(B @ x / 64)", "np.floor(x @ A / 64)",
                f"np.sort(A[{i}] - 2)", f"np.round(A[{i}] / 4)",
                f"np.concatenate((x[{part}], y[:{i}]))",
                f"np.sort({self.pick('u', 'v', 'w')}[{part}])",
                f"np.sort(x[{part}])", f"A[:2, {part}].flatten()",
                "t[1:3].flatten()", "(B[:2] - 1).flatten()",
                f"np.mean(B[:4], axis={self.pick('0', '-1')})", "A.argmax(axis=0)",
                f"np.roll(x, {i})", f"np.roll(A, {i}, axis=0)[{i}]", f"np.arange({i}, 7)",
                f"np.arange({i}, 7, {self.index()})",
                f"np.linspace(0, 16, {self.pick('5', '9', '17')})[{part}]", f"np.diff(x[{part}])",
                "np.roll(B, -1, 1)[:, 2]", f"np.outer(x, u[{part}])[{i}]",
                self.drawn(),
            ),
        )  # fmt: skip

    def array(self, depth: int = 1) -> str:
        if depth == 0 or self.dice.random() < 0.3:
            return self.pick(self.vector(), self.vector(), self.number(0))
        left, right = self.array(depth - 1), self.array(depth - 1)
        return self.pick(
            f"({left} {self.pick('+', '-', '*', '/')} {right})",
            f"-({left})",
            f"abs({left})",
            f"np.sqrt(abs({left}))",
            f"np.{self.pick('exp', 'sin', 'tanh', 'floor', 'square')}({left})",
            f"np.{self.pick('maximum', 'minimum', 'copysign', 'hypot')}({left}, {right})",
        )

    def several(self) -> str:
        """An array, and several axes of it."""
        axes = self.pick("(0, 1)", "(0, 2)", "(-1, 1)", "(1,)", "(0, 1, 2)")
        operand = self.pick("S", "V", "S[:, :, None] * V", "V[1:] - 0.5", "S[::-1]", "C")
        return f"{operand}, axis={axes}{self.pick('', '', ', keepdims=True')}"

    def matrix(self) -> str:
        """An array of several axes, of operands in several orders in memory."""
        i, part = self.index(), self.part()
        operand = self.pick("t", "A", "C", "C.T", "A.T", "S", "V", "S[::-1]", "V[1:]", "t[:, ::2]")
        return self.pick(
            f"{operand} * 2",
            f"np.copy({operand})",
            f"{operand}.copy()",
            f"np.zeros_like({operand})",
            f"np.array({operand})",
            f"np.exp(-abs({operand}))",
            f"{operand}.sum(axis={self.pick('0', '1', '-1')})",
            f"{operand}.max(axis=1, keepdims={self.pick('True', 'False')})",
            f"{operand}.argmin(axis=0)",
            f"np.{self.pick('sum', 'mean', 'min', 'any')}({self.several()})",
            f"({operand} + 1)[{part}]",
            f"({operand} - 1)[:, {part}] * 3",
            f"{operand}[{part}] + 1",
            f"{operand}[u[{part}] % 3]",
            f"np.where({operand} > {i}, {operand}, 0.5)",
            f"{self.pick('A', 'B', 't', 'x', 'x[:, None]')} - {self.pick('A', 't', 'A.T', 'x')}",
            f"t[:, {part}] * t[:, {part}]",
            "x[:, None] * S[:, 0, 0] + A[:, :4]",
            "A[:, None, :3] + t[:, :3, None]",
            f"S[{i} % 4] / V[:, 1, :2]",
            "(V + S.T[:, :3].T[:3])",
            "t @ A",
            f"np.hstack([{operand}[:3, :2] * d for d in (1, {i}, 0.5)])",
            f"np.concatenate((A[:, :{i}], B[:, 1:2]), axis=1)",
            f"np.stack({numeric_arrays.several(self)}, {self.pick('0', 'axis=1', '-1')})",
            f"np.stack([{operand}, {operand}], axis={self.pick('0', '1', '2')})",
            f"np.{self.pick(*numeric_arrays.STACKS)}({numeric_arrays.several(self)})",
            f"np.{self.pick(*numeric_arrays.STACKS)}(({operand}, {self.vector()}))",
            f"np.{self.pick(*numeric_arrays.STACKS)}([x, {operand}[:{i}], {operand}])",
            f"np.{self.pick('triu', 'tril')}({self.pick('A', 'B - 1', 't', 'C')}, {i})",
            f"(B[:, {i}:{i} + 1] * A - B[2:3])",
            f"pairs({self.pick('A', 'x', 'B')})[{self.pick('0', '1')}]",
            f"sum(d * {i} for d in {self.pick('(x, y)', '(A, B)', '(A, x)', 'pairs(x)')})",
            f"np.array([[{i}, 2.5], [z, x[{i}]]])",
            f"np.array([[a, {i}, 3]]) - 1",
        )

    # Statements.

    def special(self) -> str | None:
        """A statement with lists, objects, complex numbers or strings; `None` at most times."""
        if self.has_closures and self.dice.random() < 0.3:
            i = self.index()
            return self.pick(
                f"s += fun({i})",
                f"y[{i}] = gun(x[{i}])",
                f"a = gun({i})",
                f"s = passing({i}) - made({i}, x[{i}])",
                f"z = fun(z) + gun({i})",
                f"s += applied(lambda r: r * {i} - {self.pick('z', 'x[1]', 'b', 'L[a % 7]')}, {i})",
                f"z = applied(lambda r: fun(r) + {self.number(0)}, {self.number(0)})",
                self.definition(),
                self.definition(),
                f"s += hun({i})",
                f"z = applied(hun, {i}) - hun(a % 7)",
                f"{self.pick('print(hun(1))', 'gun = hun', 'fun = hun', 's -= hun(2)')}",
                f"a = applied(lambda r: applied(lambda e: e * r + b, {i}), c) % 1000",
            )
        if self.has_objects and self.dice.random() < 0.5:
            return numeric_objects.statement(self)
        if self.has_tables and self.dice.random() < 0.6:
            return numeric_tables.statement(self)
        if self.has_lists and self.dice.random() < 0.4:
            return numeric_lists.statement(self)
        dice = self.dice.random()
        if dice < 0.1:
            return self.object_statement()
        if dice > 0.93:
            return self.enumeration_statement()
        if dice < 0.15:
            return self.complex_statement()
        if dice < 0.2:
            return numeric_strings.statement(self)
        return self.optional_statement() if dice < 0.28 else None

    def definition(self) -> str:
        """A statement that makes a function."""
        i, default = self.index(), self.pick("2", "0.5", "None")
        return self.pick(
            f"def hun(r): return {self.pick('r', f'r * {i}', 'fun(r)', 'hun')} - {self.number(0)}",
            f"def hun(r, e={default}): return r if e is None else r * e - {i}",
            f"def hun(r): return {self.pick('r * z', f'applied(lambda e: e + r, {i})')}",
        )

    def call_statement(self, name: str) -> str:
        """A statement that calls a function which stores."""
        return self.pick(
            f"poke({self.number(1)}, {self.number(1)})",
            f"poke({self.index()}, {self.number(1)})",
            f"small({self.index()}, {self.number(0)})",
            f"{name} += small({self.index()}, 2) * 2",
            f"s += 1 - swap(x, {self.index()}, 2)",
            f"{self.pick('x', 'u', 'L')}[{self.index()}] += swap({self.pick('u', 'L')}, 1, 2)",
            f"c = swap({self.pick('x', 'A[1]', 'L', 'F', 'u')}, {self.index()}, 3)",
            f"c = swap({self.pick('L', 'F')}, 1, {self.index()})",
            f"y[{self.index()}] = swap(x, {self.index()}, 2)",
            f"A[{self.index()}, 2], s = swap(L, 0, {self.index()}), both({self.index()}, s)",
            f"s = both({self.index()}, {self.number(0)})",
            f"c = both({self.index()}, 1) + L[2]",
            f"a = fill({self.pick('u', 'L', 'x')}, {self.index()})",
        )

    def statement(self, depth: int, nesting: int) -> None:
        dice, special = self.dice.random(), self.special()
        if special is not None:
            self.line(depth, special)
        elif nesting and dice < 0.24:
            (self.loop if dice < 0.2 else self.attempt)(depth, nesting)
        elif nesting and dice < 0.36:
            self.line(depth, f"if {self.test()}:")
            self.block(depth + 1, nesting - 1)
            if self.dice.random() < 0.5:
                self.line(depth, self.pick("else:", f"elif {self.condition()}:"))
                self.block(depth + 1, nesting - 1)
        elif dice < 0.42 and self.loops:
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, self.pick("break", "continue", "continue", "z = 0.5", "print(a)"))
        elif dice < 0.6:
            name = self.pick("a", "b", "c", "s", "z")
            text = self.pick(
                f"{name} = {self.number()}",
                f"{name} = {self.number()}",
                f"{name} {self.pick('+', '-', '*')}= {self.number(1)}",
                f"a, b = b, {self.number(1)}",
                "s += 1",
                "a = b = s",
                "a, b, c = x[1:4]",
                numeric_arrays.statement(self),
                f"a, b = {self.pick('x[:2] * 2', 'np.sort(u[1:3])', 'A[1, 2:4] - x[:2]')}",
                self.complex_statement(),
                self.complex_statement(),
                self.complex_statement(),
                self.call_statement(name),
                self.call_statement(name),
                self.call_statement(name),
                self.call_statement(name),
                f"L[{self.index()}], L[2] = L[{self.index()}], {self.number(1)}",
                f"F[L[1]], F[0] = {self.number(1)}, F[3]",
                f"G.append({self.pick('a', 's', 'n', '3', 'L[1]', 'u[2]')})",
                "G.append(1)",
                "G.pop()",
                f"a = int({self.number(1)}) % 1000",
            )
            self.line(depth, text)
        elif dice < 0.8:
            i, j = self.index(), self.index()
            target = self.pick(
                f"A[{i}, {j}]",
                f"y[{i}]",
                f"x[{i}]",
                f"f[{i}]",
                f"u[{i}]",
                f"v[{i}]",
                f"L[{i}]",
                f"F[{j}]",
                f"mix[{j}]",
                f"K[{i} % 3]",
                f"H[{i}]",
            )
            operator = self.pick("=", "=", "+=", "-=", "*=")
            self.line(depth, f"{target} {operator} {self.number()}")
        elif dice < 0.97:
            i, part = self.index(), self.part()
            target = self.pick(
                f"A[{i}, {part}]", f"A[{part}, {i}]", f"y[{part}]", f"x[{part}]", f"f[{part}]"
            )
            value = self.array()
            if self.dice.random() < 0.2:
                target = self.pick(
                    "x[m]", "y[x > 0.5]", f"f[f <= {i}]", "A[B < A]", "u[m]", f"v[x > y[{i}]]",
                    f"C[1][x[:7] < {i}]", "x[m[:5]]", "A[m]", f"B[x > {i}]", "C[~m[:4]]", "t[m]",
                    "x[u]", f"y[u % {i}]", f"f[u[{part}]]", f"w[np.arange({i}, 7, {i})]", "v[u]",
                )  # fmt: skip
                value = self.pick(
                    self.number(), self.number(), f"{target} * 0.5 - {i}", f"y[:{i}]", f"-{target}"
                )
            elif self.dice.random() < 0.2:
                value = f"np.where({self.pick('m', 'x < y', f'x > {i}')}, {self.array()}, {value})"
            elif self.dice.random() < 0.2:
                target = self.pick("A", "A[:5, 1:6]", "B", "t", f"A[:{i}]", "C")
                value = self.pick(
                    "B[u]", "np.floor(A[u] @ B / 64)", "np.floor(B @ A / 64)", "A[:5, u[:5]]",
                    "A[u[1:6], 1:6]", "np.floor(B[:4] @ A / 64)",
                    "x[:, None] * y", "x[None] + x[:, None]", "A - A.max(axis=1, keepdims=True)",
                    "np.floor(np.dot(A, B) / 64)", "B / 2 + x[:, None]", f"A[{i}, :, None]",
                    "x[:5, None]", f"B[u, {part}]", "A.sum(0, keepdims=True)",
                )  # fmt: skip
            self.line(depth, f"{target} {self.pick('=', '+=', '-=', '*=')} {value}")
        elif dice < 0.985:
            i = self.index()
            value = self.pick(
                self.matrix(), self.matrix(), self.matrix(),
                "x[m]", f"x[x > {i}]", "A[u]", "B @ A", "A.sum(axis=0)", "A[B > A]", f"u[u > {i}]",
                "np.dot(B, x)", f"A[1:{i}].max(axis=1)", "x[:, None] - x",
            )  # fmt: skip
            names = self.pick("q", "h", "q", "h", "q, h", "q, b")
            value += f", {self.array()}" if names == "q, h" else f", {i}" * (names == "q, b")
            self.line(depth, f"{names} = {value}")
            if self.dice.random() < 0.5:
                self.line(depth, f"b = {self.pick('len(q)', 'q.size', 'int(q.sum()) % 1000')}")
        else:
            self.line(depth, self.pick("row = A[a % 7]", "q = x[1:4]", "print(s)", "pass"))

    def attempt(self, depth: int, nesting: int) -> None:
        """A `try` statement, in which some statements raise at times."""
        self.line(depth, "try:")
        if self.dice.random() < 0.7:
            value = self.pick(f"1 / {self.index()}", self.element(), self.number(1), "safe(a, b)")
            self.line(depth + 1, f"{self.pick('s', 'z', 'a')} += {value}")
        self.block(depth + 1, nesting - 1)
        for kind in self.pick("ZeroDivisionError", "IndexError ValueError", "Exception").split():
            self.line(depth, f"except {kind}{self.pick('', ' as wrong', '')}:")
            self.line(depth + 1, self.pick("b += 1", "s = 0.5", "pass", "print(a)", "z = a = 2"))
            if self.loops and self.dice.random() < 0.2:
                self.line(depth + 1, self.pick("break", "continue", "continue"))
        if self.dice.random() < 0.3:
            self.line(depth, "else:")
            self.block(depth + 1, nesting - 1)
        elif self.dice.random() < 0.1:
            self.line(depth, "finally:")
            self.line(depth + 1, "c += 1")

    def block(self, depth: int, nesting: int) -> None:
        for _ in range(self.dice.randint(1, 3)):
            if self.has_arrays and self.dice.random() < 0.2:
                numeric_arrays.write(self, depth, nesting)
            else:
                self.statement(depth, nesting)

    def loop(self, depth: int, nesting: int) -> None:
        if self.loops >= len(INTS):
            self.line(depth, "s += 1")
            return
        name = INTS[self.loops]
        outer = INTS[self.loops - 1] if self.loops else "n"
        if self.dice.random() < 0.15:
            self.whiles += 1
            counter = f"w{self.whiles}"
            self.line(depth, f"{counter} = {self.dice.randint(2, 6)}")
            self.line(depth, f"while {counter} > 0 and {self.condition()}:")
            self.line(depth + 1, f"{counter} -= 1")
            self.block(depth + 1, nesting - 1)
        else:
            items = self.pick(
                f"{name} in range(n)",
                f"{name} in range(1, n - 1)",
                f"{name} in range({outer})",
                f"{name} in range(n - 1, -1, -1)",
                f"{name} in range(n - 1, -1, -2)",
                f"{name} in reversed(range(n))",
                f"{name}, c in enumerate(x)",
                f"{name}, (c, b) in enumerate(zip(u, v), 1)",
                f"{name} in u",
                f"{name}, a in zip(range(n), w)",
                f"{name} in range(0, n, {self.dice.randint(1, 3)})",
                f"{name} in (2, 0, -1, a)",
                f"{name}, ch in enumerate(word)",
                f"{name}, ch in zip(range(n), text)",
                f"{name} in L",
                f"{name}, z in enumerate({self.pick('F', 'mix')})",
                f"{name}, b in zip(K, L)",
                *([f"{name} in {numeric_lists.some(self)}", f"{name}, b, c in M"] * self.has_lists),
                *([f"{name}, b in W", f"b, ({name}, c) in enumerate(X)"] * self.has_lists),
                *([numeric_tables.walk(self, name)] * 6 * self.has_tables),
            )
            if self.has_closures and self.dice.random() < 0.2:
                self.closures(depth)
            self.line(depth, f"for {items}:")
            over = items.partition(" in ")[2]
            over = over.removeprefix("zip(").removeprefix("enumerate(").partition(",")[0]
            over = over.removesuffix(")") if over[0] in "XWF" else over
            if over[0] in "LKGETMPWX":
                # A turn may append to the list, perhaps by another name.
                self.line(depth + 1, f"if len({over}) > 60: break")
            self.loops += 1
            if self.has_arrays and self.dice.random() < 0.5:
                self.line(depth + 1, "fs, gs = [x * 1, y + 1], (x, A[1])")
                self.line(depth + 1, numeric_arrays.bound(self))
            self.block(depth + 1, nesting - 1)
            self.loops -= 1
        if self.dice.random() < 0.1:
            self.line(depth, "else:")
            self.line(depth + 1, "s += 10")
