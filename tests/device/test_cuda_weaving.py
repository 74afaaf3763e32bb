"""Merged kernels, assembled by NVIDIA's assembler for three generations of GPUs.

What merged kernels compute is tested in `codegen/tests/cuda/ptx`, by an evaluator of PTX. Here
are the kernels of the golden files, compiled to PTX, merged in pairs and assembled: all are
accepted, and few spill registers.
"""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.device.test_cuda_texts import ROOT, golden_texts, log_and_code

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the compiler's wheels are for Linux"
)
# The spills of most merged kernels, in bytes. The gate refuses those that spill more than their
# parts.
SPILLED = 16


def ptxas() -> Path:
    """The assembler of the wheel."""
    spec = find_spec("nvidia.cu13")
    assert spec is not None and spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "bin" / "ptxas"


@pytest.mark.parametrize("architecture", ["80", "90", "100"])
def test_merged_kernels_are_assembled(architecture: str, tmp_path: Path) -> None:
    parts, merged = tmp_path / "parts", tmp_path / "merged"
    parts.mkdir()
    texts = golden_texts()
    for name, text in texts.items():
        _, code = log_and_code(text, f"compute_{architecture}")
        (parts / f"{name.replace(' ', '_')}.ptx").write_bytes(code.rstrip(b"\0"))
    command = ["cargo", "run", "--quiet", "-p", "fastnp-codegen", "--example", "cuda_woven", "--"]
    done = subprocess.run(
        [*command, str(parts), str(merged)], check=True, cwd=ROOT, capture_output=True, text=True
    )
    refusals = done.stdout.splitlines()
    files = sorted(merged.glob("*.ptx"))
    assert len(files) + len(refusals) == 3 * len(texts)
    assert len(files) > len(texts)
    # Maps end at their last element, within a block, and so may not be woven with folds.
    assert all("divergent branch" in refusal for refusal in refusals), refusals
    spilling = []
    for file in files:
        assembled = subprocess.run(
            [ptxas(), "-v", f"-arch=sm_{architecture}", file, "-o", file.with_suffix(".cubin")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert assembled.returncode == 0, (file.name, assembled.stderr)
        (registers,) = re.findall(r"Used (\d+) registers", assembled.stderr)
        assert int(registers) <= 255
        spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill stores", assembled.stderr))
        if spills > SPILLED:
            spilling.append((file.name, spills))
    assert len(spilling) <= len(files) // 10, spilling
