"""Short programs as whole processes: `python -m benches.short`, described there."""
