"""The figures of a device on a page: what stands between two comments of it is replaced."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benches.rivals import EXPRESSIONS, show

BEGIN, END = "<!-- measured -->", "<!-- end of measured -->"
TABLES = {
    "programs at the paper's size": "The twenty programs over vectors as large as DelayRepay's",
    "ocean": "Ocean models: the equation of state and isoneutral mixing, by the size of the grid",
    "composed": "Normalisations and narrow products, by rows and columns",
}


def write(path: Path, found: dict[str, Any], source: Path) -> None:
    """Replaces the figures on a page by those of a run, of which `source` has all."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} has no lines {BEGIN!r} and {END!r}: add them where figures go")
    link = Path(os.path.relpath(source, path.parent)).as_posix()
    section = "\n\n".join(paragraphs(found, link))
    path.write_text(f"{before}{begin}\n{section}\n{end}{after}", encoding="utf-8")


def paragraphs(found: dict[str, Any], link: str) -> Iterator[str]:
    """The paragraphs and tables of the section; of parts that were not run there is nothing."""
    machine = found["machine"]
    yield (
        f"Measured on {found['device']}, with {machine['cpu']} ({machine['usable_cores']} cores). "
        f"[All figures]({link})."
    )
    yield from _agreement(found)
    yield from _overview(found)
    for part, title in TABLES.items():
        if found.get(part, {}).get("cells"):
            yield _table(title, found[part]["cells"])
    if "pairs" in found.get("pairs", {}):
        yield _pairs(found["pairs"]["pairs"])
    for part, title in (("launches", "A small fused kernel"), ("first calls", "A first call")):
        times = found.get(part, {})
        if times and "failed" not in times:
            each = ", ".join(f"{name}: {show(seconds)}" for name, seconds in times.items())
            yield f"{title}: {each}."


def _agreement(found: dict[str, Any]) -> Iterator[str]:
    """What was compared with the portable backend and NumPy, and everything that failed."""
    counts = [
        f"{part}: {found[part]['compared']:,} compared, {len(found[part]['failed'])} failed"
        for part in ("agreement", "random programs", "libraries")
        if part in found
    ]
    if counts:
        yield "; ".join(counts) + "."
    parts = [part for part in found.values() if isinstance(part, dict)]
    failed = [reason for part in parts for reason in part.get("failed", ())]
    if failed:
        yield "\n".join(f"- {reason}" for reason in failed)


def _overview(found: dict[str, Any]) -> Iterator[str]:
    """Speed-ups over each module, as geometric means: programs by size, and NPBench."""
    columns: dict[str, dict[str, float]] = {}
    for part in ("programs", "programs at the paper's size"):
        ratios: dict[tuple[str, str], list[float]] = {}
        for key, one in found.get(part, {}).get("cells", {}).items():
            name, dtype, n = key.split(", ")[-3:]
            if name in EXPRESSIONS and EXPRESSIONS[name].program:
                for module, ratio in _ratios(one).items():
                    ratios.setdefault((f"{dtype}, {int(n):,}", module), []).append(ratio)
        for (column, module), values in ratios.items():
            columns.setdefault(column, {})[module] = statistics.geometric_mean(values)
    for part in ("npbench S", "npbench L"):
        if over := found.get(part, {}).get("over"):
            columns["NPBench, preset " + part[-1]] = over
    modules = _modules(columns.values())
    if modules:
        head = ["over", *columns]
        rows = [[m, *(_ratio(column.get(m)) for column in columns.values())] for m in modules]
        yield f"Speed-ups, geometric means over the programs or kernels:\n\n{_lines(head, rows)}"


def _table(title: str, cells: dict[str, Any]) -> str:
    modules = _modules(_ratios(one) for one in cells.values())
    head = [title, "fastnp", *(f"over {module}" for module in modules), "of a copy's bandwidth"]
    rows = []
    for name, one in cells.items():
        ratios = _ratios(one)
        over = (_ratio(ratios.get(module)) for module in modules)
        share = f"{one['share']:.0%}" if one["share"] else "-"
        rows.append([name, show(one["seconds"]["fastnp"]), *over, share])
    return _lines(head, rows)


def _pairs(found: dict[str, dict[str, float]]) -> str:
    names = {"apart": "apart", "packed": "in one launch", "queued": "queued", "woven": "woven"}
    head = ["Pairs of independent kernels", *names.values()]
    rows = [
        [pair, *(show(times[name]) if name in times else "-" for name in names)]
        for pair, times in found.items()
    ]
    return _lines(head, rows)


def _ratios(one: dict[str, Any]) -> dict[str, float]:
    """The time of each other module over fastnp's."""
    times = one["seconds"]
    return {m: t / times["fastnp"] for m, t in times.items() if m != "fastnp"}


def _modules(ratios: Iterable[dict[str, float]]) -> list[str]:
    """The modules in any of them, in order."""
    return list(dict.fromkeys(module for one in ratios for module in one))


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _lines(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
