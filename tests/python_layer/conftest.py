"""Puts the test double in the extension's place where the extension is not built."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).parents[2] / "pybind" / "python" / "fastnp"


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def install() -> None:
    """Make `import fastnp` work from the source tree, over the double if need be."""
    if importlib.util.find_spec("fastnp") is None:
        sys.path.insert(0, str(PACKAGE.parent))
    suffixes = importlib.machinery.EXTENSION_SUFFIXES
    built = any(True for suffix in suffixes for _ in PACKAGE.glob(f"_fastnp*{suffix}"))
    if built or "fastnp" in sys.modules:
        return
    # The double takes only the metaclass from the package, which must not be imported before the
    # double is in place.
    package = ModuleType("fastnp")
    package.__path__ = [str(PACKAGE)]
    sys.modules["fastnp"] = package
    _load("fastnp._arraytype", PACKAGE / "_arraytype.py")
    _load("fastnp._fastnp", Path(__file__).with_name("standin.py"))
    del sys.modules["fastnp"]


install()
