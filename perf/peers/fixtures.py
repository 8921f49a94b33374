#!/usr/bin/env python3
"""Makes the benchmark's files, those that are missing: `fixtures.py FOLDER ROWS`.

rides.CODEC.parquet  as DuckDB writes them: dictionary pages, row groups of 1,048,576 rows
plain.CODEC.parquet  the same rows as the public files have them: doubles PLAIN in pages of 1 MB"""
import os
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../datasets/make"))
import taxi  # noqa: E402

GROUP = 1048576


def main():
    folder, rows = sys.argv[1], int(sys.argv[2])
    os.makedirs(folder, exist_ok=True)

    def missing(name):
        path = os.path.join(folder, name)
        return None if os.path.exists(path) else path

    wanted = [(name, codec) for name, codecs in (("rides", ("zstd", "gzip", "snappy", "none")),
                                                 ("plain", ("zstd", "gzip", "snappy")))
              for codec in codecs if missing(f"{name}.{codec}.parquet")]
    if not wanted:
        return
    table = taxi.table(rows, 1, "2025-01", False)
    doubles = {field.name for field in table.schema if pa.types.is_floating(field.type)}
    connection = duckdb.connect(config={"threads": 1})
    connection.register("rides", table)
    for name, codec in wanted:
        path = missing(f"{name}.{codec}.parquet")
        print("making", path, file=sys.stderr)
        if name == "rides":
            connection.execute(f"COPY rides TO '{path}.new' (FORMAT parquet, ROW_GROUP_SIZE {GROUP}, COMPRESSION "
                               f"'{'uncompressed' if codec == 'none' else codec}')")
        else:
            pq.write_table(table, path + ".new", compression=codec, row_group_size=GROUP, data_page_size=1 << 20,
                           max_rows_per_page=1 << 30,
                           use_dictionary=[n for n in table.column_names if n not in doubles])
        os.replace(path + ".new", path)


main()
