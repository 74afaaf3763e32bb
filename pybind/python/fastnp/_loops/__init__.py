"""Loops of users' programs, compiled while they run: `jit`, `install`, `python -m fastnp`.

Imports `_state` and the extension. `rewrite` makes each loop statement a site, which the program
can leave for compiled code and come back to at any statement; read `site` for what happens there,
`outcome` for the interface to the compiler.
"""
