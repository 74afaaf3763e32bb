"""Extensions compiled here with Cython and pybind11: every way that they take an array."""

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

import Cython
import numpy
import pybind11

from tests.neighbours.survey.inputs import grid, pending, raised

PACKAGE = "pybind11"

if shutil.which("c++") is None:
    raise ImportError("no C++ compiler")

CYTHON = """
# cython: language_level=3
cimport numpy as cnp
import numpy
cnp.import_array()

def view_sum(double[:] a):
    cdef double s = 0
    cdef Py_ssize_t i
    for i in range(a.shape[0]):
        s += a[i]
    return s

def view_write(double[:, :] a):
    a[0, 0] = -1
    a[1, :] = 5

def view_const(const double[::1] a):
    return a[a.shape[0] - 1]

def argument_sum(cnp.ndarray[cnp.float64_t, ndim=1] a):
    cdef double s = 0
    cdef Py_ssize_t i
    for i in range(a.shape[0]):
        s += a[i]
    return s

def argument_write(cnp.ndarray[cnp.float64_t, ndim=1] a not None):
    a[0] = 77
    return a

def any_array(cnp.ndarray a):
    return a.shape[0], a.ndim, cnp.PyArray_SIZE(a)

def pointer(cnp.ndarray a):
    cdef double* p = <double*> cnp.PyArray_DATA(a)
    p[1] = 3
    return p[0]

def converted(a):
    cdef cnp.ndarray b = numpy.asarray(a, dtype=float)
    return b.sum()

def checked(a):
    return cnp.PyArray_Check(a), cnp.PyArray_CheckExact(a), isinstance(a, cnp.ndarray)

def made(int n):
    cdef cnp.npy_intp size = n
    return cnp.PyArray_ZEROS(1, &size, cnp.NPY_DOUBLE, 0)

cdef double[:] kept

def keep(double[:] a):
    global kept
    kept = a

def kept_first():
    return kept[0]

def kept_write(double v):
    kept[0] = v
"""

PYBIND = r"""
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
namespace py = pybind11;
PYBIND11_MODULE(survey_pb, m) {
    m.def("forced_sum", [](py::array_t<double, py::array::c_style | py::array::forcecast> a) {
        double s = 0;
        for (py::ssize_t i = 0; i < a.size(); i++) s += a.data()[i];
        return s;
    });
    m.def("write", [](py::array_t<double> a) { a.mutable_at(0) = 42; });
    m.def("any_array", [](py::array a) { return py::make_tuple(a.ndim(), a.size()); });
    m.def("exact", [](py::array_t<double> a) { return a.size(); }, py::arg("a").noconvert());
    m.def("exact_write", [](py::array_t<double> a) { a.mutable_at(0) = 5; },
          py::arg("a").noconvert());
    m.def("unchecked", [](py::array_t<double> a) {
        auto r = a.unchecked<2>();
        return r(1, 1);
    });
    m.def("from_buffer", [](py::buffer b) {
        auto info = b.request();
        return py::make_tuple(info.format, info.ndim, info.size, static_cast<double*>(info.ptr)[0]);
    });
    m.def("vectorized", py::vectorize([](double a, double b) { return a * b; }));
    m.def("object_is_array", [](py::object o) { return py::isinstance<py::array>(o); });
    m.def("returned", [](py::array_t<double> a) { return a; });
    m.def("overloaded", [](py::array_t<float> a) { return "float"; }, py::arg("a").noconvert());
    m.def("overloaded", [](py::array_t<double> a) { return "double"; }, py::arg("a").noconvert());
    m.def("overloaded", [](py::object) { return "object"; });
}
"""


