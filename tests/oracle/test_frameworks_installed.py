"""Compare with installed packages: torchmetrics, ignite, torchtext, tensor2tensor, evaluate, pycocoevalcap, TRL."""

import json
import os
import socket
import subprocess
import sys
from importlib import import_module, reload
from types import ModuleType

import numpy as np
import pytest
import sacrebleu
from hypothesis import example, given, strategies as st

import cybleu
from cybleu import Reward, errors, score, scores
from cybleu.frameworks import CaptionBleu, load
from cybleu.metrics import VARIANTS, find
from cybleu.rewards import RepetitionPenalty
from cybleu.text import tokenizer

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("default")]  # of so many packages no two versions warn alike

ORDER = 4
SINGLE = 3e-6  # of numbers that went through some operations in single precision
LINES = st.lists(st.sampled_from(["a", "b", "c", "d,", "5.", "é"]), max_size=10).map(" ".join)
CORPORA = st.lists(st.tuples(LINES, st.lists(LINES, min_size=1, max_size=3)), min_size=1, max_size=6).map(
    lambda segments: ([text for text, _ in segments], [texts for _, texts in segments])
)


def tokens(lines):
    return [line.split() for line in lines]


def rows_of(corpus, variant):
    hypotheses, references = corpus
    rule = VARIANTS[variant].reference_length
    return cybleu.rows(tokens(hypotheses), list(map(tokens, references)), max_order=ORDER, reference_length=rule)


# ------------------------------------------------------------------------------------------------------------ variants


@given(corpus=CORPORA)
@example(corpus=(["a b c d e"], [["a b c d e f", "a b c d"]]))  # of equally close references the first counts
@example(corpus=(["a b c d e"], [["a b c d", "a b c d e f"]]))
def test_bleu_of_torchmetrics(torchmetrics, corpus):
    from torchmetrics.functional.text import bleu_score

    rows = rows_of(corpus, "torchmetrics")
    for smooth, metric in ((False, "torchmetrics"), (True, "torchmetrics:smooth")):
        assert float(bleu_score(*corpus, smooth=smooth)) == pytest.approx(score(rows, metric).score, rel=SINGLE)
        for text, texts, row in zip(*corpus, rows):
            assert float(bleu_score([text], [texts], smooth=smooth)) == pytest.approx(
                score(row, metric).score, rel=SINGLE
            )


@given(corpus=CORPORA)
def test_bleu_of_torchtext(torchtext, corpus):
    from torchtext.data.metrics import bleu_score

    hypotheses, references = corpus
    theirs = bleu_score(tokens(hypotheses), list(map(tokens, references)))
    assert theirs == pytest.approx(score(rows_of(corpus, "torchtext"), "torchtext").score, rel=SINGLE)


@given(corpus=CORPORA, smoothing=st.sampled_from([name for name, _, _ in VARIANTS["ignite"].smoothings]))
def test_bleu_of_ignite(ignite, corpus, smoothing):
    from ignite.metrics.nlp import Bleu

    hypotheses, references = corpus
    rows = rows_of(corpus, "ignite")
    given_ = tokens(hypotheses), list(map(tokens, references))
    for average, level in (("macro", "mean"), ("micro", "corpus")):
        theirs = Bleu(smooth=smoothing, average=average)
        try:
            theirs.update(given_)
            expected = float(theirs.compute())
        except ZeroDivisionError:  # of a text without a token, which is an error here, too
            assert smoothing == "smooth2"
            continue
        assert score(rows, f"ignite:{smoothing}", level=level).score == expected


@given(corpus=CORPORA)
def test_bleu_of_tensor2tensor(bleu_hook, corpus):
    hypotheses = corpus[0]
    references = [texts[:1] for texts in corpus[1]]
    tokenize = tokenizer("tensor2tensor")
    for line in [*hypotheses, *[text for [text] in references]]:
        assert list(tokenize(line)) == bleu_hook.bleu_tokenize(line)
    rows = cybleu.rows(hypotheses, references, tokenize="tensor2tensor")
    theirs = bleu_hook.compute_bleu([tokenize(text) for [text] in references], list(map(tokenize, hypotheses)))
    assert np.float32(score(rows, "tensor2tensor").score) == theirs


@pytest.fixture(scope="module")
def bleu_hook(tensor2tensor):
    """Load tensor2tensor's BLEU from its file, which imports TensorFlow only for other functions."""
    others = {name: ModuleType(name) for name in ("tensorflow", "tensorflow.compat", "tensorflow.compat.v1")}
    others["tensorflow.compat"].v1 = others["tensorflow.compat.v1"]
    others["tensorflow"].compat = others["tensorflow.compat"]
    encoder = ModuleType("tensor2tensor.data_generators.text_encoder")
    others["tensor2tensor.data_generators"] = ModuleType("tensor2tensor.data_generators")
    others["tensor2tensor.data_generators"].text_encoder = encoder
    others[encoder.__name__] = encoder
    with pytest.MonkeyPatch.context() as patch:
        for name, module in others.items():
            patch.setitem(sys.modules, name, module)
        return import_module("tensor2tensor.utils.bleu_hook")


