"""NLopt: objectives that write gradients, constraints, many variables."""

import nlopt

from tests.neighbours.survey.inputs import rounded


@rounded(1e-6)
def gradient(np):
    def f(x, g):
        if g.size > 0:
            g[:] = 2 * (x - np.array([1, 2]))
        return float(np.sum((x - np.array([1, 2])) ** 2))

    o = nlopt.opt(nlopt.LD_LBFGS, 2)
    o.set_min_objective(f)
    o.set_lower_bounds(np.array([-5, -5]))
    o.set_xtol_rel(1e-8)
    x = o.optimize(np.zeros(2))
    return x * 2, o.last_optimum_value()


@rounded(1e-5)
def constraint(np):
    o = nlopt.opt(nlopt.LN_COBYLA, 2)
    o.set_min_objective(lambda x, g: np.sqrt(x[1]) if x[1] > 0 else 0.0)
    o.add_inequality_mconstraint(
        lambda r, x, g: r.__setitem__(
            slice(None), np.array([(2 * x[0]) ** 3 - x[1], (1 - x[0]) ** 3 - x[1]])
        ),
        np.full(2, 1e-8),
    )
    o.set_lower_bounds(np.array([-np.inf, 0]))
    o.set_xtol_rel(1e-4)
    return o.optimize(np.array([1.234, 5.678]))


@rounded(1e-6)
def many(np):
    n = 3000
    t = np.arange(n) / n * 2

    def f(x, g):
        d = x - t
        if g.size:
            g[:] = 2 * d
        return float((d * d).sum())

    o = nlopt.opt(nlopt.LD_MMA, n)
    o.set_min_objective(f)
    o.set_maxeval(5)
    return o.optimize(np.ones(n))
