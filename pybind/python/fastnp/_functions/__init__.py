"""NumPy functions with a native version, one file a topic.

A file is imported when one of its functions is first looked up, which keeps the import of the
package cheap: a program needs some of them. Importing it registers its functions
(`_fallback.registry.native`). `TOPICS` names those that are NumPy's or `numpy.linalg`'s; `fft`,
`fft_device`, `linalg_device` and `random` are imported with their module of NumPy's. This
sub-package may import every other one. Read `reduce` first.
"""

from __future__ import annotations

from fastnp._fallback.registry import on_demand

__all__ = ["TOPICS"]

# The functions of each file, by name. Names that this version of NumPy lacks are skipped.
TOPICS = {
    "callbacks": "apply_along_axis apply_over_axes fromfunction",
    "comparison": "allclose array_equal array_equiv isclose iscomplexobj isreal isrealobj",
    "counting": """
        bincount digitize histogram histogram2d histogram_bin_edges histogramdd interp
        searchsorted
        """,
    "creation": "eye identity indices linspace logspace meshgrid tri",
    "difference": "diff ediff1d gradient trapezoid unwrap",
    "einsum": "einsum",
    "elementwise": """
        angle around asarray_chkfinite clip divmod fix frexp imag iscomplex isneginf isposinf
        ldexp modf nan_to_num polyval real real_if_close round sinc where
        """,
    "indexing": """
        choose compress extract fill_diagonal flatnonzero nonzero piecewise place put
        put_along_axis putmask select take take_along_axis
        """,
    "linalg": """
        linalg.cross linalg.diagonal linalg.matmul linalg.matrix_norm linalg.matrix_power
        linalg.matrix_transpose linalg.outer linalg.trace linalg.vector_norm
        """,
    "linear_algebra": """
        cross diag diagflat diagonal kron linalg.norm matmul outer tensordot trace tril triu
        """,
    "nan": """
        nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd nansum
        nanvar
        """,
    "pad": "pad",
    "rearrange": "delete insert repeat resize roll tile trim_zeros",
    "reduce": """
        all amax amin any argmax argmin average count_nonzero cumprod cumsum cumulative_prod
        cumulative_sum max mean min prod ptp std sum var
        """,
    "shape": """
        array_split atleast_1d atleast_2d atleast_3d block broadcast_arrays broadcast_to
        dsplit expand_dims flip fliplr flipud hsplit matrix_transpose moveaxis ndim ravel
        reshape rollaxis rot90 shape size split squeeze swapaxes transpose unstack vsplit
        """,
    "signal": """
        bartlett blackman hamming hanning polyadd polyder polymul polysub vander
        """,
    "statistics": "corrcoef cov",
    "types": "astype common_type",
}

for _topic, _names in TOPICS.items():
    on_demand(f"fastnp._functions.{_topic}", _names.split())
