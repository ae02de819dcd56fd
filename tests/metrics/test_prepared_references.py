"""One `References` object for every metric and option: what it keeps for one must not be used for another."""

from itertools import permutations

import pytest

from cybleu import References
from cybleu.metrics import Mixture, NistInformation, find
from inputs import Own

# Texts in which each of the choices below counts something else: case, marks, Chinese, entities, several lengths, lines,
# words with one stem.
REFERENCES = [
    ["The Cat, sat on the-mat. 猫坐在 &amp; it rained.", "a Cat sat", "the cat sat on the mat and on the floor of it"],
    ["It Rained, 5.5 times in a row.", "It rains:\nfive times."],
]
TEXTS = ["The cat, sat on the-mat; 猫坐 &amp; it rained", "It rained, 5.5 TIMES in a row !"]

METRICS = ["bleu", "nltk", "huggingface", "codexglue", "gleu", "nist", "chrf", "chrf++", "ter"]
TOKENIZERS = ["13a", "char", "none", str.split]
RULES = ["closest", "closest-first", "shortest", "average"]


def choices(names, **options):
    """Metrics by what differs in them."""
    return {f"{name} {' '.join(map(repr, options.values()))}": find(name, **options) for name in names}


OF_RAW_TEXT = choices(METRICS) | choices(["bleu", "gleu", "nist", "chrf", "ter"], lowercase=True)
for tokenize in TOKENIZERS:
    OF_RAW_TEXT |= choices(["bleu", "gleu"], tokenize=tokenize) | choices(["bleu"], tokenize=tokenize, lowercase=True)
    OF_RAW_TEXT |= choices(["rougeL", "rougeLsum", "wer"], tokenize=tokenize)
OF_RAW_TEXT |= choices(["rouge1", "rougeLsum"]) | choices(["rouge1", "rougeL", "rougeLsum"], stemmer=True)
OF_RAW_TEXT |= choices(["wer", "cer"], lowercase=True)
OF_RAW_TEXT |= choices(["cer"]) | choices(["rougeL", "wer"], tokenize="space")
OF_RAW_TEXT |= choices(["ter"], normalized=True) | choices(["ter"], case_sensitive=True)
OF_RAW_TEXT |= choices(["chrf"], whitespace=True) | choices(["gleu"], max_len=2)
OF_RAW_TEXT["a mixture"] = Mixture({"bleu": 1, "chrf": 2})
OF_RAW_TEXT["weights of a corpus"] = find("nist", information=NistInformation(REFERENCES[:1]))

OF_TOKENS = choices(["bleu", "nltk", "gleu", "rouge2", "rougeL", "wer"]) | {"a metric of a user": Own()}
for rule in RULES:
    OF_TOKENS |= choices(["bleu"], reference_length=rule)
for order in (1, 5, 17):
    OF_TOKENS |= choices(["bleu"], max_order=order) | choices(["bleu"], max_order=order, reference_length="average")
OF_RAW_TEXT |= OF_TOKENS | {"a metric of a user": Own(tokenize="13a", lowercase=True)}


def in_ids(text):
    return [sum(map(ord, word)) for word in text.split()]


FORMS = {
    "raw text": (OF_RAW_TEXT, TEXTS, REFERENCES),
    "tokens": (OF_TOKENS, [*map(str.split, TEXTS)], [[*map(str.split, group)] for group in REFERENCES]),
    "ids": (OF_TOKENS, [*map(in_ids, TEXTS)], [[*map(in_ids, group)] for group in REFERENCES]),
}


@pytest.mark.long_in_mirror
@pytest.mark.parametrize("form", FORMS)
def test_references_used_with_one_metric_are_as_new_for_another(form):
    metrics, texts, references = FORMS[form]
    expected = {name: metric.rows(texts, references).tolist() for name, metric in metrics.items()}
    for first, second in permutations(metrics, 2):
        prepared = References(references)
        metrics[first].rows(texts, prepared)
        found = metrics[second].rows(texts, prepared).tolist()
        assert found == expected[second], f"after {first}, {second} counts other rows"


def test_the_choices_differ():
    """Otherwise they would show nothing."""
    rows = [metric.rows(TEXTS, REFERENCES).tolist() for metric in OF_RAW_TEXT.values()]
    assert len(set(map(str, rows))) > len(rows) / 2
