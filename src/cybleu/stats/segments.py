"""The statistics rows of segments."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np
from .._runtime.parallel import checked_threads, run
from ..errors import CybleuError, MixedTokensError, StatisticsError
from ..text.arrays import SpecialIds, check_owners, parse_owners
from ..text.parsing import parse_references
from ..text.raw import raw_of
from ..text.values import RawReferences, RawText, ReferenceLists, TokenLists
from .counts import choose_length, fill_rows, row_of_lists
from .options import CountOptions
from .raw import fill_raw_rows
from .references import References, parse_hypotheses
from .rows import checked_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..text.raw import Raw
    from ..text.values import ParsedReferences, ParsedTexts

__all__ = ["count_segments", "segment_stats", "short_segments"]

FEW_EACH = 8  # hypotheses for each set of references: to prepare it would take longer than to read it for each


def segment_stats(
    references: Any,
    hypotheses: Any,
    max_order: int = 4,
    reference_length: str = "closest",
    *,
    owner: Any = None,
    reference_lengths: Any = None,
    lengths: Any = None,
    pad_id: int | None = None,
    eos_id: int | None = None,
    unk_id: int | None = None,
    ignore: Iterable[tuple[Hashable, ...]] | None = None,
    threads: int | None = None,
    progress: bool = False,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
) -> NDArray[np.int64]:
    """The statistics row of each segment: of hypothesis i against references i, or against those that `owner` names.

    The other parameters, and the errors, are those of :class:`References` and its method `stats`.

    :param references: a set for each segment or prompt, in any form that :mod:`cybleu.stats` describes
    :param hypotheses: a batch of texts, likewise. Against references of raw text it may be raw text or token lists
    :param reference_lengths: of the references in a 2-D or 3-D array
    :param owner: for each hypothesis the index of its set of references; by default hypothesis i has set i
    :param lengths: of the hypotheses in a 2-D array
    :param threads: how many threads work at the same time; None is one. The rows are the same
    :param progress: show a progress bar (needs tqdm)
    :param tokenize: the texts are raw text, and this says how to split them, as for :func:`cybleu.text.tokenizer`
    :param lowercase: put raw text in lower case first
    :return: int64 of shape `(n, 2 + 2 * max_order)`, for no hypotheses `(0, 2 + 2 * max_order)`. In the row of an empty
        hypothesis only the reference length is not 0

    >>> segment_stats([[["the", "cat", "sat"], ["a", "cat"]]], [["the", "cat"]], max_order=2)
    array([[2, 2, 2, 1, 2, 1]])
    >>> segment_stats([["The cat sat.", "A cat."]], ["The cat."], max_order=2, tokenize="13a", lowercase=True)
    array([[3, 3, 3, 2, 3, 2]])
    >>> import numpy
    >>> segment_stats(numpy.array([[7, 8, 9], [4, 5, 0]]), numpy.array([[7, 8, 0], [5, 4, 0]]), max_order=2, pad_id=0)
    array([[2, 3, 2, 1, 2, 1],
           [2, 2, 2, 0, 2, 1]])
    """
    checked_threads(threads)
    of_ids: dict[str, Any] = {"pad_id": pad_id, "eos_id": eos_id, "unk_id": unk_id}
    raw = raw_of(tokenize, lowercase, **of_ids, lengths=lengths, reference_lengths=reference_lengths)
    options = CountOptions.checked(max_order, reference_length, SpecialIds(**of_ids), ignore)
    sets = parse_references(references, raw=raw, lengths=reference_lengths)
    texts = parse_hypotheses(hypotheses, raw, lengths)
    owners = None if owner is None else parse_owners(owner, sets.size, texts.size)
    return count_segments(sets, texts, owners, options, raw, threads, progress)


def count_segments(
    references: ParsedReferences,
    hypotheses: ParsedTexts,
    owners: NDArray[np.int64] | None,
    options: CountOptions,
    raw: Raw | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> NDArray[np.int64]:
    """The rows of :func:`segment_stats`, of parsed arguments.

    :param owners: for each hypothesis the number of its set; None if hypothesis i has set i
    :param raw: how raw text is tokenised; it is in lower case already if that is wanted
    """
    count, sets = hypotheses.size, references.size
    if owners is None:
        check_owners(count, sets)
    if options.ignored is None and isinstance(references, RawReferences) and isinstance(hypotheses, RawText):
        assert raw is not None
        if raw.own and (owners is None or count <= FEW_EACH * sets):
            chosen = references if owners is None else references.of_owners(owners)
            segments = hypotheses.lines, chosen.texts.lines, chosen.bounds
            rows = np.empty((count, 2 + 2 * options.max_order), dtype=np.int64)
            fill_raw_rows(rows, raw, *segments, options.max_order, options.reference_length, threads, progress)
            return rows
    elif (
        owners is None
        and options.ignored is None
        and not options.special.given
        and threads in (None, 1)  # the counts of prepared references are made without Python's lists
        and isinstance(references, ReferenceLists)
        and isinstance(hypotheses, TokenLists)
    ):
        return _stats_of_lists(references, hypotheses, options, progress)
    prepared = References._of(references, options, raw and raw.in_case)
    return prepared._rows_of(
        hypotheses, np.arange(count, dtype=np.int64) if owners is None else owners, threads, progress
    )


def _stats_of_lists(
    references: ReferenceLists, hypotheses: TokenLists, options: CountOptions, progress: bool
) -> NDArray[np.int64]:
    """The rows of token lists, which the backend reads in place."""
    sets, texts = references.sets, hypotheses.texts
    count, max_order = hypotheses.size, options.max_order
    rows = np.zeros((count, 2 + 2 * max_order), dtype=np.int64)

    def one(position: int) -> None:
        try:
            rows[position] = row_of_lists(sets[position], texts[position], max_order)
        except CybleuError as error:
            raise type(error)(f"segment {position}: {error}") from error.__cause__

    def work(start: int, stop: int) -> None:
        fill_rows(sets, texts, max_order, start, stop, rows, one)

    run(work, count, 0, None, progress, "segments")
    if options.reference_length != "closest":
        for row, group in zip(rows, sets):
            row[1] = choose_length(list(map(len, group)), int(row[0]), options.reference_length)
    if count and not rows[:, 2].any():
        _check_not_mixed(sets, texts)
    return rows


def short_segments(stats: NDArray[np.int64]) -> list[int]:
    """How many segments have no n-gram of each order. NLTK's corpus BLEU requires this in addition to the sum of the rows.

    :param stats: rows of segments, integers `(n, 2 + 2 * orders)`
    :return: a number for each order from 1; for no rows all are 0
    :raises StatisticsError: these are not rows of statistics

    >>> short_segments(segment_stats([[["a", "b"]], [["a"]]], [["a", "b"], ["a"]]))
    [0, 1, 2, 2]
    """
    rows, order = checked_array(stats, "stats")
    if (rows < 0).any():
        raise StatisticsError(f"statistics are whole numbers from 0, and these hold {rows.min()}")
    counts: list[int] = (rows.reshape(-1, 2 + 2 * order)[:, 2 + order :] == 0).sum(axis=0).tolist()
    return counts


def _check_not_mixed(references: Any, hypotheses: Any) -> None:
    """:raises MixedTokensError: one side has ids and the other strings, so that nothing can match"""
    try:
        kinds = [
            _backend.chosen.types_within(hypotheses),
            _backend.chosen.types_within(chain.from_iterable(references)),
        ]
    except TypeError:
        return  # they were changed while they were counted
    if [int] in (sorted(kinds[0], key=str), sorted(kinds[1], key=str)) and any(
        all(issubclass(kind, str) for kind in side) and side for side in kinds
    ):
        raise MixedTokensError(
            "one of hypotheses and references holds token ids and the other strings; give both as ids or both as tokens"
        )
