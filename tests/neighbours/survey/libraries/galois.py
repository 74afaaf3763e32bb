"""galois: subclasses of NumPy's array, made from arrays and as views of them."""

import galois

from tests.neighbours.survey.inputs import raised


def arithmetic(np):
    gf = galois.GF(2**8)
    a, b = gf(np.arange(1, 50)), gf(np.arange(50, 99))
    return [np.array(v) for v in (a + b, a * b, a / b, a**3, -a, np.log(a))]


def linear_algebra(np):
    gf = galois.GF(31)
    a = gf(np.array([[1, 2, 3], [4, 5, 6], [7, 8, 10]]))
    return (
        np.array(np.linalg.inv(a)),
        int(np.linalg.det(a)),
        np.array(a @ gf([1, 2, 3])),
        np.array(np.linalg.solve(a, gf([1, 2, 3]))),
    )


def views(np):
    gf = galois.GF(7)
    x = np.arange(20) % 7
    y = x.view(gf)
    y[0] = 3
    x[1] = 5
    return (
        x,
        np.array(y),
        type(y),
        raised(lambda: gf(np.array([9]))),
        raised(lambda: gf(np.array([0.5]))),
    )


def polynomials(np):
    gf = galois.GF(5)
    p = galois.Poly(np.array([1, 0, 3]), field=gf)
    return str(p * p), np.array(p(np.arange(5).view(gf))), np.array(p.roots())


def codes(np):
    rs = galois.ReedSolomon(15, 9)
    m = rs.field(np.arange(9))
    c = rs.encode(m)
    e = c.copy()
    e[2] += rs.field(7)
    e[5] = rs.field(1)
    return (
        np.array(c),
        np.array(rs.decode(e)),
        np.array(galois.BCH(15, 7).encode(np.ones(7, dtype=np.uint8))),
    )


def transforms(np):
    gf = galois.GF(17)
    x = gf(np.array([1, 2, 3, 4]))
    return (
        np.array(np.fft.fft(x)),
        np.array(galois.ntt(np.array([1, 2, 3, 4]))),
        np.array(np.convolve(x, x)),
        np.array(np.outer(x, x)),
        np.array(np.concatenate([x, x]).sum()),
    )
