"""Tests that cross the layers: NumPy conformance, whole programs, fuzzing and the house rules."""
