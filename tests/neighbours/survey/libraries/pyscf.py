"""PySCF: Hartree-Fock, and its helpers in C that write their arguments."""

from pyscf import gto, scf

from tests.neighbours.survey.inputs import grid, rounded


@rounded(1e-6)
def hartree_fock(np):
    m = gto.M(
        atom=[["H", np.array([0, 0, 0.0])], ["H", np.array([0, 0, 0.74])]],
        basis="sto-3g",
        verbose=0,
    )
    f = scf.RHF(m)
    e = f.kernel()
    d = f.make_rdm1()
    return e, d, np.einsum("ij,ji->", d, f.get_ovlp()), f.mo_energy * 27.2


@rounded(1e-7)
def helpers(np):
    from pyscf import lib

    a = grid(np, rows=40, columns=40) + np.eye(40)
    t = lib.pack_tril(a)
    h = a.copy()
    lib.hermi_triu(h, inplace=True)
    h += 1
    return (
        t,
        lib.unpack_tril(t * 2),
        h,
        lib.einsum("ij,jk->ik", a, a),
        lib.ddot(a, a),
        lib.transpose(a[:20].copy()),
    )


@rounded(1e-7)
def helpers_out(np):
    from pyscf import lib

    a = grid(np, rows=60, columns=50) * 2.0
    o = np.zeros((60, 60))
    lib.dot(a, a.T, 1.0, o, 1.0)
    o2 = o * 2
    c = lib.take_2d(o, np.array([3, 1]), np.array([5, 2, 9]))
    d = o.copy()
    lib.takebak_2d(d, np.ones((2, 2)), np.array([0, 2]), np.array([1, 3]))
    return (
        o,
        o2,
        c,
        d,
        lib.cartesian_prod([np.arange(3), np.arange(2)]),
        lib.numpy_helper.zdot(a * 1j, a.T + 1j),
    )


@rounded(1e-6)
def integrals(np):
    m = gto.M(atom="O 0 0 0; H 0 1 0; H 0 0 1", basis="sto-3g", verbose=0)
    from pyscf import ao2mo, dft

    c = np.linalg.qr(np.random.default_rng(1).random((7, 7)))[0]
    e = ao2mo.kernel(m, c)
    p = np.random.default_rng(2).random((100, 3))
    return m.intor("int1e_ovlp"), e, dft.numint.eval_ao(m, p), ao2mo.restore(1, e, 7).sum()


@rounded(1e-6)
def davidson(np):
    from pyscf import lib

    a = np.diag(np.arange(1.0, 61)) + 0.01 * np.ones((60, 60))
    e, v = lib.davidson(
        lambda x: np.dot(a, x),
        np.eye(60)[0] * 1.0,
        lambda dx, e, x0: dx / (np.diagonal(a) - e + 1e-3),
        verbose=0,
    )
    return e, np.abs(v)
