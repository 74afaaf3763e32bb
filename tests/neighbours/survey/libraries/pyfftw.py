"""pyFFTW: transforms of arrays, plans over arrays, aligned memory."""

import pyfftw

from tests.neighbours.survey.inputs import grid, pending, rounded


@rounded(1e-12)
def transform(np):
    return pyfftw.interfaces.numpy_fft.fft(np.arange(8.0)), pyfftw.interfaces.numpy_fft.rfft(
        pending(np)
    )


@rounded(1e-12)
def transform_of_a_matrix(np):
    return pyfftw.interfaces.scipy_fft.fft2(grid(np))


@rounded(1e-12)
def builder(np):
    return pyfftw.builders.fft(pending(np, "complex128"))()


@rounded(1e-12)
def plan(np):
    a, b = np.zeros(64, complex), np.zeros(64, complex)
    f = pyfftw.FFTW(a, b)
    a[:] = np.arange(64)
    f()
    return b


@rounded(1e-12)
def plan_over_pending_arrays(np):
    a = pending(np, "complex128")
    b = np.empty_like(a)
    f = pyfftw.FFTW(a, b, flags=["FFTW_ESTIMATE"])
    f()
    a[:] = 1
    f()
    return b, a


@rounded(1e-12)
def plan_called_with_an_array(np):
    a, b = pyfftw.empty_aligned(64, "complex128"), pyfftw.empty_aligned(64, "complex128")
    return pyfftw.FFTW(a, b)(np.arange(64) + 0j)


def aligned(np):
    a = pyfftw.empty_aligned(100, "float64")
    a[:] = np.arange(100.0)
    return np.asarray(a) + 1, pyfftw.is_byte_aligned(np.zeros(200_000), 16)


def byte_align(np):
    return pyfftw.byte_align(np.arange(5.0)), pyfftw.byte_align(pending(np))


def into_an_array(np):
    out = pyfftw.empty_aligned(64, "complex128")
    f = pyfftw.builders.fft(pyfftw.zeros_aligned(64, "complex128"))
    f(np.ones(64), out)
    return np.asarray(out)


def update_arrays(np):
    a, b = pyfftw.zeros_aligned(64, "complex128"), pyfftw.zeros_aligned(64, "complex128")
    f = pyfftw.FFTW(a, b)
    x = pyfftw.byte_align(np.ones(64, complex))
    f.update_arrays(x, b)
    f()
    return b
