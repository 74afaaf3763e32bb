"""Random numbers in compiled loops: the bits that the interpreter draws, and generators' states."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from fastnp._loops import generators
from fastnp._loops.site import Site

from tests.loops import test_compiled

# Of each program, a loop that is compiled as a whole.
SETUP = """
np.random.seed(3)
box = np.random.default_rng(4)
words = {
    "mt": np.random.Generator(np.random.MT19937(1)),
    "philox": np.random.Generator(np.random.Philox(2)),
    "sfc": np.random.Generator(np.random.SFC64(3)),
    "dxsm": np.random.Generator(np.random.PCG64DXSM(4)),
}
state, wide = np.random.RandomState(5), np.random.RandomState(np.random.PCG64(6))
twister, K = random.Random(7), [3, 1, 4, 1, 5]
class Walk:
    def __init__(self):
        self.rng, self.at = np.random.default_rng(8), 0.0
    def step(self, i):
        self.at += self.rng.normal() + self.rng.integers(i + 1)
walk = Walk()
found, states = np.zeros(60), []
Walk.__module__ = "elsewhere"
"""
SHOW = """
for generator in (box, state, wide, *words.values(), walk.rng):
    bits = getattr(generator, "bit_generator", None) or generator._bit_generator
    states.append(repr(bits.state))
states.append(repr((np.random.get_state(), state.get_state(legacy=False), random.getstate())))
states.append(twister.getstate())
"""
GENERATOR = """
for i in range(50):
    found[i] = {0}.random() + {0}.uniform(1, 2.5) + {0}.integers(6) + {0}.integers(-5, 1 << 40)
    found[i] += {0}.normal(1, 0.5) + {0}.exponential(2) + {0}.standard_normal()
    if {0}.random() < 0.5: found[i] += {0}.integers(3) + {0}.standard_exponential()
"""
OF_STATE = """
for i in range(50):
    found[i] = {0}.rand() + {0}.random() + {0}.random_sample() + {0}.uniform() + {0}.uniform(-1, i)
    found[i] += {0}.randint(7) + {0}.randint(-3, 1 << 40) + {0}.exponential(i)
    if found[i] > 2: found[i] += {0}.randn() + {0}.normal(i, 2) + {0}.standard_normal()
"""
WHOLE = {
    "Python's generator": """
for i in range(50):
    found[i] = random.random() + random.uniform(i, 3) + random.randint(1, 6) + random.randrange(9)
    found[i] += random.randrange(-4, 1 << 50) + random.choice(K)
""",
    "a generator of Python's class": """
for i in range(50):
    found[i] = twister.random() + twister.randint(-i, i) + twister.choice(K)
""",
    "normal numbers and waits of Python's generator": """
s = random.gauss(0, 1)
for i in range(50):
    found[i] = random.gauss(1.5, i) - random.normalvariate(i, 0.5) + random.expovariate(0.25)
    if found[i] > 2: found[i] += random.gauss() + random.expovariate(-3)
""",
    "NumPy's global generator": OF_STATE.format("np.random"),
    "a RandomState": OF_STATE.format("state"),
    "a RandomState of long words": OF_STATE.format("wide"),
    "a Generator": GENERATOR.format("box"),
    "a generator that is an attribute": """
for i in range(50):
    walk.step(i)
    found[i] = walk.at
""",
    "choices": """
for i in range(50):
    found[i] = random.choice((2.5, -1.0)) + random.choice([i, 3])
    p, q = random.choice([((1, 0.5), i), ((-2, 1.5), 3)])
    r = random.choice(((True, 1), (False, 2)))
    found[i] += p[0] * p[1] + q * (r[1] if r[0] else 7)
""",
    "choices of NumPy's": """
for i in range(50):
    c = np.random.choice([-1, 1])
    found[i] = c + np.random.choice(u) + np.random.choice(K) + np.random.choice((0.5, 2.0))
    b = np.random.choice(i + 1)
""",
    "choices of a Generator's": """
for i in range(50):
    c = box.choice([True, False])
    found[i] = c + box.choice(x) + box.choice(K) + box.choice(5)
    b = box.choice(i + 1)
""",
    "arguments by name": """
for i in range(50):
    found[i] = np.random.normal(loc=i, scale=0.5) + np.random.normal(scale=2)
    found[i] += np.random.exponential(scale=i) + np.random.randint(low=2, high=9)
    found[i] += np.random.uniform(high=3) + np.random.randint(7, high=None)
    found[i] += np.random.normal(0, scale=2, size=3)[1] + np.random.random(size=None)
    c = np.random.choice(a=K, size=None, replace=True)
