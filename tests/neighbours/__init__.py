"""Other packages called with our arrays, compared with NumPy's; one file a package."""
