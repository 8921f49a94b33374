#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Arrow C stream, imported by pyarrow, Polars and DuckDB and compared with their own reading.

Generated files: every type, random nulls, dictionaries, many row groups, three writers. With
WEIR_CORPUS also the flat columns of every good file there; EXCEPTIONS says where another reader
differs, and why it is the one that is wrong. Exits with 77 when a reader is missing.
"""
import ctypes
import datetime
import decimal
import os
import random
import struct
import sys
import tempfile
import uuid

try:
    import duckdb
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

LIBRARY = ctypes.CDLL(os.path.join(os.environ.get("WEIR_BUILD", "build"), "libweir.so"))
SEED = 20240229
UNSUPPORTED, CORRUPT, NO_CODEC = 5, 4, 6


# ---- weir by ctypes ----


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("file", ctypes.c_int32), ("row", ctypes.c_int64),
                ("offset", ctypes.c_int64), ("text", ctypes.c_char * 488)]


class Pick(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("index", ctypes.c_int32), ("type", ctypes.c_int),
                ("forms", ctypes.c_uint32)]


class Query(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("picks", ctypes.c_void_p), ("pick_count", ctypes.c_size_t),
                ("first_row", ctypes.c_int64), ("row_limit", ctypes.c_int64),
                ("byte_begin", ctypes.c_uint64), ("byte_end", ctypes.c_uint64),
                ("batch_rows", ctypes.c_int64), ("batch_bytes", ctypes.c_size_t),
                ("threads", ctypes.c_int)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("int96_unit", ctypes.c_int),
                ("strings_as_binary", ctypes.c_bool)]


class Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("name_size", ctypes.c_size_t), ("type", ctypes.c_int),
                ("logical", ctypes.c_int), ("unit", ctypes.c_int), ("is_utc", ctypes.c_bool),
                ("is_signed", ctypes.c_bool), ("bits", ctypes.c_uint8),
                ("precision", ctypes.c_int32), ("scale", ctypes.c_int32),
                ("width", ctypes.c_uint32), ("repetition", ctypes.c_int),
                ("max_definition", ctypes.c_int16), ("max_repetition", ctypes.c_int16),
                ("id", ctypes.c_int32), ("index", ctypes.c_int32), ("parent", ctypes.c_int32),
                ("child_count", ctypes.c_int32), ("first_child", ctypes.c_int32),
                ("next_sibling", ctypes.c_int32), ("leaf", ctypes.c_int32),
                ("column", ctypes.c_int32)]


class Stream(ctypes.Structure):
    _fields_ = [("call", ctypes.c_void_p * 3), ("release", ctypes.c_void_p),
                ("private", ctypes.c_void_p)]


LIBRARY.weir_schema_column.restype = ctypes.POINTER(Field)
LIBRARY.weir_dataset_schema.restype = ctypes.c_void_p
NEW_CAPSULE = ctypes.pythonapi.PyCapsule_New
NEW_CAPSULE.restype = ctypes.py_object
NEW_CAPSULE.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class WeirError(Exception):
    def __init__(self, error):
        super().__init__(error.text.decode(errors="replace"))
        self.status = error.status


class Dataset:
    def __init__(self, *paths):
        error, self.handle = Error(), ctypes.c_void_p()
        array = (ctypes.c_char_p * len(paths))(*[os.fsencode(p) for p in paths])
        if LIBRARY.weir_open(array, ctypes.c_size_t(len(paths)), None, ctypes.byref(self.handle),
                             ctypes.byref(error)):
            raise WeirError(error)

    def __del__(self):
        LIBRARY.weir_dataset_close(self.handle)

    def fields(self):
        schema = ctypes.c_void_p(LIBRARY.weir_dataset_schema(self.handle))
        return [LIBRARY.weir_schema_column(schema, i).contents
                for i in range(LIBRARY.weir_schema_column_count(schema))]

    def stream(self, columns=None, batch_rows=0, threads=0, int96_unit=0, strings_as_binary=False):
        query, stream, error = Query(size=ctypes.sizeof(Query)), Stream(), Error()
        picks = (Pick * len(columns or []))(*[Pick(None, i, 0, 0) for i in columns or []])
        query.picks = ctypes.cast(picks, ctypes.c_void_p)
        query.pick_count = len(columns or [])
        query.batch_rows, query.threads = batch_rows, threads
        options = Options(ctypes.sizeof(Options), int96_unit, strings_as_binary)
        if LIBRARY.weir_arrow_stream(self.handle, ctypes.byref(query), ctypes.byref(options),
                                     ctypes.byref(stream), ctypes.byref(error)):
            raise WeirError(error)
        return stream

    def reader(self, **options):
        stream = self.stream(**options)
        return pa.RecordBatchReader._import_from_c(ctypes.addressof(stream))

    def table(self, **options):
        table = self.reader(**options).read_all()
        table.validate(full=True)
        return table


class Capsule:
    """What Polars and DuckDB take: an object with the PyCapsule method. The consumer moves the
    stream's struct out of the capsule."""

    def __init__(self, dataset, **options):
        self.stream = dataset.stream(**options)

    def __arrow_c_stream__(self, requested_schema=None):
        return NEW_CAPSULE(ctypes.addressof(self.stream), b"arrow_array_stream", None)


