"""Threads, forks, interrupts, memory, long graphs and the end of the process.

A test that could crash the process runs in its own process. No test asserts a duration.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import resource
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import fastnp
import numpy
import pytest

LONG = 1_000_000  # elements that keep a kernel busy for milliseconds


def run(
    program: str,
    *arguments: Any,
    module: str = "fastnp",
    limits_addresses: bool = False,
    **limits: int,
) -> str:
    """What a program prints in a process of its own; it must end well and quietly."""
    text = f"import sys\nimport {module} as np\n" + textwrap.dedent(program)

    def limited() -> None:
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, name), (value, value))

    done = subprocess.run(
        [sys.executable, "-c", text, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=limited if limits else None,
        # glibc reserves 64 MB of addresses for each thread that allocates, whenever it first does.
        env=os.environ | {"MALLOC_ARENA_MAX": "1"} if limits_addresses else None,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


# --- threads --------------------------------------------------------------------------------------


def test_threads_record_and_evaluate_on_shared_arrays() -> None:
    rows, rounds = 8, 60
    shared = fastnp.arange(rows * 3000, dtype=float).reshape(rows, 3000)
    written = fastnp.zeros((rows, 3000))
    expected = numpy.arange(rows * 3000, dtype=float).reshape(rows, 3000)

    def work(row: int) -> float:
        total = 0.0
        for i in range(rounds):
            written[row] += shared[row] * i
            view = written[row, 1:-1]
            total += float((shared + i)[row].sum()) + float(view[0] - view[0])
        return total

    with ThreadPoolExecutor(rows) as pool:
        totals = list(pool.map(work, range(rows)))
    weights = sum(range(rounds))
    numpy.testing.assert_array_equal(numpy.asarray(written), expected * weights)
    numpy.testing.assert_allclose(
        totals, expected.sum(axis=1) * rounds + 3000 * weights, rtol=1e-12
    )


def test_the_rest_of_the_program_runs_during_a_long_kernel() -> None:
    steps, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            steps[0] += 1

    x = fastnp.linspace(0.0, 1.0, LONG)
    y = x
    for _ in range(40):
        y = fastnp.sin(y) + x
    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = steps[0]
        fastnp.flush()
        during = steps[0] - before
    finally:
        stop.set()
        thread.join()
    assert during > 100  # 0 if the GIL was never released


def test_threads_wait_for_each_other_without_the_gil() -> None:
    def chain(seed: int) -> float:
        x = fastnp.full(LONG // 4, float(seed))
        for _ in range(5):
            x = fastnp.sqrt(x * x + 1.0)
        return float(x[seed])

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(chain, range(24)))
    numpy.testing.assert_allclose(found, numpy.sqrt(numpy.arange(24.0) ** 2 + 5.0), rtol=1e-14)


# --- forks ----------------------------------------------------------------------------------------


def big_sum(n: int) -> float:
    return float((fastnp.ones(n) * 2.0 + fastnp.arange(n)).sum())


def test_fork_after_use() -> None:
    pending = fastnp.ones(LONG) * 3.0
    assert big_sum(LONG) > 0  # the thread pool is there
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(big_sum, [10, LONG]) == [big_sum(10), big_sum(LONG)]
    assert float(pending.sum()) == 3.0 * LONG


def test_fork_while_another_thread_computes() -> None:
    stop = threading.Event()

    def compute() -> None:
        x = fastnp.linspace(0.0, 1.0, LONG)
        while not stop.is_set():
            float((fastnp.sin(x) + fastnp.cos(x)).sum())

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                os._exit(0 if big_sum(LONG) == big_sum(LONG) > 0 else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()


# --- interrupts -----------------------------------------------------------------------------------

COMPUTES_FOR_LONG = """
    import os, signal, threading
    x = np.linspace(0.0, 1.0, 2_000_000)
    y = x
    for _ in range(300):
        y = np.sin(y) + np.cos(x)
