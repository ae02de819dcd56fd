"""How a corpus is counted: its texts as a metric reads them, in numbers that are equal for equal tokens, and the rows of its segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .._backend import Alignments, PreparedReferences, RawTexts, Segments, go_on, segment_rows
from .._definitions.ngrams import reference_length
from .._runtime.lazy_arrays import Floats, np
from .._runtime.parallel import run
from ..bleu_score.parts import nltk_row
from ..errors import CybleuError
from ..text.batches import Batch, Corpus, Place, TokenIds, TokenLists
from ..text.ids import number_others, number_texts, number_together, word_ids
from ..text.reading import token_lists
from ..text.segments import check_not_mixed, plain_segment
from ..text.tokenizers import Tokenization

if TYPE_CHECKING:
    from .base import Counter

LARGEST_ORDER = 2**31 - 1  # of BLEU in Python
# Up to which kernels score, and the most of GLEU: MAX_ORDER of `_kernels/common/checks.pxi`. The docstring of Gleu,
# `docs/hugging-face.md` and `docs/platforms.md` name the number.
MOST_ORDERS_OF_KERNELS = 16
# Hypotheses for each reference up to which it takes longer to prepare the references than to read them for each: 8 to 16
# of ids and of raw text, with one reference or four, at 65 to 1,024 tokens.
FEW_EACH = 8


def segments_of(metric: Any, corpus: Corpus) -> list[tuple[Any, Sequence[Any]]]:
    """Return the hypothesis and the references of each segment, as ``count`` of a metric takes them."""
    if corpus.kind == "raw text" and metric.reads != "text":
        corpus = corpus.changed_by(metric.tokenization, tokens_of)
    for batch in (corpus.texts, corpus.sets.texts):
        if isinstance(batch, TokenLists):
            batch.types()  # an error if one is an array
    return list(zip(corpus.texts.lists(), corpus.references()))


def tokens_of(texts: Batch, tokenization: Tokenization, bounds: Sequence[int] | None) -> TokenLists | TokenIds:
    """Raw texts as tokens, which a function of the caller's may return in any form.

    :param bounds: of the sets if the texts are references
    """
    assert isinstance(texts, RawTexts)
    place = Place("hypotheses") if bounds is None else Place("references", list(bounds))
    return token_lists(tokenization.split(texts.lists()), place)


# -------------------------------------------------------------------------------------------------------------- numbers


def numbered(metric: Any, corpus: Corpus) -> tuple[TokenIds, TokenIds]:
    """Hypotheses and references as numbers; twice the same object if they are the same texts.

    A token of a hypothesis that no reference has is -1. Requires NumPy, except for raw text.
    """
    if corpus.kind == "raw text":
        lines = corpus.sets.texts
        tokenization = metric.tokenization
        key = "words", tokenization
        words, vocabulary = corpus.made(key, lambda: number_texts(lines, tokenization.backend))
        return words if corpus.texts is lines else number_others(corpus.texts, vocabulary), words
    references, hypotheses = number_together(corpus.sets.texts, corpus.texts)
    return hypotheses, references


# ------------------------------------------------------------------------------------------------------------- counters


def segments_of_corpus(metric: Any, corpus: Corpus) -> Segments:
    """The corpus as the backend counts it: raw text, which the backend tokenises in place, all other texts in numbers."""
    hypotheses: Any = corpus.texts
    references: Any = corpus.sets.texts
    tokenizer = None
    if corpus.kind == "raw text":
        tokenizer = metric.tokenization.backend
    elif not (isinstance(hypotheses, TokenIds) and isinstance(references, TokenIds)):
        hypotheses, references = numbered(metric, corpus)
    return Segments(tokenizer, hypotheses, references, corpus.sets.bounds, corpus.owners)


def counter_of_lists(
    corpus: Corpus, kernel: Callable[..., int], general: Callable[..., Sequence[int]], matches: int, *orders: int
) -> Counter:
    """Return a function `(start, stop, rows)` that counts token lists, which the backend reads in place.

    :param kernel: a function `(sets, texts, *orders, start, stop, rows)` of the backend; see :func:`cybleu._backend.go_on`
    :param general: returns the row of a segment that the kernel declines: `(references, hypothesis, *orders)`
    :param matches: the first column of matches
    """
    texts = corpus.texts.lists()
    sets = corpus.references()

    def count(start: int, stop: int, rows: Any) -> None:
        def one(position: int) -> None:
            try:
                row = general(*plain_segment(sets[position], texts[position]), *orders)
            except CybleuError as error:
                raise type(error)(f"segment {position}: {error}") from error.__cause__
            for column, number in enumerate(row):
                rows[position, column] = number

        go_on(lambda position: kernel(sets, texts, *orders, position, stop, rows), start, stop, one)
        # Texts of which none matches anything may be of two kinds.
        if stop > start and not any(rows[position, matches] for position in range(start, stop)):
            check_not_mixed(sets, texts)

    return count


def counter_by_prepared(metric: Any, corpus: Corpus) -> Counter:
    """Count n-grams for BLEU with references that are prepared once."""
    hypotheses: Any = corpus.texts
    tokenizer = metric.tokenization.backend if corpus.kind == "raw text" else None
    order = metric.order
    length_rule = metric.definition.reference_length

    def prepared_references() -> tuple[Any, Any]:
        ids, vocabulary = number_texts(corpus.sets.texts, tokenizer)
        return vocabulary, PreparedReferences(ids, corpus.sets.bounds, order, length_rule)

    key = corpus.changed, tokenizer, order, length_rule
    vocabulary, prepared = corpus.made(key, prepared_references)
    owners = np.arange(corpus.size, dtype=np.int64) if corpus.owners is None else corpus.owners
    if tokenizer is None:
        texts = number_others(hypotheses, vocabulary)
        return lambda start, stop, rows: prepared.count_rows(texts, owners, start, stop, rows)

    def count_lines(start: int, stop: int, rows: Any) -> None:
        lines = hypotheses.take(np.arange(start, stop, dtype=np.int64))
        words = word_ids(lines, vocabulary, adds=False)
        prepared.count_rows(words, owners[start:stop], 0, stop - start, rows[start:stop])

    return count_lines


def counter_of_objects(corpus: Corpus, order: int, length_rule: str) -> Counter:
    """Count n-grams of token lists for BLEU. The backend takes the closest length of the references, and Python any other."""
    count = counter_of_lists(corpus, segment_rows, nltk_row, 2, order)
    if length_rule == "closest":
        return count
    sets = corpus.sets.lists()

    def count_with_lengths(start: int, stop: int, rows: Any) -> None:
        count(start, stop, rows)
        for position in range(start, stop):
            lengths = list(map(len, sets[position]))
            rows[position, 1] = reference_length(lengths, int(rows[position, 0]), length_rule)

    return count_with_lengths


# ----------------------------------------------------------------------------------------------------------- alignments


def align_pairs(metric: Any, pairs: Corpus, scores: Floats, threads: int | None, progress: bool) -> None:
    """Write error rates, or ROUGE-L, of each text against each reference.

    One alignment serves two scores if they are the same texts.

    :param metric: a metric of error rates, or ROUGE-L
    :param pairs: as for :meth:`cybleu.metrics.Metric.fill_pairs`
    :param scores: an array `(texts, references)`
    :param threads: the number of threads
    :param progress: show a progress bar (requires tqdm)
    """
    hypotheses, references = numbered(metric, pairs)
    lengths = np.subtract(references.ends, references.begins)
    are_rates = not metric.higher_is_better
    # several alignments at once take least if they are of similar lengths; on some platforms, indices have 32 bits
    alignments = Alignments(hypotheses, references, np.argsort(lengths).astype(np.int64))

    def work(start: int, stop: int) -> None:
        alignments.fill(are_rates, start, stop, scores)

    run(work, len(scores), 64 * scores.size, threads, progress, "hypotheses")
