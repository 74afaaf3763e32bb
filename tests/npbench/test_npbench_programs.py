"""Networks, physics and loops over elements, against slow, obvious formulations."""

from __future__ import annotations

import cmath
import itertools
import math
from functools import cache
from typing import Any

import numpy as np

from npbench import catalog


def close(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-12)


def test_azimint_hist(run_kernel: Any) -> None:
    before, _, result = run_kernel("azimint_hist")
    low, high = before["radius"].min(), before["radius"].max()
    rings: list[list[float]] = [[] for _ in range(before["npt"])]
    for value, radius in zip(before["data"], before["radius"], strict=True):
        ring = int((radius - low) / (high - low) * before["npt"])
        rings[min(ring, before["npt"] - 1)].append(value)
    close(result, [math.fsum(ring) / len(ring) for ring in rings])


def test_crc16(run_kernel: Any) -> None:
    before, _, result = run_kernel("crc16")
    # A division of polynomials over bits, without reflection: each byte is turned around instead.
    bits = [int(bit) for byte in before["data"] for bit in reversed(f"{byte:08b}")]
    register = 0xFFFF
    for bit in bits:
        top = (register >> 15) ^ bit
        register = (register << 1 & 0xFFFF) ^ (0x1021 if top else 0)
    turned = int(f"{register ^ 0xFFFF:016b}"[::-1], 2)
    assert int(result) == (turned & 0xFF) << 8 | turned >> 8


def test_crc16_of_the_standard_test_message(run_kernel: Any) -> None:
    _, _, result = run_kernel("crc16", data=np.frombuffer(b"123456789", np.uint8))
    # The check value of CRC-16/X-25 is 906e; the low byte is sent first.
    assert int(result) == 0x6E90


def convolution(x: Any, weights: Any) -> Any:
    """By the definition, in float64."""
    K = weights.shape[0]
    found = np.zeros((x.shape[0], x.shape[1] - K + 1, x.shape[2] - K + 1, weights.shape[3]))
    for i, j in itertools.product(range(K), range(K)):
        part = x[:, i : i + found.shape[1], j : j + found.shape[2], :].astype(float)
        found += np.einsum("nhwc,cd->nhwd", part, weights[i, j].astype(float))
    return found


def rectified(x: Any) -> Any:
    return np.where(x > 0, x, 0.0)


