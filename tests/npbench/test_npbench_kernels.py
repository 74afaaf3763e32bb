"""Every kernel is finite, deterministic, and declares what it writes; the sizes are complete."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npbench import catalog, outputs


@pytest.mark.parametrize("name", catalog.names())
def test_kernel_is_finite_deterministic_and_declares_its_writes(name: str, run_kernel: Any) -> None:
    first_before, first_after, first = run_kernel(name)
    _, second_after, second = run_kernel(name)
    kernel = catalog.find(name)
    # Not equality: some published inputs are fixed points (heat_3d starts from a linear field).
    assert set(outputs.written(first_after, first_before)) <= set(kernel.mutates)
    assert set(kernel.mutates) <= set(kernel.arguments)
    results = outputs.flatten(first) | {m: first_after[m] for m in kernel.mutates}
    again = outputs.flatten(second) | {m: second_after[m] for m in kernel.mutates}
    assert results, "a kernel without outputs computes nothing"
    for place, value in results.items():
        assert np.all(np.isfinite(value)), place
        np.testing.assert_array_equal(value, again[place])


@pytest.mark.parametrize("name", catalog.names())
def test_kernel_has_every_preset_with_the_same_sizes(name: str) -> None:
    kernel = catalog.find(name)
    assert list(kernel.presets) == ["test", "S", "M", "L", "paper"]
    assert len({tuple(sizes) for sizes in kernel.presets.values()}) == 1


def test_the_catalog_holds_the_whole_suite() -> None:
    assert len(catalog.names()) == 54
