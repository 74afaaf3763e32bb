"""Control flow of scalar IR: the order of blocks, loops among them, and which registers are live.

Text that is written from the source of a program has loops with one entry, their heads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from fastnp._loops.text import Block


class ControlFlow:
    """What of the blocks of a function is known, from `begin` to `end`. Blocks of `exits` lead
    nowhere.
    """

    def __init__(
        self, blocks: Mapping[str, Block], begin: str, end: str, exits: Collection[str]
    ) -> None:
        self.blocks, self.end, self.exits = blocks, end, exits
        # The blocks, each after those that lead to it but from the ends of loops.
        self.order: list[Block] = []
        # The blocks of loops, by head, which is among them.
        self.loops: dict[str, set[str]] = {}
        self._leading: dict[str, list[str]] = {}
        self._visit(begin)
        self.order.reverse()

    def following(self, label: str) -> list[str]:
        """The blocks that a block leads to."""
        if label == self.end or label in self.exits:
            return []
        return labels_of(self.blocks[label].lines[-1])

    def _visit(self, begin: str) -> None:
        state: dict[str, bool] = {}  # Whether all after it is in the order.
        backwards: list[tuple[str, str]] = []

        def visit(label: str) -> None:
            state[label] = False
            for following in self.following(label):
                self._leading.setdefault(following, []).append(label)
                if state.get(following) is False:
                    backwards.append((label, following))
                elif following not in state:
                    visit(following)
            state[label] = True
            if label not in self.exits:
                self.order.append(self.blocks[label])

        visit(begin)
        for last, head in backwards:
            members = self.loops.setdefault(head, {head})
            waiting = [last]
            while waiting:
                label = waiting.pop()
                if label not in members:
                    members.add(label)
                    waiting += self._leading.get(label, [])

    def assigned(self, labels: Collection[str]) -> set[str]:
        """The registers that blocks assign."""
        return {name for label in labels for line in self.lines(label) for name in assigned(line)}

    def lines(self, label: str) -> list[str]:
        return self.blocks[label].lines

    def live(self, results: Collection[str]) -> dict[str, set[str]]:
        """By block: the registers that are read, there or later, before they are assigned. The
        last block is followed by a read of `results`.
        """
        before: dict[str, set[str]] = {block.label: set() for block in self.order}
        changed = True
        while changed:
            changed = False
            for block in reversed(self.order):
                label = block.label
                found = set(results) if label == self.end else set()
                for following in self.following(label):
                    found |= before.get(following, set())
                for line in reversed(block.lines):
                    found -= set(assigned(line))
                    found |= set(read(line))
                if found != before[label]:
                    before[label], changed = found, True
        return before


def assigned(line: str) -> list[str]:
    """The registers that an instruction assigns."""
    targets, found, _ = line.partition(" = ")
    return operands_of(targets) if found else []


def read(line: str) -> list[str]:
    """The registers that an instruction reads, and words that are none."""
    _, found, rest = line.partition(" = ")
    name, _, operands = (rest if found else line).partition(" ")
    if name in ("iconst", "fconst", "get", "jump"):
        return []
    if name in ("br", "brcold"):
        return operands_of(operands)[:1]
    if name == "call":
        operands = operands.partition("(")[2].removesuffix(")")
    return operands_of(operands)


def labels_of(line: str) -> list[str]:
    """The labels that a terminator names."""
    name, _, rest = line.partition(" ")
    if name == "jump":
        return [rest]
    return operands_of(rest)[1:] if name in ("br", "brcold") else []


def operands_of(text: str) -> list[str]:
    return text.split(", ") if text else []
