"""Expected utilities that approximate BLEU, from the n-grams of whole lists."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count
from typing import TYPE_CHECKING

from .._runtime.arrays import np
from .selection import owners_of
from .texts import TextLists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Tromble and others (2008), section 4: an average unigram precision, and how fast it falls with the order.
UNIGRAM_PRECISION = 0.85
PRECISION_RATIO = 0.72


def expected_counts(hyps: TextLists, refs: TextLists, shares: Floats, order: int) -> Floats:
    shares = _normalised(shares, refs)
    expected_lengths = np.bincount(owners_of(refs.offsets), shares * refs.lengths, minlength=len(refs.offsets) - 1)
    logs = np.zeros(len(hyps.texts))
    scored = np.zeros(len(hyps.texts))
    for n, (of_hyps, of_refs, grams) in enumerate(_ngram_counts(hyps, refs, order)):
        texts, ngrams, counts = of_refs
        expected = np.bincount(ngrams, shares[texts] * counts, minlength=grams)
        texts, ngrams, counts = of_hyps
        matches = np.bincount(texts, np.minimum(counts, expected[ngrams]), minlength=len(hyps.texts))
        totals = np.maximum(hyps.lengths - n, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.log((matches + (n > 0)) / (totals + (n > 0)))
        logs += np.where(totals > 0, terms, 0.0)
        scored += totals > 0
    ratios = expected_lengths[owners_of(hyps.offsets)] / np.maximum(hyps.lengths, 1)
    result: Floats = np.exp(np.minimum(0.0, 1 - ratios)) * np.exp(logs / np.maximum(scored, 1))
    return np.where(hyps.lengths > 0, result, 0.0)


def linear_gain(hyps: TextLists, refs: TextLists, shares: Floats, order: int) -> Floats:
    shares = _normalised(shares, refs)
    result: Floats = -hyps.lengths.astype(np.float64)
    for n, (of_hyps, of_refs, grams) in enumerate(_ngram_counts(hyps, refs, order)):
        texts, ngrams, _ = of_refs
        probable = np.bincount(ngrams, shares[texts], minlength=grams)
        texts, ngrams, counts = of_hyps
        weight = 1 / (order * UNIGRAM_PRECISION * PRECISION_RATIO**n)
        result += weight * np.bincount(texts, counts * probable[ngrams], minlength=len(result))
    return result


def _normalised(shares: Floats, lists: TextLists) -> Floats:
    owners = owners_of(lists.offsets)
    return shares / np.bincount(owners, shares, minlength=len(lists.offsets))[owners]


Counted = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.int64]"]  # text, number of the n-gram, count


def _ngram_counts(hyps: TextLists, refs: TextLists, order: int) -> Iterator[tuple[Counted, Counted, int]]:
    """For each order the different n-grams of each text, of the hypotheses and of the evidence, and how many there are.

    The n-grams of different segments have different numbers.
    """
    lists = [hyps] if refs is hyps else [hyps, refs]
    lengths = np.concatenate([part.lengths for part in lists])
    segments = np.concatenate([owners_of(part.offsets) for part in lists])
    tokens = list(chain.from_iterable(chain.from_iterable(part.tokens for part in lists)))
    numbers = dict(zip(dict.fromkeys(tokens), count()))
    ids = np.fromiter(map(numbers.__getitem__, tokens), dtype=np.int64, count=len(tokens))
    texts = np.repeat(np.arange(len(lengths)), lengths)
    unigrams = np.unique(segments[texts] * max(1, len(numbers)) + ids, return_inverse=True)[1].reshape(-1)
    ngrams, starts = unigrams, np.arange(len(ids))
    for n in range(1, order + 1):
        if n > 1:
            last = starts + n - 1
            goes_on = last < len(ids)
            goes_on[goes_on] = texts[last[goes_on]] == texts[starts[goes_on]]
            starts = starts[goes_on]
            keys = ngrams[goes_on] * (len(ids) + 1) + unigrams[starts + n - 1]
            ngrams = np.unique(keys, return_inverse=True)[1].reshape(-1)
        grams = int(ngrams.max(initial=-1)) + 1
        pairs, counts = np.unique(texts[starts] * max(1, grams) + ngrams, return_counts=True)
        owners, found = np.divmod(pairs, max(1, grams))
        of_hyps = owners < len(hyps.texts)
        first = owners[of_hyps], found[of_hyps], counts[of_hyps]
        if refs is hyps:
            yield first, first, grams
        else:
            yield first, (owners[~of_hyps] - len(hyps.texts), found[~of_hyps], counts[~of_hyps]), grams
