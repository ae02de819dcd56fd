"""Comparison of many systems: pairs, corrections, ranks, runs, influence, and the tables."""

import copy
import csv
import io
import json
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cybleu
from cybleu import score
from cybleu.metrics import find
from cybleu.significance import Settings, bootstrap, compare_systems, format_comparisons, paired_test
from cybleu.significance.settings import TESTS
from statistics_rows import rows_of


def systems_of(count, segments=60, seed=1):
    generator = np.random.default_rng(seed)
    return {f"system {number}": rows_of(generator, segments) for number in range(count)}


def compared(test="randomization"):
    systems = systems_of(4)
    return systems, compare_systems(systems, settings=Settings(test=test, samples=200, resamples=200))


def test_systems_have_the_intervals_of_the_bootstrap():
    systems, found = compared()
    alone = {name: bootstrap(rows, samples=200) for name, rows in systems.items()}
    expected = [(name, one.score, one.low, one.high, one.deviation, None, (one.score,)) for name, one in alone.items()]
    assert [
        (system.name, system.score, system.low, system.high, system.s_sel, system.s_opt, system.runs)
        for system in found.systems
    ] == sorted(expected, key=lambda system: -system[1])


@pytest.mark.parametrize("test", TESTS)
def test_pairs_have_the_p_of_the_test(test):
    systems, found = compared(test)
    assert len(found.differences) == 6
    for pair in found.differences:
        alone = paired_test(systems[pair.first], systems[pair.second], test=test, samples=200)
        assert (pair.difference, pair.p, pair.samples) == (alone.difference, alone.p, alone.samples)
        assert pair.difference >= 0


def test_pairs_have_the_interval_of_the_bootstrap():
    systems, found = compared()
    for pair in found.differences:
        first, second = (bootstrap(systems[name], samples=200).scores for name in (pair.first, pair.second))
        ordered = np.sort(first - second)
        assert (pair.low, pair.high) == (ordered[5], ordered[194])


def test_pairs_count_the_segments_that_each_wins():
    systems, found = compared()
    metric = find("sacrebleu").of_sentences()
    for pair in found.differences:
        first, second = (metric.scores(systems[name]) for name in (pair.first, pair.second))
        counts = (first > second).sum(), (first < second).sum(), (first == second).sum()
        assert (pair.wins, pair.losses, pair.ties) == counts


def test_a_pair_can_be_turned():
    _, found = compared()
    for pair in found.differences:
        turned = found.between(pair.second, pair.first)
        assert (turned.difference, turned.low, turned.high) == (-pair.difference, -pair.high, -pair.low)
        assert (turned.wins, turned.losses, turned.p) == (pair.losses, pair.wins, pair.p)


def test_beside_a_baseline():
    systems = systems_of(4)
    every = compare_systems(systems, settings=Settings(samples=200, resamples=50))
    found = compare_systems(list(systems.items()), baseline="system 2", settings=Settings(samples=200, resamples=50))
    assert found.systems[0].name == "system 2"
    assert [pair.first for pair in found.differences] == [s.name for s in every.systems if s.name != "system 2"]
    for pair in found.differences:
        assert pair.second == "system 2" and pair.p == every.between(pair.first, "system 2").p
    assert all(system.rank is None for system in found.systems)


@given(st.lists(st.sampled_from([0.0001, 0.01, 0.012, 0.02, 0.04, 0.3, 1.0]), min_size=1, max_size=8))
def test_holm_rejects_what_its_steps_reject(p_values):
    """Holm (1979): step down from the smallest p while it is at most alpha / (m - steps)."""
    from cybleu.significance.comparison import holm

    corrected = holm(p_values)
    for alpha in (0.01, 0.05, 0.1, 0.5):
        rejected = set()
        for step, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
            if not (len(p_values) - step) * p_values[place] <= alpha:
                break
            rejected.add(place)
        assert {place for place, p in enumerate(corrected) if p <= alpha} == rejected
    assert all(p <= other <= 1 for p, other in zip(p_values, corrected))


