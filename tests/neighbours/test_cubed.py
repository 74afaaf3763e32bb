"""Cubed with our namespace, named in an environment variable: values, and chunks of ours."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("cubed")

PROGRAM = """
    import sys
    import cubed
    import cubed.array_api as xp
    import fastnp
    import numpy

    OPERATIONS = {
        "chain": lambda x, xp: xp.sqrt(x * 2 + 1) - xp.abs(x) / 3,
        "sum": lambda x, xp: xp.sum(x, axis=0),
        "mean": lambda x, xp: xp.mean(x, axis=1),
        "max": lambda x, xp: xp.max(x, axis=1),
        "std": lambda x, xp: xp.std(x, axis=0),
        "argmax": lambda x, xp: xp.argmax(x, axis=0),
        "cumulative_sum": lambda x, xp: xp.cumulative_sum(x, axis=0),
        "transpose": lambda x, xp: xp.permute_dims(x, (1, 0)),
        "matmul": lambda x, xp: xp.matmul(x, xp.permute_dims(x, (1, 0))),
        "tensordot": lambda x, xp: xp.tensordot(x, x, axes=((0,), (0,))),
        "outer": lambda x, xp: xp.linalg.outer(x[:, 0], x[0, :]),
        "where": lambda x, xp: xp.where(x > 0.5, x, -x),
        "concat": lambda x, xp: xp.concat([x, x], axis=1),
        "stack": lambda x, xp: xp.stack([x, x]),
        "astype": lambda x, xp: xp.astype(x, xp.float32),
        "slices": lambda x, xp: x[5:50:3, 2:],
        "positions": lambda x, xp: x[[3, 1, 40]],
        "roll": lambda x, xp: xp.roll(x, 3, axis=0),
        "broadcast_to": lambda x, xp: xp.broadcast_to(x, (2, 60, 40)),
    }


    def block(b):
        assert type(b) is fastnp.ndarray, type(b)
        return b + 1


    if __name__ == "__main__":
        values = numpy.random.default_rng(0).random((60, 40))
        spec = cubed.Spec(work_dir=sys.argv[1], allowed_mem="500MB")
        x = xp.asarray(values, chunks=(20, 16), spec=spec)
        for name, operation in OPERATIONS.items():
            result = operation(x, xp).compute()
            assert type(result) is fastnp.ndarray, (name, type(result))
            expected = operation(values, numpy)
            numpy.testing.assert_allclose(numpy.asarray(result), expected, 1e-12, err_msg=name)
        executor = cubed.runtime.create.create_executor("processes", {"max_workers": 2})
        result = cubed.map_blocks(block, x, dtype=float).compute(executor=executor)
        numpy.testing.assert_array_equal(numpy.asarray(result), values + 1)
        print("done")
"""


def test_values_are_those_of_numpy(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, str(program), str(tmp_path / "store")],
        env=os.environ | {"CUBED_BACKEND_ARRAY_API_MODULE": "fastnp"},
        capture_output=True,
        text=True,
    )
    assert ran.stdout == "done\n", ran.stderr
