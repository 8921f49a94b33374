"""large.py: files that are large in some way, made by hand so that they are small on disk: a value
of 32 MiB used 80 times, more than 2^31 rows, chunks over 2 GB, 40,000 pages, 40,000 row groups,
10,000 columns, a row group of 2 GB. Each is read by the command; sums are known, memory is held
against a bound by
limiting the address space.  Run: python large.py MAKE, where MAKE is datasets/make; with WEIR_BUILD.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, sys.argv[1])
import hand  # noqa: E402
from hand import RLE, Chunk, i32, same_run, struct_  # noqa: E402

INT32, INT64, DOUBLE, BYTE_ARRAY = hand.INT32, hand.INT64, hand.DOUBLE, hand.BYTE_ARRAY
GZIP, ZSTD = 2, 6
RLE_DICTIONARY, PLAIN = 8, 0
WEIR = os.path.join(os.environ["WEIR_BUILD"], "weir")
MIB = 1 << 20
failed = checks = 0


class Many:
    """Stands for a list too long to make."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count


def check(what, ok, *more):
    global checks, failed
    checks += 1
    if not ok:
        failed += 1
        print("FAILED:", what, *more)


def run(bound, *args):
    """Exit code, stdout, stderr of the command in an address space of `bound` MiB."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (bound * MIB, bound * MIB))
    done = subprocess.run([WEIR, *args], capture_output=True, preexec_fn=limit)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def stat(bound, *args):
    code, out, err = run(bound, "stat", "--json", *args)
    return code, json.loads(out) if out else None, err


def the_columns(stats):
    return stats["columns"] if isinstance(stats, dict) else stats


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


def data_page(chunk, count, body, encoding=PLAIN):
    at = chunk.page(0, len(body), chunk.compress(body),
                    struct_(5, i32(1, count), i32(2, encoding), i32(3, RLE), i32(4, RLE)))
    chunk.data_at = at if chunk.data_at is None else chunk.data_at
    chunk.values = Many(len(chunk.values) + count)


def repeat_pages(chunk, times):
    """The pages so far, several times over."""
    chunk.body *= times
    chunk.plain_size *= times
    chunk.values = Many(len(chunk.values) * times)


def one_value_many_times(folder):
    size = 32 * MIB
    length = size.to_bytes(4, "little")
    zeros = [((131072 << 3 | 2).to_bytes(3, "little"), b"\0")] * (size // 131072)
    chunk = Chunk("x", BYTE_ARRAY, codec=ZSTD)
    chunk.compress = lambda data: hand.zstd(Many(size + 4), [((4 << 3).to_bytes(3, "little"), length)] + zeros)
    chunk.dictionary([0], data=Many(size + 4))
    chunk.compress = hand.zstd
    data_page(chunk, 80, b"\1" + same_run(80, 0, 1), RLE_DICTIONARY)
    path = write(folder, "bomb.parquet", hand.file([chunk]))
    check("bomb: small", os.path.getsize(path) < 1700, os.path.getsize(path))
    for threads in "1", "2":
        code, out, err = run(400, "digest", "--threads", threads, path)
        check("bomb: read", code == 0 and "x\t0\t0\t80\t80\t0\t" in out, out, err)
    code, out, err = run(400, "digest", "--memory-limit", "20M", path)
    check("bomb: limit", code == 1 and "20971520" in err and "are needed" in err, out, err)


def more_rows_than_31_bits(folder):
    rows = 2 ** 30 + 7
    groups = []
    for _ in range(2):
        chunk = Chunk("x", INT32)
        chunk.dictionary([3])
        data_page(chunk, rows, b"\0" + same_run(rows, 0, 0), RLE_DICTIONARY)
        groups.append([chunk])
    path = write(folder, "rows.parquet", hand.file(*groups))
    code, stats, err = stat(200, path)
    check("2^31 rows: sum", code == 0 and the_columns(stats)[0]["sum"] == 6 * rows, stats, err)
    code, out, err = run(200, "count", path)
    check("2^31 rows: count", out.split()[-1].replace(",", "") == str(2 * rows), out)
    code, out, err = run(200, "head", "--skip", str(2 * rows - 2), "-f", "jsonl", path)
    check("2^31 rows: the last two", out == '{"x":3}\n{"x":3}\n', out, err)


def a_chunk_over_2_gb(folder):
    count, times = 8 * MIB, 40
    chunk = Chunk("x", INT64, codec=GZIP, compress=hand.gzip)
    data_page(chunk, count, (1).to_bytes(8, "little") * count)
    repeat_pages(chunk, times)
    path = write(folder, "chunk.parquet", hand.file([chunk]))
    for threads in "1", "2":
        code, stats, err = stat(700, "--threads", threads, path)
        check("2 GB chunk: sum", code == 0 and the_columns(stats)[0]["sum"] == count * times, stats, err)
    

def more_rows_than_63_bits(folder):
    paths = []
    for name, rows in (("62", 2 ** 62), ("63", 2 ** 63 - 1), ("3", 3)):
        chunk = Chunk("x", INT32)
        chunk.data([1, 2, 3])
        chunk.values = Many(rows)
        paths.append(write(folder, name, hand.file([chunk])))
    most, whole, good = paths
    code, out, err = run(200, "count", most, most)
    check("2^63 rows: count", code == 1 and "2^63" in err, out, err)
    for files in ([most, most, good], [whole, good]):
        for command in ("cat", "stat"):
            code, out, err = run(200, command, "--skip-bad", *files)
            check("2^63 rows: no file is passed over in silence", code == 1 and "2^63" in err, files, out, err)
    code, out, err = run(200, "cat", "--skip", str(2 ** 63 - 1), most, most, most)
    check("2^63 rows: past all", code in (0, 1), out, err)
    code, out, err = run(200, "info", most, most, most)
    check("2^63 rows: info", code == 0, out, err)


def many_pages(folder):
    chunk = Chunk("x", INT32)
    for i in range(40000):
        data_page(chunk, 1, i.to_bytes(4, "little"))
    path = write(folder, "pages.parquet", hand.file([chunk]))
    code, stats, err = stat(200, path)
    check("40,000 pages", code == 0 and the_columns(stats)[0]["sum"] == sum(range(40000)), stats, err)
    code, out, err = run(200, "cat", "--skip", "39998", "-f", "jsonl", path)
    check("40,000 pages: the last", out == '{"x":39998}\n{"x":39999}\n', out, err)


def many_groups(folder):
    groups = []
    for i in range(40000):
        chunk = Chunk("x", INT32)
        chunk.data([i])
        groups.append([chunk])
    path = write(folder, "groups.parquet", hand.file(*groups))
    for threads in "1", "2":
        code, stats, err = stat(400, "--threads", threads, path)
        check("40,000 groups", code == 0 and the_columns(stats)[0]["sum"] == sum(range(40000)), stats, err)
    code, out, err = run(400, "cat", "--tail", "1", "-f", "jsonl", path)
    check("40,000 groups: the last", out == '{"x":39999}\n', out, err)


def many_columns(folder):
    chunks = []
    for i in range(10000):
        chunk = Chunk("c%d" % i, INT32)
        chunk.data([i, -i])
        chunks.append(chunk)
    path = write(folder, "columns.parquet", hand.file(chunks))
    code, stats, err = stat(1500, path)
    check("10,000 columns", code == 0 and [c["max"] for c in the_columns(stats)] == list(range(10000)), err)
    code, out, err = run(1500, "cat", "-c", "c9999", "-f", "jsonl", path)
    check("10,000 columns: one", out == '{"c9999":9999}\n{"c9999":-9999}\n', out, err)


def a_group_of_2_gb(folder):
    chunks = []
    for i in range(20):
        chunk = Chunk("c%d" % i, DOUBLE, codec=GZIP, compress=hand.gzip)
        data_page(chunk, MIB // 8, hand.plain(DOUBLE, [0.5]) * (MIB // 8))
        repeat_pages(chunk, 102)
        chunks.append(chunk)
    path = write(folder, "group.parquet", hand.file(chunks))
    rows = 102 * MIB // 8
    for bound, args in ((250, ["--threads", "1"]), (500, ["--threads", "2"]),
                        (250, ["--threads", "2", "--memory-limit", "96M"])):
        code, stats, err = stat(bound, *args, path)
        check("2 GB group: sums", code == 0 and all(c["sum"] == rows / 2 for c in the_columns(stats)), args, stats, err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for case in (one_value_many_times, more_rows_than_31_bits, more_rows_than_63_bits, a_chunk_over_2_gb, many_pages, many_groups,
                     many_columns, a_group_of_2_gb):
            start = time.time()
            case(folder)
            print("%-24s %.1f s" % (case.__name__, time.time() - start))
    print("%d checks, %d failed" % (checks, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
