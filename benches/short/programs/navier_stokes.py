"""Vorticity of a two-dimensional fluid, pseudo-spectral, with Runge and Kutta's second order."""

import sys

import numpy as np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
N, VISCOSITY, DT = 64, 1e-3, 0.01

k = np.fft.fftfreq(N, 1 / N)
kx, ky = np.meshgrid(k, k, indexing="ij")
k2 = kx**2 + ky**2
inverse = np.where(k2 == 0, 0, 1 / np.where(k2 == 0, 1, k2))
keep = (np.abs(kx) < N / 3) & (np.abs(ky) < N / 3)
grid = np.arange(N) * 2 * np.pi / N
x, y = np.meshgrid(grid, grid, indexing="ij")
w = np.sin(4 * x) * np.cos(3 * y) + 0.5 * np.cos(x + 2 * y)
w_hat = np.fft.fft2(w)


def rate(w_hat):
    psi = w_hat * inverse
    u = np.real(np.fft.ifft2(1j * ky * psi))
    v = np.real(np.fft.ifft2(-1j * kx * psi))
    wx = np.real(np.fft.ifft2(1j * kx * w_hat))
    wy = np.real(np.fft.ifft2(1j * ky * w_hat))
    return -np.fft.fft2(u * wx + v * wy) * keep - VISCOSITY * k2 * w_hat


for _ in range(STEPS):
    first = rate(w_hat)
    second = rate(w_hat + DT * first)
    w_hat = w_hat + 0.5 * DT * (first + second)
w = np.real(np.fft.ifft2(w_hat))
print(f"{np.mean(w**2):.6f} {w.max():.5f}")
