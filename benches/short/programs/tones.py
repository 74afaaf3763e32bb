"""A noisy signal: windows, spectra, filters, and peaks."""

import sys

import numpy as np

SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 4

rate = 8000
rng = np.random.default_rng(1)
t = np.arange(rate * SECONDS) / rate
signal = (
    np.sin(2 * np.pi * 440 * t)
    + 0.5 * np.sin(2 * np.pi * 1200 * t)
    + 0.3 * rng.standard_normal(t.size)
)
size, hop = 512, 128
window = np.hanning(size)
frames = np.array([signal[i : i + size] * window for i in range(0, t.size - size, hop)])
power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
decibels = 10 * np.log10(power + 1e-12)
frequency = np.fft.rfftfreq(size, 1 / rate)
mean = power.mean(axis=0)
peaks = (
    np.where(
        (mean[1:-1] > mean[:-2]) & (mean[1:-1] > mean[2:]) & (mean[1:-1] > 20 * np.median(mean))
    )[0]
    + 1
)
taps = np.sinc(0.2 * (np.arange(65) - 32)) * np.hamming(65)
taps /= taps.sum()
smooth = np.convolve(signal, taps, mode="same")
spectrum = np.fft.rfft(signal)
spectrum[np.fft.rfftfreq(signal.size, 1 / rate) > 800] = 0
low = np.fft.irfft(spectrum, signal.size)
print(frequency[peaks][:4], f"{decibels.mean():.4f} {smooth.std():.5f} {low.std():.5f}")
