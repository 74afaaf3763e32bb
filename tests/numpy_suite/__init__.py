"""NumPy's own installed test files, run with fastnp in NumPy's place."""
