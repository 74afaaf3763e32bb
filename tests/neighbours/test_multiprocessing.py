"""Processes of the standard library: arguments, results and shared memory are arrays of ours."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

PROGRAM = """
    from multiprocessing import get_context
    from multiprocessing.shared_memory import SharedMemory

    import fastnp as np


    def double(x):
        return x * 2


    def double_shared(name):
        memory = SharedMemory(name)
        x = np.ndarray(1000, float, buffer=memory.buf)
        x *= 2
        total = float(x.sum())
        del x
        memory.close()
        return total


    if __name__ == "__main__":
        memory = SharedMemory(create=True, size=8000)
        x = np.ndarray(1000, float, buffer=memory.buf)
        x[:] = 1
        with get_context("spawn").Pool(1) as pool:
            result = pool.map(double, [np.arange(3.0)])[0]
            print(type(result) is np.ndarray, result)
            print(pool.map(double_shared, [memory.name])[0], float(x.sum()))
        del x
        memory.close()
        memory.unlink()
"""


def test_arrays_travel_and_memory_is_shared(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    ran = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert ran.stdout == "True [0. 2. 4.]\n2000.0 2000.0\n", ran.stderr
