"""Run astropy's tests with fastnp in place of NumPy: `python -m tests.neighbours.astropy_suite`.

The test files of units and quantities are rewritten as NumPy's are (`tests.numpy_suite.rewrite`)
and run under both modules. Exits with 1 where a test that passes under NumPy does not pass under
fastnp, unless `KNOWN` names it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from tests.numpy_suite.rewrite import rewritten
from tests.numpy_suite.watch import File

FOLDERS = ["units"]
# Tests that fail under fastnp alone, by file as `Class::test`, and why.
NAMES = "the test walks through the functions of its np, and compares them with lists of NumPy's"
CLASS = "a view of a quantity in NumPy's class is NumPy's array, as the class of the quantity is"
KNOWN: dict[str, dict[str, str]] = {
    "test_logarithmic.py": {"TestLogQuantityViews::test_value_view": CLASS},
    "test_quantity.py": {"TestQuantityCreation::test_copy": "NumPy's view of an array is its base"},
    "test_quantity_non_ufuncs.py": {
        "TestArrayCreation::test_array": (
            "astropy passes ndmax=0, which NumPy heeds unless the array is of its class exactly"
        ),
        "test_testing_completeness": NAMES,
        "TestFunctionHelpersCompleteness::test_all_included": NAMES,
        "TestFunctionHelpersCompleteness::test_ignored_are_untested": NAMES,
    },
    "test_structured.py": {
        "TestStructuredQuantity::test_value": CLASS,
        "TestStructuredQuantity::test_conversion": CLASS,
    },
}


def main() -> int:
    """Run the files under both modules, and print a line for each."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.neighbours.astropy_suite", description=__doc__
    )
    parser.add_argument("--files", nargs="*", help="parts of the names of files")
    parser.add_argument("--folders", nargs="*", default=FOLDERS, help="parts of astropy")
    arguments = parser.parse_args()
    spec = find_spec("astropy")
    if spec is None or spec.origin is None:
        print("astropy is not installed")
        return 0
    root, wrong, totals = Path(spec.origin).parent, 0, [0, 0]
    print(f"{'file':<44}{'numpy':>8}{'fastnp':>8}")
    for path in [p for f in arguments.folders for p in sorted((root / f / "tests").glob("test_*"))]:
        if arguments.files and not any(part in path.name for part in arguments.files):
            continue
        found = [run(path, module) for module in ("numpy", "fastnp")]
        passed = [Counter(o for o, _ in f.values())["passed"] for f in found]
        totals = [a + b for a, b in zip(totals, passed, strict=True)]
        name = f"{path.parent.parent.name}/{path.name}"
        print(f"{name:<44}{passed[0]:>8}{passed[1]:>8}", flush=True)
        for test, (outcome, _) in found[0].items():
            ours, why = found[1].get(test, ("missing", ""))
            if outcome == "passed" and ours != "passed":
                named, known = test.partition("::")[2], KNOWN.get(path.name, {})
                wrong += named not in known
                print(f"    {ours}: {path.name}::{named} # {known.get(named, why)}")
    print(f"{'all':<44}{totals[0]:>8}{totals[1]:>8}")
    print(f"{wrong} not known to fail")
    return int(wrong > 0)


def run(path: Path, module: str) -> dict[str, tuple[str, str]]:
    """The outcome of every test of a file, and why it failed."""
    with tempfile.TemporaryDirectory(prefix="astropy-suite-") as name:
        folder = Path(name)
        place = folder / path.name
        place.write_text(rewritten(path.read_text(encoding="utf-8"), module), encoding="utf-8")
        options = ["--import-mode=importlib", f"--rootdir={folder}", "-c", os.devnull]
        return File(place, options, {}, 120, folder).run().tests


if __name__ == "__main__":
    raise SystemExit(main())
