"""Merged kernels, assembled by NVIDIA's assembler for three generations of GPUs.

What merged kernels compute is tested in `codegen/tests/cuda/ptx`, by an evaluator of PTX. Here
are the kernels of the golden files, compiled to PTX, merged in pairs and assembled: all are
accepted, and few spill registers.
"""

import ctypes
import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.device.test_cuda_texts import golden_texts, log_and_code
from tests.rust_examples import run_example

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the assembler's wheels are for Linux"
)
# The spills of most merged kernels, in bytes. The gate refuses those that spill more than their
# parts.
SPILLED = 16
# The kind of input that PTX is to the assembler.
PTX = 2


@cache
def assembler() -> ctypes.CDLL:
    """The assembler of the wheel, `ptxas` as a library."""
    spec = find_spec("nvidia.cu13")
    assert spec is not None and spec.submodule_search_locations is not None
    (library,) = (Path(spec.submodule_search_locations[0]) / "lib").glob("libnvJitLink.so.*")
    return ctypes.CDLL(str(library))


def assembled(text: bytes, architecture: str) -> str:
    """Assembles a text for `sm_N`; returns what `ptxas -v` says."""
    library, link, size = assembler(), ctypes.c_void_p(), ctypes.c_size_t()
    options = [b"-arch=sm_" + architecture.encode(), b"-verbose", b"-Xptxas=-v"]
    given = (ctypes.c_char_p * len(options))(*options)
    assert library.nvJitLinkCreate(ctypes.byref(link), len(options), given) == 0
    result = library.nvJitLinkAddData(link, PTX, text + b"\0", len(text) + 1, b"woven.ptx")
    result = result or library.nvJitLinkComplete(link)
    kind = "Error" if result else "Info"
    assert library[f"nvJitLinkGet{kind}LogSize"](link, ctypes.byref(size)) == 0
    log = ctypes.create_string_buffer(size.value + 1)
    assert library[f"nvJitLinkGet{kind}Log"](link, log) == 0
    library.nvJitLinkDestroy(ctypes.byref(link))
    assert result == 0, log.value.decode()
    return log.value.decode()


@pytest.mark.parametrize("architecture", ["80", "90", "100"])
def test_merged_kernels_are_assembled(architecture: str, tmp_path: Path) -> None:
    parts, merged = tmp_path / "parts", tmp_path / "merged"
    parts.mkdir()
    texts = golden_texts()
    for name, text in texts.items():
        _, code = log_and_code(text, f"compute_{architecture}")
        (parts / f"{name.replace(' ', '_')}.ptx").write_bytes(code.rstrip(b"\0"))
    refusals = run_example("cuda_woven", parts, merged).splitlines()
    files = sorted(merged.glob("*.ptx"))
    assert len(files) + len(refusals) == 3 * len(texts)
    assert len(files) > 2 * len(texts)
    # Maps whose loops cannot be masked may not be woven with folds.
    assert all("divergent branch" in refusal for refusal in refusals), refusals
    # The generations have one way of merging: a third of the kernels is assembled for two of them.
    files = files if architecture == "90" else files[::3]
    spilling = []
    for file in files:
        log = assembled(file.read_bytes(), architecture)
        registers = [int(n) for n in re.findall(r"Used (\d+) registers", log)]
        assert len(registers) == 1 and registers[0] <= 255, (file.name, log)
        spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill stores", log))
        if spills > SPILLED:
            spilling.append((file.name, spills))
    assert len(spilling) <= len(files) // 10, spilling


def test_the_assembler_refuses_what_is_no_kernel() -> None:
    with pytest.raises(AssertionError, match="woven"):
        assembled(b".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { tex.1d; }", "90")
