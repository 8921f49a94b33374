#!/usr/bin/env python3
"""Makes the benchmark's files, those that are missing: `fixtures.py FOLDER ROWS [NAME...]`. The rides are
taxi.sql's, like the public ones in types, odd values and numbers of distinct ones; files 1 and 2 have
scattered nulls, 3 and 4 all of them at the end.

taxiN.CODEC    as DuckDB writes them: dictionary pages, row groups of 1,048,576 rows
plain.CODEC    the rides of taxi1 as the public files have them: doubles PLAIN in pages of 1 MB
arrow.zstd     the same by pyarrow's defaults
pages8k.zstd   the same, in pages of 8 KB
short.zstd     the three columns, in runs of 39 packed codes and 91 equal ones, about
groups.zstd    the three columns of 40,000 rides (of fewer, where there are few), a row group each
wide           1,000 columns in 20 row groups of one row

places.CODEC   map data of 36 leaves, places.sql's, as DuckDB writes them; a sixth of the rows
embeddings.zstd, tags.zstd, deep.zstd, sparse.zstd
               lists by pyarrow's defaults: of 768 floats, a 200th of the rows; of 0 to 3 strings; five
               levels deep, a 30th of the rows; mostly null, and mostly nulls in those that aren't"""
import os
import sys

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

HERE = os.path.dirname(os.path.abspath(__file__))
GROUP = 1048576
COLUMNS = ["passenger_count", "trip_distance", "fare_amount"]
CODECS = ("zstd", "gzip", "snappy", "none")
NAMES = [f"taxi1.{codec}" for codec in CODECS] + [f"taxi{n}.zstd" for n in (2, 3, 4)] + [
    f"plain.{codec}" for codec in CODECS[:3]] + ["arrow.zstd", "pages8k.zstd", "short.zstd", "groups.zstd", "wide",
    "places.zstd", "places.snappy", "embeddings.zstd", "tags.zstd", "deep.zstd", "sparse.zstd"]


def fill(table, **values):
    """A connection in which the script of that name made its table."""
    connection = duckdb.connect(config={"threads": 1})
    try:
        connection.execute("SET lambda_syntax='ENABLE_SINGLE_ARROW'")
    except duckdb.Error:
        pass  # older, and it needn't be asked for
    script = open(os.path.join(HERE, table + ".sql")).read()
    for key, value in values.items():
        script = script.replace("{%s}" % key, str(value))
    connection.execute(script)
    return connection


def rides(rows, number):
    return fill("taxi", SEED=f"{0.1 * number:.2f}", ROWS=rows, CLUMPED=int(number > 2), MONTH=f"2025-0{number}-01 00:00:00")


def places(rows):
    return fill("places", SEED="0.42", ROWS=rows)


def lists(name, rows):
    """A table of one list column."""
    rng = np.random.Generator(np.random.PCG64(11))

    def within(items, count, most, nulls=0.0):
        """`count` lists over `items` (a function of how many), of 0 to `most`; the share of null ones."""
        lengths = rng.integers(0, most + 1, count)
        absent = rng.random(count) < nulls
        lengths[absent] = 0
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
        mask = pa.array(absent) if nulls else None
        return pa.ListArray.from_arrays(pa.array(offsets), items(int(offsets[-1])), mask=mask)

    def deep(level):
        return (lambda count: pa.array(rng.integers(0, 1000, count))) if level == 0 else \
            lambda count: within(deep(level - 1), count, 4, 0.05)
    if name == "embeddings":
        count = rows // 200
        offsets = pa.array(np.arange(count + 1, dtype=np.int32) * 768)
        column = pa.ListArray.from_arrays(offsets, pa.array(rng.standard_normal(768 * count, dtype=np.float32)))
    elif name == "tags":
        words = pa.array([f"tag {i}" for i in range(1000)])
        column = within(lambda count: words.take(pa.array(rng.integers(0, 1000, count))), rows, 3)
    elif name == "deep":
        column = deep(5)(rows // 30)
    else:
        column = within(lambda count: pa.array(rng.random(count), mask=rng.random(count) < 0.9), rows, 10, 0.98)
    return pa.table({name: column})


def short_runs(rows):
    """Each column alternates between stretches of its own values and of one value."""
    rng = np.random.Generator(np.random.PCG64(7))
    columns = []
    for number, kinds in enumerate((9, 3000, 4000)):
        codes = rng.integers(0, kinds, rows)
        at = 0
        while at < rows:
            at += 8 * int(rng.integers(2, 9))
            equal = int(rng.integers(20, 163))
            codes[at:at + equal] = codes[at:at + 1]
            at += equal
        columns.append(pa.array(codes if number == 0 else codes * 0.01))
    return pa.table(dict(zip(COLUMNS, columns)))


def copy(connection, table, path, codec, group):
    codec = "uncompressed" if codec == "none" else codec
    connection.execute(f"COPY {table} TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE {group}, COMPRESSION '{codec}')")


def write(name, path, table):
    """The files that are not DuckDB's, of the rides in `table`."""
    kind, _, codec = name.partition(".")
    doubles = [f.name for f in table.schema if pa.types.is_floating(f.type)]
    if kind in ("plain", "pages8k"):
        pq.write_table(table, path, compression=codec, row_group_size=GROUP,
                       data_page_size=1 << 20 if kind == "plain" else 1 << 13, max_rows_per_page=1 << 30,
                       use_dictionary=[n for n in table.column_names if n not in doubles] if kind == "plain" else True)
    elif kind == "arrow":
        pq.write_table(table, path, compression=codec)
    elif kind == "short":
        pq.write_table(short_runs(table.num_rows), path, compression=codec, row_group_size=GROUP)
    elif kind == "groups":
        pq.write_table(table.select(COLUMNS).slice(0, min(40000, table.num_rows // 75)), path, compression=codec, row_group_size=1)
    else:
        pq.write_table(pa.table({f"column_{i}": pa.array([1.5] * 20) for i in range(1000)}), path, row_group_size=1)


def main():
    folder, rows = sys.argv[1], int(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    wanted = [n for n in sys.argv[3:] or NAMES if not os.path.exists(os.path.join(folder, n + ".parquet"))]
    connections, table = {}, None
    for name in wanted:
        path = os.path.join(folder, name + ".parquet")
        kind, _, codec = name.partition(".")
        print("making", path, file=sys.stderr)
        if kind in ("embeddings", "tags", "deep", "sparse"):
            pq.write_table(lists(kind, rows), path + ".new", compression=codec)
        else:
            source = kind if kind.startswith(("places", "taxi")) else "taxi1"
            if source not in connections:
                connections = {source: places(rows // 6) if source == "places" else rides(rows, int(source[4]))}
            if source == "places":
                copy(connections[source], "places", path + ".new", codec, 122880)
            elif kind == source:
                copy(connections[source], "taxi", path + ".new", codec, GROUP)
            else:
                table = table or connections[source].sql("SELECT * FROM taxi").to_arrow_table()
                write(name, path + ".new", table)
        os.replace(path + ".new", path)


main()
