"""The writer of scalar IR: the text that the code generator compiles.

Blocks are written in any order; `block` is the one that instructions go to. Registers are mutable,
each is declared with its type when it is made.

What the ranges of the operands decide is not written: a comparison becomes a constant, and with it
the check that it is for.
"""

from __future__ import annotations

import struct

from fastnp._loops import ranges
from fastnp._loops.ranges import WHOLE, Range


class Block:
    """A basic block: a label, and instructions of which the last is its terminator."""

    __slots__ = ("label", "lines")

    def __init__(self, label: str) -> None:
        self.label = label
        self.lines: list[str] = []


class ScratchUse:
    """Where a statement begins, and the register that says how much scratch memory was in use
    there, if the statement takes any.
    """

    def __init__(self, block: Block, at: int) -> None:
        self.block, self.at = block, at
        self.used: str | None = None


# Lines that are written of a function, those written again included, and that are left: the
# first take 5 µs each here, the others 4 to 20 µs in the code generator, more so the more they are.
MAX_WRITTEN = 24_000
# Of those that are written, so many are left at most.
LEFT = 3 / 4

# Instructions whose results are computed here where they are known, with the second operand that
# leaves the first as it is.
FOLDED: dict[str, int | None] = {
    "add": 0,
    "sub": 0,
    "mul": 1,
    "div": 1,
    "shl": 0,
    "sar": 0,
    "or": 0,
    "xor": 0,
    "and": None,
    "rem": None,
    "neg": None,
    "not": None,
}


# Functions that read no array.
NOT_READING = frozenset(("poll", "scratch"))


class TooLong(Exception):
    """A loop that has too many combinations of types, or too many statements."""


