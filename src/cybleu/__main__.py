"""``python -m cybleu`` and the command ``cybleu``."""

from __future__ import annotations

import sys


def version() -> str:
    """One line that says what runs: what a report of a bug should quote."""
    import platform
    import sysconfig

    from . import BACKEND, __version__, _backend

    python = f"{platform.python_implementation()} {platform.python_version()}"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        python += " free-threaded" + (", with the GIL" if getattr(sys, "_is_gil_enabled", bool)() else "")
    return f"cybleu {__version__}, {BACKEND} backend ({_backend.chosen.COMPILER}), {python}, {platform.platform()}"


def main() -> None:
    """Run the command line; what needs no extra works without one."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["run-as-nltk"]:
        from .bleu_score.install import run_script

        run_script(arguments[1:])
    elif arguments == ["--version"]:
        print(version())
    else:
        try:
            import click  # noqa: F401
            import tqdm  # noqa: F401
        except ImportError:
            sys.exit(
                "the cybleu command needs packages that are not installed; install them with: pip install 'cybleu[cli]'"
            )
        from .cli import cli

        cli(prog_name="cybleu")


if __name__ == "__main__":
    main()