# ---- comparing ----


def bits_of(array):
    """NaNs must be equal by their bits: floats as integers."""
    names = {pa.float16(): pa.uint16(), pa.float32(): pa.uint32(), pa.float64(): pa.uint64()}
    return array.view(names[array.type]) if array.type in names else array


def storage_of(array):
    return array.storage if isinstance(array, pa.ExtensionArray) else array


def one_array(chunked):
    array = chunked.combine_chunks() if isinstance(chunked, pa.ChunkedArray) else chunked
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    return storage_of(array)


def difference(ours, theirs):
    """None, or how they differ; `theirs` is cast to our type first."""
    ours, theirs = one_array(ours), one_array(theirs)
    if pa.types.is_null(ours.type) and len(ours) == len(theirs) == theirs.null_count:
        return None
    if ours.type != theirs.type:
        try:
            theirs = theirs.cast(ours.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, NotImplementedError) as refused:
            return "type %s, theirs %s: %s" % (ours.type, theirs.type, str(refused)[:80])
    if len(ours) != len(theirs):
        return "%d rows, theirs %d" % (len(ours), len(theirs))
    ours, theirs = bits_of(ours), bits_of(theirs)
    if ours.equals(theirs):
        return None
    for i in range(len(ours)):
        if not ours.slice(i, 1).equals(theirs.slice(i, 1)):
            try:
                return "row %d: %r, theirs %r" % (i, ours[i].as_py(), theirs[i].as_py())
            except (ValueError, OverflowError):
                return "row %d: %s, theirs %s" % (i, ours[i], theirs[i])
    return None


# ---- generated files ----


def maybe(rng, count, nulls, make):
    return [None if rng.random() < nulls else make() for _ in range(count)]


