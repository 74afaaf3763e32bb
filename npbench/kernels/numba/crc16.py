"""`crc16` for Numba: the same loop over machine integers."""

from numba import njit


@njit
def kernel(data):
    register = 0xFFFF
    for byte in data:
        rest = int(byte)
        for _ in range(8):
            if (register ^ rest) & 1:
                register = (register >> 1) ^ 0x8408
            else:
                register >>= 1
            rest >>= 1
    register = ~register & 0xFFFF
    return ((register << 8) | (register >> 8)) & 0xFFFF
