"""Tokenisers by name: white space, and sacreBLEU's own, imported when one is first used."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar, overload

from ..errors import MissingExtraError, UnknownNameError

__all__ = ["tokenizer"]


def split_ascii(line: str) -> list[str]:
    """The tokens between ASCII white space, as Perl takes them: a no-break space is part of a token, and so is U+001F."""
    if line.isascii() and not ("\x1c" in line or "\x1d" in line or "\x1e" in line or "\x1f" in line):
        return line.split()
    return [token.decode("utf-8", "surrogatepass") for token in line.encode("utf-8", "surrogatepass").split()]


SPLITS: dict[str, Callable[[str], list[str]]] = {"unicode": str.split, "ascii": split_ascii}


Tokens = TypeVar("Tokens", bound=Sequence[Hashable])


@overload
def tokenizer(name: str) -> Callable[[str], list[str]]: ...
@overload
def tokenizer(name: Callable[[str], Tokens]) -> Callable[[str], Tokens]: ...
@overload
def tokenizer(name: str | Callable[[str], Tokens]) -> Callable[[str], Tokens]: ...
def tokenizer(name: str | Callable[[str], Sequence[Hashable]]) -> Callable[[str], Sequence[Hashable]]:
    """The tokeniser of a name.

    :param name: ``unicode`` or ``ascii`` for the tokens between white space; a name that sacreBLEU knows: ``13a``, ``intl``,
        ``zh``, ``char``, ``none`` and others; a function is given back
    :return: a function from a line to its tokens, as sacreBLEU would count them
    :raises UnknownNameError: there is no such tokeniser
    :raises MissingExtraError: sacreBLEU, or what the tokeniser needs, is not installed

    >>> tokenizer("13a")("Hello, world!")
    ['Hello', ',', 'world', '!']
    """
    if not isinstance(name, str):
        return name
    if name in SPLITS:
        return SPLITS[name]
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise MissingExtraError(
            "tokenisers are sacreBLEU's, which is not installed; install it with: pip install 'cybleu[sacrebleu]'"
        ) from None
    if name not in BLEU.TOKENIZERS:
        known = ", ".join([*SPLITS, *sorted(BLEU.TOKENIZERS)])
        raise UnknownNameError(f"unknown tokeniser {name!r}; use one of {known}")
    try:
        tokenise = BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError) as error:
        raise MissingExtraError(f"the tokeniser {name!r} does not load: {error}") from error

    def tokens(line: str) -> list[str]:
        text: str = tokenise(line.rstrip())
        return text.split()

    return tokens
