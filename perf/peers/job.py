#!/usr/bin/env python3
"""The benchmark's jobs by other readers: `job.py pyarrow|duckdb|polars|oxihipo|floor JOB THREADS FILE...`. Prints
`ready VERSION`; then, for each number read from standard input, does the job that many times and prints
for each of its ways: the best wall time and CPU time in ms, the sums and the rows; then `done`.
Opening the files is part of the job. JOB: sum three columns, rows (the same, row by row), all (read all
columns, sum three), count (the rows, from the footers). Of nested files: aggregates (least and greatest version,
elements of three lists), leaves (read all; values, slots with the nulls, bytes of strings). None of these has
rows of nested values, but as objects of Python. Of HIPO: events (their number), evno, pid, pidpx, all8 (the sum of
columns), and there the files are opened before the clock starts."""
import ctypes
import os
import resource
import sys
import time

ENGINE, JOB, THREADS, FILES = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
COLUMNS = ["passenger_count", "trip_distance", "fare_amount"]
LISTS = ["websites", "sources", "addresses"]
# One leaf, the smallest, is enough for a list's lengths.
LEAVES = ["version", "websites.list.element", "sources.list.element.property", "addresses.list.element.country"]
HERE = os.path.dirname(os.path.abspath(__file__))
os.environ["POLARS_MAX_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(THREADS)


def check_leaves(table):
    """Of an Arrow table: values, slots and bytes of its leaves, and the rows."""
    import pyarrow as pa
    import pyarrow.compute as pc
    sums = [0, 0, 0, table.num_rows]

    def add(array):
        if pa.types.is_struct(array.type):
            for child in array.flatten():
                add(child)
        elif pa.types.is_map(array.type):
            begin, end = array.offsets[0].as_py(), array.offsets[-1].as_py()
            add(array.keys[begin:end])
            add(array.items[begin:end])
        elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
            add(array.flatten())
        else:
            sums[0] += len(array) - array.null_count
            sums[1] += len(array)
            if not pa.types.is_primitive(array.type):
                sums[2] += pc.sum(pc.binary_length(array)).as_py() or 0
    for column in table.columns:
        for chunk in column.chunks:
            add(chunk)
    return sums


def pyarrow_ways():
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    pa.set_cpu_count(THREADS)
    pa.set_io_thread_count(THREADS)
    wanted = None if JOB == "all" else COLUMNS
    threads = THREADS > 1

    def total(parts):
        sums = [0, 0.0, 0.0, 0]
        for part in parts:
            for i, name in enumerate(COLUMNS):
                sums[i] += pc.sum(part.column(name)).as_py() or 0
            sums[3] += part.num_rows
        return sums

    def by_table():
        return total(pq.ParquetFile(f, pre_buffer=True).read(columns=wanted, use_threads=threads) for f in FILES)

    def by_batches():
        return total(batch for f in FILES for batch in pq.ParquetFile(f, pre_buffer=True).iter_batches(
            batch_size=65536, columns=wanted, use_threads=threads))

    def tables(columns=None):
        return pa.concat_tables(pq.ParquetFile(f, pre_buffer=True).read(columns=columns, use_threads=threads) for f in FILES)

    def by_lengths():
        table = tables(LEAVES)
        return [*pc.min_max(table.column("version")).as_py().values(),
                *(pc.sum(pc.list_value_length(table.column(c))).as_py() for c in LISTS), table.num_rows]

    def by_leaves():
        table = tables()
        return lambda: check_leaves(table)

    def by_footers():
        return [0, 0, 0, sum(pq.ParquetFile(f).metadata.num_rows for f in FILES)]
    flat = {"table": by_table, "batches": by_batches}
    return pa.__version__, {"sum": flat, "all": flat, "count": {"footer": by_footers}, "aggregates": {"table": by_lengths},
                            "leaves": {"table": by_leaves}}.get(JOB, {})


def duckdb_rows():
    """DuckDB's own API in C, which its Python module exports, and a C loop over its chunks."""
    library = ctypes.CDLL(os.environ["WEIR_DUCK"])
    if library.duck_open(str(THREADS).encode()):
        sys.exit("DuckDB can't be opened by its C API")
    names = "[" + ", ".join(f"'{f}'" for f in FILES) + "]"
    query = f"SELECT {', '.join(COLUMNS)} FROM read_parquet({names})".encode()

    def go(streams):
        rows, whole, real = ctypes.c_int64(), ctypes.c_int64(), (ctypes.c_double * 2)()
        if library.duck_rows(query, streams, ctypes.byref(rows), ctypes.byref(whole), real):
            sys.exit("the query failed")
        return [whole.value, real[0], real[1], rows.value]
    return {"chunks, streamed": lambda: go(1), "chunks": lambda: go(0)}


def duckdb_ways():
    sys.setdlopenflags(os.RTLD_GLOBAL | os.RTLD_NOW)
    import duckdb
    if JOB == "rows":
        return duckdb.__version__, duckdb_rows() if "WEIR_DUCK" in os.environ else {}
    connection = duckdb.connect(config={"threads": THREADS})
    sums = ", ".join(f"sum({c})" for c in COLUMNS)

    def ask(what):
        return list(connection.execute(f"SELECT {what} FROM read_parquet(?)", [FILES]).fetchone())

    def by_table():
        import pyarrow.compute as pc
        table = connection.sql("SELECT * FROM read_parquet(?)", params=[FILES]).to_arrow_table()
        return [pc.sum(table.column(c)).as_py() for c in COLUMNS] + [table.num_rows]

    def by_leaves():
        table = connection.sql("SELECT * FROM read_parquet(?)", params=[FILES]).to_arrow_table()
        return lambda: check_leaves(table)
    lengths = ", ".join(f"sum(len({c}))" for c in LISTS)
    ways = {"sum": {"sql": lambda: ask(sums + ", count(*)")}, "all": {"table": by_table},
            "count": {"sql": lambda: [0, 0, 0] + ask("count(*)")},
            "aggregates": {"sql": lambda: ask(f"min(version), max(version), {lengths}, count(*)")},
            "leaves": {"table": by_leaves}}
    return duckdb.__version__, ways.get(JOB, {})


def polars_ways():
    import polars as pl
    ask = [pl.col(c).sum() for c in COLUMNS] + [pl.len().alias("rows")]

    lengths = [pl.col("version").min().alias("least"), pl.col("version").max(), *(pl.col(c).list.len().sum() for c in LISTS),
               pl.len().alias("rows")]

    def lazy(engine, what=ask):
        return lambda: list(pl.scan_parquet(FILES).select(what).collect(engine=engine).row(0))

    def leaves(engine):
        def go():
            frame = pl.scan_parquet(FILES).collect(engine=engine)
            return lambda: check_leaves(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
        return go

    def frame(engine):
        return lambda: list(pl.scan_parquet(FILES).collect(engine=engine).select(ask).row(0))
    ways = {"sum": {"memory": lazy("in-memory"), "streaming": lazy("streaming")},
            "all": {"memory": frame("in-memory"), "streaming": frame("streaming")},
            "count": {"lazy": lambda: [0, 0, 0, pl.scan_parquet(FILES).select(pl.len()).collect().item()]},
            "aggregates": {"memory": lazy("in-memory", lengths), "streaming": lazy("streaming", lengths)},
            "leaves": {"memory": leaves("in-memory"), "streaming": leaves("streaming")}}
    return pl.__version__, ways.get(JOB, {})


def floor_ways():
    import floor
    return "-", floor.ways(FILES, {"sum": COLUMNS, "aggregates": LEAVES}.get(JOB))


BANKS = {"evno": ("REC::Event", ["evno"]), "pid": ("REC::Particle", ["pid"]), "pidpx": ("REC::Particle", ["pid", "px"]),
         "all8": ("REC::Particle", ["pid", "px", "py", "pz", "vz", "charge", "status", "chi2pid"])}


def oxihipo_ways():
    import numpy as np
    import oxihipo

    def total(values):
        return float(values.sum(dtype=np.int64 if values.dtype.kind == "i" else np.float64))

    def by_tags(chain):
        return [0, len(chain.event_tags(threads=THREADS))]

    def by_columns(chain):
        (_, offsets, columns), = chain.read_columns([BANKS[JOB]], threads=THREADS)
        return [sum(total(values) for _, values, _ in columns), len(offsets) - 1]
    return oxihipo.__version__, {"columns": (lambda: oxihipo.open(FILES), by_tags if JOB == "events" else by_columns)}


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


version, ways = {"pyarrow": pyarrow_ways, "duckdb": duckdb_ways, "polars": polars_ways, "oxihipo": oxihipo_ways,
                 "floor": floor_ways}[ENGINE]()
print("ready", version, flush=True)
for line in sys.stdin:
    for way, work in ways.items():
        opening, work = work if isinstance(work, tuple) else (None, work)
        wall, used = [], []
        for _ in range(int(line)):
            opened = [opening()] if opening else []
            begin, spent = time.perf_counter(), cpu()
            sums = work(*opened)
            wall.append(time.perf_counter() - begin)
            used.append(cpu() - spent)
        if callable(sums):  # what isn't part of the job
            sums = sums()
        print(way, 1e3 * min(wall), 1e3 * min(used), *map(repr, map(float, sums)), sep="\t", flush=True)
    print("done", flush=True)
