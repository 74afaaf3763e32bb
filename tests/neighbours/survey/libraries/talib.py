"""TA-Lib: moving averages and indicators over arrays."""

import talib

from tests.neighbours.survey.inputs import pending

PACKAGE = "TA-Lib"


def moving_average(np):
    return talib.SMA(np.ones(9), 3)


def moving_average_of_a_pending_array(np):
    return talib.SMA(pending(np), 5)


def bands(np):
    return talib.BBANDS(np.arange(30.0), 5)


def of_a_view(np):
    return talib.EMA(pending(np)[::7], 4)


def several_arrays(np):
    x = np.arange(40.0)
    return talib.ATR(x + 1, x, x + 0.5, 5)


def wrong_type(np):
    try:
        talib.SMA(np.arange(9), 3)
    except Exception as error:
        return type(error).__name__, str(error)
    return None
