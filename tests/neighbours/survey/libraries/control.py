"""control, filterpy, scikit-rf, pylops: linear systems, filters, networks, operators."""

import control

from tests.neighbours.survey.inputs import grid, pending, rounded

PACKAGE = "control"


@rounded(1e-9)
def transfer_functions(np):
    g = control.tf(np.array([1.0, 2]), np.array([1.0, 3, 5]))
    t = np.linspace(0, 5, 50)
    return g.poles(), g.zeros(), g(1j), control.step_response(g, t).outputs, str(g * 2)


@rounded(1e-9)
def state_space(np):
    a, b = np.array([[0.0, 1], [-2, -3]]), np.array([[0.0], [1]])
    s = control.ss(a, b, np.eye(2), np.zeros((2, 1)))
    k, x, e = control.lqr(s, np.eye(2), np.eye(1))
    return (
        k,
        x,
        np.sort_complex(e),
        control.ctrb(a, b),
        s.A,
        control.forced_response(s, np.linspace(0, 1, 20), np.ones(20)).states,
    )


@rounded(1e-9)
def frequency_response(np):
    g = control.tf([1.0], [1.0, 1.0])
    magnitude, phase, omega = control.frequency_response(g, np.logspace(-1, 1, 9))
    return magnitude, phase, omega, control.margin(control.tf([5.0], [1, 3, 2, 1]))[:2]


@rounded(1e-10)
def kalman(np):
    from filterpy.kalman import KalmanFilter

    f = KalmanFilter(dim_x=2, dim_z=1)
    f.F, f.H = np.array([[1.0, 1], [0, 1]]), np.array([[1.0, 0]])
    f.P *= 10
    f.R = np.array([[5.0]])
    found = []
    for z in pending(np)[:10]:
        f.predict()
        f.update(z)
        found.append(f.x.copy())
    return found, f.P


@rounded(1e-10)
def filters(np):
    from filterpy.common import Q_discrete_white_noise
    from filterpy.gh import GHFilter

    f = GHFilter(x=0.0, dx=0.0, dt=1.0, g=0.6, h=0.02)
    return Q_discrete_white_noise(2, dt=0.1, var=2.0), [f.update(z) for z in np.arange(5.0)]


@rounded(1e-9)
def networks(np):
    import skrf

    s = np.zeros((11, 2, 2), dtype=complex)
    s[:, 0, 1] = s[:, 1, 0] = np.linspace(0.5, 0.9, 11)
    n = skrf.Network(f=np.linspace(1, 2, 11), s=s, z0=50, f_unit="GHz")
    return (n**n).s, n.z, n.s_db, n.inv.s, n.interpolate(np.linspace(1e9, 2e9, 21)).s


@rounded(1e-9)
def operators(np):
    import pylops

    d = pylops.FirstDerivative(200, dtype="float64")
    m = pylops.MatrixMult(np.arange(12.0).reshape(4, 3))
    x = np.arange(200.0) ** 2
    y = d @ x
    return y, d.H @ y, m * np.ones(3), (m.H @ m).todense(), m / np.arange(4.0)


@rounded(1e-6)
def solved(np):
    import pylops

    image = grid(np, rows=20, columns=30)
    smooth = pylops.Smoothing2D(nsmooth=[3, 3], dims=(20, 30), dtype="float64")
    blurred = smooth @ image.ravel()
    return blurred, pylops.optimization.basic.cg(smooth, blurred, niter=3)[0]