def test_lenet(run_kernel: Any) -> None:
    before, _, result = run_kernel("lenet")
    x = before["input"]
    for layer in ("conv1", "conv2"):
        x = rectified(convolution(x, before[layer]) + before[layer + "bias"])
        # Of an odd number of rows or columns the last has no window.
        windows = [x[:, i : i + x.shape[1] // 2 * 2 - 1 : 2] for i in (0, 1)]
        x = np.maximum(*windows)
        windows = [x[:, :, j : j + x.shape[2] // 2 * 2 - 1 : 2] for j in (0, 1)]
        x = np.maximum(*windows)
    x = x.reshape(before["N"], before["C_before_fc1"])
    for layer in ("fc1", "fc2", "fc3"):
        x = x @ before[layer + "w"].astype(float) + before[layer + "b"]
        x = rectified(x) if layer != "fc3" else x
    np.testing.assert_allclose(result, x, rtol=1e-5)
    assert result.dtype == np.float32


def test_mandelbrot2(run_kernel: Any) -> None:
    before, _, (Z, counts) = run_kernel("mandelbrot2")
    xs = np.linspace(before["xmin"], before["xmax"], before["XN"])
    ys = np.linspace(before["ymin"], before["ymax"], before["YN"])
    for (i, y), (j, x) in itertools.product(enumerate(ys), enumerate(xs)):
        z, count, last = 0j, 0, 0j
        for n in range(1, before["maxiter"] + 1):
            z = z * z + complex(x, y)
            if abs(z) > before["horizon"]:
                count, last = n, z
                break
        close(Z[i, j], last)
        assert counts[i, j] == count


def test_mlp(run_kernel: Any) -> None:
    before, _, result = run_kernel("mlp")
    x = before["input"].astype(float)
    for layer in "123":
        x = x @ before["w" + layer].astype(float) + before["b" + layer]
        x = rectified(x) if layer != "3" else x
    weights = np.exp(x - x.max(axis=1, keepdims=True))
    # The exponents are large sums in float32.
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-6)
    assert result.dtype == np.float32


def test_nussinov(run_kernel: Any) -> None:
    before, _, result = run_kernel("nussinov")
    bases = before["seq"].tolist()

    @cache
    def pairs(i: int, j: int) -> int:
        """The most pairs within the bases i to j; neighbours do not pair."""
        if j <= i:
            return 0
        best = max(pairs(i, k) + pairs(k + 1, j) for k in range(i, j))
        return max(best, pairs(i + 1, j - 1) + (j > i + 1 and bases[i] + bases[j] == 3))

    for i, j in np.ndindex(result.shape):
        assert result[i, j] == pairs(i, j)
    assert result.max() > 0
    assert result.dtype == np.int32


def normalised(x: Any) -> Any:
    """Over the images, with a small number against a division by zero."""
    return (x - x.mean(axis=0)) / np.sqrt(x.std(axis=0) + 1e-5)


def test_resnet(run_kernel: Any) -> None:
    before, _, result = run_kernel("resnet")
    x = convolution(before["input"], before["conv1"])
    x = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)])
    x = rectified(normalised(x))
    x = rectified(normalised(convolution(x, before["conv2"])))
    x = normalised(convolution(x, before["conv3"]))
    np.testing.assert_allclose(result, rectified(x + before["input"]), rtol=1e-2, atol=1e-3)
    assert result.dtype == np.float32


def test_scattering_self_energies(run_kernel: Any) -> None:
    before, after, _ = run_kernel("scattering_self_energies")
    dH, G, D = (before[name] for name in ("dH", "G", "D"))
    atoms, neighbours = before["neigh_idx"].shape
    for a, b in np.ndindex(atoms, neighbours):
        assert before["neigh_idx"][a, b] == (a + b - neighbours // 2) % atoms
    expected = np.zeros_like(before["Sigma"])
    for w in range(D.shape[1]):
        for E in range(w, G.shape[1]):
            near = G[:, E - w][:, before["neigh_idx"]]
            expected[:, E] += np.einsum(
                "kabxy,abiyz,abjzu,qabij->kaxu", near, dH, dH, D[:, w], optimize=True
            )
    close(after["Sigma"], expected)


def test_seidel_2d(run_kernel: Any) -> None:
    # Random data: a difference between old and new neighbours is seen.
    shape = catalog.find("seidel_2d").inputs("test")["A"].shape
    before, after, _ = run_kernel("seidel_2d", A=np.random.default_rng(7).random(shape))
    A = before["A"]
    inner = range(1, before["N"] - 1)
    for _, i, j in itertools.product(range(before["TSTEPS"] - 1), inner, inner):
        A[i, j] = A[i - 1 : i + 2, j - 1 : j + 2].sum() / 9
    close(after["A"], A)


def test_stockham_fft(run_kernel: Any) -> None:
    before, after, _ = run_kernel("stockham_fft")
    n = before["N"]
    for k in range(n):
        terms = (before["x"][j] * cmath.exp(-2j * math.pi * j * k / n) for j in range(n))
        close(after["y"][k], sum(terms))


def test_stockham_fft_of_another_radix(run_kernel: Any) -> None:
    x = np.random.default_rng(7).random(27) + 0j
    other = {"N": 27, "R": 3, "K": 3, "x": x, "y": np.zeros(27, complex)}
    _, after, _ = run_kernel("stockham_fft", **other)
    close(after["y"], np.fft.fft(x))
