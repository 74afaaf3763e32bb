"""Functions that are made anew at each call: loops are compiled for their code, and read what their
cells and defaults hold at each entry.
"""

from __future__ import annotations

import textwrap

import pytest
from fastnp._loops.site import Site

from tests.loops import test_compiled

FUNCTIONS = """
import math
def simpson(f, a, b, n=8):
    h, s = (b - a) / n, 0.0
    for i in range(0, n, 2):
        p = a + i * h
        s = s + h / 3 * (f(p) + 4 * f(p + h) + f(p + 2 * h))
    return s
def root(f, low, high):
    for i in range(20):
        middle = (low + high) / 2
        if f(low) * f(middle) <= 0:
            high = middle
        else:
            low = middle
    return low
def each(f, n=9):
    s = 0
    for i in range(n):
        s = s + f(i)
    return s
def total(f, n=9):
    s = 0.0
    for i in range(n):
        s = s + f(i)
    return s
def pair(f, g, n=9):
    s = 0
    for i in range(n):
        s = s + f(i) - 2 * g(i)
    return s
class Model:
    def __init__(self, k):
        self.k, self.count = k, 0
    def rate(self, p):
        return self.k * p
    def counted(self, p):
        self.count += 1
        return self.k * p + self.count
class Held:
    def __init__(self, rate):
        self.rate = rate
    def total(self, n):
        s = 0.0
        for i in range(n):
            s = s + self.rate(i)
        return s
"""
# With the most versions of code that a loop may need.
WHOLE = {
    "numbers": (
        1,
        """
        def bessel(k, q):
            def f(p):
                return math.cos(k * p - q * math.sin(p))
            return simpson(f, 0.0, 3.0)
        out = [bessel(1, q / 2) for q in range(9)]
        """,
    ),
    "lambdas, in a variable that the loop binds too": (
        1,
        """
        def roots(s, i):
            return root(lambda p: p * p - s + i, 0.0, 9.0)
        out = [roots(q / 2, 0.25) for q in range(9)]
        """,
    ),
    "integers": (
        2,
        """
        def power(k):
            return each(lambda p: p ** k + k)
        out = [power(k) for k in (2, 2, 3, 4, 5, 6, 7, 8, 9)]
        """,
    ),
    "integers that become floats": (
        4,
        """
        def scaled(k):
            return each(lambda p: p * k)
        out = [scaled(k) for k in (2, True, 0.5, 3, -0.0, 0.0, 7)]
        """,
    ),
    "arrays, tuples, lists and what is in them": (
        1,
        """
        def linear(v, ends, items):
            def f(p):
                v[p % 3] += ends[0]
                return v[p % 3] * ends[1] + items[p % 2]
            return each(f)
        out = [linear(np.arange(3.0) + k, (k / 2, k), [k, k + 1]) for k in range(9)]
        v = np.arange(3.0)
        out += [linear(v, (k / 2, k), [k, k + 1]) for k in range(9)]
        """,
    ),
    "functions in functions": (
        1,
        """
        def nested(k):
            def plain(p):
                return p + 1
            def inner(p):
                return plain(p) * k
            def outer(p):
                return inner(p) - plain(k)
            return each(lambda p: outer(p) / 2)
        out = [nested(k / 2) for k in range(9)]
        """,
    ),
    "defaults": (
        2,
        """
        def steps(k):
            def f(p, k=k, *, by=k / 2):
                return p * k + by
            return each(f)
        out = [steps(k) for k in range(9)]
        """,
    ),
    "two functions of one code": (
        1,
        """
        def line(k):
            return lambda p: p * k
        out = [pair(line(k / 2), line(k / 4)) for k in range(9)]
        """,
    ),
    "one function twice, and then two": (
        2,
        """
        def line(k):
            return lambda p: p * k
        f = line(0.5)
        out = [pair(f, f), pair(f, line(0.25)), pair(line(1.5), f), pair(f, f)]
        """,
    ),
    "two functions, and then one twice": (
        1,
        """
        def line(k):
            return lambda p: p * k
        f = line(0.5)
        out = [pair(f, line(0.25)), pair(f, f), pair(line(1.5), f)]
        """,
    ),
    "a variable that changes between calls": (
        1,
        """
        def varying():
            k, found = 0.5, []
            f = lambda p: p * k
            for step in range(5):
                found.append(each(f))
                k = k + step
            return found
        out = varying()
        """,
    ),
    "nothing, and strings": (
        3,
        """
        def named(way, other):
            def f(p):
                if way == "up":
                    return p + 1.0
                return p - 1.0 if other is None else p * other
            return each(f)
        out = [named("up", None), named("down", None), named("down", 0.5), named("up", None)]
        out += [named("down", 1.5), named("up", None)]
        """,
    ),
    "methods": (
        1,
        """
        out = [each(Model(k / 2).rate) for k in range(9)]
        """,
    ),
    "methods that store": (
        1,
        """
        models = [Model(k / 2) for k in range(4)]
        out = [each(model.counted) for model in models * 2]
        out += [model.count for model in models]
        del models
        """,
    ),
    "functions that are attributes": (
        1,
        """
        def held(k):
            return Held(lambda p: p * k).total(9)
        out = [held(k / 2) for k in range(9)]
        """,
    ),
    "objects": (
        1,
        """
        def modelled(k):
            model = Model(k)
            return each(lambda p: model.rate(p) + model.k)
        out = [modelled(k / 2) for k in range(9)]
        """,
    ),
    "axes, which are literals": (
        3,
        """
        def along(axis):
            return each(lambda p: (A + p).sum(axis=axis)[p % 7])
        out = [along(axis) for axis in (0, 1, 0, 1, 1, 0)]
        """,
    ),
    "a Runge-Kutta step": (
        1,
        """
        def integrate(f, q, h, n):
            for i in range(n):
                a = f(i * h, q)
                b = f(i * h + h / 2, q + h / 2 * a)
                q = q + h * (a + 2 * b) / 3
            return q
        def decay(k, drive):
            def rhs(t, q):
                return -k * q + drive * t
            return integrate(rhs, 1.0, 0.125, 20)
        out = [decay(k / 2, 0.25) for k in range(9)]
        """,
    ),
}
# Functions that make functions, called from a loop.
INNER = {
    "an integral over a parameter": """
        def bessel(k, q):
            def f(p: float) -> float:
                return math.cos(k * p - q * math.sin(p))
            return simpson(f, 0.0, 3.0)
        for i in range(9):
            y[i % 7] += bessel(i % 3, i / 2)
        """,
    "lambdas, in variables and arguments": """
        def roots(q):
            f = lambda p: p * p - q
            g = lambda p: f(p) + 0.5
            return root(f, 0.0, 9.0) + root(g, 0.0, 9.0) + total(lambda r: r * q)
        s = 0.0
        for i in range(9):
            s = s + roots(i + 0.5)
        """,
    "variables that change": """
        def changing(q):
            f = lambda p: p * k + q
            k = 0.5
            found = f(q)
            k = k + q
            found = found + 100 * f(q)
            for i in range(3):
                k = k * 2
                found = found + f(i)
            return found
        s = 0.0
        for i in range(9):
            s = s + changing(i * 0.25)
        """,
    "defaults": """
        def given(q):
            def f(p, k=q, m=3, *, by=q + 1):
                return p * k + by * m
            q = q + 5
            return f(q) + f(q, 2) + f(1.5, by=q, m=q)
        s = 0.0
        for i in range(9):
            s = s + given(i * 0.25)
        """,
    "functions in functions in functions": """
        def three(q):
            def two(r):
                def one(p):
                    return p * r + q
                return each(one) + one(q)
            return two(q + 1) - two(1)
        s = 0
        for i in range(9):
            s = s + three(i)
        """,
    "recursion": """
        def counted(q):
            def down(p):
                if p <= 0.5:
                    return q
                return down(p - 1.0) + 1.0 if p > 3 else 0.25
            return down(1.5) + q
        s = 0.0
        for i in range(9):
            s = s + counted(i * 0.25)
        """,
    "arrays": """
        def filled(q):
            v = np.zeros(3)
            def f(p):
                return v[p % 3] + q
            v[1] = q
            return total(f)
        s = 0.0
        for i in range(9):
            s = s + filled(i * 0.25)
        """,
    "a branch": """
        def chosen(q):
            if q > 1:
                f = lambda p: p + q
            else:
                f = lambda p: p * q
            return total(f)
        s = 0.0
        for i in range(9):
            s = s + chosen(i * 0.25)
        """,
}
EXACT = {
    "a function made in a loop, with a default": """
        def kept(q):
            f, s = None, 0.0
            for k in range(4):
                g = lambda p, k=k: p * k + q
                if f is None:
                    f = g
                s = s + f(1.0) + g(2.0)
            return s
        s = 0.0
        for i in range(9):
            s = s + kept(i * 0.25)
        """,
    "a variable that an inner function binds": """
        def counted(q):
            k = 0
            def more(p):
                nonlocal k
                k += 1
                return p + k
            return more(q) + 10 * more(q) + k
        s = 0.0
        for i in range(9):
            s = s + counted(i * 0.25)
        """,
    "a variable that is not bound yet": """
        def early(q):
            f = lambda p: p * k
            if q == 1.5:
                return f(q)
            k = q
            return f(q)
        s = 0.0
        try:
            for i in range(9):
                s = s + early(i * 0.25)
        except NameError as error:
            print(error)
        """,
    "a function that is returned": """
        def line(q):
            return lambda p: p * q
        def used(q):
            f, g = line(q), line(q + 1)
            return f(q) - g(q)
        s = 0.0
        for i in range(9):
            s = s + used(i * 0.25) + line(0.5)(i)
        """,
    "decorators and annotations": """
        def shown(f):
            print("made")
            return f
        def decorated(q):
            @shown
            def f(p):
                return p * q
            return f(q)
        def annotated(q):
            def f(p: print("noted")) -> float:
                return p * q
            return f(q)
        s = 0.0
        for i in range(4):
            s = s + decorated(i * 0.25) + annotated(i * 0.5)
        """,
    "a variable that the loop binds": """
        def shared():
            k, s = 1, 0
            f = lambda p: p * k
            for i in range(9):
                s += f(i)
                k = k + i
            return s, k
        out = shared()
        """,
    "a variable that a function binds": """
        def counting():
            k, s = 1, 0
            def f(p):
                nonlocal k
                k += p
                return k
            for i in range(9):
                s += f(i)
            return s, k
        out = counting()
        """,
    "a variable that another function binds": """
        def counting():
            k, s = 1, 0
            def f(p):
                return p * k
            def more():
                nonlocal k
                k += 1
                return k
            for i in range(9):
                s += f(i)
                more()
                s += f(i)
            return s, k
        out = counting()
        """,
    "a variable that a loop in a nested function binds": """
        def around():
            k = 1
            f = lambda p: p * k
            def run():
                nonlocal k
                s = 0
                for i in range(9):
                    s += f(i)
                    k = k + i
                return s
            return run(), k
        out = around()
        """,
    "a variable that is unbound at times": """
        def unbound(has):
            f = lambda p: p * k
            if has:
                k = 0.5
            try:
                return each(f)
            except NameError as error:
                return str(error)
        out = [unbound(has) for has in (True, False, True, False)]
        """,
    "another code": """
        def first(k):
            return lambda p: p * k
        def second(k):
            return lambda p: p + k
        f = first(0.5)
        out = [each(f), each(second(0.5)), each(first(1.5)), each(second(2))]
        f.__code__ = second(1).__code__
        out += [each(f), each(first(0.25))]
        """,
    "other globals": """
        from types import FunctionType
        def scaled(k):
            return lambda p: p * k + n
        f = scaled(0.5)
        g = FunctionType(f.__code__, {"n": 100}, "g", None, f.__closure__)
        out = [each(f), each(g), each(f), each(g)]
        """,
    "defaults that are no longer there": """
        def f(p, k=2):
            return p * k
        out = [each(f)]
        f.__defaults__ = (3,)
        out += [each(f)]
        f.__defaults__ = None
        try:
            each(f)
        except TypeError as error:
            out += [str(error)]
        f.__defaults__ = 1, 0.5
        out += [each(f)]
        """,
    "one that is known elsewhere by identity": """
        def line(k):
            return lambda p: p * k
        known = line(0.5)
        def by_name(p):
            return known(p)
        out = [pair(known, by_name), pair(line(0.25), by_name), pair(known, by_name)]
        """,
    "whether functions are one": """
        def compare(f, g, n=9):
            s = 0
            for i in range(n):
                s += f(i) if f is g else 1
            return s
        def line(k):
            return lambda p: p * k
        f = line(2)
        out = [compare(f, f), compare(f, line(2)), compare(line(3), line(2)), compare(f, f)]
        """,
    "zeros of different signs": """
        def signed(k):
            def f(p, k=k):
                return math.copysign(1.0, k)
            return each(f)
        out = [signed(k) for k in (0.0, -0.0, 0, 0.0, -0.0)]
        """,
    "random numbers": """
        def noisy(rng, k):
            return each(lambda p: rng.random() * k)
        a, b = np.random.default_rng(1), np.random.default_rng(2)
        out = [noisy(a, 1.0), noisy(b, 2.0), noisy(a, 3.0), a.random(), b.random()]
        """,
    "functions that outlive the call": """
        class Box:
            f = None
            def __init__(self):
                self.g = self.pair = None
            def put(self, k):
                self.g = lambda r: r * k
                return k
            def keep(self, k):
                self.pair = (lambda r: r * k), k
                return k
        def both(k):
            return (lambda r: r * k), k
        def held(k):
            pair = (lambda r: r * k), k
            f, _ = pair
            return f(2)
        box, out, s = Box(), [], 0
        for i in range(20):
            s += held(i)
            if i == 17:
                box.put(i)
                break
        for i in range(20):
            s += i
            if i == 17:
                box.keep(i)
                break
        for i in range(20):
            s += i
            if i == 17:
                t = both(i)
                break
        for i in range(20):
            s += i
            if i == 17:
                f, k = both(i)
                break
        out = [s, box.g(3), box.pair[0](5), t[0](7), f(k)]
        del box, t, f
        """,
    "a statement that is left": """
        def shouting(k):
            def f(p):
                if p == 4:
                    print(k)
                return p / (k - p)
            try:
                return each(f)
            except ZeroDivisionError as error:
                return str(error)
        out = [shouting(k) for k in (3.5, 20.0, 6.0, 7.0)]
        """,
}


