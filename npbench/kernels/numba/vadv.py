"""`vadv` for Numba: rows of columns in parallel, the levels innermost, as they lie in memory."""

import numpy as np
from numba import njit, prange

BET_M = 0.5
BET_P = 0.5


@njit(parallel=True)
def kernel(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    NI, NJ, NK = utens_stage.shape
    for i in prange(NI):
        ccol = np.empty(NK)
        dcol = np.empty(NK)
        for j in range(NJ):
            for k in range(NK):
                acol = 0.0
                correction = 0.0
                if k > 0:
                    gav = -0.25 * (wcon[i + 1, j, k] + wcon[i, j, k])
                    acol = gav * BET_P
                    correction = -gav * BET_M * (u_stage[i, j, k - 1] - u_stage[i, j, k])
                bcol = dtr_stage - acol
                ccol[k] = 0.0
                if k < NK - 1:
                    gcv = 0.25 * (wcon[i + 1, j, k + 1] + wcon[i, j, k + 1])
                    ccol[k] = gcv * BET_P
                    bcol -= ccol[k]
                    correction -= gcv * BET_M * (u_stage[i, j, k + 1] - u_stage[i, j, k])
                right = dtr_stage * u_pos[i, j, k] + utens[i, j, k] + utens_stage[i, j, k]
                dcol[k] = right + correction
                if k > 0:
                    bcol -= ccol[k - 1] * acol
                    dcol[k] -= dcol[k - 1] * acol
                ccol[k] /= bcol
                dcol[k] /= bcol
            level = dcol[NK - 1]
            utens_stage[i, j, NK - 1] = dtr_stage * (level - u_pos[i, j, NK - 1])
            for k in range(NK - 2, -1, -1):
                level = dcol[k] - ccol[k] * level
                utens_stage[i, j, k] = dtr_stage * (level - u_pos[i, j, k])
