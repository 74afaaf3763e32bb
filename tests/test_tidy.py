"""The house rules that a machine can check, over every file git knows.

One function a rule; each message names file and line. Rules that need judgement stay in
CONTRIBUTING.md.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests import rust_imports

ROOT = Path(__file__).resolve().parent.parent

MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 100
MAX_ARCHITECTURE_LINES = 150
# Tables (of ops and of folds with the files that read them, of machine instructions), and two
# more; a family is one reason to have macros.
MACRO_FAMILIES = {
    "a table of rows": re.compile(
        r"codegen/src/(ir/op|ir/fold|portable/loops/elementwise|expand/forms|x86/asm/forms/table)\.rs|core/src/ops/reduce\.rs"
    ),
    "a trait for each element type": re.compile(
        r"codegen/src/(portable/(\w+/)?\w+|drive/isa|host/gemv|host/correlation)\.rs"
    ),
    "NumPy's functions by name": re.compile(
        r"pybind/src/(interpreter/fastcall|object/raw_slots|call/functions)\.rs"
    ),
}
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "base", "misc", "common"}

# Programs of others, kept as they were written; they are what the tests and the benchmark run.
FOREIGN = re.compile(r"^(npbench/(benchmarks|kernels)|tests/programs)/")
# The rule on length leaves out tables, generated expectations and tests.
LENGTH_EXEMPT = re.compile(r"(^|/)(tests|golden|benches)/|(^|/|_)tables?(\.rs|\.py|/)")


@cache
def tracked() -> tuple[str, ...]:
    """Paths git knows that still exist, relative to the repository root."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return tuple(p for p in listing.stdout.split("\0") if p and (ROOT / p).is_file())


@cache
def lines_of(path: str) -> tuple[str, ...]:
    """The lines of a tracked file; undecodable bytes are replaced, they break no rule here."""
    return tuple((ROOT / path).read_text(encoding="utf-8", errors="replace").splitlines())


def sources(*suffixes: str, foreign: bool = False) -> Iterator[str]:
    """Tracked files with one of the suffixes, our own unless `foreign`."""
    for path in tracked():
        if path.endswith(suffixes) and (foreign or not FOREIGN.search(path)):
            yield path


def report(rule: str, found: list[str]) -> None:
    """Fail with every place that breaks `rule`."""
    assert not found, f"{rule}:\n  " + "\n  ".join(found)


@cache
def rust_code(path: str) -> tuple[str, ...]:
    """The lines of a Rust file, code alone."""
    return tuple(rust_imports.rust_code("\n".join(lines_of(path))).split("\n"))


def shipped_length(path: str) -> int:
    """Lines of a file without a Rust file's closing `mod tests`."""
    lines = lines_of(path)
    if path.endswith(".rs"):
        for number, line in enumerate(lines):
            if line == "#[cfg(test)]":
                return number
    return len(lines)


def test_files_are_short() -> None:
    """A file holds one noun or verb; beyond 800 lines it holds more."""
    report(
        f"files of more than {MAX_FILE_LINES} lines",
        [
            f"{path}:1: {shipped_length(path)} lines"
            for path in sources(".rs", ".py")
            if not LENGTH_EXEMPT.search(path) and shipped_length(path) > MAX_FILE_LINES
        ],
    )


def test_no_test_stands_where_none_runs() -> None:
    """A library whose manifest says `test = false` has its tests outside of its sources."""
    found = []
    for manifest in tracked():
        if manifest.endswith("Cargo.toml"):
            library = tomllib.loads("\n".join(lines_of(manifest))).get("lib", {})
            if not library.get("test", True):
                folder = manifest.removesuffix("Cargo.toml") + "src/"
                found += [
                    f"{path}:{number}: {line.strip()}"
                    for path in sources(".rs")
                    if path.startswith(folder)
                    for number, line in enumerate(rust_code(path), 1)
                    if re.search(r"#\[(cfg\(.*\btest\b|test\])", line)
                ]
    report("tests that never run", found)


