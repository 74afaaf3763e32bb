"""Conway's game of life on a torus, with rolled neighbours and boolean rules."""

import numpy as np

board = np.zeros((16, 16), dtype=np.uint8)
board[1:4, 2:5] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
board[8, 7:10] = 1
history = []
for step in range(40):
    around = sum(
        np.roll(np.roll(board, i, 0), j, 1)
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        if (i, j) != (0, 0)
    )
    board = ((around == 3) | ((board == 1) & (around == 2))).astype(np.uint8)
    history.append(int(board.sum()))
print(history)
for row in board:
    print("".join(" #"[c] for c in row).rstrip())
