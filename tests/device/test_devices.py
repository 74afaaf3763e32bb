"""Devices: selection, results, and the script that tests one (`benches/device`).

The device here is the mock device, `mock`: the portable backend with separate memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import fastnp
import numpy
import pytest

from benches import ocean
from benches.device.comparisons import OCEAN, same
from benches.device.page import write
from npbench.binding import run_source
from tests import on_device, on_masks

ROOT = Path(__file__).resolve().parents[2]


def test_a_device_is_set_and_left_again() -> None:
    assert fastnp.get_device() == "cpu"
    with fastnp.device("mock") as chosen:
        assert repr(chosen) == "fastnp.device('mock')"
        assert fastnp.get_device() == "mock"
        with fastnp.device("cpu"):
            assert fastnp.get_device() == "cpu"
        assert fastnp.get_device() == "mock"
    with pytest.raises(ZeroDivisionError), fastnp.device("mock"):
        raise ZeroDivisionError
    assert fastnp.get_device() == "cpu"


def test_a_name_that_is_none_says_what_names_there_are() -> None:
    with pytest.raises(ValueError, match="'cpu', 'auto', 'cuda', or 'cuda:' and a number"):
        fastnp.set_device("tpu")
    with pytest.raises(ValueError, match='no backend "tpu"'):
        fastnp.settings(backend="tpu")
    assert fastnp.get_device() == "cpu"


def test_a_setting_of_the_environment_that_is_wrong_is_an_error_at_import() -> None:
    for name, value, words in (
        ("FASTNP_BACKEND", "tpu", "ValueError: FASTNP_BACKEND: there is no backend"),
        ("FASTNP_TINY", "small", 'ValueError: FASTNP_TINY: "small" is not a whole number'),
    ):
        done = subprocess.run(
            [sys.executable, "-c", "import fastnp"],
            env={"PYTHONPATH": ":".join(sys.path), name: value},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1 and words in done.stderr


def test_results_stay_on_the_device_until_they_are_needed() -> None:
    x = fastnp.array(numpy.arange(100_000.0))
    with fastnp.device("mock"):
        fastnp.synchronize()
        fastnp.reset_stats()
        y = fastnp.sqrt(x) * 2.0
        z = y + 1.0
        fastnp.synchronize()
        assert float(z[9]) == 7.0
        stats = fastnp.stats()
        assert stats["bytes_uploaded"] == 800_000 and stats["bytes_downloaded"] == 8
        assert "on mock" in fastnp.explain()
    # On the host they are downloaded, once.
    fastnp.reset_stats()
    assert numpy.array_equal(numpy.asarray(y + 0.0), numpy.sqrt(numpy.arange(100_000.0)) * 2.0)
    assert fastnp.stats()["bytes_downloaded"] == 800_000


def test_what_masks_choose_stays_there_but_for_how_many() -> None:
    with fastnp.device("mock"):
        x = fastnp.arange(50_000.0)
        fastnp.eval(x)
        before = fastnp.stats()["bytes_downloaded"]
        chosen, (places,) = x[x % 3 == 0], fastnp.nonzero(x < 10)
        fastnp.eval(chosen + 1, places)
        assert fastnp.stats()["bytes_downloaded"] - before <= 32
        assert float(chosen[-1]) == 49998.0 and places.tolist() == list(range(10))
        assert on_masks.agreement(60, 2)[1] == []


def test_what_has_nothing_in_common_shares_launches_where_those_are_dear() -> None:
    arrays = [fastnp.arange(100_000.0) + i for i in range(16)]
    counts = {}
    for device in ("cpu", "mock"):
        with fastnp.device(device):
            fastnp.eval(*arrays)
            fastnp.reset_stats()
            results = [x * 2.0 + i for i, x in enumerate(arrays)]
            fastnp.eval(*results)
            fastnp.synchronize()
            counts[device] = fastnp.stats()["kernels_launched"]
            assert [float(result[1]) for result in results] == [3.0 * i + 2.0 for i in range(16)]
    assert counts["mock"] == 1 < counts["cpu"]


def test_a_long_program_is_one_kernel_on_a_device() -> None:
    random = numpy.random.default_rng(3)
    arrays = (random.uniform(30, 40, (40, 40, 9)), random.uniform(0, 30, (40, 40, 9)))
    water = [fastnp.array(a) for a in (*arrays, random.uniform(0, 4000, (1, 1, 9)))]
    ours: Any = run_source(OCEAN, fastnp)["enthalpy_slope"]
    with fastnp.device("mock"):
        fastnp.eval(ours(*water))
        # It has two square roots, and looked like a loop of them that begins again.
        before = fastnp.stats()
        slope = ours(*water)
        fastnp.eval(slope)
        after = fastnp.stats()
        assert after["flushes_at_limit"] == before["flushes_at_limit"]
        # One besides for what is computed of the few pressures.
        assert after["kernels_launched"] - before["kernels_launched"] == 2
    plain: Any = ocean.enthalpy_slope
    expected = plain(*map(numpy.asarray, water))
    numpy.testing.assert_allclose(slope, expected, rtol=1e-9, atol=1e-12)


def test_scalars_stay_on_the_device_where_that_is_asked_for() -> None:
    x = fastnp.array(numpy.arange(1.0, 100_001.0))
    with fastnp.device("mock"), fastnp.settings(lazy_scalars=1):
        fastnp.synchronize()
        fastnp.reset_stats()
        total = x.sum()
        mean = total / 100_000
        centred = (x - mean) / (x.max() + fastnp.sum(x * 0.0))
        assert isinstance(total, fastnp.ndarray) and total.shape == ()
        fastnp.synchronize()
        assert fastnp.stats()["bytes_downloaded"] == 0
        assert float(mean) == 50_000.5 and bool(mean > 3) and f"{float(mean):.1f}" == "50000.5"
        assert float(centred[0]) == (1 - 50_000.5) / 100_000
        assert fastnp.stats()["bytes_downloaded"] < 100
    assert isinstance(x.sum(), numpy.float64)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("device", ["mock", "x86"])
def test_every_function_type_and_layout_is_the_portable_backends(device: str) -> None:
    if device == "x86" and fastnp.settings()["backend"]["value"] != "x86":
        pytest.skip("no machine code here")
    found = on_device.agreement(device, 600)
    assert found["failed"] == [] and found["compared"] > 10_000
    assert found["types and layouts left out"] == 0


def test_what_differs_is_found() -> None:
    def case(name: str) -> on_device.Case:
        return on_device.Case(name, "d", "dense", lambda np, a: a)

    def apart(name: str, ours: Any, theirs: Any) -> str | None:
        return on_device.apart(case(name), numpy.array(ours), numpy.array(theirs))

    one, next_to_one = 1.0, float(numpy.nextafter(1.0, 2.0))
    assert apart("add", [one, numpy.nan], [one, numpy.nan]) is None
    assert "at (0,)" in str(apart("add", [next_to_one], [one]))
    assert apart("exp", [next_to_one], [one]) is None
    assert apart("exp", [1 + 6e-16 * 4], [one]) is not None
    assert apart("exp", [numpy.nan], [one]) is not None
    assert apart("sum of axis 0", [1 + 1e-13], [one]) is None
    assert apart("sum of axis 0", [1 + 1e-8], [one]) is not None
    assert apart("max of axis 0", [next_to_one], [one]) is not None
    assert apart("add", [1], [1.0]) is not None
    assert on_device.apart(case("add"), "TypeError", numpy.array(1.0)) is not None


def test_a_run_fills_the_page(tmp_path: Path) -> None:
    page = tmp_path / "gpu.md"
    page.write_text((ROOT / "docs" / "gpu.md").read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-m", "benches.device", "mock", "--dry", "--page", str(page)]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "devices")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "devices").iterdir()
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["device"].startswith("mock")
    assert found["agreement"]["failed"] == found["random programs"]["failed"] == []
    assert found["libraries"]["failed"] == [] and found["libraries"]["routines"] == 0
    one = found["programs"]["cells"]["x + y, float64, 4096"]
    assert {"numpy", "fastnp"} <= one["seconds"].keys() and one["share"] > 0
    assert one["kernels_launched"] == 1 and one["bytes_uploaded"] == 0
    assert {"apart", "packed", "woven"} <= found["pairs"]["pairs"]["sum, 5 exp, 4096"].keys()
    for part in ("npbench S", "npbench L"):
        outcome = found[part]["kernels"][0]["outcomes"][1]
        assert outcome["label"] == "fastnp" and outcome["agrees"]
        assert found[part]["over"]["numpy"] > 0
    text = page.read_text(encoding="utf-8")
    shown = text[text.index("<!-- measured -->") : text.index("<!-- end of measured -->")]
    assert f"devices/{path.name}" in shown and "Tested without a GPU" not in shown
    for row in ("numpy", "circle, float64, 4096", "enthalpy_slope, 4096", "softmax, 64 x 10"):
        assert f"\n| {row} | " in shown
    assert "A first call: nothing cached: " in shown


def test_a_page_without_a_place_for_figures_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# A page\n", encoding="utf-8")
    with pytest.raises(ValueError, match="add them where figures go"):
        write(path, {"device": "mock", "machine": {}}, tmp_path / "mock.json")


def test_results_that_differ_from_numpys_are_found() -> None:
    ones = numpy.ones(3)
    assert same(fastnp.ones(3), ones) and same((1.0, ones > 0), (numpy.float64(1), ones > 0))
    assert not same(ones * (1 + 1e-5), ones) and not same(ones > 1, ones > 0)
    assert not same(ones.astype(numpy.float32), ones) and not same(ones[:2], ones)


def test_the_equation_of_state_is_teos_10s() -> None:
    """The points are those of the examples of its toolbox, the densities the toolbox's."""
    state: Any = ocean.dynamic_enthalpy
    salinity = numpy.array([34.7118, 34.8915, 35.0256, 34.8472, 34.7366, 34.7324])
    temperature = numpy.array([28.8099, 28.4392, 22.7862, 10.2262, 6.8272, 4.3236])
    pressure = numpy.array([10.0, 50.0, 125.0, 250.0, 600.0, 1000.0])

    def difference(by_heat: float, by_pressure: float) -> Any:
        ends = (
            state(salinity, temperature + sign * by_heat, pressure + sign * by_pressure).value
            for sign in (1.0, -1.0)
        )
        return numpy.subtract(*ends) / (2.0 * (by_heat + by_pressure))

    found = state(salinity, temperature, pressure).slope
    numpy.testing.assert_allclose(found, difference(1e-3, 0.0), rtol=1e-6)
    density = [1021.840, 1022.262, 1024.427, 1027.790, 1029.838, 1032.002]
    numpy.testing.assert_allclose(1e4 / difference(0.0, 0.1), density, rtol=2e-6)
