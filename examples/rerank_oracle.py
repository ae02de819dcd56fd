"""What a list holds: the best and the worst choice by BLEU among three translations of each verse."""

from pathlib import Path

from cybleu.nbest import NBest
from cybleu.rerank import antioracle, oracle

HERE = Path(__file__).parent
columns = [
    (HERE / f"mark.{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("kjv", "asv", "ylt", "web")
]
*translations, references = columns

nbest = NBest.from_texts(list(zip(*translations)), [[text] for text in references], tokenize=str.split)
print(f"by sentence BLEU: {oracle(nbest).corpus_score().score:.2f}")
best = oracle(nbest, "corpus")
print(f"by corpus BLEU: {best.score:.2f}, {best.gain:.2f} more after {best.swaps} swaps in {best.passes} passes")
print(f"the worst: {antioracle(nbest, 'corpus').score:.2f}")
