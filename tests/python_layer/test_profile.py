"""`profile`, `doctor` and the picture of `explain`: the numbers add up, lines are the program's,
and pages show in a browser.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from pathlib import Path

import fastnp
import pytest

from tests.browser import opened

HERE = Path(__file__).name
N = 200_000


def here(offset: int = 0) -> str:
    """The end of `file:line` of the caller."""
    return f"{HERE}:{sys._getframe(1).f_lineno + offset}"


@pytest.fixture(scope="module")
def profiled() -> fastnp.profile:
    """A profile with a kernel, a product, fallbacks and small operations."""
    x = fastnp.linspace(0.0, 1.0, N)
    square = fastnp.ones((200, 200))
    with fastnp.profile() as p:
        float((fastnp.sin(x) * 2).sum())
        (square @ square).tolist()
        for _ in range(12):
            fastnp.sort(x)
        small = fastnp.ones(10)
        for _ in range(20):
            small = small + 1
    return p


def test_what_ran_is_counted(profiled: fastnp.profile) -> None:
    names = {work.name: work for work in profiled.work}
    fused = next(work for name, work in names.items() if name.startswith("sin, multiply"))
    assert (fused.runs, fused.domain) == (1, (N,))
    assert fused.bytes >= 8 * N
    assert HERE in fused.line
    product = names["matmul in float64"]
    assert product.flops == 2 * 200**3 and product.share is None
    assert sum(work.runs for work in profiled.work if work.line == "at once") >= 20
    [sort] = profiled.fallbacks
    assert (sort.name, sort.runs) == ("sort", 12)
    assert sort.seconds > 0
    assert profiled.counters["fallbacks"] == 12


def test_parts_add_up(profiled: fastnp.profile) -> None:
    parts = dict(profiled.parts())
    assert sum(parts.values()) == pytest.approx(profiled.seconds, rel=0.02)
    assert all(seconds >= 0 for seconds in parts.values())
    assert parts["kernels"] > 0 and parts["fallbacks to NumPy"] > 0
    # Two clocks are read, one after the other.
    end = profiled.seconds + 1e-5
    assert all(0 <= span.start <= span.start + span.seconds <= end for span in profiled.spans)


def test_flushes_have_reasons_and_lines() -> None:
    x = fastnp.linspace(0.0, 1.0, N)
    with fastnp.profile() as p:
        for _ in range(3):
            float((x + 1)[0])
            line = here(-1)
        y = x * 2
        fastnp.flush()
        asked = here(-1)
        z = x * 3
        memoryview(z.data).tobytes()
        left = x * 4
    found = {(flush.line.rpartition("/")[2], flush.reason): flush for flush in p.flushes}
    assert found[line, "a value was read"].flushes == 3
    assert found[asked, "asked for"].operations == 1
    assert sum(flush.operations for flush in p.flushes) == 6
    assert not fastnp.explain().startswith("pending"), (y, left)


def test_lines_of_one_kernel_are_apart_and_calls_of_one_line_are_not() -> None:
    x = fastnp.linspace(0.0, 1.0, N)
    with fastnp.profile() as p:
        _ = float(x.sum()), float(x.sum())
        float(x.sum())
    assert sorted(work.runs for work in p.work) == [1, 2]


def test_a_profile_costs_nothing_afterwards_and_is_alone() -> None:
    with fastnp.profile() as p:
        with pytest.raises(RuntimeError, match="another profile"):
            fastnp.profile().__enter__()
    x = fastnp.ones(N) + 1
    assert float(x[0]) == 2.0
    assert not p.work and not p.flushes
    with pytest.raises(KeyError):
        with fastnp.profile() as p:
            raise KeyError
    assert p.seconds > 0
    assert "unaccounted for" in str(p)


def test_threads_are_profiled() -> None:
    x = fastnp.linspace(0.0, 1.0, 1_000_000)

    def work() -> None:
        for _ in range(5):
            float(fastnp.exp(x).sum())

    threads = [threading.Thread(target=work) for _ in range(3)]
    with fastnp.profile() as p:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sum(flush.operations for flush in p.flushes) == 30
    assert any("exp" in work.name for work in p.work)


def test_text_has_its_tables(profiled: fastnp.profile) -> None:
    text = str(profiled)
    for title in ("where the time went", "kernels and matrix products", "flushes", "fallbacks"):
        assert f"\n{title}\n" in text
    assert "unaccounted for" in text and HERE in text


def test_files(profiled: fastnp.profile, tmp_path: Path) -> None:
    for name in ("p.html", "p.json", "p.txt"):
        profiled.save(tmp_path / name)
    events = json.loads((tmp_path / "p.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert len(spans) == len(profiled.spans)
    assert {"work", "flush", "plan"} <= {event["cat"] for event in spans}
    assert (tmp_path / "p.txt").read_text() == f"{profiled}\n"
    with pytest.raises(ValueError, match="must end in"):
        profiled.save(tmp_path / "p.pdf")


def test_explanations_are_pictures() -> None:
    fastnp.flush()
    x = fastnp.linspace(0.0, 1.0, N)
    y = (x * 2).reshape(100, -1).sum(axis=0) + fastnp.exp(x[:2000]) * 3 < 5
    explained = fastnp.explain(y)
    assert explained.startswith("pending")
    root = ET.fromstring(explained.svg())
    boxes = [g for g in root.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == "group"]
    assert len(boxes) == explained.count("\nkernel ") >= 1
    assert "speed" in explained.svg()
    assert getattr(explained, "_repr_svg_")() == explained.svg()  # noqa: B009
    with fastnp.profile():
        fastnp.eval(y, x * 3)
    assert ", took " in fastnp.explain().svg()
    assert getattr(fastnp.explain(here), "_repr_svg_")() is None  # noqa: B009


SCRIPT = """\
import numpy as np

