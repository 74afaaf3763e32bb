"""Write random NumPy programs, statement by statement, as source text.

The writer runs each statement under NumPy at once, so that it knows shapes, dtypes and values and
most statements are valid. Some that raise are kept: both modules must raise the same exception.
It leaves running fastnp and comparing to `run`.

Invariant: a program's results do not depend on the order of additions, on the accuracy of functions
or on the sign of a zero from `maximum`. A result that may differ in its last bits is assigned to a
variable that is named in `Program.inexact` and never read again; everything else is compared bit
for bit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from types import CodeType
from typing import Any, TypeVar

import numpy

from tests.fuzz import expressions, positions, updates

DTYPES = ["f8"] * 9 + ["f4"] * 4 + ["i8"] * 4 + ["i4"] * 2 + ["?"] * 2
DTYPES += ["u1", "i1", "i2", "u2", "u4", "u8", "f2", "c8", "c16"]
LENGTHS = [0, 1, 1, 2, 3, 3, 4, 5, 7, 8, 17]
VALUES = ["0", "1", "2", "-1", "-3", "0.5", "-0.5", "7", "-0.0", "1.5", "nan", "inf", "-inf", "100"]
MOST_ELEMENTS = 400
# A statement that may run twice: one assignment of an expression without a target of its own.
REPEATABLE = re.compile(r"v\d+ = (?!.*(out=|:=|\bfor\b|lambda)).*")

T = TypeVar("T")


@dataclass(frozen=True)
class Surroundings:
    """What happens around a program while it runs: a row of `tests.fuzz.surroundings`."""

    name: str = "nothing"
    # More kinds of statements, and what adds the names that they use.
    kinds: Sequence[Callable[[Writer], None]] = ()
    prepare: Callable[[dict[str, Any]], None] = lambda names: None
    # How fastnp runs the program, if not statement by statement, and what holds while programs run.
    outcome: Callable[..., Any] | None = None
    context: Callable[[], AbstractContextManager[Any]] = nullcontext
    # How many of the programs have large arrays.
    large: float = 0.1


NOTHING = Surroundings()


@dataclass
class Program:
    """Statements in order, and the variables that are compared with a tolerance."""

    seed: int
    statements: list[str] = field(default_factory=list)
    inexact: set[str] = field(default_factory=set)
    surroundings: Surroundings = NOTHING

    def script(self, module: str = "fastnp") -> str:
        """A program a person can run to see the failure."""
        head = f"import {module} as np\nfrom math import inf, nan\n\nshow = print\n"
        head += "np.seterr(all='ignore')\n"
        if self.surroundings is not NOTHING:
            head += "from tests.fuzz.surroundings import SURROUNDINGS\n"
            head += f"SURROUNDINGS['{self.surroundings.name}'].prepare(globals())\n"
        return head + "\n".join(self.statements) + "\n"


@lru_cache(maxsize=4096)
def compiled(statement: str) -> CodeType:
    """The code of a statement, used by both sides and the shrinker."""
    return compile(statement, "<program>", "exec")


def names_for(
    module: Any, show: Callable[[Any], None], surroundings: Surroundings
) -> dict[str, Any]:
    """The variables a program starts with."""
    names = {"np": module, "nan": math.nan, "inf": math.inf, "show": show}
    surroundings.prepare(names)
    return names


class Writer:
    """Writes a program, and keeps the state that NumPy has after its statements."""

    def __init__(self, seed: int, surroundings: Surroundings = NOTHING) -> None:
        self.random = Random(seed)
        self.program = Program(seed, surroundings=surroundings)
        self.shown: list[Any] = []
        self.errors: list[str] = []
        self.names = names_for(numpy, lambda x: self.shown.append(numpy.array(x)), surroundings)
        self.arrays: dict[str, numpy.ndarray] = {}
        self.counter = 0
        self.large = self.random.random() < surroundings.large
        # A program without reads never needs a value or NumPy, so many operations are pending.
        self.without_reads = self.random.random() < 0.4

    def write(self) -> Program:
        """The whole program."""
        for _ in range(self.random.randint(2, 3)):
            self.create()
        usual = WITHOUT_READS if self.without_reads else KINDS
        more = self.program.surroundings.kinds
        for _ in range(self.random.randint(6, 40 if self.without_reads else 18)):
            self.pick(more if more and self.chance(0.35) else usual)(self)
        return self.program

    # --- choosing ---------------------------------------------------------------------------

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[int(self.random.random() * len(options))]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def fresh(self) -> str:
        """A name not used before."""
        self.counter += 1
        return f"v{self.counter - 1}"

    def readable(self) -> list[str]:
        """Names of arrays whose values are exact."""
        return [name for name in self.arrays if name not in self.program.inexact]

    def array(self, test: Callable[[numpy.ndarray], bool] = lambda a: True) -> str | None:
        """The name of an exact array for which `test` holds; later ones more often."""
        fitting = [name for name in self.readable() if test(self.arrays[name])]
        if not fitting:
            return None
        return fitting[max(self.random.randrange(len(fitting)) for _ in range(2))]

    # --- running ----------------------------------------------------------------------------

    def value(self, expression: str) -> Any:
        """The value of an expression under NumPy, or None if it raises."""
        try:
            return eval(expression, self.names)
        except Exception:
            return None

    def run(self, statement: str) -> bool:
        """Append a statement and run it; of those that raise, some are dropped."""
        try:
            exec(compiled(statement), self.names)
        except Exception as error:
            is_atomic = "\n" not in statement and "], " not in statement.split(" = ")[0]
            if is_atomic and self.chance(0.75):  # others may have run in part
                return False
            self.errors.append(f"{len(self.program.statements)}: {type(error).__name__}")
            self.program.statements.append(statement)
            return False
        self.program.statements.append(statement)
        return True

    def define(self, expression: str, *, inexact: bool = False) -> None:
        """Bind a new name to an expression."""
        name = self.fresh()
        if not self.run(f"{name} = {expression}"):
            return
        value = self.names[name]
        if expressions.rounds(value):
            inexact = True
        if isinstance(value, numpy.ndarray):
            if value.size > 150 * MOST_ELEMENTS:
                self.run(f"del {name}")
                return
            self.arrays[name] = value
        if inexact:
            self.program.inexact.add(name)

    # --- statements -------------------------------------------------------------------------

    def create(self) -> None:
        """A new array of any dtype and 0 to 4 dimensions."""
        dtype = self.pick(DTYPES)
        shape = self.shape()
        size = math.prod(shape)
        way = self.random.random()
        if way < 0.35 and size <= 40:
            unsigned = dtype[0] in "u?"
            usable = [
                v
                for v in VALUES
                if dtype[0] in "fc" or not (set(v) & set("n.") or (unsigned and "-" in v))
            ]
            values = ", ".join(self.pick(usable) for _ in range(size))
            self.define(f"np.array([{values}], dtype='{dtype}').reshape({shape})")
        elif way < 0.5:
            maker = self.pick(["np.zeros(", "np.ones("])
            order = self.pick(["", "", ", order='F'"])
            self.define(f"{maker}{shape}, dtype='{dtype}'{order})")
        elif way < 0.6:
            self.define(f"np.full({shape}, {self.pick(['1', '2', '3'])}, dtype='{dtype}')")
        else:
            low = 0 if dtype[0] in "u?" else 6
            half = " / 2" if dtype[0] in "fc" and self.chance(0.5) else ""
            cast = f".astype('{dtype}')"
            self.define(f"((np.arange({size}) * 7 % 13 - {low}){half}){cast}.reshape({shape})")

    def shape(self) -> tuple[int, ...]:
        """Extents, zero and one among them, with a bound on the size."""
        if self.large:
            large = [(5000,), (70, 64), (4, 1200), (1, 3000), (9, 17, 20), (20000,), (120, 160)]
            return self.pick(large)
        shape = tuple(self.pick(LENGTHS) for _ in range(self.pick([0, 1, 1, 1, 2, 2, 2, 3, 3, 4])))
        if 0 in shape and self.chance(0.6):
            shape = tuple(length or 2 for length in shape)
        while math.prod(shape) > MOST_ELEMENTS:
            shape = shape[1:]
        return shape

    def like(self) -> None:
        """A new array of the shape of another one, so that their shapes fit in expressions."""
        name = self.array()
        if name:
            shape = self.arrays[name].shape
            dtype = self.pick(DTYPES)
            self.define(
                f"((np.arange({math.prod(shape)}) * 5 % 11).astype('{dtype}')).reshape({shape})"
            )

    def view(self) -> None:
        """A view, or a copy where NumPy makes one."""
        name = self.array()
        if name:
            self.define(expressions.view(self, name))

    def alias(self) -> None:
        """A second name for the same array."""
        name = self.array()
        if name:
            self.define(self.pick([name, f"np.asarray({name})"]))

    def copy(self) -> None:
        """A copy, which must not share memory."""
        name = self.array()
        if name:
            ways = ["{}.copy()", "np.array({})", "{}.flatten()", "{} + 0", "np.copy({}, order='C')"]
            self.define(self.pick(ways).format(name))

    def compute(self) -> None:
        """Elementwise work on operands that broadcast."""
        name = self.array()
        if name:
            self.define(
                expressions.elementwise(self, self.arrays[name].shape, self.pick([1, 2, 3]))
            )

    def function(self) -> None:
        """A transcendental function, either rounded to integers or marked as inexact."""
        name = self.array(lambda a: a.dtype.kind in "fi" and a.dtype.itemsize >= 4)
        if not name:
            return
        functions = ["sin", "cos", "exp", "log", "tanh", "arctan", "exp2", "log1p", "expm1", "cbrt"]
        call = f"np.{self.pick(functions)}({name})"
        array = self.arrays[name]
        small = bool((numpy.abs(array[numpy.isfinite(array)].astype(float)) < 3).all())
        if small and self.chance(0.5):
            self.define(f"np.rint({call} * 3 + 0.2)")
        else:
            self.define(call, inexact=True)

    def reduce(self) -> None:
        """A reduction over some axes; later statements read it only if it is exact."""
        name = self.array()
        if name:
            expression, exact = expressions.reduction(self, name)
            self.define(expression, inexact=not exact)

    def scan(self) -> None:
        """A running sum, product or maximum."""
        name = self.array(lambda a: a.ndim > 0)
        if name:
            expression, exact = expressions.scan(self, name)
            self.define(expression, inexact=not exact)

    def cast(self) -> None:
        """Another dtype, where C defines the result."""
        name, dtype = self.array(), self.pick(DTYPES)
        if name and expressions.castable(self.arrays[name], dtype):
            self.define(f"{name}.astype('{dtype}')")

    def gather(self) -> None:
        """A read through integers or a mask."""
        name = self.array(lambda a: a.ndim > 0)
        if name:
            index = expressions.fancy(self, name)
            form = self.pick(["{n}[{i}]", "{n}[{i}]", "{n}[{i}] * 2 + 1", "{n}[{i}].T"])
            self.define(form.format(n=name, i=index))

    def masked_sum(self) -> None:
        """A masked selection and its reduction in one expression."""
        name = self.array(lambda a: a.ndim > 0)
        if name:
            mask = expressions.mask(self, name)
            chosen = self.value(f"{name}[{mask}]")
            if chosen is not None:
                exact = expressions.summable(chosen)
                method = self.pick(["sum()", "mean()", "any()", "all()", "size"])
                if method == "mean()" and not expressions.meanable(chosen):
                    method = "sum()"
                self.define(f"{name}[{mask}].{method}", inexact=not exact)

    def write_slice(self) -> None:
        """Assign to part of an array, with a cast if the types differ."""
        name = self.array(lambda a: a.flags.writeable)
        if name:
            target = f"{name}[{expressions.basic(self, self.arrays[name].shape)}]"
            self.assign(target, self.pick(["=", "=", "=", "+=", "-=", "*="]))

    def write_whole(self) -> None:
        """Work in place on a whole array."""
        name = self.array(lambda a: a.flags.writeable)
        if name:
            operators = ["+=", "-=", "*=", "/=", "//=", "%=", "|=", "&=", "<<=", ">>="]
            self.assign(name, self.pick(operators))
            # In-place work on a scalar rebinds the name, so its array is looked up again.
            self.arrays[name] = self.names[name]

    def write_masked(self) -> None:
        """Assign through a mask: a value, or work on the same selection."""
        name = self.array(lambda a: a.flags.writeable and a.ndim > 0)
        if not name:
            return
        mask = expressions.mask(self, name)
        held = self.fresh()
        # NumPy reads the mask while it assigns, so a mask in the same memory is copied.
        own = self.value(mask)
        if isinstance(own, numpy.ndarray) and numpy.may_share_memory(own, self.arrays[name]):
            mask = f"({mask}).copy()"
        self.run(f"{held} = {mask}")
        shape = self.arrays[name].shape
        other = self.array(lambda a: a.shape == shape) or name
        dtype = self.arrays[name].dtype.str[1:].replace("b1", "?")
        scalar = self.pick(["0", "1", "2"])
        right = self.pick(
            [
                scalar,
                f"{name}[{held}] * 2 + {other}[{held}]",
                f"{other}[{held}]",
                f"{name}[{held}] + {scalar}",
                f"np.maximum({name}[{held}], {other}[{held}]) + 0",
            ]
        )
        value = self.value(right)
        if value is not None and expressions.castable(numpy.asarray(value), dtype):
            self.run(f"{name}[{held}] {self.pick(['=', '=', '+=', '*='])} {right}")

    def write_gathered(self) -> None:
        """Assign through integers, repeated ones included."""
        name = self.array(lambda a: a.flags.writeable and a.ndim > 0)
        if name:
            index = expressions.integers(self, self.arrays[name].shape[0])
            right = self.pick(["1", "2", "0"])
            form = self.pick(["{n}[{i}] = {r}", "{n}[{i}] += {r}", "np.add.at({n}, {i}, {r})"])
            self.run(form.format(n=name, i=index, r=right))

    def write_overlapping(self) -> None:
        """Neighbours along an axis, read and written through shifted views of one array."""
        name = self.array(lambda a: a.flags.writeable and a.ndim > 0 and max(a.shape) > 3)
        if not name:
            return
        shape = self.arrays[name].shape
        axis = shape.index(max(shape))
        before = ":, " * axis
        a, b, c = (f"{name}[{before}{part}]" for part in ("1:-1", "2:", ":-2"))
        step = f"{name}[{before}i"
        forms = [
            f"{a} = {b} + {c}",
            f"{a} += {b}",
            f"{c} = {a}",
            f"{b} = {a}",
            f"{a} = {b} - {a} * 2",
            f"{b} += {c}",
            f"{name}[{before}::-1] = {name}",
            f"np.add({b}, {c}, out={a})",
            f"{c}, {b} = {b}, {c}",
            f"for i in range(2):\n    {step} + 1] = {step}] + {step} + 1]",
            f"for i in range(2):\n    {step}:i + 2] += {step} + 1:i + 3]",
        ]
        self.run(self.pick(forms))

    def write_out(self) -> None:
        """A ufunc into an array or a part of one."""
        name = self.array(lambda a: a.flags.writeable)
        if name:
            target = name
            if self.chance(0.5):
                target = f"{name}[{expressions.basic(self, self.arrays[name].shape)}]"
            value = self.value(target)
            if isinstance(value, numpy.ndarray):
                left, right = (expressions.operand(self, value.shape) for _ in range(2))
                ufunc = self.pick(["add", "multiply", "subtract", "bitwise_xor"])
                self.run(f"np.{ufunc}({left}, {right}, out={target})")

    def write_method(self) -> None:
        """fill, copyto, putmask, flat, real."""
        name = self.array(lambda a: a.flags.writeable and a.ndim > 0)
        if name:
            forms = [f"{name}.fill({self.pick(['0', '1', '3'])})", f"np.copyto({name}, 2)"]
            forms += [f"np.copyto({name}, 1, where={expressions.mask(self, name)})"]
            forms += [f"np.putmask({name}, {expressions.mask(self, name)}, 1)"]
            forms += [f"{name}.flat[0] = 1", f"{name}.real[...] = 2", f"{name}[...] = 1"]
            if self.arrays[name].dtype.kind in "iu":
                forms.append(f"{name}.sort()")
            self.run(self.pick(forms))

    def assign(self, target: str, operator: str) -> None:
        """`target operator expression` with an expression that fits, if casting it is defined."""
        destination = self.value(target)
        if not isinstance(destination, (numpy.ndarray, numpy.generic)):
            return
        right = expressions.elementwise(self, destination.shape, self.pick([0, 0, 1, 2]), fit=True)
        value = self.value(right)
        dtype = destination.dtype.str[1:].replace("b1", "?")
        if value is None or not expressions.castable(numpy.asarray(value), dtype):
            return
        if operator == "=" and expressions.misordered(destination, value):
            return
        if destination.dtype.kind == "c" or numpy.asarray(value).dtype.kind == "c":
            after = f"{target} {operator[:-1]} ({right})" if operator != "=" else right
            if expressions.rounds(self.value(after)):
                return
        self.run(f"{target} {operator} {right}")

    def show(self) -> None:
        """Show an array, which evaluates it."""
        name = self.array()
        if name:
            self.run(f"show({name})")

    def number(self) -> None:
        """Convert an element to a Python number, and use it in an expression."""
        name = self.array(lambda a: a.size > 0)
        if name:
            kind = "complex" if self.arrays[name].dtype.kind == "c" else "float"
            self.define(f"{name} * 1 + {kind}({name}.flat[0])")

    def carry(self) -> None:
        """A value carried around a loop, and a name rebound under a condition."""
        name = self.array(lambda a: a.ndim > 0 and a.shape[0] > 3)
        if not name:
            return
        held, forms = self.fresh(), []
        forms.append("{h} = {n}[:2] * 1\nfor i in range(3):\n    {h} = {h} + {n}[i:i + 2]")
        forms.append("{h} = {n}[:2]\nfor i in range(3):\n    {h} = {n}[i:i + 2] - {h}")
        forms.append("{h} = {n}[1:]\nif bool(({n}[0] == {n}[1]).any()):\n    {h} = {n}[::-1]")
        forms.append("{h} = {n}\nfor i in range(2):\n    {h} = np.where({h} > 1, {n}, {h} * 2)")
        forms.append("{h} = {n}.copy()\nfor i in range(3):\n    {h}[i] = {n}[i + 1]")
        if self.run(self.pick(forms).format(h=held, n=name)):
            self.arrays[held] = self.names[held]
        else:
            self.run(f"{held} = 0")  # the loop may have stopped early

    def delete(self) -> None:
        """Delete a name; views of its array remain."""
        if len(self.arrays) > 3:
            name = self.pick(list(self.arrays))
            if self.run(f"del {name}"):
                del self.arrays[name]

    def rebind(self) -> None:
        """Swap two names."""
        a, b = self.array(), self.array()
        if a and b and self.run(f"{a}, {b} = {b}, {a}"):
            self.arrays[a], self.arrays[b] = self.names[a], self.names[b]

    def join(self) -> None:
        """Concatenate, stack, repeat, roll."""
        name = self.array(lambda a: a.ndim > 0)
        if name:
            forms = ["np.concatenate([{}, {}])", "np.stack([{}, {}])", "np.roll({}, 2)"]
            forms += ["np.repeat({}, 2, axis=0)", "np.roll({}, 1, axis=-1)", "np.tile({}, 2)"]
            forms += ["np.where({} > 0, {}, 0)", "np.append({}, {})"]
            self.define(self.pick(forms).replace("{}", name))

    def product(self) -> None:
        """A matrix product."""
        name = self.array(lambda a: 0 < a.ndim < 3)
        if not name:
            return
        last = self.arrays[name].shape[-1]
        fitting = self.array(lambda a: a.ndim > 0 and a.shape[0 if a.ndim == 1 else -2] == last)
        pair = (name, fitting) if fitting else (name, f"{name}.T")
        factors = [self.value(p) for p in pair]
        exact = expressions.multipliable(*factors)
        if exact or not expressions.cancels(*factors):
            self.define(f"{pair[0]} @ {pair[1]}", inexact=not exact)


_W = Writer
KINDS: Sequence[Callable[[Writer], None]] = (
    [_W.create, _W.like, _W.alias, _W.copy, _W.function, _W.cast, _W.masked_sum, _W.show, _W.number]
    + [_W.delete, _W.rebind, _W.join, _W.product, _W.write_method, _W.scan, _W.like]
    + [_W.carry, _W.carry]
    + [_W.view, _W.compute] * 5
    + [_W.write_slice, _W.write_overlapping, _W.write_whole] * 3
    + [_W.reduce, _W.write_masked, _W.gather, _W.write_gathered, _W.write_out] * 2
    + [updates.selection, updates.shifted, updates.buffers, updates.into, updates.stale] * 2
    + [positions.read, positions.write, positions.function] * 2
)
WITHOUT_READS: Sequence[Callable[[Writer], None]] = (
    [_W.create, _W.like, _W.alias, _W.copy, _W.cast, _W.delete, _W.rebind, _W.scan, _W.product]
    + [_W.view, _W.compute] * 5
    + [_W.write_slice, _W.write_overlapping, _W.write_whole, _W.write_masked, _W.write_out] * 2
    + [_W.reduce, _W.delete, _W.carry, _W.masked_sum]
    + [updates.selection, updates.shifted, updates.buffers, updates.into, updates.stale] * 2
    + [positions.read, positions.write, positions.function] * 2
)