def random_table(rng, rows):
    """A column of every type that Parquet's logical types have, at random densities of nulls."""
    def text():
        return "".join(rng.choice("aé😀 ,\"\n\\x") for _ in range(rng.randrange(12)))

    def integer(bits, is_signed):
        return lambda: rng.getrandbits(bits) - (1 << bits - 1 if is_signed else 0)

    def number(digits, scale):
        return lambda: decimal.Decimal(rng.randrange(-10 ** digits + 1, 10 ** digits)).scaleb(
            -scale, decimal.Context(prec=90))

    def real(code, size):
        return lambda: struct.unpack("<" + code, rng.randbytes(size))[0]

    few = [text() for _ in range(7)]
    makers = {
        "bool": (pa.bool_(), lambda: rng.random() < 0.5),
        "i8": (pa.int8(), integer(8, True)), "i16": (pa.int16(), integer(16, True)),
        "i32": (pa.int32(), integer(32, True)), "i64": (pa.int64(), integer(64, True)),
        "u8": (pa.uint8(), integer(8, False)), "u16": (pa.uint16(), integer(16, False)),
        "u32": (pa.uint32(), integer(32, False)), "u64": (pa.uint64(), integer(64, False)),
        "f16": (pa.float16(), real("e", 2)), "f32": (pa.float32(), real("f", 4)),
        "f64": (pa.float64(), real("d", 8)),
        "text": (pa.string(), text), "few": (pa.string(), lambda: rng.choice(few)),
        "bytes": (pa.binary(), lambda: rng.randbytes(rng.randrange(20))),
        "fixed": (pa.binary(5), lambda: rng.randbytes(5)),
        "d5": (pa.decimal128(5, 2), number(5, 2)), "d15": (pa.decimal128(15, 0), number(15, 0)),
        "d38": (pa.decimal128(38, 10), number(38, 10)),
        "d76": (pa.decimal256(76, 38), number(76, 38)),
        "date": (pa.date32(), integer(20, True)),
        "t_ms": (pa.time32("ms"), lambda: rng.randrange(86400000)),
        "t_us": (pa.time64("us"), lambda: rng.randrange(86400000000)),
        "t_ns": (pa.time64("ns"), lambda: rng.randrange(86400000000000)),
        "ts_ms": (pa.timestamp("ms"), integer(50, True)),
        "ts_us": (pa.timestamp("us", "UTC"), integer(60, True)),
        "ts_ns": (pa.timestamp("ns"), integer(64, True)),
        "nothing": (pa.null(), lambda: None),
        "uuid": (pa.uuid(), lambda: rng.randbytes(16)),
        "json": (pa.json_(), lambda: '{"a": %d}' % rng.randrange(9)),
    }
    columns = {}
    for name, (kind, make) in makers.items():
        nulls = rng.choice([0, 0, 0.05, 0.5, 0.97])
        columns[name] = pa.array(maybe(rng, rows, nulls, make), kind)
    return pa.table(columns)


def write_pyarrow(rng, path, table):
    pq.write_table(
        table, path, row_group_size=rng.choice([7, 100, 1000, 10 ** 6]),
        use_dictionary=rng.random() < 0.6, data_page_size=rng.choice([64, 1000, 10 ** 6]),
        data_page_version=rng.choice(["1.0", "2.0"]), version="2.6",
        compression=rng.choice(["none", "snappy", "zstd", "gzip", "lz4", "brotli"]),
        store_schema=rng.random() < 0.5, write_statistics=rng.random() < 0.5)


POLARS_CANNOT = {"f16", "d76", "nothing", "uuid", "json"}  # to write, or with another meaning
DUCKDB_CANNOT = {"f16", "d76", "nothing", "json", "ts_ms", "ts_us", "ts_ns", "d38", "t_ms", "t_ns"}


def write_polars(rng, path, table):
    frame = pl.from_arrow(table.drop_columns(sorted(POLARS_CANNOT)))
    frame.write_parquet(path, compression=rng.choice(["zstd", "snappy", "uncompressed", "gzip"]),
                        row_group_size=rng.choice([100, 1000, 10 ** 6]),
                        data_page_size=rng.choice([1000, 10 ** 6]))


def write_duckdb(rng, path, table):
    rows = table.drop_columns(sorted(DUCKDB_CANNOT))  # noqa: F841, seen by name in the query
    duckdb.sql("copy rows to '%s' (format parquet, parquet_version %s, row_group_size %d)"
               % (path, rng.choice(["v1", "v2"]), rng.choice([2048, 10 ** 6])))


def check(condition, *words):
    if not condition:
        print("FAIL:", *words)
        check.failures += 1
    check.count += 1


check.count = check.failures = check.refused = 0


def same_type(ours, theirs):
    """pyarrow takes zones, large, view and dictionary types from a schema that other Arrow writers
    leave in the file; the format does not know it."""
    return ours == theirs or any(word in str(theirs) for word in ("tz=", "large", "view", "dict"))


def check_pyarrow(path, table, label):
    """Column by column: DuckDB's all-null DELTA pages, for one, pyarrow can't read."""
    file = pq.ParquetFile(path)
    for i, name in enumerate(table.column_names):
        try:
            theirs = file.reader.read_all(column_indices=[i])
        except OSError as refused:
            check.refused += 1
            print(label, "pyarrow can't read", name + ":", refused)
            continue
        kind = theirs.schema.field(0).type
        check(same_type(table.schema.field(i).type, kind), label, "pyarrow:", name,
              table.schema.field(i).type, kind)
        found = difference(table.column(i), theirs.column(0))
        check(found is None, label, "pyarrow:", name, found)


