"""Texts of a comparison: parsed, tokenised, and counted by each metric."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np, repeat
from .._runtime.sequences import advice_for
from ..errors import EmptyCorpusError, LengthMismatchError, NoReferencesError, SequenceTypeError, UnknownNameError
from ..text.raw import Raw
from ..text.reading import read_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric


PIECE = 1 << 10  # segments that are tokenised or matched at once, which bounds memory


@dataclass(frozen=True)
class Texts:
    """All texts of a comparison. The tokens of a segment follow one another: those of each output, and then of each reference.

    :param references: the lines of the references of each segment
    :param outputs: the lines of each output, which is a run of a system; its name has the number of the run if there are several
    :param runs: the names of the outputs of each system
    :param source: the source text of each segment, or None
    :param lowercase: whether the tokens are in lower case
    :param vocabulary: the tokens by their ids, which begin with 1
    :param ids: the ids of the tokens of all texts
    :param bounds: where each text begins in the ids, and the end
    """

    references: list[list[str]]
    outputs: dict[str, list[str]]
    runs: dict[str, list[str]]
    source: list[str] | None
    lowercase: bool
    vocabulary: list[Any]
    ids: NDArray[np.int32]
    bounds: NDArray[np.int64]

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """The number of the first text of each segment, and the end."""
        return np.cumsum([0, *(len(self.outputs) + len(group) for group in self.references)], dtype=np.int64)

    @cached_property
    def sides(self) -> NDArray[np.int32]:
        """For each token the place of its text in the segment: that of its output, or as many more as there are outputs."""
        sides = np.arange(len(self.bounds) - 1, dtype=np.int32) - repeat(self.firsts[:-1], np.diff(self.firsts))
        return repeat(sides.astype(np.int32), np.diff(self.bounds))

    def places(self, output: str) -> NDArray[np.int64]:
        """Where the tokens of an output are among the ids."""
        return np.flatnonzero(self.sides == [*self.outputs].index(output))

    def span(self, output: str, segment: int) -> slice:
        """Where the tokens of an output for a segment are among the ids."""
        text = self.firsts[segment] + [*self.outputs].index(output)
        return slice(*self.bounds[[text, text + 1]].tolist())

    @property
    def most_references(self) -> int:
        """The largest number of references of a segment."""
        return max(map(len, self.references))

    def rows(self, metric: Metric, threads: int | None) -> dict[str, NDArray[Any]]:
        """Count the raw text of each output, and return its rows."""
        lines = list(chain.from_iterable(self.outputs.values()))
        owner = np.tile(np.arange(len(self.references), dtype=np.int64), len(self.outputs))
        rows = metric.rows(lines, self.references, owner=owner, threads=threads)
        return dict(zip(self.outputs, np.split(rows, len(self.outputs))))

    def digests(self) -> dict[str, str]:
        """The SHA-256 of a file of each text: UTF-8, with a line feed after each line."""
        texts = dict(self.outputs)
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
    outputs: dict[str, list[str]] = {}
    runs: dict[str, list[str]] = {}
    for name, given in pairs:
        given = read_list(given, name, "lines")
        several = bool(given) and all(hasattr(one, "__iter__") and not isinstance(one, (str, bytes)) for one in given)
        tables = [read_list(run, name, "lines") for run in given] if several else [given]
        runs[name] = [f"{name}, run {number}" for number in range(1, len(tables) + 1)] if len(tables) > 1 else [name]
        for output, lines in zip(runs[name], tables):
            if output in outputs:
                raise UnknownNameError(f"two outputs are called {output!r}; give the systems other names")
            outputs[output] = _lines(lines, output, len(sets))
    if source is not None:
        source = _lines(read_list(source, "source", "lines"), "source", len(sets))
    numbers: defaultdict[Any, int] = defaultdict()
    numbers.default_factory = lambda: len(numbers) + 1  # 0 is no token
    ids, bounds = array("i"), array("q", [0])
    segments = [*zip(*outputs.values(), sets)]
    for start in range(0, len(segments), PIECE):
        lines = [line for *own, group in segments[start : start + PIECE] for line in (*own, *group)]
        for tokens in splitting.split(list(map(str, splitting.lowered(lines)))):
            ids.extend(map(numbers.__getitem__, tokens))
            bounds.append(len(ids))
    found = np.frombuffer(ids, dtype=np.int32), np.frombuffer(bounds, dtype=np.int64)
    return Texts(sets, outputs, runs, source, splitting.lowercase, [None, *numbers], *found)


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
        told = f"{name} has {len(lines)} lines, and there are references for {segments} segments"
        raise LengthMismatchError(f"{told}; give a line for each")
    for position, line in enumerate(lines):
        if not isinstance(line, str):
            advice = advice_for(line)
            told = f"{name}[{position}] is a {type(line).__name__}; give the raw text, a str"
            raise SequenceTypeError(f"{told}; {advice}" if advice else told)
    return lines
