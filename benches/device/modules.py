"""How each library runs a function of NumPy on the device, as its users would, synchronised."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import fastnp
import numpy

from benches.rivals import Call

# The function, of the module that takes NumPy's place.
Make = Callable[[Any], Callable[..., Any]]
# What makes a call of a function and its arguments, which are on the device.
Prepare = Callable[[Make, Sequence[Any]], Call]


class Module(NamedTuple):
    """A package, how an array gets to the device, and how a function runs there."""

    package: str
    upload: Callable[[Any], Any]
    prepare: Prepare


def with_numpy(make: Make, arguments: Sequence[Any]) -> Call:
    """NumPy, on the host."""
    function = make(numpy)
    return lambda: function(*arguments)


def with_fastnp(make: Make, arguments: Sequence[Any]) -> Call:
    """fastnp on the current device."""
    return _synchronised(make(fastnp), arguments, fastnp.synchronize)


def _synchronised(
    function: Callable[..., Any], arguments: Sequence[Any], synchronize: Callable[[], Any]
) -> Call:
    """A call that waits for the device."""

    def call() -> Any:
        result = function(*arguments)
        synchronize()
        return result

    return call


def with_cupy(make: Make, arguments: Sequence[Any]) -> Call:
    """CuPy, without fusion."""
    return _cupy(make(importlib.import_module("cupy")), arguments)


def with_cupy_fuse(make: Make, arguments: Sequence[Any]) -> Call:
    """CuPy with the whole function fused into one kernel, if it supports that."""
    cupy = importlib.import_module("cupy")
    return _cupy(cupy.fuse()(make(cupy)), arguments)


def _cupy(function: Callable[..., Any], arguments: Sequence[Any]) -> Call:
    stream = importlib.import_module("cupy").cuda.get_current_stream()
    return _synchronised(function, arguments, stream.synchronize)


def with_jax(make: Make, arguments: Sequence[Any]) -> Call:
    """JAX's `jit`, in the precision of the arguments."""
    jax = importlib.import_module("jax")
    function = jax.jit(make(jax.numpy))
    return lambda: jax.block_until_ready(function(*arguments))


def with_torch(make: Make, arguments: Sequence[Any]) -> Call:
    """`torch.compile` of the NumPy program, by `torch._numpy`."""
    torch = importlib.import_module("torch")
    # Else it stops compiling after some programs, as it takes them for one with other arguments.
    torch._dynamo.reset()
    function = torch.compile(make(importlib.import_module("torch._numpy")))
    return _synchronised(function, arguments, torch.cuda.synchronize)


def _to_cupy(array: Any) -> Any:
    return importlib.import_module("cupy").asarray(array)


def _to_jax(array: Any) -> Any:
    # It would take three quarters of the device's memory, which all libraries share here.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(array)


def _to_torch(array: Any) -> Any:
    torch = importlib.import_module("torch")
    return importlib.import_module("torch._numpy").asarray(torch.from_numpy(array).cuda())


MODULES = {
    "numpy": Module("numpy", lambda array: array, with_numpy),
    "fastnp": Module("fastnp", fastnp.array, with_fastnp),
    "cupy": Module("cupy", _to_cupy, with_cupy),
    "cupy.fuse": Module("cupy", _to_cupy, with_cupy_fuse),
    "jax": Module("jax", _to_jax, with_jax),
    "torch.compile": Module("torch", _to_torch, with_torch),
}


def installed() -> list[str]:
    """The modules that are installed."""
    return [name for name, module in MODULES.items() if importlib.util.find_spec(module.package)]


class Uploaded:
    """The arguments of a call on the device, a copy for each package."""

    def __init__(self, arguments: Sequence[Any]) -> None:
        self.arguments = arguments
        self.copies: dict[str, tuple[Any, ...]] = {}

    def call(self, name: str, make: Make) -> tuple[Call, Any] | None:
        """A call that works, with its first result; None if the module does not take the function.

        NumPy and fastnp have to.
        """
        module = MODULES[name]
        try:
            if module.package not in self.copies:
                self.copies[module.package] = _mapped(module.upload, self.arguments)
            call = module.prepare(make, self.copies[module.package])
            return call, call()
        except Exception as refusal:
            if name in ("numpy", "fastnp"):
                raise
            print(f"{name} does not take it: {str(refusal).strip()[:70]}", file=sys.stderr)
            return None


def _mapped(upload: Callable[[Any], Any], arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments, and those in tuples."""
    return tuple(
        _mapped(upload, value) if isinstance(value, tuple) else upload(value) for value in arguments
    )
