"""Compare every figure of a report with the library or with brute force."""

import copy
import math
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cybleu
from cybleu.errors import EmptyHypothesisError
from cybleu.metrics import find
from cybleu.report import analyse, html
from cybleu.sacrebleu_compat import CHRF
from cybleu.significance import Settings, bootstrap, compare_systems
from inputs import ngrams
from reports import FEW, NAMES, OTHER, REFERENCE, REFERENCES, SYSTEMS, analysed, changed, marks_of


@pytest.fixture
def report():
    return analysed()


def rows_of(name, order=4, references=REFERENCES):
    return cybleu.rows(SYSTEMS[name], references, max_order=order, tokenize="13a")


def test_scores_are_those_of_the_comparison(report):
    expected = compare_systems({name: rows_of(name) for name in NAMES}, **FEW)
    assert report.metrics[0].systems == expected.systems
    assert report.metrics[0].comparison.differences == expected.differences
    assert report.metrics[0].comparison.signature.startswith(
        expected.signature + "|nrefs:2|case:mixed|tok:13a|version:"
    )
    for output in report.outputs:
        assert output.bleu == find("sacrebleu").score(rows_of(output.name))
        assert output.chrf == CHRF().corpus_score(SYSTEMS[output.name], [REFERENCE, OTHER]).score
    for name, scores in report.metrics[0].bootstrap_scores.items():
        assert scores.tolist() == bootstrap(rows_of(name), samples=100).scores.tolist()


def test_one_system_has_the_interval_of_the_bootstrap():
    found = analyse({"one": SYSTEMS["one"]}, REFERENCES, settings=Settings(resamples=100))
    expected = bootstrap(rows_of("one"), samples=100)
    (system,) = found.metrics[0].systems
    assert (system.score, system.low, system.high, system.s_sel) == (
        expected.score,
        expected.low,
        expected.high,
        expected.deviation,
    )
    assert found.metrics[0].comparison.differences == () and found.pairs == ()
    assert f" {expected.score:.2f}  {expected.low:.2f} to {expected.high:.2f}\n" in str(found)


def test_precisions(report):
    for curve in report.precisions:
        rows = rows_of(curve.name, 9)
        sums = rows.sum(axis=0)
        assert curve.n == tuple(range(1, 10))
        assert curve.values == tuple(100 * sums[2:11] / sums[11:])
        for n in (1, 4, 9):
            # the precision is a mean of the segments' rows that a function of the sum gives
            def share(row, n=n):
                return 100 * row[1 + n] / row[10 + n] if row[10 + n] else 0.0

            sampled = bootstrap(rows, share, samples=100)
            assert (curve.low[n - 1], curve.high[n - 1]) == (sampled.low, sampled.high)


@pytest.mark.parametrize("metric", ["sacrebleu", "nltk:method1", "moses:add", "mteval-v13a"])
def test_contributions_add_up_to_the_difference(metric):
    found = analyse(SYSTEMS, REFERENCES, metric, weights=(0.4, 0.3, 0.2, 0.1), **FEW)
    scale = found.metrics[0].metric.scale
    for first in NAMES:
        for second in NAMES:
            parts = found.contributions(first, second)
            scores = [found.metrics[0].metric.score(found.metrics[0].rows[name]).score for name in (first, second)]
            assert parts.difference == pytest.approx(100 / scale * (scores[0] - scores[1]), abs=1e-9)
            assert math.fsum([parts.penalty, *parts.orders]) == pytest.approx(parts.difference, abs=1e-9)
            turned = found.contributions(second, first)
            assert [turned.penalty, *turned.orders] == pytest.approx(
                [-parts.penalty, *(-part for part in parts.orders)]
            )


