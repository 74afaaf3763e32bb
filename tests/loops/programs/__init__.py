"""Programs in the style of textbooks and scripts, each a file that takes its size as an argument.

`python -m tests.loops.programs` times them as whole processes, plain and under `python -m fastnp`.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent

# Sizes at which a program takes some hundredths of a second, of which compiled code gets a part.
SMALL = {
    "alignment": 120,
    "annealing": 4000,
    "barrier_option": 400,
    "bilateral": 14,
    "binary_search": 2000,
    "breadth_first": 60,
    "bubble_sort": 200,
    "canvas": 40,
    "cloth": 40,
    "collatz": 6000,
    "convolution": 24,
    "crank_nicolson": 60,
    "csr_jacobi": 20,
    "csr_product": 6,
    "determinant": 40,
    "edit_distance": 150,
    "epidemic": 8,
    "fft": 9,
    "floyd_warshall": 40,
    "gas": 100,
    "givens_qr": 16,
    "heap_sort": 1500,
    "histogram": 80,
    "ising_lcg": 8,
    "julia": 24,
    "kd_nearest": 200,
    "kmeans": 1,
    "knapsack": 400,
    "lcs": 150,
    "leapfrog": 800,
    "lennard_jones": 3,
    "life": 1,
    "lorenz": 5000,
    "mandelbrot": 32,
    "maze": 60,
    "median_filter": 36,
    "metropolis": 5,
    "monte_carlo_pi": 100_000,
    "nbody": 80,
    "parse_digits": 5000,
    "particles": 8,
    "pendulum": 50_000,
    "partitions": 400,
    "percolation": 8,
    "permutations": 6,
    "planets": 12,
    "polynomial": 3000,
    "prime_factors": 300,
    "q_learning": 120,
    "quick_sort": 2000,
    "random_walk": 40_000,
    "rk4_vectors": 400,
    "root_finding": 200,
    "rule110": 60,
    "run_length": 25_000,
    "sandpile": 300,
    "search_tree": 6000,
    "shortest_paths": 40,
    "sieve": 60_000,
    "simpson": 20_000,
    "sobel": 40,
    "sparse_life": 60,
    "union_find": 8000,
    "value_noise": 20,
    "viterbi": 300,
    "word_counts": 20000,
}


def names() -> list[str]:
    """The names of the programs."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem[0] != "_")
