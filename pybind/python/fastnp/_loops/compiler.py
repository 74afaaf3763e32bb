"""The compiler of loops: none yet, so every loop stays with the interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastnp._loops.loop import Loop
from fastnp._loops.outcome import Compiled, Refusal

__all__ = ["compile_loop"]


def compile_loop(loop: Loop, names: Mapping[str, Any], source: Any) -> Compiled | Refusal:
    """Compile `loop` for the types of `names` and of `source`, which its turns are made from."""
    return Refusal(loop.line, "no compiler")
