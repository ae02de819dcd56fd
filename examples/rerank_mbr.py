"""Minimum Bayes risk without any reference: of four translations of each verse the one most like the others."""

from pathlib import Path

from cybleu.rerank import diverse, mbr

HERE = Path(__file__).parent
NAMES = ("kjv", "asv", "ylt", "web")
verses = list(zip(*[(HERE / f"mark.{name}.txt").read_text(encoding="utf-8").splitlines() for name in NAMES]))

best = mbr(verses, tokenize=str.split)
for number, name in enumerate(NAMES):
    print(f"{name}: chosen for {(best.positions == number).sum()} verses")
print("expected BLEU in the first verse:", best.scores[:4].round(1).tolist())
print("two that differ:", [NAMES[place] for place in diverse(verses[:1], 2, similarity=2.0, tokenize=str.split)[0]])
