"""Which of the definitions that random programs may begin with a program needs."""

from __future__ import annotations

import ast
import functools
import symtable
from collections import defaultdict
from typing import NamedTuple


class Definition(NamedTuple):
    """A statement of a module, the names that it uses, and those that it binds or changes."""

    text: str
    names: frozenset[str]
    binds: frozenset[str]


def needed(setup: str, program: str) -> str:
    """The statements of `setup` that a program's names lead to, in their order."""
    definitions = definitions_of(setup)
    by_name = defaultdict(list)
    for k, definition in enumerate(definitions):
        for name in definition.binds:
            by_name[name].append(k)
    waiting, met, kept = [*global_names(program)], set(), set()
    while waiting:
        name = waiting.pop()
        if name in met:
            continue
        met.add(name)
        for k in by_name[name]:
            kept.add(k)
            waiting += definitions[k].names
    return "".join(definitions[k].text for k in sorted(kept))


@functools.cache
def definitions_of(setup: str) -> list[Definition]:
    """The statements of a module."""
    lines, found = setup.splitlines(True), []
    for statement in ast.parse(setup).body:
        text = "".join(lines[statement.lineno - 1 : statement.end_lineno])
        names = global_names(text)
        binds = names
        if is_binding(statement):
            top = symtable.symtable(text, "program.py", "exec")
            bound = (s for s in top.get_symbols() if s.is_assigned() or s.is_imported())
            binds = frozenset(symbol.get_name() for symbol in bound)
        found.append(Definition(text, names, binds))
    return found


def is_binding(statement: ast.stmt) -> bool:
    """Whether a statement only binds names: others, as `seed(5)`, may change what they name."""
    if isinstance(statement, ast.Assign):
        stored = (node for target in statement.targets for node in ast.walk(target))
        return not any(isinstance(node, ast.Attribute | ast.Subscript) for node in stored)
    kinds = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
    return isinstance(statement, kinds)


def global_names(source: str) -> frozenset[str]:
    """The names of a module's variables that its source names anywhere."""
    found: set[str] = set()
    waiting = [symtable.symtable(source, "program.py", "exec")]
    while waiting:
        table = waiting.pop()
        is_module = table.get_type() == "module"
        found.update(s.get_name() for s in table.get_symbols() if is_module or s.is_global())
        waiting += table.get_children()
    return frozenset(found)
