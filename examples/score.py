"""Score the World English Bible's Gospel of Mark against three other translations."""

from pathlib import Path

from cybleu import SmoothingFunction, corpus_bleu, explain, sentence_bleu

HERE = Path(__file__).parent


def segments(name):
    return [line.split() for line in (HERE / f"mark.{name}.txt").read_text(encoding="utf-8").splitlines()]


hypotheses = segments("web")
list_of_references = [list(references) for references in zip(segments("kjv"), segments("asv"), segments("ylt"))]

print(f"corpus BLEU: {corpus_bleu(list_of_references, hypotheses):.4f}")

smoothing = SmoothingFunction().method1
scores = [
    sentence_bleu(references, hypothesis, smoothing_function=smoothing)
    for references, hypothesis in zip(list_of_references, hypotheses)
]
print(f"mean sentence BLEU: {sum(scores) / len(scores):.4f}")

worst = scores.index(min(scores))
print(f"\nthe verse that agrees least: {' '.join(hypotheses[worst])}")
print(explain(hypotheses[worst], list_of_references[worst], smoothing_function=smoothing))
