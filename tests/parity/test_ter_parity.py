"""Edits and shifts on the two backends; what does not fit."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _mirror
from numbered_words import check_refused, rows_of

# few different words, so that many are alike
texts = st.integers(1, 6).flatmap(lambda most: st.lists(st.integers(0, most), max_size=45))


@given(st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=4), st.data())
@example([([1, 2, 3] * 30, [[3, 2, 1] * 40, []]), ([], [[1]])], None)
def test_rows(kernels, corpus, data):
    place = st.integers(0, len(corpus) - 1)
    count = len(corpus)
    drawn = [] if data is None else data.draw(st.lists(st.tuples(place, place), max_size=4))
    places = [(number, number) for number in range(count)] + drawn
    rows = [rows_of(backend.edit_rows, corpus, *zip(*places), 2) for backend in (kernels, _mirror)]
    assert rows[0] == rows[1]


def test_what_does_not_fit(kernels):
    check_refused(kernels.edit_rows, 2)
