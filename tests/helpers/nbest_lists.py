"""Make n-best lists and their files, by hand and generated, and compare lists."""

import itertools

import numpy as np
from hypothesis import strategies as st

import cybleu
from cybleu.nbest import NBest
from inputs import bits, on_both_backends

REFERENCES = [["the cat sat down"], ["it rains", "rain falls"], ["so it is"]]
ROW = [5, 5, 4, 2, 1, 0, 5, 4, 3, 2]


def written(folder, text, name="list"):
    path = folder / name
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return path


def line(number=0, text="the cat", features="d= 1 2 lm= 3", total="-1"):
    return f"{number} ||| {text} ||| {features} ||| {total}\n"


# longer than what is read at once, with a name that comes late
MANY_LINES = "".join(line(number // 2500, f"the cat {number}", f"a={number}") for number in range(7500)) + line(
    2, "", "a=1 b=2"
)


def made(**changes):
    arguments = {"offsets": [0, 2, 2, 3], "features": np.arange(6.0).reshape(3, 2), "stats": [[2, 4, 1, 0, 2, 1]] * 3}
    return NBest(**{**arguments, **changes})


def a_list(**changes):
    """Two hypotheses of one segment, with the statistics of BLEU of four orders."""
    return made(**{"offsets": [0, 2], "features": [[0.0, 1.0], [1.0, 0.0]], "stats": [ROW] * 2, **changes})


def sparse_of(nbest):
    """For each hypothesis its sparse features by name."""
    indptr, columns, values, names = nbest.sparse
    places = [range(*pair) for pair in itertools.pairwise(indptr)]
    return [{names[columns[place]]: float(values[place]).hex() for place in row} for row in places]


def parts_of(nbest):
    names = ("names", "offsets", "ids", "index", "features", "stats", "model_scores", "texts")
    return [repr(nbest), *(getattr(nbest, name) for name in names)]


def same(one, other):
    """Whether two lists are equal, to the last bit; sparse features may have other numbers."""
    assert bits(parts_of(one)) == bits(parts_of(other))
    assert (one.sparse and sparse_of(one)) == (other.sparse and sparse_of(other))
    return True


def read_on_both_backends(read):
    """Compare what both backends read, or their errors."""
    on_both_backends(lambda: [*parts_of(nbest := read()), nbest.sparse])


@st.composite
def altered(draw, lines, fragments, most=2):
    """Lines with a few small changes."""
    text = "\n".join(draw(lines))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.sampled_from(["", *fragments])) + text[place + draw(st.integers(0, most)) :]
    return text


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def lists(draw, names=None, sparse=True, segments=None, few=False):
    """A list of BLEU statistics."""
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4)) if segments is None else segments
    if segments is not None:
        sizes = [draw(st.integers(0, 4)) for _ in range(segments)]
    count = sum(sizes)
    if names is None:
        names = draw(st.sampled_from([["d_0", "d_1", "lm_0"], ["f0", "f1"], ["a=b_0", "d_0", "a=b_1"], []]))
    values = st.sampled_from([0.0, -0.0, 1.0]) if few else FINITE
    features = np.array([[draw(values) for _ in names] for _ in range(count)]).reshape(count, len(names))
    words = st.lists(st.sampled_from("the cat sat it".split()), max_size=1 if few else 6)
    texts = [draw(words) for _ in range(count)]
    pairs = None
    if sparse and names != ["f0", "f1"]:
        rows = [sorted(draw(st.sets(st.integers(0, 2), max_size=2))) for _ in range(count)]
        columns = [column for row in rows for column in row]
        sparse_names = draw(st.permutations(["p_a", "p_b=c", "p_b="]))
        pairs = np.cumsum([0, *map(len, rows)]), columns, [draw(values) for _ in columns], sparse_names
    references = [[["the", "cat", "sat"], ["it"]]] * len(sizes)
    stats = cybleu.rows(texts, references, owner=np.repeat(np.arange(len(sizes)), sizes))
    scores = [draw(FINITE) for _ in range(count)]
    offsets = np.cumsum([0, *sizes])
    return NBest(offsets, features, stats, names, list(map("  ".join, texts)), None, pairs, model_scores=scores)


def same_but_sparse_names(one, read):
    """Whether what was read is equal, but for the sparse names that no hypothesis has, which no file can hold."""
    found = [[{}] * len(nbest.features) if nbest.sparse is None else sparse_of(nbest) for nbest in (one, read)]
    assert found[0] == found[1]
    assert read.sparse is None or {*read.sparse.names} == {name for row in found[1] for name in row}
    return same(
        *(
            NBest(nbest.offsets, nbest.features, nbest.stats, nbest.names, nbest.texts, model_scores=nbest.model_scores)
            for nbest in (one, read)
        )
    )


def sparse_and_dense(seed=0, segments=20, size=12, dense=3, sparse=5, share=0.5, metric=None):
    """Hypotheses whose matches grow with a hidden model, but for noise. Values are eighths, so that sums are exact.

    :return: the list with sparse features, the same list without, and the weights of the model
    """
    generator = np.random.default_rng(seed)
    hidden = generator.normal(size=dense + sparse)
    count = segments * size
    values = np.rint(generator.normal(size=(count, dense + sparse)) * 8) / 8
    values[:, dense:] *= generator.random((count, sparse)) < share
    quality = values @ hidden + generator.normal(size=count)
    matches = np.clip((10 + 3 * quality).astype(int), 0, 20)
    stats = np.array([[20, 20, match, max(0, match - 5), 20, 19] for match in matches])
    names = [f"d{column}" for column in range(dense)], [f"s{column}" for column in range(sparse)]
    offsets = np.arange(0, count + 1, size)
    rows, columns = np.nonzero(values[:, dense:])
    indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=count)))
    parts = indptr, columns, values[:, dense:][rows, columns], names[1]
    return (
        NBest(offsets, values[:, :dense], stats, names[0], sparse=parts, score=metric),
        NBest(offsets, values, stats, [*names[0], *names[1]], score=metric),
        hidden,
    )
