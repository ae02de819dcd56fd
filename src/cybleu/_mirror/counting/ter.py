"""TER: edits and shifts that turn a hypothesis into a reference (Snover et al. 2006), by the rules of sacreBLEU."""

from __future__ import annotations

from itertools import accumulate
from math import ceil, floor, inf
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .numbered import Segments

    Words = Sequence[Any]
    Row = dict[int, float]  # by column; a column without an entry is not looked at


class _Alignment(NamedTuple):
    """The words of both texts that belong together.

    :ivar places: for each word of the reference the place of the one of the hypothesis, or of the one before
    :ivar wrong: how many of the first words of the hypothesis are not the same there
    :ivar wrong_there: the same for the reference
    """

    places: list[int]
    wrong: list[int]
    wrong_there: list[int]


LONGEST_SHIFT = 10
FARTHEST_SHIFT = 50
BEAM = 25
MOST_CANDIDATES = 1000


def edit_rows(segments: Segments, start: int, stop: int, rows: Any) -> None:
    segments.fill(_row, start, stop, rows)


def _row(hypothesis: Words, references: Sequence[Words]) -> tuple[int, float]:
    return min([edits(hypothesis, reference) for reference in references]), sum(map(len, references)) / len(references)


def edits(hypothesis: Words, reference: Words) -> int:
    """How many edits and shifts turn a hypothesis into a reference: always the shift that saves most edits, then the next one."""
    if not reference:
        return len(hypothesis)
    words = list(hypothesis)
    shifts = 0
    checked = 0
    rows = _table(words, reference)
    while True:
        aligned = _aligned(rows, words, reference)
        best: tuple[Any, ...] = (0,)
        for start, length, targets in _candidates(words, reference, aligned):
            for target in targets:
                shifted = _shifted(words, start, length, target)
                gain = rows[-1][len(reference)] - _table(shifted, reference, words, rows)[-1][len(reference)]
                # of equal gains sacreBLEU takes the longest shift, then the first one
                best = max(best, (gain, length, -start, -target, shifted))
            checked += len(targets)
            if checked >= MOST_CANDIDATES:
                break
        # as in sacreBLEU, the shift is not made, even if one was found
        if checked >= MOST_CANDIDATES or best[0] <= 0:
            return shifts + int(rows[-1][len(reference)])
        shifts += 1
        rows = _table(best[-1], reference, words, rows)
        words = best[-1]


def _table(words: Words, reference: Words, known: Words = (), rows: Sequence[Row] = ()) -> list[Row]:
    """The edit distances of the first words of both texts, a row for each number of words of the hypothesis.

    :param known: words that may begin in the same way, and `rows` their table
    """
    count = len(words)
    width = len(reference)
    ratio = width / count if count else 1
    # only columns near the diagonal are computed, more of them if a row passes many
    beam = ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    same = next((place for place, pair in enumerate(zip(words, known)) if pair[0] != pair[1]), len(known))
    table: list[Row] = list(rows[: same + 1]) or [{column: column for column in range(width + 1)}]
    for number in range(len(table), count + 1):
        middle = floor(number * ratio)
        # the last row has all columns to the end, because its last one is the distance
        end = width + 1 if number == count else min(width + 1, middle + beam)
        word = words[number - 1]
        before = table[-1]
        row: Row = {}
        left = inf
        for column in range(max(0, middle - beam), end):
            left = min(left + 1, before.get(column, inf) + 1)
            if column:
                left = min(left, before.get(column - 1, inf) + (word != reference[column - 1]))
            row[column] = left
        table.append(row)
    return table


def _aligned(table: Sequence[Row], words: Words, reference: Words) -> _Alignment:
    """Align from the end: best a pair, then a word of the hypothesis alone."""
    number = len(words)
    column = len(reference)
    places = [-1] * column
    wrong = [0] * number
    wrong_there = [0] * column
    while number or column:
        distance = table[number][column]
        before = table[number - 1] if number else {}
        if number and column:
            cost = int(words[number - 1] != reference[column - 1])
            if before.get(column - 1, inf) + cost == distance:
                number -= 1
                column -= 1
                places[column] = number
                wrong[number] = wrong_there[column] = cost
                continue
        if before.get(column, inf) + 1 == distance:
            number -= 1
            wrong[number] = 1
        else:
            column -= 1
            places[column] = number - 1
            wrong_there[column] = 1
    return _Alignment(places, list(accumulate(wrong, initial=0)), list(accumulate(wrong_there, initial=0)))


def _candidates(words: Words, reference: Words, aligned: _Alignment) -> Iterator[tuple[int, int, list[int]]]:
    """Shifts to try: where the words begin, how many they are, and before which ones they may go."""
    places, wrong, wrong_there = aligned
    for start in range(len(words)):
        for there in range(max(0, start - FARTHEST_SHIFT), min(len(reference), start + FARTHEST_SHIFT + 1)):
            most = min(LONGEST_SHIFT, len(words) - start, len(reference) - there)
            for length in range(1, most + 1):
                if words[start + length - 1] != reference[there + length - 1]:
                    break
                # words that are right, here or there, are not moved
                if wrong[start] == wrong[start + length] or wrong_there[there] == wrong_there[there + length]:
                    continue
                # the words are where they belong, or would move into themselves
                if start <= places[there] < start + length:
                    continue
                targets = [places[place] + 1 if place >= 0 else 0 for place in range(there - 1, there + length)]
                yield start, length, [target for before, target in zip([-1, *targets], targets) if target != before]


def _shifted(words: list[int], start: int, length: int, target: int) -> list[int]:
    """The words with some of them before another one, or as far behind their place where that is within them."""
    moved = words[start : start + length]
    rest = words[:start] + words[start + length :]
    place = target - length if target > start + length else target
    return rest[:place] + moved + rest[place:]
