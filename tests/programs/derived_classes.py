"""Classes derived from arrays, as NumPy's manual shows them: attributes, memory, operators."""

import copy

import numpy as np


class InfoArray(np.ndarray):
    """An array with a note, made like an array."""

    def __new__(subtype, shape, dtype=float, buffer=None, offset=0, strides=None, info=None):
        obj = super().__new__(subtype, shape, dtype, buffer, offset, strides)
        obj.info = info
        return obj

    def __array_finalize__(self, obj):
        if obj is not None:
            self.info = getattr(obj, "info", None)


class Operators(np.ndarray):
    """Takes operators over."""

    def __rmul__(self, other):
        return "rmul"

    def __rmatmul__(self, other):
        return "rmatmul"

    def __lt__(self, other):
        return "lt"

    def __gt__(self, other):
        return "gt"

    def __rpow__(self, other):
        return "rpow"

    def sum(self, *args, **kwargs):
        return "sum"


class Unmixable(np.ndarray):
    """Wants no ufuncs."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"


note = InfoArray((3,), info="a note")
note[:] = 1
print(note, note.info, note[1:].info, type(note + 1).__name__, copy.deepcopy(note).info)
memory = np.arange(6.0)
window = InfoArray((2, 3), buffer=memory)
window[0, 0] = 9
print(memory, window, window.view(np.ndarray) is window, type(window.T).__name__)

plain = np.ones(3)
taken = plain.view(Operators)
print(plain * taken, plain @ taken, plain < taken, plain > taken, plain**taken, 2 * taken)
print(taken + plain, np.sum(taken), taken.mean(), np.float64(2) * taken)
lonely = plain.view(Unmixable)
print(plain + lonely)
try:
    np.add(plain, lonely)
except TypeError as error:
    print("does not support ufuncs" in str(error))

masked = np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])
print(masked + plain, plain + masked, (masked * plain).sum(), np.ma.masked_where(plain > 0, plain))
matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
print(matrix * np.eye(2), np.eye(2) * matrix, matrix**2, matrix @ np.ones(2))
print(np.where(plain > 0, note, plain), np.dot(note, plain), np.vstack([note, plain]))
print(type(np.broadcast_to(note, (2, 3))).__name__, type(np.array(note, subok=True)).__name__)
