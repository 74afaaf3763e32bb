"""Calls that are statements: `list.append(x)`, `list.sort()` and the like, and functions of the
user's.
"""

from __future__ import annotations

import ast

from fastnp._loops import (
    default_items,
    dictionaries,
    list_methods,
    lists,
    priority_queues,
    set_operations,
    sorting,
    tables,
    undo,
)
from fastnp._loops.assignments import heap_of, immediate
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.expressions import expression, single
from fastnp._loops.types import InstanceType, ListType, ReferenceType, Value

REASON = "a call whose result is not used"


def call(e: Emitter, node: ast.Call) -> None:
    """A call whose result is not used."""
    if (pushed := heap_of(e, node, "heappush", 2)) is not None:
        priority_queues.push(e, *pushed)
        return
    if (popped := heap_of(e, node, "heappop", 1)) is not None:
        _, effect = priority_queues.pop(e, *popped)
        effect()
        return
    if isinstance(node.func, ast.Name):
        e.settle(single(e, node))
        return
    if not isinstance(node.func, ast.Attribute):
        raise Unsupported(REASON)
    of = node.func.value
    if node.func.attr in ("append", "add"):
        default_items.expect_made(e, of, node.args, expression)
    if (made := default_items.with_default(e, of, expression)) is not None:
        of = made
    if default_items.with_default(e, node, expression) is not None:
        return
    owner = undo.kept(e, of, expression(e, of), node.args)
    dictionaries.expect_table(e, owner)
    if tables.is_table(owner):
        if node.func.attr in set_operations.CHANGING and len(node.args) == 1 and not node.keywords:
            name = set_operations.CHANGING[node.func.attr]
            set_operations.changed(e, name, owner, expression(e, node.args[0]))
        else:
            tables.effect(e, node, owner, expression)
        return
    if isinstance(owner, Value) and isinstance(owner.type, InstanceType | ReferenceType):
        e.settle(single(e, node))
        return
    if node.keywords or not isinstance(owner, Value) or not isinstance(owner.type, ListType):
        raise Unsupported(REASON)
    if node.func.attr == "append" and len(node.args) == 1:
        lists.append(e, owner, expression(e, node.args[0]))
    elif node.func.attr == "extend" and len(node.args) == 1:
        lists.extend(e, owner, expression(e, immediate(e, node.args[0])))
    elif node.func.attr == "sort" and not node.args and not e.calls:
        sorting.sort_list(e, owner)
    elif list_methods.is_pop(node.func.attr, node):
        _, effect = list_methods.popped(e, owner, node, expression)
        effect()
    elif not list_methods.call(e, owner, node, expression):
        raise Unsupported(f"the method `{node.func.attr}`")


def delete(e: Emitter, targets: list[ast.expr]) -> None:
    """`del table[key]`, `del array[index]`."""
    for target in targets:
        if not isinstance(target, ast.Subscript):
            raise Unsupported("a name that is deleted")
        table = single(e, target.value)
        dictionaries.expect_table(e, table)
        if lists.is_list(table) and not isinstance(target.slice, ast.Slice):
            list_methods.delete(e, table, expression(e, target.slice))
            continue
        if not tables.is_table(table) or tables.table_type(table).value is None:
            raise Unsupported("an item that is deleted")
        _, effect = tables.remove(e, table, expression(e, target.slice), True)
        effect()
