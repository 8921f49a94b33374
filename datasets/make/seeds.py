#!/usr/bin/env python3
"""Makes the inputs that fuzzing starts from, formats/parquet/test/corpus, out of the golden files and
their cases: footers, page headers, and page bodies behind the five bytes that fuzz_encoding.c reads.
`seeds.py GOLDEN CORPUS`"""
import glob
import hashlib
import os
import struct
import sys

import cases
import hand


def main():
    golden, corpus = sys.argv[1:]
    seeds = {"footer": set(), "header": set(), "encoding": set()}
    for path in glob.glob(os.path.join(golden, "*.parquet")):
        data = open(path, "rb").read()
        size = struct.unpack("<I", data[-8:-4])[0]
        if size < 1500:
            seeds["footer"].add(data[-8 - size:-8])

    page, data1 = hand.Chunk.page, hand.Chunk.data

    def head(chunk, values, encoding, flags):
        rows = min(255, int((16 * len(values)) ** 0.5 + 1))
        dictionary = encoding in (hand.PLAIN_DICTIONARY, hand.RLE_DICTIONARY)
        flags |= (1 if chunk.optional else 0) | (4 if dictionary else 0)
        return bytes([chunk.type | max(chunk.length - 1, 0) << 3 & 255, encoding, flags, rows, 3]) + \
            (bytes(range(24)) if dictionary else b"")

    def note_page(chunk, kind, size, body, *fields, crc=None):
        begin = len(chunk.body)
        at = page(chunk, kind, size, body, *fields, crc=crc)
        seeds["header"].add(chunk.body[begin:len(chunk.body) - len(body)])
        return at

    def note_data(chunk, values, body=None, encoding=hand.PLAIN, levels=None, level_encoding=hand.RLE, **options):
        plain = hand.plain(chunk.type, [v for v in values if v is not None]) if body is None else body
        if chunk.optional:
            plain = (hand.sized(chunk.levels(values)) if levels is None else levels) + plain
        flags = 8 if level_encoding == hand.BIT_PACKED else 0
        seeds["encoding"].add(head(chunk, values, encoding, flags) + plain)
        data1(chunk, values, body, encoding, levels, level_encoding, **options)

    hand.Chunk.page, hand.Chunk.data = note_page, note_data
    for case in cases.CASES:
        case()
    for kind, inputs in seeds.items():
        folder = os.path.join(corpus, kind)
        os.makedirs(folder, exist_ok=True)
        for data in inputs:
            if 0 < len(data) < 1600:
                with open(os.path.join(folder, hashlib.sha256(data).hexdigest()[:16]), "wb") as out:
                    out.write(data)


main()