# ---------------------------------------------------------------------------------------------------------- interfaces


@given(corpus=CORPORA, order=st.integers(1, 4))
def test_bleu_of_pycocoevalcap(pycocoevalcap, corpus, order):
    from pycocoevalcap.bleu.bleu import Bleu

    hypotheses, references = corpus
    gts = dict(enumerate(references))
    res = {number: [text] for number, text in enumerate(hypotheses)}
    theirs = Bleu(order).compute_score(gts, res, verbose=0)
    assert CaptionBleu(order).compute_score(gts, res) == theirs
    if order == ORDER:
        rows = rows_of(corpus, "coco")
        assert score(rows, "coco").score == theirs[0][-1]
        assert scores(rows, "coco", level="sentence").tolist() == theirs[1][-1]


def test_metrics_of_harnesses(lm_eval, joeynmt, sockeye):
    hypotheses = ["The cat sat on a mat.", "It rains.", "So it was said, again and again."]
    references = ["The cat sat on the mat.", "It rained a lot.", "So it is said, again & again."]
    items = list(zip(references, hypotheses))

    def results():
        harness = import_module("lm_eval.api.metrics")
        joey = reload(import_module("joeynmt.metrics"))
        evaluation = reload(import_module("sockeye.evaluate"))
        of_items = [
            harness.bleu,
            harness.chrf,
            harness.chrfpp,
            harness.ter,
            harness._bootstrap_internal(harness.bleu, 5),
        ]
        of_texts = [joey.bleu, joey.chrf, evaluation.raw_corpus_bleu, evaluation.raw_corpus_chrf]
        found = [metric((1, items) if metric is of_items[-1] else items) for metric in of_items]
        return found + [metric(hypotheses, references) for metric in of_texts]

    expected = results()
    with cybleu.install_as_sacrebleu():
        assert results() == expected


def sacrebleu_of_evaluate():
    """A metric of `evaluate`, whose code is on a hub, from the library that computes it."""
    import datasets
    import evaluate

    class Given(evaluate.Metric):
        def _info(self):
            text = datasets.Value("string")
            features = datasets.Features({"predictions": text, "references": datasets.Sequence(text)})
            return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

        def _compute(self, predictions, references, **options):
            found = sacrebleu.corpus_bleu(predictions, [*map(list, zip(*references))], **options)
            keys = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
            return {key: getattr(found, key) for key in keys}

    return Given()


@pytest.mark.parametrize("options", [{}, {"lowercase": True}], ids=str)
def test_the_interface_of_evaluate(evaluate, options, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "1")
    evaluate.config.HF_METRICS_CACHE = str(tmp_path)
    texts = ["the cat sat", "It rains a lot", "a"]
    sets = [["the cat sits", "a cat"], ["it rains", "rain"], ["b", "a"]]

    def found(module):
        at_once = module.compute(predictions=texts, references=sets, **options)
        module.add(prediction=texts[0], reference=sets[0])
        module.add_batch(predictions=texts[1:], references=sets[1:])
        return at_once, module.compute(**options)

    assert found(load("sacrebleu")) == found(sacrebleu_of_evaluate())


# -------------------------------------------------------------------------------------------------------- torchmetrics


@given(corpus=CORPORA, metric=st.sampled_from(["sacrebleu", "nltk:method1", "torchmetrics", "chrf++", "gleu"]))
def test_an_exact_metric_for_torchmetrics(torchmetrics, corpus, metric):
    from cybleu.frameworks.torch_metrics import ExactScore

    hypotheses, references = corpus
    wanted = score(find(metric).rows(hypotheses, references), metric).score
    together = ExactScore(metric)
    apart = [ExactScore(metric) for _ in hypotheses]
    together.update(hypotheses, references)
    for one, text, texts in zip(apart, hypotheses, references):
        one.update(text, texts)
    for one in apart[1:]:
        apart[0].merge_state(one)
    assert together.compute().dtype is import_module("torch").float64
    assert float(together.compute()) == float(apart[0].compute()) == wanted
    together.reset()
    assert not together.row.any()