def test_buckets_are_corpora_of_their_segments(report):
    metric = find("sacrebleu")
    lengths = np.array([len(line.split()) for line in REFERENCE])
    for by in ("length", "difference", "score"):
        found = report.metrics[0].buckets(by)
        assert found.names == report.names and len(found.labels) == found.scores.shape[1]
        for place, name in enumerate(found.names):
            rows = rows_of(name)
            of_sentences = metric.of_sentences().scores(rows)
            values = {"length": lengths, "difference": rows[:, 0] - rows[:, 1], "score": of_sentences}[by]
            assert found.segments[place].sum() == len(rows)
            for group, label in enumerate(found.labels):
                low, high = bounds_of(label)
                high += by != "score"  # whole numbers up to this one; tenths are up to before it
                those = (values >= low) & ((values < high) | ((by == "score") & (high == 100) & (values >= low)))
                assert found.segments[place, group] == those.sum(), label
                if those.any():
                    assert found.scores[place, group] == metric.score(rows[those]).score
                else:
                    assert math.isnan(found.scores[place, group])
    assert report.metrics[0].buckets("length").labels == (
        *("0 to 9", "10 to 19", "20 to 29", "30 to 39", "40 to 49", "50 to 59", "60 and more"),
    )


def bounds_of(label):
    if label.startswith("below "):
        return -math.inf, float(label.removeprefix("below ")) - 1
    if label.endswith(" and more"):
        return float(label.removesuffix(" and more")), math.inf
    low, _, high = label.partition(" to ")
    return float(low), float(high or low)


def counts_of(name, n):
    """Brute force: matches, n-grams of the output, n-grams that could match."""
    confirmed = Counter()
    produced = Counter()
    wanted = Counter()
    for group, line in zip(REFERENCES, SYSTEMS[name]):
        own = ngrams(line.split(), n)
        most = Counter()
        for reference in group:
            most |= ngrams(reference.split(), n)
        confirmed += own & most
        produced += own
        wanted += most
    return confirmed, produced, wanted


def test_words_by_frequency(report):
    words = report.word_frequencies
    frequency = Counter(word for group in REFERENCES for line in group for word in line.split())
    for place, name in enumerate(words.names):
        confirmed, produced, wanted = counts_of(name, 1)
        for group, label in enumerate(words.labels):
            low, high = bounds_of(label)
            those = [gram for gram in {*produced, *wanted} if low <= frequency[gram[0]] <= high]
            matches = sum(confirmed[gram] for gram in those)
            assert words.confirmed[place, group] == matches
            assert words.produced[place, group] == sum(produced[gram] for gram in those)
            assert words.wanted[group] == sum(wanted[gram] for gram in those)
            if words.wanted[group]:
                assert words.recall[place, group] == 100 * matches / words.wanted[group]
    assert words.labels[:2] == ("0", "1") and words.labels[-1] == "1000 and more"


def most_salient(counts, others):
    """The ten n-grams with the largest salience, each with its count; among equals the largest counts."""
    salience = {gram: (count + 1) / (count + others[gram] + 2) for gram, count in counts.items()}
    return sorted(((salience[gram], count) for gram, count in counts.items()), reverse=True)[:10]


def test_ngrams_of_pairs(report):
    for pair in report.pairs:
        for n in range(1, 5):
            ones = counts_of(pair.first, n)[0]
            others = counts_of(pair.second, n)[0]
            for side, more, fewer in ((pair.confirmed, ones, others), (pair.unconfirmed, others, ones)):
                shown = side[n - 1]
                found = [(more[item.tokens], fewer[item.tokens]) for item in shown]
                differ = Counter({gram: more[gram] for gram in more if more[gram] > max(fewer[gram], 1)})
                expected = most_salient(differ, fewer)
                assert [((a + 1) / (a + b + 2), a) for a, b in found] == expected
                for item in shown:
                    assert (item.first, item.second) == (ones[item.tokens], others[item.tokens])
                    assert item.salience == (item.first + 1) / (item.first + item.second + 2)


def test_ngrams_that_are_missed(report):
    for place, name in enumerate(report.names):
        for n in range(1, 5):
            confirmed, produced, wanted = counts_of(name, n)
            for lists, counts in ((report.over_generated, produced), (report.under_generated, wanted)):
                found = lists[place][n - 1]
                twice = Counter({gram: count for gram, count in (counts - confirmed).items() if count > 1})
                shown = [(counts[item.tokens] - confirmed[item.tokens], confirmed[item.tokens]) for item in found]
                assert [((a + 1) / (a + b + 2), a) for a, b in shown] == most_salient(twice, confirmed)
                assert [(item.first, item.second) for item in found] == shown


