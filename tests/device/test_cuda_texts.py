"""The generated CUDA C, compiled by NVIDIA's compiler: every op, conversion and template.

It needs neither a GPU nor a driver: the compiler comes from PyPI. The values that kernels compute
are tested in `codegen/tests`, by a stand-in for the GPU; here are their resources: registers,
spills and shared memory.
"""

import ctypes
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.rust_examples import run_example

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the compiler's wheels are for Linux"
)
ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "codegen" / "tests" / "golden"
ARCHITECTURES = ["sm_80", "sm_90", "sm_100"]
# The limits of a kernel: registers for three blocks of 256 threads on a multiprocessor, and few
# spills (the compiler spills one or two registers to reach a higher occupancy).
REGISTERS = 80
SPILLED = 16
# For texts whose registers are not looked at: compiles 13 times as fast.
UNOPTIMIZED = b"--Ofast-compile=max"


class Resources(NamedTuple):
    """Resources of a kernel: registers and spilled bytes of a thread, shared bytes of a block."""

    registers: int
    spilled: int
    shared: int


def sections(path: Path) -> dict[str, str]:
    """The sections of a golden file by their headings; what is before the first is under ""."""
    parts = re.split(r"^=== (.*)\n", path.read_text(), flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


def golden_texts() -> dict[str, str]:
    """The CUDA C that golden files have, with the definitions that stand in a file of their own."""
    definitions = sections(GOLDEN / "made" / "definitions.cu")
    texts = {}
    for path in GOLDEN.glob("*.ir"):
        for heading, text in sections(path).items():
            if heading.startswith("cuda"):
                name = f"{path.stem} {heading}".removesuffix(" cuda")
                texts[name] = re.sub(
                    r"^// with (.*)\n",
                    lambda uses: "\n".join(definitions[name] for name in uses[1].split()),
                    text,
                    flags=re.MULTILINE,
                )
    return {name: text for name, text in sorted(texts.items()) if "__global__" in text}


@cache
def nvrtc() -> ctypes.CDLL:
    """The run-time compiler of the wheel."""
    spec = find_spec("nvidia.cu13")
    assert spec is not None and spec.submodule_search_locations is not None
    (library,) = (Path(spec.submodule_search_locations[0]) / "lib").glob("libnvrtc.so.*")
    return ctypes.CDLL(str(library))


def log_and_code(text: str, architecture: str, *more: bytes) -> tuple[str, bytes]:
    """Compiles a text to machine code for `sm_N`, to PTX for `compute_N`, in a third of the time,
    with more options; returns the compiler's log, and the code.
    """
    library, program, size = nvrtc(), ctypes.c_void_p(), ctypes.c_size_t()
    assert (
        library.nvrtcCreateProgram(
            ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None
        )
        == 0
    )
    options = [
        b"--fmad=false",
        b"--ptxas-options=-v",
        b"--gpu-architecture=" + architecture.encode(),
        *more,
    ]
    given = (ctypes.c_char_p * len(options))(*options)
    result = library.nvrtcCompileProgram(program, len(options), given)
    assert library.nvrtcGetProgramLogSize(program, ctypes.byref(size)) == 0
    buffer = ctypes.create_string_buffer(size.value)
    assert library.nvrtcGetProgramLog(program, buffer) == 0
    log = buffer.value.decode()
    assert result == 0, log
    kind = "CUBIN" if architecture.startswith("sm") else "PTX"
    assert library[f"nvrtcGet{kind}Size"](program, ctypes.byref(size)) == 0 and size.value > 0
    code = ctypes.create_string_buffer(size.value)
    assert library[f"nvrtcGet{kind}"](program, code) == 0
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return log, code.raw


def compiled(text: str, architecture: str, *more: bytes) -> Resources:
    """Compiles a text of one kernel."""
    log, _ = log_and_code(text, architecture, *more)

    def number(pattern: str) -> int:
        return sum(int(found) for found in re.findall(pattern, log))

    return Resources(
        number(r"Used (\d+) registers"),
        number(r"(\d+) bytes spill stores"),
        number(r"(\d+) bytes smem"),
    )


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Every op, conversion and template, of every type, as the backend writes them."""
    folder = tmp_path_factory.mktemp("texts")
    run_example("cuda_texts", folder)
    yield {path.stem: path.read_text() for path in sorted(folder.glob("*.cu"))}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", golden_texts())
def test_golden_texts_compile_to_few_registers(name: str, architecture: str) -> None:
    resources = compiled(golden_texts()[name], architecture)
    assert resources.spilled <= SPILLED
    assert resources.registers <= REGISTERS, resources
    assert resources.shared <= 48 << 10


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_compactions_compile_to_few_registers(texts: dict[str, str], architecture: str) -> None:
    compactions = {name: text for name, text in texts.items() if name.startswith("compaction")}
    assert len(compactions) == 6
    for name, text in compactions.items():
        resources = compiled(text, architecture)
        assert resources.spilled <= SPILLED, (name, resources)
        assert resources.registers <= REGISTERS, (name, resources)
        assert resources.shared <= 48 << 10, (name, resources)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernels_of_many_arguments_compile(texts: dict[str, str], architecture: str) -> None:
    many = {name: text for name, text in texts.items() if name.startswith("many")}
    assert len(many) == 3
    # Addresses of many operands in many axes take more registers than there are.
    for name, text in many.items():
        resources = compiled(text, architecture, UNOPTIMIZED)
        assert resources.shared <= 48 << 10, (name, resources)


@pytest.mark.parametrize("architecture", ["sm_90"])
def test_folds_of_every_type_compile_to_few_registers(
    texts: dict[str, str], architecture: str
) -> None:
    folds = {name: text for name, text in texts.items() if name.startswith(("reduce", "scan"))}
    assert len(folds) == 13 * 4 + 2
    for name, text in folds.items():
        resources = compiled(text, architecture)
        assert resources.spilled <= SPILLED, (name, resources)
        assert resources.shared <= 48 << 10, (name, resources)


@pytest.mark.parametrize("architecture", ["sm_90"])
def test_composed_kernels_compile_to_few_registers(
    texts: dict[str, str], architecture: str
) -> None:
    composed = {name: text for name, text in texts.items() if name.startswith("composed")}
    assert len(composed) == 6
    for name, text in composed.items():
        resources = compiled(text, architecture)
        assert resources.spilled <= SPILLED, (name, resources)
        assert resources.shared <= 48 << 10, (name, resources)


# Machine code of every op takes a minute. Golden texts and folds, which have most, are assembled.
@pytest.mark.parametrize("architecture", ["compute_90"])
def test_every_op_conversion_and_move_compiles(texts: dict[str, str], architecture: str) -> None:
    one_each = ("casts", "ops", "moves")
    others = {name: text for name, text in texts.items() if name.startswith(one_each)}
    assert len(others) == 13 + 14 + 1
    for text in others.values():
        compiled(text, architecture, UNOPTIMIZED)


@pytest.mark.parametrize("architecture", ["compute_90"])
def test_texts_of_several_kernels_compile_as_one(texts: dict[str, str], architecture: str) -> None:
    text = texts["together"]
    names = text.splitlines()[0].removeprefix("// ").split()
    assert len(set(names)) == 7
    _, code = log_and_code(text, architecture, UNOPTIMIZED)
    assert sorted(re.findall(r"\.entry (\w+)\(", code.decode())) == sorted(names)


def test_the_compiler_refuses_what_is_no_kernel() -> None:
    with pytest.raises(AssertionError, match="undefined"):
        compiled(
            'extern "C" __global__ void kernel(float *x) { x[0] = nothing_of_the_kind(x[1]); }',
            "sm_90",
        )
