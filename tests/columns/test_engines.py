"""Spark and Ray, compared with the same tables in memory, for any partitions."""

import doctest
import os
import signal
import sys
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from cybleu import columns, score, scores
from cybleu.columns import engines
from cybleu.errors import (
    ArrayValueError,
    ArrowError,
    EmptyCorpusError,
    LengthMismatchError,
    SequenceTypeError,
    StatisticsError,
    UnknownNameError,
)
from cybleu.metrics import Mixture, find
from cybleu.significance import Settings, compare_systems
from inputs import side_by_side

pytestmark = [
    pytest.mark.long,
    # the engines' own, of which there are others in each version
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"),
]

WORDS = ["the", "cat", "sat", "on", "a", "mat.", "3.5 %", "naïve", "猫"]


def made(count=60, systems=("a", "b", "c")):
    """A table with an empty hypothesis, lists with a null reference, and token lists."""
    import pyarrow

    random = Random(count)

    def sentence():
        return " ".join(random.choices(WORDS, k=random.randrange(1, 12)))

    references = [sentence() for _ in range(-(-count // len(systems)))]
    texts = [sentence() if number else "" for number in range(count)]
    of_segments = [references[number // len(systems)] for number in range(count)]
    return pyarrow.table(
        {
            "the.system": [systems[number % len(systems)] for number in range(count)],
            "segment": [number // len(systems) for number in range(count)],
            "hypothesis": texts,
            "reference": of_segments,
            "several": [[text, None, text[:9]] for text in of_segments],
            "tokens": [text.split() for text in texts],
            "other tokens": [text.split() for text in of_segments],
        }
    )


class Spark:
    """A Spark session in this process, in which a task may fail three times."""

    from cybleu.columns import spark as module

    def __init__(self):
        os.environ["PYSPARK_PYTHON"] = sys.executable
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
        self.session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")

    def frame(self, table, partitions=2):
        return self.session.createDataFrame(table).repartition(partitions)

    def skewed(self, table):
        """All rows in one of seven partitions."""
        from pyspark.sql.functions import lit

        frame = self.session.createDataFrame(table).repartition(7, lit(1))
        sizes = sorted(frame.rdd.glom().map(len).collect())
        assert sizes == [0, 0, 0, 0, 0, 0, table.num_rows]
        return frame

    def without_rows(self, table):
        return self.session.createDataFrame(table).filter("segment < 0")

    def rows(self, frame):
        return frame.toArrow().to_pylist()

    def stop(self):
        self.session.stop()


class Ray:
    """A cluster on this machine."""

    from cybleu.columns import ray as module

    def __init__(self):
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.default_hash_shuffle_parallelism = 2

    def frame(self, table, partitions=2):
        from ray.data import from_arrow

        cuts = [table.num_rows * part // partitions for part in range(partitions + 1)]
        return from_arrow([table.slice(begin, end - begin) for begin, end in pairwise(cuts)])

    def skewed(self, table):
        from ray.data import from_arrow

        most = table.num_rows - 1
        return from_arrow([table.slice(0, 0), table.slice(0, most), table.slice(0, 0), table.slice(most)])

    def without_rows(self, table):
        from ray.data import from_arrow

        return from_arrow(table.slice(0, 0))

    def rows(self, dataset):
        return dataset.take_all()

    def stop(self):
        import ray

        ray.shutdown()


@pytest.fixture(scope="module", params=["spark", "ray"])
def engine(request):
    found = {"spark": Spark, "ray": Ray}[request.param]()
    yield found
    found.stop()


@pytest.mark.parametrize("partitions", [1, 2, 7, 100])
def test_sums_are_equal_for_any_partitions_in_any_order(engine, partitions):
    table = made()
    order = list(range(table.num_rows))
    Random(partitions).shuffle(order)
    frame = engine.frame(table.take(order), partitions)
    wanted = columns.total(table)
    assert engine.module.total(frame) == wanted
    assert engine.module.score(frame) == score(wanted)


def test_partitions_that_are_empty_and_one_that_has_everything(engine):
    table = made()
    frame = engine.skewed(table)
    assert engine.module.total(frame) == columns.total(table)
    found = engine.rows(engine.module.group_scores(frame, "the.system"))
    assert sum(group["hyp_len"] for group in found) == columns.total(table)["hyp_len"]


def test_a_worker_that_is_killed_in_the_middle(engine, tmp_path):
    table = made()
    killed = tmp_path / "killed"
    last = table.column("hypothesis")[-1].as_py()

    def tokenize(text):
        if text == last and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return text.split()

    assert engine.module.total(engine.frame(table), tokenize=tokenize) == columns.total(table, tokenize="none")
    assert killed.exists()


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"metric": "nltk:method1", "tokenize": "intl", "lowercase": True},
        {"metric": "codexglue", "tokenize": "codexglue"},
        {"metric": "chrf++"},
        {"references": "several"},
        {"references": ["reference", "hypothesis"], "metric": find("mteval-v13a", max_order=2)},
        {"hypothesis": "tokens", "references": "other tokens", "metric": "gleu"},
        {"references": "several", "metric": Mixture(((find(), 0.5), (find(reference_length="shortest"), 0.5)))},
    ],
    ids=str,
)
def test_segments(engine, choices):
    table = made()
    metric = find(choices.get("metric"))
    rows = np.array(side_by_side(columns.rows(table, **choices)))
    keep = ["segment", "the.system"]
    key = [(part, name) for part, name in zip(*(table.column(name).to_pylist() for name in keep))]
    found = engine.rows(engine.module.rows(engine.frame(table), keep=keep, **choices))
    assert all(list(row) == [*keep, *metric.columns] for row in found)
    by_key = {tuple(row[name] for name in keep): [row[name] for name in metric.columns] for row in found}
    assert [by_key[one] for one in key] == rows.tolist()
    found = engine.rows(engine.module.segment_scores(engine.frame(table), keep=keep, **choices))
    by_key = {tuple(row[name] for name in keep): row["score"] for row in found}
    assert [by_key[one] for one in key] == scores(rows, metric.of_sentences()).tolist()


@pytest.mark.parametrize("metric", ["sacrebleu", "nltk", "chrf", "gleu"])
def test_the_corpus_and_its_groups(engine, metric):
    table = made()
    rows = np.array(side_by_side(columns.rows(table, metric=metric)))
    frame = engine.frame(table, 3)
    assert engine.module.score(frame, metric=metric) == score(rows, metric)
    systems = np.array(table.column("the.system").to_pylist())
    found = {
        group["the.system"]: group
        for group in engine.rows(engine.module.group_scores(frame, "the.system", metric=metric))
    }
    assert sorted(found) == ["a", "b", "c"]
    for name, group in found.items():
        of_group = rows[systems == name]
        assert list(group) == ["the.system", *find(metric).columns, "score"]
        assert [group[name] for name in find(metric).columns] == of_group.sum(axis=0).tolist()
        assert group["score"] == score(of_group, metric).score


def test_rows_of_systems_for_tests_of_significance(engine):
    table = made()
    rows = np.array(side_by_side(columns.rows(table)))
    systems = np.array(table.column("the.system").to_pylist())
    order = list(range(table.num_rows))
    Random(1).shuffle(order)
    found = engine.module.system_rows(engine.frame(table.take(order), 5), system="the.system")
    assert list(found) == ["a", "b", "c"]
    for name in found:
        assert found[name].tolist() == rows[systems == name].tolist()
    wanted = compare_systems({name: rows[systems == name] for name in "abc"}, settings=Settings(samples=200))
    assert str(compare_systems(found, settings=Settings(samples=200))) == str(wanted)


def test_rows_of_systems_that_do_not_fit(engine):
    import pyarrow

    table = made()

    def rows_of(part):
        return engine.module.system_rows(engine.frame(part), system="the.system")

    with pytest.raises(LengthMismatchError, match="the systems a and c have not the same segments, for example 19"):
        rows_of(table.slice(0, 59))
    with pytest.raises(LengthMismatchError, match="the system b has the segment 0 more than once"):
        rows_of(pyarrow.concat_tables([table, table.slice(1, 1)]))
    place = table.schema.get_field_index("segment")
    without = table.set_column(place, "segment", pyarrow.array([None, *table.column("segment").to_pylist()[1:]]))
    with pytest.raises(SequenceTypeError, match="'segment' holds nulls"):
        rows_of(without)


def test_examples_in_docstrings(engine):
    import pyarrow

    texts = ["the cat sat down", "the cat sat there"]
    table = pyarrow.table({"system": ["a", "b"], "segment": [1, 1], "hypothesis": texts, "reference": texts[:1] * 2})
    frame = engine.frame(table)
    names = {**vars(engine.module), "frame": frame}
    printed = []
    runner = doctest.DocTestRunner()
    documented = engine.module if isinstance(engine, Ray) else engines
    for examples in doctest.DocTestFinder(exclude_empty=True).find(documented, globs=names):
        runner.run(examples, out=printed.append)
    assert runner.failures == 0, "".join(printed)
    assert runner.tries == (3 if isinstance(engine, Ray) else 6)


def test_what_cannot_be(engine):
    import pyarrow

    table = made()
    frame = engine.frame(table)
    with pytest.raises(UnknownNameError, match=r"no column 'x'; it has 'the\.system', 'segment', 'hypothesis'"):
        engine.module.rows(frame, "x")
    with pytest.raises(ArrayValueError, match="'segment' is to be kept, and it is given twice"):
        engine.module.rows(frame, keep=["segment", "segment"])
    with pytest.raises(ArrayValueError, match="'score' is to be kept, and it is the name of a column that is made"):
        engine.module.segment_scores(frame, keep="score")
    with pytest.raises(StatisticsError, match="mean of the scores of segments"):
        engine.module.score(frame, metric="codexglue")
    with pytest.raises(ArrowError, match="a Table is not a Data"):
        engine.module.total(table)
    nothing = engine.without_rows(table)
    assert set(engine.module.total(nothing).values()) == {0}
    with pytest.raises(EmptyCorpusError):
        engine.module.score(nothing)
    place = table.schema.get_field_index("hypothesis")
    broken = table.set_column(place, "hypothesis", pyarrow.array([*table.column("hypothesis").to_pylist()[:-1], None]))
    with pytest.raises(Exception, match=r"hypotheses\[\d+\] is null; drop"):
        engine.module.total(engine.frame(broken))
