"""A wave packet at a barrier by the split-step Fourier method."""

import sys

import numpy as np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
N, LENGTH, DT = 2048, 200.0, 0.05

x = np.linspace(-LENGTH / 2, LENGTH / 2, N, endpoint=False)
k = 2 * np.pi * np.fft.fftfreq(N, LENGTH / N)
psi = np.exp(-((x + 30) ** 2) / 50 + 1j * 1.5 * x)
psi /= np.sqrt(np.sum(np.abs(psi) ** 2) * LENGTH / N)
potential = np.where(np.abs(x) < 1.0, 1.0, 0.0)
half = np.exp(-0.5j * potential * DT)
kinetic = np.exp(-0.5j * k**2 * DT)
for _ in range(STEPS):
    psi = half * psi
    psi = np.fft.ifft(kinetic * np.fft.fft(psi))
    psi = half * psi
density = np.abs(psi) ** 2 * LENGTH / N
print(f"{density.sum():.8f} {density[x > 1].sum():.6f} {(density * x).sum():.5f}")
