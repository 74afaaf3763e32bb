"""`profile`: a block of statements, measured; and its reports."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from fastnp import _fastnp
from fastnp._profile.page import body, page
from fastnp._profile.record import Record, before
from fastnp._profile.text import report
from fastnp._profile.timeline import trace

__all__ = ["profile"]


class profile(Record):
    """Measure a block of statements, with `with`: where its time went, and why.

    `print(p)` shows the report; `p.save(path)` writes it, as one HTML page (`.html`), as a trace
    for chrome://tracing or Perfetto (`.json`), or as text (`.txt`). Notebooks show the page.

    What is pending before the block runs before it, and what the block leaves pending runs at its
    end. While a profile is made each launch reads the clock, and on a GPU the host waits for it.
    Raises RuntimeError if another profile is being made.

    Attributes: `seconds`; the lists `work` (kernels and matrix products), `flushes`, `fallbacks`
    and `loops`, each with the line of the program, most time first; `planning`, `compiling` and
    `busy`, in seconds; `counters`, those of `stats()` that changed; `spans`, the timeline.

    >>> import fastnp as np
    >>> x = np.ones(100_000)
    >>> with np.profile() as p:
    ...     total = (x * 2 + 1).sum()
    >>> p.work[0].name
    'multiply, add, add.reduce'
    """

    _current: profile | None = None

    def __enter__(self) -> profile:
        if profile._current is not None:
            raise RuntimeError("another profile is being made")
        _fastnp.flush()
        self._before = before()
        profile._current = self
        _fastnp.start_profile()
        self._began = time.perf_counter()
        return self

    def __exit__(self, *exc_info: object) -> None:
        try:
            _fastnp.flush()
        finally:
            self.seconds = time.perf_counter() - self._began
            found = _fastnp.stop_profile()
            profile._current = None
            self.take(found, self._before)

    def __str__(self) -> str:
        return report(self)

    def _repr_html_(self) -> str:
        return body(self)

    def html(self) -> str:
        """The report as one HTML page, which loads nothing from elsewhere."""
        return page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file; the name's end says how: `.html`, `.json` or `.txt`.

        Raises ValueError for another end.
        """
        forms: dict[str, Callable[[], str]] = {
            ".html": self.html,
            ".json": lambda: trace(self),
            ".txt": lambda: f"{self}\n",
        }
        suffix = Path(path).suffix
        if suffix not in forms:
            raise ValueError(f"the name must end in {', '.join(forms)}, not {suffix!r}")
        Path(path).write_text(forms[suffix](), encoding="utf-8")


profile.__module__ = "fastnp"
