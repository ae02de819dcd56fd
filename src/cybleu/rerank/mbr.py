"""Minimum Bayes risk: the hypothesis that is on average most like what else the model thinks probable."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from .. import _backend
from .._runtime.arrays import floats_given, np
from .._runtime.parallel import bar
from .._runtime.sequences import by_position, container_of, with_ids
from ..errors import (
    ArrayValueError,
    CybleuError,
    LengthMismatchError,
    NoReferencesError,
    SequenceTypeError,
    UnknownNameError,
)
from ..metrics import Bleu, find, of_text
from ..metrics.formula import weighted_sums
from ..nbest import NBest
from ..text import tokenizer
from ..text.batches import PLAIN_TYPES, is_array
from ..text.columns import is_column, lists_given
from ..text.raw import Raw, raw_of
from ..text.words import RawWords
from .selection import Selection, chosen, owners_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric, Variant

    Floats = NDArray[np.float64]

UTILITIES = ("metric", "expected-counts", "linear")
# Tromble and others (2008), section 4: an average unigram precision, and how fast it falls with the order.
UNIGRAM_PRECISION = 0.85
PRECISION_RATIO = 0.72


@overload
def mbr(
    hypotheses: NBest | Sequence[Sequence[str]],
    posterior: Any = None,
    *,
    scores: Any = None,
    scale: float = 1.0,
    evidence: Any = None,
    utility: str = "metric",
    metric: str | Metric | Variant | None = None,
    prune: int | None = None,
    tokenize: str | Callable[[str], list[str]] | None = None,
    lowercase: bool = False,
    threads: int | None = None,
    progress: bool = False,
    **choices: Any,
) -> Selection[str]: ...
@overload
def mbr(
    hypotheses: Any,
    posterior: Any = None,
    *,
    scores: Any = None,
    scale: float = 1.0,
    evidence: Any = None,
    utility: str = "metric",
    metric: str | Metric | Variant | None = None,
    prune: int | None = None,
    tokenize: str | Callable[[str], list[str]] | None = None,
    lowercase: bool = False,
    threads: int | None = None,
    progress: bool = False,
    **choices: Any,
) -> Selection[Any]: ...
def mbr(
    hypotheses: Any,
    posterior: Any = None,
    *,
    scores: Any = None,
    scale: float = 1.0,
    evidence: Any = None,
    utility: str = "metric",
    metric: str | Metric | Variant | None = None,
    prune: int | None = None,
    tokenize: str | Callable[[str], list[str]] | None = None,
    lowercase: bool = False,
    threads: int | None = None,
    progress: bool = False,
    **choices: Any,
) -> Selection[Any]:
    """Choose the hypothesis of each segment with the highest expected utility (Kumar and Byrne 2004).

    The expected utility of a hypothesis is the mean of its BLEU against each text of the evidence as the only
    reference, weighted by the posterior. It is exactly what a loop over sentence BLEU computes, with the sum rounded
    only once. So it does not depend on the order of the list. If several hypotheses are equally good, the lowest index
    is chosen. An empty hypothesis is chosen only if all of a segment are empty. The matrix of one segment is in memory,
    with 8 bytes for each pair.

    :param hypotheses: n-best lists, as :mod:`cybleu.rerank` describes them
    :param posterior: how probable each text of the evidence is: numbers from 0, for all texts or as a sequence for each
        segment. Only their ratios matter. With None all are equally probable
    :param scores: instead of `posterior`: logarithms of the probabilities, such as the scores of a decoder
    :param scale: a factor for `scores`: below 1 it makes the probabilities more equal, above 1 less equal
    :param evidence: other lists to compare the hypotheses with; by default the hypotheses themselves
    :param utility: ``metric``; ``expected-counts``, BLEU against the expected n-gram counts and the expected length of
        the evidence (DeNero, Chiang and Knight 2009), from 0 to 1, with orders from 2 smoothed by adding 1; or
        ``linear``, linear BLEU (Tromble and others 2008) per reference token, with an average unigram precision of 0.85
        and a ratio of 0.72. The last two are approximations. They are not faster than exact BLEU on lists of a hundred
        texts
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``; it scores as the tool scores single sentences
    :param prune: how many texts of each list of the evidence count, the most probable ones; of equally probable ones
        those with the lowest index, and empty ones last. Without `evidence`, the other texts cannot be chosen either
    :param tokenize: how to split a string into tokens: a function such as ``str.split``; or a name that
        :func:`cybleu.text.tokenizer` knows, such as ``unicode`` or ``ascii`` for white space. By default the texts of
        an `NBest` are split on white space, as in the files of decoders, and a string in a list is an error. ``chrf``,
        ``chrf+`` and ``chrf++`` take strings as they are, without this
    :param lowercase: put the strings in lower case first
    :param threads: how many threads work on a segment at the same time; None is one. The result is the same
    :param progress: show a progress bar (needs tqdm)
    :param choices: of :class:`cybleu.metrics.Bleu`
    :return: a selection whose `scores` are the expected utilities of all hypotheses, on the scale of the tool, and NaN
        for pruned ones
    :raises CybleuError: one of its subclasses, whose message names the argument and the segment

    >>> samples = ["the cat sat", "a cat sat", "the cat sat down", ""]
    >>> best = mbr([samples], tokenize=str.split, smoothing="add-k")
    >>> best.texts, best.scores.round(1)
    (['the cat sat'], array([60.1, 54.5, 52.7,  0. ]))
    """
    if utility not in UTILITIES:
        raise UnknownNameError(f"unknown utility {utility!r}; use one of {', '.join(UTILITIES)}")
    found = find(metric, **choices).of_sentences()
    given = [("hypotheses", hypotheses), *([] if evidence is None else [("evidence", evidence)])]
    if utility == "metric" and found.of_raw_text:
        found = of_text(found, tokenize, lowercase)
        hyps, *others = _strings(given)
    else:
        hyps, *others = _lists(given, tokenize, lowercase, utility == "metric" and isinstance(found, Bleu))
    refs = others[0] if others else hyps
    _check_alike(hyps, refs)
    shares = _posterior(posterior, scores, scale, refs)
    kept = _most_probable(shares, refs, prune)
    utilities = np.full(len(hyps.texts), np.nan)
    if utility == "metric":
        for segment, rows, _, expected in _matrices(hyps, refs, kept, shares, found, threads, progress):
            utilities[rows] = expected
            empty = slice(*hyps.offsets[segment : segment + 2])
            utilities[empty][(hyps.lengths[empty] == 0) & (kept[empty] if refs is hyps else True)] = 0.0
    else:
        approximate = _expected_counts if utility == "expected-counts" else _linear
        order = found.order if isinstance(found, Bleu) else 4
        utilities = approximate(hyps, refs, np.where(kept, shares, 0.0), order)
        if refs is hyps:
            utilities[~kept] = np.nan
    return chosen(hyps.source, hyps.offsets, utilities, (hyps.lengths > 0) & ~np.isnan(utilities))


def diverse(
    hypotheses: Any,
    size: int,
    posterior: Any = None,
    *,
    scores: Any = None,
    scale: float = 1.0,
    similarity: float = 0.5,
    metric: str | Metric | Variant | None = None,
    tokenize: str | Callable[[str], list[str]] | None = None,
    lowercase: bool = False,
    progress: bool = False,
    **choices: Any,
) -> list[NDArray[np.int64]]:
    """Choose some hypotheses of each segment that are good and differ from each other.

    The first is the choice of :func:`mbr`. The next one is always the hypothesis with the highest value of: expected
    utility - `similarity` * (similarity to the most similar hypothesis taken so far). The similarity of two texts is
    the mean of the BLEU of each against the other. If several are equally good, the lowest index is taken. Empty
    hypotheses are taken last.

    :param size: how many hypotheses; from a segment with fewer all are taken
    :param similarity: how much the similarity counts; 0 takes the best by expected utility alone
    :return: for each segment an int64 array of indices in the segment, in the order in which they were taken; empty for
        a segment without hypotheses
    :raises ArrayValueError: `size` is not a whole number from 1

    The other arguments are those of :func:`mbr`.

    >>> texts = ["the cat sat on the mat", "the cat sat on the mat", "a cat sat on the mat", "it sat on a mat"]
    >>> texts = [text.split() for text in texts]
    >>> diverse([texts], 2), diverse([texts], 2, similarity=0.0)
    ([array([0, 3])], [array([0, 1])])
    """
    if type(size) is not int or size < 1:
        raise ArrayValueError(f"size is {size!r}; it must be a whole number from 1")
    if not 0 <= similarity < np.inf:
        raise ArrayValueError(f"similarity is {similarity!r}; it must be a finite number from 0")
    found = find(metric, **choices).of_sentences()
    given = [("hypotheses", hypotheses)]
    if found.of_raw_text:
        found = of_text(found, tokenize, lowercase)
        (lists,) = _strings(given)
    else:
        (lists,) = _lists(given, tokenize, lowercase, isinstance(found, Bleu))
    shares = _posterior(posterior, scores, scale, lists)
    everything = np.ones(len(lists.texts), dtype=bool)
    taken = [np.arange(min(size, stop - start)) for start, stop in pairwise(lists.offsets.tolist())]
    for segment, rows, matrix, utilities in _matrices(lists, lists, everything, shares, found, None, progress):
        start, stop = lists.offsets[segment : segment + 2]
        among = matrix[:, rows - start]
        alike = (among + among.T) / 2
        most = np.zeros(len(rows))
        order: list[int] = []
        while len(order) < min(size, len(rows)):
            values = utilities - similarity * most
            values[order] = -np.inf
            order.append(int(values.argmax()))
            most = np.maximum(most, alike[order[-1]])
        empty = np.setdiff1d(np.arange(start, stop), rows)
        taken[segment] = np.append(rows[order], empty)[:size] - start
    return taken


# --------------------------------------------------------------------------------------------------------------- lists


class _Texts(NamedTuple):
    source: Any  # what a Selection is of
    texts: Sequence[Any]  # of all segments, as they were given
    tokens: list[Any]
    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def segment_of(self, row: Any) -> int:
        return int(np.searchsorted(self.offsets, row, side="right")) - 1


def _strings(given: Sequence[tuple[str, Any]]) -> list[_Texts]:
    """The lists, each given with its name, for a metric that takes strings as they are."""
    lists = []
    for name, value in given:
        texts, offsets = _in_one(value, name)
        for place, text in enumerate(texts):
            if not isinstance(text, (str, bytes)):
                owner = int(np.searchsorted(offsets, place, side="right")) - 1
                raise SequenceTypeError(
                    f"text {place - offsets[owner]} of {name}[{owner}] is a {type(text).__name__}; for a metric of raw text it "
                    "must be a str"
                )
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        lists.append(_Texts(value if isinstance(value, NBest) else texts, texts, texts, lengths, offsets))
    return lists


def _lists(
    given: Sequence[tuple[str, Any]],
    tokenize: str | Callable[[str], list[str]] | None,
    lowercase: bool,
    numbers_do: bool,
) -> list[_Texts]:
    """The lists, each given with its name.

    :param numbers_do: if all texts are strings, their tokens may be numbers
    """
    parts = [(name, value, *_in_one(value, name)) for name, value in given]
    asked = raw_of(tokenize, lowercase)
    of_files = Raw("unicode")  # what an NBest has by default
    raws = [of_files if asked is None and isinstance(value, NBest) else asked for _, value in given]
    words = None
    strings = all(set(map(type, texts)) <= {str} for _, _, texts, _ in parts)
    if raws[0] is not None and raws[0].own and numbers_do and strings and all(raw is raws[0] for raw in raws):
        words = RawWords(raws[0])
    lists = []
    for raw, (name, value, texts, offsets) in zip(raws, parts):
        split = None if raw is None else tokenizer(raw.tokenize, raw.lowercase)
        tokens: list[Any]
        if raw is not None and words is not None and texts:
            batch = words.add(raw.texts(texts, name))
            tokens = np.split(batch.ids, batch.begins[1:])
        else:
            tokens = texts if _are_plain(texts) else _token_lists(texts, offsets, name, split)
        lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
        lists.append(_Texts(value if isinstance(value, NBest) else texts, texts, tokens, lengths, offsets))
    return lists


def _in_one(value: Any, name: str) -> tuple[list[Any], NDArray[np.int64]]:
    """All texts, and where those of each segment begin, and the end."""
    if isinstance(value, NBest):
        if value.texts is None:
            raise ArrayValueError(f"the texts of the n-best list ({name}) are not known; read it with its texts")
        return value.texts, value.offsets
    if isinstance(value, (str, bytes)) or not (hasattr(value, "__len__") or is_column(value)):
        raise SequenceTypeError(f"{name} must be a list of texts for each segment, not {type(value).__name__}")
    value = lists_given(value, name)
    for position, segment in enumerate(value):
        if isinstance(segment, (str, bytes)) or not hasattr(segment, "__len__"):
            raise SequenceTypeError(
                f"{name}[{position}] must be a list of texts, not {type(segment).__name__}; "
                "the texts of one segment alone are a list in a list"
            )
    value = [by_position(segment) for segment in value]
    return list(chain.from_iterable(value)), np.cumsum([0, *map(len, value)])


def _are_plain(texts: Any) -> bool:
    """Whether all are lists of tokens of which none needs a look, which takes longer than the matches of short texts."""
    return set(map(type, texts)) <= {list, tuple} and _backend.chosen.types_within(texts) <= PLAIN_TYPES


def _token_lists(
    texts: Any, offsets: NDArray[np.int64], name: str, split: Callable[[str], Sequence[Any]] | None
) -> list[Any]:
    begins = offsets.tolist()
    tokens: list[Any] = []
    for place, (text, owner) in enumerate(zip(texts, owners_of(offsets).tolist())):
        given = split(text) if split is not None and isinstance(text, str) else text
        if given is text or not hasattr(given, "__len__"):
            name_of_text = f"text {place - begins[owner]} of {name}[{owner}]"
            if not hasattr(given, "__len__"):
                raise SequenceTypeError(
                    f"{name_of_text} must be a list of tokens or a string, not {type(given).__name__}"
                )
            given = _token_list(given, name_of_text)
        tokens.append(given)
    return tokens


def _token_list(text: Any, name: str) -> Any:
    text = container_of(text, name, tokenize=True)
    return with_ids(text, name) if isinstance(text, (list, tuple)) else text


def _check_alike(hyps: _Texts, refs: _Texts) -> None:
    if len(hyps.offsets) != len(refs.offsets):
        raise LengthMismatchError(
            f"there are {len(hyps.offsets) - 1} segments of hypotheses and {len(refs.offsets) - 1} of evidence"
        )
    lacking = (np.diff(hyps.offsets) > 0) & (np.diff(refs.offsets) == 0)
    if lacking.any():
        raise NoReferencesError(f"segment {lacking.argmax()} has hypotheses and no evidence")


def _posterior(posterior: Any, scores: Any, scale: float, lists: _Texts) -> Floats:
    """A number for each text; the largest of a segment is 1."""
    if posterior is not None and scores is not None:
        raise ArrayValueError("give posterior or scores, one of the two")
    if posterior is None and scores is None:
        return np.ones(len(lists.texts))
    factor = floats_given(scale, "scale")
    if factor.ndim or not np.isfinite(factor):
        raise ArrayValueError(f"scale is {scale!r}; it must be a finite number")
    scale = float(factor)
    name = "posterior" if scores is None else "scores"
    values = _numbers(posterior if scores is None else scores, name, lists)
    filled = np.diff(lists.offsets) > 0
    if not len(values):
        return values
    if scores is not None:
        with np.errstate(over="ignore"):
            values = values * scale
        if not np.isfinite(values).all():
            raise ArrayValueError(f"scores times the scale {scale} are beyond the range of numbers")
    most = np.repeat(np.maximum.reduceat(values, lists.offsets[:-1][filled]), np.diff(lists.offsets)[filled])
    if scores is not None:
        with np.errstate(over="ignore"):  # what is so far below the best has no probability
            of_scores: Floats = np.exp(values - most)
        return of_scores
    wrong = (values < 0) | (most <= 0)
    if wrong.any():
        segment = lists.segment_of(wrong.argmax())
        raise ArrayValueError(f"the posterior of segment {segment} must be numbers from 0, of which one is above 0")
    of_largest: Floats = values / most
    return of_largest


def _numbers(values: Any, name: str, lists: _Texts) -> Floats:
    sizes = np.diff(lists.offsets)
    values = by_position(values)
    if not hasattr(type(values), "__len__"):
        raise LengthMismatchError(f"{name} is {values!r}; give a number for each text")
    if not is_array(values) and len(values) and all(map(_is_list, values)):
        given = [len(part) for part in values]
        if given != sizes.tolist():
            where = next(
                (i for i, pair in enumerate(zip(given, sizes)) if pair[0] != pair[1]), min(len(given), len(sizes))
            )
            raise LengthMismatchError(f"{name} does not have a number for each text: see segment {where}")
        parts = [floats_given(part, f"{name}[{number}]") for number, part in enumerate(values)]
        values = np.concatenate([part.reshape(-1) for part in parts])
    array = floats_given(values, name).reshape(-1)
    if len(array) != len(lists.texts):
        raise LengthMismatchError(f"{name} has {len(array)} numbers for {len(lists.texts)} texts")
    if not np.isfinite(array).all():
        row = int(np.isfinite(array).argmin())
        segment = lists.segment_of(row)
        raise ArrayValueError(f"{name} of text {row - lists.offsets[segment]} of segment {segment} is {array[row]}")
    return array


def _is_list(value: Any) -> bool:
    return hasattr(type(value), "__len__") and getattr(value, "ndim", 1) > 0


def _most_probable(shares: Floats, lists: _Texts, prune: int | None) -> NDArray[np.bool_]:
    kept = np.ones(len(shares), dtype=bool)
    if prune is None:
        return kept
    if type(prune) is not int or prune < 1:
        raise ArrayValueError(f"prune is {prune!r}; it must be a whole number from 1")
    owners = owners_of(lists.offsets)
    order = np.lexsort((-shares, lists.lengths == 0, owners))
    kept[order] = np.arange(len(order)) - lists.offsets[:-1][owners] < prune
    left = np.bincount(owners[kept], shares[kept], minlength=len(lists.offsets) - 1)
    lacking = (left == 0) & (np.diff(lists.offsets) > 0)
    if lacking.any():
        raise ArrayValueError(f"what prune={prune} leaves of segment {lacking.argmax()} has the probability 0")
    return kept


# --------------------------------------------------------------------------------------------------------- exact BLEU


def _matrices(
    hyps: _Texts,
    refs: _Texts,
    kept: NDArray[np.bool_],
    shares: Floats,
    metric: Metric,
    threads: int | None,
    progress: bool,
) -> Iterator[tuple[int, NDArray[np.int64], Floats, Floats]]:
    """For each segment that has hypotheses its number, the rows of those kept that have tokens, their scores against each text
    of the evidence that is kept, and their expected utilities.
    """
    rows_of_refs = np.flatnonzero(kept)
    rows_of_hyps = rows_of_refs if refs is hyps else np.arange(len(hyps.texts))
    ref_bounds = np.searchsorted(rows_of_refs, refs.offsets).tolist()
    hyp_bounds = np.searchsorted(rows_of_hyps, hyps.offsets).tolist()
    with bar(len(hyps.offsets) - 1, progress, " segments") as advance:
        for segment in range(len(hyps.offsets) - 1):
            columns = rows_of_refs[ref_bounds[segment] : ref_bounds[segment + 1]]
            rows = rows_of_hyps[hyp_bounds[segment] : hyp_bounds[segment + 1]]
            if len(rows):
                rows = rows[hyps.lengths[rows] > 0]
                evidence = [refs.tokens[row] for row in columns.tolist()]
                same = refs is hyps and len(rows) == len(columns)
                texts = None if same else [hyps.tokens[row] for row in rows.tolist()]
                try:
                    matrix = metric.pairs(evidence, texts, threads=threads)
                except CybleuError as error:
                    raise type(error)(f"segment {segment}: {error}") from error
                total = math.fsum(shares[columns].tolist())
                yield segment, rows, matrix, weighted_sums(matrix, shares[columns]) / total
            advance(1)


# ------------------------------------------------------------------------------------------------------- approximations


def _expected_counts(hyps: _Texts, refs: _Texts, shares: Floats, order: int) -> Floats:
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


def _linear(hyps: _Texts, refs: _Texts, shares: Floats, order: int) -> Floats:
    shares = _normalised(shares, refs)
    result: Floats = -hyps.lengths.astype(np.float64)
    for n, (of_hyps, of_refs, grams) in enumerate(_ngram_counts(hyps, refs, order)):
        texts, ngrams, _ = of_refs
        probable = np.bincount(ngrams, shares[texts], minlength=grams)
        texts, ngrams, counts = of_hyps
        weight = 1 / (order * UNIGRAM_PRECISION * PRECISION_RATIO**n)
        result += weight * np.bincount(texts, counts * probable[ngrams], minlength=len(result))
    return result


def _normalised(shares: Floats, lists: _Texts) -> Floats:
    owners = owners_of(lists.offsets)
    return shares / np.bincount(owners, shares, minlength=len(lists.offsets))[owners]


Counted = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.int64]"]  # text, number of the n-gram, count


def _ngram_counts(hyps: _Texts, refs: _Texts, order: int) -> Iterator[tuple[Counted, Counted, int]]:
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
