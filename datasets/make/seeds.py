#!/usr/bin/env python3
"""Makes the inputs that fuzzing of footers, page headers and nested leaves starts from, in
formats/parquet/test/corpus, out of the golden files, their cases, and random records. `seeds.py ROOT`"""
import glob
import hashlib
import os
import random
import struct
import sys

import cases
import hand


def stripe(shape, record, repetition=0, definition=0, lists=0):
    """Levels and values of one record: None, a list, or what a struct or the leaf has."""
    if record is None:
        return [(repetition, definition, None)]
    definition += shape[0].islower()
    if shape[0] in "vV":
        return [(repetition, definition, record)]
    if shape[0] in "sS":
        return stripe(shape[1:], record, repetition, definition, lists)
    levels = []
    for i, element in enumerate(record):
        levels += stripe(shape[1:], element, lists + 1 if i else repetition, definition + 1, lists + 1)
    return levels or [(repetition, definition, None)]


def draw_record(rng, shape):
    if shape[0].islower() and rng.random() < 0.2:
        return None
    if shape[0] in "vV":
        return rng.randrange(5)
    if shape[0] in "sS":
        return draw_record(rng, shape[1:])
    return [draw_record(rng, shape[1:]) for _ in range(rng.choice([0, 1, 2, 3, 9]))]


def level_bytes(levels, shape):
    most = [sum(c in "lLmM" for c in shape), sum((c in "lLmM") + c.islower() for c in shape)]
    width = [m.bit_length() for m in most]
    return [hand.packed_run([level[k] for level in levels], width[k]) if width[k] else b""
            for k in range(2)]


def nested_seed(rng, number, shape):
    """As fuzz_nested.c takes it: 16 bytes, a dictionary, two pages."""
    has_dictionary, version = number % 3 == 0, 1 + number % 2
    body = [b"", b""]
    counts = [rng.randrange(2, 6), 3]
    sizes = 0
    for k in range(2):
        levels = []
        while len(levels) < counts[k] * 3 + 1:
            levels += stripe(shape, draw_record(rng, shape))
        parts = level_bytes(levels[:counts[k] * 3 + 1], shape)
        for i, part in enumerate(parts):
            body[k] += hand.sized(part) if version == 1 and part else part
            sizes |= min(len(part), 15) << 4 * i
        values = [v for _, _, v in levels[:counts[k] * 3 + 1] if v is not None]
        if has_dictionary:
            body[k] += bytes([3]) + hand.packed_run(values, 3)
        else:
            body[k] += b"".join(struct.pack("<i", v) for v in values)
    first = b"".join(struct.pack("<i", 100 + v) for v in range(5)) if has_dictionary else b""
    rest = len(first) + len(body[0]) + len(body[1])
    cut = -(-len(first) * 512 // rest)
    while cut * rest // 512 < len(first):
        cut += 1
    first += bytes(cut * rest // 512 - len(first))
    rest = len(first) + len(body[0]) + len(body[1])
    second = -(-len(body[0]) * 256 // (rest - len(first)))
    kinds = [("sSlLmM").index(c) for c in shape[:-1]]
    head = ([1, len(kinds) - 1 + (0x80 if shape[-1] == "v" else 0)] + kinds + [0] * (6 - len(kinds)) +
            [8 if has_dictionary else 0, version - 1 + 32 * (number % 4), sizes, counts[0], counts[1],
             5, min(cut, 255), min(second, 255)])
    return bytes(head) + first + body[0] + body[1]


def write_nested(folder):
    rng = random.Random(20250301)
    os.makedirs(folder, exist_ok=True)
    shapes = ("lv", "LV", "sv", "slv", "lsv", "llv", "mSv", "LsLV", "lslslv", "sssssv", "lmSlv", "SSSSSV")
    for number in range(24):
        shape = shapes[number % len(shapes)]
        with open(os.path.join(folder, "%s_%d" % (shape, number)), "wb") as out:
            out.write(nested_seed(rng, number, shape))


def main():
    root = sys.argv[1]
    write_nested(os.path.join(root, "formats/parquet/test/corpus/nested"))
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
