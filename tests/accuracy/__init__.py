"""How accurate the elementwise functions and the reductions are, ours and NumPy's side by side."""
