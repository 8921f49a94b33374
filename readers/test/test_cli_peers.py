#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the command prints of whole files against pyarrow and Python's own arithmetic: JSON lines,
csv, stat, info, schema. Usage: test_cli_peers.py SOURCE_FOLDER, with $WEIR_BUILD; needs pyarrow.
Prints files, columns and values compared."""
import base64
import collections
import csv
import decimal
import fractions
import io
import json
import math
import os
import subprocess
import sys
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

WEIR = os.path.join(os.environ["WEIR_BUILD"], "weir")
FOLDERS = [os.path.join(sys.argv[1], "datasets", name) for name in ("golden", "sample")]
TICKS = {"s": 1, "ms": 1000, "us": 1000000, "ns": 1000000000}
DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
decimal.getcontext().prec = 200

# Files that pyarrow reads otherwise than the format says.
PYARROW_ERRS = {
    "hand_levels_bit_packed": "takes BIT_PACKED levels least significant bit first",
    "hand_page_without_values": "ends a chunk at a page of no values",
    "hand_int96_far": "wraps INT96 beyond the range of 64-bit nanoseconds",
    "hand_dictionary_of_each_type": "wraps INT96 beyond the range of 64-bit nanoseconds",
}


def run(*args):
    done = subprocess.run([WEIR, *args], capture_output=True, check=False)
    return done.stdout.decode(), done.stderr.decode(), done.returncode


# ---- what a value is called ----

def date_text(days):
    """Proleptic Gregorian, any year, by whole cycles of 400 years from what datetime can do."""
    import datetime
    cycles, rest = divmod(days + 719162, 146097)  # days since 0001-01-01
    date = datetime.date.fromordinal(rest + 1)
    year = date.year + 400 * cycles
    if 0 <= year <= 9999:
        return "%04d-%02d-%02d" % (year, date.month, date.day)
    return "%s%05d-%02d-%02d" % ("-" if year < 0 else "+", abs(year), date.month, date.day)


def clock_text(ticks, unit):
    seconds, rest = divmod(ticks, TICKS[unit])
    text = "%02d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)
    return text + (".%0*d" % (DIGITS[unit], rest) if unit != "s" else "")


def stamp_text(ticks, kind):
    days, rest = divmod(ticks, 86400 * TICKS[kind.unit])
    return date_text(days) + "T" + clock_text(rest, kind.unit) + ("Z" if kind.tz else "")


def float_value(value):
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def bytes_value(value):
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()


def is_bytes(kind):
    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or \
        pa.types.is_fixed_size_binary(kind)


def raw(column):
    """Python values of a column; times and dates as integers, decimals as Decimal."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type)
        kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        column = column.cast(pa.int32())
    elif pa.types.is_time64(kind) or pa.types.is_timestamp(kind):
        column = column.cast(pa.int64())
    return column.to_pylist()


def meaning(column):
    """How a value of the column looks in JSON."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType) and kind.extension_name == "arrow.uuid":
        return lambda value: str(uuid.UUID(bytes=value))
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_decimal(kind):
        return lambda value: format(value, "f")
    if pa.types.is_date32(kind):
        return date_text
    if pa.types.is_time(kind):
        return lambda value: clock_text(value, kind.unit)
    if pa.types.is_timestamp(kind):
        return lambda value: stamp_text(value, kind)
    if pa.types.is_floating(kind):
        return float_value
    if is_bytes(kind):
        return bytes_value
    return lambda value: value


class Float(float):
    """Keeps the text it was read from."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self


def narrow(value, kind):
    """The float of that width which the text means."""
    return pa.scalar(value, pa.float64()).cast(kind, safe=False).as_py()


def same(got, want, kind):
    if isinstance(got, float) and isinstance(want, float):
        return narrow(got, kind) == want and \
            math.copysign(1, got) == math.copysign(1, want)
    return got == want and isinstance(got, bool) == isinstance(want, bool)


# ---- one file ----

