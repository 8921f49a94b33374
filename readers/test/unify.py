"""unify.py: files that differ, read as one table. What comes out is held against Python's own exact
arithmetic: for each column some files of different types are written by pyarrow, in every order,
and read by `weir cat --unify`. Also: what may not be widened is refused at its row, and without
--unify every difference is an error that names both files.  Run: python unify.py, with WEIR_BUILD.
"""
import datetime as dt
import itertools
import json
import os
import subprocess
import sys
import tempfile
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq

WEIR = os.path.join(os.environ["WEIR_BUILD"], "weir")
UTC = dt.timezone.utc
checks = failed = 0


def check(what, ok, *more):
    global checks, failed
    checks += 1
    if not ok:
        failed += 1
        print("FAILED:", what, *more)


def weir(*args):
    done = subprocess.run([WEIR, *args], capture_output=True)
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()] if args[0] == "cat" else done.stdout
    return done.returncode, rows, done.stderr.decode()


def write(folder, name, columns):
    path = os.path.join(folder, name)
    pq.write_table(pa.table(columns), path)
    return path


def iso(unit, utc=False):
    digits = {"s": 3, "ms": 3, "us": 6, "ns": 9}[unit]

    def text(value):
        base, nanos = value  # a datetime and the nanoseconds below its microsecond
        fraction = "%09d" % (base.microsecond * 1000 + nanos)
        return base.strftime("%Y-%m-%dT%H:%M:%S.") + fraction[:digits] + ("Z" if utc else "")
    return text


def plain(value):
    return value


def decimal_text(value):
    return str(value)


# name, [(type, values as pyarrow takes them)], how a value looks in the result
BIG = 2**53
DAY = dt.datetime(2024, 2, 29, 23, 59, 59, 123000)
CASES = [
    ("ints", [(pa.int32(), [1, -2, None]), (pa.int64(), [2**62, -(2**62)])], plain),
    ("narrow ints", [(pa.int8(), [-128, 127]), (pa.int16(), [-32768, None]), (pa.int32(), [2**31 - 1])], plain),
    ("unsigned", [(pa.uint8(), [255]), (pa.uint16(), [65535]), (pa.uint32(), [2**32 - 1])], plain),
    ("unsigned into signed", [(pa.uint32(), [2**32 - 1, None]), (pa.int64(), [-1])], plain),
    ("small unsigned into signed", [(pa.uint8(), [200]), (pa.int16(), [-5])], plain),
    ("int32 and double", [(pa.int32(), [7, -(2**31)]), (pa.float64(), [1.5, None])], float),
    ("int64 and double", [(pa.int64(), [BIG, -BIG, BIG + 2]), (pa.float64(), [0.25])], float),
    ("float and double", [(pa.float32(), [1.5, 0.5, None]), (pa.float64(), [0.1])], float),
    ("null and string", [(pa.null(), [None, None]), (pa.string(), ["a", ""])], plain),
    ("null and int", [(pa.null(), [None]), (pa.int32(), [3])], plain),
    ("decimals", [(pa.decimal128(5, 2), [Decimal("1.25"), Decimal("-9.99")]),
                  (pa.decimal128(18, 2), [Decimal("123456789012345.67"), None])], decimal_text),
    ("wide decimals", [(pa.decimal128(9, 3), [Decimal("-0.001")]),
                       (pa.decimal128(38, 3), [Decimal("-12345678901234567890123456789012345.678")]),
                       (pa.decimal256(70, 3), [Decimal("9" * 60 + ".999")])], decimal_text),
    ("same", [(pa.date32(), [dt.date(2024, 1, 2)]), (pa.date32(), [dt.date(1600, 3, 1)])],
     lambda v: v.isoformat()),
]


