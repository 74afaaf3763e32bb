"""Tests and timings of a device, on a machine that has it: `python -m benches.device cuda`.

`__main__` has the command line, `comparisons` the tables of programs, `launches` what calls of
kernels cost, `kernels` NPBench, `modules` how each library is called, and `page` writes the figures
to a page.
"""
