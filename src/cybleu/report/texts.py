"""Texts of a comparison as token ids: one vocabulary, and one array for all texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import array_of, np
from ..errors import EmptyCorpusError, LengthMismatchError, NoReferencesError, SequenceTypeError, UnknownNameError
from ..text import tokenize_lines
from ..text.parsing import parse_list
from ..text.values import ReferenceIds, TokenIds

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tokenize = Any  # the name of a tokeniser, or a function

ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


class Text:
    """A text with a line for each segment: an output of a system, or the k-th reference of every segment.

    :param name: the name to show
    :param lines: the raw text of each segment; None for segments without a line
    :param tokens: the tokens of each segment
    :ivar segments: the segments with a line
    """

    def __init__(self, name: str, lines: Sequence[str | None], tokens: list[Sequence[Any]]):
        self.name = name
        self.lines = lines
        self.tokens = tokens
        self.lengths = array_of(map(len, tokens), np.int64, len(tokens))

    @property
    def digest(self) -> str:
        """SHA-256 of a file of these lines: UTF-8, with a line feed after each line."""
        text = "".join(f"{line}\n" for line in self.lines if line is not None)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Texts:
    """All texts of a comparison, as ids of one vocabulary.

    :ivar references: for each k the k-th reference of every segment; segments with fewer references have no line
    :ivar outputs: the outputs of the systems, a text for each run
    :ivar words: the token of each id
    """

    def __init__(self, references: list[Text], outputs: list[Text]):
        self.references, self.outputs = references, outputs
        self.segments = len(references[0].lines)
        numbers: defaultdict[Any, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        every = [*references, *outputs]
        self.ids = [
            array_of(map(numbers.__getitem__, chain.from_iterable(text.tokens)), np.int64, int(text.lengths.sum()))
            for text in every
        ]
        self.words = list(numbers)

    def offsets(self, text: Text) -> NDArray[np.int64]:
        """Return the offsets of the segments in the tokens of a text, and the end."""
        return np.concatenate([[0], np.cumsum(text.lengths)])

    def output(self, number: int) -> TokenIds:
        """Return the token ids of an output."""
        offsets = self.offsets(self.outputs[number])
        return TokenIds(self.ids[len(self.references) + number], offsets[:-1], offsets[1:])

    def reference_sets(self) -> ReferenceIds:
        """The references of each segment."""
        ids = np.concatenate(self.ids[: len(self.references)])
        lengths = np.concatenate([text.lengths for text in self.references])
        ends = np.cumsum(lengths, dtype=np.int64)
        present = np.array([line is not None for text in self.references for line in text.lines])
        segments = np.tile(np.arange(self.segments, dtype=np.int64), len(self.references))
        texts = np.argsort(segments, kind="stable")
        texts = texts[present[texts]]
        bounds = np.searchsorted(segments[texts], np.arange(self.segments + 1, dtype=np.int64))
        return ReferenceIds(TokenIds(ids, (ends - lengths)[texts], ends[texts]), bounds.astype(np.int64, copy=False))


def texts_of(
    references: Any,
    systems: Mapping[str, Any],
    tokenize: Tokenize,
    lowercase: bool,
    only_ascii: bool,
) -> tuple[Texts, dict[str, list[int]]]:
    """Parse the texts, and return them with the indices of the outputs of each system.

    :param only_ascii: convert only A to Z to lower case
    """
    pairs = list(systems.items()) if hasattr(systems, "items") else None
    if pairs is None or not all(isinstance(name, str) and name for name, _ in pairs):
        raise SequenceTypeError("the systems are not a mapping from names to lines; give for example {'mine': lines}")
    if not pairs:
        raise UnknownNameError("there is no system; give at least one")
    sets = _sets(references)
    tokens_of = _splitter(tokenize, lowercase, only_ascii)
    texts = []
    for number in range(max(map(len, sets))):
        lines = [group[number] if number < len(group) else None for group in sets]
        name = "reference" if max(map(len, sets)) == 1 else f"reference {number + 1}"
        texts.append(_text(name, lines, tokens_of))
    outputs: list[Text] = []
    runs: dict[str, list[int]] = {}
    for name, given in pairs:
        given = parse_list(given, name, "lines")
        several = bool(given) and all(hasattr(one, "__iter__") and not isinstance(one, (str, bytes)) for one in given)
        of_runs = [parse_list(run, name, "lines") for run in given] if several else [given]
        runs[name] = []
        for number, lines in enumerate(of_runs):
            shown = f"{name}, run {number + 1}" if len(of_runs) > 1 else name
            if len(lines) != len(sets):
                raise LengthMismatchError(
                    f"{shown} has {len(lines)} lines, and there are references for {len(sets)} segments; give a line for each"
                )
            runs[name].append(len(outputs))
            outputs.append(_text(shown, _checked(lines, shown), tokens_of))
    return Texts(texts, outputs), runs


def _sets(references: Any) -> list[list[str]]:
    given = parse_list(references, "references", "those of each segment")
    if not given:
        raise EmptyCorpusError("there is no segment; give the references of each, and a line of each system")
    sets = []
    for position, group in enumerate(given):
        lines = [group] if isinstance(group, str) else parse_list(group, f"references[{position}]", "lines")
        if not lines:
            raise NoReferencesError(f"references[{position}] has no reference; give at least one for each segment")
        sets.append(_checked(lines, f"references[{position}]"))
    return sets


def _checked(lines: list[Any], name: str) -> list[str]:
    for position, line in enumerate(lines):
        if not isinstance(line, str):
            raise SequenceTypeError(f"{name}[{position}] is a {type(line).__name__}; give the raw text, a str")
    return lines


def _splitter(tokenize: Tokenize, lowercase: bool, only_ascii: bool) -> Callable[[list[str]], list[Sequence[Any]]]:
    def tokens_of(lines: list[str]) -> list[Sequence[Any]]:
        if lowercase and only_ascii:
            lines = [line.translate(ASCII_LOWER) for line in lines]
        return list(tokenize_lines(lines, tokenize, lowercase and not only_ascii))

    return tokens_of


def _text(name: str, lines: Sequence[str | None], tokens_of: Callable[[list[str]], list[Sequence[Any]]]) -> Text:
    there = [line for line in lines if line is not None]
    tokens = iter(tokens_of(there))
    return Text(name, lines, [() if line is None else next(tokens) for line in lines])
