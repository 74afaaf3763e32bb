"""Vertical advection of a weather model: a tridiagonal solve in each column of the atmosphere.

The COSMO stencil in the form popularised by the GridTools project; all columns advance together,
level by level, up and then down.
"""

import numpy as np

PRESETS = {
    "test": {"NI": 4, "NJ": 5, "NK": 6},
    "S": {"NI": 60, "NJ": 60, "NK": 40},
    "M": {"NI": 112, "NJ": 112, "NK": 80},
    "L": {"NI": 180, "NJ": 180, "NK": 160},
    "paper": {"NI": 256, "NJ": 256, "NK": 160},
}
MUTATES = ("utens_stage",)

# Weights of the old and the new time level.
BET_M = 0.5
BET_P = 0.5


def initialize(NI, NJ, NK):
    rng = np.random.default_rng(42)
    return {
        "dtr_stage": 3.0 / 20.0,
        "utens_stage": rng.random((NI, NJ, NK)),
        "u_stage": rng.random((NI, NJ, NK)),
        "wcon": rng.random((NI + 1, NJ, NK)),
        "u_pos": rng.random((NI, NJ, NK)),
        "utens": rng.random((NI, NJ, NK)),
    }


def right_side(k, correction, utens_stage, u_pos, utens, dtr_stage):
    return dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction


def eliminate(ccol, dcol, utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    """The upward pass of the Thomas algorithm, filling `ccol` and `dcol`."""
    NK = utens_stage.shape[2]
    gcv = 0.25 * (wcon[1:, :, 1] + wcon[:-1, :, 1])
    cs = gcv * BET_M
    ccol[:, :, 0] = gcv * BET_P
    bcol = dtr_stage - ccol[:, :, 0]
    correction = -cs * (u_stage[:, :, 1] - u_stage[:, :, 0])
    dcol[:, :, 0] = right_side(0, correction, utens_stage, u_pos, utens, dtr_stage)
    divided = 1.0 / bcol
    ccol[:, :, 0] = ccol[:, :, 0] * divided
    dcol[:, :, 0] = dcol[:, :, 0] * divided

    for k in range(1, NK):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        as_ = gav * BET_M
        acol = gav * BET_P
        correction = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k])
        bcol = dtr_stage - acol
        if k < NK - 1:
            gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
            cs = gcv * BET_M
            ccol[:, :, k] = gcv * BET_P
            bcol = bcol - ccol[:, :, k]
            correction = correction - cs * (u_stage[:, :, k + 1] - u_stage[:, :, k])
        dcol[:, :, k] = right_side(k, correction, utens_stage, u_pos, utens, dtr_stage)
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        if k < NK - 1:
            ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = (dcol[:, :, k] - dcol[:, :, k - 1] * acol) * divided


def kernel(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    NI, NJ, NK = utens_stage.shape
    ccol = np.empty((NI, NJ, NK), dtype=utens_stage.dtype)
    dcol = np.empty((NI, NJ, NK), dtype=utens_stage.dtype)
    eliminate(ccol, dcol, utens_stage, u_stage, wcon, u_pos, utens, dtr_stage)
    above = np.empty((NI, NJ), dtype=utens_stage.dtype)
    above[:] = dcol[:, :, NK - 1]
    utens_stage[:, :, NK - 1] = dtr_stage * (dcol[:, :, NK - 1] - u_pos[:, :, NK - 1])
    for k in range(NK - 2, -1, -1):
        level = dcol[:, :, k] - ccol[:, :, k] * above[:, :]
        above[:] = level
        utens_stage[:, :, k] = dtr_stage * (level - u_pos[:, :, k])
