"""Raw text and its tokeniser: what the arguments `tokenize` and `lowercase` of the public functions mean.

If the tokeniser is one of the backend's, the backend reads the lines in place. Functions of the caller, and tokenisers of sacreBLEU
that need more than characters, make token lists.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from .._backend import RawTexts
from .tokenizers import OWN, OfSacrebleu, own_tokenizer, tokenizer, tokenizer_signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any

    from .._backend import Tokenizer

    Tokenize = str | Callable[[str], Sequence[Hashable]]

_ANY = "surrogatepass"
_NO_ENTITY = "(?a)(?i:quot|amp|lt|gt)(?=;)|(?i:skipped)(?=>)"


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
        return RawTexts(list(map(self.lower, texts.strings()))) if self.lowercase else texts

    def split(self, lines: Sequence[str]) -> list[Any]:
        """The tokens of each line."""
        tokens_of = self.backend.tokens if self.of_mteval and self.tokenize == "intl" else tokenizer(self.tokenize)
        if self.lowercase:
            lines = list(map(self.lower, lines))
        if isinstance(tokens_of, OfSacrebleu):
            return [text.split() for text in tokens_of.spaced(lines)]
        return list(map(tokens_of, lines))