def test_any_pair_can_be_compared():
    many = {f"system {number}": changed(REFERENCE, 2 + number % 4, number) for number in range(6)}
    found = analyse(many, REFERENCES, **FEW)
    assert {first for first, _ in found.looked_at} == {found.metrics[0].systems[0].name} and len(found.looked_at) == 5
    compared = analyse(many, REFERENCES, baseline="system 3", **FEW)
    assert {second for _, second in compared.looked_at} == {"system 3"} and len(compared.looked_at) == 5
    worst = found.metrics[0].systems[-1].name
    best = found.metrics[0].systems[0].name
    one = found.between(worst, best)
    other = found.between(best, worst)
    assert [(item.tokens, item.second, item.first) for item in one.unconfirmed[0]] == [
        (item.tokens, item.first, item.second) for item in other.confirmed[0]
    ]


def test_influence_is_that_of_the_swapped_corpus(report):
    metric = find("sacrebleu")
    for pair in report.pairs:
        first = rows_of(pair.first)
        second = rows_of(pair.second)
        whole = metric.score(first).score
        for segment in range(len(first)):
            swapped = first.copy()
            swapped[segment] = second[segment]
            assert pair.influence[segment] == whole - metric.score(swapped).score
        assert pair.equal == sum(one == other for one, other in zip(SYSTEMS[pair.first], SYSTEMS[pair.second]))


def test_runs_of_a_system():
    found = analyse({"both": [SYSTEMS["one"], SYSTEMS["two"]], "three": SYSTEMS["three"]}, REFERENCES, **FEW)
    assert sorted(found.names) == ["both, run 1", "both, run 2", "three"]
    parts = found.contributions("both", "three")
    alone = [
        analyse({"one": SYSTEMS[name], "three": SYSTEMS["three"]}, REFERENCES, **FEW).contributions("one", "three")
        for name in ("one", "two")
    ]
    assert parts.difference == pytest.approx(sum(one.difference for one in alone) / 2)
    assert math.fsum([parts.penalty, *parts.orders]) == pytest.approx(parts.difference, abs=1e-9)
    (pair,) = found.pairs
    for item in pair.confirmed[0]:
        assert item.first == (counts_of("one", 1)[0][item.tokens] + counts_of("two", 1)[0][item.tokens]) / 2


texts = st.lists(st.sampled_from(["a", "b", "c"]), max_size=8).map(" ".join)


@pytest.mark.filterwarnings("ignore:no reference has more than one word")
@given(st.lists(st.tuples(texts, texts, texts), min_size=2, max_size=6))
def test_matches_by_brute_force(triples):
    found = analyse(
        {"it": [line for *_, line in triples]}, [[one, other] for one, other, _ in triples], tokenize="none", **FEW
    )
    rows = found.metrics[0].rows["it"]
    # as many match as a reference has: first those in a longer match, then those that come first; the others are clipped
    for segment, (one, other, line) in enumerate(triples):
        words = line.split()
        levels = [0] * len(words)
        clipped = [0] * len(words)
        longer = set()
        for n in range(4, 0, -1):
            most = ngrams(one.split(), n) | ngrams(other.split(), n)
            left = Counter(most)
            places = range(len(words) - n + 1)
            matched = set()
            for place in sorted(places, key=lambda place: not longer & {place, place - 1}):
                gram = tuple(words[place : place + n])
                if left[gram] > 0:
                    left[gram] -= 1
                    matched.add(place)
                elif n == 1 and most[gram]:
                    clipped[place] = 5
            for token in (place + offset for place in matched for offset in range(n)):
                levels[token] = max(levels[token], n)
            assert len(matched) == rows[segment, 1 + n]
            longer = matched
        assert marks_of(found, 0, segment) == list(map(sum, zip(levels, clipped)))


def test_a_report_is_pickled_and_copied(report, no_pictures):
    for again in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert html(again) == html(report)


@pytest.mark.parametrize("variant", ["huggingface", "multi-bleu"])
@pytest.mark.parametrize("lines", [["", ""], [["", ""], ["a b c d", "e f"]]], ids=["one run", "two runs"])
def test_one_system_of_empty_texts_where_the_tool_has_no_score(variant, lines):
    with pytest.raises(EmptyHypothesisError, match="the hypotheses have no token"):
        analyse({"mine": lines}, [["a b c d"], ["e f g h"]], variant, **FEW)
