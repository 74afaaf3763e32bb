"""Examples of the Rust crates, which some tests run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run_example(name: str, *arguments: object) -> str:
    """What an example of `fastnp-codegen` prints, compiled if need be."""
    command = ["cargo", "run", "--quiet", "-p", "fastnp-codegen", "--example", name, "--"]
    done = subprocess.run(
        [*command, *map(str, arguments)],
        check=True,
        cwd=ROOT,
        env=without_preloads(),
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def without_preloads() -> dict[str, str]:
    """The environment for a compiler: under a preloaded sanitizer it hangs."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