PASSED = {
    "variables of the loop": """
        c, s, v = 0.5, 0.0, np.arange(4.0)
        for i in range(20):
            t = i * 0.25
            s += simpson(lambda x: x * x + c * t, 0.0, 1.0) * 0.5 + total(lambda p: c * p - i)
            v[i % 4] = root(lambda p: p * p - t, 0.0, 9.0)
            c = c * 0.5 + total(lambda r: r * 0.5)
        """,
    "variables of a function": """
        def work(n, c):
            s, found = 0.0, [0.5, 1.5, 2.5]
            for i in range(n):
                k = i % 3
                s += total(lambda p: found[k] * p + c) - total(lambda p: p * k - 0.5)
                s = s * 0.01
                found[k] += 1
            return s, found, lambda: (k, c)
        out = work(20, 2.0), work(30, 0.5)
        out = [(*one[:2], one[2]()) for one in out]
        """,
    "functions in functions": """
        def given(f, q):
            g, both = (lambda p: f(p) + q), (f, q)
            return total(lambda p: g(p) * 2) + both[0](q)
        s, w, p = 0.0, 0.5, 1000
        for i in range(20):
            s += given(lambda p: total(lambda r: r * p + i) * w, i)
        """,
    "a comprehension, and a method": """
        class Box:
            def __init__(self):
                self.q = 0.5
            def of(self, f):
                self.q += 1
                return f(self.q)
        box, s = Box(), 0.0
        for i in range(20):
            s += sum([total(lambda p: p * e * 0.5) for e in range(3)])
            t = box.of(lambda p: p + i * box.q)
            s += t
        """,
}
LEFT = {
    "errors, and effects that are undone": """
        def storing(v, f):
            v[0] += 1
            return f(v[0])
        s, v = 0.0, np.arange(4.0)
        for i in range(30):
            try:
                s += storing(v, lambda p: 1 / (i % 7 - 3) + p)
                s += storing(v, lambda p: v[i % 5])
            except (ZeroDivisionError, IndexError):
                s -= 1
        """,
    "defaults, names and keys": """
        s, w, out = 0, [3, 1, 2], []
        for i in range(20):
            if i == 7: s += each(lambda p, i=i: p * i)
            if i == 8: f = lambda p: p * i
            if i == 9: s += f(2) + max(w, key=lambda p: -p)
            if i == 10: out.append(lambda p: p + i)
            s += each(lambda p: p - i)
        for g in out: s += g(3)
        del f, g, out
        """,
    "a function that keeps it": """
        kept = []
        class Box:
            f = None
        def keep(f, i):
            if i == 12: kept.append(f)
            if i == 13: Box.f = f
            return f(i)
        def back(f, i):
            return f if i == 14 else None
        s, box = 0, Box()
        for i in range(20):
            s += keep(lambda p: p + i, i)
        for i in range(20):
            h = back(lambda p: p + i, i)
            if h: s += h(2)
        s += kept[0](1) + box.f(1) if False else kept[0](1)
        del kept, Box, box, h
        """,
    "names that are not bound, or another's": """
        def first(f):
            i, c = 100, 200
            return f(1) + i + c
        s = 0
        for i in range(20):
            s += first(lambda p: p + i)
            if i == 12:
                c = 3
            if i > 13:
                s += first(lambda p: p + c)
            if i == 17:
                s += first(lambda p: p + nowhere)
        """,
}


