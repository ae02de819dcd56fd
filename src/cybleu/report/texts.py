"""Texts of a comparison: parsed, tokenised, and counted by each metric."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np, repeat
from .._runtime.sequences import LINE
from ..errors import EmptyCorpusError, LengthMismatchError, SequenceTypeError, UnknownNameError
from ..metrics.operations import rows_of_corpus
from ..text.reading import read_corpus, read_list
from ..text.segments import described
from ..text.tokenization import Tokenization

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric


PIECE = 1 << 10  # segments that are tokenised or matched at once, which bounds memory


class Texts:
    """All texts of a comparison, and their tokens. The tokens of a segment follow one another: those of each output, and then
    of each reference.

    :ivar references: the lines of the references of each segment
    :ivar outputs: the lines of each output, which is a run of a system; its name has the number of the run if there are
        several
    :ivar runs: the names of the outputs of each system
    :ivar source: the source text of each segment, or None
    :ivar lowercase: whether the tokens are in lower case
    :ivar vocabulary: the tokens by their ids, which begin with 1
    :ivar ids: the ids of the tokens of all texts
    :ivar bounds: where each text begins in the ids, and the end
    """

    def __init__(
        self, systems: Mapping[str, Sequence[list[str]]], references: list[list[str]], source: list[str] | None = None
    ):
        """
        :param systems: the lines of each run of each system
        """
        self.references, self.source = references, source
        self.outputs: dict[str, list[str]] = {}
        self.runs: dict[str, list[str]] = {}
        for name, tables in systems.items():
            names = [name]
            if len(tables) > 1:
                names = [f"{name}, run {number}" for number, _ in enumerate(tables, 1)]
            self.runs[name] = names
            for output, lines in zip(names, tables):
                if output in self.outputs:
                    raise UnknownNameError(f"two outputs are called {output!r}; give the systems other names")
                self.outputs[output] = lines

    def tokenise(self, splitting: Tokenization) -> None:
        """Give each different token an id."""
        numbers: defaultdict[Any, int] = defaultdict()
        numbers.default_factory = lambda: len(numbers) + 1  # 0 is no token
        ids = array("i")
        bounds = array("q", [0])
        segments = [*zip(*self.outputs.values(), self.references)]
        for start in range(0, len(segments), PIECE):
            lines = [line for *own, group in segments[start : start + PIECE] for line in (*own, *group)]
            for tokens in splitting.split(list(map(str, lines))):
                ids.extend(map(numbers.__getitem__, tokens))
                bounds.append(len(ids))
        self.lowercase = splitting.lowercase
        self.vocabulary = [None, *numbers]
        self.ids: NDArray[np.int32] = np.frombuffer(ids, dtype=np.int32)
        self.bounds: NDArray[np.int64] = np.frombuffer(bounds, dtype=np.int64)

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

    def rows(self, metrics: Sequence[Metric], threads: int | None) -> list[dict[str, NDArray[Any]]]:
        """Count the raw text of each output by each metric, and return its rows."""
        lines = list(chain.from_iterable(self.outputs.values()))
        owners = np.tile(np.arange(len(self.references), dtype=np.int64), len(self.outputs))
        corpus = read_corpus(lines, self.references, owners)
        tables = [rows_of_corpus(metric, corpus, threads) for metric in metrics]
        return [dict(zip(self.outputs, np.split(table, len(self.outputs)))) for table in tables]

    def digests(self) -> dict[str, str]:
        """The SHA-256 of a file of each text: UTF-8, with a line feed after each line."""
        columns = [[line for line in column if line is not None] for column in zip_longest(*self.references)]
        others = {f"reference {number}": lines for number, lines in enumerate(columns, 1)}
        if len(columns) == 1:
            others = {"reference": columns[0]}
        if self.source is not None:
            others["source"] = self.source
        texts = self.outputs | {
            f"{name} (of the segments)" if name in self.outputs else name: others[name] for name in others
        }
        files = {name: "".join(f"{line}\n" for line in lines) for name, lines in texts.items()}
        return {name: sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for name, text in files.items()}


def read_texts(systems: Any, references: Any, source: Any) -> Texts:
    """Validate the arguments of :func:`cybleu.report.analyse`.

    :raises CybleuError: one of its subclasses, for texts that are not valid
    """
    if not hasattr(systems, "items"):
        if isinstance(references, Mapping):
            raise SequenceTypeError("the arguments look swapped; give the systems first, then the references")
        raise SequenceTypeError("the systems are not a mapping of names to lines; give for example {'mine': lines}")
    groups = read_list(references, "references", "those of each segment")
    if not groups:
        raise EmptyCorpusError("there is no segment; give the references of each, and a line of each system")
    named = ((f"references[{segment}]", group) for segment, group in enumerate(groups))
    sets = [_lines([group] if isinstance(group, str) else group, name) for name, group in named]
    found: dict[str, list[list[str]]] = {}
    for name, given in systems.items():
        lines = read_list(given, name, "lines")
        several = bool(lines) and all(isinstance(one, Iterable) and not isinstance(one, LINE) for one in lines)
        if several:
            found[name] = [_lines(run, f"{name}, run {number}", len(sets)) for number, run in enumerate(lines, 1)]
        else:
            found[name] = [_lines(lines, name, len(sets))]
    if not found:
        raise UnknownNameError("there is no system; give at least one")
    return Texts(found, sets, None if source is None else _lines(source, "source", len(sets)))


def _lines(lines: Any, name: str, segments: int | None = None) -> list[str]:
    """Read raw text, as many lines as there are segments if their number is given."""
    lines = read_list(lines, name, "lines")
    if segments not in (None, len(lines)):
        told = f"{name} has {len(lines)} lines, and there are references for {segments} segments"
        raise LengthMismatchError(f"{told}; give a line for each")
    for position, line in enumerate(lines):
        if not isinstance(line, str):
            raise SequenceTypeError(f"{name}[{position}] is {described(line, 'give the raw text, a str')}")
    return lines  # type: ignore[no-any-return]
