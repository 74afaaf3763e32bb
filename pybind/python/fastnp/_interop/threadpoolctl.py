"""threadpoolctl: it lists the engine's thread pool and limits it for the calling thread.

From version 3.8 on it asks for limits of single threads; other threads keep theirs. Source:
`threadpoolctl.LibController`.
"""

from __future__ import annotations

from typing import Any

from fastnp import _fastnp

__all__ = ["register"]


def register() -> None:
    """Make the engine known to threadpoolctl."""
    import threadpoolctl

    class FastnpController(threadpoolctl.LibController):
        """The pool of the extension module."""

        user_api = "fastnp"
        internal_api = "fastnp"
        # The start of the name of the shared library, by which threadpoolctl finds it.
        filename_prefixes = ("_fastnp",)

        def get_num_threads(self) -> int:
            return _fastnp.threads_of_this_thread()

        def set_num_threads(self, num_threads: int) -> None:
            _fastnp.limit_threads(max(num_threads, 1))

        def get_version(self) -> Any:
            return None

    threadpoolctl.register(FastnpController)
