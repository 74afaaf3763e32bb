"""
The evaluation of all measurements: ratios, summary, exit verdict and JSON document.

Leaves presentation to `table`, `plot`, `heatmap` and `page`.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from npbench.measure import Measurement, Outcome

SCHEMA = "npbench/1"


@dataclass(frozen=True)
class Summary:
    """
    One framework over all kernels, against the reference.

    Only kernels that agree have ratios: the time of a wrong result is not counted.
    """

    label: str
    kernels: int
    measured: int
    agree: int
    geometric_mean: float | None
    smallest: float | None
    smallest_kernel: str | None


def ratio(measurement: Measurement, outcome: Outcome) -> float | None:
    """The reference's time over this one's: above 1 is faster. None if either is not measured."""
    reference = measurement.outcomes[0].median_seconds
    if not reference or not outcome.median_seconds:
        return None
    return reference / outcome.median_seconds


def first_ratio(measurement: Measurement, outcome: Outcome) -> float | None:
    """The reference's first call over this one's; None if either was not made."""
    reference = measurement.outcomes[0].first_seconds
    if not reference or not outcome.first_seconds:
        return None
    return reference / outcome.first_seconds


def agrees(measurement: Measurement, outcome: Outcome) -> bool:
    """Whether `outcome` did not fail and all its outputs agree with the reference."""
    if outcome.status != "ok":
        return False
    if outcome is measurement.outcomes[0]:
        return True
    return outcome.agreement is not None and outcome.agreement.agrees


def summarise(measurements: Sequence[Measurement]) -> list[Summary]:
    """A summary of every framework except the reference, or of the reference if it is alone."""
    if not measurements:
        return []
    positions = range(1, len(measurements[0].outcomes)) or range(1)
    return [summarise_one(measurements, position) for position in positions]


def summarise_one(measurements: Sequence[Measurement], position: int) -> Summary:
    """The summary of the framework at `position`."""
    outcomes = [(m, m.outcomes[position]) for m in measurements]
    ratios = {
        m.kernel: faster
        for m, outcome in outcomes
        if position > 0 and agrees(m, outcome) and (faster := ratio(m, outcome)) is not None
    }
    smallest = min(ratios, key=ratios.__getitem__, default=None)
    return Summary(
        label=outcomes[0][1].label,
        kernels=len(outcomes),
        measured=len(ratios),
        agree=sum(agrees(m, outcome) for m, outcome in outcomes),
        geometric_mean=statistics.geometric_mean(ratios.values()) if ratios else None,
        smallest=None if smallest is None else ratios[smallest],
        smallest_kernel=smallest,
    )


def all_agree(measurements: Sequence[Measurement]) -> bool:
    """Whether every framework ran every kernel and agreed."""
    return all(agrees(m, outcome) for m in measurements for outcome in m.outcomes)


def document(
    measurements: Sequence[Measurement], machine: dict[str, Any], settings: dict[str, Any]
) -> dict[str, Any]:
    """Everything that was measured, as types of JSON."""
    return {
        "schema": SCHEMA,
        "machine": machine,
        "settings": settings,
        "summary": [dataclasses.asdict(summary) for summary in summarise(measurements)],
        "kernels": [
            {
                "kernel": m.kernel,
                "preset": m.preset,
                "sizes": m.sizes,
                "outcomes": [
                    finite(dataclasses.asdict(o) | {"ratio": ratio(m, o), "agrees": agrees(m, o)})
                    for o in m.outcomes
                ],
            }
            for m in measurements
        ],
    }


def finite(value: Any) -> Any:
    """`value` with infinities and NaN as text, since JSON has no numbers for them."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, list):
        return [finite(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
