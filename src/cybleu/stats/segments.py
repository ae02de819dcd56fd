"""The statistics rows of segments."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np
from .._runtime.parallel import run
from ..errors import CybleuError, MixedTokensError
from ..text.arrays import check_owners
from ..text.values import RawReferences, RawText, ReferenceLists, TokenLists
from .counts import choose_length, fill_rows, row_of_lists
from .options import CountOptions
from .raw import fill_raw_rows
from .references import CountedReferences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..text.raw import Raw
    from ..text.values import ParsedReferences, ParsedTexts

__all__ = ["count_segments"]

FEW_EACH = 8  # hypotheses for each set of references: to prepare it would take longer than to read it for each


def count_segments(
    references: ParsedReferences,
    hypotheses: ParsedTexts,
    owners: NDArray[np.int64] | None,
    options: CountOptions,
    raw: Raw | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> NDArray[np.int64]:
    """The statistics rows of parsed segments.

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
    prepared = CountedReferences(references, options, raw)
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
