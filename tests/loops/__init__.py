"""Loops that run compiled: rewriting, programs, `jit`. The compiler is a mock where it is not what
is tested.
"""