class Text:
    """A function of scalar IR as it is written."""

    def __init__(self) -> None:
        self.types: dict[str, str] = {}
        self.blocks: list[Block] = []
        self.count = self.written = 0
        self.limit = MAX_WRITTEN
        # Instructions of the statement so far that may read memory.
        self.reads = 0
        self.constants: dict[str, str] = {}
        # What is known of integers in registers, and truth values that are constants.
        self.ranges: dict[str, Range] = {}
        self.truths: dict[str, bool] = {}
        # Powers of two that integers in registers are multiples of; strides of axes whose elements
        # lie densely one before another, if there are several.
        self.multiples: dict[str, int] = {}
        self.backwards: set[str] = set()
        # The names under which NumPy warns of operations of its scalars.
        self.reported: dict[str, str] = {}
        self.block = self.start(self.new_block("entry"))

    def mark(self) -> int:
        """Where the text is, to go back to with `rewind`."""
        return len(self.blocks)

    def rewind(self, mark: int, block: Block, lines: int) -> None:
        """Forgets the blocks made since `mark`, and the lines of `block` from a line on."""
        del self.blocks[mark:]
        del block.lines[lines:]
        self.block = block

    def new_block(self, name: str = "b") -> Block:
        """A block without instructions, which is not the current one yet."""
        self.count += 1
        block = Block(f"{name}{self.count}")
        self.blocks.append(block)
        return block

    def start(self, block: Block) -> Block:
        """Makes a block the current one."""
        self.block = block
        return block

    def register(self, kind: str, name: str = "t") -> str:
        """A new register."""
        self.count += 1
        register = f"{name}.{self.count}"
        self.types[register] = kind
        return register

    def named(self, name: str, kind: str) -> str:
        """The register of this name, declared at its first use."""
        self.types[name] = kind
        return name

    def line(self, text: str) -> None:
        self.written += 1
        if self.written > self.limit:
            raise TooLong
        self.block.lines.append(text)

    def op(self, kind: str, name: str, *operands: object) -> str:
        """An instruction with a result, or a register that has it already."""
        found = self.range_of(name, operands) if kind == "i64" else None
        known = self.folded(kind, name, operands, found) if kind in ("i64", "i8") else None
        if known is not None:
            return known
        register = self.register(kind)
        if found is not None:
            self.ranges[register] = found
        self.reads += name.startswith("load.")
        self.line(f"{register} = {name} {', '.join(map(str, operands))}")
        return register

    def range_of(self, name: str, operands: tuple[object, ...]) -> Range | None:
        """What is known of the result of an instruction."""
        if name == "select":
            return ranges.union(*(self.ranges.get(str(operand)) for operand in operands[1:]))
        if name == "b2i":
            return (0, 1)
        if name not in FOLDED:
            return None
        a, *rest = (self.ranges.get(str(operand), WHOLE) for operand in operands)
        return ranges.of_result(name, a, rest[0] if rest else a)

    def folded(
        self, kind: str, name: str, operands: tuple[object, ...], result: Range | None
    ) -> str | None:
        """The register that an instruction would only copy, or a constant; else `None`. `result` is
        what is known of the result.
        """
        if name == "select":
            condition, a, b = map(str, operands)
            truth = self.truths.get(condition)
            return a if truth or a == b else b if truth is False else None
        if kind == "i8":
            return self.folded_truth(name, operands)
        if name not in FOLDED:
            return None
        a, b = str(operands[0]), str(operands[-1])
        if result is not None and result[0] == result[1]:
            return self.integer(result[0])
        if name == "and" and self.ranges.get(b) == (-self.multiples.get(a, 1),) * 2:
            return a
        neutral = FOLDED[name]
        if neutral is not None and len(operands) == 2:
            if self.ranges.get(b) == (neutral, neutral):
                return a
            if name in ("add", "mul") and self.ranges.get(a) == (neutral, neutral):
                return b
        return None

    def folded_truth(self, name: str, operands: tuple[object, ...]) -> str | None:
        """A truth value that is known, or that an instruction would only copy; else `None`."""
        a, b = str(operands[0]), str(operands[-1])
        if name == "icmp.eq" and a == b:
            return self.truth(True)
        if name.startswith("icmp.") and self.types.get(a) == "i64":
            ranges_ = (self.ranges.get(operand, WHOLE) for operand in (a, b))
            found = ranges.decided(name[5:], *ranges_)
            return None if found is None else self.truth(found)
        if name == "not" and a in self.truths:
            return self.truth(not self.truths[a])
        if name in ("and", "or"):
            for known, other in ((a, b), (b, a)):
                if known in self.truths:
                    return other if self.truths[known] == (name == "and") else known
        return None

    def checked(self, name: str, a: str, b: str) -> tuple[str, str]:
        """An integer operation with an overflow flag: the result and the flag."""
        if self.range_of(name[:-1], (a, b)) is not None:
            return self.op("i64", name[:-1], a, b), self.truth(False)
        result, flag = self.register("i64"), self.register("i8")
        self.line(f"{result}, {flag} = {name} {a}, {b}")
        return result, flag

    def call(self, kind: str, name: str, *operands: str) -> str:
        register = self.register(kind)
        self.reads += name not in NOT_READING
        self.line(f"{register} = call {name}({', '.join(operands)})")
        return register

    def constant(self, kind: str, instruction: str) -> str:
        """A register with a constant, which is written once, at the entry."""
        register = self.constants.get(instruction)
        if register is None:
            register = self.constants[instruction] = self.register(kind, "c")
            self.blocks[0].lines.append(f"{register} = {instruction}")
        return register

    def integer(self, value: int) -> str:
        register = self.constant("i64", f"iconst {value}")
        self.ranges[register] = (value, value)
        return register

    def truth(self, value: bool) -> str:
        register = self.constant("i8", f"iconst {int(value)} # truth")
        self.truths[register] = value
        return register

    def float(self, value: float, kind: str = "f64") -> str:
        format_, digits = ("<d", 16) if kind == "f64" else ("<f", 8)
        bits = int.from_bytes(struct.pack(format_, value), "little")
        return self.constant(kind, f"fconst 0x{bits:0{digits}x}")

    def copy(self, target: str, source: str) -> None:
        if target != source:
            self.line(f"{target} = copy {source}")

    def jump(self, block: Block) -> None:
        self.line(f"jump {block.label}")

    def branch(self, condition: str, then: Block, otherwise: Block) -> None:
        self.line(f"br {condition}, {then.label}, {otherwise.label}")

    def unlikely(self, condition: str, then: Block, otherwise: Block) -> None:
        """A branch that is hardly ever taken."""
        self.line(f"brcold {condition}, {then.label}, {otherwise.label}")

    def length(self) -> int:
        """The lines that there are."""
        return sum(len(block.lines) for block in self.blocks)

    def write(self, name: str, frame: int) -> str:
        """The whole text."""
        if self.length() > LEFT * self.limit:
            raise TooLong
        lines = [f"function {name} frame {frame}"]
        lines += [f"reg {register}: {kind}" for register, kind in self.types.items()]
        for block in self.blocks:
            if not block.lines:
                continue
            lines.append(f"block {block.label}:")
            lines += block.lines
        return "\n".join(lines) + "\n"
