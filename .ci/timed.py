"""Run a check and note what it took, for the table that `make test` ends with.

    timed.py --start             forget what was noted, and note the time
    timed.py NAME COMMAND...     run a check, show what it says, and exit as it does
    timed.py --table             print what was noted, and last how many tests passed

Processor seconds tell a slow check from a busy machine. Tests are counted from the summaries that
`cargo test` and `pytest` print.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

NOTES = Path(__file__).resolve().parents[1] / "target" / "checks.jsonl"
SUMMARY = re.compile(r"^test result: |^[= ]*\d+ (passed|failed|skipped|error).* in [\d.]+s")
OUTCOMES = {"passed": r"passed", "skipped": r"skipped|ignored"}


def run(name: str, command: list[str]) -> int:
    """Run a check, and note it once it has passed."""
    print(f"--- {name}: {' '.join(command)}", flush=True)
    counts = dict.fromkeys(OUTCOMES, 0)
    start = time.monotonic()
    # Else cargo would share the jobs of a `make --jobs`.
    shared = ("MAKEFLAGS", "MFLAGS")
    environment = {key: value for key, value in os.environ.items() if key not in shared}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    for line in process.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        text = line.decode(errors="replace")
        if SUMMARY.match(text):
            for outcome, words in OUTCOMES.items():
                counts[outcome] += sum(map(int, re.findall(rf"(\d+) (?:{words})", text)))
    status = process.wait()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = {"wall": time.monotonic() - start, "cpu": usage.ru_utime + usage.ru_stime}
    if status == 0:
        with NOTES.open("a") as notes:
            notes.write(json.dumps({"name": name, **taken, **counts}) + "\n")
    return status if status >= 0 else 128 - status


def table() -> None:
    """Print a line for each check, and one for all: some ran side by side."""
    start, *checks = (json.loads(line) for line in NOTES.read_text().splitlines())
    total = {key: sum(c[key] for c in checks) for key in ("cpu", *OUTCOMES)}
    total["wall"] = time.time() - start["start"]
    print(f"\n{'check':22}{'seconds':>9}{'cpu':>9}{'passed':>9}{'skipped':>9}")
    for c in [*checks, {"name": "all", **total}]:
        tests = "".join(f"{c[key] or '':>9}" for key in OUTCOMES)
        print(f"{c['name']:22}{c['wall']:9.1f}{c['cpu']:9.1f}{tests}".rstrip())
    print(f"\nevery check passed: {total['passed']} tests, {total['skipped']} skipped")


def main(arguments: list[str]) -> int:
    """What the head of this file says."""
    NOTES.parent.mkdir(exist_ok=True)
    if arguments == ["--start"]:
        NOTES.write_text(json.dumps({"start": time.time()}) + "\n")
    elif arguments == ["--table"]:
        table()
    else:
        return run(arguments[0], arguments[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
