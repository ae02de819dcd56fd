"""Options of Moses's tuning programs, and what the commands have instead."""

from __future__ import annotations

import click

COMMANDS = ("mert", "kbmira", "pro", "mert-loop", "random-search", "extract")
# The options of mert, kbmira, extractor and mert-moses.pl. The table of docs/moses.md explains them.
OPTIONS = {
    "--activate-features": "use --fix",
    "--allow-duplicates": "leave it out: duplicates are dropped only with --unique",
    "--average": "use --reference-length average",
    "--batch-mira": "use --tuner kbmira",
    "--binary": "leave it out: the files are text",
    "--closest": "use --reference-length closest",
    "--continue": "leave it out: the same command continues a run",
    "--cparam": "use --step",
    "--decoder-flags": "use --decoder",
    "--dense-init": "use --start",
    "--ffile": "use --features-file",
    "--historic-bests": "use --historic-best",
    "--ifile": "use --start",
    "--iters": "use --passes",
    "--maximum-iterations": "use --iterations",
    "--nbest": "give the list as the first argument",
    "--nocase": "use --lowercase",
    "--nonorm": "leave it out: weights are normalised only with --normalise",
    "--nrandom": "use --random-directions",
    "--ntry": "use --restarts",
    "--number-of-random-directions": "use --random-directions",
    "--optimize": "use --fix",
    "--output-file": "use --output",
    "--pairwise-ranked": "use --tuner pro",
    "--pdim": "leave it out: the features are those of the list",
    "--predictable-seeds": "use --seed",
    "--random-restarts": "use --restarts",
    "--random-seed": "use --seed",
    "--reference": "give the files as arguments after the list",
    "--refs": "give the files as arguments after the folder",
    "--rseed": "use --seed",
    "--scconfig": "use --reference-length",
    "--scfile": "use --scores-file",
    "--sctype": "leave it out for BLEU, or use --metric",
    "--shortest": "use --reference-length shortest",
    "--sparse-init": "use --start",
    "--sparse-weights": "use --start",
    "--streaming": "use --no-shuffle",
    "--working-dir": "give the folder as the first argument",
}


def with_hint(error: click.NoSuchOption, group: click.Group, context: click.Context) -> click.NoSuchOption:
    """Add what replaces an option of Moses, if it is one, to the error of a command that tunes.

    :param group: of the commands, in its context
    """
    command = error.ctx.info_name if error.ctx is not None else None
    replacement = OPTIONS.get(error.option_name)
    if command not in COMMANDS or replacement is None:
        return error
    option = next((word for word in replacement.split() if word.startswith("--")), None)

    def has_option(name: str) -> bool:
        found = group.get_command(context, name)
        return option is None or (found is not None and any(option in parameter.opts for parameter in found.params))

    other = next(name for name in (command, *COMMANDS) if has_option(name))
    elsewhere = "" if other == command else f" of cybleu {other}"
    message = f"No such option: {error.option_name}. Coming from Moses, {replacement}{elsewhere}."
    return click.NoSuchOption(error.option_name, message, ctx=error.ctx)
