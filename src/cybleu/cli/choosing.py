"""Choose, sort or explain the hypotheses of a list, segment by segment, for the commands of `cybleu rerank`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .._files.text import STANDARD_INPUT, in_blocks, shown
from .._files.writing import writing
from .._runtime.scales import counted, percent
from ..errors import ArrayValueError, InputFileError, _printable
from ..metrics import Bleu
from ..text import tokenizer
from ..text.batches import Place
from ..text.reading import token_lists
from .common import stderr_is_tty
from .given import argument, choice, file, number
from .lists import first_id_option, tokenize_option

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..nbest import NBest, Segment
    from ..nbest.counted import CountedReferences
    from ..rerank import Selection

MOST_MISSING = 10_000_000  # segments between two that are there
AT_ONCE = 1 << 21  # characters of hypotheses that are scored together
SEGMENT = (
    1 << 15
)  # characters that a segment counts for in addition to its hypotheses, so that at most 64 are scored together
EXPLAINED = 3  # candidates


@dataclass(frozen=True, kw_only=True)
class NbestOptions:
    """List"""

    nbest: str = argument("NBEST")
    format: str | None = choice(
        of=["moses", "joshua", "plain", "fairseq", "json"],
        help="The format of NBEST: that of Moses, that of Joshua and cdec, plain text, the output of fairseq, or JSON lines such as "
        "Sockeye's.  [default: moses or joshua, as the first lines look]",
    )
    size: int | None = number(help="How many lines each segment has, in the plain format.")
    feature_table: str | None = file(help="The file of features of the plain format, one line for each hypothesis.")
    first_id: int = first_id_option()
    tokenize: str = tokenize_option()


@dataclass(frozen=True, kw_only=True)
class RerankOptions(NbestOptions):
    """Output"""

    segments: int | None = None
    output: str = file("-o", default=STANDARD_INPUT, help="Write to this file; .gz compresses; - is standard output.")
    list_format: str | None = choice(
        "--list",
        of=["moses", "joshua", "plain"],
        help="Write the whole list in its new order, in this format, and not one text for each segment.",
    )
    explain: int | None = number(
        least=0, metavar="ID", help="Write only why the first candidates of this segment come first."
    )

    @property
    def files(self) -> list[str | None]:
        return [self.nbest, self.feature_table]

    def stream(self) -> Iterator[Segment]:
        progress = stderr_is_tty()
        from ..nbest import read_segments

        if self.format == "json" and (self.size is not None or self.feature_table is not None):
            raise ArrayValueError("--size and --feature-table are for the plain format")
        return read_segments(self.nbest, self.format, size=self.size, features=self.feature_table, progress=progress)

    def whole(self, references: Sequence[str]) -> NBest:
        from ..nbest import NBest

        return NBest.from_files(
            self.nbest,
            references,
            self.format,
            first_id=self.first_id,
            size=self.size,
            features=self.feature_table,
            tokenize=self.tokenize,
            progress=stderr_is_tty(),
        )

    def splitter(self) -> Callable[[str], list[str]]:
        return tokenizer(self.tokenize)


class Why(NamedTuple):
    """The data of a command that --explain shows."""

    weights: dict[str, float] | None = None
    split: Callable[[str], list[str]] | None = None
    metric: Metric | None = None  # of minimum Bayes risk
    references: CountedReferences | None = None
    first_id: int = 0

    def stats(self, segments: Sequence[Segment]) -> Any:
        """The statistics of the hypotheses of some segments; zeros without references."""
        from .._runtime.arrays import np

        texts = [text for segment in segments for text in segment.texts]
        if self.references is None or self.split is None:
            return np.zeros((len(texts), 1))
        for segment in segments:
            if not 0 <= segment.id - self.first_id < len(self.references):
                raise InputFileError(
                    f"the id {segment.id} is not of one of the {len(self.references)} segments of the references, which "
                    f"begin at {self.first_id}; --first-id tells where they begin"
                )
        owners = [segment.id - self.first_id for segment in segments for _ in segment.texts]
        tokens = token_lists([self.split(text) for text in texts], Place("hypotheses"))
        return self.references.rows(tokens, np.array(owners, dtype=np.int64))


def choose_from(given: RerankOptions, choose: Callable[[NBest], Selection[str]], why: Why) -> None:
    stream = _in_order(given)
    if given.explain is not None:
        found = next((segment for segment in stream if segment.id == given.explain), None)
        if found is None:
            raise ArrayValueError(f"there is no segment {given.explain} in the list")
        nbest = _nbest([found], why)
        explanation = _explanation(nbest, choose(nbest), why)
        click.echo(_printable(explanation, len(explanation)))
        return
    expected = given.first_id
    missing = 0
    with opened(given.output) as write:
        for batch in in_blocks(stream, lambda segment: SEGMENT + sum(map(len, segment.texts)), AT_ONCE):
            apart = batch[-1].names != batch[0].names or any(segment.sparse for segment in batch)
            for group in [[segment] for segment in batch] if apart else [batch]:
                nbest = _nbest(group, why)
                selection = choose(nbest)
                if given.list_format is not None:
                    _write_list(nbest, selection, given.list_format, write)
                    continue
                for segment, text in zip(group, selection.texts):
                    if segment.id - expected > MOST_MISSING:
                        raise InputFileError(
                            f"{given.nbest}: the segment {segment.id} comes where {expected} should; an empty line for each "
                            "between them would fill the disk. --first-id tells where ids begin"
                        )
                    missing += segment.id - expected
                    write("\n" * (segment.id - expected) + _one_line(text, segment) + "\n")
                    expected = segment.id + 1
        if given.segments is not None and given.list_format is None:
            last = given.first_id + given.segments
            if last - expected > MOST_MISSING:
                raise InputFileError(
                    f"--segment-count {given.segments}: {last - expected} of them would come after the last one of the list; an "
                    "empty line for each would fill the disk"
                )
            missing += last - expected
            write("\n" * (last - expected))
    if missing:
        click.echo(f"cybleu: segments without a hypothesis: {missing}; each is an empty line in the output", err=True)


def _in_order(given: RerankOptions) -> Iterator[Segment]:
    last = given.first_id - 1
    for segment in given.stream():
        if segment.id <= last:
            reason = f"begin at {given.first_id}; give --first-id" if last < given.first_id else "must ascend; sort it"
            raise InputFileError(f"{given.nbest}: the segment {segment.id} comes after {last}, and ids {reason}")
        if not segment.texts:
            continue
        last = segment.id
        if given.segments is not None and last >= given.first_id + given.segments:
            raise InputFileError(
                f"{given.nbest}: has the segment {last}, and the number of segments from {given.first_id} on is {given.segments}; "
                "--first-id tells where they begin"
            )
        yield segment


def _nbest(group: Sequence[Segment], why: Why) -> NBest:
    from .._runtime.arrays import np
    from ..nbest import NBest

    first = group[0]
    known = [segment.model_scores for segment in group if segment.model_scores is not None]
    return NBest(
        np.cumsum([0, *(len(segment.texts) for segment in group)], dtype=np.int64),
        first.features if len(group) == 1 else np.concatenate([segment.features for segment in group]),
        why.stats(group),
        first.names,
        [text for segment in group for text in segment.texts],
        sparse=first.sparse if len(group) == 1 else None,
        ids=[segment.id for segment in group],
        model_scores=np.concatenate(known) if len(known) == len(group) else None,
    )


def _write_list(nbest: NBest, selection: Selection[str], list_format: str, write: Callable[[str], Any]) -> None:
    from ..nbest import nbest_lines

    ordered = selection.best_first()
    if list_format == "plain":
        for text in ordered.texts or ():
            write(_one_line(text, None) + "\n")
        return
    for line in nbest_lines(ordered, list_format):
        write(line)


def _one_line(text: str, segment: Segment | None) -> str:
    if "\n" in text:
        where = f" of segment {segment.id}" if segment else ""
        raise ArrayValueError(f"a text{where} has a line break, and a line is a segment: {shown(text)}")
    return text


@contextmanager
def opened(path: str) -> Iterator[Callable[[str], Any]]:
    if path == STANDARD_INPUT:
        if sys.stdout is None:
            raise InputFileError("standard output: is closed")
        # a TextIOWrapper of its own would report a reader that went away again when it is deleted
        output = sys.stdout.buffer
        try:
            yield lambda text: output.write(text.encode())
        finally:
            output.flush()
        return
    with writing(path) as file:
        yield file.write


def _explanation(nbest: NBest, selection: Selection[str], why: Why) -> str:
    """Describe the first candidates of a segment, with the reasons for their scores."""
    from .. import pairs, rows

    lines = [f"segment {nbest.ids[0]}: {counted(len(nbest.features), 'hypothesis', 'hypotheses')}"]
    texts = nbest.texts or []
    order = selection.ranked()[:EXPLAINED].tolist()
    for place, row in enumerate(order, 1):
        lines.append(f"{place}. hypothesis {row}, score {selection.scores[row]:.6g}: {texts[row]}")
        if why.weights is not None:
            terms = [
                (why.weights[name] * value, name, value)
                for name, value in zip(nbest.names, nbest.features[row].tolist())
            ]
            if nbest.sparse is not None:
                found = slice(nbest.sparse.indptr[row], nbest.sparse.indptr[row + 1])
                for column, value in zip(nbest.sparse.columns[found].tolist(), nbest.sparse.values[found].tolist()):
                    name = nbest.sparse.names[column]
                    terms.append((why.weights.get(name, 0.0) * value, name, value))
            for term, name, value in sorted(terms, key=lambda entry: -abs(entry[0])):
                lines.append(f"   {term:+.6g} = {why.weights.get(name, 0.0):g} * {value:g} {name}")
        elif why.references is not None:
            lines.append(f"   {_matches(nbest.stats[row].tolist())}")
        elif why.metric is not None and why.split is not None:
            metric = why.metric
            tokens = texts if metric.reads == "text" else [why.split(text) for text in texts]
            alike = percent(pairs([tokens[row]], tokens, metric=metric)[0], metric.scale)
            sign = -1 if metric.higher_is_better else 1
            nearest = sorted((i for i in range(len(texts)) if i != row), key=lambda i: sign * alike[i])[:EXPLAINED]
            for other in nearest:
                of_bleu = isinstance(metric, Bleu)
                line = f"   {'BLEU' if of_bleu else metric.name} {alike[other]:.1f} with hypothesis {other}"
                if of_bleu:
                    line += f": {_matches(rows([tokens[row]], [[tokens[other]]])[0].tolist())}"
                lines.append(line)
    return "\n".join(lines)


def _matches(row: list[int]) -> str:
    order = len(row) // 2 - 1
    orders = " ".join(f"{matched}/{total}" for matched, total in zip(row[2 : 2 + order], row[2 + order :]))
    return f"matched n-grams {orders}, length {row[0]} against {row[1]}"
