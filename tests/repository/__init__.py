"""What the repository says of itself is true, and its tools run."""
