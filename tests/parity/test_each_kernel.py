"""Each function and class of the kernels beside its mirror, in a call of the public interface that reaches it."""

import sys

import numpy as np
import pytest

import cybleu
from cybleu import References, _mirror, corpus_bleu, modified_precision, sentence_bleu
from cybleu.gleu_score import corpus_gleu, sentence_gleu
from cybleu.metrics import Bleu
from cybleu.nbest import NBest
from cybleu.nist_score import corpus_nist
from cybleu.pairwise import self_bleu
from cybleu.rerank import linear
from cybleu.sacrebleu_compat import corpus_bleu as compat_corpus_bleu, sentence_bleu as compat_sentence_bleu
from cybleu.text import tokenizer
from cybleu.tuning import line_search
from inputs import on_both_backends
from on_mirror import on_mirror

pytestmark = [
    pytest.mark.thread_unsafe(reason="one process has the mirror"),
    pytest.mark.filterwarnings("ignore::UserWarning"),  # of orders without a match
]

LINES = ["The cat, the cat sat.", "", "It's 3.5 % – 猫 again and again and again", "a b c d", "sat the cat"]
OTHERS = ["the cat sat, The cat.", "x", "It is 3.5 % of 猫, and again and again", "a b c d", "the cat sat down"]
SETS = [[other, line[::-1]] for line, other in zip(LINES, OTHERS)]
TEXTS = [line.split() for line in LINES]
TEXTS_OF_SETS = [[text.split() for text in group] for group in SETS]
IDS = np.array([[0, 7, 8, 9, 0, 0], [7, 8, 0, 8, 2, 5], [0, 0, 0, 0, 0, 0], [2, 7, 8, 9, 7, 8]])
LIST = "0 ||| the cat ||| d= 1 -2.5 lm= 3 p_a= 1 ||| -1\n0 ||| a cat sat ||| d= 0 1e-3 lm= 2 ||| 2\n"


def searched(path):
    nbest = NBest.from_texts([LINES[:3], LINES[2:]], [SETS[0], SETS[4]], [[1], [2], [4], [3], [0], [2]], ["f"])
    return line_search(nbest, [1.0], "f", surface=True)


