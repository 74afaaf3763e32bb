"""The standard library's checks of what unsafe code promises are on in the extension under test.

That extension is built with debug assertions, which turn them on; without, there is no
`break_precondition`.
"""

from __future__ import annotations

import signal
import subprocess
import sys


def test_a_broken_precondition_ends_the_process() -> None:
    program = "import fastnp; fastnp._fastnp.break_precondition()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == -signal.SIGABRT, done
    assert "unsafe precondition(s) violated: slice::get_unchecked" in done.stderr, done
