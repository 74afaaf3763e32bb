"""NumPy programs through the CUDA backend, without a GPU.

Stand-ins replace NVIDIA's driver, compiler and libraries: memory is the host's, and kernels are
compiled by the C compiler. The loader's search path is set in the environment of a new process, so
each program runs in its own process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.rust_examples import run_example

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the stand-ins are for Linux")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def standin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stand-ins."""
    folder = tmp_path_factory.mktemp("standin")
    run_example("cuda_standin", folder)
    return folder


def run(folder: Path, *command: str, **settings: str) -> str:
    """What Python prints in a process that finds the stand-ins."""
    environment = {"LD_LIBRARY_PATH": str(folder), "FASTNP_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path), **environment, **settings},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def script(folder: Path, text: str, **settings: str) -> list[str]:
    """What a program prints, line by line."""
    return run(folder, "-c", textwrap.dedent(text), **settings).splitlines()


def test_a_program_runs_on_the_device(standin: Path) -> None:
    lines = script(
        standin,
        """
        import fastnp as np, numpy
        x = np.linspace(0.0, 1.0, 100_001)
        y = np.sqrt(x) * 2.0
        y[1:-1] += x[:-2]
        print(np.get_device(), np.describe_device())
        z = numpy.linspace(0.0, 1.0, 100_001)
        w = numpy.sqrt(z) * 2.0
        w[1:-1] += z[:-2]
        print(numpy.array_equal(y, w), abs(float(y.sum()) - w.sum()) < 1e-8 * w.sum())
        m = y[:10_000].reshape(100, 100)
        v = w[:10_000].reshape(100, 100)
        print(numpy.allclose(m @ m.T, v @ v.T))
        print(np.stats()["kernels_launched"] > 0, np.stats()["matrix_products"])
        """,
        FASTNP_BACKEND="cuda",
    )
    assert lines[0].startswith("cuda:0 cuda:0 (")
    assert lines[1:] == ["True True", "True", "True 1"]


@pytest.mark.parametrize(("mode", "count"), [("lazy", 8), ("default", 40)])
def test_random_programs_agree(standin: Path, mode: str, count: int) -> None:
    out = run(
        standin,
        *f"-m tests.fuzz.programs --count {count} --seed 3 --mode {mode}".split(),
        FASTNP_BACKEND="cuda",
    )
    assert out.rstrip().endswith("0 failed")


def test_programs_agree(standin: Path) -> None:
    out = run(
        standin,
        *"-m pytest -q -p no:cacheprovider tests/array/test_programs.py -k".split(),
        "game_of_life or histogram or kmeans or heat",
        FASTNP_BACKEND="cuda",
        FASTNP_TINY="0",
    )
    assert "passed" in out


def test_what_masks_choose_agrees(standin: Path) -> None:
    lines = run(standin, "-m", "tests.on_masks", "cuda").split()
    assert int(lines[0]) > 400 and lines[1] == "0"


def test_composed_kernels_agree(standin: Path) -> None:
    lines = run(standin, "-m", "tests.on_compositions", "cuda", "40").split()
    assert int(lines[1]) > 8 and lines[2] == "0"


def test_transforms_and_matrices_agree(standin: Path) -> None:
    compared, failed, routines = map(
        int, run(standin, "-m", "tests.on_libraries", FASTNP_BACKEND="cuda").split()
    )
    assert compared > 5000 and failed == 0 and routines > 2500


def test_transforms_and_matrices_stay_on_the_device(standin: Path) -> None:
    lines = script(
        standin,
        """
        import fastnp as np, numpy
        x = np.linspace(0.0, 1.0, 4096).reshape(64, 64)
        np.synchronize()
        before = np.stats()
        with np.strict():
            y = np.fft.irfft2(np.fft.rfft2(x) * 2.0)
            z = np.fft.fftn(x[:4, ::2], (8, 16), (1, 0), "ortho").real
            z = z + np.fft.ihfft(x[0]).imag[3:4]
            a = x @ x.T + np.eye(64)
            lower = np.linalg.cholesky(a)
            w = np.linalg.solve(a, x) + np.linalg.inv(a) @ lower + np.linalg.eigh(a)[0]
        after = np.stats()
        print(after["library_routines"] - before["library_routines"], after["fallbacks"])
        # What came back is whether matrices were solved.
        print(after["bytes_downloaded"] - before["bytes_downloaded"])
        n = numpy.linspace(0.0, 1.0, 4096).reshape(64, 64)
        b = n @ n.T + numpy.eye(64)
        print(numpy.allclose(y, 2 * n), numpy.allclose(lower, numpy.linalg.cholesky(b)))
        c = numpy.linalg.solve(b, n) + numpy.linalg.inv(b) @ numpy.asarray(lower)
        print(numpy.allclose(w, c + numpy.linalg.eigvalsh(b)))
        # By NumPy's own function, and of memory that others write.
        plain = numpy.asarray(x)
        first = numpy.fft.fft(x)
        plain[...] = 1.0
        print(type(first).__module__, float(numpy.fft.fft(x)[0, 0].real), np.stats()["fallbacks"])
        many = np.linalg.inv(np.eye(3) + np.zeros((20, 1, 1)))
        print(float(many.sum()), np.fallbacks()[0].reason)
        """,
        FASTNP_BACKEND="cuda",
    )
    reason = "many small matrices, which the device would take one by one"
    assert lines == ["9 0", "16", "True True", "True", "fastnp 64.0 0", f"60.0 {reason}"]


def test_a_library_that_is_missing_is_named(standin: Path, tmp_path: Path) -> None:
    for library in standin.glob("lib*"):
        if "cufft" not in library.name:
            (tmp_path / library.name).symlink_to(library)
    (tmp_path / "device.h").symlink_to(standin / "device.h")
    program = """
        import fastnp as np
        x = np.ones((2, 2))
        print(float(np.fft.fft(x)[0, 0].real), float(np.linalg.inv(x + np.eye(2))[0, 0].round(3)))
        print([(f.name, f.reason) for f in np.fallbacks()])
        """
    lines = script(tmp_path, program, FASTNP_BACKEND="cuda")
    assert lines == ["2.0 0.667", "[('fft.fft', 'cuFFT is not installed')]"]
    lines = script(tmp_path, program, FASTNP_BACKEND="mock")
    reason = "'the device for tests has no libraries'"
    assert lines[1] == f"[('fft.fft', {reason}), ('linalg.inv', {reason})]"


def test_what_pays_moves_by_itself(standin: Path) -> None:
    lines = script(
        standin,
        """
        import fastnp as np
        np.set_device("auto")
        print(np.get_device())
        small = np.ones(5000)
        x = np.ones(3_000_000)
        np.synchronize()
        places = set()
        for _ in range(200):
            small = np.sqrt(small + 1.0)
            np.flush()
            assert "cuda" not in np.explain()
            x = np.sqrt(x + 1.0)
            np.flush()
            places.add("cuda" in np.explain())
        print(sorted(places), round(float(x[0]), 3))
        """,
    )
    assert lines == ["auto", "[False, True] 1.618"]


def test_what_a_loop_asks_for_again_is_a_graph(standin: Path) -> None:
    lines = script(
        standin,
        """
        import fastnp, numpy

        def program(np, flush):
            x, y = np.linspace(0.0, 1.0, 20_001), np.ones(20_001)
            z, out = np.arange(20_001.0), []
            for i in range(40):
                k = 7 * i
                x[k + 1 : -1] += 0.5 * (x[k:-2] + y[k + 2 :]) / (i + 1.0)
                y[:] = np.cumsum(x) * 1e-4
                t = np.sqrt(z + i)[::-1]
                z[::2] = t[::2] * 3.0
                w = np.stack([np.abs(x - y), np.minimum(y, t), t * 0.5])
                w[:, 100:200] = w.sum(axis=1)[:, None]
                flush()
                if i % 10 == 9:
                    m = w[:, :3]
                    out += [float(w.max()), float((m @ m).sum()), float(z[17])]
            return x, y, z, w, numpy.array(out)

        for tiny in (1024, 0):
            fastnp.settings(tiny=tiny)
            expected = program(numpy, lambda: None)
            before = fastnp.stats()["graphs_launched"]
            found = program(fastnp, fastnp.flush)
            print(all(numpy.allclose(e, numpy.asarray(f), 1e-9) for e, f in zip(expected, found)))
            print(fastnp.stats()["graphs_launched"] - before > 30)
        """,
        FASTNP_BACKEND="cuda",
    )
    assert lines == ["True"] * 4


def test_a_loop_that_fails_says_what_was_launched(standin: Path) -> None:
    lines = script(
        standin,
        """
        import fastnp as np
        x, y, z = (np.ones(5000) * k for k in (1, 2, 3))
        try:
            for i in range(100):
                x[1:] += y[:-1] * i
                y[:-1] -= z[1:]
                z *= 0.5
                x[:-2] = np.sqrt(y[2:] * y[2:])
                np.synchronize()
        except RuntimeError as error:
            print(i > 3, "unspecified launch failure" in str(error), "__global__" in str(error))
        """,
        FASTNP_BACKEND="cuda",
        STANDIN_LAUNCH="40",
    )
    assert lines == ["True True True"]


def test_kernels_of_a_loop_are_woven_and_debug_output_says_so(standin: Path) -> None:
    lines = script(
        standin,
        """
        import ctypes, os
        os.dup2(1, 2)
        import fastnp as np, numpy
        # Of three sizes, so that they are three kernels.
        x, y, w = [numpy.arange(n) + 1.0 for n in (5000, 6000, 7000)]
        a, b, c = [np.array(z) for z in (x, y, w)]
        for i in range(6):
            a = a * 0.5 + 1.0
            b = np.sqrt(b) + 0.25
            d = np.cumsum(c)
            np.synchronize()
            x = x * 0.5 + 1.0
            y = numpy.sqrt(y) + 0.25
        print(numpy.array_equal(a, x), numpy.array_equal(b, y), numpy.allclose(d, numpy.cumsum(w)))
        driver = ctypes.CDLL("libcuda.so")
        print(ctypes.c_int.in_dll(driver, "standin_woven_launches").value)
        """,
        FASTNP_BACKEND="cuda",
        FASTNP_WEAVE="2",
        FASTNP_DEBUG="1",
    )
    # The graph is made the second time, and woven the third.
    assert lines[-2:] == ["True True True", "4"]
    notes = [line for line in lines if "woven: " in line]
    assert any(line.startswith("fastnp: woven: map ") for line in notes), lines


@pytest.mark.skipif(find_spec("nvidia") is None, reason="the compiler's wheel is not installed")
def test_the_compiler_of_the_wheel_is_found(tmp_path: Path) -> None:
    lines = script(
        tmp_path,
        """
        import ctypes, fastnp
        try:
            fastnp.set_device("cuda")
        except RuntimeError:
            pass
        print(ctypes.CDLL("libnvrtc.so.13").nvrtcVersion is not None)
        """,
    )
    assert lines == ["True"]


def test_without_a_driver_there_is_an_error_and_all_else_works(tmp_path: Path) -> None:
    lines = script(
        tmp_path,
        """
        import fastnp as np
        try:
            np.set_device("cuda")
            print("there is a GPU")
        except RuntimeError as error:
            print(error)
        np.set_device("cpu")
        np.set_device("auto")
        print(float(np.ones(5000).sum()))
        """,
    )
    assert "CUDA" in lines[0] or lines[0] == "there is a GPU"
    assert lines[1] == "5000.0"