CALLS = {  # each is called with the path of a list
    "CharacterF": lambda path: cybleu.rows(LINES, SETS, "chrf++"),
    "CharacterTexts": lambda path: cybleu.pairs(LINES, OTHERS, metric="chrf"),
    "Definition": lambda path: cybleu.scores(cybleu.rows(TEXTS, TEXTS_OF_SETS)),
    "FeatureRows": lambda path: linear(NBest.from_files(path, SETS), [0.5, 1, 2, 3.5]).scores,
    "Fields": lambda path: NBest.from_files(path, SETS, "moses").features,
    "NgramInformation": lambda path: cybleu.rows(LINES, SETS, "nist"),
    "PairwiseTexts": lambda path: cybleu.pairs(TEXTS, TEXTS[::-1]),
    "PreparedReferences": lambda path: cybleu.rows(IDS.repeat(9, 0), References(IDS), owner=np.arange(4).repeat(9)),
    "RawTexts": lambda path: cybleu.rows([line.encode() for line in LINES], OTHERS, tokenize="char"),
    "RawVocabulary": lambda path: cybleu.pairs(LINES, OTHERS, metric="rougeL"),
    "Scorer": lambda path: corpus_bleu(TEXTS_OF_SETS, TEXTS),
    "Segments": lambda path: cybleu.rows(LINES, SETS, "ter", normalized=True),
    "TokenTexts": lambda path: cybleu.pairs(IDS, metric="nltk"),
    "Tokenizer": lambda path: [tokenizer(name)(line) for name in ("13a", "intl", "zh") for line in LINES],
    "best_interval": searched,
    "clipped_matches": lambda path: [modified_precision(*pair, 2) for pair in zip(TEXTS_OF_SETS, TEXTS)],
    "corpus_nist": lambda path: corpus_nist(TEXTS_OF_SETS, TEXTS, 3),
    "crossings": searched,
    "edit_distance_rows": lambda path: (
        cybleu.rows(TEXTS, TEXTS_OF_SETS, "wer"),
        cybleu.rows(6 - IDS, 6 - IDS[::-1], "wer"),  # with -1
        [cybleu.rows(LINES, SETS, name) for name in ("wer", "cer")],
    ),
    "edit_rows": lambda path: cybleu.rows(LINES, SETS, "ter"),
    "Alignments": lambda path: (cybleu.pairs(LINES, metric="rougeL"), cybleu.pairs(LINES, metric="cer")),
    "gleu_counts": lambda path: corpus_gleu(TEXTS_OF_SETS, TEXTS),
    "gleu_rows": lambda path: cybleu.rows(TEXTS, TEXTS_OF_SETS, "gleu"),
    "leave_one_out": lambda path: self_bleu(TEXTS),
    "number_tokens": lambda path: cybleu.pairs(TEXTS),
    "numbered_rows": lambda path: (
        cybleu.rows(LINES, SETS),
        cybleu.rows(IDS, IDS[::-1]),
        str(compat_corpus_bleu(LINES, [OTHERS])),
    ),
    "numbered_gleu_rows": lambda path: cybleu.rows(LINES, SETS, "gleu", owner=[4, 3, 2, 1, 0]),
    "raw_row": lambda path: str(compat_sentence_bleu(LINES[2], SETS[2])),
    "read_arrays": lambda path: cybleu.rows([*IDS], [[*IDS[1:]]] * 4),
    "rouge_rows": lambda path: [cybleu.rows(LINES, SETS, name) for name in ("rouge2", "rougeL", "rougeLsum")],
    "segment_counts": lambda path: [Bleu().count(*pair) for pair in zip(TEXTS, TEXTS_OF_SETS)],
    "segment_rows": lambda path: cybleu.rows(TEXTS, TEXTS_OF_SETS, max_order=5),
    "sentence_bleu": lambda path: sentence_bleu(TEXTS_OF_SETS[0], TEXTS[0]),
    "sentence_gleu": lambda path: sentence_gleu(TEXTS_OF_SETS[0], TEXTS[0]),
    "sum_rows": lambda path: cybleu.score(cybleu.rows(TEXTS, TEXTS_OF_SETS)),
    "trim": lambda path: [cybleu.rows(IDS, IDS[::-1], pad_id=pad, eos_id=9) for pad in (0, 2, None)],
    "types_within": lambda path: cybleu.rows(TEXTS, References(TEXTS_OF_SETS)),
}
MADE_BY_IMPORTS = {"Scorer", "sentence_bleu", "sentence_gleu"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "list"
    path.write_text(LIST)
    return path


def test_every_kernel_has_a_call():
    assert sorted(CALLS) == sorted(" ".join(_mirror.NAMES.values()).split())


@pytest.mark.parametrize("name", CALLS)
def test_a_kernel_returns_what_its_mirror_returns(kernels, path, name):
    call = CALLS[name]
    assert on_both_backends(lambda: call(path), object) is not None


def code_that_runs(call, path):
    """The names of the files and functions that a call runs."""
    found = set()
    sys.setprofile(lambda frame, *event: found.add((frame.f_code.co_filename, frame.f_code.co_name)))
    try:
        call(path)
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("name", sorted({*CALLS} - MADE_BY_IMPORTS))
def test_the_call_reaches_the_function_of_this_name(kernels, path, name):
    mirror = getattr(_mirror, name)
    functions = vars(mirror).values() if isinstance(mirror, type) else [mirror]
    codes = [function.__code__ for function in functions if hasattr(function, "__code__")]
    assert on_mirror(code_that_runs, CALLS[name], path) & {(code.co_filename, code.co_name) for code in codes}