"""


def test_an_interrupt_stops_a_long_computation_and_loses_nothing() -> None:
    out = run(
        COMPUTES_FOR_LONG
        + """
    # What runs in the background of a shell is started with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.06, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        np.flush()
        print("ran to its end")
    except KeyboardInterrupt:
        print("interrupted")
    before = np.stats()["kernels_launched"]
    np.flush()
    print(np.stats()["kernels_launched"] > before)
    y = y[:100].copy()
    import numpy
    x = z = numpy.linspace(0.0, 1.0, 2_000_000)[:100]
    for _ in range(300):
        z = numpy.sin(z) + numpy.cos(x)
    print(numpy.allclose(numpy.asarray(y), z, rtol=1e-12))
    """
    )
    assert out.split() == ["interrupted", "True", "True"]


# `interrupted(work, size)`: the result of `work`, of a size for which it takes a second, and the
# same result interrupted, a part of it pending. Prints whether the interrupt came through early.
INTERRUPTS = """
    import os, signal, threading, time
    import numpy
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupted(work, size):
        while True:
            whole_result = work(size)
            started = time.perf_counter()
            np.flush()
            whole = time.perf_counter() - started
            if whole > 1:
                break
            size *= 2
        result = work(size)
        threading.Timer(0.06, os.kill, (os.getpid(), signal.SIGINT)).start()
        started = time.perf_counter()
        try:
            np.flush()
            print("ran to its end")
        except KeyboardInterrupt:
            print(time.perf_counter() - started < whole / 2)
        return whole_result, result
    """


def test_an_interrupt_stops_a_long_kernel() -> None:
    out = run(
        INTERRUPTS
        + """
    x, sines = np.linspace(0.0, 1.0, 8000), 4

    def long_sums(sines):
        product = x[:, None] * x
        for _ in range(sines):
            product = np.sin(product)
        return product.sum(axis=0)

    sums, again = interrupted(long_sums, sines)
    np.flush()  # what is left, by the plan that made `sums`
    print(numpy.array_equal(again, sums))
    """
    )
    assert out.split() == ["True", "True"]


def test_an_interrupt_stops_an_update_in_place() -> None:
    out = run(
        INTERRUPTS
        + """
    size = 1_000_000

    def update(size):
        x = np.linspace(0.5, 1.0, size)
        np.flush()
        power = x + 0.0
        for _ in range(30):
            power = power**x
        x += power
        del power
        return x

    expected, x = interrupted(update, size)
    y = x[1:] - 1
    print(numpy.array_equal(x, expected), numpy.array_equal(y, numpy.asarray(expected)[1:] - 1))
    """
    )
    assert out.split() == ["True", "True", "True"]


def test_a_handler_of_the_users_runs_after_the_computation() -> None:
    out = run(
        COMPUTES_FOR_LONG
        + """
    signal.signal(signal.SIGINT, lambda *_: print("handled", float(np.ones(3).sum())))
    threading.Timer(0.06, os.kill, (os.getpid(), signal.SIGINT)).start()
    np.flush()
    print(np.isfinite(y).all())
    """
    )
    assert out.split() == ["handled", "3.0", "True"]


# --- long graphs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 3000])
def test_a_chain_of_100000_steps(n: int) -> None:
    x, y = fastnp.ones(n), numpy.ones(n)
    for _ in range(100_000):
        x = x * 0.999 + 0.5
        y = y * 0.999 + 0.5
    numpy.testing.assert_array_equal(numpy.asarray(x), y)


def test_a_sum_of_1000_terms() -> None:
    terms = [fastnp.full(2000, float(i)) for i in range(1000)]
    numpy.testing.assert_array_equal(numpy.asarray(sum(terms)), numpy.full(2000, 499500.0))
    nested: Any = terms[0]
    for term in terms[1:]:
        nested = term - nested
    assert float(nested[7]) == 500.0


def test_views_of_views_of_views() -> None:
    x = fastnp.arange(20_000)
    view = x
    for _ in range(9_000):
        view = view[1:]
    assert int(view[0]) == 9_000
    del x
    assert int(view[-1]) == 19_999


# --- memory ---------------------------------------------------------------------------------------

PEAK = """
    import resource
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
"""
ACCUMULATION = (
    PEAK
    + """
    n, steps = int(sys.argv[1]), int(sys.argv[2])
    x, total = np.linspace(0.0, 1.0, n), np.zeros(n)
    for i in range(steps):
        total = total + x * i
    print(float(total[-1]))
    print(peak())
    """
)
FRESH_INPUTS = (
    PEAK
    + """
    n, steps = int(sys.argv[1]), int(sys.argv[2])
    source, total = b"\\1" * (8 * n), np.zeros(n)
    for i in range(steps):
        fresh = np.array(np.frombuffer(source, dtype=np.int64))
        total = total + fresh
    print(float(total[-1]))
    print(peak())
    """
)


@pytest.mark.parametrize(
    ("program", "n", "steps"), [(ACCUMULATION, 500_000, 400), (FRESH_INPUTS, 500_000, 100)]
)
def test_peak_memory_is_that_of_numpy(program: str, n: int, steps: int) -> None:
    value, peak = run(program, n, steps).split()
    expected, allowed = run(program, n, steps, module="numpy").split()
    assert value == expected
    assert int(peak) <= 1.1 * int(allowed)


def test_memory_does_not_grow_over_100000_steps() -> None:
    few, many = (int(run(ACCUMULATION, 5_000, steps).split()[1]) for steps in (2_000, 100_000))
    assert many - few < 1024  # kilobytes


def test_nothing_leaks_over_many_evaluations_and_errors() -> None:
    """All kinds of operations and of errors; a million evaluations by `tests.fuzz.leaks`."""
    command = [sys.executable, "-m", "tests.fuzz.leaks", "--count", "40000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_large_results_wait_for_reuse_where_there_is_memory() -> None:
    """Blocks of more than 512 MiB, of which no page but the first is ever touched."""
    out = run(
        """
    def take(n):
        x = np.empty(n)
        x[:5] = 1.0
        np.eval(x)
    def cached():
        return np.stats()["bytes_cached"]
    with open("/proc/meminfo") as file:
        available = next(int(line.split()[1]) << 10 for line in file if "MemAvailable" in line)
    before, size = cached(), 8 * 75_000_000
    for _ in range(2):
        take(75_000_000)
    waits = cached() - before
    print(waits < 1.3 * size, waits > size or available < 8 * size)
    take(150_000_000)
    print(cached() < 8 * 150_000_000 * 1.3)
    with np.settings(pool_limit=1 << 20):
        print(cached() <= 1 << 20)
        take(75_000_000)
        print(cached() <= 1 << 20)
    """
    )
    assert out.split() == ["True"] * 5


def test_a_memory_error_loses_nothing() -> None:
    out = run(
        """
    import resource
    x = np.ones(2_000_000)
    float(x.sum())
    used = int(open("/proc/self/statm").read().split()[0]) * 4096
    # Two results of 16 MB fit, with what kernels and their threads need; six do not.
    resource.setrlimit(resource.RLIMIT_AS, (used + (60 << 20), -1))
    results = [x * i for i in range(6)]
    try:
        np.flush()
        print("fits")
    except MemoryError as error:
        print("MemoryError", "Unable to allocate" in str(error))
    try:
        np.ones((1 << 40,))
    except MemoryError:
        print("MemoryError")
    kept = results[5]
    del results
    print(float(kept[3]), float((kept + x)[4]))
    """,
        limits_addresses=True,
    )
    assert out.split() == ["MemoryError", "True", "MemoryError", "5.0", "6.0"]


# --- the end --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        "x = np.ones(1_000_000) * 2",
        "x = np.ones(10)\nclass C: pass\nc = C(); c.c = c; c.x = x * 2",
        "import atexit\nx = np.ones(100_000)\natexit.register(lambda: print(float((x * 2).sum())))",
        "y = np.sin(np.ones(1_000_000))\nfloat(y.sum())\nsys.exit()",
        "a = np.asarray(np.ones(5))\nsys.modules['kept'] = a * 3",
        """
        import threading
        def forever():
            x = np.linspace(0.0, 1.0, 1_000_000)
            while True:
                float(np.sin(x).sum())
        for _ in range(3):
            threading.Thread(target=forever, daemon=True).start()
        float(np.sin(np.ones(1_000_000)).sum())
        """,
    ],
    ids=["pending", "cycle", "atexit", "exit", "module", "daemons"],
)
def test_the_interpreter_ends_quietly(program: str) -> None:
    for _ in range(5):
        run(program)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="what glibc learns")
def test_results_of_numpy_touch_no_new_pages() -> None:
    program = """
    import resource
    a = np.eye(1_000)
    for _ in range(3):  # memory that is kept from then on
        (np.linalg.cholesky(a) + 1).sum()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        (np.linalg.cholesky(a) + 1).sum()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    """
    assert int(run(program)) < 8_000  # of 16 MB once, at most; six times that under NumPy


def test_signals_are_left_as_they_were() -> None:
    handlers = "[signal.getsignal(s) for s in signal.valid_signals()]"
    program = f"""
    import signal
    before = {handlers}
    import fastnp
    fastnp.arange(10_000.0).sum()
    print({handlers} == before)
    """
    assert run(program, module="numpy") == "True\n"