def run(source: str) -> tuple[list[Site], str]:
    return test_compiled.run(FUNCTIONS + textwrap.dedent(source))


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """One code, or a few, serves all functions."""
    most, source = WHOLE[name]
    sites, difference = run(source)
    test_compiled.assert_whole(sites, difference)
    for site in sites:
        assert len(site.compiled) <= most, [compiled.describe() for compiled in site.compiled]


@pytest.mark.parametrize("name", INNER)
def test_inner(name: str) -> None:
    """The last loop, which calls the functions that make others, is compiled as a whole."""
    sites, difference = run(INNER[name])
    assert not difference
    assert sites[-1].runs, sites[-1].refusals
    assert not sites[-1].leaves


@pytest.mark.parametrize("name", EXACT)
def test_exact(name: str) -> None:
    """Values and errors are the interpreter's, whatever the loops are compiled for."""
    test_compiled.assert_same(*run(EXACT[name]))


@pytest.mark.parametrize("name", PASSED)
def test_passed(name: str) -> None:
    """A lambda expression of the loop's own is an argument of a function."""
    sites, difference = run(PASSED[name])
    assert not difference
    ran = [site for site in sites if site.runs]
    assert ran, [site.refusals for site in sites]
    assert not any(site.leaves for site in ran), [site.leaves for site in ran]


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_same(*run(LEFT[name]))
