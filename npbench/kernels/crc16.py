"""CRC-16-CCITT (reflected, as in X.25) of an array of bytes, bit by bit in Python.

The bytes are NumPy's scalars and the register a Python integer, as in NPBench.
"""

import numpy as np

PRESETS = {
    "test": {"N": 20},
    "S": {"N": 1600},
    "M": {"N": 16_000},
    "L": {"N": 160_000},
    "paper": {"N": 1_000_000},
}
MUTATES = ()


def initialize(N):
    rng = np.random.default_rng(42)
    return {"data": rng.integers(0, 256, size=(N,), dtype=np.uint8)}


def crc16(data, polynomial=0x8408):
    register = 0xFFFF
    for byte in data:
        rest = 0xFF & byte
        for _ in range(8):
            if (register & 0x0001) ^ (rest & 0x0001):
                register = (register >> 1) ^ polynomial
            else:
                register >>= 1
            rest >>= 1
    register = ~register & 0xFFFF
    # The low byte is sent first.
    return ((register << 8) | ((register >> 8) & 0xFF)) & 0xFFFF


def kernel(data):
    return crc16(data)
