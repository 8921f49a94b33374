#!/usr/bin/env python3
"""The main job by another reader: `job.py pyarrow|duckdb|polars THREADS FILE...`. For each number read
from standard input it does the job that many times, and prints for each of its ways of reading: the
best wall time and CPU time in ms, the three sums and the rows. Opening the files is part of the job."""
import os
import resource
import sys
import time

ENGINE, THREADS, FILES = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
COLUMNS = ["passenger_count", "trip_distance", "fare_amount"]
os.environ["POLARS_MAX_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(THREADS)


def pyarrow_ways():
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    pa.set_cpu_count(THREADS)
    pa.set_io_thread_count(THREADS)

    def total(parts):
        sums = [0, 0.0, 0.0, 0]
        for part in parts:
            for i in range(3):
                sums[i] += pc.sum(part.column(i)).as_py() or 0
            sums[3] += part.num_rows
        return sums

    def by_table():
        return total(pq.ParquetFile(f).read(columns=COLUMNS, use_threads=THREADS > 1) for f in FILES)

    def by_batches():
        return total(batch for f in FILES for batch in pq.ParquetFile(f, pre_buffer=True).iter_batches(
            columns=COLUMNS, use_threads=THREADS > 1))
    return {"table": by_table, "batches": by_batches}


def duckdb_ways():
    import duckdb
    connection = duckdb.connect(config={"threads": THREADS})
    sums = ", ".join(f"sum({c})" for c in COLUMNS)
    return {"sql": lambda: list(connection.execute(f"SELECT {sums}, count(*) FROM read_parquet(?)", [FILES]).fetchone())}


def polars_ways():
    import polars as pl
    ask = [pl.col(c).sum() for c in COLUMNS] + [pl.len().alias("rows")]
    return {"lazy": lambda: list(pl.scan_parquet(FILES).select(ask).collect().row(0)),
            "streaming": lambda: list(pl.scan_parquet(FILES).select(ask).collect(engine="streaming").row(0))}


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


ways = {"pyarrow": pyarrow_ways, "duckdb": duckdb_ways, "polars": polars_ways}[ENGINE]()
print("ready", flush=True)
for line in sys.stdin:
    for way, work in ways.items():
        wall, used = [], []
        for _ in range(int(line)):
            begin, spent = time.perf_counter(), cpu()
            sums = work()
            wall.append(time.perf_counter() - begin)
            used.append(cpu() - spent)
        print(way, 1e3 * min(wall), 1e3 * min(used), *map(repr, map(float, sums)), sep="\t", flush=True)
    print("done", flush=True)
