"""
The command line: `python -m npbench --frameworks numpy,fastnp --preset S`.

Reads the options, measures one kernel after another with a line of progress each on standard
error, and prints the report. Exit status: 0 where everything ran and agreed, 1 where something
failed or differed, 2 for invalid options. Leaves measuring to `measure`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from npbench import catalog, forms, heatmap, machine, page, plot, report, table, upstream
from npbench.kernel import Kernel, KernelError
from npbench.measure import Framework, Measurement, Settings, measure


def parser() -> argparse.ArgumentParser:
    """The parser of the options."""
    options = argparse.ArgumentParser(prog="python -m npbench", description="Time NPBench.")
    add = options.add_argument
    add(
        "--frameworks",
        default="numpy,fastnp",
        help="modules to bind to np, the reference first; name=module gives one another name; "
        "numba compiles loops of its own (left out where it is not installed)",
    )
    add("--preset", default="S", help="test (ours only), S, M, L or paper (default: S)")
    add("--kernels", help="some kernels only, separated by commas")
    add("--suite", type=Path, help="a checkout of NPBench whose *_numpy.py to run instead of ours")
    add("--repeat", type=positive, help="timed calls a framework (default: as the budget allows)")
    add("--budget", type=float, default=4.0, help="seconds for a kernel (default: 4)")
    add("--timeout", type=float, default=600.0, help="seconds for a step of a worker (600)")
    add("--json", type=Path, help="write everything that was measured to this file")
    add("--plot", type=Path, help="draw the speed-ups to this file (.svg, or .png)")
    add("--heatmap", type=Path, help="draw kernels by frameworks, first calls too (.svg)")
    add("--html", type=Path, help="write a page with the heat map and a table to sort (.html)")
    add("--list", action="store_true", help="name the kernels and stop")
    add("--verbose", action="store_true", help="show the traceback of everything that failed")
    return options


def positive(text: str) -> int:
    """A positive integer."""
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def frameworks_of(text: str) -> list[Framework]:
    """`numpy,new=fastnp` as frameworks; KernelError where two share a name."""
    found = []
    for item in text.split(","):
        label, _, module = item.strip().partition("=")
        found.append(Framework(label, module or label))
    for framework in list(found):
        if forms.has_forms(framework.module) and not forms.is_installed(framework.module):
            print(f"npbench: {framework.module} is not installed; left out", file=sys.stderr)
            found.remove(framework)
    if not found:
        raise KernelError(f"--frameworks {text}: none is installed")
    if len({framework.label for framework in found}) < len(found) or not all(
        framework.module for framework in found
    ):
        raise KernelError(f"--frameworks {text}: each framework needs a different name")
    return found


def kernels_of(names: str | None, suite: Path | None, preset: str) -> list[Kernel]:
    """The kernels asked for; KernelError where one is unknown or lacks the preset."""
    if suite is None:
        chosen = names.split(",") if names else catalog.names()
        kernels = [catalog.find(name.strip()) for name in chosen]
    else:
        chosen = names.split(",") if names else upstream.names(suite)
        kernels = [upstream.find(name.strip(), suite) for name in chosen]
    for kernel in kernels:
        kernel.sizes(preset)
    return kernels


def measure_all(
    kernels: Sequence[Kernel], frameworks: Sequence[Framework], settings: Settings
) -> list[Measurement]:
    """Measure every kernel, and report the progress on standard error."""
    is_terminal = sys.stderr.isatty()
    erase = "\r\033[K" if is_terminal else ""
    measurements = []
    for index, kernel in enumerate(kernels, start=1):
        progress = f"[{index}/{len(kernels)}] {kernel.name}"
        if is_terminal:
            print(f"{erase}{progress} …", end="", file=sys.stderr, flush=True)
        measurement = measure(kernel, frameworks, settings)
        measurements.append(measurement)
        verdict = "ok" if report.all_agree([measurement]) else "FAILED"
        if not is_terminal or verdict != "ok":
            print(f"{erase}{progress}: {verdict}", file=sys.stderr)
    print(erase, end="", file=sys.stderr, flush=True)
    return measurements


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = parser().parse_args(arguments)
    suite = None if options.suite is None else options.suite.resolve()
    try:
        if options.list:
            print("\n".join(catalog.names() if suite is None else upstream.names(suite)))
            return 0
        frameworks = frameworks_of(options.frameworks)
        kernels = kernels_of(options.kernels, suite, options.preset)
        for framework in frameworks:
            if suite is not None and forms.has_forms(framework.module):
                raise KernelError(f"--suite: {framework.module} has forms of our kernels only")
        for path, kind in drawings(options):
            kind.check(path)
            if len(frameworks) < 2:
                raise plot.PlotError(f"{path.name}: a drawing of ratios needs a second framework")
    except (KernelError, plot.PlotError) as error:
        print(f"npbench: {error}", file=sys.stderr)
        return 2
    settings = Settings(options.preset, suite, options.repeat, options.budget, options.timeout)
    measurements = measure_all(kernels, frameworks, settings)
    print(table.render(measurements))
    if options.verbose:
        print(f"\n{table.failures(measurements)}", file=sys.stderr)
    return write_files(options, measurements)


def drawings(options: argparse.Namespace) -> list[tuple[Path, ModuleType]]:
    """The files to draw, each with the module that draws it."""
    asked = [(options.plot, plot), (options.heatmap, heatmap), (options.html, page)]
    return [(path, kind) for path, kind in asked if path is not None]


def write_files(options: argparse.Namespace, measurements: Sequence[Measurement]) -> int:
    """Write the JSON and the drawings that were asked for; return the exit status."""
    described = machine.describe()
    if options.json is not None:
        settings = {
            "frameworks": options.frameworks,
            "preset": options.preset,
            "suite": options.suite is not None,
            "repeat": options.repeat,
            "budget_seconds": options.budget,
            "timeout_seconds": options.timeout,
        }
        content = report.document(measurements, described, settings)
        text = json.dumps(content, indent=1, allow_nan=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    for path, kind in drawings(options):
        kind.write(path, measurements, described)
    return 0 if report.all_agree(measurements) else 1


if __name__ == "__main__":
    sys.exit(main())
