"""Running NumPy's functions on our arrays, and the table of the functions that run natively.

`call` converts arguments to NumPy views and results to our arrays; `registry` maps NumPy's
functions to ours; `override` is dispatch to other array classes (NEP 13, NEP 18); `ufunc` and
`objects` wrap the ufuncs and objects that stay NumPy's. Imports `_state`. Read `call` first.
"""
