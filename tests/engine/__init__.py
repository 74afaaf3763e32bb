"""How the work is done: kernels, plans, memory, threads."""
