"""The kernels as explicit loops for Numba, a file each, with the same name and arguments."""
