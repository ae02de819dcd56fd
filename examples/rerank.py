"""Select one of three translations of each verse by four methods; the World English Bible is the reference."""

from pathlib import Path

from cybleu.nbest import NBest
from cybleu.rerank import antioracle, linear, mbr, oracle, perceptron

HERE = Path(__file__).parent
NAMES = ("kjv", "asv", "ylt")
*translations, references = (
    (HERE / f"mark.{name}.txt").read_text(encoding="utf-8").splitlines() for name in (*NAMES, "web")
)
verses = list(zip(*translations))

alike = mbr(verses, tokenize=str.split)  # requires no references
for number, name in enumerate(NAMES):
    print(f"{name}: most like the others in {(alike.positions == number).sum()} verses")

features = [[alike.scores[i], len(text.split())] for i, text in enumerate(text for verse in verses for text in verse)]
nbest = NBest.from_texts(verses, [[text] for text in references], features, ["mbr", "words"], tokenize=str.split)
print(f"by minimum Bayes risk: {linear(nbest, {'mbr': 1, 'words': 0}).corpus_score().score:.2f}")

trained = perceptron(nbest)
print("trained weights:", {name: round(weight, 3) for name, weight in trained.weights.items()})
print(f"by such weights, on verses that they were not trained on: {trained.score:.2f}")

best = oracle(nbest, "corpus")
print(f"by the references: {oracle(nbest).corpus_score().score:.2f}; {best.score:.2f} after {best.swaps} exchanges")
print(f"the worst: {antioracle(nbest, 'corpus').score:.2f}")
