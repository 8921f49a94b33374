#!/usr/bin/env python3
"""Makes datasets/golden: small files as pyarrow, DuckDB, Polars and fastparquet write them, and
files laid byte by byte (cases.py), with DIGESTS.tsv: what another reader, or the values themselves,
say that `weir digest` must print; and golden/bad, files that must fail. `golden.py FOLDER`; the same versions of the packages
in requirements.txt give the same bytes."""
import datetime
import decimal
import os
import struct
import sys
import tempfile
import zlib

import duckdb
import fastparquet
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../readers/test"))
import arrow_leaves  # noqa: E402
import cases  # noqa: E402

RNG = np.random.Generator(np.random.PCG64(20250101))
WORDS = ["", "a", "zwölf", "日本", "🚕", "with\ttab", "with\nline", "x" * 40, "null", "0"]


def nulls(values, share=0.2):
    return [None if RNG.random() < share else value for value in values]


def every_type(rows, share):
    """A column of each type that pyarrow writes flat."""
    def ints(bits, signed=True):
        low = -(1 << (bits - 1)) if signed else 0
        high = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
        drawn = [low, high, 0, 1] + [int(low + (high - low) * x) for x in RNG.random(max(rows - 4, 0))]
        return [min(max(v, low), high) for v in drawn[:rows]]

    def stamps(unit):
        return pa.array(nulls(ints(62), share), pa.int64()).cast(pa.timestamp(unit))

    def decimals(digits, scale, type):
        top = 10 ** digits - 1
        drawn = [0, top, -top] + [int(RNG.random() * top) for _ in range(max(rows - 3, 0))]
        context = decimal.Context(prec=80)
        return pa.array(nulls([decimal.Decimal(v).scaleb(-scale, context) for v in drawn[:rows]], share), type)

    doubles = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1.7976931348623157e308]
    doubles = (doubles + list(RNG.standard_normal(rows)))[:rows]
    words = [WORDS[int(x * len(WORDS))] for x in RNG.random(rows)]
    days = [int(v) for v in RNG.integers(-800000, 800000, rows)]
    columns = {
        "bool": pa.array(nulls([bool(x < 0.5) for x in RNG.random(rows)], share), pa.bool_()),
        "float16": pa.array(nulls([np.float16(x) for x in RNG.standard_normal(rows)], share), pa.float16()),
        "float32": pa.array(nulls([float(np.float32(min(max(x, -3e38), 3e38))) if x == x else x
                                   for x in doubles], share), pa.float32()),
        "float64": pa.array(nulls(doubles, share), pa.float64()),
        "string": pa.array(nulls(words, share), pa.string()),
        "binary": pa.array(nulls([RNG.bytes(int(n)) for n in RNG.integers(0, 20, rows)], share), pa.binary()),
        "fixed5": pa.array(nulls([RNG.bytes(5) for _ in range(rows)], share), pa.binary(5)),
        "date32": pa.array(nulls(days, share), pa.int32()).cast(pa.date32()),
        "time32ms": pa.array(nulls([int(v) for v in RNG.integers(0, 86400000, rows)], share),
                             pa.int32()).cast(pa.time32("ms")),
        "time64us": pa.array(nulls([int(v) for v in RNG.integers(0, 86400000000, rows)], share),
                             pa.int64()).cast(pa.time64("us")),
        "time64ns": pa.array(nulls([int(v) for v in RNG.integers(0, 86400000000000, rows)], share),
                             pa.int64()).cast(pa.time64("ns")),
        "stamp_ms": stamps("ms"), "stamp_us": stamps("us"), "stamp_ns": stamps("ns"),
        "stamp_utc": stamps("us").cast(pa.timestamp("us", "UTC")),
        "dec9": decimals(9, 2, pa.decimal128(9, 2)), "dec18": decimals(18, 0, pa.decimal128(18, 0)),
        "dec38": decimals(38, 10, pa.decimal128(38, 10)), "dec76": decimals(76, 38, pa.decimal256(76, 38)),
        "none": pa.nulls(rows),
    }
    for bits in (8, 16, 32, 64):
        for sign, type in (("i", f"int{bits}"), ("u", f"uint{bits}")):
            columns[f"{sign}{bits}"] = pa.array(nulls(ints(bits, sign == "i"), share), getattr(pa, type)())
    return pa.table(columns)


