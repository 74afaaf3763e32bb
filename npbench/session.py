"""
The runner's side of a worker process: starts it, sends requests, detects crashes and timeouts.

Leaves the meaning of the requests to `worker` and `measure`. POSIX only: replies come through an
inherited pipe.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parent.parent
# Bytes kept of the end of a worker's output: enough for a panic message or a sanitizer's report.
TAIL = 4000


class WorkerFailed(Exception):
    """A worker raised (`error`), died (`crash`) or ran out of time (`timeout`)."""

    def __init__(self, status: str, summary: str, detail: str) -> None:
        super().__init__(summary)
        self.status = status
        self.summary = summary
        self.detail = detail


class Session:
    """A running worker; a context manager that ends it."""

    def __init__(self, spec: dict[str, Any], timeout: float) -> None:
        self.timeout = timeout
        self.stderr = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by __exit__
        self.replies, worker_end = os.pipe()
        self.unread = b""
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "npbench.worker", str(worker_end), json.dumps(spec)],
            stdin=subprocess.PIPE,
            stdout=self.stderr,
            stderr=self.stderr,
            pass_fds=(worker_end,),
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        os.close(worker_end)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stdin is not None:
            # Closing flushes, which fails if the worker died before it read a request.
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        os.close(self.replies)
        self.stderr.close()

    def request(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Send a request and wait for the reply; WorkerFailed for an error or a timeout."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self.crash() from None
        reply: dict[str, Any] = json.loads(self.read_line())
        if "error" in reply:
            raise WorkerFailed("error", reply["error"], reply["traceback"])
        return reply

    def read_line(self) -> bytes:
        """The next line from the worker, within the timeout."""
        deadline = time.monotonic() + self.timeout
        while b"\n" not in self.unread:
            left = max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select([self.replies], [], [], left)
            if not ready:
                self.process.kill()
                summary = f"no reply within {self.timeout:g} s"
                raise WorkerFailed("timeout", summary, self.output_end())
            received = os.read(self.replies, 1 << 16)
            if not received:
                raise self.crash()
            self.unread += received
        line, self.unread = self.unread.split(b"\n", 1)
        return line

    def crash(self) -> WorkerFailed:
        """The failure that describes how the worker process ended."""
        code = self.process.wait()
        reason = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        return WorkerFailed("crash", f"the process died: {reason}", self.output_end())

    def output_end(self) -> str:
        """The end of what the worker wrote to its standard output and error."""
        end = self.stderr.seek(0, os.SEEK_END)
        self.stderr.seek(max(0, end - TAIL))
        return self.stderr.read().decode(errors="replace")