def test_files_open_with_their_purpose() -> None:
    """Every file says first what it does and what it leaves to others."""
    found = []
    for path in sources(".rs", ".py"):
        text = "\n".join(line for line in lines_of(path) if not line.startswith("#!/")).lstrip()
        opening = "//!" if path.endswith(".rs") else '"""'
        if text and not text.startswith((opening, "r" + opening)):
            found.append(f"{path}:1: does not open with {opening}")
    report("files without a head comment", found)


def test_names_say_something() -> None:
    """No drawer where anything may go."""
    found = []
    for path in sources(".rs", ".py"):
        parts = [part.removesuffix(".rs").removesuffix(".py") for part in path.split("/")]
        found += [f"{path}:1: {part!r} names nothing" for part in parts if part in VAGUE_NAMES]
    report("vague file or folder names", found)


def rust_functions(path: str) -> Iterator[tuple[int, int]]:
    """Line number and length of every function with a body, by counting braces."""
    code = rust_code(path)
    start = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|extern)\s+)*fn\s+\w")
    for number, line in enumerate(code):
        if not start.match(line):
            continue
        depth = 0
        for end in range(number, len(code)):
            opened = code[end].count("{")
            if depth == 0 and opened == 0 and code[end].rstrip().endswith(";"):
                break
            depth += opened - code[end].count("}")
            if depth <= 0 and opened + code[end].count("}") > 0:
                yield number + 1, end - number + 1
                break


def python_functions(path: str) -> Iterator[tuple[int, int]]:
    """Line number and length of every function, by indentation."""
    lines = lines_of(path)
    for number, line in enumerate(lines):
        match = re.match(r"^(\s*)(?:async )?def \w", line)
        if not match:
            continue
        indent, last, in_signature = len(match.group(1)), number, True
        for end in range(number, len(lines)):
            text = lines[end]
            if in_signature:
                in_signature = not text.rstrip().endswith(":")
                last = end
            elif text.strip():
                if len(text) - len(text.lstrip()) <= indent:
                    break
                last = end
        yield number + 1, last - number + 1


def test_functions_are_short() -> None:
    """A function of more than 100 lines is several."""
    found = []
    for path in sources(".rs", ".py"):
        functions = rust_functions(path) if path.endswith(".rs") else python_functions(path)
        found += [
            f"{path}:{line}: {length} lines"
            for line, length in functions
            if length > MAX_FUNCTION_LINES
        ]
    report(f"functions of more than {MAX_FUNCTION_LINES} lines", found)


def test_unsafe_is_justified() -> None:
    """Every unsafe block and impl names the contract that makes it sound, right above or inside."""
    found = []
    for path in sources(".rs"):
        lines = lines_of(path)
        for number, line in enumerate(rust_code(path)):
            if not re.search(r"\bunsafe\s*(\{|impl\b)", line):
                continue
            near = lines[max(0, number - 8) : number + 2]
            if not any("SAFETY" in text or "# Safety" in text for text in near):
                found.append(f"{path}:{number + 1}: {line.strip()}")
    report("unsafe without a SAFETY comment", found)


def test_nothing_is_left_undone() -> None:
    """Unfinished work is either finished or refused with an error a user can read."""
    words = re.compile(
        r"\b(todo!|unimplemented!|TO" + r"DO\b|FIX" + r"ME\b|XX" + r"X\b|HA" + r"CK\b)"
    )
    found = []
    for path in sources(".rs", ".py", ".toml", ".md", ".cu"):
        for number, line in enumerate(lines_of(path)):
            if words.search(line) and path != "tests/test_tidy.py":
                found.append(f"{path}:{number + 1}: {line.strip()}")
    report("notes of unfinished work", found)


def dependencies(crate: str) -> set[str]:
    """What a crate names in its manifest, in whatever section."""
    manifest = tomllib.loads((ROOT / crate / "Cargo.toml").read_text())
    tables = [manifest, *manifest.get("target", {}).values()]
    keys = ("dependencies", "build-dependencies", "dev-dependencies")
    return {name for table in tables for key in keys for name in table.get(key, {})}