def required(table):
    return table.cast(pa.schema([pa.field(f.name, f.type, nullable=False) for f in table.schema]))


def by_pyarrow(write):
    types = every_type(120, 0.2)
    plain = required(every_type(60, 0).drop(["none"]))
    few = types.select(["i32", "i64", "float64", "string", "bool", "fixed5"])
    write("pyarrow_types_v1", types)
    write("pyarrow_types_v2", types, data_page_version="2.0", use_dictionary=False)
    write("pyarrow_required_v1", plain, use_dictionary=False, compression="none")
    write("pyarrow_required_v2", plain, data_page_version="2.0", compression="zstd")
    for codec in ("none", "snappy", "gzip", "zstd", "lz4", "brotli"):
        for version in ("1.0", "2.0"):
            write(f"pyarrow_{codec}_v{version[0]}", few, compression=codec, data_page_version=version)
    for version in ("1.0", "2.0"):
        split = types.select(["i32", "i64", "float32", "float64", "fixed5", "float16", "dec38"])
        write(f"pyarrow_split_v{version[0]}", split, use_dictionary=False, data_page_version=version,
              column_encoding={n: "BYTE_STREAM_SPLIT" for n in split.column_names})
        deltas = types.select(["i8", "u16", "i32", "u64", "i64", "stamp_us", "date32", "time32ms"])
        write(f"pyarrow_delta_v{version[0]}", deltas, use_dictionary=False, data_page_version=version,
              column_encoding={n: "DELTA_BINARY_PACKED" for n in deltas.column_names})
        write(f"pyarrow_delta_bytes_v{version[0]}", types.select(["string", "binary", "fixed5"]),
              use_dictionary=False, data_page_version=version,
              column_encoding={"string": "DELTA_BYTE_ARRAY", "binary": "DELTA_LENGTH_BYTE_ARRAY",
                               "fixed5": "DELTA_BYTE_ARRAY"})
    write("pyarrow_bool_rle", types.select(["bool"]), use_dictionary=False, data_page_version="2.0",
          column_encoding={"bool": "RLE"})
    long = pa.table({"number": pa.array(nulls([int(v) for v in RNG.integers(0, 300, 3000)])),
                     "word": pa.array(nulls([WORDS[v] for v in RNG.integers(0, len(WORDS), 3000)])),
                     "rank": pa.array(np.arange(3000) // 7)})
    for version in ("1.0", "2.0"):
        write(f"pyarrow_many_pages_v{version[0]}", long, data_page_size=200, max_rows_per_page=97,
              write_batch_size=16, data_page_version=version, write_page_index=True,
              write_page_checksum=True)
    write("pyarrow_many_groups", long, row_group_size=211, write_page_index=True)
    write("pyarrow_fallback", pa.table({"n": pa.array(RNG.integers(0, 1 << 40, 1500)),
                                        "s": [f"key {int(v)}" for v in RNG.integers(0, 1 << 30, 1500)]}),
          dictionary_pagesize_limit=1024, data_page_size=1024, write_batch_size=64)
    write("pyarrow_constant", pa.table({"one": pa.array([7] * 500), "null": pa.array([None] * 500, pa.int32()),
                                        "same": ["same"] * 500, "true": [True] * 500}))
    write("pyarrow_clumped_nulls", pa.table({"tail": pa.array([1.5] * 900 + [None] * 100),
                                             "head": pa.array([None] * 300 + [2] * 700),
                                             "blocks": pa.array(([3] * 50 + [None] * 50) * 10)}),
          data_page_size=512, write_batch_size=32)
    write("pyarrow_no_rows", types.slice(0, 0))
    write("pyarrow_one_row", types.slice(0, 1))
    write("pyarrow_no_columns", pa.table({}))
    write("pyarrow_int96", pa.table({"t": types["stamp_ns"]}), use_deprecated_int96_timestamps=True)
    write("pyarrow_decimal_ints", types.select(["dec9", "dec18"]), store_decimal_as_integer=True)
    odd = ["", "a.b", "a b", "tab\there", "line\nbreak", "back\\slash", "quo\"te", "日本語", "UPPER", "upper",
           "*", "a,b", "with#hash", "null"]
    write("pyarrow_odd_names", pa.table([pa.array([i, None, -i]) for i in range(len(odd))], names=odd))
    write("pyarrow_same_names", pa.table([pa.array([1, 2]), pa.array(["x", "y"]), pa.array([3, None])],
                                         names=["same", "same", "other"]))
    nested = pa.table({"before": [1, 2, 3], "list": [[1], [], None], "struct": [{"x": 1}, None, {"x": 3}],
                       "map": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())), "after": ["p", "q", None]})
    write("pyarrow_nested_beside_flat", nested)
    write("pyarrow_metadata", few.slice(0, 5).replace_schema_metadata({"key": "value", "empty": "", "ключ": "знач"}))
    write("pyarrow_version1", few, version="1.0", store_schema=False)
    write("pyarrow_uuid", pa.table({"id": pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array(nulls([RNG.bytes(16) for _ in range(20)]), pa.binary(16)))}))
    write("pyarrow_json", pa.table({"doc": pa.ExtensionArray.from_storage(
        pa.json_(), pa.array(['{"a": 1}', None, "[1, 2]", '"x"'], pa.string()))}))
    write("pyarrow_long_strings", pa.table({"s": ["ab" * 9000, None, "", "c" * 30000, "d"]}),
          compression="zstd")
    write("pyarrow_sorted", pa.table({"k": pa.array(np.arange(400))}),
          sorting_columns=[pq.SortingColumn(0)], write_page_index=True, data_page_size=256,
          write_batch_size=16, use_dictionary=False, compression="none")


