"""What a user sees: results, types, errors and protocols, beside NumPy."""
