"""Make `npbench` importable from wherever pytest is started; run a kernel on its inputs."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


@pytest.fixture
def run_kernel() -> Any:
    """Run a kernel of ours at `test`, some inputs replaced: inputs, arguments after, result."""
    from npbench import catalog

    def run(name: str, **other: Any) -> tuple[dict[str, Any], dict[str, Any], Any]:
        kernel = catalog.find(name)
        before = kernel.inputs("test") | other
        after = copy.deepcopy(before)
        return before, after, kernel.bind(np)(*after.values())

    return run
