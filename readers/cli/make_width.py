#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints width_table.h from the Unicode data that Python carries."""
import unicodedata as u

LAST = 0x110000


# Blocks in which unassigned code points, too, are wide (EastAsianWidth.txt).
WIDE_BLOCKS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FFFD),
               (0x30000, 0x3FFFD))


def width(code):
    """0, 1, 2, or None: unassigned, so it may join the range around it."""
    c = chr(code)
    category = u.category(c)
    if any(first <= code <= last for first, last in WIDE_BLOCKS):
        return 2
    if category in ("Cn", "Cs", "Co"):
        return None
    if category in ("Mn", "Me") or (category == "Cf" and code != 0xAD):
        return 0
    if 0x1160 <= code <= 0x11FF:  # Hangul vowels and finals join the syllable before them
        return 0
    return 2 if u.east_asian_width(c) in "WF" else 1


def ranges(want):
    out = []
    is_open = False
    for code in range(0x300, LAST):
        w = width(code)
        if w == want and is_open:
            out[-1][1] = code
        elif w == want:
            out.append([code, code])
            is_open = True
        elif w is not None:
            is_open = False
    return out


def table(name, want):
    print("static const width_range %s[] = {" % name)
    line = "   "
    for first, last in ranges(want):
        item = " { 0x%X, 0x%X }," % (first, last)
        if len(line) + len(item) > 100:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};")


print("/* SPDX-License-Identifier: Apache-2.0")
print(" * width_table.h: code points of two columns and of none, Unicode %s. Made by make_width.py." % u.unidata_version)
print(" */")
print("typedef struct width_range {")
print("    int32_t first, last;")
print("} width_range;")
print()
table("wide", 2)
print()
table("joined", 0)
