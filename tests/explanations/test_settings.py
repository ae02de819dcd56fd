"""Settings that give a reported score."""

import itertools
import json
import random
import re
import shlex
from functools import partial
from statistics import fmean

import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

import command_line
import cybleu
from cybleu import errors
from cybleu.explanations import settings_of
from cybleu.metrics import VARIANTS

WORDS = "The the cat Cat sat, (then) it's 3.5 km-long. A dog's 汉字 rains-down; 'so' said 1,000 times! Is it?".split()


def texts(seed, count):
    """References, and hypotheses that differ from them in some words, a few of them short."""
    generator = random.Random(seed)
    references = [" ".join(generator.choices(WORDS, k=generator.choice((2, 9, 12, 17)))) for _ in range(count)]
    hypotheses = []
    for reference in references:
        words = [generator.choice(WORDS) if generator.random() < 0.25 else word for word in reference.split()]
        hypotheses.append(" ".join(words[: generator.choice((None, None, -1))] or words))
    return hypotheses, references


def planted(seed, count):
    """Definitions with a smoothing, a tokeniser and a case, at random."""
    generator = random.Random(seed)
    for _ in range(count):
        variant = generator.choice([*VARIANTS.values()])
        smoothing, _, _ = generator.choice(variant.smoothings)
        tokenize = generator.choice(["13a", "none", "intl", "zh", "char", "codexglue", "tensor2tensor"])
        yield variant.name, smoothing, tokenize, generator.choice([False, True])


def rows_with(found, name, smoothing, tokenize, lowercase):
    """The numbers of the rows that name a setting."""
    default = VARIANTS[name].smoothings[0][0] == smoothing
    wanted = (name if default else f"{name}:{smoothing}", tokenize, lowercase, "as given", "corpus", 4)
    return [number for number, row in enumerate(found.rows) if wanted in row.settings]


@pytest.mark.long
@pytest.mark.long_in_mirror
@pytest.mark.parametrize("digits", [1, 2])
def test_planted_settings_are_in_the_first_rows(digits):
    hypotheses, references = texts(seed=1, count=60)
    places = []
    for name, smoothing, tokenize, lowercase in planted(seed=digits, count=40):
        rows = cybleu.rows(hypotheses, references, name, tokenize=tokenize, lowercase=lowercase)
        score = cybleu.score(rows, f"{name}:{smoothing}").percent
        found = settings_of(hypotheses, references, f"{score:.{digits}f}")
        places += rows_with(found, name, smoothing, tokenize, lowercase)
    assert len(places) == 40
    assert sum(place < 3 for place in places) >= 36


def test_the_call_gives_the_score():
    hypotheses, references = texts(seed=2, count=8)
    references = [[reference] for reference in references]
    number = round(cybleu.bleu(hypotheses, references).score)
    for row in settings_of(hypotheses, references, number).rows:
        for setting in row.settings[:3]:
            score = eval(setting.call, {"cybleu": cybleu, "hypotheses": hypotheses, "references": references})
            assert round(score.percent) == number


@pytest.mark.parametrize("number", ["0.279", 27.9, "27.90"])
def test_a_fraction_and_a_percentage(number):
    corpus = [[*"abcdef"]], [[*"abcxyzwvutsr"]]
    score = cybleu.bleu(*corpus, smoothing="add-k").percent
    scaled = score / 100 if isinstance(number, str) and number.startswith("0") else score
    decimals = len(str(number).partition(".")[2])
    found = settings_of(*corpus, f"{scaled:.{decimals}f}")
    assert found.found and rows_with(found, "sacrebleu", "add-k", None, False)


def test_a_fraction_of_1_is_a_perfect_match():
    assert settings_of([[*"abcd"]], [[*"abcd"]], "1.0").found


def test_the_nearest_are_shown_if_none_gives_the_score():
    found = settings_of([[*"abcd"]], [[*"abcd"]], 99.99)
    assert not found.found
    distances = [abs(row.score - 99.99) for row in found.rows]
    assert distances == sorted(distances)
    assert str(found).startswith("no settings give this score; the nearest are:\n100.0000  cybleu.score(")


