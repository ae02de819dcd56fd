"""``python -m cybleu`` and the command ``cybleu``."""

from __future__ import annotations

import sys

from ._about import version


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
