"""What is released agrees with itself: versions, extras, workflows, and asv's benchmarks run."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from pathlib import Path
from typing import Any

from benches.asv import benchmarks

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_one_version() -> None:
    assert re.findall(r"^version: (.*)$", text("CITATION.cff"), re.M) == [VERSION]
    assert re.findall(r'^  version: "(.*)"$', text(".ci/conda/recipe.yaml"), re.M) == [VERSION]
    assert re.findall(r"^## ([\d.]+)", text("CHANGELOG.md"), re.M)[0] == VERSION
    manifest = tomllib.loads(text("core/Cargo.toml"))
    assert manifest["dependencies"]["fastnp-codegen"]["version"] == VERSION


def test_extras_are_on_the_page() -> None:
    listed = re.findall(r"^\| `fastnp\[(\w+)\]`", text("docs/install.md"), re.M)
    assert sorted(listed) == sorted(PROJECT["optional-dependencies"])


def test_the_recipe_has_the_same_needs() -> None:
    recipe = text(".ci/conda/recipe.yaml")
    for need in PROJECT["dependencies"]:
        assert need.replace(">", " >", 1) in recipe, need


def test_workflows_are_pinned_and_may_little() -> None:
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert len(workflows) >= 3
    for path in workflows:
        words = path.read_text(encoding="utf-8")
        assert re.search(r"^permissions: \{contents: read\}$", words, re.M), path
        for action in re.findall(r"uses: (\S+)", words):
            assert re.search(r"@[0-9a-f]{40}$", action) or action.startswith("./"), action
        assert "secrets." not in words, path


def test_make_knows_what_workflows_ask_for() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.M))
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        assert set(re.findall(r"\bmake ([a-z]+)", path.read_text(encoding="utf-8"))) <= targets


def test_asv_finds_benchmarks_that_run() -> None:
    configuration = json.loads(text("benches/asv/asv.conf.json"))
    assert (ROOT / "benches" / "asv" / configuration["repo"]).resolve() == ROOT
    ran = 0
    for _, kind in inspect.getmembers(benchmarks, inspect.isclass):
        given = (kind.params[0],) if hasattr(kind, "params") else ()
        made = kind()
        if hasattr(made, "setup"):
            made.setup(*given)
        for name, method in inspect.getmembers(made, inspect.ismethod):
            if name.startswith(("time_", "peakmem_")):
                method(*given)
                ran += 1
    assert ran >= 8
