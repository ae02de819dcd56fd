"""Search for weights by brute force in plain Python, and make the lists to search."""

import math
from itertools import combinations, pairwise

import numpy as np
from hypothesis import strategies as st

from cybleu import metrics
from cybleu.nbest import NBest

# Where the tests of Moses begin their line searches on moses100.
MOSES_WEIGHTS = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0.3, 0.2, 0.3, 0.2, 0.1, 1]


def chosen(nbest, weights):
    """The first hypothesis of each segment with the highest sum, in plain Python."""
    weights = [*weights]
    best = []
    values = [_weighted(weights, row) for row in nbest.features.tolist()]
    if nbest.sparse is not None:
        of_sparse = weights[len(nbest.names) :]
        for row, (first, last) in enumerate(pairwise(nbest.sparse.indptr.tolist())):
            used = [of_sparse[column] for column in nbest.sparse.columns[first:last]]
            values[row] += _weighted(used, nbest.sparse.values[first:last].tolist())
    for first, last in pairwise(nbest.offsets.tolist()):
        if first < last:
            best.append(first + values[first:last].index(max(values[first:last])))
    return best


def _weighted(weights, features):
    value = 0.0
    for weight, feature in zip(weights, features):
        value += weight * feature
    return value


def score_of(nbest, weights, metric=None):
    """The score of these weights, by default by the metric that tuners use."""
    rows = [nbest.stats[row] for row in chosen(nbest, weights)]
    if metric is None:
        metric = nbest.score or ("moses" if nbest.stats.dtype == np.int64 else lambda row: row[0])
    if callable(metric):
        return float(metric(sum(rows)))
    return metrics.score([sum(column) for column in zip(*(row.tolist() for row in rows))], metric).score


def thresholds(nbest, weights, direction):
    """The crossings of any two lines of a segment."""
    found = set()
    for first, last in pairwise(nbest.offsets.tolist()):
        lines = [
            (sum(w * h for w, h in zip(weights, row)), sum(d * h for d, h in zip(direction, row)))
            for row in nbest.features[first:last].tolist()
        ]
        found |= {(b - a) / (m - n) for (a, m), (b, n) in combinations(lines, 2) if m != n}
    return sorted(found)


def tried(nbest, weights, direction, lower=-math.inf, upper=math.inf, metric="moses"):
    """Scores in the middle of all intervals between thresholds, outside them, at 0, and on a grid."""
    ends = thresholds(nbest, weights, direction)
    scale = max([abs(x) for x in ends], default=1.0) or 1.0
    ends = [x for x in ends if lower < x < upper]
    if math.isfinite(lower) or not ends:
        ends = [max(lower, -2 * scale), *ends]
    if math.isfinite(upper) or len(ends) == 1:
        ends = [*ends, min(upper, 2 * scale)]
    steps = [(a + b) / 2 for a, b in pairwise(ends) if b - a > 1e-9 * scale]
    if lower == -math.inf:
        steps.append(ends[0] - scale)
    if upper == math.inf:
        steps.append(ends[-1] + scale)
    grid = np.linspace(max(lower, ends[0] - scale), min(upper, ends[-1] + scale), 41).tolist()
    steps += [x for x in grid if min((abs(x - end) for end in ends), default=1.0) > 1e-9 * scale]
    if lower <= 0 <= upper:
        steps.append(0.0)
    # Of few bits, so that sums of small weights and features are exact, and ties remain ties; but in the same interval.
    unit = math.ldexp(1.0, math.frexp(scale)[1] - 24) or math.ulp(0.0)
    rounded = [(x, round(x / unit) * unit) for x in steps]
    steps = [x if any(min(x, y) <= end <= max(x, y) for end in ends) else y for x, y in rounded]
    steps = [x for x in steps if lower <= x <= upper]
    return [score_of(nbest, [w + x * d for w, d in zip(weights, direction)], metric) for x in steps]


# ---------------------------------------------------------------------------------------------------------------- lists


def rows_of_bleu(lengths, matched, wanted):
    return [[length, want, min(match, length), length] for length, match, want in zip(lengths, matched, wanted)]


@st.composite
def nbests(draw, features=2):
    """Ties, parallel and equal lines, equal hypotheses, constant features, single and missing hypotheses, any scale.

    Sums of these features are exact, so ties are ties in floats, too.
    """
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any))
    count = sum(sizes)
    numbers = draw(st.sampled_from([st.integers(-2, 2), st.integers(-40, 40)]))
    column = st.one_of(st.lists(numbers, min_size=count, max_size=count), st.just([1] * count))
    columns = [np.array(draw(column)) * draw(st.sampled_from([1.0, 0.125])) for _ in range(features)]
    scale = draw(st.sampled_from([1.0, 2.0**-60, 2.0**60]))
    small = st.lists(st.integers(0, 6), min_size=count, max_size=count)
    stats = rows_of_bleu(draw(small), draw(small), draw(small))
    return NBest(np.cumsum([0, *sizes]), np.array(columns).T.reshape(count, features) * scale, stats)


@st.composite
def nbests_of_reals(draw):
    """Features of different scales, without ties."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(0, 12), min_size=1, max_size=5).filter(any))
    features = generator.normal(size=(sum(sizes), 3)) * draw(st.tuples(*[st.sampled_from([1e-3, 1.0, 1e3])] * 3))
    stats = rows_of_bleu(*generator.integers(0, 7, (3, sum(sizes))).tolist())
    return NBest(np.cumsum([0, *sizes]), features, stats), generator.normal(size=3), generator.normal(size=3)


weight = st.integers(-3, 3).map(float)


def bleu(offsets, features, perfect, **more):
    """Hypotheses that are perfect, 1, or wrong in all but a word, 0."""
    return NBest(offsets, features, [[8, 8, 8 if one else 1, 8] for one in perfect], **more)


LIST = bleu([0, 2], [[0.0, 1.0], [1.0, 0.0]], [0, 1], names=["lm", "tm"])