def check_polars(path, dataset, label, table):
    """Polars has no decimal256."""
    columns = [i for i, name in enumerate(table.column_names) if name != "d76"]
    ours = pl.DataFrame(Capsule(dataset, columns=columns)).to_arrow()
    theirs = pl.read_parquet(path, columns=columns).to_arrow()
    for i, name in enumerate(ours.column_names):
        found = difference(ours.column(i), theirs.column(i))
        check(found is None, label, "polars:", name, found)


def arrow_of(relation):
    result = relation.arrow()
    return result.read_all() if isinstance(result, pa.RecordBatchReader) else result


def check_duckdb(path, dataset, label, table):
    """DuckDB has no decimal256 and takes no float16 ("Unsupported Internal Arrow Type e")."""
    columns = [i for i, name in enumerate(table.column_names) if name not in ("d76", "f16")]
    ours = arrow_of(duckdb.from_arrow(Capsule(dataset, columns=columns)))
    theirs = arrow_of(duckdb.read_parquet(path))
    for i, name in enumerate(ours.column_names):
        found = difference(ours.column(i), theirs.column(name))
        check(found is None, label, "duckdb:", name, found)


def check_generated(folder, rounds):
    rng = random.Random(SEED)
    for round_ in range(rounds):
        table = random_table(rng, rng.choice([0, 1, 63, 64, 65, 1000, 5000]))
        for writer in (write_pyarrow, write_polars, write_duckdb):
            path = os.path.join(folder, "%d_%s.parquet" % (round_, writer.__name__))
            writer(rng, path, table)
            dataset = Dataset(path)
            label = "round %d %s" % (round_, writer.__name__)
            ours = dataset.table(batch_rows=rng.choice([0, 1, 7, 333]) if table.num_rows < 999 else
                                 rng.choice([0, 64, 333]), threads=rng.choice([0, 1]))
            check_pyarrow(path, ours, label)
            check_polars(path, dataset, label, ours)
            check_duckdb(path, dataset, label, ours)
            os.unlink(path)


# ---- what is no Arrow value ends the stream at its row ----


def batches_until_error(dataset, **options):
    reader, rows = dataset.reader(**options), []
    try:
        for batch in reader:
            batch.validate(full=True)
            rows += batch.column(0).to_pylist()
    except (pa.ArrowInvalid, OSError) as error:
        return rows, str(error)
    return rows, None


def check_bad_text(folder):
    """Row 70 is not UTF-8."""
    path = os.path.join(folder, "text.parquet")
    values = [b"row %d" % i for i in range(100)]
    values[70] = b"\xff\xfe"
    binary = pa.array(values, pa.binary())
    text = pa.StringArray.from_buffers(len(binary), binary.buffers()[1], binary.buffers()[2])
    for use_dictionary in (True, False):
        pq.write_table(pa.table({"s": text}), path, use_dictionary=use_dictionary)
        for batch_rows in (1, 7, 0):
            rows, error = batches_until_error(Dataset(path), batch_rows=batch_rows)
            check(rows == [v.decode() for v in values[:70]], "rows before bad UTF-8:", len(rows))
            check(error and "row 70" in error and "UTF-8" in error, "bad UTF-8:", error)
            rows, error = batches_until_error(Dataset(path), strings_as_binary=True)
            check(rows == values and error is None, "strings as binary:", error)


