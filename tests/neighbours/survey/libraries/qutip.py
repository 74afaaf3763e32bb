"""QuTiP: operators, evolution, Wigner functions."""

import qutip

from tests.neighbours.survey.inputs import rounded


@rounded(1e-9)
def operators(np):
    m = np.array([[0, 1j], [-1j, 0]])
    q = qutip.Qobj(m)
    m[:] = 5
    return (
        q.full(),
        (q * q).full(),
        q.eigenenergies(),
        q.expm().full(),
        qutip.tensor(q, q).full(),
        q.tr(),
    )


@rounded(1e-5)
def evolution(np):
    h = qutip.sigmax()
    t = np.linspace(0, 3, 30)
    r = qutip.sesolve(h, qutip.basis(2, 0), t, e_ops=[qutip.sigmaz()])
    return r.expect[0] * 2


@rounded(1e-5)
def master(np):
    a = qutip.destroy(6)
    t = np.linspace(0, 2, 20)
    r = qutip.mesolve(
        a.dag() * a, qutip.coherent(6, 1.0), t, [np.sqrt(0.3) * a], e_ops=[a.dag() * a]
    )
    return r.expect[0]


@rounded(1e-5)
def time_dependent(np):
    t = np.linspace(0, 3, 60)
    h = qutip.QobjEvo([qutip.sigmaz(), [qutip.sigmax(), np.sin(t)]], tlist=t)
    return qutip.sesolve(h, qutip.basis(2, 0), t, e_ops=[qutip.sigmay()]).expect[0], h(1.0).full()


@rounded(1e-9)
def wigner(np):
    x = np.linspace(-3, 3, 31)
    return qutip.wigner(qutip.fock(8, 2), x, x), qutip.ptrace(qutip.bell_state("00"), 0).full()
