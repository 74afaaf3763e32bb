"""`numpy.fft` on the host: results, types, strides and errors as NumPy's."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import fastnp
import numpy
import pytest

ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL_AXES = ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2")
NORMS = (None, "backward", "ortho", "forward")
# Powers and products of small primes, large primes, and what is split or done in lanes.
LENGTHS = (*range(1, 34), 47, 64, 97, 100, 128, 243, 331, 1009, 2048, 2187, 4096, 6561)

rng = numpy.random.default_rng(5)


@pytest.fixture(autouse=True)
def same_numbers(request: pytest.FixtureRequest) -> None:
    """Each test draws the same numbers, whichever tests ran before it in its process."""
    global rng
    rng = numpy.random.default_rng(list(request.node.name.encode()))


def numbers(shape: tuple[int, ...], code: str) -> Any:
    """NumPy's array of random numbers."""
    if code in "?bBhHiIlLqQ":
        return rng.integers(0, 100, shape).astype(code)
    real = rng.standard_normal(shape)
    return (real + 1j * rng.standard_normal(shape) if code in "FD" else real).astype(code)


def any_layout(x: Any) -> Any:
    """A view of the elements with another order of axes, gaps, or negative strides."""
    how = rng.integers(5)
    if how == 1:
        return numpy.asfortranarray(x)
    if how == 2:
        wide = numpy.zeros(tuple(2 * n for n in x.shape), x.dtype)
        view = wide[tuple(slice(None, None, 2) for _ in x.shape)]
        view[...] = x
        return view
    if how == 3:
        return x[tuple(slice(None, None, -1) for _ in x.shape)]
    if how == 4 and x.ndim > 1:
        order = rng.permutation(x.ndim)
        return numpy.ascontiguousarray(x.transpose(order)).transpose(numpy.argsort(order))
    return x


def compare(name: str, x: Any, *args: Any, **kwargs: Any) -> None:
    """The same as NumPy, without a fallback."""
    want = outcome(numpy, name, x, args, kwargs)
    ours = fastnp.asarray(x)
    fastnp.reset_stats()
    got = outcome(fastnp, name, ours, args, kwargs)
    if isinstance(want, Exception):
        assert type(got) is type(want), (name, got, want)
        assert str(got) == str(want)
        return
    assert fastnp.stats()["fallbacks"] == 0, (name, x.dtype, x.shape, args, kwargs)
    assert (got.dtype, got.shape, got.strides) == (want.dtype, want.shape, want.strides)
    if x.size == 0:
        # NumPy leaves results of `irfft` uninitialised.
        assert not got.any()
        return
    single = want.dtype.char in "efF" or x.dtype.char in "efF"
    # Several passes in single precision.
    bound = 1e-3 if want.dtype.char == "e" else 8e-6 if single else 1e-14
    scale = numpy.abs(want).max(initial=0)
    error = numpy.abs(numpy.asarray(got) - want).max(initial=0)
    assert error <= bound * scale, (name, x.dtype, x.shape, args, kwargs, error / scale)


