"""Device memory shared with other libraries, and NVIDIA's libraries for FFT and linear algebra.

Imports `_state` and `_fallback`. Read `interchange` for shared memory, `device_library` for
routines.
"""
