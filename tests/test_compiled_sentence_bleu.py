"""`sentence_bleu` as a compiled function: it looks like the Python function, and returns the same."""

import copy
import functools
import inspect
import pickle
import pydoc

import pytest

import cybleu
from cybleu import SmoothingFunction, bleu_score, sentence_bleu
from cybleu.bleu_score import scores
from inputs import CATCHES_WARNINGS

pytestmark = CATCHES_WARNINGS

REFERENCES = [["the", "cat", "is", "on", "the", "mat"]]
HYPOTHESIS = ["the", "cat", "is", "on", "a", "mat"]
SCORE = 0.537284965911771


@pytest.fixture
def original(kernels):
    """The Python function that the compiled one replaces."""
    return sentence_bleu.__wrapped__


def test_it_is_compiled(kernels):
    assert type(sentence_bleu).__name__ == "cython_function_or_method"
    assert cybleu.sentence_bleu is bleu_score.sentence_bleu is scores.sentence_bleu


def test_it_looks_like_the_python_function(original):
    assert inspect.isfunction(original) and inspect.isroutine(sentence_bleu) and callable(sentence_bleu)
    for name in ("__name__", "__qualname__", "__doc__", "__defaults__", "__kwdefaults__", "__annotations__"):
        assert getattr(sentence_bleu, name) == getattr(original, name), name
    assert sentence_bleu.__module__ == "cybleu.bleu_score"
    assert inspect.signature(sentence_bleu) == inspect.signature(original)
    # also without `__wrapped__`
    assert inspect.signature(sentence_bleu, follow_wrapped=False) == inspect.signature(original)
    assert inspect.getdoc(sentence_bleu) == inspect.getdoc(original)
    assert inspect.getsource(sentence_bleu) == inspect.getsource(original)
    assert "sentence_bleu(references" in "".join(pydoc.render_doc(sentence_bleu, renderer=pydoc.plaintext).split())


def test_it_is_pickled_by_its_name():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(sentence_bleu, protocol)) is sentence_bleu
    assert b"cybleu.bleu_score" in pickle.dumps(sentence_bleu, 0)
    assert copy.copy(sentence_bleu) is copy.deepcopy(sentence_bleu) is sentence_bleu


def test_every_way_to_call_it():
    method = SmoothingFunction().method2
    expected = sentence_bleu(REFERENCES, HYPOTHESIS, (0.5, 0.5), method, True)
    for arguments, keywords in (
        ((REFERENCES, HYPOTHESIS, (0.5, 0.5), method), {"auto_reweigh": True}),
        ((REFERENCES, HYPOTHESIS, (0.5, 0.5)), {"auto_reweigh": True, "smoothing_function": method}),
        ((REFERENCES,), {"weights": (0.5, 0.5), "smoothing_function": method, "hypothesis": HYPOTHESIS}),
        ((), {"weights": [0.5, 0.5], "smoothing_function": method, "hypothesis": HYPOTHESIS, "references": REFERENCES}),
    ):
        assert sentence_bleu(*arguments, **keywords) == expected
        assert functools.partial(sentence_bleu, *arguments)(**keywords) == expected
    assert sentence_bleu(REFERENCES, HYPOTHESIS) == sentence_bleu(hypothesis=HYPOTHESIS, references=REFERENCES) == SCORE
    assert list(map(sentence_bleu, [REFERENCES], [HYPOTHESIS])) == [SCORE]


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        ((), {}, "2 positional arguments|2 required positional"),
        ((REFERENCES,), {}, "2 positional|1 required positional"),
        ((REFERENCES, HYPOTHESIS), {"weight": (1,)}, "unexpected keyword argument 'weight'"),
        ((REFERENCES, HYPOTHESIS), {"hypothesis": []}, "multiple values for (keyword )?argument 'hypothesis'"),
        ((REFERENCES, HYPOTHESIS, (1,), None, False, 0), {}, "at most 5 positional|takes from 2 to 5 positional"),
    ],
    ids=str,
)
def test_wrong_calls(arguments, keywords, words):
    with pytest.raises(TypeError, match=rf"sentence_bleu\(\) .*({words})"):
        sentence_bleu(*arguments, **keywords)
