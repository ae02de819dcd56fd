"""Columns of tables, tokens that are arrays without a dimension, and texts that are not split, wherever texts are taken."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import cybleu
from cybleu import errors
from cybleu.bleu_score import sentence_bleu_many
from cybleu.checks import check
from cybleu.explanations import explain_difference
from cybleu.metrics import Bleu
from cybleu.nbest import NBest, prepare_references
from cybleu.pairwise import pairwise_bleu, self_bleu
from cybleu.rerank import diverse, mbr
from cybleu.rewards import BleuReward, bleu_rewards
from cybleu.stats import CorpusAccumulator, References, segment_stats
from inputs import Labelled

pytestmark = pytest.mark.usefixtures("backend")

REFERENCES = [[["a", "b", "c", "d"]], [["e", "f"], ["e", "g"]], [["h", "i", "j", "k", "l"]]]
HYPOTHESES = [["a", "b", "c", "x"], ["e", "g"], ["h", "j", "k", "l"]]


def of_objects(values):
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def pandas_column(values):
    import pandas

    return pandas.Series(list(values), index=range(len(values))[::-1], dtype=object)


def pandas_index(values):
    import pandas

    return pandas.Index(of_objects([tuple(value) for value in values]), tupleize_cols=False)


def part_of_pandas(values):
    import pandas

    return pandas.Series([None, *values], dtype=object)[1:]


def polars_column(values):
    import polars

    return polars.Series(list(values))


# `.ci/run` installs both libraries of frames.
FRAMES = {"pandas": [pandas_column, pandas_index, part_of_pandas], "polars": [polars_column]}
COLUMNS = [Labelled, of_objects, *(column for name in FRAMES if find_spec(name) for column in FRAMES[name])]


def accumulated(references, hypotheses):
    corpus = CorpusAccumulator()
    for texts, text in zip(references, hypotheses):
        corpus.update(texts, text)
    return corpus.row


def rewarded(references, hypotheses):
    reward = BleuReward("target", tokenize=lambda text: text.split())
    texts = [[" ".join(text) for text in group] for group in references]
    column = texts if isinstance(references, list) else type(references)(texts)
    return reward(completions=[" ".join(text) for text in hypotheses], target=column)


OF_CORPORA = {
    "sentence_bleu_many": lambda references, hypotheses: sentence_bleu_many(references, hypotheses, (0.5, 0.5)),
    "segment_stats": lambda references, hypotheses: segment_stats(references, hypotheses),
    "segment_stats, owner": lambda references, hypotheses: segment_stats(references, hypotheses, owner=[0, 1, 2]),
    "strict": lambda references, hypotheses: segment_stats(references, hypotheses, strict=True),
    "References": lambda references, hypotheses: References(references).stats(hypotheses, owner=[2, 1, 0]),
    "bleu_rewards": lambda references, hypotheses: bleu_rewards(references, hypotheses),
    "Metric.rows": lambda references, hypotheses: Bleu().rows(references, hypotheses),
    "Metric.sum_of": lambda references, hypotheses: Bleu().sum_of(references, hypotheses)[0],
    "CorpusAccumulator": accumulated,
    "explain_difference": lambda references, hypotheses: [
        s.score for s in explain_difference(references, hypotheses).scores
    ],
    "check": lambda references, hypotheses: check(references, hypotheses) or 0,
}
OF_TEXTS = {
    "pairwise_bleu": pairwise_bleu,
    "pairwise_bleu of two": lambda texts: pairwise_bleu(texts, texts),
    "self_bleu": lambda texts: self_bleu(texts, (1,)),
    "mbr": lambda texts: mbr([texts]).scores,
    "diverse": lambda texts: diverse([texts], 3)[0],
}


@pytest.mark.parametrize("column", [column for column in COLUMNS if column is not pandas_index])
def test_strings_in_columns(column):
    texts = [["a b c", "a b"], ["d e", "d f g"]]
    references = [["a b c"], ["d e g"]]
    expected = NBest.from_texts(texts, references, tokenize=str.split)
    for given in (column(texts), [column(part) for part in texts]):
        for prepared in (references, column(references), column([column(part) for part in references])):
            assert NBest.from_texts(given, prepared, tokenize=str.split).stats.tolist() == expected.stats.tolist()
        best = mbr(given, column([[1.0, 2.0], [3.0, 4.0]]), tokenize=str.split)
        assert best.texts == mbr(texts, [[1.0, 2.0], [3.0, 4.0]], tokenize=str.split).texts
    reward = BleuReward("target", tokenize=str.split)
    rewards = reward(completions=column(["a b c", "d e"]), target=column(references))
    assert rewards == reward(completions=["a b c", "d e"], target=references)


class Tensor:
    """As what ``list(torch_tensor)`` holds."""

    ndim = 0

    def __init__(self, value):
        self.value = value

    def __index__(self):
        if isinstance(self.value, float):
            raise TypeError("only integer tensors can be converted to an index")
        return self.value

    def __hash__(self):
        return id(self)


class PlainTensor(Tensor):
    __hash__ = object.__hash__


IDS = [[5, 6, 7, 8], [9, 10], [11, 12, 13, 14]]
SETS = [[[5, 6, 7, 3]], [[9, 10, 4], [1]], [[11, 13, 14, 12]]]


@pytest.mark.parametrize("kind", [Tensor, PlainTensor, np.array], ids=["by id", "object", "numpy"])
def test_arrays_without_a_dimension_are_ids(kind):
    of_text = lambda text: list(map(kind, text))  # noqa: E731
    texts, sets = [of_text(text) for text in IDS], [[of_text(text) for text in group] for group in SETS]
    for name, call in OF_CORPORA.items():
        if name in ("check", "strict"):
            continue
        expected = np.asarray(call(SETS, IDS)).tolist()
        for references, hypotheses in ((SETS, texts), (sets, IDS), (sets, texts)):
            assert np.asarray(call(references, hypotheses)).tolist() == expected, name
    for call in OF_TEXTS.values():
        assert np.asarray(call(texts)).tolist() == np.asarray(call(IDS)).tolist()
    assert References([[[]], [[]], [[]]]).stats(texts).tolist() == References([[[]], [[]], [[]]]).stats(IDS).tolist()
    assert References(sets, pad_id=8).stats(texts).tolist() == References(SETS, pad_id=8).stats(IDS).tolist()
    if kind is not np.array:
        mixed = References([[[*of_text([1, 2]), "a"]]], 2).stats([[1, *of_text([2]), "a"]])
        assert mixed.tolist() == [[3, 3, 3, 2, 3, 2]]
    with pytest.raises((errors.TokensError, errors.UnhashableTokenError), match=r"token 0 of hypotheses\[0\]"):
        check(SETS, texts)
    with pytest.raises((errors.MixedTokensError, errors.UnhashableTokenError)):
        References([[["a"]]]).stats(texts, [0, 0, 0])


def test_a_pair_of_columns_is_two_texts_and_a_pair_of_arrays_is_ragged(pandas):
    texts = (of_objects(["a", "b"]), pandas_column(["a", "c"]))
    assert segment_stats([[["a", "b"]]] * 2, texts).tolist() == segment_stats([[["a", "b"]]] * 2, list(texts)).tolist()
    assert pairwise_bleu(texts).tolist() == pairwise_bleu([["a", "b"], ["a", "c"]]).tolist()
    assert segment_stats([[[1, 2]]], (np.array([1, 2]), np.array([0, 2])))[0].tolist()[:2] == [2, 2]
    with pytest.raises(errors.ArrayTypeError, match="dtype object"):
        segment_stats([[[1, 2]]], (np.array([1, 2]), of_objects([0, 2])))


def test_owners_in_columns_and_no_owners(pandas):
    prepared = References(SETS)
    for owner in ([2, 0, 1], pandas_column([2, 0, 1]), of_objects([2, 0, 1]), [np.array(2), np.array(0), np.array(1)]):
        assert prepared.stats(IDS, owner).tolist() == prepared.stats(IDS, [2, 0, 1]).tolist()
    for nothing in ([], np.array([]), of_objects([])):
        assert prepared.stats([], nothing).shape == (0, 10)


def test_a_text_that_is_a_number_among_ids():
    for references in (SETS, [[["a"]]] * 3, [[[]]] * 3):
        with pytest.raises(errors.SequenceTypeError, match=r"hypotheses\[1\] must be a list of tokens, not int"):
            References(references).stats([[1], 3, [2]])


def test_arrays_without_a_dimension_of_other_numbers():
    with pytest.raises(errors.ArrayTypeError, match=r"token 1 of hypotheses\[0\] is a Tensor, .* and no id"):
        References([[[1, 2]]]).stats([[1, Tensor(0.5)]])
    with pytest.raises(errors.ArrayTypeError, match="segment 0: token 0 of the hypothesis is a Tensor"):
        segment_stats([[[1, 2]]], [[Tensor(0.5)]])


def test_nltks_names_take_what_nltk_takes():
    import nltk.translate.bleu_score as nltk_bleu

    for references, hypothesis in ((["abcd"], "abcd"), ([list(map(Tensor, [1, 2]))], [1, 2]), (["ab"], ["a", "b"])):
        assert cybleu.sentence_bleu(references, hypothesis, (1,)) == nltk_bleu.sentence_bleu(
            references, hypothesis, (1,)
        )
        assert cybleu.corpus_bleu([references], [hypothesis], (1,)) == nltk_bleu.corpus_bleu(
            [references], [hypothesis], (1,)
        )


@pytest.mark.parametrize("text", ["abcd", b"abcd", ""])
def test_a_text_that_is_not_split_is_refused(text):
    place = rf"(hypotheses\[0\]|the hypothesis|references\[0\]\[0\]|reference 0) is a {type(text).__name__}, not a list of tok"
    for name, call in OF_CORPORA.items():
        if name in ("check", "strict"):
            continue
        for references, hypotheses in ((REFERENCES, [text] * 3), ([[text]] * 3, HYPOTHESES)):
            with pytest.raises(errors.CybleuError, match=place):
                call(references, hypotheses)
        for column in [each for each in (of_objects, pandas_column) if each in COLUMNS]:
            with pytest.raises(errors.CybleuError, match=place):
                call(REFERENCES, column([text] * 3))
    for call in OF_TEXTS.values():
        with pytest.raises(errors.SequenceTypeError, match=r"0.* is a (str|bytes), not a list of tokens; split it"):
            call([text, text])
        if len(text):
            with pytest.raises(errors.SequenceTypeError, match=r"not a list of token|a list of texts"):
                call(text)


@pytest.mark.parametrize("text", ["the cat", b"the cat"])
def test_a_text_that_is_not_split_is_refused_where_scores_are_explained(text):
    kind = type(text).__name__
    for place, call in {
        "the text": lambda: cybleu.ngram_counts(text, 1),
        "the hypothesis": lambda: cybleu.clipped_counts([["the"]], text, 1),
        "reference 1": lambda: cybleu.clipped_counts([["the"], text], ["the"], 1),
        "reference 0": lambda: cybleu.ngram_precision([text], ["the"], 1),
        "the  hypothesis": lambda: cybleu.explain([["the"]], text),
        "reference  0": lambda: cybleu.explain([text], ["the"], metric="sacrebleu"),
    }.items():
        with pytest.raises(errors.SequenceTypeError, match=f"{' '.join(place.split())} is a {kind}, not a list of tok"):
            call()


@pytest.mark.parametrize("text", ["the cat", b"the cat"])
def test_lists_of_texts_are_split_only_when_asked(text, tmp_path):
    kind = type(text).__name__
    tokens = ["the", "cat"]
    for place, call in {
        r"hypotheses\[0\]\[1\]": lambda **more: mbr([[tokens, text]], **more),
        r"evidence\[1\]\[0\]": lambda **more: mbr([[tokens], [tokens]], evidence=[[tokens], [text]], **more),
        r"hypotheses\[0\]\[0\]": lambda **more: diverse([[text]], 1, **more),
        r"hypotheses\[1\]\[0\]": lambda **more: NBest.from_texts([[tokens], [text]], [[tokens]] * 2, **more),
        r"references\[0\]\[1\]": lambda **more: NBest.from_texts([[tokens]], [[tokens, text]], **more),
        r"references\[0\]\[0\]": lambda **more: prepare_references([[text]], **more),
    }.items():
        advice = "tokenize='13a'" if kind == "str" else "decode"
        with pytest.raises(errors.SequenceTypeError, match=f"{place} is a {kind}, not a list of tokens; .*{advice}"):
            call()
        if kind == "str":
            call(tokenize=str.split)
            call(tokenize="13a")
        else:
            with pytest.raises(errors.SequenceTypeError, match=place):
                call(tokenize=str.split)


def test_lists_of_token_lists():
    strings = [["the cat sat", "a cat", ""], ["it rains"]]
    tokens = [[text.split() for text in texts] for texts in strings]
    references = [["the cat sat"], ["it rained"]]
    expected = NBest.from_texts(strings, references, tokenize="unicode")
    for given in (tokens, [[tuple(text) for text in texts] for texts in tokens], [strings[0], tokens[1]]):
        nbest = NBest.from_texts(given, references, tokenize="unicode")
        assert nbest.texts == expected.texts == ["the cat sat", "a cat", "", "it rains"]
        assert nbest.stats.tolist() == expected.stats.tolist()
        assert mbr(nbest).scores.tolist() == mbr(tokens).scores.tolist()
    for text in (["New York"], ["a", ""], [1, 2], ["a", ("b",)]):
        assert NBest.from_texts([[text]], [[text]]).texts is None


def test_arrays_of_texts_are_lists():
    texts = np.array([["a", "b", "c"], ["d", "e", "f"]])
    expected = segment_stats([[row] for row in texts.tolist()], texts.tolist(), 2).tolist()
    assert segment_stats([[row] for row in texts], list(texts), 2).tolist() == expected
    assert References(texts[:, None, :], 2).stats(texts).tolist() == expected
    assert References([[text] for text in texts.astype("S")], 2).stats(texts.astype("S")).tolist() == expected
    for call in OF_TEXTS.values():
        assert np.asarray(call(texts)).tolist() == np.asarray(call(texts.tolist())).tolist()


def test_rewards_of_texts_that_are_not_split():
    of_ids, of_texts = BleuReward("target", tokenize=None), BleuReward("target", tokenize=str.split)
    for target in (["a b"], [b"a b"], [["a b"]], [[b"a b", b"c"]]):
        with pytest.raises(
            errors.SequenceTypeError, match=r"target\[0\] has a (str|bytes).* must be token ids; give tok"
        ):
            of_ids(completions=["a b"], completion_ids=[[1, 2]], target=target)
    with pytest.raises(errors.SequenceTypeError, match=r"hypotheses\[0\] is a bytes"):
        of_ids(completions=["a b"], completion_ids=[b"ab"], target=[[1, 2]])
    with pytest.raises(errors.SequenceTypeError, match=r"target\[0\] has a bytes as a reference; it must be a str"):
        of_texts(completions=["a b"], target=[b"a b"])
    for arguments in ({"completions": "ab", "target": ["a", "b"]}, {"completions": ["a", "b"], "target": "ab"}):
        with pytest.raises(errors.SequenceTypeError, match="must be a list with an entry for each completion, not str"):
            of_texts(**arguments)


def test_masked_arrays_are_refused():
    ids = np.arange(12).reshape(3, 4)
    masked, whole = np.ma.array(ids, mask=ids == 3), np.ma.array(ids)
    prepared = References(ids)
    assert (prepared.stats(whole) == prepared.stats(ids)).all()
    for call in (
        lambda: prepared.stats(masked),
        lambda: References(masked),
        lambda: prepared.stats(list(masked)),
        lambda: prepared.stats(ids, owner=np.ma.array([0, 1, 2], mask=[1, 0, 0])),
        lambda: pairwise_bleu(masked),
        lambda: sentence_bleu_many([[list(row)] for row in ids], list(masked)),
        lambda: accumulated([[row] for row in ids], list(masked)),
        lambda: check([[row] for row in ids], list(masked)),
    ):
        with pytest.raises(errors.ArrayTypeError, match="has masked entries"):
            call()
