"""`sacrebleu_corpus_bleu` beside sacreBLEU. Results are compared before anything is timed.

python benchmarks/sacrebleu_face.py [--rounds N]

Both tokenise with sacreBLEU's tokeniser, which remembers lines as long as its `BLEU` object is kept. Of new lines it takes
nearly all the time, so what is left without it is measured with lines that both remember, and on tokenised text.
"""

from __future__ import annotations

import sacrebleu
from measure import DATA, compare, machine, newstest, rounds_asked, row
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

import cybleu
from cybleu import sacrebleu_corpus_bleu, sacrebleu_sentence_bleu

MS = {"unit": "ms", "scale": 1e3}


def lines(name):
    newstest()  # says so where there is no data
    return (DATA / "wmt17-en-de" / f"{name}.txt").read_text(encoding="utf-8").split("\n")[:-1]


def anew(function):
    """The function without a line remembered."""

    def run():
        Tokenizer13a.__call__.cache_clear()
        TokenizerRegexp.__call__.cache_clear()
        function()

    return run


def main():
    rounds = rounds_asked(9)
    reference, hypotheses = lines("ref"), lines("uedin-nmt.4722")
    metric = sacrebleu.BLEU(force=True)

    def tokenise():
        return [[metric.tokenizer(line.rstrip()) for line in text] for text in (reference, hypotheses)]

    def ours():
        return sacrebleu_corpus_bleu(hypotheses, [reference], force=True)

    def theirs():
        return sacrebleu.corpus_bleu(hypotheses, [reference], force=True)

    def with_object():
        return metric.corpus_score(hypotheses, [reference])

    tokenised_reference, tokenised = tokenise()
    arguments = tokenised, [tokenised_reference]
    none = {"tokenize": "none", "force": True}
    pairs = [(hypothesis, [line]) for hypothesis, line in zip(hypotheses, reference)]
    assert vars(ours()) == vars(theirs()) == vars(with_object())
    assert vars(sacrebleu_corpus_bleu(*arguments, **none)) == vars(sacrebleu.corpus_bleu(*arguments, **none))
    for pair in pairs:
        assert vars(sacrebleu_sentence_bleu(*pair)) == vars(sacrebleu.sentence_bleu(*pair)), pair

    print(f"{machine()}; cybleu {cybleu.__version__}, {cybleu.BACKEND} backend; medians of {rounds} rounds\n")
    print(f"| work | cybleu | sacreBLEU {sacrebleu.__version__} | times |\n|---|---|---|---|")
    new, new_to_sacrebleu = compare(anew(tokenise), anew(theirs), rounds, ours_per_round=1)
    row("13a alone, of new lines; `corpus_bleu`", new, new_to_sacrebleu, **MS)
    row("`corpus_bleu`, 13a, new lines", *compare(anew(ours), anew(theirs), rounds, ours_per_round=1), **MS)
    remembered, _ = compare(tokenise, tokenise, rounds)
    times = compare(ours, with_object, rounds)
    row("`corpus_bleu`, 13a, remembered lines", *times, **MS)
    row(
        "`corpus_bleu`, 13a, remembered lines, without tokenising", *(time - remembered for time in times), bar=20, **MS
    )
    row("the second call of `corpus_bleu`, 13a", *compare(ours, theirs, rounds), **MS)
    times = compare(
        lambda: sacrebleu_corpus_bleu(*arguments, **none), lambda: sacrebleu.corpus_bleu(*arguments, **none), rounds
    )
    row("`corpus_bleu`, none, tokenised lines", *times, bar=20, **MS)
    times = compare(
        lambda: [sacrebleu_sentence_bleu(*pair) for pair in pairs],
        lambda: [sacrebleu.sentence_bleu(*pair) for pair in pairs],
        rounds,
    )
    row("`sentence_bleu`, 13a, remembered lines; new to sacreBLEU", *times, count=len(pairs))


if __name__ == "__main__":
    main()
