"""Texts of a comparison as token ids: one vocabulary, and one array for all texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from .._runtime.arrays import array_of, np
from .._runtime.sequences import advice_for
from ..errors import EmptyCorpusError, LengthMismatchError, NoReferencesError, SequenceTypeError, UnknownNameError
from ..text.batches import Sets, TokenIds
from ..text.raw import Raw
from ..text.reading import read_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric

Tokenize = Any  # the name of a tokeniser, or a function

PIECE = 1 << 12  # segments that are tokenised or counted at once


class Splitting(NamedTuple):
    """How lines become tokens.

    :param tokenize: the name of a tokeniser, or a function
    :param lowercase: convert the lines to lower case first
    :param of_mteval: read the lines as mteval-v13a.pl
    """

    tokenize: Tokenize
    lowercase: bool
    of_mteval: bool

    def tokens_of(self, lines: Sequence[str]) -> list[Sequence[Any]]:
        """Tokenise some lines."""
        raw = Raw(self.tokenize, self.lowercase, self.of_mteval)
        return raw.split(list(map(str, raw.lowered(lines))))


class Text:
    """A text with a line for each segment: an output of a system, or the k-th reference of every segment.

    :param name: the name to show
    :param lines: the raw text of each segment; None for segments without a line
    :param lengths: how many tokens each segment has
    :param ids: the tokens of all segments, as ids
    :ivar offsets: where the tokens of each segment begin, and the end
    """

    def __init__(self, name: str, lines: Sequence[str | None], lengths: NDArray[np.int64], ids: NDArray[np.int32]):
        self.name = name
        self.lines = lines
        self.lengths = lengths
        self.ids = ids
        self.offsets = np.concatenate([[0], np.cumsum(lengths)])

    @property
    def digest(self) -> str:
        """SHA-256 of a file of these lines: UTF-8, with a line feed after each line."""
        return digest_of(line for line in self.lines if line is not None)


def digest_of(lines: Iterable[str]) -> str:
    """SHA-256 of a file of these lines."""
    return sha256("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")).hexdigest()


class Texts:
    """All texts of a comparison, as ids of one vocabulary.

    :ivar references: for each k the k-th reference of every segment; segments with fewer references have no line
    :ivar outputs: the outputs of the systems, a text for each run
    :ivar words: the token of each id
    :ivar source: the source text of each segment, or None
    """

    def __init__(self, references: list[Text], outputs: list[Text], words: list[Any], source: list[str] | None):
        self.references, self.outputs, self.words, self.source = references, outputs, words, source
        self.segments = len(references[0].lines)

    def tokens(self, text: Text, segment: int) -> list[Any]:
        """Return the tokens of a segment."""
        ids = text.ids[text.offsets[segment] : text.offsets[segment + 1]]
        return list(map(self.words.__getitem__, ids.tolist()))

    def rows(self, metric: Metric, threads: int | None) -> list[NDArray[np.int64]]:
        """Count the tokens of each output, some segments at a time, because prepared references take far more memory than rows."""
        sets, width = self._reference_sets(), len(metric.columns)
        rows = np.empty((len(self.outputs), self.segments, width), dtype=np.int64)
        for start in range(0, self.segments, PIECE):
            owners = np.arange(start, min(start + PIECE, self.segments), dtype=np.int64)
            part = slice(start, start + len(owners))
            ids = [text.ids[text.offsets[start] : text.offsets[start + len(owners)]] for text in self.outputs]
            lengths = np.concatenate([text.lengths[part] for text in self.outputs])
            ends = np.cumsum(lengths)
            rows[:, part] = metric.rows(
                TokenIds(np.concatenate(ids), ends - lengths, ends),
                sets.rows(owners),
                owner=np.tile(owners - start, len(self.outputs)),
                threads=threads,
            ).reshape(len(self.outputs), -1, width)
        return list(rows)

    def rows_by(
        self, metric: Metric, splitting: Splitting | None = None, threads: int | None = None
    ) -> list[NDArray[Any]]:
        """Count each output by any metric.

        :param splitting: how lines become the tokens that the metric counts; None for the tokens of these texts
        """
        rows = np.empty((len(self.outputs), self.segments, len(metric.columns)), dtype=metric.dtype)
        for part, counted in self.pieces(metric, splitting, threads):
            rows[:, part.start : part.stop] = counted
        return list(rows)

    def pieces(
        self, metric: Metric, splitting: Splitting | None = None, threads: int | None = None
    ) -> Iterator[tuple[range, NDArray[Any]]]:
        """Yield the rows of some segments at a time: of each output, of each of the segments."""
        for start in range(0, self.segments, PIECE):
            part = range(start, min(start + PIECE, self.segments))
            columns = [self._counted(metric, splitting, text, part) for text in self.references]
            sets = [[text for text in of_segment if text is not None] for of_segment in zip(*columns)]
            outputs = [text for output in self.outputs for text in self._counted(metric, splitting, output, part)]
            owners = np.tile(np.arange(len(part), dtype=np.int64), len(self.outputs))
            rows = metric.rows(outputs, sets, owner=owners, threads=threads)
            yield part, rows.reshape(len(self.outputs), len(part), -1)

    def _counted(self, metric: Metric, splitting: Splitting | None, text: Text, part: range) -> Sequence[Any]:
        """Return what a metric counts of these segments: lines or tokens."""
        lines = text.lines[part.start : part.stop]
        if metric.reads == "text":
            return lines
        if splitting is None:
            return [None if line is None else self.tokens(text, segment) for line, segment in zip(lines, part)]
        tokens = iter(splitting.tokens_of([line for line in lines if line is not None]))
        return [None if line is None else next(tokens) for line in lines]

    def weighed(self, metric: Metric) -> Metric:
        """Return the metric with the weights of all references, if it takes such weights."""
        if not metric.weighs_by_call:
            return metric
        columns = zip(*(text.lines for text in self.references))
        return metric.with_weights_of([[line for line in lines if line is not None] for lines in columns])

    def _reference_sets(self) -> Sets:
        """The references of each segment."""
        ids = np.concatenate([text.ids for text in self.references])
        lengths = np.concatenate([text.lengths for text in self.references])
        ends = np.cumsum(lengths, dtype=np.int64)
        present = np.array([line is not None for text in self.references for line in text.lines])
        segments = np.tile(np.arange(self.segments, dtype=np.int64), len(self.references))
        texts = np.argsort(segments, kind="stable")
        texts = texts[present[texts]]
        bounds = np.searchsorted(segments[texts], np.arange(self.segments + 1, dtype=np.int64))
        return Sets(TokenIds(ids, (ends - lengths)[texts], ends[texts]), bounds.astype(np.int64, copy=False))


def texts_of(
    references: Any, systems: Mapping[str, Any], splitting: Splitting, source: Any = None
) -> tuple[Texts, dict[str, list[int]]]:
    """Parse the texts, and return them with the indices of the outputs of each system."""
    pairs = list(systems.items()) if hasattr(systems, "items") else None
    if pairs is None or not all(isinstance(name, str) and name for name, _ in pairs):
        raise SequenceTypeError("the systems are not a mapping from names to lines; give for example {'mine': lines}")
    if not pairs:
        raise UnknownNameError("there is no system; give at least one")
    sets = _sets(references)
    numbers: defaultdict[Any, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    texts = []
    for number in range(max(map(len, sets))):
        lines = [group[number] if number < len(group) else None for group in sets]
        name = "reference" if max(map(len, sets)) == 1 else f"reference {number + 1}"
        texts.append(_text(name, lines, splitting, numbers))
    outputs: list[Text] = []
    runs: dict[str, list[int]] = {}
    for name, given in pairs:
        given = read_list(given, name, "lines")
        several = bool(given) and all(hasattr(one, "__iter__") and not isinstance(one, (str, bytes)) for one in given)
        of_runs = [read_list(run, name, "lines") for run in given] if several else [given]
        runs[name] = []
        for number, lines in enumerate(of_runs):
            shown = f"{name}, run {number + 1}" if len(of_runs) > 1 else name
            _check_length(lines, shown, len(sets))
            runs[name].append(len(outputs))
            outputs.append(_text(shown, _checked(lines, shown), splitting, numbers))
    if source is not None:
        source = _checked(read_list(source, "source", "lines"), "source")
        _check_length(source, "source", len(sets))
    return Texts(texts, outputs, list(numbers), source), runs


def _check_length(lines: list[Any], name: str, segments: int) -> None:
    if len(lines) != segments:
        raise LengthMismatchError(
            f"{name} has {len(lines)} lines, and there are references for {segments} segments; give a line for each"
        )


def _sets(references: Any) -> list[list[str]]:
    given = read_list(references, "references", "those of each segment")
    if not given:
        raise EmptyCorpusError("there is no segment; give the references of each, and a line of each system")
    sets = []
    for position, group in enumerate(given):
        lines = [group] if isinstance(group, str) else read_list(group, f"references[{position}]", "lines")
        if not lines:
            raise NoReferencesError(f"references[{position}] has no reference; give at least one for each segment")
        sets.append(_checked(lines, f"references[{position}]"))
    return sets


def _checked(lines: list[Any], name: str) -> list[str]:
    for position, line in enumerate(lines):
        if not isinstance(line, str):
            advice = advice_for(line)
            raise SequenceTypeError(
                f"{name}[{position}] is a {type(line).__name__}; give the raw text, a str"
                + (f"; {advice}" if advice else "")
            )
    return lines


def _text(
    name: str,
    lines: Sequence[str | None],
    splitting: Splitting,
    numbers: defaultdict[Any, int],
) -> Text:
    """Tokenise some lines at a time, because token lists take far more memory than ids."""
    lengths = np.zeros(len(lines), dtype=np.int64)
    ids = [np.empty(0, dtype=np.int32)]
    present = [place for place, line in enumerate(lines) if line is not None]
    for start in range(0, len(present), PIECE):
        places = present[start : start + PIECE]
        tokens = splitting.tokens_of([lines[place] for place in places])  # type: ignore[misc]
        lengths[places] = list(map(len, tokens))
        ids.append(
            array_of(map(numbers.__getitem__, chain.from_iterable(tokens)), np.int32, int(lengths[places].sum()))
        )
    return Text(name, lines, lengths, np.concatenate(ids))