def stamps():
    """Timestamps of several units: the finest wins."""
    for utc in (False, True):
        zone = "UTC" if utc else None
        for units in itertools.combinations(["ms", "us", "ns"], 2):
            files = [(pa.timestamp(u, zone), [DAY.replace(tzinfo=UTC if utc else None), None]) for u in units]
            yield ("timestamps %s %s" % (units, utc), files,
                   lambda v, u=units[1], z=utc: iso(u, z)((v, 0)))


def read_in_every_order(folder):
    for name, files, show in CASES + list(stamps()):
        for order in itertools.permutations(range(len(files))):
            paths, expected = [], []
            for i in order:
                kind, values = files[i]
                paths.append(write(folder, "%d.parquet" % i, {"x": pa.array(values, kind)}))
                expected += [None if v is None else show(v) for v in values]
            code, rows, err = weir("cat", "--unify", "-f", "jsonl", *paths)
            got = [row["x"] for row in rows]
            check(name, code == 0 and got == expected, order, got, expected, err)
            check(name + ": types", [type(v) for v in got] == [type(v) for v in expected], got)


def refuse_what_does_not_survive(folder):
    for name, files, good, word in [
        ("2^53 + 1", [(pa.int64(), [1, BIG + 1, 3]), (pa.float64(), [0.5])], 1, str(BIG + 1)),
        ("a late stamp", [(pa.timestamp("ms"), [DAY, DAY, dt.datetime(9999, 1, 1)]), (pa.timestamp("ns"), [DAY])],
         2, "253370764800000"),
        ("a dictionary's value", [(pa.int64(), [BIG + 1] * 3), (pa.float64(), [0.5])], 0, str(BIG + 1)),
    ]:
        paths = [write(folder, "%d.parquet" % i, {"x": pa.array(v, k)}) for i, (k, v) in enumerate(files)]
        code, rows, err = weir("cat", "--unify", "-f", "jsonl", *paths)
        check(name, code == 1 and len(rows) == good and word in err and "row %d" % good in err, code, rows, err)
        code, rows, err = weir("cat", "--unify", "-f", "jsonl", *reversed(paths))
        check(name + ", other order", code == 1 and len(rows) == good + len(files[1][1]) and word in err, rows, err)


def clash_only_where_picked(folder):
    a = write(folder, "a.parquet", {"x": pa.array(["s"]), "y": pa.array([1], pa.int32())})
    b = write(folder, "b.parquet", {"y": pa.array([2], pa.int64()), "x": pa.array([1], pa.int64())})
    code, rows, err = weir("cat", "--unify", "-f", "jsonl", "-c", "y", a, b)
    check("other columns read", code == 0 and rows == [{"y": 1}, {"y": 2}], rows, err)
    code, rows, err = weir("cat", "--unify", "-f", "jsonl", "-c", "x", a, b)
    check("no common type", code != 0 and a in err and b in err and "string" in err and "int64" in err, err)
    c = write(folder, "c.parquet", {"x": pa.array([DAY], pa.timestamp("us"))})
    d = write(folder, "d.parquet", {"x": pa.array([DAY.replace(tzinfo=UTC)], pa.timestamp("us", "UTC"))})
    code, rows, err = weir("cat", "--unify", "-f", "jsonl", c, d)
    check("a zone and none", code != 0 and c in err and d in err, err)


def missing_and_spelling(folder):
    a = write(folder, "a.parquet", {"Fee": pa.array([1.5]), "n": pa.array([1])})
    b = write(folder, "b.parquet", {"n": pa.array([2]), "fee": pa.array([2.5]), "new": pa.array(["z"])})
    code, rows, err = weir("cat", "--unify", "--any-case", "-f", "jsonl", a, b)
    check("any case", rows == [{"Fee": 1.5, "n": 1, "new": None}, {"Fee": 2.5, "n": 2, "new": "z"}], rows, err)
    code, rows, err = weir("cat", "--unify", "-f", "jsonl", a, b)
    check("by case", rows == [{"Fee": 1.5, "n": 1, "fee": None, "new": None},
                              {"Fee": None, "n": 2, "fee": 2.5, "new": "z"}], rows, err)
    code, rows, err = weir("cat", "--unify", "-f", "jsonl", "-c", "new", b, a)
    check("missing later", rows == [{"new": "z"}, {"new": None}], rows, err)


