"""Texts of a comparison: parsed, tokenised, and counted by each metric."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Any

from .._backend import RawTexts
from .._runtime.arrays import Array, Integers, np, repeat
from .._runtime.sequences import LINE
from ..errors import EmptyCorpusError, LengthMismatchError, SequenceTypeError, UnknownNameError
from ..metrics.operations import rows_of_corpus
from ..text.batches import Corpus, RawText, Sets
from ..text.reading import read_list, read_references
from ..text.segments import described
from ..text.tokenizers import Tokenization

if TYPE_CHECKING:
    from ..metrics import Metric


PIECE = 1 << 10  # segments that are tokenised or matched at once, which bounds memory


class Outputs:
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
    :ivar lengths: of the segments: for each output that of the first reference, and how much longer the output is than the
        reference that sets the reference length
    """

    lengths: Mapping[str, tuple[Integers, Integers]]

    def __init__(
        self, systems: Mapping[str, Sequence[list[str]]], references: list[list[str]], source: list[str] | None = None
    ):
        """
        :param systems: the lines of each run of each system
        """
        self.references = references
        self.source = source
        self.outputs: dict[str, list[str]] = {}
        self.runs: dict[str, list[str]] = {}
        for name, tables in systems.items():
            self.runs[name] = []  # a name of its own for each run, so that plots and tables can tell them apart
            for number, lines in enumerate(tables, 1):
                output = f"{name}, run {number}" if len(tables) > 1 else name
                if output in self.outputs:
                    raise UnknownNameError(f"two outputs are called {output!r}; give the systems other names")
                self.outputs[output] = lines
                self.runs[name].append(output)

    @property
    def corpus(self) -> Corpus:
        """The raw text of all outputs, one after the other, with the references of each segment."""
        lines = list(chain.from_iterable(self.outputs.values()))
        references = list(chain.from_iterable(self.references))
        bounds = np.cumsum([0, *map(len, self.references)], dtype=np.int64)
        owners = np.tile(np.arange(len(self.references), dtype=np.int64), len(self.outputs))
        return Corpus(RawText(RawTexts(lines)), Sets(RawText(RawTexts(references)), bounds), owners)

    def tokenise(self, splitting: Tokenization) -> None:
        """Give each different token an id."""
        numbers: defaultdict[Any, int] = defaultdict()
        numbers.default_factory = lambda: len(numbers) + 1  # 0 is no token
        ids = array("i")
        bounds = array("q", [0])
        segments = [*zip(*self.outputs.values(), self.references)]
        for start in range(0, len(segments), PIECE):
            lines: list[str] = []
            for *own, group in segments[start : start + PIECE]:
                lines += [*own, *group]
            for tokens in splitting.split(lines):
                ids.extend(map(numbers.__getitem__, tokens))
                bounds.append(len(ids))
        self.lowercase = splitting.lowercase
        self.vocabulary = [None, *numbers]
        self.ids: Array = np.frombuffer(ids, dtype=np.int32)
        self.bounds: Integers = np.frombuffer(bounds, dtype=np.int64)

    @cached_property
    def firsts(self) -> Integers:
        """The number of the first text of each segment, and the end."""
        return np.cumsum([0, *(len(self.outputs) + len(group) for group in self.references)], dtype=np.int64)

    @cached_property
    def sides(self) -> Array:
        """For each token the place of its text in the segment: that of its output, or as many more as there are outputs."""
        sides = np.arange(len(self.bounds) - 1, dtype=np.int32) - repeat(self.firsts[:-1], np.diff(self.firsts))
        return repeat(sides.astype(np.int32), np.diff(self.bounds))

    def places(self, output: str) -> Integers:
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

    def rows(self, metric: Metric, threads: int | None) -> dict[str, Array]:
        """Count the raw text of each output by a metric, and return its rows."""
        table = rows_of_corpus(metric, self.corpus, threads)
        return dict(zip(self.outputs, np.split(table, len(self.outputs))))

    def digests(self) -> dict[str, str]:
        """The SHA-256 of a file of each text: UTF-8, with a line feed after each line."""
        others = {}
        for number in range(self.most_references):
            name = f"reference {number + 1}" if self.most_references > 1 else "reference"
            others[name] = [group[number] for group in self.references if number < len(group)]
        if self.source is not None:
            others["source"] = self.source
        texts = dict(self.outputs)
        for name, lines in others.items():
            texts[f"{name} (of the segments)" if name in self.outputs else name] = lines
        digests = {}
        for name, lines in texts.items():
            text = "".join(f"{line}\n" for line in lines)
            digests[name] = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return digests


def read_outputs(systems: Any, references: Any, source: Any) -> Outputs:
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
    sets = []
    for segment, group in enumerate(groups):
        sets.append(_raw_texts([group] if isinstance(group, str) else group, f"references[{segment}]"))
    found: dict[str, list[list[str]]] = {}
    for name, given in systems.items():
        lines = read_list(given, name, "lines")
        several = bool(lines) and all(isinstance(one, Iterable) and not isinstance(one, LINE) for one in lines)
        if several:
            found[name] = [_raw_texts(run, f"{name}, run {number}", len(sets)) for number, run in enumerate(lines, 1)]
        else:
            found[name] = [_raw_texts(lines, name, len(sets))]
    if not found:
        raise UnknownNameError("there is no system; give at least one")
    sources = None if source is None else _raw_texts(source, "source", len(sets))
    texts = Outputs(found, sets, sources)
    read_references(sets, texts=texts.corpus.texts)  # raises what these have against references
    return texts


def _raw_texts(lines: Any, name: str, segments: int | None = None) -> list[str]:
    """Read raw text, as many lines as there are segments if their number is given."""
    lines = read_list(lines, name, "lines")
    if segments not in (None, len(lines)):
        told = f"{name} has {len(lines)} lines, and there are references for {segments} segments"
        raise LengthMismatchError(f"{told}; give a line for each")
    for position, line in enumerate(lines):
        if not isinstance(line, str):
            raise SequenceTypeError(f"{name}[{position}] is {described(line, 'give the raw text, a str')}")
    return list(map(str, lines))  # without subclasses
