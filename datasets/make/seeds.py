#!/usr/bin/env python3
"""Makes the inputs that fuzzing of footers and page headers starts from, formats/parquet/test/corpus,
out of the golden files and their cases. `seeds.py ROOT`"""
import glob
import hashlib
import os
import struct
import sys

import cases
import hand


def main():
    root = sys.argv[1]
    footers, headers = set(), set()
    for path in glob.glob(os.path.join(root, "datasets/golden/*.parquet")):
        data = open(path, "rb").read()
        size = struct.unpack("<I", data[-8:-4])[0]
        footers.add(data[-8 - size:-8])

    page = hand.Chunk.page

    def note_page(chunk, kind, size, body, *fields, crc=None):
        begin = len(chunk.body)
        at = page(chunk, kind, size, body, *fields, crc=crc)
        headers.add(chunk.body[begin:len(chunk.body) - len(body)])
        return at

    hand.Chunk.page = note_page
    for case in cases.CASES:
        case()
    for kind, inputs in (("footer", footers), ("header", headers)):
        folder = os.path.join(root, "formats/parquet/test/corpus", kind)
        os.makedirs(folder, exist_ok=True)
        for data in inputs:
            if 0 < len(data) < 1500:
                with open(os.path.join(folder, hashlib.sha256(data).hexdigest()[:16]), "wb") as out:
                    out.write(data)


main()
