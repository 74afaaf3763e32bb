"""NumPy functions with a native version, one file a topic.

Importing a file registers its functions (`_fallback.registry.native`). `fft`,
`fft_device`, `linalg_device` and `random` are imported on first use, which keeps the import of the
package cheap. This sub-package may import every other one. Read `reduce` first.
"""

from fastnp._functions import (
    bits,
    callbacks,
    comparison,
    counting,
    creation,
    difference,
    einsum,
    elementwise,
    indexing,
    linalg,
    linear_algebra,
    nan,
    pad,
    rearrange,
    reduce,
    shape,
    signal,
    statistics,
    types,
)

__all__ = [
    "bits",
    "callbacks",
    "comparison",
    "counting",
    "creation",
    "difference",
    "einsum",
    "elementwise",
    "indexing",
    "linalg",
    "linear_algebra",
    "nan",
    "pad",
    "rearrange",
    "reduce",
    "shape",
    "signal",
    "statistics",
    "types",
]
