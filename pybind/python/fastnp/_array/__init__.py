"""The class `ndarray` as far as it is written in Python: methods, metaclass, flags, subclasses.

The extension defines the class and its native methods; `methods` adds the others. Imports `_state`
and `_fallback`. Read `methods` first.
"""
