"""What other packages do with our arrays, against what they do with NumPy's; one file a package."""
