"""
Kernels of a checkout of NPBench (github.com/spcl/npbench), read in place.

`bench_info/*.json` names the files, the presets and the arguments; the function to time is in
`*_numpy.py` and the initialiser beside it. The checkout is never imported as a package, so that it
may share its name with ours. Leaves our own kernels to `catalog`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy

from npbench.binding import run_source
from npbench.kernel import Kernel, KernelError


def names(suite: Path) -> list[str]:
    """The benchmarks that `suite` describes and has a NumPy program for, sorted."""
    folder = suite / "bench_info"
    if not folder.is_dir():
        raise KernelError(f"{suite} has no folder bench_info: it is not a checkout of NPBench")
    described = sorted(folder.glob("*.json"))
    return [path.stem for path in described if program(suite, read_info(path)).is_file()]


def find(name: str, suite: Path) -> Kernel:
    """The benchmark whose description is `bench_info/<name>.json`."""
    path = suite / "bench_info" / f"{name}.json"
    if not path.is_file():
        raise KernelError(f"there is no benchmark {name!r} in {suite / 'bench_info'}")
    info = read_info(path)
    return Kernel(
        name=name,
        source=program(suite, info),
        function=info["func_name"],
        presets=info["parameters"],
        arguments=tuple(info["input_args"]),
        mutates=tuple(info.get("output_args", ())),
        setup=setup_from(program(suite, info, ""), info.get("init")),
        norm_tolerances=dict.fromkeys(info["parameters"], info["norm_error"])
        if "norm_error" in info
        else {},
    )


def read_info(path: Path) -> dict[str, Any]:
    """The description of a benchmark."""
    info: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["benchmark"]
    return info


def program(suite: Path, info: Mapping[str, Any], postfix: str = "_numpy") -> Path:
    """The file of a benchmark that ends in `postfix`."""
    folder = suite / "npbench" / "benchmarks" / str(info["relative_path"])
    return folder / f"{info['module_name']}{postfix}.py"


def setup_from(path: Path, init: Mapping[str, Any] | None) -> Callable[[Mapping[str, Any]], Any]:
    """Call the initialiser described by `init`, whose results are named there in order."""
    if not init:
        return lambda sizes: {}

    def setup(sizes: Mapping[str, Any]) -> dict[str, Any]:
        initialize = run_source(path, numpy)[init["func_name"]]
        result = initialize(*(sizes[name] for name in init["input_args"]))
        outputs = init["output_args"]
        return dict(zip(outputs, [result] if len(outputs) == 1 else result, strict=True))

    return setup
