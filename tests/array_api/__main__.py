"""Run the array API standard's tests: `python -m tests.array_api --checkout DIR`.

The tests are those of github.com/data-apis/array-api-tests, of which DIR is a checkout with its
submodule; nothing of it is kept here. Each file runs in processes of its own against NumPy and
against fastnp, with the same examples, through crashes and hangs. Exits with 1 where a test that
NumPy passes fails under fastnp and `known_failures.txt` does not list it.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
from collections import Counter
from pathlib import Path

from tests.numpy_suite.watch import BROKEN, MODES, File, Outcomes, known_failures, unknown

KNOWN = Path(__file__).parent / "known_failures.txt"
FRAMEWORKS = ("numpy", "fastnp")
# What the suite imports, and the names under which `pip` knows it.
NEEDED = {
    "hypothesis": "hypothesis",
    "ndindex": "ndindex",
    "pytest": "pytest",
    "pytest_jsonreport": "pytest-json-report",
}

Results = dict[str, tuple[str, str]]


def main() -> int:
    """Run what was asked for, and print what NumPy passes and fastnp fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.array_api", description=__doc__)
    parser.add_argument("--checkout", type=Path, required=True, help="a checkout of the suite")
    parser.add_argument("--framework", choices=FRAMEWORKS, help="one of the two, not compared")
    parser.add_argument("--files", nargs="*", help="files, or parts of their names")
    parser.add_argument("--mode", default="default", choices=list(MODES))
    parser.add_argument("--max-examples", type=int, default=100, help="examples for each test")
    parser.add_argument("--seed", type=int, default=0, help="of the examples")
    parser.add_argument("--timeout", type=float, default=300, help="seconds without a result")
    arguments = parser.parse_args()
    for problem in missing(arguments.checkout):
        parser.error(problem)
    frameworks = [arguments.framework] if arguments.framework else FRAMEWORKS
    found = {framework: run(framework, arguments) for framework in frameworks}
    if arguments.framework:
        return 0
    return int(compared(found["numpy"], found["fastnp"], arguments.mode) > 0)


def missing(checkout: Path) -> list[str]:
    """What keeps the suite from running, and what to do about it."""
    absent = [name for module, name in NEEDED.items() if importlib.util.find_spec(module) is None]
    problems = []
    if absent:
        problems.append(f"the suite needs {', '.join(absent)}: pip install {' '.join(absent)}")
    if not (checkout / "array_api_tests").is_dir():
        problems.append(f"{checkout} is no checkout of github.com/data-apis/array-api-tests")
    elif not (checkout / "array-api" / "spec").is_dir():
        problems.append(f"{checkout} lacks its submodule: git submodule update --init")
    return problems


def run(framework: str, arguments: argparse.Namespace) -> Results:
    """Run the files under a framework, with a line for each; the result of every test."""
    results: Results = {}
    files = sorted((arguments.checkout.resolve() / "array_api_tests").glob("test_*.py"))
    print(f"{framework:42}{'passed':>8}{'failed':>8}{'skipped':>8}   native", flush=True)
    with tempfile.TemporaryDirectory(prefix="array-api-") as folder:
        for place in files:
            if arguments.files and not any(part in place.name for part in arguments.files):
                continue
            outcomes = run_file(place, framework, arguments, Path(folder))
            results |= {f"{place.name}::{t.partition('::')[2]}": o for t, o in outcomes[0].items()}
            print(line(place.name, outcomes), flush=True)
    return results


def run_file(place: Path, framework: str, arguments: argparse.Namespace, folder: Path) -> Outcomes:
    """Run a file of the suite."""
    variables = {
        **MODES[arguments.mode],
        "ARRAY_API_TESTS_MODULE": framework,
        # Else examples that failed before come again, under the other framework too.
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / framework),
    }
    options = [
        f"--max-examples={arguments.max_examples}",
        f"--hypothesis-seed={arguments.seed}",
        "--disable-deadline",
    ]
    checkout = arguments.checkout.resolve()
    return File(place, options, variables, arguments.timeout, folder, checkout).run()


def line(name: str, outcomes: Outcomes) -> str:
    """A file's line of the table."""
    counts = Counter(outcome for outcome, _ in outcomes.tests.values())
    broken = sum(counts[outcome] for outcome in BROKEN)
    share = f"{100 * outcomes.native_share:7.1f} %"
    return f"{name:42}{counts['passed']:8}{broken:8}{counts['skipped']:8}{share}"


def compared(numpys: Results, ours: Results, mode: str) -> int:
    """Print the tests which NumPy passes and fastnp does not; how many are not known to fail."""
    passed = {test for test, (outcome, _) in numpys.items() if outcome == "passed"}
    lost = {test for test in passed if ours.get(test, ("missing",))[0] != "passed"}
    fresh = unknown(lost, known_failures(mode, KNOWN))
    for test in sorted(lost):
        outcome, why = ours.get(test, ("missing", ""))
        print(f"{outcome}{'' if test in fresh else ', as known'}: {test} # {why}")
    gained = sum(o == "passed" for t, (o, _) in ours.items() if t not in passed)
    print(f"NumPy passes {len(passed)} of {len(numpys)}; of these fastnp fails {len(lost)}")
    print(f"{len(fresh)} not known to fail; fastnp passes {gained} which NumPy fails")
    return len(fresh)


if __name__ == "__main__":
    raise SystemExit(main())
