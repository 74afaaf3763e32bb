"""Random programs of reads, writes and views, run under NumPy and under fastnp."""
