"""
The NPBench kernels as plain NumPy programs, and a runner that times them under several `np`.

`python -m npbench --help` starts here. The kernels live in `npbench/kernels`; `README.md` says how
to run them, how to add one and what the columns of the report mean.
"""