def ratings(*means, segments=200, seed=2):
    generator = np.random.default_rng(seed)
    common = generator.normal(size=segments)
    return {f"s{place}": common + generator.normal(mean, 1, segments) for place, mean in enumerate(means)}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("ranking", "enough"), [("every", all), ("any", any)])
def test_ranks_by_their_definition(seed, ranking, enough):
    found = compare_systems(
        ratings(*np.linspace(0, 1, 8), seed=seed),
        settings=Settings(samples=199, ranking=ranking, correction="none", resamples=10),
    )
    expected = []
    for place, system in enumerate(found.systems):
        above = [found.systems[other].name for other, rank in enumerate(expected) if rank == expected[-1]]
        opens = enough(found.between(name, system.name).significant for name in above)
        expected.append(expected[-1] + opens if place else 1)
    assert [system.rank for system in found.systems] == expected
    assert all(pair.significant == (pair.p <= 0.05) for pair in found.differences)
    assert 1 < expected[-1] < 8


def test_several_runs():
    one, two, three, four = systems_of(4, 40).values()
    found = compare_systems(
        {"a": [one, two], "b": np.array([three, four]), "c": one}, settings=Settings(samples=100, resamples=100)
    )
    named = {system.name: system for system in found.systems}
    scores = [score(rows).score for rows in (one, two)]
    assert named["a"].runs == tuple(scores)
    assert named["a"].score == sum(scores) / 2
    assert named["a"].s_opt == pytest.approx(np.std(scores, ddof=1))
    alone = [bootstrap(rows, samples=100) for rows in (one, two)]
    assert named["a"].s_sel == pytest.approx((alone[0].deviation + alone[1].deviation) / 2)
    ordered = np.sort((alone[0].scores + alone[1].scores) / 2)
    assert (named["a"].low, named["a"].high) == (ordered[2], ordered[97])
    assert named["c"].s_opt is None
    again = compare_systems({"a": [one, two], "b": [one, two]}, settings=Settings(samples=100))
    assert again.differences[0].p == 1.0


@given(st.integers(0, 2**32), st.sampled_from(["sacrebleu", "nltk", "moses"]))
def test_influence_is_what_exchanging_a_segment_changes(seed, metric):
    generator = np.random.default_rng(seed)
    first, second, third = (rows_of(generator, 20, longest=30) for _ in range(3))
    first[0, :] = second[0, :]
    for rows in (first, second, third):
        rows[1] = [12, 12, 12, 11, 10, 9, 12, 11, 10, 9]
    found = compare_systems({"a": first, "b": [second, third]}, metric, settings=Settings(samples=10, resamples=10))
    influence = found.influence("a", "b")
    for segment in range(20):
        expected = 0.0
        for other in (second, third):
            changed = first.copy()
            changed[segment] = other[segment]
            expected += score(first, metric).score - score(changed, metric).score
        assert influence[segment] == pytest.approx(expected / 2, abs=1e-12)


def test_a_function_of_the_sum():
    def precision(row):
        return row[2] / row[6] if row[6] else 0.0

    systems = systems_of(3)
    found = compare_systems(systems, precision, settings=Settings(samples=50, resamples=50), scale=1)
    assert found.systems[0].score == max(rows[:, 2].sum() / rows[:, 6].sum() for rows in systems.values())
    for pair in found.differences:
        influence = found.influence(pair.first, pair.second)
        assert (pair.wins, pair.losses) == ((influence > 0).sum(), (influence < 0).sum())
    assert f"{100 * found.systems[0].score:.2f}" in str(found)
    assert found.metric == "score" and "function:precision" in found.signature


# --------------------------------------------------------------------------------------------------------------- tables

NAMES = [r"a_b|c", "x & y", r"50 % \ #1", "<script>", "${}~^", "zeile\nzwei"]


def of_names(count=6, **choices):
    rows = list(systems_of(count).values())
    return compare_systems(
        dict(zip([*NAMES, *map(str, range(20))], rows)), settings=Settings(samples=100, resamples=50), **choices
    )


TABLES = [(count, baseline) for count in (2, 6, 8) for baseline in (None, "x & y")]
tables = pytest.mark.parametrize(("count", "baseline"), TABLES)


