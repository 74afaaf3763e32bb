"""Result types of every elementwise ufunc for every pair of native types, and which have none."""

from __future__ import annotations

from typing import Any

import fastnp
import numpy
import pytest

CODES = "?bBhHiIlLefdFD"
NUMBERS = [True, 1, 1.0, 1j]
UFUNCS = sorted(
    name
    for name in dir(numpy)
    if isinstance(getattr(numpy, name), numpy.ufunc) and not getattr(numpy, name).signature
)


def outcome(module: Any, name: str, arguments: tuple[Any, ...]) -> str:
    """The dtypes of a call's results, or the error it raises."""
    arrays = [module.ones(3, dtype=a) if isinstance(a, str) else a for a in arguments]
    try:
        result = getattr(module, name)(*arrays)
    except TypeError as error:
        return type(error).__name__
    results = result if isinstance(result, tuple) else (result,)
    return " ".join(str(r.dtype) for r in results)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_resolve_as_numpys(name: str) -> None:
    calls: list[tuple[Any, ...]]
    if getattr(numpy, name).nin == 1:
        calls = [(a,) for a in CODES]
    else:
        calls = [(a, b) for a in CODES for b in [*CODES, *NUMBERS]]
        calls += [(b, a) for a in CODES for b in NUMBERS]
    ours = {call: outcome(fastnp, name, call) for call in calls}
    assert ours == {call: outcome(numpy, name, call) for call in calls}
