"""Segments in the columns of a Parquet file, which pyarrow reads some at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .._runtime.extras import extra
from .._runtime.parallel import watched
from ..errors import InputFileError
from ..text.batches import Corpus
from ..text.columns import ReferenceColumns, check_column, texts_of_column
from ..text.reading import check_same_kind
from .command import shows_progress

ROWS = 1024  # that are read at a time, so that long texts take little memory


def column_segments(file: str, hypotheses: Sequence[str], references: Sequence[str]) -> Iterator[list[Corpus]]:
    """Raw text in columns with these names, some rows at a time: a corpus for each column of hypotheses.

    :raises InputFileError: the file is not there, is no Parquet file, or has no such column
    :raises MissingExtraError: pyarrow is not installed
    """
    with extra("pyarrow", "columns of Parquet files require pyarrow", "cybleu[arrow]"):
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    first = 0
    names = list(dict.fromkeys([*hypotheses, *references]))  # pyarrow finds no column by a name that two have
    try:
        with ParquetFile(file) as reader:
            has = reader.schema_arrow.names
            for name in names:
                if name not in has:
                    raise InputFileError(f"{file} has no column {name!r}; it has {', '.join(map(repr, has))}")
            blocks = reader.iter_batches(ROWS, columns=names)
            rows = reader.metadata.num_rows
            if shows_progress():
                blocks = watched(blocks, rows, lambda: first, " segments")
            for block in blocks:
                for name in names:
                    check_column(block[name], f"{file}:{name}")
                of_references = f"{file}:{references[0]}"
                columns = ReferenceColumns([block[name] for name in references], of_references, first)
                texts = [texts_of_column(block[name], f"{file}:{name}", first) for name in hypotheses]
                for name, one in zip(hypotheses, texts):
                    check_same_kind(one.kind, f"{file}:{name}", "raw text", of_references)
                sets = columns.sets("raw text")
                yield [Corpus(one, sets) for one in texts]
                first += len(block)
    except (OSError, ArrowException) as error:
        raise InputFileError(f"{file}: {error}") from error
