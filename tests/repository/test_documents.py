"""The README and CONTRIBUTING.md are correct: their programs run, their tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

import fastnp
import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_run(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(program, {})
    assert capsys.readouterr().out


def test_explanation_is_as_shown() -> None:
    shown = re.findall(r"```text\n(.*?)```", README, re.DOTALL)[0]
    lines = PROGRAMS[0].replace("print(np.explain(y))", "text = np.explain(y)")
    found: dict[str, str] = {}
    exec(lines, found)
    kept = [line for line in shown.splitlines() if "…" not in line]
    assert found["text"].splitlines()[: len(kept)] == kept


def test_settings_are_listed() -> None:
    settings = fastnp.settings()
    listed = re.findall(r"^\| `(\w+)` \| `(FASTNP_\w+)`", README, re.MULTILINE)
    assert listed == [(name, "FASTNP_" + name.upper()) for name in settings]
    assert len(listed) <= 10


def test_links_lead_somewhere() -> None:
    docs = [f"docs/{name}.md" for name in ("loops", "machines", "neighbours")]
    for page in ("README.md", "CONTRIBUTING.md", *docs):
        text = (ROOT / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (ROOT / page).parent.joinpath(target).exists(), f"{page}: {target}"
