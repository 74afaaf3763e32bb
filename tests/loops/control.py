"""Random programs of loops; what they do is deterministic, and they end.

`Writer.program` writes one: functions with nested loops over ranges, sequences, `enumerate`, `zip`
and generators, `while` loops, branches, `try`, `with`, closures, generators, globals, deletions.
Statements that raise have no other effect, so they can be executed twice.
"""

from __future__ import annotations

import random

HEAD = """\
import contextlib
def double(x):
    return 2 * x + 1
def count(n):
    for i in range(n):
        yield i * i
xs = [3, 1, 4, 1, 5, 9, 2, 6]
ys = (2, 7, 1, 8)
pairs = [(1, 2), (3, 4), (5, 6)]
arr = np.arange(5)
ws = {4: 1, 0: 7, 2: 5}
vs = {k * 9 % 31 for k in range(12)}
g = 1
h = 2
"""


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0
        self.counters = 0
        self.names: list[str] = []
        self.in_function = False
        self.in_generator = False
        self.size = 0

    def program(self) -> str:
        """The source text."""
        self.lines = HEAD.splitlines()
        for number in range(self.dice.randint(1, 3)):
            self.function(number)
        self.names = ["a", "b", "c", "g", "h"]
        self.in_function = self.in_generator = False
        self.put(0, "a, b, c = 1, 2, 3")
        self.put(0, "try:")
        self.size = 25
        self.loop(1, 0)
        self.block(1, 0, 3)
        self.put(0, "except Exception as e:")
        self.put(1, "print(type(e).__name__, e)")
        for number in range(len([line for line in self.lines if line.startswith("def f")])):
            self.put(0, "try:")
            self.put(1, f"print(show(f{number}(1, {self.dice.randint(0, 9)})))")
            self.put(0, "except ZeroDivisionError as e:")
            self.put(1, "print(type(e).__name__, e)")
        self.put(0, "print(xs, g, h)")
        return "\n".join(self.lines) + "\n"

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)
        self.size -= 1

    def function(self, number: int) -> None:
        """A function, of some kind."""
        dice = self.dice
        kind = dice.choice(["plain", "plain", "global", "closure", "generator", "method"])
        self.names = ["a", "b", "c", "p", "q"]
        self.in_function, self.in_generator = True, kind == "generator"
        self.size = 40
        self.put(0, f"def f{number}(p, q):")
        depth = 1
        if kind == "global":
            self.put(1, "global g, h")
            self.names += ["g", "h"]
        if kind == "method":
            self.put(1, "class C:")
            self.put(2, "def m(self, p, q):")
            depth = 3
        self.put(depth, "a = b = 0")
        if dice.random() < 0.7:
            self.put(depth, "c = p + q")
        if kind == "closure":
            self.put(depth, "def inner():")
            self.put(depth + 1, "nonlocal a")
            self.put(depth + 1, "a = a + 1")
            self.put(depth + 1, "return a + b")
        self.loop(depth, 0)
        self.block(depth, 0, 3)
        if kind == "closure":
            self.put(depth, "c = inner()")
        self.put(depth, "return a, b, c, p, q")
        if kind == "method":
            self.put(1, "return C().m(p, q)")

    # --- expressions ------------------------------------------------------------------------------

    def name(self) -> str:
        return self.dice.choice(self.names)

    def expression(self, depth: int = 0) -> str:
        dice = self.dice
        kind = dice.random()
        if depth > 2 or kind < 0.3:
            return self.name()
        if kind < 0.5:
            return str(dice.randint(0, 7))
        if kind < 0.85:
            sign = dice.choice(["+", "-", "*", "+", "-"])
            return f"({self.expression(depth + 1)} {sign} {self.expression(depth + 1)}) % 97"
        if kind < 0.9:
            return f"{self.expression(depth + 1)} {dice.choice(['//', '%'])} ({self.name()} % 5)"
        if kind < 0.95:
            return f"xs[{self.expression(depth + 1)}]"
        return f"double({self.expression(depth + 1)}) % 97"

    def condition(self) -> str:
        sign = self.dice.choice(["<", ">", "==", "!=", "<="])
        return f"{self.expression(1)} {sign} {self.expression(1)}"

    # --- statements -------------------------------------------------------------------------------

    def block(self, depth: int, loops: int, most: int) -> None:
        for _ in range(self.dice.randint(1, most)):
            self.statement(depth, loops)

    def statement(self, depth: int, loops: int) -> None:
        """One statement, or a compound one; `loops` are around it in its function."""
        dice = self.dice
        small = self.size < 0 or depth > 7
        kinds = [self.assign, self.assign, self.simple]
        if not small:
            kinds += [self.branch, self.branch, self.attempt, self.unusual]
            if loops < 3:
                kinds += [self.loop, self.loop]
        if loops:
            kinds += [self.jump]
        dice.choice(kinds)(depth, loops)

    def assign(self, depth: int, loops: int) -> None:
        dice, kind = self.dice, self.dice.random()
        if kind < 0.6:
            self.put(depth, f"{self.name()} = {self.expression()}")
        elif kind < 0.8:
            self.put(depth, f"{self.name()} {dice.choice(['+=', '-='])} {self.expression()}")
        elif kind < 0.9:
            self.put(depth, f"{self.name()}, {self.name()} = {self.name()}, {self.expression()}")
        elif kind < 0.96:
            self.put(depth, f"xs[{self.expression(1)} % 8] = {self.expression(1)}")
        elif kind < 0.98:
            self.put(depth, f"ws[{self.expression(1)} % 5] = {self.expression(1)}")
        else:
            method = dice.choice(["add", "discard"])
            self.put(depth, f"vs.{method}({self.expression(1)} % 40)")

    def simple(self, depth: int, loops: int) -> None:
        kind = self.dice.random()
        if kind < 0.5:
            self.put(depth, f"print({self.name()}, {self.name()})")
        elif kind < 0.6 and "p" in self.names:
            self.put(depth, "del p")
        elif kind < 0.7:
            self.put(depth, f"{self.name()} = [{self.name()} + t for t in ys][1]")
        elif kind < 0.75:
            self.put(depth, f"{self.name()} = (lambda u: u + {self.name()})(2)")
        elif kind < 0.85 and self.in_generator:
            self.put(depth, f"yield {self.name()}")
        elif kind < 0.9:
            self.put(depth, f"if ({self.name()} := {self.expression(1)}) > 3: pass")
        else:
            self.put(depth, f"assert {self.condition()}, {self.name()}")

    def jump(self, depth: int, loops: int) -> None:
        kinds = ["break", "continue", "break", "continue"]
        if self.in_function:
            kinds += [f"return {self.name()}"]
        kinds += [f"raise ValueError({self.name()})"] if self.dice.random() < 0.3 else []
        self.put(depth, f"if {self.condition()}:")
        self.put(depth + 1, self.dice.choice(kinds))

    def branch(self, depth: int, loops: int) -> None:
        self.put(depth, f"if {self.condition()}:")
        self.block(depth + 1, loops, 3)
        if self.dice.random() < 0.3:
            self.put(depth, f"elif {self.condition()}:")
            self.block(depth + 1, loops, 2)
        if self.dice.random() < 0.5:
            self.put(depth, "else:")
            self.block(depth + 1, loops, 2)

    def attempt(self, depth: int, loops: int) -> None:
        dice = self.dice
        self.put(depth, "try:")
        self.block(depth + 1, loops, 3)
        kind = dice.random()
        if kind < 0.8:
            caught = dice.choice(["ZeroDivisionError", "Exception", "(ValueError, IndexError)"])
            name = dice.choice(["", " as e", " as c"])
            self.put(depth, f"except {caught}{name}:")
            self.block(depth + 1, loops, 2)
            if dice.random() < 0.3:
                self.put(depth, "else:")
                self.block(depth + 1, loops, 2)
        if kind > 0.6:
            self.put(depth, "finally:")
            self.put(depth + 1, f"print('finally', {self.name()} % 7)")

    def unusual(self, depth: int, loops: int) -> None:
        dice, kind = self.dice, self.dice.random()
        if kind < 0.4:
            caught = dice.choice(["ZeroDivisionError", "Exception"])
            self.put(depth, f"with contextlib.suppress({caught}):")
            self.block(depth + 1, loops, 3)
        elif kind < 0.6:
            self.put(depth, f"match {self.name()} % 4:")
            self.put(depth + 1, "case 0 | 1:")
            self.block(depth + 2, loops, 2)
            self.put(depth + 1, f"case {dice.choice(['_', 'c', 'b'])}:")
            self.block(depth + 2, loops, 2)
        elif kind < 0.8:
            self.put(depth, "def local(u):")
            self.put(depth + 1, f"return u + {self.name()}")
            self.put(depth, f"{self.name()} = local({self.name()}) % 97")
        else:
            self.put(depth, f"b = tuple(u for u in ys if u != {self.name()}).__len__()")

    def loop(self, depth: int, loops: int) -> None:
        """A loop statement, with or without `else`."""
        if self.dice.random() < 0.7:
            self.put(depth, f"for {self.header(loops)}:")
        else:
            self.counters += 1
            counter = f"w{self.counters}"
            self.put(depth, f"{counter} = {self.dice.randint(0, 6)}")
            more = self.dice.choice(["", "", f" and {self.condition()}"])
            self.put(depth, f"while {counter} > 0{more}:")
            self.put(depth + 1, f"{counter} -= 1")
        self.block(depth + 1, loops + 1, 4)
        if self.dice.random() < 0.3:
            self.put(depth, "else:")
            self.block(depth + 1, loops, 2)

    def header(self, loops: int) -> str:
        dice = self.dice
        name = dice.choice(["i", "j", "k", "a", "b"])
        for new in (name, "j"):
            if new not in self.names and dice.random() < 0.5:
                self.names.append(new)
        sources = [
            f"{name} in range({dice.randint(0, 6)})",
            f"{name} in range({self.expression(1)} % 6)",
            f"{name} in range({dice.randint(3, 7)}, {dice.randint(-3, 2)}, -{dice.randint(1, 3)})",
            f"{name} in range({self.expression(2)} % 4, 9, 2)",
            f"{name} in xs[:{dice.randint(0, 6)}]",
            f"{name} in ys",
            f"{name} in arr.tolist()",
            f"{name} in count({dice.randint(0, 5)})",
            f"{name}, j in enumerate(ys)",
            f"{name}, j in enumerate(xs, {dice.randint(0, 5)})",
            f"{name}, j in zip(xs, range({dice.randint(0, 7)}))",
            f"{name}, j in pairs",
            f"{name}, (j, a) in enumerate(pairs)",
            f"{name}, j in zip(ys, iter(xs))",
            f"{name} in {dice.choice(['vs', 'vs', 'ws', 'ws.keys()', 'ws.values()'])}",
            f"{name}, j in {dice.choice(['ws.items()', 'enumerate(vs)', 'zip(ws, ys)'])}",
            f"xs[{dice.randint(0, 7)}] in range({dice.randint(0, 4)})",
            f"{name} in {self.name()}" if dice.random() < 0.1 else f"{name} in {{1: 2, 3: 4}}",
            f"{name}, *j in pairs" if dice.random() < 0.2 else f"{name} in xs",
        ]
        return dice.choice(sources)