""",
    "arguments of Python's by name": """
for i in range(50):
    found[i] = random.gauss(mu=i, sigma=2) + random.uniform(a=1, b=i) + random.randint(1, b=6)
    found[i] += random.expovariate(lambd=2) + random.choice(seq=K) + random.randrange(start=4)
""",
    "arguments of a Generator's by name": """
for i in range(50):
    found[i] = box.normal(scale=i) + box.integers(6, endpoint=False) + box.integers(low=1, high=7)
    found[i] += box.uniform(high=i, low=0) + box.choice(i + 1, replace=True, shuffle=True)
    found[i] += box.standard_normal(size=(2, 3))[1, 2]
""",
    "trials and counts": """
for i in range(50):
    b, c = np.random.binomial(1, 0.3), np.random.poisson(0.5)
    found[i] = np.random.binomial(i, i / 50) + np.random.binomial(100 * i, 0.625) + b + c
    found[i] += np.random.poisson(i) + np.random.poisson() + np.random.poisson(lam=1e6)
    found[i] += np.random.binomial(n=5, p=1, size=4).sum() - np.random.poisson(2.5, (2, 2)).sum()
""",
    "trials and counts of a Generator's": """
for i in range(50):
    b, c = box.binomial(1, 0.3), box.poisson(0.5)
    found[i] = box.binomial(i, i / 50) + box.binomial(100 * i, p=0.625) + b + c
    found[i] += box.poisson(i) + box.poisson() + box.binomial(40, 0.5) + box.poisson(3, size=2)[1]
""",
    "weighted choices": """
W, few, many = [0.125, 0.25, 0.25, 0.25, 0.125], np.array([0.1, 0.9]), np.ones((7, 2))
for i in range(50):
    c, d = np.random.choice(2, p=few), np.random.choice(K, p=W)
    found[i] = c + d + np.random.choice([-1, 1], p=[i / 50, 1 - i / 50])
    found[i] += np.random.choice((1.5, 2.0), p=(0, 1.0))
    found[i] += np.random.choice(7, p=many[:, 1] / 7) + np.random.choice(5, size=3, p=W).sum()
    found[i] += np.random.choice(np.arange(i, i + 2), p=few[::-1])
""",
    "weighted choices of a Generator's": """
W, few = [0.125, 0.25, 0.25, 0.25, 0.125], np.array([0.1, 0.9])
for i in range(50):
    c = box.choice(2, p=few)
    found[i] = c + box.choice(K, p=W) + box.choice([-1, 1], p=[i / 50, 1 - i / 50])
    found[i] += box.choice(np.arange(i + 1)) + box.choice(x[:2], p=few)
""",
    "random indices": "for i in range(50):\n    x[box.integers(7)] += y[box.integers(0, 7)] + 1",
    "several generators": """
for i in range(50):
    found[i] = box.random() + state.rand() + random.gauss(0, 1) * np.random.normal()
    if found[i] > 1:
        found[i] += random.randint(1, 6) - state.normal(i, 2)
        found[i] += state.randn() if random.random() < 0.3 else box.normal()
""",
    "a generator in a function, and another": """
for i in range(50):
    walk.step(i)
    found[i] = walk.at + box.normal() + twister.random()
""",
    "two names of a generator": """
other = box
for i in range(50):
    found[i] = box.random() + other.normal() + state.rand()
""",
}
for kind in ("mt", "philox", "sfc", "dxsm"):
    WHOLE[f"a Generator of {kind}"] = f"{kind} = words['{kind}']\n" + GENERATOR.format(kind)
# Loops that are left at times, in statements that have drawn already.
LEFT = {
    "generators that share their words": """
other, words["numpy"] = np.random.Generator(box.bit_generator), np.random.mtrand._rand
for i in range(50):
    found[i] = box.random() + other.normal()
for i in range(50):
    found[i] += words["numpy"].rand() + np.random.rand()
numpys = np.random.mtrand._rand
for i in range(50):
    found[i] += np.random.rand() + numpys.rand()
    found[i] += numpys.randint(3)
same = np.random.RandomState(np.random.mtrand._rand._bit_generator)
for i in range(50):
    found[i] += same.rand() + np.random.rand()
""",
    "generators that share their words later": """
def both(one, other):
    for i in range(50):
        found[i] = one.random() + other.random() + one.normal()
both(box, words["sfc"])
both(box, box)
both(box, np.random.Generator(box.bit_generator))
both(words["sfc"], box)
""",
    "what is left between draws of two": """
for i in range(50):
    found[i] = box.random() + random.gauss(0, 1) + 1 / (i % 7 - 3) + state.randn() * 3 ** i
