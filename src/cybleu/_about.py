"""The output of ``cybleu --version``."""

from __future__ import annotations

import sys

from . import BACKEND, __version__
from .text.categories import unicode_version


def version() -> str:
    """Describe version, backend and platform in one line, for bug reports."""
    import platform
    import sysconfig

    python = f"{platform.python_implementation()} {platform.python_version()}"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        python += " free-threaded" + (", with the GIL" if getattr(sys, "_is_gil_enabled", bool)() else "")
    return (
        f"cybleu {__version__}, {BACKEND} backend, {python}, characters of {unicode_version()}, {platform.platform()}"
    )
