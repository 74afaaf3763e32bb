"""Tests of compiled loops."""