def _compile(name, source, flags):
    """Compile a module once, in a folder that both modules' processes share through the cache."""
    folder = Path(sysconfig.get_path("purelib")) / "survey_bindings"
    folder.mkdir(exist_ok=True)
    target = folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    stamp = folder / f"{name}.source"
    if not (target.exists() and stamp.exists() and stamp.read_text() == source):
        cpp = folder / f"{name}.cpp"
        if name == "survey_cy":
            pyx = folder / f"{name}.pyx"
            pyx.write_text(source)
            cython = [sys.executable, "-m", "cython", "--cplus", "-3", str(pyx), "-o", str(cpp)]
            subprocess.run(cython, check=True, capture_output=True)
        else:
            cpp.write_text(source)
        include = [f"-I{sysconfig.get_path('include')}", f"-I{numpy.get_include()}", *flags]
        command = [
            "c++",
            "-O1",
            "-shared",
            "-fPIC",
            "-std=c++17",
            *include,
            str(cpp),
            "-o",
            str(target),
        ]
        subprocess.run(command, check=True, capture_output=True)
        stamp.write_text(source)
    spec = importlib.util.spec_from_file_location(name, target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _cython():
    assert Cython is not None
    return _compile("survey_cy", CYTHON, ["-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION"])


@cache
def _pybind():
    return _compile("survey_pb", PYBIND, [f"-I{pybind11.get_include()}"])


def cython_memory_views(np):
    m, x = _cython(), grid(np)
    m.view_write(x)
    x += 1
    return m.view_sum(np.arange(3.0)), m.view_sum(pending(np)), m.view_const(pending(np)), x


def cython_memory_view_that_is_kept(np):
    m, x = _cython(), pending(np)
    m.keep(x)
    x += 1
    first = m.kept_first()
    y = x * 2
    m.kept_write(-5.0)
    return first, x, y


def cython_arguments(np):
    m = _cython()
    return (
        m.argument_sum(np.arange(3.0)),
        m.argument_sum(pending(np)),
        m.argument_sum(pending(np)[::5]),
    )


def cython_argument_written(np):
    x = pending(np)
    y = _cython().argument_write(x)
    x += 1
    return x, y is x


def cython_array_of_any_type(np):
    m = _cython()
    return m.any_array(np.arange(3)), m.any_array(grid(np)), raised(lambda: m.any_array([1]))[0]


def cython_pointer(np):
    x = pending(np)
    first = _cython().pointer(x)
    x += 1
    return first, x


def cython_checks(np):
    return _cython().checked(np.ones(2)), _cython().checked(pending(np)), _cython().checked([1])


def cython_results(np):
    x = np.asarray(_cython().made(150_000))
    x += 1
    return x * 2, _cython().converted(pending(np)), _cython().converted([1, 2])


def pybind_arrays(np):
    m = _pybind()
    return (
        m.forced_sum(np.arange(3)),
        m.forced_sum(pending(np)),
        m.forced_sum(grid(np).T),
        m.unchecked(grid(np)),
    )


def pybind_written(np):
    x = pending(np)
    _pybind().write(x)
    x += 1
    return x


def pybind_array_of_any_type(np):
    return _pybind().any_array(np.arange(3)), _pybind().any_array(grid(np, "float32"))


def pybind_without_conversion(np):
    x = pending(np)
    size = _pybind().exact(x)
    _pybind().exact_write(x)
    x += 1
    return size, x


def pybind_buffers(np):
    return _pybind().from_buffer(np.arange(3.0)), _pybind().from_buffer(pending(np))


def pybind_vectorized(np):
    m = _pybind()
    return (
        m.vectorized(np.arange(3.0), 2.0),
        m.vectorized(pending(np), pending(np)),
        m.vectorized(2, 3),
    )


def pybind_checks(np):
    return _pybind().object_is_array(np.ones(2)), _pybind().object_is_array(pending(np))


def pybind_overloads(np):
    return [
        _pybind().overloaded(a)
        for a in (np.ones(2), np.ones(2, "f4"), np.ones(2, "i4"), pending(np))
    ]


def pybind_returned(np):
    x = pending(np)
    y = _pybind().returned(x)
    y[0] = 9
    return x, type(y), y is x