def test_swapped_arguments():
    hypotheses = [[*"abcdefghi"]]
    references = [[*"abcde"]]
    score = cybleu.bleu(references, hypotheses).score
    assert settings_of(hypotheses, references, score).rows[0].settings[0].arguments == "swapped"


def test_the_mean_of_sentence_scores():
    hypotheses, references = texts(seed=4, count=20)
    method = SmoothingFunction().method1
    tokens = [line.split() for line in hypotheses]
    sets = [[line.split()] for line in references]
    mean = fmean(map(partial(sentence_bleu, smoothing_function=method), sets, tokens))
    found = settings_of(tokens, sets, f"{mean:.9f}")
    assert found.rows[0].settings[0] == ("nltk:method1", None, False, "as given", "mean", 4)
    assert found.rows[0].score == pytest.approx(100 * mean)


def test_a_score_of_two_orders():
    corpus = [[line.split() for line in lines] for lines in texts(seed=4, count=20)]
    score = cybleu.bleu(*corpus, max_order=2).score
    setting = settings_of(*corpus, f"{score:.6f}").rows[0].settings[0]
    assert setting == ("sacrebleu", None, False, "as given", "corpus", 2)


@pytest.mark.long
def test_usual_tools_stand_for_their_group():
    hypotheses, references = texts(seed=5, count=5)
    score = cybleu.bleu(hypotheses, references, tokenize="intl", lowercase=True).score
    assert settings_of(hypotheses, references, score).rows[0].settings[0].metric == "sacrebleu"


def test_transposed_references_are_scored_as_by_sacrebleu():
    import sacrebleu

    hypotheses = ["a b c d e", "b c d e f", "d e f g h"]
    references = [["a b c d x", "a b c e"], ["b c d e", "b c"], ["g h d", "d e"]]
    score = sacrebleu.corpus_bleu(hypotheses, references).score
    sets = [[text.split() for text in texts] for texts in references]
    found = settings_of([text.split() for text in hypotheses], sets, score)
    assert any(setting.arguments == "transposed" for setting in found.rows[0].settings)


def test_tokens_have_no_tokeniser():
    found = settings_of([["a", "b", "c", "d"]], [["a", "b", "c", "d"]], 100)
    assert {setting.tokenize for row in found.rows for setting in row.settings} == {None}


@pytest.mark.parametrize(("score", "digits"), [("many", None), (float("nan"), None), (27.9, -1), (None, None)])
def test_a_score_that_is_none(score, digits):
    with pytest.raises(errors.ArrayValueError, match=r"score is|digits is"):
        settings_of(["a"], ["a"], score, digits)


# ---------------------------------------------------------------------------------------------------------- the command


@pytest.fixture
def files(folder):
    hypotheses, references = texts(seed=3, count=20)
    command_line.write_lines(folder, {"hyp": hypotheses, "ref": references})
    return hypotheses, references


def test_the_commands_print_the_score(files):
    score = cybleu.bleu(*files, lowercase=True).score
    result = command_line.run("variants", "hyp", "ref", "--find", f"{score:.2f}")
    commands = re.findall("cybleu score .*", result.stdout)
    assert "cybleu score hyp ref -m sacrebleu --tokenize 13a --lowercase" in commands
    for command in commands:
        printed = command_line.run(*shlex.split(command)[1:]).stdout
        assert f" = {score:.2f} " in printed


def test_json(files):
    result = command_line.run("variants", "hyp", "ref", "--find", "200", "--format", "json")
    found = json.loads(result.stdout)
    assert found["found"] is False
    settings = [*itertools.chain(*(row["settings"] for row in found["rows"]))]
    usual = {"tokenize": "none", "lowercase": False, "arguments": "as given", "level": "corpus", "max_order": 4}
    assert {"metric": "nltk", **usual} in settings
