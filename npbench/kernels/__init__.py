"""The kernels, one file each. They are read as source and run under a chosen `np`, not imported."""
