"""Texts of a comparison: parsed, tokenised, and counted by each metric; and their n-grams, order by order.

If an output has an n-gram more often than a reference, BLEU defines how many occurrences match, but not which. Here
those that are part of a longer match come first, then the earlier ones; the others are clipped.

The n-grams of each order have numbers from 1. Arrays hold a value for each number, or for each place in the ids of all
texts, where an n-gram begins.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Any

from .._backend import RawTexts
from .._runtime.arrays import Array, Integers, bincount, np, repeat
from .._runtime.sequences import LINE
from ..errors import EmptyCorpusError, LengthMismatchError, SequenceTypeError, UnknownNameError
from ..metrics.operations import rows_of_corpus
from ..text.batches import Corpus, Sets
from ..text.reading import read_list, read_references
from ..text.segments import described
from ..text.tokenizers import Tokenization
from .figures import NGram, NGramLists

if TYPE_CHECKING:
    from ..metrics import Metric

PIECE = 1 << 10  # segments that are tokenised or matched at once, which bounds memory
LISTED = 10  # n-grams of each order that are listed
CLIPPED = 5  # added to the mark of a token that a reference has, but that the output has too often


class Outputs:
    """All texts of a comparison.

    :ivar references: the lines of the references of each segment
    :ivar outputs: the lines of each output, which is a run of a system; its name has the number of the run if there are
        several
    :ivar runs: the names of the outputs of each system
    :ivar source: the source text of each segment, or None
    :ivar most_references: the largest number of references of a segment
    """

    def __init__(
        self, systems: Mapping[str, Sequence[list[str]]], references: list[list[str]], source: list[str] | None = None
    ):
        """
        :param systems: the lines of each run of each system
        """
        self.references = references
        self.source = source
        self.most_references = max(map(len, references))
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

    def alike(self, first: str, second: str) -> int:
        """Count the segments for which all runs of two systems have the same text."""
        lines = zip(*(self.outputs[run] for name in (first, second) for run in self.runs[name]))
        return sum(len({*of_segment}) == 1 for of_segment in lines)

    def rows(self, metric: Metric, threads: int | None) -> dict[str, Array]:
        """Count the raw text of each output by a metric, and return its rows."""
        lines = list(chain.from_iterable(self.outputs.values()))
        references = list(chain.from_iterable(self.references))
        bounds = np.cumsum([0, *map(len, self.references)], dtype=np.int64)
        owners = np.tile(np.arange(len(self.references), dtype=np.int64), len(self.outputs))
        corpus = Corpus(RawTexts(lines), Sets(RawTexts(references), bounds), owners)
        table = rows_of_corpus(metric, corpus, threads)
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


class Tokens:
    """The tokens of all texts, segment by segment: those of each output, and then of each reference. Each different one has an id.

    :ivar lowercase: whether the tokens are in lower case
    :ivar vocabulary: the tokens by their ids, which begin with 1
    :ivar ids: the ids of the tokens of all texts
    :ivar bounds: where each text begins in the ids, and the end
    :ivar firsts: the number of the first text of each segment, and the end
    :ivar outputs: the number of outputs
    :ivar sides: for each token the place of its text in the segment: that of its output, or as many more as there are outputs
    """

    def __init__(self, texts: Outputs, splitting: Tokenization):
        numbers: defaultdict[Any, int] = defaultdict()
        numbers.default_factory = lambda: len(numbers) + 1  # 0 is no token
        ids = array("i")
        bounds = array("q", [0])
        segments = [*zip(*texts.outputs.values(), texts.references)]
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
        self.outputs = len(texts.outputs)
        sizes = [self.outputs + len(group) for group in texts.references]
        self.firsts: Integers = np.cumsum([0, *sizes], dtype=np.int64)
        sides = np.arange(self.firsts[-1], dtype=np.int32) - repeat(self.firsts[:-1], sizes)
        self.sides: Array = repeat(sides.astype(np.int32), np.diff(self.bounds))


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
    lines = list(chain.from_iterable(texts.outputs.values()))
    read_references(sets, texts=RawTexts(lines))  # raises what these have against references
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


# ---------------------------------------------------------------------------------------------------- texts that are shown

REPLACEMENT = "\ufffd"
# by code, the character that is shown for one that is invisible or changes the direction of text
SYMBOLS = {
    **dict.fromkeys((*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFEFF, 0xFFFE, 0xFFFF), REPLACEMENT),
    **{code: chr(0x2400 + code) for code in range(0x20) if code != 0x09},
    0x7F: "\u2421",
    **dict.fromkeys((0x2028, 0x2029), "\u2424"),
    # bidirectional embeddings, overrides and isolates, which change the direction of the text after them: left, right, end
    **dict.fromkeys((0x202B, 0x202E, 0x2067), "\u25c1"),
    **dict.fromkeys((0x202A, 0x202D, 0x2066), "\u25b7"),
    **dict.fromkeys((0x202C, 0x2068, 0x2069), "\u25c7"),
}


def visible(text: str) -> str:
    """Replace control characters and lone surrogates by symbols."""
    return text.translate(SYMBOLS)


def short(text: str, most: int) -> str:
    """Shorten a text to at most this many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


