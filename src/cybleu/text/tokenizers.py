"""Tokenisers by name, and what the arguments `tokenize` and `lowercase` of the public functions mean.

White space and those of sacreBLEU that need nothing but characters are the backend's, which reads lines in place. Functions
of the caller, and tokenisers of sacreBLEU that need more, make token lists.
"""

from __future__ import annotations

import copyreg
import os
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property, lru_cache, partial
from threading import get_ident
from typing import Any

from .._backend import RawTexts, Tokenizer
from .._runtime.extras import extra
from ..errors import InputFileError, MissingExtraError, UnknownNameError
from .categories import categories, categories_of_tensor2tensor

Tokenize = str | Callable[[str], Sequence[Hashable]]

_ANY = "surrogatepass"
_NO_ENTITY = "(?a)(?i:quot|amp|lt|gt)(?=;)|(?i:skipped)(?=>)"

# Of the backends' `Tokenizer`, where the first two are one. Those in SPLITS are functions in Python, which are slower.
OWN = ("unicode", "none", "ascii", "space", "13a", "intl", "zh", "char", "tensor2tensor")


WORTH_THREADS = 64  # lines, which take about as long as to start threads


def split_for_codexglue(line: str) -> list[str]:
    """As CodeXGLUE's evaluator does it: runs of letters, digits and underscores, in lower case; every other mark stands alone.

    What it then does by the rules of mteval-v11a takes underscores off.
    """
    words = " ".join(re.findall(r"\w+|[^\s\w]", line.strip().lower()))
    return words.lower().replace("_", " _ ").split()


def split_for_rouge(line: str) -> list[str]:
    """As Google's rouge_score does it: runs of ASCII letters and digits, in lower case."""
    return re.findall("[a-z0-9]+", line.lower())


SPLITS: dict[str, Callable[[str], list[str]]] = {
    "unicode": str.split,
    "none": str.split,
    "codexglue": split_for_codexglue,
    "rouge": split_for_rouge,
}


# Of the backend's tokenisers, what gives the categories of characters. Metrics use the last three.
_CATEGORIES: dict[str, Callable[[], bytes | None]] = {
    **dict.fromkeys(OWN, lambda: None),
    "tensor2tensor": categories_of_tensor2tensor,
    "intl": categories,
    "intl-unstripped": categories,
    "tercom": lambda: None,
    "characters": lambda: None,
}


@cache
def own_tokenizer(name: str) -> Tokenizer:
    """The backend's tokeniser with a name in `OWN`, or another one that metrics use."""
    if name == "unicode":
        return own_tokenizer("none")
    return Tokenizer(str.__str__(name), _CATEGORIES[name]())


# A tokeniser has no state but its name, and few programs import the table of categories.
copyreg.pickle(Tokenizer, lambda made: (own_tokenizer, (made.name,)))


def tokenizer(name: str | Callable[[str], Any], lowercase: bool = False) -> Callable[[str], Any]:
    """Return the tokeniser with this name: a function from a line to its tokens, which are equal to sacreBLEU 2.6's.

    :param name: ``unicode`` or ``none`` split on white space, ``ascii`` on ASCII white space, ``space`` on spaces only,
        as Moses's extractor does. ``13a``, ``intl``, ``zh`` and ``char`` are sacreBLEU's and require no other package.
        ``codexglue``, ``rouge`` and ``tensor2tensor`` are those of these tools. Any other name that sacreBLEU knows, such as
        ``flores200``, requires sacreBLEU. A function is returned as it is
    :param lowercase: convert the line to lower case first, as `str.lower` does
    :return: a function from a str to a list of str, empty for a line of white space
    :raises UnknownNameError: there is no such tokeniser
    :raises MissingExtraError: sacreBLEU, or a package that the tokeniser requires, is not installed
    :raises InputFileError: the model of the tokeniser cannot be downloaded or loaded

    The Unicode categories for ``intl`` come from the package `regex` if it is installed, as in sacreBLEU, and otherwise
    from a table in this package. ``cybleu --version`` prints their version of Unicode.

    >>> tokenizer("13a")("Hello, world!")
    ['Hello', ',', 'world', '!']
    >>> tokenizer("char", lowercase=True)("A b")
    ['a', 'b']
    """
    if not isinstance(name, str) and not callable(name):
        raise UnknownNameError(f"the tokeniser is {name!r}; give a name, such as '13a', or a function")
    tokens_of = _tokens_of(name) if isinstance(name, str) else name
    return partial(_tokens_in_lower_case, tokens_of) if lowercase else tokens_of


def tokenizer_signature(tokenize: str | Callable[[str], Any]) -> str:
    """Return the name of a tokeniser in signatures, as sacreBLEU shows it, with versions such as ``ja-mecab-0.996-IPA``.

    :param tokenize: as for :func:`tokenizer`
    :return: for a function its name
    :raises UnknownNameError: there is no such tokeniser
    :raises MissingExtraError: sacreBLEU, or a package that the tokeniser requires, is not installed
    :raises InputFileError: the model of the tokeniser cannot be downloaded or loaded

    >>> tokenizer_signature("13a"), tokenizer_signature(str.split)
    ('13a', 'split')
    """
    tokens_of = tokenizer(tokenize)
    if isinstance(tokens_of, OfSacrebleu):
        return tokens_of.signature
    return (
        str.__str__(tokenize) if isinstance(tokenize, str) else getattr(tokenize, "__name__", type(tokenize).__name__)
    )


def _tokens_in_lower_case(tokens_of: Callable[[str], Sequence[Hashable]], line: str) -> Sequence[Hashable]:
    return tokens_of(line.lower())


