#!/usr/bin/env python3
"""Files that pyarrow, DuckDB and Polars write with random schemas, values, options and page sizes:
the digest that weir prints of each is Arrow C++'s own. `differential.py [--seed N] [--files N] [--keep]`;
file number K depends on seed and K alone, so one failure can be made again. WEIR_BUILD names the build."""
import argparse
import decimal
import os
import random
import subprocess
import sys

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import arrow_leaves

BUILD = os.environ.get("WEIR_BUILD", "build")


class Maker:
    """One file's worth of choices."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.rng = np.random.Generator(np.random.PCG64(seed))

    def shape(self, rows):
        """Row indexes into a pool of values: how they repeat decides which encodings and runs come out."""
        kind = self.dice.choice(["all differ", "few", "one", "runs", "sorted", "skewed"])
        if kind == "all differ":
            return np.arange(rows)
        if kind == "one":
            return np.zeros(rows, np.int64)
        pool = self.dice.choice([2, 3, 9, 60, 300, 3000])
        drawn = self.rng.integers(0, pool, rows)
        if kind == "sorted":
            return np.sort(drawn)
        if kind == "skewed":
            return np.minimum(drawn, self.rng.integers(0, pool, rows)) // self.dice.choice([1, 2, 5])
        if kind == "runs":
            return np.repeat(drawn, self.rng.integers(1, self.dice.choice([3, 40, 500]), rows))[:rows]
        return drawn

    def missing(self, rows):
        """Where the nulls are; None: nowhere."""
        kind = self.dice.choice(["none", "none", "some", "many", "all", "tail", "runs"])
        if kind == "none":
            return None
        if kind == "tail":
            return np.arange(rows) >= rows * self.dice.random()
        if kind == "runs":
            return np.repeat(self.rng.random(rows) < 0.4, self.rng.integers(1, 90, rows))[:rows]
        return self.rng.random(rows) < {"some": 0.05, "many": 0.6, "all": 2}[kind]

    def pool(self, type, size):
        """`size` values of the type, as a list or array."""
        rng, dice = self.rng, self.dice
        if pa.types.is_boolean(type):
            return rng.random(size) < dice.choice([0.02, 0.5, 0.98])
        if pa.types.is_integer(type):
            low, high = np.iinfo(type.to_pandas_dtype()).min, np.iinfo(type.to_pandas_dtype()).max
            if dice.random() < 0.5:
                low, high = max(low, -1000), min(high, 1000)
            return rng.integers(low, high, size, dtype=type.to_pandas_dtype(), endpoint=True)
        if pa.types.is_floating(type):
            values = rng.standard_normal(size) * 10.0 ** dice.choice([-3, 0, 2])
            if dice.random() < 0.3:
                values[:: 7] = dice.choice([np.nan, np.inf, -0.0])
            return values.astype(type.to_pandas_dtype())
        if pa.types.is_decimal(type):
            top = 10 ** min(type.precision, dice.choice([4, type.precision])) - 1
            return [decimal.Decimal(dice.randint(-top, top)).scaleb(-type.scale, decimal.Context(prec=80)) for _ in range(size)]
        if pa.types.is_fixed_size_binary(type):
            return [rng.bytes(type.byte_width) for _ in range(size)]
        long = dice.choice([0, 3, 12, 13, 100, 2000 if size < 500 else 40])
        sizes = rng.integers(0, long + 1, size)
        if pa.types.is_string(type):
            letters = dice.choice(["ab", "abcdefghij klmnop", "äßπ日本🚕"])
            prefix = "" if dice.random() < 0.5 else "s3://bucket/path/"
            return [prefix + "".join(dice.choices(letters, k=int(n))) for n in sizes]
        return [rng.bytes(int(n)) for n in sizes]

    def nested(self, rows, type):
        missing = self.missing(rows)
        mask = None if missing is None else pa.array(missing)
        if pa.types.is_struct(type):
            return pa.StructArray.from_arrays([self.column(rows, field.type) for field in type], fields=list(type), mask=mask)
        sizes = self.rng.integers(0, self.dice.choice([1, 3, 30, 400 if rows < 600 else 9]), rows, endpoint=True)
        if missing is not None:
            sizes[missing] = 0
        offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32(),
                           mask=None if missing is None else np.append(missing, False))
        count = int(sizes.sum())
        if pa.types.is_map(type):
            place = np.arange(count) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            keys = pa.array([f"k{i}" for i in place], pa.string())
            return pa.MapArray.from_arrays(offsets, keys, self.column(count, type.item_type))
        return pa.ListArray.from_arrays(offsets, self.column(count, type.value_type), type=type)

    def column(self, rows, type):
        if pa.types.is_null(type):
            return pa.nulls(rows)
        if pa.types.is_nested(type):
            return self.nested(rows, type)
        which = self.shape(rows)
        stored = {"date32": pa.int32(), "time32": pa.int32(), "time64": pa.int64(), "timestamp": pa.int64()}.get(
            str(type).split("[")[0])
        size = int(which.max()) + 1 if rows else 1
        if stored:
            top = {"date32": 3000000, "time32": 86399999, "time64": 86399999999}.get(str(type).split("[")[0], 1 << 60)
            low = 0 if pa.types.is_time(type) else -top
            pool = pa.array(self.rng.integers(low, top, size), pa.int64()).cast(stored).cast(type)
        else:
            pool = pa.array(self.pool(type, size), type)
        where = pa.array(which, pa.int64(), mask=self.missing(rows))
        return pool.take(where)

    def type(self, types, depth):
        """One of the types, or some of them inside each other."""
        inside = self.dice.random() if depth < 4 else 1
        if inside < 0.09:
            return pa.list_(self.type(types, depth + 1))
        if inside < 0.15:
            return pa.struct([pa.field(f"f{i}", self.type(types, depth + 1)) for i in range(self.dice.randint(1, 3))])
        if inside < 0.18:
            return pa.map_(pa.string(), self.type(types, depth + 1))
        return self.dice.choice(types)

    def table(self, types, most):
        rows = self.dice.choice([0, 1, 2, 7, 8, 63, 64, 65, 500, 3000, most])
        chosen = [self.type(types, 0) for _ in range(self.dice.randint(1, 9))]
        columns = [self.column(rows, type) for type in chosen]
        fields = [pa.field(f"c{i}", column.type, nullable=column.null_count > 0 or pa.types.is_null(column.type)
                           or self.dice.random() < 0.7)
                  for i, column in enumerate(columns)]
        return pa.table(columns, schema=pa.schema(fields))


COMMON = [pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
          pa.float32(), pa.float64(), pa.string(), pa.binary(), pa.date32(), pa.timestamp("ms"), pa.timestamp("us"),
          pa.timestamp("ns"), pa.time64("us"), pa.decimal128(9, 2), pa.decimal128(18, 4), pa.decimal128(38, 9)]
ARROW = COMMON + [pa.float16(), pa.binary(1), pa.binary(7), pa.binary(16), pa.time32("ms"), pa.time64("ns"), pa.decimal256(60, 5),
                  pa.timestamp("us", "UTC"), pa.null()]


def encodings(maker, table):
    """An encoding for each column that has more than PLAIN."""
    out = {}
    for field in table.schema:
        type = field.type
        if pa.types.is_boolean(type):
            choices = ["PLAIN", "RLE"]
        elif pa.types.is_string(type) or pa.types.is_binary(type):
            choices = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]
        elif pa.types.is_floating(type) and type != pa.float16():
            choices = ["PLAIN", "BYTE_STREAM_SPLIT"]
        elif pa.types.is_decimal(type):
            choices = ["PLAIN", "BYTE_STREAM_SPLIT"]
        elif pa.types.is_fixed_size_binary(type) or type == pa.float16():
            choices = ["PLAIN", "BYTE_STREAM_SPLIT", "DELTA_BYTE_ARRAY"]
        elif pa.types.is_null(type) or pa.types.is_nested(type):
            continue
        else:
            choices = ["PLAIN", "BYTE_STREAM_SPLIT", "DELTA_BINARY_PACKED"]
        out[field.name] = maker.dice.choice(choices)
    return out


def by_pyarrow(maker, path):
    dice = maker.dice
    table = maker.table(ARROW, 30000)
    dictionary = dice.choice([True, False, False])
    options = {"use_dictionary": dictionary}
    if not dictionary:
        options["column_encoding"] = encodings(maker, table)
    pq.write_table(
        table, path, compression=dice.choice(["none", "snappy", "gzip", "zstd", "lz4", "brotli"]),
        data_page_version=dice.choice(["1.0", "2.0"]), data_page_size=dice.choice([64, 700, 8192, 1 << 20]),
        max_rows_per_page=dice.choice([13, 1000, 20000]), write_batch_size=dice.choice([1, 17, 1024]),
        row_group_size=dice.choice([1 << 20, 1000, 333]) if table.num_rows else None,
        dictionary_pagesize_limit=dice.choice([64, 2000, 1 << 20]), write_page_index=dice.random() < 0.5,
        write_page_checksum=dice.random() < 0.5, write_statistics=dice.random() < 0.7,
        use_deprecated_int96_timestamps=dictionary and dice.random() < 0.2, store_decimal_as_integer=dice.random() < 0.3, **options)


def by_duckdb(maker, path):
    dice = maker.dice
    table = maker.table(COMMON, 30000)
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("t", table)
        connection.execute(
            f"COPY t TO '{path}' (FORMAT parquet, PARQUET_VERSION {dice.choice(['V1', 'V2'])}, COMPRESSION "
            f"'{dice.choice(['uncompressed', 'snappy', 'gzip', 'zstd', 'lz4_raw', 'brotli'])}', ROW_GROUP_SIZE "
            f"{dice.choice([2048, 122880])}, DICTIONARY_SIZE_LIMIT {dice.choice([1, 100, 20000])})")


def by_polars(maker, path):
    dice = maker.dice
    table = maker.table(COMMON[:-3] + [pa.decimal128(38, 9)], 30000)
    pl.from_arrow(table).write_parquet(
        path, compression=dice.choice(["uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"]),
        row_group_size=dice.choice([None, 1000, 333]), data_page_size=dice.choice([None, 100, 5000]),
        statistics=dice.random() < 0.5)


def digest(path, level):
    environment = dict(os.environ, **({"WEIR_SIMD": level} if level else {}))
    done = subprocess.run([os.path.join(BUILD, "weir"), "digest", path], capture_output=True, env=environment, timeout=60,
                          stdin=subprocess.DEVNULL)
    return done.stdout.split(b"\n")[:-1], done.stderr.decode("utf-8", "replace").strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=600)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="keep the files that agree, too")
    options = parser.parse_args()
    folder = os.path.join(BUILD, "differential")
    os.makedirs(folder, exist_ok=True)
    paths, levels, count = [], {}, {}
    for number in range(options.first, options.first + options.files):
        maker = Maker(options.seed * 1000003 + number)
        writer = maker.dice.choice([by_pyarrow, by_pyarrow, by_duckdb, by_polars])
        name = f"{options.seed}-{number}-{writer.__name__[3:]}.parquet"
        paths.append(os.path.join(folder, name))
        writer(maker, paths[-1])
        levels[paths[-1]] = maker.dice.choice(["", "", "scalar", "avx2"])
        count[writer.__name__[3:]] = count.get(writer.__name__[3:], 0) + 1
    expected, refused = arrow_leaves.digests(folder, paths)
    unread = {tuple(line.split("\t")[:2]) for line in refused.splitlines() if line}
    leaves = bad = 0
    for path in paths:
        name = os.path.basename(path)
        lines, error = digest(path, levels[path])
        kept = [line for line in lines if (name, line.split(b"\t")[0].decode()) not in unread]
        leaves += len(kept) - 1
        if kept == expected.get(name):
            options.keep or os.remove(path)
            continue
        bad += 1
        print(f"{path} (WEIR_SIMD={levels[path]}): {error}")
        for mine, theirs in zip(kept, expected.get(name, [])):
            if mine != theirs:
                print("  weir ", mine.decode("utf-8", "replace"), "\n  arrow", theirs.decode("utf-8", "replace"))
    print(f"seed {options.seed}: {len(paths)} files ({', '.join(f'{n} by {w}' for w, n in sorted(count.items()))}), {leaves} "
          f"leaves, {len(unread)} leaves that Arrow can't read left out, {bad} files differ")
    sys.exit(1 if bad or leaves == 0 else 0)


if __name__ == "__main__":
    main()