# ------------------------------------------------------------------------------------------------------------------ n-grams


class NGrams:
    """The n-grams of all texts up to a largest order.

    :ivar marks: for each of the tokens a digit: the length of the longest match that contains the token, and
        :data:`CLIPPED` more if the token is clipped
    :ivar over: for each output the n-grams of each order that it has too often
    :ivar under: for each output the n-grams of each order that it does not have often enough
    :ivar differences: for each pair, in both orders, the n-grams that match more often in the first system
    :ivar frequency: how often all references have each token
    :ivar wanted: how often each token could match
    :ivar produced: how often each output has each token
    :ivar confirmed: how often each token matches in each output
    """

    def __init__(self, texts: Outputs, tokens: Tokens, most: int, pairs: Sequence[tuple[str, str]]):
        """Count the n-grams, the longest first, and find those that matter.

        :param most: the largest order
        :param pairs: the names of systems to compare; the mean of the runs of a system is used
        """
        # made from the shortest on, and matched from the longest down, because a token gets the mark of its longest match
        levels = [tokens.ids]
        while len(levels) < most:
            levels.append(_longer(levels[-1], tokens))
        self.marks = np.zeros(len(tokens.ids), dtype=np.uint8)
        inside = np.zeros(len(tokens.ids), dtype=bool)  # whether the n-gram that begins there is part of a longer match
        self.over: dict[str, NGramLists] = dict.fromkeys(texts.outputs, ())
        self.under = dict(self.over)
        self.produced: dict[str, Integers] = {}
        self.confirmed: dict[str, Integers] = {}
        self.differences: dict[tuple[str, str], NGramLists] = dict.fromkeys(
            [*pairs, *(pair[::-1] for pair in pairs)], ()
        )
        references = np.flatnonzero(tokens.sides >= tokens.outputs)
        for n in range(most, 0, -1):
            grams = levels.pop()
            self.wanted, matched, clipped = _match(tokens, grams, inside)
            size = len(self.wanted)
            inside = np.zeros_like(inside)
            for offset in range(n):
                places = matched + offset
                self.marks[places[self.marks[places] == 0]] = n  # tokens of longer matches are marked already
                if offset < 2:  # where the n-grams that are one token shorter begin
                    inside[places] = True
            if n == 1:
                self.marks[clipped] += CLIPPED
            # what each output has too often, and what not often enough
            sides = tokens.sides[matched]
            found = {name: matched[sides == side] for side, name in enumerate(texts.outputs)}
            self.frequency = bincount(grams[references], minlength=size)
            listed = partial(_most_salient, tokens, grams, n)
            for side, name in enumerate(texts.outputs):
                places = np.flatnonzero(tokens.sides == side)
                self.produced[name] = produced = bincount(grams[places], minlength=size)
                self.confirmed[name] = confirmed = bincount(grams[found[name]], minlength=size)
                self.over[name] = (listed(produced - confirmed, confirmed, places), *self.over[name])
                self.under[name] = (listed(self.wanted - confirmed, confirmed, references), *self.under[name])
            # what matches more often in one system than in another
            matches = {}
            for system, runs in texts.runs.items():
                counts = [self.confirmed[run] for run in runs]
                # the counts of a single run are shown as the whole numbers that they are
                matches[system] = np.mean(counts, axis=0) if len(counts) > 1 else counts[0]
            for pair, lists in self.differences.items():
                one, other = (matches[system] for system in pair)
                places = np.concatenate([found[run] for run in texts.runs[pair[0]]])
                self.differences[pair] = (listed(np.where(one > other, one, 0), other, places), *lists)


