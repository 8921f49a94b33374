#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_file.py OUT: a small Parquet file whose pages are packed by the codec of runs.c, id 99.

Needs nothing but Python. Two required columns of 1,000 rows, two row groups: `step`, INT64, is the
row's number divided by 100; `letter`, a string, is a letter that changes every 77 rows.
"""
import struct
import sys

CODEC, ROWS, GROUP = 99, 1000, 600
INT64, BYTE_ARRAY = 2, 6


def pack(data):
    """Pairs { count, byte }."""
    out = bytearray()
    for byte in data:
        if out and out[-1] == byte and out[-2] < 255:
            out[-2] += 1
        else:
            out += bytes((1, byte))
    return bytes(out)


# Thrift's compact protocol, as far as it is needed: a struct is a list of (id, type, value).
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes((n,))


def value(kind, v):
    if kind in (I32, I64):
        return varint(v << 1 if v >= 0 else (-v << 1) - 1)
    if kind == BINARY:
        return varint(len(v)) + v
    if kind == LIST:
        element, items = v
        assert len(items) < 15
        return bytes((len(items) << 4 | element,)) + b"".join(value(element, i) for i in items)
    out, last = b"", 0
    for number, field, inner in v:
        out += bytes((number - last << 4 | field,)) + value(field, inner)
        last = number
    return out + b"\0"


def plain(kind, rows):
    if kind == INT64:
        return b"".join(struct.pack("<q", row // 100) for row in rows)
    return b"".join(struct.pack("<I", 1) + bytes((ord("a") + row // 77 % 26,)) for row in rows)


def main():
    columns = [(b"step", INT64, []), (b"letter", BYTE_ARRAY, [(6, I32, 0)])]
    file, groups = b"PAR1", []
    for first in range(0, ROWS, GROUP):
        rows = range(first, min(first + GROUP, ROWS))
        chunks, total = [], 0
        for name, kind, _ in columns:
            data = plain(kind, rows)
            packed = pack(data)
            page = [(1, I32, len(rows)), (2, I32, 0), (3, I32, 3), (4, I32, 3)]
            header = value(STRUCT, [(1, I32, 0), (2, I32, len(data)), (3, I32, len(packed)),
                                    (5, STRUCT, page)])
            meta = [(1, I32, kind), (2, LIST, (I32, [0])), (3, LIST, (BINARY, [name])),
                    (4, I32, CODEC), (5, I64, len(rows)), (6, I64, len(header) + len(data)),
                    (7, I64, len(header) + len(packed)), (9, I64, len(file))]
            chunks.append([(2, I64, len(file)), (3, STRUCT, meta)])
            file += header + packed
            total += len(header) + len(data)
        groups.append([(1, LIST, (STRUCT, chunks)), (2, I64, total), (3, I64, len(rows))])
    schema = [[(4, BINARY, b"schema"), (5, I32, len(columns))]]
    for name, kind, converted in columns:
        schema.append([(1, I32, kind), (3, I32, 0), (4, BINARY, name)] + converted)
    footer = value(STRUCT, [(1, I32, 1), (2, LIST, (STRUCT, schema)), (3, I64, ROWS),
                            (4, LIST, (STRUCT, groups)), (6, BINARY, b"weir plugin example")])
    with open(sys.argv[1], "wb") as out:
        out.write(file + footer + struct.pack("<I", len(footer)) + b"PAR1")


main()
