"""Device memory shared with other libraries, NVIDIA's libraries for FFT and linear algebra, and
packages that keep tables of array classes.

Imports `_state` and `_fallback`. Read `interchange` for shared memory, `device_library` for
routines, `import_hooks` for packages.
"""
