"""The options of TER's tokeniser, as edits of a line that leave the rest to one of the backend's tokenisers.

What is set apart here is set apart with tabs: a space would end a word before ``'s``, which that tokeniser looks for.
"""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ASIAN_MARKS = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
)
# sacreBLEU's rules for kana look for it at the beginning of a line, where there always is a space
_ASIAN = re.compile(f"([{_ASIAN_MARKS}\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f])")
_REMOVED_ASIAN = re.compile(f"[{_ASIAN_MARKS}]")
# 's at the end of a word: before a space or a mark that stands alone
_POSSESSIVE = re.compile(r"'s(?=[{-~[-` -&(-+:-@/]|\Z)")
_ALONE = '?:;!"()'  # the marks that always stand alone once a text is normalised
# and those that do by what is beside them; the first character is looked for much faster than two alternatives
_POINTS = re.compile(r"[.,](?:(?<![0-9][.,])|(?![0-9]))")


@cache
def edits(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool) -> Callable[[str], str] | None:
    """A function that prepares a line for the tokeniser, ``tercom`` for a normalised text or else ``none``.

    :param normalized: tokenise punctuation, and decode its XML entities
    :param no_punct: remove punctuation
    :param asian_support: do both with Chinese and Japanese characters, too
    :param case_sensitive: do not put the text in lower case
    :return: None if there is nothing to do
    """
    if not normalized and not no_punct:
        return None if case_sensitive else str.lower

    def edited(line: str) -> str:
        if not case_sensitive:
            line = line.lower()
        if normalized:
            line = _decoded(line.rstrip())
        if no_punct and normalized:
            line = _replaced(_POINTS.sub("\t", _replaced(line, _ALONE, " ")), ".,", "")
        elif no_punct:
            line = _replaced(line, f".,{_ALONE}", "")
        if asian_support and not line.isascii():
            if normalized:
                line = _ASIAN.sub(r"\t\1\t", line)
            if no_punct:
                line = _REMOVED_ASIAN.sub("\t" if normalized else "", line)
        return _POSSESSIVE.sub(" 's", line) if normalized and "'s" in line else line

    return edited


def _decoded(line: str) -> str:
    """A line without line feeds and XML entities."""
    if "\n" in line:
        line = line.replace("\n-", "").replace("\n", " ")
    if "&" in line:
        line = line.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    return line


def _replaced(line: str, marks: str, by: str) -> str:
    for mark in marks:  # several times as fast as a regular expression
        line = line.replace(mark, by)
    return line
