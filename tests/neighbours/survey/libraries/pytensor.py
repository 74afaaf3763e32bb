"""PyTensor: constants and inputs of symbolic functions."""

import pytensor
import pytensor.tensor as pt

from tests.neighbours.survey.inputs import pending, rounded

pytensor.config.cxx = ""
pytensor.config.mode = "FAST_COMPILE"


def as_tensor(np):
    t = pt.as_tensor(np.arange(3.0))
    return str(t.type), t.eval()


def as_tensor_of_a_pending_array(np):
    return pt.as_tensor(pending(np)).eval()


def constant(np):
    return pt.constant(np.ones(3)).data, str(pt.constant(np.arange(2)).type)


def array_times_variable(np):
    v = pt.dvector("v")
    return pytensor.function([v], np.ones(3) * v)(np.arange(3.0))


def variable_times_array(np):
    v = pt.dvector("v")
    return pytensor.function([v], v * np.ones(3))(np.arange(3.0))


def function_argument(np):
    v = pt.dvector("v")
    return pytensor.function([v], v + 1)(pending(np))


def shared_variable(np):
    s = pytensor.shared(np.arange(3.0))
    s.set_value(np.ones(3))
    return s.get_value(), str(s.type)


@rounded(1e-12)
def ufunc_on_a_variable(np):
    v = pt.dvector("v")
    return np.exp(v).eval({v: np.arange(3.0)})


def index_with_an_array(np):
    v = pt.dvector("v")
    return v[np.array([0, 2])].eval({v: np.arange(3.0)})


def gradient(np):
    v = pt.dvector("v")
    return pt.grad((v**2).sum(), v).eval({v: np.arange(3.0)})
