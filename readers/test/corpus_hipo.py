#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `weir digest` against the corpus's HIPO files and their oracles, a line a value (event, tag,
bank, row, column, value), on one thread and on three; files without an oracle must fail and say
where. Usage: corpus_hipo.py WEIR; the corpus is at $WEIR_CORPUS/hipo.

What a leaf's sum must be is made here from the oracle's values: for each event of each column of
the dictionary a byte of repetition, a byte of definition (0: the event lacks the bank, 1: it has no
rows, 2: a value), and the value."""
import csv
import gzip
import json
import os
import struct
import subprocess
import sys
import zlib

PACK = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "float": "I", "double": "Q"}
# The byte that is wrong lies in a stream of text, which is of no bank and so not read.
UNREAD = {"bad_enc3_stream_bitflip.hipo"}


def run(*words):
    done = subprocess.run(words, capture_output=True, timeout=300, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def pack(kind, text):
    letter = PACK[kind.split("[")[0]]
    out = b""
    for one in text.split(","):
        out += struct.pack("<" + letter, int(one[1:], 16) if letter in "IQ" else int(one))
    return out


def read_oracle(path):
    """By event its tag, and by bank its rows: a dict of texts by column. Of two banks of one name the
    first counts."""
    events = []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="latin-1", newline="\n") as lines:
        for line in lines:
            event, tag, bank, row, column, value = line.rstrip("\n").split("\t", 5)
            while len(events) <= int(event):
                events.append((int(tag) & 0xFFFFFFFF, {}, set()))
            banks, closed = events[int(event)][1:]
            if bank == "-" or ":" in bank.replace("::", ""):
                continue
            if value == "EMPTY":
                banks.setdefault(bank, [])
                continue
            rows = banks.setdefault(bank, [])
            if int(row) < len(rows) - 1 or (int(row) == 0 and rows and column in rows[0]):
                closed.add(bank)
            if bank in closed:
                continue
            if int(row) == len(rows):
                rows.append({})
            rows[int(row)][column] = value
    return events


def expected(events, schema):
    lines = []
    for field in schema["fields"]:
        if "fields" not in field:
            crc = zlib.crc32(b"".join(b"\0\0" + struct.pack("<I", tag) for tag, _, _ in events))
            lines.append("%s\t0\t0\t%d\t%d\t0\t%08x" % (field["name"], len(events), len(events), crc))
            continue
        for column in field["fields"]:
            stream, slots, values = b"", 0, 0
            for _, banks, _ in events:
                rows = banks.get(field["name"])
                slots += max(1, len(rows or []))
                values += len(rows or [])
                if not rows:
                    stream += bytes((0, 0 if rows is None else 1))
                for k, row in enumerate(rows or []):
                    stream += bytes((1 if k else 0, 2)) + pack(column["type"], row[column["name"]])
            lines.append("%s.%s\t1\t2\t%d\t%d\t%d\t%08x" % (field["name"], column["name"], slots, values,
                                                           slots - values, zlib.crc32(stream)))
    return "\n".join(lines + ["rows\t%d" % len(events)]) + "\n"


def check_good(weir, path, oracle):
    code, text, why = run(weir, "schema", "--json", path)
    if code:
        return "schema: " + why
    wanted = expected(read_oracle(oracle), json.loads(text))
    for threads in ("1", "3"):
        code, text, why = run(weir, "digest", "--threads", threads, path)
        if code or text != wanted:
            return "on %s threads: exit code %d, %s" % (threads, code, why or "\n%snot\n%s" % (text, wanted))
    return None


def check_bad(weir, path, events):
    for threads in ("1", "3"):
        code, text, why = run(weir, "cat", "--threads", threads, "--format", "jsonl", path)
        if code != 1 or os.path.basename(path) not in why:
            return "exit code %d, %s" % (code, why)
        if "byte" not in why and "empty" not in why and "none of" not in why:
            return "it isn't said where: " + why
        if events is not None and text.count("\n") != events:
            return "%d events came out, not %d" % (text.count("\n"), events)
    return None


def main():
    folder = os.path.join(os.environ.get("WEIR_CORPUS", ""), "hipo")
    if "WEIR_CORPUS" not in os.environ or not os.path.isdir(folder):
        print("skipped: WEIR_CORPUS is not set, or has no folder hipo")
        return 77
    good = bad = wrong = 0
    with open(os.path.join(folder, "MANIFEST.tsv"), encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            path = os.path.join(folder, row["file"])
            is_cut = "cut inside" in row["status"]
            if row["oracle"] != "-" and not is_cut:
                trouble = check_good(sys.argv[1], path, os.path.join(folder, row["oracle"]))
                good += 1
            elif row["file"] in UNREAD:
                continue
            else:
                trouble = check_bad(sys.argv[1], path, int(row["events"]) if is_cut else None)
                bad += 1
            if trouble:
                wrong += 1
                print("%s: %s" % (row["file"], trouble[:2000]))
    print("%d files held against their oracles, %d that must fail: %d wrong" % (good, bad, wrong))
    return 1 if wrong or good < 70 else 0


if __name__ == "__main__":
    sys.exit(main())