class Compare:
    def __init__(self):
        self.files = self.columns = self.values = self.bounds = 0
        self.skipped = collections.Counter()
        self.wrong = []

    def fail(self, path, *what):
        self.wrong.append("%s: %s" % (os.path.basename(path), " ".join(map(str, what))))

    def check_rows(self, path, names, columns, types):
        out, err, code = run("cat", "-f", "jsonl", path)
        if code or err:
            return self.fail(path, "cat:", err)
        rows = [json.loads(line, parse_float=Float, object_pairs_hook=list)
                for line in out.split("\n")[:-1]]
        for i, column in enumerate(columns):
            want, tell, kind = raw(column), meaning(column), column.type
            if len(want) != len(rows):
                return self.fail(path, "rows", len(rows), "not", len(want))
            if types[i] == "interval":
                continue  # pyarrow has no type for it
            for row, value in enumerate(want):
                value = None if value is None else tell(value)
                self.values += 1
                if rows[row][i][0] != names[i] or not same(rows[row][i][1], value, kind):
                    return self.fail(path, "row", row, names[i], rows[row][i], "not", value)
        return self.check_csv(path, rows, columns)

    def check_csv(self, path, rows, columns):
        """The same values: a csv reader must find what JSON says, or its text."""
        out, err, code = run("cat", "-f", "csv", "--no-header", path)
        got = list(csv.reader(io.StringIO(out, newline="")))
        if code or err or (len(columns) > 1 and len(got) != len(rows)):
            return self.fail(path, "csv:", len(got), "rows", err)
        for line, row in zip(got, rows):
            for text, (name, value), column in zip(line, row, columns):
                kind = column.type
                if is_bytes(kind):
                    continue  # escapes, not base64
                want = "" if value is None else value.text if isinstance(value, Float) else \
                    str(value).lower() if isinstance(value, bool) else str(value)
                if text != want:
                    return self.fail(path, "csv", name, repr(text), "not", repr(want))
        return None

    def check_stat(self, path, columns, stats):
        for column, stat in zip(columns, stats):
            want, tell, kind = raw(column), meaning(column), column.type
            there = [value for value in want if value is not None]
            numbers = [v for v in there if not (isinstance(v, float) and math.isnan(v))]
            expect = {"values": len(there), "nulls": len(want) - len(there),
                      "nans": len(there) - len(numbers)}
            is_text = pa.types.is_string(kind)
            key = (lambda v: v.encode()) if is_text else None
            expect["min"] = tell(min(numbers, key=key)) if numbers else None
            expect["max"] = tell(max(numbers, key=key)) if numbers else None
            expect["sum"], expect["mean"] = self.sum_of(there, kind)
            if stat["type"] == "int96":
                expect["mean"] = None
            if stat["type"] == "interval":
                expect["min"] = expect["max"] = None
            for name, value in expect.items():
                self.bounds += 1
                if name == "mean" and isinstance(value, float) and isinstance(stat[name], float):
                    if math.isclose(value, stat[name], rel_tol=1e-15):
                        continue
                elif name in ("min", "max") and isinstance(value, float):
                    if same(stat[name], value, kind):
                        continue
                if stat[name] != value:
                    self.fail(path, "stat", stat["name"], name, stat[name], "not", value)

    @staticmethod
    def sum_of(there, kind):
        if not there or isinstance(kind, pa.BaseExtensionType):
            return None, None
        if pa.types.is_floating(kind):
            if all(map(math.isfinite, there)):
                try:
                    return math.fsum(there), math.fsum(there) / len(there)
                except OverflowError:
                    pass
            plain = 0.0
            for value in there:
                plain += value
            return float_value(plain), float_value(plain)
        if pa.types.is_decimal(kind):
            total = sum(there, decimal.Decimal(0))
            return format(total, "f"), float(fractions.Fraction(total) / len(there))
        if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
            total = sum(there)
            return total, float(fractions.Fraction(total, len(there)))
        if pa.types.is_date32(kind):
            return None, date_text(sum(there) // len(there))
        if pa.types.is_time(kind):
            return None, clock_text(sum(there) // len(there), kind.unit)
        if pa.types.is_timestamp(kind):
            return None, stamp_text(sum(there) // len(there), kind)
        return None, None

    def check_info(self, path, file, names):
        found = json.loads(run("info", "--json", path)[0])["files"][0]
        meta = file.metadata
        for name, got, want in (("rows", found["rows"], meta.num_rows),
                                ("row groups", found["row_groups"], meta.num_row_groups),
                                ("writer", found["writer"], meta.created_by or ""),
                                ("columns", len(found["columns"]), meta.num_columns)):
            if got != want:
                self.fail(path, "info", name, got, "not", want)
        for i, column in enumerate(found["columns"]):
            groups = [meta.row_group(g).column(i) for g in range(meta.num_row_groups)]
            size = sum(group.total_compressed_size for group in groups)
            if (column["bytes"], column["plain_bytes"]) != \
                    (size, sum(group.total_uncompressed_size for group in groups)):
                self.fail(path, "info", names[i], "size", column["bytes"], "not", size)
            stats = [group.statistics for group in groups]
            if stats and all(s is not None and s.has_null_count for s in stats) and \
                    column["nulls"] != sum(s.null_count for s in stats):
                self.fail(path, "info", names[i], "nulls", column["nulls"])

    def check_arrow(self, path, file):
        out = run("schema", "--arrow", path)[0]
        want = []
        for field in file.schema_arrow.remove_metadata():
            kind = field.type
            if isinstance(kind, pa.BaseExtensionType):
                kind = kind.storage_type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            want.append("%s: %s%s" % (field.name, kind, "" if field.nullable else " not null"))
        if any("\n" in line or "\t" in line for line in want):
            return  # escaped in ours
        for got, line in zip(out.splitlines(), want):
            # Types that a writer's own Arrow schema names, and Parquet has no words for, differ.
            if got != line and not any(word in line for word in ("large_", "duration", "_view")):
                self.fail(path, "schema", got, "not", line)

    def check(self, path):
        base = os.path.basename(path)[:-len(".parquet")]
        if base in PYARROW_ERRS:
            self.skipped["pyarrow " + PYARROW_ERRS[base]] += 1
            return None
        try:
            file = pq.ParquetFile(path)
        except (UnicodeDecodeError, OSError) as error:
            self.skipped["pyarrow can't open it"] += 1
            print("pyarrow:", os.path.basename(path), str(error)[:100])
            return None
        schema = file.schema
        if any(schema.column(i).path.count(".") and "." not in schema.column(i).name
               for i in range(len(schema))):
            self.skipped["nested"] += 1
            return None
        try:
            table = file.read()
        except (OSError, pa.ArrowInvalid, NotImplementedError) as error:
            self.skipped["pyarrow can't read it"] += 1
            print("pyarrow:", os.path.basename(path), str(error)[:100])
            return None
        names = []
        for name in table.column_names:
            names.append(name if name not in names else name + "#2")
        self.files += 1
        self.columns += len(names)
        self.check_arrow(path, file)
        self.check_info(path, file, names)
        out, err, code = run("stat", "--json", path)
        if code or err:
            return self.fail(path, "stat:", err)
        stats = json.loads(out)["columns"]
        if names:
            self.check_rows(path, names, table.columns, [stat["type"] for stat in stats])
            self.check_stat(path, table.columns, stats)
        return None


def main():
    compare = Compare()
    for folder in FOLDERS:
        for name in sorted(os.listdir(folder)):
            if name.endswith(".parquet"):
                compare.check(os.path.join(folder, name))
    for line in compare.wrong:
        print("differs:", line[:300])
    print("%d files, %d columns, %d values, %d statistics compared, %d differences, skipped: %s" % (
        compare.files, compare.columns, compare.values, compare.bounds, len(compare.wrong),
        dict(compare.skipped) or "none"))
    return 1 if compare.wrong or compare.files < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
