"""What fails in the middle: nothing is lost or done twice, and values are right afterwards.

A test that could crash the process runs in its own process.
"""

from __future__ import annotations

import sys
import textwrap

import fastnp
import pytest

from tests.engine.test_robustness import run


def test_memory_error_leaves_operands_as_they_were() -> None:
    """A flush without memory has donated nothing: `y` would take over the memory of `x`."""
    program = """
        import resource
        np.settings(pool_limit=0)
        n = 3_000_000
        x = np.arange(float(n))
        float(x.sum())
        y = x * 2
        z = x + 1
        del x
        used = int(open("/proc/self/statm").read().split()[0]) * 4096
        resource.setrlimit(resource.RLIMIT_AS, (used + (8 << 20), -1))
        try:
            np.flush()
        except MemoryError:
            print("MemoryError")
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
        print(float(y[10]), float(z[10]))
    """
    assert run(program, limits_addresses=True).split() == ["MemoryError", "20.0", "11.0"]


def test_threads_are_bounded() -> None:
    with pytest.raises(ValueError, match="num_threads must be at most 1024"):
        fastnp.settings(num_threads=2**62)


def test_threads_that_cannot_be_made_are_done_without() -> None:
    """The limit leaves no room for the stacks of workers."""
    program = """
        import resource
        x = np.arange(4e6)
        float(x.sum())
        used = int(open("/proc/self/statm").read().split()[0]) * 4096
        resource.setrlimit(resource.RLIMIT_AS, (used + (40 << 20), -1))
        with np.settings(num_threads=64):
            print(float((np.sqrt(x) * x).max()))
    """
    assert run(program).split() == [str(float((4e6 - 1) ** 1.5))]


@pytest.mark.parametrize("when", ["before", "after_in_child", "after_in_parent"])
def test_fork_hooks_use_arrays(when: str) -> None:
    """Hooks registered before the import run between the engine's own."""
    program = """
        import os, signal, time
        signal.alarm(20)
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            os._exit(int((np.ones(100_000) + 1).sum() != 200_000))
        print(os.waitpid(pid, 0)[1])
    """
    hook = f"""
        import os, sys
        def hook():
            if "fastnp" in sys.modules:
                ones = sys.modules["fastnp"].ones
                assert float((ones(100_000) * 2).sum()) == 200_000 and float(ones(3).sum()) == 3
        os.register_at_fork({when}=hook)
        import fastnp as np
    """
    assert run(textwrap.dedent(hook) + textwrap.dedent(program), module="sys").split() == ["0"]


def test_subinterpreters_are_refused() -> None:
    module = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    program = f"""
        import {module} as interpreters
        other = interpreters.create()
        try:
            found = interpreters.run_string(other, "import fastnp")
        except Exception as error:
            found = error
        assert "cannot be imported in a subinterpreter" in str(found), found
        import fastnp
        interpreters.destroy(other)
        print(float(fastnp.ones(3).sum()))
    """
    assert run(program, module="sys").split() == ["3.0"]


def test_no_array_has_more_axes_than_numpy_allows() -> None:
    a = fastnp.arange(24.0).reshape((2, 3, 4) + (1,) * 37)
    positions = fastnp.array([1, 0, 1]).reshape((3,) + (1,) * 39)
    with pytest.raises(IndexError, match="indexing result would have 79"):
        a[positions]
    many = fastnp.ones((1,) * 64)
    text = "maximum supported dimension for an ndarray is currently 64, found "
    for make in (
        lambda: many.reshape((1,) * 65),
        lambda: fastnp.expand_dims(many, 0),
        lambda: fastnp.broadcast_to(fastnp.ones(1), (1,) * 65),
        lambda: fastnp.full((1,) * 65, 1.0),
        lambda: fastnp.tensordot(a, a, 0),
    ):
        with pytest.raises(ValueError, match=text):
            make()