def test_imports_run_one_way() -> None:
    """pybind -> core -> codegen, and nothing points back."""
    forbidden = {
        "codegen": {"fastnp", "fastnp-pybind", "pyo3", "numpy"},
        "core": {"fastnp-pybind", "pyo3", "numpy"},
        "pybind": {"fastnp-codegen"},
    }
    found = [
        f"{crate}/Cargo.toml: depends on {name}"
        for crate, names in forbidden.items()
        for name in sorted(dependencies(crate) & names)
    ]
    words = {
        "codegen": re.compile(r"\b(fastnp|pyo3|numpy)::"),
        "core": re.compile(r"\b(pyo3|numpy|_fastnp)::"),
        "pybind": re.compile(r"\bfastnp_codegen::"),
    }
    for path in sources(".rs"):
        word = words.get(path.split("/")[0])
        for number, line in enumerate(rust_code(path) if word else ()):
            if word and word.search(line):
                found.append(f"{path}:{number + 1}: {line.strip()}")
    report("imports against the direction pybind -> core -> codegen", found)


def test_macros_are_few() -> None:
    """Tables and at most two more families."""
    assert len(MACRO_FAMILIES) <= 3
    found = []
    for path in sources(".rs"):
        if "/tests/" in path or any(family.fullmatch(path) for family in MACRO_FAMILIES.values()):
            continue
        for number, line in enumerate(rust_code(path)):
            match = re.match(r"\s*macro_rules!\s+(\w+)", line)
            if match:
                found.append(f"{path}:{number + 1}: {match.group(1)}!")
    report(f"macros besides {', '.join(MACRO_FAMILIES)}", found)


def test_architecture_fits_a_sitting() -> None:
    """ARCHITECTURE.md is read whole or not at all."""
    page = ROOT / "ARCHITECTURE.md"
    length = len(page.read_text().splitlines()) if page.exists() else 0
    assert length <= MAX_ARCHITECTURE_LINES, f"ARCHITECTURE.md:1: {length} lines"


def test_no_path_of_one_machine() -> None:
    """A path of one person's machine works on no other."""
    private = re.compile(r"(?<![\w.])/(work|root)/|/home/\w+/")
    found = []
    for path in tracked():
        if path == "tests/test_tidy.py" or path.endswith((".lock", ".npy", ".png")):
            continue
        for number, line in enumerate(lines_of(path)):
            if private.search(line):
                found.append(f"{path}:{number + 1}: {line.strip()[:100]}")
    report("paths of one machine", found)


def test_settings_are_few() -> None:
    """At most ten environment variables steer fastnp; more would be tuned instead of measured."""
    names: dict[str, str] = {}
    for path in sources(".rs", ".py"):
        if path.startswith("pybind/python/") or path.endswith(".rs"):
            for number, line in enumerate(lines_of(path)):
                for name in re.findall(r"\"(FASTNP_[A-Z_]+)\"", line):
                    if name != "FASTNP_BLESS":
                        names.setdefault(name, f"{path}:{number + 1}: {name}")
    if len(names) > 10:
        report("more than ten settings", list(names.values()))


def test_dependencies_have_reasons() -> None:
    """Each dependency of what ships carries its reason, in its line or above it."""
    found = []
    for crate in ("codegen", "core", "pybind"):
        section = ""
        lines = lines_of(f"{crate}/Cargo.toml")
        for number, line in enumerate(lines):
            if line.startswith("["):
                section = line
            elif section == "[dependencies]" and re.match(r"^[\w-]+\s*=", line):
                path_only = "path =" in line
                known = line.startswith(("half", "num-complex", "smallvec", "pyo3"))
                above = lines[number - 1].startswith("#")
                if not ("#" in line or above or path_only or known):
                    found.append(f"{crate}/Cargo.toml:{number + 1}: {line}")
    report("dependencies without a reason", found)
