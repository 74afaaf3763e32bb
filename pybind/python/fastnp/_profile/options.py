"""The options of `python -m fastnp`: what each begins before the program, and does at its end.

What an option needs is imported where it is given: 25 ms that other programs do not wait for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

__all__ = ["ALONE", "OPTIONS"]

End = Callable[[], None]


def _report(value: str) -> End:
    from fastnp._loops.report import print_report

    return print_report


def _profile(value: str) -> End:
    from fastnp._profile.profile import profile

    p = profile()
    p.__enter__()

    def end() -> None:
        p.__exit__()
        if value:
            p.save(value)
        else:
            print(p, file=sys.stderr)

    return end


def _doctor(value: str) -> End:
    import json
    from pathlib import Path

    from fastnp._profile.doctor import diagnose
    from fastnp._profile.profile import profile

    p = profile()
    p.__enter__()

    def end() -> None:
        p.__exit__()
        found = diagnose(p, _program())
        if value:
            Path(value).write_text(json.dumps(found), encoding="utf-8")
        else:
            print(repr(found), file=sys.stderr)

    return end


def _costs() -> None:
    from fastnp._profile.costs import costs_text

    print(costs_text())


def _program() -> list[str]:
    file = getattr(sys.modules["__main__"], "__file__", None)
    return [] if file is None else [file]


# By name; each is called with the text behind "=" and returns what is done at the end. `doctor`
# asks for `--doctor=FILE` in the process of a script.
OPTIONS: dict[str, Callable[[str], End]] = {
    "--report": _report,
    "--profile": _profile,
    "--doctor": _doctor,
}
# What is done without a program.
ALONE: dict[str, Callable[[], None]] = {"--costs": _costs}
