"""Strings in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
first, second = "GATTACA kitten", "GCATGCU sitting"
mixed = "A1 b2\\tC3 \\u00e9\\u4e2d\\U0001f600 end"
"""
WHOLE = {
    "edit distance": """
def distance(a, b):
    F = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    F[:, 0], F[0, :] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            F[i, j] = min(F[i - 1, j] + 1, F[i, j - 1] + 1, F[i - 1, j - 1] + cost)
    return F[-1, -1]
found = [int(distance(first, second)), int(distance(second, mixed)), int(distance("", "ab"))]
""",
    "characters that are counted": """
counts = np.zeros(128, dtype=int)
vowels = 0
for ch in first:
    counts[ord(ch)] += 1
    if ch in "aeiouAEIOU":
        vowels += 1
    elif ch != " " and ch >= "a":
        vowels -= 1
last = ch
""",
    "a number that is read": """
digits, value, sign = "-20317 apples", 0, 1
for i, ch in enumerate(digits):
    if ch == "-":
        sign = -1
    elif ch.isdigit():
        value = 10 * value + int(ch)
    else:
        break
value *= sign
""",
    "pairs of two strings": """
same = 0
for a, b in zip(first, second):
    if a == b:
        same += 1
    c = chr(ord(a) + 1)
""",
    "a loop in a loop, and one of a function that is called": """
def spaces(line):
    found = 0
    for ch in line:
        if ch.isspace():
            found += 1
    return found
total = 0
for i in range(3):
    for ch in mixed:
        if ch == first[i]:
            total += 1
    total += spaces(first) * len(mixed)
""",
}
LEFT = {
    "characters beyond ASCII": """
for ch in mixed:
    if ch.isalpha():
        s += 1
    d = ch.upper()
""",
    "an index that is too large": """
try:
    for i in range(99):
        s += first[i] == "T"
except IndexError as error:
    print(error)
""",
    "a character that is no digit": """
try:
    for ch in "12\\u0663x":
        s += int(ch)
except ValueError as error:
    print(error)
""",
    "another string": """
def count(text):
    found = 0
    for i in range(len(text)):
        if text[i] == "t":
            found += 1
    return found
s = count(first) + count(second) + count(mixed * 9)
try:
    count(["t", 3])
    count(3)
except TypeError as error:
    print(error)
""",
    "slices, and strings that are made": """
word = ""
for i in range(5):
    word += first[i]
    if first[i : i + 2] == "TT": s += 1
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + LEFT[name]))
