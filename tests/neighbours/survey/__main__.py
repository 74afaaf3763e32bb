"""The command line: `python -m tests.neighbours.survey [LIBRARY …] [--all] [--json FILE]`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from tests.neighbours.survey.known import checked, known
from tests.neighbours.survey.survey import (
    ABSENT,
    BROKEN,
    CRASHED,
    DIFFERS,
    REFUSED,
    SAME,
    Result,
    libraries,
    survey,
)

OUTCOMES = (SAME, DIFFERS, REFUSED, CRASHED, BROKEN, ABSENT)
ROW = "{:<14} {:<14} {:>8} {:>6} {:>8} {:>8} {:>8} {:>7} {:>7}"


def show(result: Result, everything: bool) -> None:
    """Print a library's row, and the first program of each outcome, or all but the same."""
    if result.absent:
        print(f"{result.library:<14} not installed: {result.absent}", flush=True)
        return
    counts = [result.count(outcome) for outcome in OUTCOMES]
    print(
        ROW.format(result.library, result.version[:14], len(result.findings), *counts), flush=True
    )
    shown = set()
    for finding in result.findings:
        if finding.outcome != SAME and (everything or finding.outcome not in shown):
            shown.add(finding.outcome)
            message = " ".join(finding.message.split())[:300]
            print(f"    {finding.outcome} {finding.program}: {message}")


def _wrong(result: Result, programs: list[str]) -> list[str]:
    """What known.txt and a library's findings disagree on, about the programs asked for."""
    listed = known().get(result.library, {})
    return checked(result, {k: v for k, v in listed.items() if not programs or k in programs})


def main() -> None:
    """Run what is asked for, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.neighbours.survey", description=__doc__)
    parser.add_argument("libraries", nargs="*", help="files of programs, or FILE.PROGRAM (all)")
    parser.add_argument("--all", action="store_true", help="show every program that differs")
    parser.add_argument("--known", action="store_true", help="fail where known.txt disagrees")
    parser.add_argument("--json", type=Path, help="write every finding to this file")
    options = parser.parse_args()
    wanted: dict[str, list[str]] = {}
    for name in options.libraries or libraries():
        library, _, program = name.partition(".")
        wanted.setdefault(library, []).extend([program] if program else [])
    print(ROW.format("library", "version", "programs", *OUTCOMES))
    results = []
    for library, programs in wanted.items():
        results.append(survey(library, programs))
        show(results[-1], options.all)
    total = [sum(result.count(outcome) for result in results) for outcome in OUTCOMES]
    print(ROW.format("all", "", sum(total), *total))
    if options.json:
        content = [dataclasses.asdict(result) for result in results]
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if options.known:
        wrong = [text for r in results if not r.absent for text in _wrong(r, wanted[r.library])]
        print("\n".join(wrong) or "as known.txt says")
        sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
