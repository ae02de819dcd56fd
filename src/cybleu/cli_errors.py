"""How the commands report what the user can mend."""

from __future__ import annotations

from typing import Any

import click


class InputError(click.ClickException):
    """What the user can mend: one sentence on standard error, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"cybleu: error: {self.format_message()}", err=True)
