"""Which Rust file imports which, read from the sources.

A path counts wherever it stands: in a `use`, in code, in a macro. Paths through re-exports (`pub
use` in a `mod.rs` or `lib.rs`) lead to the file that defines the name. Tests inside the sources are
left out, as is the crate's root, which may import everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

Module = tuple[str, ...]

_COMMENT_OR_LITERAL = re.compile(
    r'/\*.*?\*/|//[^\n]*|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?\'(?:\\[^u\n]|\\u\{[^}]*\}|[^\'\\\n])\'',
    re.DOTALL,
)
_USE = re.compile(r"^[ \t]*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.MULTILINE)
_TOKEN = re.compile(r"\s*(::|[{},*]|\bas\b|\w+)")
_PATH = re.compile(r"(?<![\w:])((?:crate|super|self)(?:::\w+)+|[a-z_]\w*(?:::\w+)+)")


def leaves(tree: str) -> Iterator[tuple[Module, str]]:
    """The paths of a `use` tree, each with the name that it binds."""
    tokens = [*(m.group(1) for m in _TOKEN.finditer(tree)), ","]
    prefixes: list[Module] = [()]
    path: list[str] = []
    for i, token in enumerate(tokens):
        if token == "{":
            prefixes.append((*prefixes[-1], *path))
            path = []
        elif token in ("}", ","):
            if path:
                name = path[-1]
                if "as" in path:
                    path, name = path[: path.index("as")], path[-1]
                if path[-1] == "self":
                    path = path[:-1]
                    name = name if name != "self" else (*prefixes[-1], *path)[-1]
                yield (*prefixes[-1], *path), name
            path = []
            if token == "}" and i + 1 < len(tokens):
                prefixes.pop()
        elif token != "::":
            path.append(token)


def rust_code(text: str) -> str:
    """Rust source with comments blanked and literals emptied, so that braces and words are code."""
    return _COMMENT_OR_LITERAL.sub(lambda m: "\n" * m.group().count("\n"), text)


class Crate:
    """The modules of one crate, and the edges between their files."""

    def __init__(self, src: Path) -> None:
        self.src = src
        self.files: dict[Module, Path] = {}
        for path in sorted(src.rglob("*.rs")):
            parts = path.relative_to(src).with_suffix("").parts
            self.files[() if parts == ("lib",) else parts[: len(parts) - (parts[-1] == "mod")]] = (
                path
            )
        self.code = {module: self._code(path) for module, path in self.files.items()}
        self.exports = {module: self._exports(module) for module in self.files}
        self.edges = {module: set(self._imports(module)) for module in self.files if module}

    @staticmethod
    def _code(path: Path) -> str:
        """The source without comments, literals and its closing `mod tests`."""
        text = rust_code(path.read_text(encoding="utf-8"))
        return re.split(r"^#\[cfg\(test\)\]\nmod ", text, maxsplit=1, flags=re.MULTILINE)[0]

    def _absolute(self, path: Module, here: Module) -> Module | None:
        """A path from the crate's root; none for what another crate defines."""
        if path[0] == "crate":
            return path[1:]
        if path[0] in ("self", "super"):
            base = here
            while path and path[0] in ("self", "super"):
                base = base[:-1] if path[0] == "super" else base
                path = path[1:]
            return base + path
        return here + path if (*here, path[0]) in self.files else None

    def _exports(self, module: Module) -> dict[str, Module]:
        """The names that a module hands on, by the paths they come from."""
        found = {}
        for visibility, tree in _USE.findall(self.code[module]):
            if visibility:
                for path, name in leaves(tree):
                    absolute = self._absolute(path, module)
                    if absolute is not None:
                        found[name] = absolute
        return found

    def _file_of(self, path: Module) -> Module:
        """The module whose file defines a path."""
        for _ in range(8):  # re-exports of re-exports end
            length = max(k for k in range(len(path) + 1) if path[:k] in self.files)
            name = path[length] if length < len(path) else None
            onward = self.exports[path[:length]].get(name) if name else None
            if onward is None or onward == path[: length + 1]:
                return path[:length]
            path = onward + path[length + 1 :]
        return path[:length]

    def _imports(self, module: Module) -> Iterator[Module]:
        code = self.code[module]
        paths = [path for _, tree in _USE.findall(code) for path, _ in leaves(tree)]
        paths += [tuple(m.group(1).split("::")) for m in _PATH.finditer(_USE.sub("", code))]
        is_door = self.files[module].name == "mod.rs"
        for path in paths:
            absolute = self._absolute(path, module)
            if absolute is None:
                continue
            target = self._file_of(absolute)
            # What a folder's `mod.rs` hands on from inside is no import of it.
            if target and target != module and not (is_door and target[: len(module)] == module):
                yield target


@cache
def crate(name: str) -> Crate:
    """One of the workspace's crates, read once."""
    return Crate(ROOT / name / "src")


def circles(edges: dict[Module, set[Module]]) -> list[list[Module]]:
    """The strongly connected components of more than one module (Tarjan's algorithm)."""
    index: dict[Module, int] = {}
    low: dict[Module, int] = {}
    stack: list[Module] = []
    found: list[list[Module]] = []

    def visit(module: Module) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for target in edges.get(module, ()):
            if target not in index:
                visit(target)
                low[module] = min(low[module], low[target])
            elif target in stack:
                low[module] = min(low[module], index[target])
        if low[module] == index[module]:
            at = stack.index(module)
            component, stack[at:] = stack[at:], []
            if len(component) > 1:
                found.append(sorted(component))

    for module in edges:
        if module not in index:
            visit(module)
    return found


def names(modules: Iterable[Module]) -> str:
    """Modules as people write them."""
    return ", ".join("::".join(module) for module in modules)
