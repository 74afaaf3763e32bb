"""The architecture that a machine can check: folders import each other in one direction.

The order of the folders stands in a table at the head of each crate's `lib.rs`, and of each
`mod.rs` whose folder has folders: from the ground up, each row importing rows above it only. This
test reads those tables.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest

from tests.rust_imports import Crate, Module, circles, crate, names

CRATES = ("codegen", "core", "pybind")
MAX_CIRCLE = 3


def ladder(crate: Crate, module: Module) -> list[str]:
    """The rows of the table of folders at the head of a module's file."""
    rows: list[str] = []
    within = False
    for line in crate.files[module].read_text(encoding="utf-8").splitlines():
        if not line.startswith("//!"):
            break
        cells = line.removeprefix("//!").strip()
        if cells.startswith("| folder |"):
            within = True
        elif within and cells.startswith("|") and not cells.startswith("|---"):
            rows += re.findall(r"`(\w+)`", cells.split("|")[1])
        elif within and not cells.startswith("|"):
            break
    return rows


def folders_of(crate: Crate) -> list[Module]:
    """The modules that have folders below them, the root first."""
    parents = {
        module[:-1] for module, path in crate.files.items() if module and path.name == "mod.rs"
    }
    return sorted(parents)


@pytest.mark.parametrize("name", CRATES)
def test_folders_import_one_way(name: str) -> None:
    """A folder imports what stands above it in its parent's table, and nothing else."""
    c = crate(name)
    found = []
    for parent in folders_of(c):
        order = ladder(c, parent)
        depth = len(parent)
        rooms = {
            module[depth] for module in c.files if module[:depth] == parent and len(module) > depth
        }
        found += [
            f"{names([(*parent, room)])} is not in the table of its parent"
            for room in sorted(rooms - set(order))
        ]
        found += [
            f"{names([(*parent, room)])} is in a table, but not there"
            for room in sorted(set(order) - rooms)
        ]
        for module, targets in c.edges.items():
            for target in sorted(targets):
                inside = module[:depth] == parent == target[:depth] and len(module) > depth < len(
                    target
                )
                if inside and module[depth] != target[depth]:
                    a, b = module[depth], target[depth]
                    if a in order and b in order and order.index(a) < order.index(b):
                        found.append(
                            f"{names([module])} imports {names([target])}: {a} stands below {b}"
                        )
    assert not found, f"imports against the order of {name}'s folders:\n  " + "\n  ".join(found)


@pytest.mark.parametrize("name", CRATES)
def test_files_import_in_no_large_circle(name: str) -> None:
    """No circle of files leaves a folder, and none inside one has more than three."""
    found = [
        names(circle)
        for circle in circles(crate(name).edges)
        if len(circle) > MAX_CIRCLE or len({module[:-1] for module in circle}) > 1
    ]
    assert not found, f"circles of files in {name}:\n  " + "\n  ".join(found)


@pytest.mark.parametrize("name", CRATES)
def test_a_type_has_its_name_alone(name: str) -> None:
    """One word, one meaning: no two types of a crate have one name."""
    where = defaultdict(list)
    for module, code in crate(name).code.items():
        for word in re.findall(
            r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|union)\s+(\w+)", code, re.M
        ):
            where[word].append(names([module]) or "lib")
    found = [
        f"{word}: {', '.join(places)}" for word, places in sorted(where.items()) if len(places) > 1
    ]
    assert not found, f"types of one name in {name}:\n  " + "\n  ".join(found)


@pytest.mark.parametrize("name", CRATES)
def test_a_tuned_constant_has_its_name_alone(name: str) -> None:
    """A measured number is found by its name, and only it."""
    count: Counter[str] = Counter()
    for code in crate(name).code.values():
        count.update(
            re.findall(
                r"^(?:pub(?:\([^)]*\))?\s+)?const\s+([A-Z][A-Z0-9_]*)\s*:\s*(?:usize|u32|u64|f64)\b",
                code,
                re.M,
            )
        )
    found = [f"{word}: {times} times" for word, times in sorted(count.items()) if times > 1]
    assert not found, f"constants of one name in {name}:\n  " + "\n  ".join(found)
