"""Errors over all 2^32 arguments of float32. The reference is NumPy's float64 function, whose error is negligible in float32."""

from __future__ import annotations

import fastnp
import numpy as np

from tests.accuracy.functions import Row, errors

CHUNK = 1 << 22


def measure(name: str) -> Row:
    """The largest error of a function of one argument over all singles; takes minutes."""
    found = [(0.0, ""), (0.0, "")]
    for start in range(0, 1 << 32, CHUNK):
        x = np.arange(start, start + CHUNK, dtype=np.uint64).astype(np.uint32).view(np.float32)
        x = x[~np.isnan(x)]
        if not len(x):
            continue
        with np.errstate(all="ignore"):
            true = getattr(np, name)(x.astype(np.float64)).astype(np.longdouble)
            results = [getattr(fastnp, name)(fastnp.array(x)), getattr(np, name)(x)]
            for which, result in enumerate(results):
                ulps = np.nan_to_num(errors(np.asarray(result), true), nan=0.0)
                at = int(np.argmax(ulps))
                found[which] = max(found[which], (float(ulps[at]), str(x[at])))
    return Row(name, "float32", *found[0], *found[1])
