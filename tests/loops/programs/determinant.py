"""A determinant and an inverse by elimination with pivots, on lists of lists."""

import sys

import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 110
rng = np.random.default_rng(19)
matrix = rng.random((n, n)).tolist()


def determinant(matrix):
    a = [row[:] for row in matrix]
    result = 1.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i][k]) > abs(a[pivot][k]):
                pivot = i
        if a[pivot][k] == 0.0:
            return 0.0
        if pivot != k:
            a[k], a[pivot] = a[pivot], a[k]
            result = -result
        result *= a[k][k]
        for i in range(k + 1, n):
            factor = a[i][k] / a[k][k]
            row, top = a[i], a[k]
            for j in range(k, n):
                row[j] -= factor * top[j]
    return result


print(determinant(matrix))
