"""Benches: scripts that time fastnp and compare it with other libraries."""