def outcome(module: Any, name: str, x: Any, args: Any, kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return getattr(module.fft, name)(x, *args, **kwargs)
        except Exception as error:
            return error


@pytest.mark.parametrize("name", ONE_AXIS)
def test_lengths(name: str) -> None:
    for n in LENGTHS:
        code = "FD"[n % 2] if name in ("fft", "ifft", "irfft", "hfft") else "fd"[n % 2]
        compare(name, numbers((n,), code), norm=NORMS[n % 4])
        compare(name, any_layout(numbers((1 + n % 7, n), code)), norm=NORMS[n % 3])
        compare(name, any_layout(numbers((n, 1 + n % 5), code)), n, axis=0)


@pytest.mark.parametrize("name", ONE_AXIS)
@pytest.mark.parametrize("code", "?bBhHiIlLqQefdFD")
def test_types_sizes_and_axes(name: str, code: str) -> None:
    for shape in ((4,), (3, 5), (2, 7, 3), (1, 6), (5, 1), (0, 4), (4, 0)):
        x = any_layout(numbers(shape, code))
        for axis in range(-len(shape), len(shape) + 1):
            n = [None, 1, 2, 5, 8, 0, -1][int(rng.integers(7))]
            compare(name, x, n, axis, NORMS[int(rng.integers(4))])


@pytest.mark.parametrize("name", SEVERAL_AXES)
def test_several_axes(name: str) -> None:
    for _ in range(60):
        ndim = int(rng.integers(1, 5))
        shape = tuple(int(n) for n in rng.integers(1, 7, ndim))
        code = rng.choice(list("ldf") if name.startswith("rfft") else list("lefdFD"))
        x = any_layout(numbers(shape, str(code)))
        kwargs: dict[str, Any] = {"norm": NORMS[int(rng.integers(4))]}
        if rng.random() < 0.6:
            axes = [int(a) for a in rng.integers(-ndim, ndim, int(rng.integers(1, 4)))]
            kwargs["axes"] = tuple(axes)
            if rng.random() < 0.5:
                kwargs["s"] = [int(n) for n in rng.choice([-1, 1, 2, 3, 6, 9], len(axes))]
        compare(name, x, **kwargs)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "ihfft", "fftn", "irfftn"])
def test_out(name: str) -> None:
    real = name.startswith("rfft") or name == "ihfft"
    x = numbers((4, 6), "d" if real else "D")
    want = getattr(numpy.fft, name)(x)
    for target in (
        fastnp.empty(want.shape, want.dtype),
        fastnp.empty(want.shape[::-1], want.dtype).T,
    ):
        assert getattr(fastnp.fft, name)(fastnp.asarray(x), out=target) is target
        numpy.testing.assert_allclose(target, want, rtol=1e-13, atol=1e-13)
    if want.dtype == x.dtype and want.shape == x.shape:
        own = fastnp.array(x)
        getattr(fastnp.fft, name)(own, out=own)
        numpy.testing.assert_allclose(own, want, rtol=1e-13, atol=1e-13)
        wide = fastnp.empty((5, 6), "D")
        wide[:4] = x
        getattr(fastnp.fft, name)(wide[:4], out=wide[1:])
        numpy.testing.assert_allclose(wide[1:], want, rtol=1e-13, atol=1e-13)
    for wrong in (fastnp.empty((3, 3), want.dtype), fastnp.empty(want.shape, "i4")):
        raised = outcome(numpy, name, x, (), {"out": numpy.asarray(wrong)})
        got = outcome(fastnp, name, fastnp.asarray(x), (), {"out": wrong})
        assert type(got) is type(raised)
        assert str(got) == str(raised)


def test_pending_operands_and_later_writes() -> None:
    x = fastnp.arange(100_000.0)
    y = fastnp.sin(x) * 2
    spectrum = fastnp.fft.rfft(y)
    y[:] = 0
    want = numpy.fft.rfft(numpy.sin(numpy.arange(100_000.0)) * 2)
    numpy.testing.assert_allclose(spectrum, want, rtol=0, atol=1e-8)
    back = fastnp.fft.irfft(spectrum * 0.5)
    numpy.testing.assert_allclose(back, numpy.sin(numpy.arange(100_000.0)), atol=1e-9)


def test_lines_do_not_mix() -> None:
    x = numpy.ones((9, 16), "D")
    x[3, 5], x[6] = numpy.inf, 1e300
    clean = numpy.fft.fft(numpy.ones(16))
    got = numpy.asarray(fastnp.fft.fft(fastnp.asarray(x)))
    for row in (0, 1, 2, 4, 5, 7, 8):
        numpy.testing.assert_array_equal(got[row], clean)
    assert not numpy.isfinite(got[3]).all()


