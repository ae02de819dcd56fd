"""Tokenisers by name: sacreBLEU's own, imported when one is first used.

Splitting on white space needs none of them and is not among them: where a tokeniser is asked for it is
``unicode`` or ``ascii``.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import MissingExtraError, UnknownNameError

__all__ = ["find"]


def find(name: str) -> Callable[[str], list[str]]:
    """The tokeniser of a name that sacreBLEU knows: ``13a``, ``intl``, ``zh``, ``char``, ``none`` and others.

    :param name: of a tokeniser
    :return: a function from a line to its tokens, as sacreBLEU would count them
    :raises UnknownNameError: sacreBLEU has no such tokeniser
    :raises MissingExtraError: sacreBLEU, or what the tokeniser needs, is not installed

    >>> find("13a")("Hello, world!")
    ['Hello', ',', 'world', '!']
    """
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        raise MissingExtraError(
            "tokenisers are sacreBLEU's, which is not installed; install it with: pip install 'cybleu[sacrebleu]'"
        ) from error
    if name not in BLEU.TOKENIZERS:
        raise UnknownNameError(f"unknown tokeniser {name!r}; use one of {', '.join(sorted(BLEU.TOKENIZERS))}")
    try:
        tokenise = BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError) as error:
        raise MissingExtraError(f"the tokeniser {name!r} does not load: {error}") from error

    def tokens(line: str) -> list[str]:
        text: str = tokenise(line.rstrip())
        return text.split()

    return tokens
