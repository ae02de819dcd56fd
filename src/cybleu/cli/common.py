"""What the commands share: how they report what the user can mend, and the options of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from ..errors import CybleuError
from .._files.text import SPLITS


class InputError(click.ClickException):
    """What the user can mend: one sentence on standard error, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"cybleu: error: {self.format_message()}", err=True)


@contextmanager
def input_errors() -> Iterator[None]:
    """Report what reading and computing raise."""
    try:
        yield
    except (CybleuError, ValueError, ArithmeticError) as error:
        raise InputError(str(error)) from error


SPLIT = click.option(
    "--split",
    type=click.Choice(sorted(SPLITS)),
    default="unicode",
    show_default=True,
    help="What separates tokens: any white space, or ASCII white space only, as in multi-bleu.perl.",
)
TOKENIZE = click.option(
    "--tokenize", metavar="NAME", help="Tokenise with sacreBLEU's 13a, intl, zh, char, ... instead of --split."
)