def check_far_int96(folder):
    """Row 3 lies in the year 9999: no 64-bit nanoseconds. pyarrow wraps it silently."""
    path = os.path.join(folder, "int96.parquet")
    day = 2451545  # 2000-01-01
    stamps = [datetime.datetime(2000, 1, 1) + datetime.timedelta(seconds=i) for i in range(5)]
    pq.write_table(pa.table({"t": pa.array(stamps, pa.timestamp("us"))}), path,
                   use_deprecated_int96_timestamps=True, use_dictionary=False, compression="none",
                   write_statistics=False)
    data = bytearray(open(path, "rb").read())
    value = struct.pack("<QI", 3 * 10 ** 9, day)
    at = data.index(value)
    data[at:at + 12] = struct.pack("<QI", 3 * 10 ** 9, day + 2921939)  # 9999-12-31
    open(path, "wb").write(data)
    rows, error = batches_until_error(Dataset(path))
    check([r.replace(tzinfo=None) for r in rows] == stamps[:3], "rows before far INT96:", rows)
    check(error and "row 3" in error and "INT96" in error, "far INT96:", error)
    rows, error = batches_until_error(Dataset(path), int96_unit=3)
    stamps[3] = datetime.datetime(9999, 12, 31, 0, 0, 3)
    check(rows == stamps and error is None, "INT96 in microseconds:", rows, error)


def check_protocol(folder):
    """The reader outlives its dataset; a schema can be asked for without rows; arrays outlive the
    stream."""
    path = os.path.join(folder, "life.parquet")
    table = pa.table({"a": pa.array(range(1000), pa.int32()), "b": pa.array(["x", None] * 500)})
    pq.write_table(table, path, row_group_size=100)
    reader = Dataset(path).reader(batch_rows=64)
    check(reader.schema == table.schema, "schema:", reader.schema)
    batches = list(reader)
    del reader
    batches.reverse()
    check(sum(sum(b.column(0).to_pylist()) for b in batches) == sum(range(1000)), "kept batches")
    early = Dataset(path).reader(batch_rows=10)
    next(early)
    del early
    required = pa.schema([pa.field("r", pa.int64(), nullable=False)])
    pq.write_table(pa.table({"r": [1, 2]}, schema=required), path)
    check(Dataset(path).table().schema == required, "a required column")
    check(Dataset(path, path).table().schema.field(0).nullable, "files may differ")


# ---- the corpus ----

# (reader, end of the path): why the other reader differs, and is no measure here.
EXCEPTIONS = {
    ("duckdb", "parquet-testing/bigdecimal.parquet"):
        "precision 77 fits no decimal of Arrow's (pyarrow refuses the file): the stream has the "
        "bytes, DuckDB rounds to double",
    ("duckdb", "geoparquet/overture_buildings.parquet"):
        "the stored WKB is big-endian; DuckDB re-writes geometries, the stream has the stored bytes",
    ("duckdb", "geoparquet/overture_infrastructure.parquet"): "as overture_buildings",
    ("duckdb", "impala/testdata/data/out_of_range_time_of_day.parquet"):
        "nanoseconds of the day near 2^64: without sign, as pyarrow reads them; DuckDB takes a sign",
    ("pyarrow", "impala/testdata/data/alltypes_agg_bitpacked_def_levels.parquet"):
        "deprecated BIT_PACKED levels: Encodings.md packs them most significant bit first, Arrow "
        "reads them least significant bit first; the file's own data can't tell which was meant",
    ("pyarrow", "golden/hand_levels_bit_packed.parquet"): "as alltypes_agg_bitpacked_def_levels",
    ("pyarrow", "golden/hand_page_without_values.parquet"):
        "an empty data page ends the column to pyarrow; 3 rows follow it, as the footer says",
    ("duckdb", "golden/pyarrow_int96.parquet"): "DuckDB reads INT96 to microseconds, rounded",
    ("polars", "impala/testdata/data/zero_rows_one_row_group.parquet"):
        "the footer says 0 rows, the row group says 1 and holds it; pyarrow and DuckDB read it too",
}


def is_excepted(reader, path):
    return any(reader == r and path.endswith(end) for r, end in EXCEPTIONS)


def read_pyarrow(path, field, int96_unit):
    file = pq.ParquetFile(path, coerce_int96_timestamp_unit="us" if int96_unit else None)
    return file.reader.read_all(column_indices=[field.leaf]).column(0)


def read_polars(path, field, int96_unit):
    if int96_unit:
        raise ValueError("Polars saturates INT96 at the ends of 64-bit nanoseconds")
    return pl.read_parquet(path, columns=[field.column], glob=False).to_arrow().column(0)