x = np.zeros(0)
for i in range(30):
    x = np.append(x, float(i))
total = 0.0
y = np.linspace(0.0, 1.0, 5000)
for i in range(20):
    y = np.sort(y * 1.5)
    if y[0] < 1:
        total += 1
for i in range(len(y)):
    total += y[i]
"""


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    script = tmp_path_factory.mktemp("doctor") / "program.py"
    script.write_text(SCRIPT)
    found = fastnp.doctor(script)
    assert all(finding.advice for finding in found)
    assert f"{found[0].file}:{found[0].line}: {found[0].problem}\n    instead: " in repr(found)
    texts: dict[int, str] = {}
    for finding in found:
        texts[finding.line] = texts.get(finding.line, "") + finding.problem
    return texts


def test_the_doctor_names_lines(findings: dict[int, str]) -> None:
    assert "the array x is copied in each turn" in findings[5]
    assert "sort ran in NumPy 20 times" in findings[9]
    assert "a Python loop over the elements of y" in findings[12]
    assert not findings.keys() & {1, 2, 3, 6, 7}


def test_the_doctor_takes_functions() -> None:
    def quick() -> None:
        float((fastnp.linspace(0.0, 1.0, N) * 2).sum())

    def slow(x: fastnp.ndarray) -> None:
        for _ in range(30):
            x = x + 1
            assert float(x[0]) > 0

    assert repr(fastnp.doctor(quick)) == "nothing found"
    [finding] = fastnp.doctor(slow, fastnp.zeros(N))
    assert finding.line == slow.__code__.co_firstlineno + 3
    assert "a value is read 30 times" in finding.problem


def test_options(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("import numpy as np\nprint(np.ones(100_000).sum())\n")
    page = tmp_path / "p.html"
    command = [sys.executable, "-m", "fastnp", f"--profile={page}", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("100000.0\n", "")
    assert "add.reduce" in page.read_text()


def test_pages_open_in_a_browser(profiled: fastnp.profile, tmp_path: Path) -> None:
    page = tmp_path / "profile.html"
    profiled.save(page)
    document, console = opened(page, tmp_path / "user")
    assert console == []
    assert document.count('<g class="part">') == len(profiled.parts())
    rows = re.findall(r"<tr>.*?</tr>", document, re.DOTALL)
    assert len(rows) > len(profiled.work) + len(profiled.flushes)
    # The check sees errors.
    page.write_text(page.read_text().replace("const scale", "missing(); const scale"))
    assert any("missing" in line for line in opened(page, tmp_path / "user").console)
