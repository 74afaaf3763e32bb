"""The table of what runs natively is true."""

from __future__ import annotations

from tests.coverage import PAGE, page, rows


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(rows()), "python -m tests.coverage writes it anew"
