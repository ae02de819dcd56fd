"""sacreBLEU's tokenisers and white-space splitting, by regular expressions."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_Substitutions = tuple["tuple[re.Pattern[str], str]", ...]

# rules of mteval-v13a.pl for languages with spaces
_ALONE = re.compile(r"([{-~[-` -&(-+:-@/])")
_POINTS: _Substitutions = (
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_NOT_ASCII_SPACE = re.compile(r"[^\t-\r ]+")
_CHINESE = re.compile(
    "([\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31ef\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d"
    "\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef])"
)


class Tokenizer:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, name: str, categories: bytes | None = None):
        self.name = name
        self._substitutions = _of_categories(categories) if categories else ()
        own: dict[str, Callable[[str], list[str]]] = {
            "none": str.split,
            "ascii": _ascii,
            "space": _space,
            "char": _characters,
            "13a": self._western,
            "zh": self._chinese,
            "intl": self._international,
            "tercom": self._marks_apart,
            "characters": list,
        }
        self.tokens = own.get(name, self._international_unstripped)

    def _western(self, line: str) -> list[str]:
        line = line.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        if "&" in line:
            line = line.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
        return self._marks_apart(line)

    def _marks_apart(self, line: str) -> list[str]:
        return _divided(_ALONE.sub(r" \1 ", f" {line} "), _POINTS)

    def _chinese(self, line: str) -> list[str]:
        line = line.strip()
        if not line.isascii():
            line = _CHINESE.sub(r" \1 ", line)
        return _divided(_ALONE.sub(r" \1 ", line), _POINTS)

    def _international(self, line: str) -> list[str]:
        return self._international_unstripped(line.rstrip())

    def _international_unstripped(self, line: str) -> list[str]:
        return _divided(line, self._substitutions)


def _divided(line: str, substitutions: _Substitutions) -> list[str]:
    for pattern, replacement in substitutions:
        line = pattern.sub(replacement, line)
    return line.split()


def _ascii(line: str) -> list[str]:
    """The tokens between ASCII white space, as Perl takes them: a no-break space is part of a token, and so is U+001F."""
    return _NOT_ASCII_SPACE.findall(line)


def _space(line: str) -> list[str]:
    return [token for token in line.split(" ") if token]


def _characters(line: str) -> list[str]:
    return [*"".join(line.split())]


def _of_categories(categories: bytes) -> _Substitutions:
    """Rules of mteval-v14.pl: any punctuation may be split off, and symbols are tokens of their own."""
    punctuation, symbol, number = (_class_of(categories, category) for category in (1, 2, 3))
    other = rf"(?!{number})[\s\S]"
    return (
        (re.compile(f"({other})({punctuation})"), r"\1 \2 "),
        (re.compile(f"({punctuation})({other})"), r" \1 \2"),
        (re.compile(f"({symbol})"), r" \1 "),
    )


def _class_of(categories: bytes, category: int) -> str:
    """Return a pattern. `re` looks up characters of 16 bits in a table, but not in a class that has others."""
    table = _members(categories[:0x10000], category)
    others = _members(bytes(0x10000) + categories[0x10000:], category)
    return f"(?:[{table}]|(?=[\U00010000-\U0010ffff])[{others}])"


def _members(categories: bytes, category: int) -> str:
    """Return the code points of a category as ranges for a regular expression."""
    runs = re.finditer(re.escape(bytes([category])) + b"+", categories)
    return "".join(f"\\U{run.start():08x}-\\U{run.end() - 1:08x}" for run in runs)
