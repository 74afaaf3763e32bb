"""Which of the definitions that random programs may begin with a program needs."""

from __future__ import annotations

import ast
import builtins
import functools
import re
import symtable
from typing import NamedTuple

ATTRIBUTE = re.compile(r"\.[A-Za-z_]\w*")


class Definition(NamedTuple):
    """A statement of a module, or a method of a class; the names that it uses, and those that it
    binds or changes. Names of attributes begin with a dot.
    """

    text: str
    names: frozenset[str]
    binds: frozenset[str]
    # The number of a method's class.
    owner: int | None


def needed(setup: str, program: str) -> str:
    """The statements of `setup` that a program's names lead to, in their order."""
    definitions = definitions_of(setup)
    names, kept = set(names_of(program)), set[int]()
    is_over = False
    while not is_over:
        is_over = True
        for k, definition in enumerate(definitions):
            if k in kept or names.isdisjoint(definition.binds):
                continue
            if definition.owner is None or definition.owner in kept:
                kept.add(k)
                names |= definition.names
                is_over = False
    return "".join(definitions[k].text for k in sorted(kept))


@functools.cache
def definitions_of(setup: str) -> list[Definition]:
    """The statements of a module, with methods that have no special names apart from their classes,
    at whose ends they stand.
    """
    lines = setup.splitlines(True)

    def text_of(statement: ast.stmt) -> str:
        decorators = getattr(statement, "decorator_list", [])
        first = min(node.lineno for node in (statement, *decorators))
        return "".join(lines[first - 1 : statement.end_lineno])

    found: list[Definition] = []
    for statement in ast.parse(setup).body:
        text, methods = text_of(statement), list[ast.FunctionDef]()
        if isinstance(statement, ast.ClassDef):
            functions = (node for node in statement.body if isinstance(node, ast.FunctionDef))
            methods = [node for node in functions if not node.name.startswith("__")]
        for method in methods:
            text = text.replace(text_of(method), "")
        names = names_of(text)
        binds = bound(text) if is_binding(statement) else names
        owner = len(found)
        found.append(Definition(text, names, binds, None))
        for method in methods:
            text = text_of(method)
            names = names_of(f"class method:\n{text}") - {"method"}
            found.append(Definition(text, names, frozenset([f".{method.name}"]), owner))
    return found


def is_binding(statement: ast.stmt) -> bool:
    """Whether a statement only binds names: others, as `seed(5)`, may change what they name."""
    if isinstance(statement, ast.Assign):
        stored = (node for target in statement.targets for node in ast.walk(target))
        return not any(isinstance(node, ast.Attribute | ast.Subscript) for node in stored)
    kinds = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
    return isinstance(statement, kinds)


def bound(source: str) -> frozenset[str]:
    """The variables of a module that its statements bind."""
    symbols = symtable.symtable(source, "program.py", "exec").get_symbols()
    return frozenset(s.get_name() for s in symbols if s.is_assigned() or s.is_imported())


def names_of(source: str) -> frozenset[str]:
    """The names of a module's variables that its source names anywhere, and those of attributes."""
    found = set(ATTRIBUTE.findall(source))
    waiting = [symtable.symtable(source, "program.py", "exec")]
    while waiting:
        table = waiting.pop()
        is_module = table.get_type() == "module"
        found.update(s.get_name() for s in table.get_symbols() if is_module or s.is_global())
        waiting += table.get_children()
    return frozenset(found - vars(builtins).keys())
