"""Sufficient statistics: the counts from which every BLEU is computed, as rows of int64.

The row of a segment has the hypothesis length, the reference length, the clipped matches of orders 1 to N, and the numbers of
n-grams of these orders. Rows can be added: the row of a corpus is the sum of the rows of its segments. :func:`cybleu.score`
takes a row, or rows to add up; :func:`cybleu.scores` scores each row. The counts are those of Papineni et al. (2002), and equal
to sacreBLEU's and NLTK's.

A *batch of texts* has one of these forms:

- a list of token lists, with any hashable tokens;
- token ids in a 2-D integer array, with `lengths`, or with `pad_id` and `eos_id`;
- token ids in a :class:`cybleu.Ragged` pair of arrays, of the ids of all texts and of where each text begins;
- a list of 1-D arrays of token ids;
- a column that offers the Arrow C data interface (pyarrow, polars, pandas, DuckDB): of texts if `tokenize` is given, otherwise
  of lists of tokens or of token ids;
- if `tokenize` is given: a list of str, or of bytes in UTF-8.

Everything that has ``__array__`` is an array. Contiguous int32 and int64 are read in place.

*References* are a list that has a list of references for each segment, which may also be a 2-D array. If each segment has one
reference, they may be a 2-D array or :class:`cybleu.Ragged`. They may be a 3-D array (segments, references, tokens). They may also be one
column, of texts or of lists, or a list or table of columns, of which column k has the k-th reference of each segment. A null
among them is no reference.

`tokenize` is a name that :func:`cybleu.text.tokenizer` knows, or a function from a str to its tokens. `lowercase` puts each text
in lower case first.
"""

from __future__ import annotations

from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .accumulator import CorpusAccumulator as CorpusAccumulator
    from .references import References as References
    from .segments import segment_stats as segment_stats
    from .segments import short_segments as short_segments

__getattr__, __dir__, __all__ = later(
    __name__,
    {"accumulator": "CorpusAccumulator", "references": "References", "segments": "segment_stats short_segments"},
)
