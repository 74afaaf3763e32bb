"""Benches: the scripts that time fastnp beside others."""