@tables
def test_the_table_of_systems_has_a_line_for_each(count, baseline):
    found = of_names(count, baseline=baseline)
    first, *others = str(found).split("\n\n")[0].splitlines()
    assert len(others) == count and max(map(len, others)) <= len(first) + 40
    assert all(any(f"{system.score:.2f}" in line for line in others) for system in found.systems)


@pytest.mark.parametrize(("count", "lines"), [(2, 1), (6, 15), (8, 7)])
def test_the_table_of_pairs_has_a_line_for_each_or_is_a_matrix(count, lines):
    assert len(str(of_names(count)).split("\n\n")[1].splitlines()) == 1 + lines


@tables
def test_lines_of_markdown_have_as_many_cells(count, baseline):
    found = of_names(count, baseline=baseline)
    for table in found.to_markdown().split("\n\n")[: str(found).count("\n\n")]:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


@tables
def test_lines_of_latex_have_as_many_cells(count, baseline):
    latex = of_names(count, baseline=baseline).to_latex()
    tabulars = re.findall(r"\\midrule\n(.*?)\n\\bottomrule", latex, re.DOTALL)
    assert len(tabulars) == latex.count(r"\begin{tabular}") == (1 if baseline else 2)
    for tabular in tabulars:
        assert len({len(re.findall(r"(?<!\\)&", line)) for line in tabular.splitlines()}) == 1
        assert all(line.endswith(r" \\") for line in tabular.splitlines())


@tables
def test_csv_has_the_numbers_of_each_pair(count, baseline):
    found = of_names(count, baseline=baseline)
    read = csv.DictReader(io.StringIO(found.to_csv()))
    assert [(line["first"], line["second"], float(line["p_holm"]), float(line["difference"])) for line in read] == [
        (pair.first, pair.second, pair.p_holm, pair.difference) for pair in found.differences
    ]


def test_a_matrix_shows_p_without_the_zero_before_the_point():
    generator = np.random.default_rng(1)
    comparison = compare_systems(
        {f"s{i}": generator.random(9) for i in range(7)}, scale=1, settings=Settings(samples=9, resamples=9)
    )
    numbers = [0.003, 0.03, 0.3, 1.0, 0.0001, 0.1005] + [0.25] * 15
    pairs = [replace(pair, p_holm=p, enumerated=True) for pair, p in zip(comparison.differences, numbers)]
    _, matrix, *_ = str(replace(comparison, differences=tuple(pairs))).split("\n\n")
    shown = " ".join(matrix.split("\n", 1)[1].split())
    assert sorted(re.findall(r"<?\d?\.\d+", shown)) == sorted(
        [".003", ".030", ".300", "1.000", "<.001", ".101", *[".250"] * 15]
    )


def test_names_cannot_break_a_table():
    latex = of_names().to_latex()
    assert r"a\_b$|$c" in latex and r"x \& y" in latex and r"50 \% \textbackslash{} \#1" in latex
    assert r"\$\{\}\textasciitilde{}\textasciicircum{}" in latex
    systems = {name: [0.5, place] for place, name in enumerate(("[x] a", "*b*", "c--d", "``e''"))}
    latex = compare_systems(systems, baseline="[x] a").to_latex()
    # at the beginning of a row, [ and * would belong to the end of the row before
    assert "\n{[}x] a &" in latex and "\n{*}b{*} &" in latex and "\nc-{}-d &" in latex and "\n`{}`e'{}' &" in latex
    markdown = of_names().to_markdown()
    assert r"a\_b\|c" in markdown and r"\<script\>" in markdown and "zeile zwei" in markdown


def test_names_cannot_break_csv():
    metrics = ["sacrebleu", "moses", 'a "b",\n']
    rows = dict(zip(["a\nb", "c\u2028d", 'e,"f"\x85', "\x1c"], systems_of(4).values()))
    found = compare_systems(rows, settings=Settings(samples=20, resamples=20))
    written = format_comparisons([replace(found, metric=name) for name in metrics], "csv")
    read = list(csv.DictReader(io.StringIO(written, newline="")))
    assert [(line["metric"], line["first"], line["second"], float(line["p"])) for line in read] == [
        (name, pair.first, pair.second, pair.p) for name in metrics for pair in found.differences
    ]


