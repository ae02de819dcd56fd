"""Lists with sparse features, and the same lists with all of them dense."""

from __future__ import annotations

import numpy as np

from cybleu.nbest import NBest


def lists(seed=0, segments=20, size=12, dense=3, sparse=5, share=0.5, metric=None):
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
