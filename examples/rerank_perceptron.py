"""Train weights by the perceptron, and see what they are worth on verses that they were not trained on."""

from pathlib import Path

from cybleu.nbest import NBest
from cybleu.rerank import linear, mbr, perceptron

HERE = Path(__file__).parent
columns = [
    (HERE / f"mark.{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("kjv", "asv", "ylt", "web")
]
*translations, references = columns
verses = list(zip(*translations))
alike = mbr(verses, tokenize=str.split).scores
features = [[alike[i], len(text.split())] for i, text in enumerate(text for verse in verses for text in verse)]

nbest = NBest.from_texts(verses, [[text] for text in references], features, ["mbr", "words"], tokenize=str.split)
trained = perceptron(nbest)
print(f"held-out BLEU: {trained.score:.2f} after {trained.epochs} epochs")
print("weights:", {name: round(weight, 3) for name, weight in trained.weights.items()})
print(f"on what they were trained on: {linear(nbest, trained.weights).corpus_score().score:.2f}")
