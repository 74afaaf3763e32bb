"""Process-wide state: settings, device, floating-point error state, fallback ledger, counters.

Imports the extension only. Read `ledger` first.
"""
