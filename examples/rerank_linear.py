"""Rerank by weighted features: of three translations of each verse the one that two simple features prefer."""

from pathlib import Path

from cybleu.nbest import NBest
from cybleu.rerank import linear, nbest_sorted

HERE = Path(__file__).parent
columns = [
    (HERE / f"mark.{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("kjv", "asv", "ylt", "web")
]
*translations, references = columns
verses = list(zip(*translations))
features = [[len(text.split()), text.count(",")] for verse in verses for text in verse]

nbest = NBest.from_texts(verses, [[text] for text in references], features, ["words", "commas"], tokenize=str.split)
best = linear(nbest, {"words": -0.1, "commas": 0.5})
print(best.corpus_score())
print(best.texts[0])
print("in the order of the weights:", nbest_sorted(nbest, [-0.1, 0.5]).index[:3].tolist())
