"""What the random programs of `numeric` do with tuples and lists of arrays."""

from __future__ import annotations

from typing import Protocol

from tests.loops import numeric_turns

STACKS = ("vstack", "column_stack", "dstack", "hstack")


class Writer(Protocol):
    """The part of the writer that is used here."""

    loops: int

    def pick(self, *choices: str) -> str: ...
    def line(self, depth: int, text: str) -> None: ...
    def index(self) -> str: ...
    def number(self, depth: int = 2) -> str: ...
    def condition(self, depth: int = 1) -> str: ...
    def block(self, depth: int, nesting: int) -> None: ...


def array(w: Writer) -> str:
    """An array, or a view of one."""
    i = w.index()
    return w.pick(
        "x", "y", "x", "y", w.pick("q", "h", "r"), f"A[{i}]", f"B[:, {i}]", "f", "u", "x[1:]"
    )  # fmt: skip


def several(w: Writer) -> str:
    """A tuple or a list of arrays."""
    text = f"{array(w)}, {array(w)}{w.pick('', f', {array(w)}')}"
    made = f"({array(w)} * {w.index()}, {array(w)}, {array(w)} + 1)"
    return w.pick(
        f"({text})", f"({text})", f"[{text}]", "(x, y)", "(A[0], x, y)", "fs", "gs", made
    )  # fmt: skip


def bound(w: Writer) -> str:
    """A statement that binds a name to several arrays."""
    i, one, two = w.index(), array(w), array(w)
    return w.pick(
        f"fs = [d * {i} for d in {several(w)}]",
        f"fs = [{one} + 1, {two} {w.pick('* 0.5', '')}]",
        f"fs = {w.pick('pairs(x)', 'pairs(A[1])', '[x, y]', '[*whole(x)]')}",
        f"gs = {w.pick(f'({one}, {two})', f'({one} * 2, {i}, {two})', 'whole(x)', f'[{one}]')}",
    )


def of_several(w: Writer) -> str:
    """A statement with names of several arrays."""
    i, k, name = w.index(), w.pick("0", "1", "-1"), w.pick("fs", "fs", "gs")
    return w.pick(
        bound(w),
        f"{name}[{k}] {w.pick('+', '*')}= {i}",
        f"{name}[{k}][{i}] = {w.number(1)}",
        f"s += {name}[{k}].sum()",
        f"q, h = {name}",
        f"fs = [{w.pick('fs[1], fs[0] * 2', 'fs[1], fs[0]', 'gs[0], fs[0]', 'd + 1 for d in fs')}]",
        f"h = np.stack({name})",
        f"b = len({name})",
        f"{w.pick('q', 'row')} = {name}[{k}]",
        w.pick("if len(fs) < 4: fs.append(x)", "gs = fs", "print(fs)", "fs, gs = gs, fs"),
        "fs[0] = y",
    )  # fmt: skip


def statement(w: Writer) -> str:
    """A statement that unpacks several new arrays."""
    return w.pick(
        f"q, h = {w.pick('pairs(x)', 'pairs(A)', 'whole(A[1])', 'whole(x)')}",
        f"q, h = [d[:{w.index()}] - 1 for d in {w.pick('(x, y)', '(A, x[1:])')}]",
        f"q = np.stack({several(w)}{w.pick('', ', axis=1', ', -1')})",
        f"h = np.{w.pick(*STACKS)}({several(w)})",
    )


def item_statement(w: Writer) -> str:
    """A statement of a loop over several arrays."""
    i, sign = w.index(), w.pick("+", "-", "*")
    return w.pick(
        of_several(w),
        f"r {sign}= {w.pick(i, '0.5', 'g', 'r[::-1]')}",
        f"r[{i}] {w.pick('=', '+=')} {w.number(1)}",
        f"{w.pick('q', 'h', 'r')} = r {sign} {i}",
        f"{w.pick('q', 'h', 'row')} = r",
        f"s += {w.pick('r.sum()', f'r[{i}]', 'r.max()', 'len(r)', 'b')}",
        f"if r[{i}] > {w.number(0)}: s += 1",
    )


def write(w: Writer, depth: int, nesting: int) -> None:
    """A statement with several arrays, or a loop that stores to one."""
    if w.pick("", "", "turns"):
        numeric_turns.write(w, depth)
    elif nesting and w.loops and w.pick("", "loop"):
        loop(w, depth, nesting)
    else:
        w.line(depth, w.pick(statement(w), of_several(w)))


def loop(w: Writer, depth: int, nesting: int) -> None:
    """A loop over several arrays, or over values of several types."""
    i, others = w.index(), several(w)
    items = w.pick(
        f"r in {others}",
        f"r in {others}",
        f"r in {w.pick('pairs(x)', 'whole(A[1])', 'reversed((x, y))', 'reversed([y, A[1]])')}",
        f"r, g in zip({others}, {w.pick(several(w), f'(0.5, {i}, True)')})",
        f"b, r in enumerate({others}{w.pick('', '', f', {i}')})",
        f"b, (r, g) in enumerate(zip({others}, {several(w)}))",
        f"r, b in (({array(w)}, {i}), ({array(w)}, 0.5), ({array(w)}, x[2]))",
        f"r in {w.pick('(L, K)', '(L, x, F)', '(K, [1, 2])')}",
        f"b in {w.pick(f'(1, 0.5, {i}, x[1])', f'(m[1], {i} > 2, u[2], b)')}",
    )  # fmt: skip
    w.line(depth, f"for {items}:")
    if items.startswith(("r in (L", "r in (K")):
        # Lists that are made twice as long in nested loops would fill the memory.
        w.line(depth + 1, "if len(r) > 60: break")
    w.line(depth + 1, "s += b" if items[0] == "b" and "r" not in items else item_statement(w))
    w.block(depth + 1, nesting - 1)
    w.line(depth + 1, f"if {w.condition()}:")
    w.line(depth + 2, w.pick("break", "continue", "s += 1", "print(a, s)", "r = x"))
    w.line(depth + 1, item_statement(w) if "r" in items.partition(" in ")[0] else "s -= b")
    if w.pick("", "", "else"):
        w.line(depth, "else:")
        w.line(depth + 1, w.pick("s += 10", "q = x * 2", "continue", "break"))
