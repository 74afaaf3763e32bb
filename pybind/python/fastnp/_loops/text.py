"""The writer of scalar IR: the text that the code generator compiles.

Blocks are written in any order; `block` is the one that instructions go to. Registers are mutable,
each is declared with its type when it is made.
"""

from __future__ import annotations

import struct


class Block:
    """A basic block: a label, and instructions of which the last is its terminator."""

    __slots__ = ("label", "lines")

    def __init__(self, label: str) -> None:
        self.label = label
        self.lines: list[str] = []


# Lines that are written of a function, those written again included, and that are left: the
# first take 5 µs each here, the others 4 to 20 µs in the code generator, more so the more they are.
MAX_WRITTEN = 8_000
MAX_LINES = 3_000


class TooLong(Exception):
    """A loop that has too many combinations of types, or too many statements."""


class Text:
    """A function of scalar IR as it is written."""

    def __init__(self) -> None:
        self.types: dict[str, str] = {}
        self.blocks: list[Block] = []
        self.count = self.written = 0
        self.constants: dict[str, str] = {}
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
        if self.written > MAX_WRITTEN:
            raise TooLong
        self.block.lines.append(text)

    def op(self, kind: str, name: str, *operands: object) -> str:
        """An instruction with a result."""
        register = self.register(kind)
        self.line(f"{register} = {name} {', '.join(map(str, operands))}")
        return register

    def checked(self, name: str, a: str, b: str) -> tuple[str, str]:
        """An integer operation with an overflow flag: the result and the flag."""
        result, flag = self.register("i64"), self.register("i8")
        self.line(f"{result}, {flag} = {name} {a}, {b}")
        return result, flag

    def call(self, kind: str, name: str, *operands: str) -> str:
        register = self.register(kind)
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
        return self.constant("i64", f"iconst {value}")

    def truth(self, value: bool) -> str:
        return self.constant("i8", f"iconst {int(value)} # truth")

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

    def write(self, name: str, frame: int) -> str:
        """The whole text."""
        if sum(len(block.lines) for block in self.blocks) > MAX_LINES:
            raise TooLong
        lines = [f"function {name} frame {frame}"]
        lines += [f"reg {register}: {kind}" for register, kind in self.types.items()]
        for block in self.blocks:
            if not block.lines:
                continue
            lines.append(f"block {block.label}:")
            lines += block.lines
        return "\n".join(lines) + "\n"