DUCK_TYPES = """SELECT CASE WHEN i % 5 = 3 THEN NULL ELSE i::{0} END AS v FROM range(40) t(i)"""


def by_duckdb(copy):
    wide = "SELECT " + ", ".join(
        f"CASE WHEN (i + {k}) % 6 = 0 THEN NULL ELSE {text} END AS {name}" for k, (name, text) in enumerate([
            ("tiny", "(i % 100)::TINYINT"), ("utiny", "(i % 200)::UTINYINT"), ("small", "(i * 7)::SMALLINT"),
            ("usmall", "(i * 9)::USMALLINT"), ("int", "(i * 1000003 % 100000)::INTEGER"), ("uint", "(4294967295 - i)::UINTEGER"),
            ("big", "(9223372036854775807 - i)::BIGINT"), ("ubig", "(18446744073709551615 - i)::UBIGINT"),
            ("huge", "(i::HUGEINT * 1000000007)"), ("real", "(i / 3)::REAL"), ("dbl", "i / 7"), ("flag", "i % 3 = 0"),
            ("dec", "(i / 8)::DECIMAL(9,3)"), ("dec18", "(i / 8)::DECIMAL(18,4)"), ("dec38", "(i / 8)::DECIMAL(38,5)"),
            ("text", "'word ' || (i % 11)"), ("bin", "encode('x' || i)"), ("id", "uuid_of(i)"),
            ("day", "DATE '1969-12-25' + (i * 31)::INTEGER"), ("clock", "TIME '00:00:01.5' + to_seconds(i * 60)"),
            ("stamp", "TIMESTAMP '2001-02-03 04:05:06.789' + to_days(i::INTEGER)"),
            ("stamp_s", "(TIMESTAMP '1950-01-01' + to_days(i::INTEGER))::TIMESTAMP_S"),
            ("stamp_ms", "(TIMESTAMP '1950-01-01' + to_days(i::INTEGER))::TIMESTAMP_MS"),
            ("stamp_ns", "(TIMESTAMP '1990-01-01' + to_days(i::INTEGER))::TIMESTAMP_NS"),
            ("stamp_tz", "(TIMESTAMP '1990-01-01' + to_days(i::INTEGER))::TIMESTAMPTZ"),
            ("span", "to_months(i::INTEGER) + to_days(i::INTEGER) + to_milliseconds(i * 5)"),
            ("kind", "(CASE i % 2 WHEN 0 THEN 'red' ELSE 'blue' END)::ENUM('red', 'blue')"),
        ])) + " FROM range(90) t(i)"
    for version in ("V1", "V2"):
        for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"):
            query = wide if codec in ("zstd", "snappy") else \
                "SELECT i, i / 7 AS x, 'text ' || (i % 17) AS s, NULL::INTEGER AS n, i % 2 = 0 AS b FROM range(200) t(i)"
            copy(f"duckdb_{codec}_{version.lower()}", query, f"COMPRESSION '{codec}', PARQUET_VERSION {version}")
    copy("duckdb_no_rows", "SELECT i, 'x' AS s FROM range(0) t(i)", "COMPRESSION 'zstd'")
    copy("duckdb_constant", "SELECT 1 AS one, 'same' AS same, NULL::BIGINT AS none FROM range(300)", "COMPRESSION 'snappy'")
    copy("duckdb_groups", "SELECT i, hash(i) AS h FROM range(5000) t(i)", "ROW_GROUP_SIZE 2048, COMPRESSION 'zstd'")
    copy("duckdb_strings_v2", "SELECT 'prefix/' || lpad(i::VARCHAR, 6, '0') AS path, repeat('z', (i % 50)::INTEGER) AS z "
         "FROM range(700) t(i)", "PARQUET_VERSION V2, DICTIONARY_SIZE_LIMIT 1, COMPRESSION 'uncompressed'")
    copy("duckdb_numbers_v2", "SELECT i * i AS square, -i AS down, (i * 7919 % 1009)::INTEGER AS mixed, i / 3 AS third, "
         "(i / 3)::REAL AS third4 FROM range(700) t(i)", "PARQUET_VERSION V2, DICTIONARY_SIZE_LIMIT 1, COMPRESSION 'zstd'")