def test_json_has_everything():
    found = of_names(3)
    data = json.loads(found.to_json(influence=True))
    assert [system["score"] for system in data["systems"]] == [system.score for system in found.systems]
    for pair, expected in zip(data["differences"], found.differences):
        assert (pair["first"], pair["p"], pair["wins"]) == (expected.first, expected.p, expected.wins)
        assert pair["influence"] == found.influence(pair["first"], pair["second"]).tolist()
    assert (data["scale"], data["seed"], data["samples"], data["segments"]) == (100, 12345, 100, 60)
    of_one = json.loads(
        compare_systems(
            {"a": [0.5, 0.25], "b": [0.5, 0.75]}, scale=1, settings=Settings(alpha=np.float32(0.1))
        ).to_json()
    )
    assert (of_one["scale"], of_one["systems"][0]["score"]) == (100, 62.5)
    assert compare_systems({"a": [0.5, 0.25], "b": [0.5, 0.75]}).as_dict()["scale"] is None


# ------------------------------------------------------------------------------------------------------------- real data


@pytest.mark.real_data
def test_the_table_of_multeval(data):
    """Clark and others (2011), whose shuffles redistribute all runs: their p of sys1 is .0003."""
    folder = data / "multeval-optimizers"

    def read(name):
        return [line.split() for line in (folder / name).read_text(encoding="utf-8").split("\n")[:-1]]

    references = [[line] for line in read("refs.test2010.lc.tok.en.0")]
    systems = {
        system: [cybleu.rows(read(f"hyps.lc.tok.en.{system}.opt{run}"), references) for run in range(3)]
        for system in ("baseline", "sys1", "sys2")
    }
    found = compare_systems(systems, baseline="baseline", settings=Settings(samples=2000))
    shown = {s.name: [round(number, 1) for number in (s.score, s.s_sel, s.s_opt)] for s in found.systems}
    assert shown == {"baseline": [18.5, 0.3, 0.1], "sys1": [18.8, 0.3, 0.3], "sys2": [18.5, 0.3, 0.1]}
    assert found.between("sys1", "baseline").p <= 0.002
    assert found.between("sys2", "baseline").p == 1.0


TEXTS = (["a b c d", "e f g", "i j"], ["a b c", "e f x h", "i"])


def test_results_are_pickled_and_copied():
    """They keep the scoring function of the backend, for the influence of segments."""
    first, second = (cybleu.rows(texts, [["a b c d"], ["e f g h"], ["i j"]], tokenize="none") for texts in TEXTS)
    found = compare_systems({"one": first, "two": second}, settings=Settings(samples=20))
    for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert str(again) == str(found)
        assert again.to_json(influence=True) == found.to_json(influence=True)


def test_segments_won_by_the_lower_error():
    systems = {"good": np.array([0.0, 0.0, 1.0]), "bad": np.array([1.0, 1.0, 0.0])}
    found = compare_systems(systems, lower_is_better=True).differences[0]
    assert (found.first, found.wins, found.losses) == ("good", 2, 1)


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_latex_marks_the_best_score_and_those_that_are_not_significantly_worse(lower_is_better):
    sign = -1 if lower_is_better else 1
    best = np.linspace(3, 5, 60)
    near = best + np.where(np.arange(60) % 2, 0.3, -0.31)
    systems = {"best": sign * best, "near": sign * near, "worse": sign * (best - 1)}
    latex = compare_systems(systems, lower_is_better=lower_is_better, settings=Settings(samples=400)).to_latex()
    number = "$-4.00$" if lower_is_better else "4.00"
    assert rf"1 & best & \textbf{{{number}}} & [" in latex
    assert re.search(r"1 & near & \S+\$\^\{\\dagger\}\$ & \[", latex)
    assert re.search(r"2 & worse & [-$0-9.]+ & \[", latex)
    assert latex.count(r"\begin{table}") == latex.count(r"\caption{") == latex.count(r"\label{tab:") == 2