def strict_names_both(folder):
    kinds = {"int32": (pa.int32(), 1), "int64": (pa.int64(), 1), "uint32": (pa.uint32(), 1), "float": (pa.float32(), 1.0),
             "ms": (pa.timestamp("ms"), DAY), "us": (pa.timestamp("us"), DAY), "string": (pa.string(), "1"),
             "utc": (pa.timestamp("us", "UTC"), DAY.replace(tzinfo=UTC)), "binary": (pa.binary(), b"1")}
    for one, two in itertools.permutations(kinds, 2):
        a = write(folder, "a.parquet", {"x": pa.array([kinds[one][1]] * 2, kinds[one][0])})
        b = write(folder, "b.parquet", {"x": pa.array([kinds[two][1]], kinds[two][0])})
        code, rows, err = weir("cat", "-f", "jsonl", a, b)
        check("strict %s, %s" % (one, two), code == 1 and len(rows) == 2 and a in err and b in err
              and "`x`" in err and "--unify" in err and "row 2" in err, code, rows, err)
    a = write(folder, "a.parquet", {"x": pa.array([1]), "y": pa.array([2])})
    b = write(folder, "b.parquet", {"z": pa.array([9]), "y": pa.array([4]), "x": pa.array([None], pa.int64())})
    code, rows, err = weir("cat", "-f", "jsonl", a, b)
    check("order and extra columns are free", rows == [{"x": 1, "y": 2}, {"x": None, "y": 4}], rows, err)
    c = write(folder, "c.parquet", {"y": pa.array([4])})
    code, rows, err = weir("cat", "-f", "jsonl", a, c)
    check("missing", code == 1 and rows == [{"x": 1, "y": 2}] and c in err and "--unify" in err, rows, err)
    code, rows, err = weir("cat", "-f", "jsonl", "-c", "y", a, c)
    check("missing, not wanted", code == 0 and rows == [{"y": 2}, {"y": 4}], rows, err)
    d = pa.table({"x": pa.array([5])}, schema=pa.schema([pa.field("x", pa.int64(), nullable=False)]))
    pq.write_table(d, os.path.join(folder, "d.parquet"))
    code, rows, err = weir("cat", "-f", "jsonl", "-c", "x", a, os.path.join(folder, "d.parquet"))
    check("required and optional", rows == [{"x": 1}, {"x": 5}], rows, err)


def bad_files_are_skipped_on_request(folder):
    a = write(folder, "a.parquet", {"x": pa.array([1, 2])})
    bad = os.path.join(folder, "bad.parquet")
    with open(bad, "wb") as out:
        out.write(open(a, "rb").read()[:-20] + b"x" * 20)
    b = write(folder, "b.parquet", {"x": pa.array([3])})
    code, rows, err = weir("cat", "-f", "jsonl", a, bad, b)
    check("a bad file ends it", code == 1 and rows == [{"x": 1}, {"x": 2}] and bad in err, rows, err)
    code, rows, err = weir("cat", "-f", "jsonl", "--skip-bad", a, bad, b)
    check("skipped", rows == [{"x": 1}, {"x": 2}, {"x": 3}] and bad in err, code, rows, err)
    for threads in "1", "2":
        code, out, err = weir("stat", "--json", "--skip-bad", "--threads", threads, a, bad, b)
        stat = json.loads(out)
        check("stat skips", json.dumps(stat).find('"sum": 6') >= 0 or '"sum":6' in json.dumps(stat).replace(" ", ""), out, err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        read_in_every_order(folder)
        refuse_what_does_not_survive(folder)
        clash_only_where_picked(folder)
        missing_and_spelling(folder)
        strict_names_both(folder)
        bad_files_are_skipped_on_request(folder)
    print("%d checks, %d failed" % (checks, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