def _longer(grams: Array, tokens: Tokens) -> Array:
    """Return the numbers of the n-grams that are one token longer and begin at each place; 0 for none, and if it occurs once.

    An n-gram that occurs twice consists of two shorter ones that do.
    """
    often = (bincount(grams) > 1)[grams] & (grams > 0)
    begins = often.copy()
    begins[tokens.bounds[tokens.bounds > 0] - 1] = False  # the last token of a text
    places = np.flatnonzero(begins[:-1] & often[1:]).astype(np.int32)
    keys = grams[places].astype(np.int64) * (int(grams.max(initial=0)) + 1) + grams[places + 1]
    order = np.argsort(keys)
    keys.sort()  # in place, because of many texts these arrays take the most memory of a report
    numbers = np.ones(len(keys), dtype=np.int32)
    numbers[1:] += np.cumsum(keys[1:] != keys[:-1], dtype=np.int32)
    longer = np.zeros_like(grams)
    longer[places[order]] = numbers
    return longer


def _match(tokens: Tokens, grams: Array, inside: Array) -> tuple[Integers, Integers, Integers]:
    """Match the n-grams of an order.

    :param inside: for each place whether the n-gram that begins there is part of a longer match
    :return: how often each n-gram could match; where the n-grams of the outputs that match begin, segment by segment, in each
        those in a longer match first; and where those begin that a reference has, but that the output has too often
    """
    size = int(grams.max(initial=0)) + 1
    wanted = np.zeros(size, dtype=np.int64)
    found = []
    clipped = []
    edges = tokens.bounds[tokens.firsts]
    sides = int(tokens.sides.max(initial=0)) + 1
    for start in range(0, len(edges) - 1, PIECE):
        part = slice(*edges[[start, min(start + PIECE, len(edges) - 1)]].tolist())
        places = part.start + np.flatnonzero(grams[part])
        segment = np.searchsorted(edges, places, side="right")
        keys = (segment * size + grams[places]) * sides + tokens.sides[places]
        order = np.argsort(2 * keys + ~inside[places], kind="stable")
        places = places[order]
        keys = keys[order]
        segment = segment[order]
        rank = np.arange(len(keys)) - np.searchsorted(keys, keys)  # among the same n-grams of the text
        of_output = tokens.sides[places] < tokens.outputs
        # the reference that has an n-gram most often says how often it may match in a segment
        kinds = keys // sides
        begins = np.flatnonzero(np.diff(kinds, prepend=-1))
        allowed = np.maximum.reduceat(np.where(of_output, 0, rank + 1), begins)
        wanted += bincount(kinds[begins] % size, allowed, minlength=size).astype(np.int64)
        allowed = repeat(allowed, np.diff(begins, append=len(kinds)))
        match = of_output & (rank < allowed)
        clipped.append(places[of_output & ~match & (allowed > 0)])
        places = places[match]
        found.append(places[np.lexsort((places, ~inside[places], segment[match]))])
    return wanted, np.concatenate(found), np.concatenate(clipped)


def _most_salient(
    tokens: Tokens, grams: Array, n: int, counts: Array, others: Array, places: Array
) -> tuple[NGram, ...]:
    """List the n-grams with the largest salience; among equals the largest counts, then the first. None that was seen once.

    :param places: where the n-grams begin
    """
    first = np.zeros(len(counts), dtype=np.int64)
    first[grams[places[::-1]]] = np.arange(len(places), dtype=np.int32)[::-1]
    # number 0 is no n-gram
    chosen = 1 + np.flatnonzero(counts[1:] > 1)
    ones = counts[chosen]
    chosen = chosen[np.lexsort((first[chosen], -ones, -(ones + 1) / (ones + others[chosen] + 2)))[:LISTED]]
    found = []
    for number, begin in zip(chosen.tolist(), places[first[chosen]].tolist()):
        words = tuple(str(tokens.vocabulary[token]) for token in tokens.ids[begin : begin + n].tolist())
        found.append(NGram(words, counts[number].item(), others[number].item()))
    return tuple(found)
