"""autograd and numdifftools: derivatives of functions that are written with NumPy."""

import autograd

from tests.neighbours.survey.inputs import pending, rounded

PACKAGE = "autograd"


@rounded(1e-12)
def gradients(np):
    import autograd.numpy as anp

    def loss(w, x):
        return anp.sum(anp.tanh(anp.dot(x, w)) ** 2)

    x = np.arange(12.0).reshape(4, 3) / 10
    return autograd.grad(loss)(np.array([0.1, 0.2, 0.3]), x), loss(np.ones(3), x)


@rounded(1e-12)
def element_by_element(np):
    import autograd.numpy as anp

    slope = autograd.elementwise_grad(lambda x: anp.where(x > 5, x**2, anp.sqrt(x)))
    return slope(pending(np)), autograd.jacobian(lambda x: x * anp.exp(x))(np.arange(3.0))


@rounded(1e-12)
def with_indices(np):
    import autograd.numpy as anp

    def f(x):
        y = x[1:] * x[:-1]
        return anp.concatenate([y, anp.sort(x)]).sum()

    return autograd.grad(f)(np.array([3.0, 1, 2])), autograd.hessian(f)(np.array([3.0, 1, 2]))


@rounded(1e-12)
def values_and_gradients(np):
    import autograd.numpy as anp

    both = autograd.value_and_grad(lambda x: anp.linalg.norm(x @ x.T))
    return both(np.arange(6.0).reshape(2, 3))


@rounded(1e-8)
def differences(np):
    import numdifftools as nd

    f = lambda x: np.sum(np.exp(x) * x)  # noqa: E731
    return (
        nd.Gradient(f)(np.array([0.1, 0.2])),
        nd.Jacobian(lambda x: np.array([x[0] * x[1], x[0] ** 2]))(np.array([2.0, 3.0])),
        nd.Derivative(np.sin)(np.arange(3.0)),
    )
