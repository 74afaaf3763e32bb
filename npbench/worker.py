"""
The process that runs one kernel under one framework, as the runner requests.

`python -m npbench.worker FD SPEC`: SPEC is a JSON object (`kernel`, `suite`, `framework`,
`preset`). Requests are JSON lines on standard input, and replies go to file descriptor FD, so that
the kernel may print to standard output. Between requests the process sleeps and uses no core.

Requests: `prepare`, `call` (one timed call, whose outputs may be saved), `calls` (several).
Leaves the choice of requests, and the comparison of outputs, to `measure`.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy

from npbench import binding, catalog, forms, introspection, memory, outputs, upstream
from npbench.kernel import Kernel

Reply = dict[str, Any]


class Worker:
    """The kernel, its framework and its unmodified inputs."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.spec = spec

    def prepare(self) -> Reply:
        """Import the framework, bind the kernel to it, make the inputs."""
        start = time.perf_counter()
        module, installed, _ = self.spec["framework"].partition(forms.INSTALLED)
        imported = importlib.import_module(module)
        import_seconds = time.perf_counter() - start
        self.kernel = find_kernel(self.spec["kernel"], self.spec["suite"])
        self.framework = imported
        if forms.has_forms(module):
            self.framework = importlib.import_module(forms.ARRAYS[module])
            self.kernel = forms.form_of(self.kernel, module)
        self.pristine = self.kernel.inputs(self.spec["preset"])
        make = binding.compiled
        if installed:
            make = importlib.import_module("fastnp._loops.install").program_code
        self.function = self.kernel.bind(self.framework, make)
        arrays = [v for v in self.pristine.values() if isinstance(v, numpy.ndarray)]
        return {
            "import_seconds": import_seconds,
            "version": str(getattr(imported, "__version__", "unknown")),
            "input_bytes": sum(array.nbytes for array in arrays),
        }

    def call(self, save: str | None) -> Reply:
        """One call; where `save` names a folder its outputs are written there."""
        arguments = self.fresh_arguments()
        memory.reset_peak()
        before = memory.current_bytes()
        fallbacks = introspection.fallbacks(self.framework)
        compiled = introspection.compiled(self.framework)
        seconds, result = self.timed(arguments)
        # Read before saving, since conversion of outputs to NumPy arrays may take memory.
        peak = memory.peak_bytes()
        reply = {
            "seconds": seconds,
            "peak_bytes": peak,
            "growth_bytes": max(0, peak - before),
            "fallbacks": introspection.since(introspection.fallbacks(self.framework), fallbacks),
            "compiled": less(introspection.compiled(self.framework), compiled),
        }
        if save is not None:
            found = outputs.flatten(result)
            found |= {name: arguments[name] for name in self.kernel.mutates}
            outputs.save(
                Path(save),
                self.fetched(found),
                outputs.written(self.fetched(arguments), self.pristine),
            )
        return reply

    def fetched(self, values: dict[str, Any]) -> dict[str, Any]:
        """`values` with arrays of the framework as NumPy's."""
        return {
            name: introspection.fetch(self.framework, value) if outputs.is_array(value) else value
            for name, value in values.items()
        }

    def calls(self, count: int) -> Reply:
        """The seconds of `count` calls, each on fresh inputs."""
        # Garbage of other turns is collected first, so that these calls do not pay for it.
        # Collection stays on, since it is part of a program's time.
        gc.collect()
        return {"seconds": [self.timed(self.fresh_arguments())[0] for _ in range(count)]}

    def fresh_arguments(self) -> dict[str, Any]:
        """The inputs as arrays of the framework, copied and in memory; scalars as they are."""
        # Copied once more by the framework: on a device, if it computes there, as an array that is
        # made of one of NumPy's may stay in the memory of the host until a kernel reads it.
        arguments = {
            name: self.framework.array(value).copy() if isinstance(value, numpy.ndarray) else value
            for name, value in self.pristine.items()
        }
        copies = [value for value in arguments.values() if outputs.is_array(value)]
        introspection.evaluate(self.framework, copies)
        return arguments

    def timed(self, arguments: dict[str, Any]) -> tuple[float, Any]:
        """Call the kernel until every declared output is in memory: the seconds, the result."""
        values = tuple(arguments.values())
        mutated = [arguments[name] for name in self.kernel.mutates]
        start = time.perf_counter()
        result = self.function(*values)
        pending = [*outputs.flatten(result).values(), *mutated]
        introspection.evaluate(self.framework, filter(outputs.is_array, pending))
        return time.perf_counter() - start, result


def find_kernel(name: str, suite: str | None) -> Kernel:
    """A kernel of the checkout `suite`, or one of ours where there is none."""
    return catalog.find(name) if suite is None else upstream.find(name, Path(suite))


def less(after: int | None, before: int | None) -> int | None:
    """The increase of a count; None if the framework does not keep it."""
    return None if after is None else after - (before or 0)


def reply_to(worker: Worker, request: dict[str, Any]) -> Reply:
    """Carry out a request; an exception becomes part of the reply."""
    try:
        action = request.pop("do")
        reply: Reply = getattr(worker, action)(**request)
        return reply
    except Exception as error:
        last = traceback.format_exception_only(error)[-1].strip()
        return {"error": last, "traceback": traceback.format_exc()}


def main() -> None:
    """Reply to requests until standard input ends."""
    descriptor, spec = int(sys.argv[1]), json.loads(sys.argv[2])
    worker = Worker(spec)
    with os.fdopen(descriptor, "w", encoding="utf-8") as replies:
        for line in sys.stdin:
            print(json.dumps(reply_to(worker, json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
