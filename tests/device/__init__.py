"""Arrays on devices, and the CUDA backend without a GPU."""
