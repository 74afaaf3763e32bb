"""Run a library's programs under one module, and write what they give to a file.

    python -m tests.neighbours.survey.worker LIBRARY MODULE FILE [PROGRAM …]

The file holds pickled events: first the library's version, or why it cannot be imported, then the
name of a program before it starts and its record when it has ended. So a program that never ends
is known.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import os
import pickle
import platform
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.neighbours.survey import record


def folder() -> Path:
    """The folder of the files of programs; the tests of the survey name another one."""
    return Path(os.environ.get("SURVEY_LIBRARIES", Path(__file__).parent / "libraries"))


def load(library: str) -> ModuleType:
    """The file of a library's programs."""
    if "SURVEY_LIBRARIES" in os.environ:
        sys.path.append(str(folder()))
        return importlib.import_module(library)
    return importlib.import_module(f"tests.neighbours.survey.libraries.{library}")


def programs(module: ModuleType) -> dict[str, Callable[[Any], Any]]:
    """The programs of a file by name, in their order."""
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }


def version(module: ModuleType, library: str) -> str:
    """The version of the package that a file is about."""
    package = getattr(module, "PACKAGE", library)
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return f"Python {platform.python_version()}"


def main(library: str, module: str, path: Path, wanted: list[str]) -> None:
    """What the head of this file says."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    np = importlib.import_module(module)
    with path.open("ab", buffering=0) as file:

        def tell(*event: Any) -> None:
            file.write(pickle.dumps(event))

        try:
            loaded = load(library)
        except ImportError as error:
            tell("absent", str(error))
            return
        found = programs(loaded)
        tell(
            "library",
            version(loaded, library),
            {name: getattr(program, "rtol", 0.0) for name, program in found.items()},
        )
        for name in wanted or found:
            tell("began", name)
            outcome = record.run(found[name], np)
            try:
                tell("ended", name, outcome)
            except Exception as error:
                # The result does not pickle.
                failed = record.Record(error=(type(error).__name__, f"the result: {error}"))
                tell("ended", name, failed)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
