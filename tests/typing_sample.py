"""The public API in typed code; checked by mypy, not run."""

from __future__ import annotations

from collections import deque

import cybleu
from cybleu import SmoothingFunction, bleu_score, rerank, sacrebleu_compat
from cybleu.explanations import Comparison, Explanation
from cybleu.nbest import NBest, merge, read_segments

references: list[list[str]] = [["a", "b"], ["a"]]
score: float = cybleu.sentence_bleu(references, ["a", "b"])
weighted: float = cybleu.sentence_bleu(references, ["a", "b"], (0.5, 0.5)) + cybleu.sentence_bleu(references, "a", [1])
several: list[float] = cybleu.sentence_bleu(references, ["a"], [(1.0,), (0.5, 0.5)])
corpora: list[float] = cybleu.corpus_bleu([references], [["a"]], ((1.0,), (0.5, 0.5)))
ids: float = cybleu.corpus_bleu([[(1, 2, 3)]], [deque([1, 2])], smoothing_function=SmoothingFunction().method1)
precision: cybleu.Fraction = cybleu.modified_precision(references, "ab", 1)
half: float = float(precision) + precision.numerator
custom: float = bleu_score.sentence_bleu(references, ["a"], smoothing_function=lambda p_n, **kwargs: p_n)
explanation: Explanation = cybleu.explain(["a"], references)
explanation = cybleu.explain("a b", ["a b"], metric="sacrebleu")
comparison: Comparison = cybleu.explain_difference([["a"]], [references], ("nltk", ("moses", "add")))
why: list[str] = [cause.rule for difference in comparison.differences for cause in difference.causes]
with cybleu.install_as_nltk() as installation:
    installation.undo()
rows = cybleu.rows([["a"]], [references])
bleus: list[float] = cybleu.scores(rows, "moses", smoothing="add").tolist()
result: float = cybleu.bleu(["a b"], ["a b"]).score
counted = cybleu.rows([["a"]], cybleu.References([references]), owner=[0], threads=2)
matrix: list[list[float]] = cybleu.pairs([["a"]]).tolist()
reward: list[float | None] = cybleu.Reward(column="references")(completions=["a"], references=["a"])
cybleu.check([[[1, 2]]], hypotheses=[(1, 2)])
bleu: float = sacrebleu_compat.corpus_bleu(["a b"], [["a b"], [None]], lowercase=True).score
backend: str = cybleu.BACKEND
nbest: NBest = merge(
    NBest.from_texts([["a b"]], [["a b"]], [[1.0]], tokenize=str.split), NBest([0, 1], [[1.0]], [[0.5]])
)
names: tuple[str, ...] = nbest.names
chosen: list[str] = rerank.mbr([["a b", "a c"]]).texts
from_list: list[str] = cybleu.rerank.linear(nbest, [1.0]).texts
report: cybleu.report.Report = cybleu.report.analyse({"mine": ["a b", "a"]}, [["a b"], ["a"]], lowercase=True)
of_first: float = (
    report.metrics[0].buckets("length").scores[0, 0] + report.outputs[0].chrf + report.precisions[0].values[0]
)
segment_texts: list[list[str]] = [segment.texts for segment in read_segments("list")]