def by_polars(write):
    rows = 150
    frame = pl.DataFrame({
        "i8": pl.Series(nulls([int(v) for v in RNG.integers(-128, 128, rows)]), dtype=pl.Int8),
        "u32": pl.Series(nulls([int(v) for v in RNG.integers(0, 1 << 32, rows)]), dtype=pl.UInt32),
        "i64": pl.Series(nulls([int(v) for v in RNG.integers(-1 << 62, 1 << 62, rows)]), dtype=pl.Int64),
        "f32": pl.Series(nulls([float(v) for v in RNG.standard_normal(rows)]), dtype=pl.Float32),
        "f64": pl.Series(nulls([float(v) for v in RNG.standard_normal(rows)]), dtype=pl.Float64),
        "flag": pl.Series(nulls([bool(v < 0.3) for v in RNG.random(rows)]), dtype=pl.Boolean),
        "text": pl.Series(nulls([WORDS[v] for v in RNG.integers(0, len(WORDS), rows)]), dtype=pl.String),
        "bin": pl.Series(nulls([RNG.bytes(int(n)) for n in RNG.integers(0, 9, rows)]), dtype=pl.Binary),
        "day": pl.Series(nulls([datetime.date(2000, 1, 1) + datetime.timedelta(int(v)) for v in RNG.integers(-9999, 9999, rows)])),
        "clock": pl.Series(nulls([datetime.time(int(v), 30) for v in RNG.integers(0, 24, rows)]), dtype=pl.Time),
        "stamp": pl.Series(nulls([datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=int(v)) for v in RNG.integers(0, 9999, rows)])),
        "dec": pl.Series(nulls([decimal.Decimal(int(v)).scaleb(-2) for v in RNG.integers(-9999, 9999, rows)]), dtype=pl.Decimal(20, 2)),
        "cat": pl.Series(nulls([["x", "yy", "zzz"][v] for v in RNG.integers(0, 3, rows)])).cast(pl.Categorical),
        "none": pl.Series([None] * rows, dtype=pl.Null),
    })
    for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"):
        write(f"polars_{codec}", frame if codec in ("zstd", "lz4") else frame.select("i64", "f64", "text", "flag"), compression=codec)
    write("polars_many_pages", pl.DataFrame({"n": np.arange(4000) * 37 % 1009, "s": [f"w{v % 13}" for v in range(4000)]}),
          compression="zstd", data_page_size=300, row_group_size=1500)
    write("polars_no_rows", frame.clear())