def read_duckdb(path, field, int96_unit):
    """By position: DuckDB renames columns that differ in case alone."""
    if field.precision > 38:
        raise ValueError("DuckDB rounds wide decimals to double")
    relation = duckdb.read_parquet(path)
    if relation.columns[field.column] == "*":
        raise ValueError("all columns, to DuckDB")
    column = duckdb.ColumnExpression(relation.columns[field.column])
    return arrow_of(relation.select(column)).column(0)


def as_duckdb(array, theirs):
    """UUIDs leave DuckDB as text, intervals as months, days, nanoseconds: ours made alike."""
    array = one_array(array)
    if array.type == pa.binary(16) and pa.types.is_string(theirs.type):
        return pa.array([v and str(uuid.UUID(bytes=v)) for v in array.to_pylist()], pa.string())
    if array.type == pa.binary(12) and pa.types.is_interval(theirs.type):
        parts = [v and struct.unpack("<3I", v) for v in array.to_pylist()]
        return pa.array([p and (p[0], p[1], p[2] * 10 ** 6) for p in parts], theirs.type)
    return array


def name_of(field):
    return ctypes.string_at(field.name, field.name_size).decode(errors="replace")


class Tally:
    def __init__(self):
        self.files = self.columns = self.refused = 0
        self.equal, self.unable, self.excepted = {}, {}, {}

    def add(self, counts, reader):
        counts[reader] = counts.get(reader, 0) + 1

    def __str__(self):
        return ("%d files, %d flat columns; refused by weir %d; equal %s; the other reader "
                "can't %s; excepted %s" % (self.files, self.columns, self.refused, self.equal,
                                           self.unable, self.excepted))


def read_ours(dataset, field):
    """The column and the unit it took: INT96 beyond 64-bit nanoseconds is read in microseconds."""
    try:
        return dataset.table(columns=[field.column]).column(0), 0
    except pa.ArrowInvalid as refused:
        if "INT96" not in str(refused):
            raise
    return dataset.table(columns=[field.column], int96_unit=3).column(0), 3


def check_column(tally, short, path, dataset, field):
    name = name_of(field)
    tally.columns += 1
    try:
        ours, unit = read_ours(dataset, field)
    except (WeirError, OSError, pa.ArrowInvalid, NotImplementedError) as refused:
        tally.refused += 1
        if "fuzzing" not in short:
            print("weir refuses", short, name, str(refused).replace(path, "")[:160])
        return
    for reader, read in (("pyarrow", read_pyarrow), ("polars", read_polars),
                         ("duckdb", read_duckdb)):
        try:
            theirs = read(path, field, unit)
        except BaseException as unable:  # Polars panics are not Exceptions
            if isinstance(unable, KeyboardInterrupt):
                raise
            tally.add(tally.unable, reader)
            continue
        found = difference(as_duckdb(ours, theirs) if reader == "duckdb" else ours, theirs)
        if found is None:
            tally.add(tally.equal, reader)
        elif is_excepted(reader, path):
            tally.add(tally.excepted, reader)
        else:
            check(False, short, "%s: %s: %s" % (reader, name, found))


def check_files(root):
    """All three readers on every flat column of the files that can be opened, bad/ left out."""
    tally = Tally()
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f != "bad")
        for name in sorted(names):
            path = os.path.join(folder, name)
            try:
                dataset = Dataset(path)
                fields = dataset.fields()
            except WeirError:
                continue
            tally.files += 1
            for field in fields:
                if field.child_count == 0 and field.max_repetition == 0:
                    check_column(tally, os.path.relpath(path, root), path, dataset, field)
    print(tally)
    for reader in ("pyarrow", "polars", "duckdb"):
        check(tally.equal.get(reader, 0) > tally.columns * 3 // 4, reader, "hardly compared")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_protocol(folder)
        check_bad_text(folder)
        check_far_int96(folder)
        check_generated(folder, 12)
    datasets = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "datasets")
    check_files(os.path.join(datasets, "golden"))
    corpus = os.environ.get("WEIR_CORPUS")
    if corpus:
        check_files(os.path.join(corpus, "parquet"))
    print("%d checks, %d failures, %d columns that pyarrow can't read"
          % (check.count, check.failures, check.refused))
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
