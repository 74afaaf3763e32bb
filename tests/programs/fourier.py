"""Spectra, filtering and convolution through the FFT."""

import numpy as np

t = np.arange(64) / 64
signal = np.sin(2 * np.pi * 5 * t) + 0.5 * np.cos(2 * np.pi * 12 * t)
# Rounding errors are another library's: what is zero without them is made so, also its sign.
spectrum = np.fft.rfft(signal).round(9) + 0
strongest = np.argsort(np.abs(spectrum))[::-1][:2]
print(strongest, np.abs(spectrum[strongest]).round(6), np.fft.rfftfreq(64, 1 / 64)[strongest])
spectrum[8:] = 0
low = np.fft.irfft(spectrum, 64)
print(np.allclose(low, np.sin(2 * np.pi * 5 * t)), low.dtype)
kernel = np.zeros(64)
kernel[:3] = [0.25, 0.5, 0.25]
smooth = np.fft.ifft(np.fft.fft(signal) * np.fft.fft(kernel)).real
direct = 0.25 * signal + 0.5 * np.roll(signal, 1) + 0.25 * np.roll(signal, 2)
print(np.allclose(smooth, direct), np.fft.fftshift(np.arange(5)))
print(np.fft.fft2(np.eye(3)).round(6) + 0)
