"""
The report as text: one row for a kernel and a framework, and a summary below.

Leaves the arithmetic to `report`.
"""

from __future__ import annotations

from collections.abc import Sequence

from npbench.measure import Measurement, Outcome
from npbench.report import Summary, ratio, summarise

MEBI = 1 << 20
MISSING = "–"
# Longer messages are cut, so that the last columns stay on the screen; --verbose prints all.
LONGEST_MESSAGE = 60


def render(measurements: Sequence[Measurement]) -> str:
    """The table and the summary lines."""
    if not measurements:
        return "no kernels"
    rows = [header(measurements[0])]
    for measurement in measurements:
        compared = measurement.outcomes[1:] or measurement.outcomes
        rows += [row(measurement, outcome) for outcome in compared]
    lines = align(rows)
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join([*lines, "", *map(summary_line, summarise(measurements))])


def header(measurement: Measurement) -> list[str]:
    """The names of the columns. One framework is named in a heading, several in a column."""
    reference, *others = measurement.outcomes
    name = others[0].label if len(others) == 1 else "its"
    columns = ["kernel"]
    if len(others) > 1:
        columns.append("framework")
    columns.append(f"{reference.label} ms")
    if others:
        columns += [f"{name} ms", "ratio"]
    return [*columns, "first ms", "agreement", "fallbacks", "compiled", "peak MiB", "growth MiB"]


def row(measurement: Measurement, outcome: Outcome) -> list[str]:
    """The cells of one framework on one kernel."""
    reference = measurement.outcomes[0]
    cells = [measurement.kernel]
    if len(measurement.outcomes) > 2:
        cells.append(outcome.label)
    cells.append(milliseconds(reference.median_seconds))
    if outcome is not reference:
        faster = ratio(measurement, outcome)
        cells += [
            milliseconds(outcome.median_seconds),
            MISSING if faster is None else f"{faster:.2f}",
        ]
    fallbacks = None if outcome.fallbacks is None else sum(outcome.fallbacks.values())
    return [
        *cells,
        milliseconds(outcome.first_seconds),
        agreement(measurement, outcome),
        number(fallbacks),
        number(outcome.compiled),
        mebibytes(outcome.peak_bytes),
        mebibytes(outcome.growth_bytes)
        if outcome is reference
        else f"{mebibytes(reference.growth_bytes)} / {mebibytes(outcome.growth_bytes)}",
    ]


def agreement(measurement: Measurement, outcome: Outcome) -> str:
    """The verdict on the outputs, or the error if there are none."""
    if outcome.status != "ok":
        return shorten(f"{outcome.status.upper()}: {outcome.error}")
    if outcome is measurement.outcomes[0]:
        return "reference"
    found = outcome.agreement
    if found is None:
        return "no reference"
    if not found.agrees:
        return shorten(f"DIFFERS {found.max_relative:.0e} ({found.detail})")
    if found.max_relative == 0:
        return "exact"
    return f"{'norm' if found.norm else 'ok'} {found.max_relative:.0e}"


def shorten(message: str) -> str:
    """The first line of a message, or the beginning of it."""
    line = message.partition("\n")[0]
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def summary_line(summary: Summary) -> str:
    """One framework over all kernels, in a sentence."""
    agreeing = f"{summary.agree} of {summary.kernels} agree"
    if summary.geometric_mean is None or summary.smallest is None:
        return f"{summary.label}: nothing to compare; {agreeing}"
    return (
        f"{summary.label}: geometric mean {summary.geometric_mean:.2f}x, "
        f"smallest {summary.smallest:.2f}x ({summary.smallest_kernel}), "
        f"{summary.measured} of {summary.kernels} measured, {agreeing}"
    )


def failures(measurements: Sequence[Measurement]) -> str:
    """Each difference, and the traceback or the end of the output of each failure."""
    lines = []
    for measurement in measurements:
        for outcome in measurement.outcomes:
            heading = f"== {measurement.kernel} under {outcome.label}"
            if outcome.status != "ok":
                lines.append(f"{heading}: {outcome.error}\n{outcome.traceback}")
            elif outcome.agreement is not None and not outcome.agreement.agrees:
                lines.append(f"{heading}: {outcome.agreement.detail}")
    return "\n\n".join(lines)


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width: text on the left, numbers on the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    text = [name in ("kernel", "framework", "agreement") for name in rows[0]]
    return [
        "  ".join(
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(cells, widths, text, strict=True)
        ).rstrip()
        for cells in rows
    ]


def milliseconds(seconds: float | None) -> str:
    """Milliseconds with three decimals below ten, else one."""
    if seconds is None:
        return MISSING
    value = seconds * 1e3
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def mebibytes(size: int | None) -> str:
    """Mebibytes with one decimal below ten, else none."""
    if size is None:
        return MISSING
    value = size / MEBI
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def number(value: int | None) -> str:
    """A count; a dash if the framework does not keep it."""
    return MISSING if value is None else str(value)