def test_the_best_step_of_a_tracker(torchmetrics):
    from cybleu.frameworks.torch_metrics import ExactScore

    texts = ["a b c d", "x b c d", "x y z"]
    for metric, best, better in (("sacrebleu", 0, True), ("ter", 0, False)):
        assert ExactScore(metric).higher_is_better is better
        tracker = torchmetrics.MetricTracker(ExactScore(metric))
        for text in texts:
            tracker.increment()
            tracker.update([text], ["a b c d"])
        assert tracker.best_metric(return_step=True)[1] == best


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch.jit
def test_it_counts_beyond_single_precision(torchmetrics):
    from cybleu.frameworks.torch_metrics import ExactScore

    metric = ExactScore()
    import_module("torch").jit.script(metric)  # as torchmetrics' own metrics can be
    metric.row += 2**40
    for change in (lambda: metric.half(), lambda: metric.set_dtype(import_module("torch").float32)):
        change()
        before = metric.row.tolist()
        metric.update(["a b c d"], ["a b c d"])
        assert [now - old for now, old in zip(metric.row.tolist(), before)] == [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]
    with pytest.raises(errors.StatisticsError, match="mean of the scores of segments"):
        ExactScore("codexglue")
    with pytest.raises(errors.UnknownNameError):
        ExactScore("x")
    with pytest.raises(errors.UnknownNameError):
        ExactScore(tokenize="x")


PROCESS = """
import json, sys
import torch.distributed
from cybleu.frameworks.torch_metrics import ExactScore

torch.distributed.init_process_group("gloo")
texts, sets = json.load(sys.stdin)
metric = ExactScore("nltk")
mine = slice(torch.distributed.get_rank(), None, 2)
metric.update(texts[mine], sets[mine])
print(json.dumps(float(metric.compute())))
torch.distributed.destroy_process_group()
"""


def test_processes_have_the_score_of_all_segments(torchmetrics):
    texts = ["the cat sat on the mat", "it rains a lot", "a b c d e", "a"]
    sets = [["the cat sat on a mat"]] * 4
    wanted = score(cybleu.rows(texts, sets, "nltk"), "nltk").score
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS],
            env={**environment, "RANK": rank},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in "01"
    ]
    for process in processes:
        process.stdin.write(json.dumps([texts, sets]))
        process.stdin.close()
    found = [process.stdout.read() for process in processes]
    for process in processes:
        process.stdout.close()
        assert process.wait() == 0
    assert list(map(json.loads, found)) == [wanted, wanted]


# ------------------------------------------------------------------------------------------------------------- rewards


def test_the_penalty_of_repeated_ngrams(trl):
    from trl.rewards import get_repetition_penalty_reward

    texts = [[1, 2, 3, 4], [5, 5, 5, 5, 5], [], [1, 2, 1, 2, 1], [7], np.array([1.0, 1.0, 1.0]), np.full(4, np.nan)]
    for ngram_size in (1, 2, 3):
        for penalty in (-1.0, -0.3, 0.0):
            theirs = get_repetition_penalty_reward(ngram_size, penalty)(texts)
            assert RepetitionPenalty(ngram_size, penalty)(completion_ids=texts) == theirs


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "bleu_references"),
        ({"metric": "chrf"}, "chrf_references"),
        ({"smoothing": "add-k"}, "bleu_references"),
        ({"name": "overlap"}, "overlap"),
    ],
    ids=str,
)
def test_a_trainer_of_trl_logs_the_mean_of_the_rewards(trl, settings, name, tmp_path, monkeypatch):
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    words = ["<pad>", "<eos>", "<unk>", *"the cat sat on a mat it rains".split()]
    numbers = {word: number for number, word in enumerate(words)}
    words_of = Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    words_of.pre_tokenizer = pre_tokenizers.Whitespace()
    of_words = PreTrainedTokenizerFast(
        tokenizer_object=words_of, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
    )
    size = {"vocab_size": len(words), "n_positions": 32, "n_embd": 8, "n_layer": 1, "n_head": 1}
    model = GPT2LMHeadModel(GPT2Config(**size, bos_token_id=1, eos_token_id=1, pad_token_id=0))
    references = ["sat on a mat", "the cat sat"]
    if "smoothing" in settings:
        references = [[numbers[word] for word in text.split()] for text in references]
    rows = Dataset.from_dict({"prompt": ["the cat", "it rains"] * 4, "references": references * 4})
    given_ = []

    class Watched(Reward):
        def __call__(self, *args, **columns):
            given_.append(super().__call__(*args, **columns))
            return given_[-1]

    arguments = trl.GRPOConfig(
        output_dir=str(tmp_path),
        use_cpu=True,
        bf16=False,
        max_steps=1,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=8,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
    )
    trainer = trl.GRPOTrainer(
        model=model,
        reward_funcs=[Watched(column="references", **settings)],
        args=arguments,
        train_dataset=rows,
        processing_class=of_words,
    )
    trainer.train()
    (rewards,) = given_
    assert len(rewards) == 4
    logged = trainer.state.log_history[0]
    assert logged[f"rewards/{name}/mean"] == pytest.approx(sum(rewards) / 4, rel=1e-6)
    assert all(0 <= reward <= 1 for reward in rewards)
