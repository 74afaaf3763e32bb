"""Benchmarks for asv, which times each commit: `asv run`, in this folder."""