@pytest.mark.parametrize("special", [numpy.inf, -numpy.inf, numpy.nan, complex(1, numpy.inf)])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_what_is_not_finite_spreads_as_in_numpy(name: str, special: complex) -> None:
    """Which results are infinite and which are nan depends on the algorithm."""
    random = numpy.random.default_rng(3)
    codes = "dDfe" if name not in ("rfft", "ihfft") else "dfe"
    for code, n in itertools.product(codes, [1, 2, 3, 4, 5, 8, 9, 16, 17, 30, 64, 127, 2048]):
        if code != "D" and isinstance(special, complex):
            continue
        for at in {0, 1 % n, n // 2, n - 1}:
            x = random.standard_normal((3, n)).astype(code)
            x[1, at] = special
            with numpy.errstate(all="ignore"):
                want = getattr(numpy.fft, name)(x, n=n)
                got = getattr(fastnp.fft, name)(fastnp.array(x), n=n)
            numpy.testing.assert_allclose(
                numpy.asarray(got).view(got.real.dtype),
                want.view(want.real.dtype),
                rtol=3e-3,
                atol=2e-2,
                err_msg=f"{code} {n} {at}",
            )


def test_what_is_not_finite_is_not_lost_under_its_own_transform() -> None:
    for name in ("fft2", "ifftn", "irfftn"):
        x = numpy.random.default_rng(4).standard_normal((6, 5)) + 0j
        x[2, 3] = complex(1, numpy.inf)
        with numpy.errstate(all="ignore"):
            want = getattr(numpy.fft, name)(x, s=(6, 5), axes=(0, 1))
        for shared in (False, True):
            y = fastnp.array(x)
            out = y if shared and name != "irfftn" else fastnp.empty(want.shape, want.dtype)
            with numpy.errstate(all="ignore"):
                got = getattr(fastnp.fft, name)(y, s=(6, 5), axes=(0, 1), out=out)
            assert got is out
            numpy.testing.assert_array_equal(out, want, name)


def test_floating_point_errors() -> None:
    x = fastnp.asarray([1e308] * 4 + [-1e308] * 4)
    with (
        fastnp.errstate(all="raise"),
        pytest.raises(FloatingPointError, match="overflow encountered in fft"),
    ):
        fastnp.fft.fft(x)
    with fastnp.errstate(invalid="ignore"), pytest.warns(RuntimeWarning, match="in rfft_n_even"):
        fastnp.fft.rfft(x)
    with fastnp.errstate(all="raise"):
        fastnp.fft.fft(x[:0:-1] * 0)


def test_threads_give_the_same_bits() -> None:
    operands = [numbers((1 << 17,), "D"), numbers((300, 257), "d"), numbers((65_537,), "d")]
    results = []
    for threads in (1, 2, 4):
        with fastnp.settings(num_threads=threads):
            results.append([numpy.array(fastnp.fft.fft(fastnp.asarray(x))) for x in operands])
    for result in results[1:]:
        for one, other in zip(result, results[0], strict=True):
            assert one.tobytes() == other.tobytes()


def test_scipy_can_use_it() -> None:
    scipy_fft = pytest.importorskip("scipy.fft")
    x = numpy.arange(24.0).reshape(4, 6)
    with scipy_fft.set_backend(fastnp.fft):
        for call in (
            lambda: scipy_fft.fft(x, axis=0),
            lambda: scipy_fft.rfftn(x, s=(4, 8), norm="ortho"),
            lambda: scipy_fft.ifft2(x, workers=2),
        ):
            got: Any = call()  # type: ignore[no-untyped-call]
            assert type(got) is fastnp.ndarray
            with scipy_fft.skip_backend(fastnp.fft):
                want: Any = call()  # type: ignore[no-untyped-call]
                numpy.testing.assert_allclose(got, want, atol=1e-12)
        # What NumPy does not have is computed by scipy.
        assert type(scipy_fft.dct(x)) is numpy.ndarray


@pytest.mark.parametrize("name", ONE_AXIS + SEVERAL_AXES)
def test_few_elements_of_numpys_have_its_bits(name: str) -> None:
    x = numbers((8, 16), "d" if "rfft" in name or name == "ihfft" else "D")
    got = getattr(fastnp.fft, name)(x)
    assert type(got) is fastnp.ndarray
    assert numpy.asarray(got).tobytes() == getattr(numpy.fft, name)(x).tobytes()
