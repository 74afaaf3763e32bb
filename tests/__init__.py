"""Tests that cross the layers, sorted by what they need besides Python and pytest.

Nothing: `test_tidy.py`, the house rules over every file, and `test_architecture.py`, the order of
folders.

The extension: `array`, what a user sees, beside NumPy; `python_layer`, the package around the
extension; `engine`, kernels, plans, memory and threads; `fuzz`, random programs; `accuracy`, errors
of functions and sums; `loops`, loops that run compiled; `npbench`, the benchmark's kernels and its
runner; `repository`, that documents, tables, benches and types are as they say.

A C compiler, and the wheel of NVIDIA's: `device`, devices and the CUDA backend without a GPU.

NumPy's test files: `numpy_suite`. The array API standard's: `array_api`.

Other packages: `neighbours`, pandas, SciPy and more, given our arrays.

`programs` are whole programs that several tests run; files of no folder are what folders share.
"""