""",
    "what is left after draws of two": """
for i in range(50):
    if i % 3 == 1:
        try: x[int(random.gauss(3, 2)) % 9] = box.integers(9) + state.normal()
        except IndexError: found[i] = 1
    found[i] += random.gauss(0, 1) + state.normal()
""",
    "several, and one that the program seeds": """
for i in range(50):
    found[i] = np.random.rand() + box.normal() + random.gauss(0, 1)
    if i == 20: np.random.seed(9)
    if i == 30: random.seed(2)
""",
    "an index that is too large": "for i in range(50):\n    x[box.integers(9)] = box.normal()",
    "an index, after a normal number of two": """
for i in range(50):
    np.random.normal()
    x[int(np.random.rand() * 9)] = np.random.randn()
""",
    "an empty range": "for i in range(50):\n    found[i] = box.random() + box.integers(3 - i, 3)",
    "an empty range of Python's": "for i in range(9, -3, -1):\n    found[i] = random.randrange(i)",
    "a negative scale": "for i in range(9, -3, -1):\n    found[i] = state.normal(1, i)",
    "probabilities that do not sum to 1": """
for i in range(50):
    found[i] = np.random.rand() + np.random.choice(2, p=[0.5, 0.5 if i < 40 else 0.51])
""",
    "probabilities of which one is negative": """
for i in range(50):
    found[i] = box.random() + box.choice(3, p=[0.5, 0.75, -0.25 if i > 40 else -0.0])
""",
    "probabilities of which one is not a number": """
for i in range(50):
    found[i] = box.choice(2, p=[0.5, 0.5 if i < 40 else float("nan")])
""",
    "too few probabilities": """
for i in range(2, 50):
    found[i] = box.random() + box.choice(max(2, i - 40), p=[0.25, 0.75])
""",
    "a probability beyond 1": """
for i in range(50):
    found[i] = np.random.binomial(9, i / 40)
""",
    "a negative number of trials": """
for i in range(9, -9, -1):
    found[i] = box.binomial(i, 0.5)
""",
    "a negative rate": """
for i in range(9, -9, -1):
    found[i] = np.random.poisson(i)
""",
    "integers up to an endpoint": """
for i in range(50):
    found[i] = box.integers(1, 6, endpoint=True)
""",
    "arguments that a method does not take": """
for i in range(50):
    found[i] = np.random.normal(0, sigma=1)
""",
    "a bound that is None": """
for i in range(50):
    found[i] = np.random.randint(7, None) + np.random.uniform(0, high=None)
""",
    "an argument given twice": """
for i in range(50):
    found[i] = np.random.normal(0, loc=1)
""",
    "a wait that never ends": "for i in range(9, -3, -1):\n    found[i] = random.expovariate(i)",
    "an index, after the first normal number of two": """
for i in range(50):
    x[int(random.gauss(3, 2)) % 9] = random.gauss(0, 1)
""",
    "a generator that the program seeds": """
for i in range(50):
    found[i] = np.random.rand()
    if i == 20: np.random.seed(9)
""",
    "another generator": """
for i in range(50):
    found[i] = walk.rng.integers(99)
    if i == 20: walk.rng = words["mt"]
""",
    "an array of numbers": """
for i in range(50):
    x[:] = box.random(7)
    y[i % 7] = box.random()
""",
}


def run(source: str) -> tuple[list[Site], str]:
    return test_compiled.run(SETUP + source + SHOW)


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and leaves the generator where the interpreter does."""
    test_compiled.assert_whole(*run(WHOLE[name]))


@pytest.mark.parametrize("name", WHOLE)
def test_words_are_used_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no word is left, in the middle of a statement too, the loop is entered anew."""
    monkeypatch.setattr(generators, "FEWEST", 30)
    monkeypatch.setattr(generators, "MOST", 41)
    test_compiled.assert_same(*run(WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """A statement that is left has drawn nothing."""
    source = textwrap.indent(LEFT[name], "    ")
    test_compiled.assert_same(
        *run(f"try:\n{source}\nexcept Exception as error: print(repr(error))\n")
    )


def test_what_wraps_a_draw_is_none() -> None:
    """A function of the program may say that it wraps one of NumPy's."""
    source = """
import functools
@functools.wraps(np.random.rand)
def three():
    return 3
for i in range(9): found[i] = three()
"""
    test_compiled.assert_same(*run(source))


def test_other_objects_have_no_words() -> None:
    values: list[Any] = [None, 3, object(), type, pytest]
    assert not any(map(generators.is_generator, values))
