"""What is said of errors, as `np.geterr` gives it."""

from threading import Thread

import numpy as np
from fastnp._loops.error_modes import error_modes


def test_follows_errstate() -> None:
    seen = [error_modes() == np.geterr()]
    with np.errstate(over="raise"):
        seen.append(error_modes() == np.geterr())
        assert error_modes()["over"] == "raise"
        with np.errstate(all="ignore"):
            seen.append(error_modes() == np.geterr())
        seen.append(error_modes() == np.geterr())
    before = np.seterr(under="warn")
    seen.append(error_modes() == np.geterr())
    np.seterr(**before)
    assert all([*seen, error_modes() == np.geterr()])


def test_each_thread_has_its_own() -> None:
    found = []
    with np.errstate(invalid="raise"):
        assert error_modes()["invalid"] == "raise"
        thread = Thread(target=lambda: found.append(error_modes() == np.geterr()))
        thread.start()
        thread.join()
        assert error_modes()["invalid"] == "raise"
    assert found == [True]