def by_fastparquet(write):
    rows = 130
    frame = pd.DataFrame({
        "i": RNG.integers(-1 << 40, 1 << 40, rows), "small": RNG.integers(0, 50, rows).astype("int8"),
        "x": RNG.standard_normal(rows), "x4": RNG.standard_normal(rows).astype("float32"),
        "flag": RNG.random(rows) < 0.5, "s": [WORDS[v] for v in RNG.integers(0, len(WORDS), rows)],
        "t": pd.date_range("1999-12-31", periods=rows, freq="h"),
    })
    frame["maybe"] = pd.array(nulls(list(range(rows))), dtype="Int64")
    frame["cat"] = pd.Categorical([["x", "yy", "zzz"][v] for v in RNG.integers(0, 3, rows)])
    for codec in ("UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "LZ4_RAW", "BROTLI"):
        write(f"fastparquet_{codec.lower()}", frame, compression=codec)
    write("fastparquet_int96", frame[["t", "i"]], times="int96")
    write("fastparquet_groups", frame, row_group_offsets=[0, 40, 41, 100], has_nulls=True)
    write("fastparquet_json", pd.DataFrame({"doc": [{"a": 1}, [1, 2], {"b": None}]}), object_encoding="json")


def nested(rows):
    """Lists, structs and maps inside each other, with nulls and empty ones at every level."""
    rng = np.random.Generator(np.random.PCG64(7))

    def some(make, share=0.2):
        return None if rng.random() < share else make()

    def a_list(make, most=5):
        return [some(make) for _ in range(int(rng.integers(0, most + 1)))]

    def number():
        return int(rng.integers(-1000, 1000))

    def word():
        return WORDS[int(rng.integers(0, len(WORDS)))]

    def pair():
        return {"x": some(number), "y": some(word)}

    def entries(make):
        return [(f"k{i}", some(make)) for i in range(int(rng.integers(0, 4)))]

    i32, text = pa.int32(), pa.string()
    point = pa.struct([("x", i32), ("y", text)])
    makers = {
        "numbers": (pa.list_(i32), lambda: a_list(number)),
        "words": (pa.list_(text), lambda: a_list(word)),
        "matrix": (pa.list_(pa.list_(i32)), lambda: a_list(lambda: a_list(number), 3)),
        "point": (point, pair),
        "points": (pa.list_(point), lambda: a_list(pair)),
        "map": (pa.map_(text, i32), lambda: entries(number)),
        "maps": (pa.list_(pa.map_(text, pa.list_(i32))), lambda: a_list(lambda: entries(lambda: a_list(number)), 3)),
        "deep": (pa.struct([("a", pa.list_(pa.struct([("b", pa.list_(pa.list_(text))), ("c", i32)]))), ("d", i32)]),
                 lambda: {"a": some(lambda: a_list(lambda: {"b": some(lambda: a_list(lambda: a_list(word), 2)), "c": some(number)}, 3)),
                          "d": some(number)}),
    }
    table = {name: pa.array([some(make) for _ in range(rows)], type) for name, (type, make) in makers.items()}
    return pa.table({"id": pa.array(range(rows)), **table, "last": pa.array([word() for _ in range(rows)])})


def by_nesting(path):
    table = nested(150)
    for version in ("1.0", "2.0"):
        pq.write_table(table, path(f"nested_pyarrow_v{version[0]}", "pyarrow"), data_page_version=version)
        pq.write_table(table, path(f"nested_pyarrow_small_pages_v{version[0]}", "pyarrow"), data_page_version=version,
                       data_page_size=64, write_batch_size=3, row_group_size=61, use_dictionary=version == "1.0",
                       write_page_index=True, compression="zstd")
    long = pa.table({"l": pa.array([[1] * 3000, [], None, list(range(2000))]), "n": pa.array([1, 2, 3, 4])})
    pq.write_table(long, path("nested_pyarrow_long_lists", "pyarrow"), data_page_size=256, write_batch_size=64)
    pq.write_table(table, path("nested_pyarrow_two_level_lists", "pyarrow"), use_compliant_nested_type=False)
    pq.write_table(table.slice(0, 0), path("nested_pyarrow_no_rows", "pyarrow"))
    pl.from_arrow(table.drop(["map", "maps"])).write_parquet(path("nested_polars", "polars"), compression="zstd", data_page_size=300)
    connection = duckdb.connect(config={"threads": 1})
    connection.register("nested", table)
    for version in ("V1", "V2"):
        connection.execute(f"COPY nested TO '{path('nested_duckdb_' + version.lower(), 'duckdb')}' (FORMAT parquet, "
                           f"PARQUET_VERSION {version}, COMPRESSION zstd)")


def integers_by_duckdb(path, column):
    """The digest line of an INT32 column that Arrow refuses: DuckDB's DELTA_BINARY_PACKED has numbers
    past 32 bits in its header for a UINT32."""
    values = [row[0] for row in duckdb.execute(f'SELECT "{column}" FROM read_parquet(?)', [path]).fetchall()]
    stream = b"".join(b"\0\0" if v is None else b"\0\1" + struct.pack("<I", v & 0xffffffff) for v in values)
    there = sum(v is not None for v in values)
    return f"{column}\t0\t1\t{len(values)}\t{there}\t{len(values) - there}\t{zlib.crc32(stream):08x}".encode()


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    about = {}

    def path(name, what):
        about[name + ".parquet"] = what
        return os.path.join(folder, name + ".parquet")

    by_pyarrow(lambda name, table, **options: pq.write_table(table, path(name, "pyarrow"), **options))
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("CREATE MACRO uuid_of(i) AS (md5(i::VARCHAR))::UUID; SET TimeZone = 'UTC'")
    by_duckdb(lambda name, query, options: connection.execute(
        f"COPY ({query}) TO '{path(name, 'duckdb')}' (FORMAT parquet, {options})"))
    by_polars(lambda name, frame, **options: frame.write_parquet(path(name, "polars"), **options))
    by_fastparquet(lambda name, frame, **options: fastparquet.write(path(name, "fastparquet"), frame, **options))
    by_nesting(path)
    by_hand = cases.write_all(path)
    cases.write_bad(os.path.join(folder, "bad"))

    paths = sorted(os.path.join(folder, name) for name in about)
    with tempfile.TemporaryDirectory() as build:
        lines, refused = arrow_leaves.digests(build, paths)
    for text in filter(None, refused.splitlines()):
        print("Arrow refuses:", text)
        name, column = text.split("\t")[:2]
        if name not in by_hand:
            names = pq.ParquetFile(os.path.join(folder, name)).schema.names
            lines[name].insert(names.index(column), integers_by_duckdb(os.path.join(folder, name), column))
    for name, expected in by_hand.items():
        if name in lines and lines[name] != expected:
            print("Arrow differs:", name, [pair for pair in zip(lines[name], expected) if pair[0] != pair[1]])
        lines[name] = expected
    with open(os.path.join(folder, "DIGESTS.tsv"), "wb") as out:
        for name in sorted(lines):
            for line in lines[name]:
                out.write(name.encode() + b"\t" + line + b"\n")


if __name__ == "__main__":
    main()
