"""Raw text and its tokeniser: what the arguments `tokenize` and `lowercase` of the public functions mean.

If the tokeniser is one of the backend's, the backend reads the lines in place. Functions of the caller, and tokenisers of sacreBLEU
that need more than characters, make token lists.
"""

from __future__ import annotations

import re

from .. import _backend
from ..errors import UnknownNameError
from .tokenizers import OWN, own_tokenizer, tokenize_lines, tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any

    Tokenize = str | Callable[[str], Sequence[Hashable]]
    Line = str | bytes

_NO_ENTITY = re.compile(rb"(?i:quot|amp|lt|gt)(?=;)|(?i:skipped)(?=>)")


def raw_of(tokenize: Tokenize | None, lowercase: bool = False) -> Raw | None:
    """The tokeniser for arguments with these names; None if the texts are tokens already.

    :raises UnknownNameError: there is no such tokeniser, or none for texts that are to be put in lower case
    """
    if tokenize is None:
        if lowercase:
            raise UnknownNameError("lowercase is for raw text; name a tokeniser too, for example tokenize='13a'")
        return None
    return Raw(tokenize, lowercase)


class Raw:
    """A tokeniser, and whether lines are converted to lower case first.

    :param of_mteval: read text as mteval-v13a.pl: only letters of ASCII have a lower case, and white space at the end of a line
        stays for ``intl``, which splits a mark before it
    :ivar of_mteval: this makes a difference
    :ivar own: the tokeniser is one of the backend's
    """

    __slots__ = ("_tokens_of", "lowercase", "of_mteval", "own", "tokenize")

    def __init__(self, tokenize: Tokenize, lowercase: bool = False, of_mteval: bool = False):
        self.tokenize = tokenize
        self.lowercase = bool(lowercase)
        self.of_mteval = bool(of_mteval) and (self.lowercase or tokenize == "intl")
        self.own = isinstance(tokenize, str) and tokenize in OWN
        self._tokens_of = self.backend.tokens if self.of_mteval and tokenize == "intl" else tokenizer(tokenize)

    def __reduce__(self) -> tuple[Any, ...]:
        return Raw, self.key

    @property
    def backend(self) -> Any:
        """The backend's tokeniser."""
        assert isinstance(self.tokenize, str)
        return own_tokenizer("intl-unstripped" if self.of_mteval and self.tokenize == "intl" else self.tokenize)

    @property
    def key(self) -> tuple[Any, ...]:
        """What equal tokenisers have in common."""
        return self.tokenize, self.lowercase, self.of_mteval

    def lower(self, line: Line) -> Line:
        """A line in lower case, which is wanted."""
        if isinstance(line, str) and (not self.of_mteval or _is_plain(line)):
            return line.lower()
        lower = lowered_block if not self.of_mteval else lowered_ascii if self.tokenize == "13a" else bytes.lower
        if isinstance(line, bytes):
            return lower(line)
        return lower(line.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def lowered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """The lines, in lower case if that is wanted."""
        return list(map(self.lower, lines)) if self.lowercase else lines

    def lowered_texts(self, texts: Any) -> Any:
        """The same of lines as the backend reads them."""
        return _backend.chosen.RawTexts(self.lowered(texts.strings())) if self.lowercase else texts

    # ------------------------------------------------------------------------------------------------------ token lists

    @property
    def lazy(self) -> bool:
        """Whether lines are tokenised one by one; sacreBLEU's tokenisers are faster with all lines."""
        return self.own or not isinstance(self.tokenize, str)

    @property
    def splitter(self) -> Callable[[str], Sequence[Hashable]]:
        """A function from a line to its tokens."""
        return self._lowered_tokens if self.lowercase else self._tokens_of

    def _lowered_tokens(self, line: str) -> Sequence[Hashable]:
        return self._tokens_of(str(self.lower(line)))

    def split(self, lines: list[str]) -> list[Any]:
        """The tokens of lines, which are in lower case already if that is wanted."""
        if self.lazy:
            return list(map(self._tokens_of, lines))
        assert isinstance(self.tokenize, str)
        different = list(dict.fromkeys(lines))  # sacreBLEU's others are slow
        each = dict(zip(different, tokenize_lines(different, self.tokenize)))
        return [each[line] for line in lines]


def lowered_block(block: bytes) -> bytes:
    """Lines of bytes in lower case, as `str.lower` changes each: the end of a line ends a word. Bytes that are not UTF-8 stay."""
    if block.isascii():
        return block.lower()
    try:
        return block.decode().lower().encode()
    except UnicodeDecodeError:
        return block


def lowered_ascii(block: bytes) -> bytes:
    """Lines in lower case as mteval-v13a.pl changes them before it splits punctuation: letters of ASCII only.

    The script first replaces entities in lower case. Others become words, which a blank keeps apart from their semicolon.
    """
    if b"&" in block or b"<" in block:
        block = _NO_ENTITY.sub(lambda found: found[0] if found[0].islower() else found[0] + b" ", block)
    return block.lower()


def _is_plain(line: str) -> bool:
    """Check for a line that :func:`lowered_ascii` and `str.lower` change in the same way."""
    return line.isascii() and "&" not in line and "<" not in line
