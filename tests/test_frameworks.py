"""The interfaces of Hugging Face's `evaluate` and of pycocoevalcap, compared with their formulas."""

import nltk.translate.gleu_score as nltk_gleu
import pytest
import sacrebleu
from hypothesis import given, strategies as st

import cybleu
from cybleu import errors
from cybleu.frameworks import CaptionBleu, load
from cybleu.text import tokenizer
from inputs import called

PARTS = ["a", "b", "A.", "c,", "5.", "&amp;", "-\n", "\n", "<skipped>", "<ski<skipped>pped>"]
LINES = st.lists(st.sampled_from(PARTS), max_size=8).map(" ".join)
CORPORA = st.integers(1, 3).flatmap(
    lambda count: st.lists(
        st.tuples(LINES, st.lists(LINES, min_size=count, max_size=count)), min_size=1, max_size=4
    ).map(lambda pairs: ([text for text, _ in pairs], [texts for _, texts in pairs]))
)


def tokens(line):
    return sacrebleu.BLEU(tokenize="13a").tokenizer(line).split()


@given(CORPORA, st.integers(1, 5), st.booleans())
def test_bleu(corpus, max_order, smooth):
    predictions, references = corpus
    options = {"max_order": max_order, "smooth": smooth}
    for split, given_ in ((tokens, {}), (str.split, {"tokenizer": str.split})):
        split_texts = [split(text) for text in predictions], [[split(text) for text in group] for group in references]
        rows = cybleu.rows(*split_texts, "huggingface", max_order=max_order)
        found, error, _ = called(
            load("bleu").compute, predictions=predictions, references=references, **options, **given_
        )
        bleu, wanted, _ = called(cybleu.score, rows, "huggingface", smoothing="smooth" if smooth else "none")
        assert type(error) is type(wanted)
        assert wanted or found == {
            "bleu": bleu.score,
            "precisions": list(bleu.precisions),
            "brevity_penalty": bleu.brevity_penalty,
            "length_ratio": bleu.ratio,
            "translation_length": bleu.hypothesis_length,
            "reference_length": bleu.reference_length,
        }


@given(CORPORA)
def test_the_other_metrics(corpus):
    predictions, references = corpus
    split_texts = [[tokens(text) for text in group] for group in references], [tokens(text) for text in predictions]
    assert load("google_bleu").compute(predictions=predictions, references=references, min_len=2, max_len=5) == {
        "google_bleu": nltk_gleu.corpus_gleu(*split_texts, 2, 5)
    }
    documents = [list(document) for document in zip(*references)]
    found = load("sacrebleu").compute(
        predictions=predictions, references=references, lowercase=True, smooth_method="floor"
    )
    expected = sacrebleu.corpus_bleu(predictions, documents, lowercase=True, smooth_method="floor")
    assert found == {name: getattr(expected, name) for name in found}
    assert list(found) == ["score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"]
    found = load("chrf").compute(predictions=predictions, references=references, word_order=2, lowercase=True)
    expected = sacrebleu.metrics.CHRF(word_order=2, lowercase=True).corpus_score(predictions, documents)
    assert found == {"score": expected.score, "char_order": 6, "word_order": 2, "beta": 2}


def test_texts_that_are_added():
    for name in ("bleu", "sacrebleu", "google_bleu", "chrf"):
        module = load(name)
        whole = load(name).compute(predictions=["a b c d", "e f"], references=["a b c d", "e g"])
        module.add(prediction="a b c d", reference="a b c d")
        module.add_batch(predictions=["e f"], references=[["e g"]])
        assert len(module) == 2
        assert module.compute() == whole
        assert len(module) == 0
        module.add(prediction="a b c d", reference=["a b c d"])
        assert module.compute(predictions=["e f"], references=["e g"]) == whole
    uneven = load("sacrebleu").compute(predictions=["a", "b"], references=[["a", "c"], ["b"]])
    assert uneven["counts"][0] == 2


def test_references_of_a_text_in_a_column(pandas):
    references = [pandas.Series(["x", "a b"]), pandas.Series(["c d", "y"])]
    assert load("bleu").compute(predictions=["a b", "c d"], references=references, max_order=2)["bleu"] == 1


def test_nothing_of_a_rejected_batch_is_scored():
    module = load("bleu")
    for call in (module.add_batch, module.compute):
        with pytest.raises(errors.SequenceTypeError):
            call(predictions=["a", 1], references=["a", "b"])
        with pytest.raises(errors.NoReferencesError):
            call(predictions=["a", "b"], references=[["a"], []])
        assert len(module) == 0


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bleu", "tokenizer, max_order, smooth"),
        ("chrf", "char_order, word_order, beta, lowercase, whitespace, eps_smoothing"),
    ],
)
@pytest.mark.parametrize("unknown", ["foo", "texts"])
def test_an_unknown_option_is_refused_before_texts_are_forgotten(name, options, unknown):
    module = load(name)
    module.add(prediction="a b c d", reference="a b c d")
    with pytest.raises(TypeError, match=rf"compute\(\) got an .* '{unknown}'; the metric {name} accepts {options}$"):
        module.compute(**{unknown: 1})
    assert len(module) == 1
    assert module.compute()


@given(
    st.lists(
        st.tuples(LINES, st.lists(LINES, min_size=1, max_size=3)),
        min_size=1,
        max_size=5,
    ),
    st.integers(1, 5),
)
def test_captions(images, order):
    from cybleu import score, scores

    gts = {f"image {number}": references for number, (_, references) in enumerate(images)}
    res = {f"image {number}": [caption] for number, (caption, _) in enumerate(images)}
    of_all, of_each = CaptionBleu(order).compute_score(gts, dict(reversed(res.items())))
    split = [[text.split() for text in texts] for texts in gts.values()], [text.split() for [text] in res.values()]
    for n in range(1, order + 1):
        rows = cybleu.rows(*split[::-1], max_order=n)
        assert of_all[n - 1] == score(rows, "coco").score
        assert of_each[n - 1] == scores(rows, "coco").tolist()


def test_tokenisers_of_tools():
    assert tokenizer("codexglue")("Return self._data[0] (Don't!) é") == (
        "return self . _ data [ 0 ] ( don ' t ! ) é".split()
    )
    assert tokenizer("tensor2tensor")("It costs 3.5 %, “x”\\ 5.") == "It costs 3.5 % , “ x ” \\ 5.".split()
