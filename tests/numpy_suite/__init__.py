"""NumPy's own installed test files, run with NumPy replaced by fastnp."""
