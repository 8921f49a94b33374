#!/usr/bin/env python3
"""Makes datasets/sample: five months of made-up taxi rides that differ as the public files do, and
SUMS.tsv, what two other readers make of them. `sample.py FOLDER`; the same versions of the
packages in requirements.txt give the same bytes."""
import os
import sys

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import taxi

SUMMED = ["passenger_count", "trip_distance", "fare_amount"]


def with_type(table, column, type):
    return table.set_column(table.schema.get_field_index(column), column, table[column].cast(type))


def months():
    """(name, writer, codec, table)"""
    def month(name, seed, rows, tail):
        return taxi.table(rows, seed, name, tail)

    yield "2024-11", "duckdb", "gzip", month("2024-11", 1, 6000, False).drop(["cbd_congestion_fee"])
    lower = with_type(month("2024-12", 2, 5000, True), "passenger_count", pa.float64())
    yield "2024-12", "pyarrow", "snappy", lower.rename_columns(
        ["airport_fee" if name == "Airport_fee" else name for name in lower.column_names])
    yield "2025-01", "duckdb", "zstd", month("2025-01", 3, 6000, True)
    yield "2025-02", "pyarrow", "none", with_type(month("2025-02", 4, 3000, False),
                                                  "passenger_count", pa.float64())
    yield "2025-03", "pyarrow", "zstd", month("2025-03", 5, 5000, True)


def write(path, writer, codec, table):
    if writer == "pyarrow":
        pq.write_table(table, path, compression=codec, row_group_size=2048, data_page_size=8192,
                       write_page_index=codec == "snappy",
                       data_page_version="2.0" if codec == "zstd" else "1.0")
        return
    connection = duckdb.connect(config={"threads": 1})
    connection.register("rides", table)
    connection.execute(f"COPY rides TO '{path}' (FORMAT parquet, COMPRESSION '{codec}', "
                       "ROW_GROUP_SIZE 4096)")


def sums_by_pyarrow(paths, column):
    chunks = [pq.ParquetFile(path).read(columns=[column])[column].cast(pa.float64()) for path in paths]
    values = pa.chunked_array([chunk for column in chunks for chunk in column.chunks], pa.float64())
    return len(values), values.null_count, pc.sum(values).as_py()


def sums_by_duckdb(paths, column):
    return duckdb.execute(f"SELECT count(*), count(*) - count({column}), "
                          f"fsum({column}::DOUBLE) FROM read_parquet(?, union_by_name = true)",
                          [paths]).fetchone()


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    paths = []
    for name, writer, codec, table in months():
        paths.append(os.path.join(folder, f"{name}-{writer}-{codec}.parquet"))
        write(paths[-1], writer, codec, table)
    with open(os.path.join(folder, "SUMS.tsv"), "w") as out:
        print("file\tcolumn\trows\tnulls\tsum by pyarrow\tsum by duckdb", file=out)
        for files in [[path] for path in paths] + [paths]:
            for column in SUMMED:
                rows, nulls, first = sums_by_pyarrow(files, column)
                again, nulls_again, second = sums_by_duckdb(files, column)
                assert (rows, nulls) == (again, nulls_again) and abs(first - second) < 1e-9 * abs(first)
                name = os.path.basename(files[0]) if len(files) == 1 else "*"
                print(name, column, rows, nulls, repr(first), repr(second), sep="\t", file=out)


main()
