"""Texts of a comparison: parsed, tokenised, and counted by each metric."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from .._runtime.arrays import np, repeat
from .._runtime.sequences import advice_for
from ..errors import EmptyCorpusError, LengthMismatchError, NoReferencesError, SequenceTypeError, UnknownNameError
from ..text.raw import Raw
from ..text.reading import read_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric

PIECE = 1 << 12  # segments that are tokenised or counted at once, which bounds memory


class Output(NamedTuple):
    """The output of one run of a system.

    :param name: the name of the system, with the number of the run if there are several
    :param lines: the raw text of each segment
    """

    name: str
    lines: list[str]


@dataclass(frozen=True)
class Texts:
    """All texts of a comparison. Texts of tokens have numbers: those of the references, and then of each output.

    :param references: the lines of the references of each segment
    :param outputs: the outputs of all runs of all systems
    :param runs: the numbers of the outputs of each system
    :param source: the source text of each segment, or None
    :param splitting: how the tokens were made
    :param vocabulary: the tokens by their ids, which begin with 1
    :param ids: the ids of the tokens of all texts
    :param bounds: where each text begins in the ids, and the end
    """

    references: list[list[str]]
    outputs: list[Output]
    runs: dict[str, list[int]]
    source: list[str] | None
    splitting: Raw
    vocabulary: list[Any]
    ids: NDArray[np.int32]
    bounds: NDArray[np.int64]

    @cached_property
    def sets(self) -> NDArray[np.int64]:
        """The number of the first reference of each segment, and the end."""
        return np.cumsum([0, *map(len, self.references)], dtype=np.int64)

    @cached_property
    def segments(self) -> NDArray[np.int64]:
        """The segment of each text."""
        segments = np.arange(len(self.references), dtype=np.int64)
        return np.concatenate([repeat(segments, np.diff(self.sets)), np.tile(segments, len(self.outputs))])

    def places(self, start: int, stop: int, grams: NDArray[np.int32]) -> tuple[NDArray[np.int64], ...]:
        """Return where n-grams begin in the texts from a number to before another one, with their segments and texts."""
        places = self.bounds[start] + np.flatnonzero(grams[self.bounds[start] : self.bounds[stop]])
        text = np.searchsorted(self.bounds[start : stop + 1], places, side="right") + (start - 1)
        return places, self.segments[text], text

    @property
    def most_references(self) -> int:
        """The largest number of references of a segment."""
        return max(map(len, self.references))

    def text(self, output: int, segment: int) -> int:
        """The number of a text."""
        return int(self.sets[-1]) + output * len(self.references) + segment

    def ids_of(self, output: int, segment: int) -> slice:
        """Where the tokens of a segment are among the ids."""
        text = self.text(output, segment)
        return slice(*self.bounds[text : text + 2].tolist())

    def tokens(self, start: int, stop: int) -> Iterator[list[Any]]:
        """Yield the tokens of each text from a number to before another one."""
        begin, *ends = self.bounds[start : stop + 1].tolist()
        tokens = map(self.vocabulary.__getitem__, self.ids[begin : self.bounds[stop]].tolist())
        for end in ends:
            yield list(islice(tokens, end - begin))
            begin = end

    def rows(self, metric: Metric, splitting: Raw, threads: int | None) -> list[NDArray[Any]]:
        """Count the segments of each output, and return its rows.

        :param splitting: how lines become the tokens that the metric counts, if it does not read text
        """
        tokens = metric.reads != "text" and splitting.key == self.splitting.key
        if metric.reads != "text" and not tokens:
            metric = metric.with_choices(tokenize=splitting.tokenize, lowercase=splitting.lowercase)
        rows = []
        for start in range(0, len(self.references), PIECE):
            sets: list[Any] = self.references[start : start + PIECE]
            stop, outputs = start + len(sets), range(len(self.outputs))
            texts: Iterable[Any] = chain.from_iterable(output.lines[start:stop] for output in self.outputs)
            if tokens:
                references = self.tokens(int(self.sets[start]), int(self.sets[stop]))
                sets = [list(islice(references, len(group))) for group in sets]
                texts = chain.from_iterable(self.tokens(self.text(one, start), self.text(one, stop)) for one in outputs)
            owner = np.tile(np.arange(len(sets), dtype=np.int64), len(outputs))
            counted = metric.rows(list(texts), sets, owner=owner, threads=threads)
            rows.append(counted.reshape(len(outputs), len(sets), -1))
        return list(np.concatenate(rows, axis=1))

    def digests(self) -> dict[str, str]:
        """The SHA-256 of a file of each text: UTF-8, with a line feed after each line."""
        texts = {output.name: output.lines for output in self.outputs}
        for number in range(self.most_references):
            name = "reference" if self.most_references == 1 else f"reference {number + 1}"
            lines = [group[number] for group in self.references if number < len(group)]
            texts[f"{name} (of the segments)" if name in texts else name] = lines
        if self.source is not None:
            texts["source (of the segments)" if "source" in texts else "source"] = self.source
        files = {name: "".join(f"{line}\n" for line in lines) for name, lines in texts.items()}
        return {name: sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for name, text in files.items()}


def texts_of(references: Any, systems: Mapping[str, Any], splitting: Raw, source: Any = None) -> Texts:
    """Parse and tokenise the texts.

    :raises CybleuError: one of its subclasses, for texts that are not valid
    """
    pairs = list(systems.items()) if hasattr(systems, "items") else None
    if pairs is None or not all(isinstance(name, str) and name for name, _ in pairs):
        raise SequenceTypeError("the systems are not a mapping from names to lines; give for example {'mine': lines}")
    if not pairs:
        raise UnknownNameError("there is no system; give at least one")
    sets = _sets(references)
    outputs: list[Output] = []
    runs: dict[str, list[int]] = {}
    for name, given in pairs:
        given = read_list(given, name, "lines")
        several = bool(given) and all(hasattr(one, "__iter__") and not isinstance(one, (str, bytes)) for one in given)
        tables = [read_list(run, name, "lines") for run in given] if several else [given]
        runs[name] = list(range(len(outputs), len(outputs) + len(tables)))
        for number, table in enumerate(tables):
            shown = f"{name}, run {number + 1}" if len(tables) > 1 else name
            outputs.append(Output(shown, _lines(table, shown, len(sets))))
    if source is not None:
        source = _lines(read_list(source, "source", "lines"), "source", len(sets))
    numbers: defaultdict[Any, int] = defaultdict()
    numbers.default_factory = lambda: len(numbers) + 1  # 0 is no token
    ids, bounds = array("i"), array("q", [0])
    for lines in (list(chain.from_iterable(sets)), *(output.lines for output in outputs)):
        for start in range(0, len(lines), PIECE):
            for tokens in splitting.split(list(map(str, splitting.lowered(lines[start : start + PIECE])))):
                ids.extend(map(numbers.__getitem__, tokens))
                bounds.append(len(ids))
    found = np.frombuffer(ids, dtype=np.int32), np.frombuffer(bounds, dtype=np.int64)
    return Texts(sets, outputs, runs, source, splitting, [None, *numbers], *found)


def _sets(references: Any) -> list[list[str]]:
    given = read_list(references, "references", "those of each segment")
    if not given:
        raise EmptyCorpusError("there is no segment; give the references of each, and a line of each system")
    sets = []
    for position, group in enumerate(given):
        lines = [group] if isinstance(group, str) else read_list(group, f"references[{position}]", "lines")
        if not lines:
            raise NoReferencesError(f"references[{position}] has no reference; give at least one for each segment")
        sets.append(_lines(lines, f"references[{position}]"))
    return sets


def _lines(lines: list[Any], name: str, segments: int | None = None) -> list[str]:
    if segments not in (None, len(lines)):
        raise LengthMismatchError(
            f"{name} has {len(lines)} lines, and there are references for {segments} segments; give a line for each"
        )
    for position, line in enumerate(lines):
        if not isinstance(line, str):
            advice = advice_for(line)
            raise SequenceTypeError(
                f"{name}[{position}] is a {type(line).__name__}; give the raw text, a str"
                + (f"; {advice}" if advice else "")
            )
    return lines
