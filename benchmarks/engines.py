"""Benchmark Spark and Ray against one process with as many processors.

python benchmarks/engines.py [--rows N] [--rounds N] [--engines spark ray] [--dictionaries]

Start-up is excluded: everything runs once before. Rates are computed from the additional time of a call on twice as many pairs,
so one column has the time that a call takes before it counts, for example for new processes. Times are wall time and, on Linux,
processor time of all processes that the benchmark started, which other load disturbs less.

The texts are in Parquet files on a disk, cached in memory after the first run. For Ray they are also in its object store, and then
in memory of the single process. The 3,004 pairs repeat. By default Parquet would store each text once per row group, in a
dictionary, so the files would report a small fraction of the size of the texts, and Ray's newer reader, which uses that size, would
read everything in one task. Texts of this size do not repeat in practice, and Parquet drops dictionaries of more than 1 MB. So the
benchmark writes none unless `--dictionaries` is given.

`transport` is the same map without counting: the time of the engine to read the texts and pass them to Python.
Requires pyarrow, PySpark and Ray.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow
import pyarrow.dataset
import pyarrow.parquet
from measure import cells, header, lines

from cybleu import columns

CORES = 2
IDLE = 2.5  # seconds until Ray has ended idle workers, so that each call starts new ones
FILES = 8
MARK = f"CYBLEU_BENCHMARK={os.getpid()}".encode()
BLOCK = 524288  # rows of a block in Ray's object store, 128 MiB of text, the size of Ray's own blocks


def write(folder, rows, dictionaries):
    """Write the texts in files of equal size."""
    texts = {"hypothesis": lines("uedin-nmt.4722"), "reference": lines("ref")}
    each = rows // FILES
    times = -(-each // len(texts["reference"]))
    table = pyarrow.table({name: pyarrow.array(column * times)[:each] for name, column in texts.items()})
    for number in range(FILES):
        path = folder / f"{number}.parquet"
        pyarrow.parquet.write_table(table, path, row_group_size=65536, use_dictionary=dictionaries)
    return each * FILES, table.nbytes * FILES


def plain(folder, threads):
    """Count the files in threads of one process."""

    def of_file(path):
        return columns.total(pyarrow.dataset.dataset(path).scanner(use_threads=False).to_reader())

    with ThreadPoolExecutor(threads) as pool:
        sums = list(pool.map(of_file, sorted(folder.iterdir())))
    return {name: sum(one[name] for one in sums) for name in sums[0]}


def on_spark(folder):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from cybleu.columns import spark

    builder = SparkSession.builder.master(f"local[{CORES}]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "4g").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    frame = session.read.parquet(str(folder))

    def number_of(batches):
        for batch in batches:
            yield pyarrow.RecordBatch.from_pydict({"rows": [batch.num_rows]})

    def transport(some):
        return some.mapInArrow(number_of, "rows bigint").agg({"rows": "sum"}).first()[0]

    yield "Spark, Parquet", lambda: plain(folder, CORES), spark.total, transport, frame, frame.union(frame)
    session.stop()


def on_ray(folder):
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 (not 15, which would measure other load)
    import ray

    from cybleu.columns import ray as on_datasets

    ray.init(num_cpus=CORES, include_dashboard=False, log_to_driver=False, logging_level="error")
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False

    def number_of(block):
        return pyarrow.table({"rows": [block.num_rows]})

    def transport(dataset):
        return dataset.map_batches(number_of, batch_format="pyarrow", batch_size=None).sum("rows")

    more = folder.parent / "twice"
    more.mkdir()
    for path in folder.iterdir():
        for time_of in "12":
            os.link(path, more / f"{time_of}-{path.name}")
    for reader, newer in (("", True), (" by its older reader", False)):
        context.use_datasource_v2 = newer
        once = ray.data.read_parquet(str(folder), override_num_blocks=FILES)
        twice = ray.data.read_parquet(str(more), override_num_blocks=2 * FILES)
        yield f"Ray, Parquet{reader}", lambda: plain(folder, CORES), on_datasets.total, transport, once, twice
    table = pyarrow.dataset.dataset(folder).to_table()
    blocks = [table.slice(start, BLOCK) for start in range(0, len(table), BLOCK)]
    once, twice = ray.data.from_arrow(blocks), ray.data.from_arrow(blocks * 2)
    yield "Ray, object store", lambda: columns.total(table, threads=CORES), on_datasets.total, transport, once, twice
    ray.shutdown()


def processors():
    """Seconds of processor time by process id, of all processes that inherited our mark.

    Empty on systems without /proc.
    """
    times = {}
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if path.name == str(os.getpid()) or MARK in (path / "environ").read_bytes():
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                times[path.name] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return times


def seconds(function):
    """Wall time and processor time."""
    time.sleep(IDLE)
    before = processors()
    latest = dict(before)
    ended = threading.Event()

    def watch():  # because processes end, too
        while not ended.wait(0.25):
            latest.update(processors())

    watching = threading.Thread(target=watch)
    watching.start()
    started = time.perf_counter()
    function()
    clock = time.perf_counter() - started
    ended.set()
    watching.join()
    latest.update(processors())
    return clock, sum(latest.values()) - sum(before.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engines", nargs="*", default=["spark", "ray"], choices=["spark", "ray"])
    parser.add_argument("--dictionaries", action="store_true", help="store each text once in a row group")
    options = parser.parse_args()
    os.environ["CYBLEU_BENCHMARK"] = str(os.getpid())
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "once"
        folder.mkdir()
        rows, size = write(folder, options.rows, options.dictionaries)
        wanted = plain(folder, CORES)
        print(f"{header()}, pyarrow {pyarrow.__version__}")
        stored = "Parquet files with dictionaries" if options.dictionaries else "Parquet files"
        print(f"{rows:,} pairs, {size / 1e6:.0f} MB of text in {FILES} {stored}, 13a, {CORES} processors\n")
        cells("", "s", "of it before counting", "pairs a second", "of the plain process", "s of the processor")
        cells("---", "---:", "---:", "---:", "---:", "---:")
        for name in options.engines:
            for title, in_one, total, transport, once, twice in {"spark": on_spark, "ray": on_ray}[name](folder):
                assert in_one() == total(once) == wanted
                assert total(twice) == {column: 2 * number for column, number in wanted.items()}
                assert (transport(once), transport(twice)) == (rows, 2 * rows)
                works = [(in_one,), (total, once), (total, twice), (transport, once), (transport, twice)]
                times = [  # alternately, because the machine may be busy
                    [seconds(lambda one=one, given=given: one(*given)) for one, *given in works]
                    for _ in range(options.rounds)
                ]
                of_plain, *others = ([statistics.median(some) for some in zip(*one)] for one in zip(*times))
                plain_rate = rows / of_plain[0]
                of_one = f"one process, {title.partition(', ')[2]}"
                cells(of_one, f"{of_plain[0]:.1f}", "", f"{plain_rate:,.0f}", "1.00", f"{of_plain[1]:.1f}")
                for what, of_once, of_twice in ((title, *others[:2]), (f"{title}: transport", *others[2:])):
                    more = of_twice[0] - of_once[0]
                    rate = rows / more
                    clock = f"{of_once[0]:.1f}", f"{of_once[0] - more:.1f}"
                    cells(what, *clock, f"{rate:,.0f}", f"{rate / plain_rate:.2f}", f"{of_once[1]:.1f}")


if __name__ == "__main__":
    main()