def _tokens_of(name: str) -> Callable[[str], list[str]]:
    if name in SPLITS:
        return SPLITS[name]
    if name in OWN:
        return own_tokenizer(name).tokens
    return _of_sacrebleu(name, get_ident())


@lru_cache(16)  # some load a model
def _of_sacrebleu(name: str, thread: int) -> OfSacrebleu:
    """Return a tokeniser of sacreBLEU.

    :param thread: MeCab's must stay in its thread
    """
    requirement = f"the tokeniser {name!r} is none of {', '.join(sorted({*OWN, *SPLITS}))}; others require sacreBLEU"
    with extra("sacrebleu", requirement, "cybleu[sacrebleu]"):
        from sacrebleu.metrics.bleu import BLEU
    if name not in BLEU.TOKENIZERS:
        known = ", ".join(dict.fromkeys((*OWN, *SPLITS, *sorted(BLEU.TOKENIZERS))))
        raise UnknownNameError(f"unknown tokeniser {name!r}; use one of {known}")
    try:
        tokenise = BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError, OSError) as error:
        reason = " ".join(str(error).split())
        missing = MissingExtraError(f"the tokeniser {name!r} does not load: {reason}")
        if isinstance(error, ImportError):
            raise missing from error
        from sacrebleu.tokenizers import tokenizer_spm

        if name not in tokenizer_spm.SPM_MODELS:  # MeCab has no dictionary
            raise missing from error
        address = tokenizer_spm.SPM_MODELS[name]["url"]
        folder = os.path.join(tokenizer_spm.SACREBLEU_DIR, "models")
        file = os.path.join(folder, os.path.basename(address))
        raise InputFileError(
            f"the model of the tokeniser {name!r} cannot be loaded: {reason}; download it from {address}, as "
            f"sacreBLEU does, and save it as {file}"
        ) from error
    return OfSacrebleu(tokenise)


class OfSacrebleu:
    """A tokeniser of sacreBLEU's that needs more than characters."""

    def __init__(self, tokenise: Any) -> None:
        self._tokenise = tokenise
        self.signature = str(tokenise.signature())
        # SentencePiece encodes a list of lines in threads
        self._pieces_of = getattr(getattr(tokenise, "sp", None), "EncodeAsPieces", None)

    def __call__(self, line: str) -> list[str]:
        text: str = self._tokenise(line.rstrip())
        return text.split()

    def spaced(self, lines: Sequence[str]) -> list[str]:
        """Tokenise each different line once: return the tokens of each line with blanks between them."""
        # As sacreBLEU does; lines of a corpus with several references or systems often repeat.
        stripped = [line.rstrip() for line in lines]
        different = list(dict.fromkeys(stripped))
        if self._pieces_of is None or len(different) < WORTH_THREADS:
            texts = map(self._tokenise, different)
        else:
            texts = map(" ".join, self._pieces_of(different))
        text_of = dict(zip(different, texts))
        return [text_of[line] for line in stripped]


# ------------------------------------------------------------------------------------------------- tokenisers of a metric


@dataclass(frozen=True)
class Tokenization:
    """A tokeniser, and whether lines are converted to lower case first.

    :param of_mteval: read text as mteval-v13a.pl: only letters of ASCII have a lower case, and white space at the end of a line
        stays for ``intl``, which splits a mark before it
    :raises UnknownNameError: there is no such tokeniser
    """

    tokenize: Tokenize
    lowercase: bool = False
    of_mteval: bool = False

    def __post_init__(self) -> None:
        tokenizer(self.tokenize)  # raises an error for an unknown name, before any text is read

    def __reduce__(self) -> tuple[Any, ...]:
        # The fields alone, because another thread may be computing what is kept beside them.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    @cached_property
    def own(self) -> bool:
        """Whether the tokeniser is one of the backend's."""
        return isinstance(self.tokenize, str) and self.tokenize in OWN

    @cached_property
    def backend(self) -> Tokenizer:
        """The backend's tokeniser."""
        assert isinstance(self.tokenize, str)
        return own_tokenizer("intl-unstripped" if self.of_mteval and self.tokenize == "intl" else self.tokenize)

    @cached_property
    def edits(self) -> bool:
        """Whether lines are changed before the tokeniser splits them."""
        return self.lowercase

    @cached_property
    def fields(self) -> dict[str, str]:
        """The fields of signatures that name the tokeniser and the case."""
        return {"case": "lc" if self.lowercase else "mixed", "tok": tokenizer_signature(self.tokenize)}

    def lower(self, line: str) -> str:
        """A line in lower case, which is wanted.

        mteval-v13a.pl first replaces entities in lower case. Others become words, which a blank keeps apart from their semicolon.
        """
        if not self.of_mteval:
            return line.lower()
        if self.tokenize == "13a" and ("&" in line or "<" in line):
            line = re.sub(_NO_ENTITY, lambda found: found[0] if found[0].islower() else found[0] + " ", line)
        return line.lower() if line.isascii() else line.encode("utf-8", _ANY).lower().decode("utf-8", _ANY)

    def edited(self, texts: RawTexts) -> RawTexts:
        """Lines as the backend's tokeniser splits them, in lower case if that is wanted."""
        return RawTexts(list(map(self.lower, texts.lists()))) if self.lowercase else texts

    def split(self, lines: Sequence[str]) -> list[Any]:
        """The tokens of each line."""
        tokens_of = self.backend.tokens if self.tokenize in OWN else tokenizer(self.tokenize)
        if self.lowercase:
            lines = list(map(self.lower, lines))
        if isinstance(tokens_of, OfSacrebleu):
            return [text.split() for text in tokens_of.spaced(lines)]
        return list(map(tokens_of, lines))
