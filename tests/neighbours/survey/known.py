"""The list of known differences, `known.txt`.

A line names a library, a program, how it ends under fastnp, and why.
"""

from __future__ import annotations

from pathlib import Path

from tests.neighbours.survey.survey import ABSENT, CRASHED, SAME, Result

KNOWN = Path(__file__).with_name("known.txt")


def known() -> dict[str, dict[str, str]]:
    """By library, the programs that are known to differ, and their outcomes."""
    found: dict[str, dict[str, str]] = {}
    for line in KNOWN.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            library, program, outcome, _reason = line.split(maxsplit=3)
            found.setdefault(library, {})[program] = outcome
    return found


def checked(result: Result, listed: dict[str, str]) -> list[str]:
    """What a library's findings and the list disagree on."""
    wrong = []
    for finding in result.findings:
        name = f"{result.library} {finding.program}"
        expected = listed.get(finding.program, SAME)
        if finding.outcome in (expected, ABSENT):
            continue
        # A read outside an array may crash, raise an error, or return any value.
        if expected == CRASHED and finding.outcome != SAME:
            continue
        if finding.outcome == SAME:
            wrong.append(
                f"no longer: {name} is known as {expected}, and is the same: take it off the list"
            )
        elif expected == SAME:
            wrong.append(f"new: {name} {finding.outcome}: {finding.message}")
        else:
            wrong.append(
                f"changed: {name} {finding.outcome}, known as {expected}: {finding.message}"
            )
    names = {finding.program for finding in result.findings}
    wrong += [f"unknown program: {result.library} {name}" for name in listed if name not in names]
    return wrong
