"""The golden files that hand.py lays: one function a case, its first line says what it shows."""
import os
import struct

from hand import (BOOLEAN, BROTLI, BYTE_ARRAY, DELTA_BINARY, DELTA_BYTES, DELTA_LENGTH, DOUBLE, FIXED, FLOAT, GZIP,
                  INT32, INT64, INT96, LZ4, LZ4_RAW, LZO, NONE, PLAIN, PLAIN_DICTIONARY, BIT_PACKED, RLE, RLE_DICTIONARY,
                  SNAPPY, SPLIT, ZSTD, Chunk, bits, delta_binary, delta_bytes, delta_lengths, digest, file, gzip,
                  i32, list_, lz4_block, lz4_hadoop, packed_run, plain, record, same_run, sized, split, struct_, text,
                  varint, zstd)

HOLES = [5, None, None, -7, 0, None, 2147483647, -2147483648, 9, None, 11]


def present(values):
    return [int(v is not None) for v in values]


def levels_bit_packed():
    """definition levels in the deprecated BIT_PACKED encoding, most significant bit first"""
    chunk = Chunk("v", INT32, True)
    chunk.data(HOLES, levels=bits(present(HOLES), 1, True), level_encoding=BIT_PACKED)
    chunk.data([None] * 3 + [1] * 20, levels=bits([0] * 3 + [1] * 20, 1, True), level_encoding=BIT_PACKED)
    return [[chunk]]


def levels_mixed_runs():
    """level runs longer than the page, packed runs with values past the end, short runs in turn"""
    chunk = Chunk("v", INT32, True)
    chunk.data([1, 2, 3], levels=sized(same_run(1000, 1, 1)))
    chunk.data(HOLES, levels=sized(packed_run(present(HOLES) + [1] * 13, 1)))
    turns = [None if i % 3 else i for i in range(30)]
    chunk.data(turns, levels=sized(b"".join(same_run(1, p, 1) for p in present(turns))))
    chunk.data([None, 4] * 8 + [None] * 9,
               levels=sized(packed_run([0, 1] * 8, 1) + same_run(9, 0, 1)))
    return [[chunk]]


def level_run_cut_short():
    """the last packed level run ends before its last byte"""
    values = [1] * 9 + [None] * 3
    return [[one_page(Chunk("v", INT32, True), values, levels=sized(varint(2 << 1 | 1) + bits(present(values), 1)))]]


def one_page(chunk, values, **options):
    chunk.data(values, **options)
    return chunk


def indexes(values, entries, width):
    there = [entries.index(v) for v in values if v is not None]
    return bytes([width]) + packed_run(there, width)


def dictionary_one_entry():
    """one entry: index streams of width 0, empty or with a run, and of width 1"""
    chunk = Chunk("v", BYTE_ARRAY, True)
    chunk.dictionary([b"only"])
    chunk.data([b"only"] * 4, b"\0", RLE_DICTIONARY)
    chunk.data([b"only", None, b"only"], b"\0" + same_run(2, 0, 0), RLE_DICTIONARY)
    chunk.data([b"only"] * 5, b"\1" + same_run(5, 0, 1), PLAIN_DICTIONARY)
    chunk.data([None] * 6, b"", RLE_DICTIONARY)
    return [[chunk]]


def dictionary_empty():
    """a dictionary of no entries before pages of nulls alone"""
    chunk = Chunk("v", INT64, True)
    chunk.dictionary([])
    chunk.data([None] * 7, b"", RLE_DICTIONARY)
    chunk.data([None], b"\0", RLE_DICTIONARY)
    return [[chunk]]


def dictionary_then_plain():
    """one chunk: dictionary pages, then PLAIN, then dictionary again, versions 1 and 2 in turn"""
    entries = [10, 20, 30, 40, 50]
    chunk = Chunk("v", INT64, True)
    chunk.dictionary(entries, PLAIN_DICTIONARY)
    chunk.data([10, None, 50, 20], indexes([10, 50, 20], entries, 3), RLE_DICTIONARY)
    chunk.data2([7, 8, None, 9])
    chunk.data([None, 1 << 60])
    chunk.data2([40, 40, 40], b"\3" + same_run(3, 3, 3), RLE_DICTIONARY)
    return [[chunk]]


def dictionary_wide_indexes():
    """index widths wider than the entries ask for, up to 32 bits, in runs and packed"""
    entries = [1.5, -2.5, 3.5]
    chunk = Chunk("v", DOUBLE)
    chunk.dictionary(entries)
    for width in (2, 7, 8, 9, 16, 17, 24, 31, 32):
        chunk.data([1.5, 3.5, -2.5, 1.5] + [3.5] * 9, bytes([width]) + packed_run([0, 2, 1, 0, 2, 2, 2, 2], width)
                   + same_run(5, 2, width), RLE_DICTIONARY)
    return [[chunk]]


def dictionary_of_each_type():
    """dictionaries of every physical type"""
    chunks = []
    for name, type, length, entries in (
            ("i32", INT32, 0, [1, -2, 3]), ("i64", INT64, 0, [1 << 40, -2, 3]), ("i96", INT96, 0, [b"a" * 12, b"b" * 12]),
            ("f32", FLOAT, 0, [0.5, -0.0]), ("f64", DOUBLE, 0, [0.25, float("inf")]),
            ("bytes", BYTE_ARRAY, 0, [b"", b"x", b"longer than twelve bytes"]), ("fixed", FIXED, 3, [b"abc", b"def"])):
        chunk = Chunk(name, type, True, length)
        values = [entries[i % len(entries)] if i % 4 else None for i in range(40)]
        chunk.dictionary(entries)
        chunk.data(values, indexes(values, entries, 2), RLE_DICTIONARY)
        chunks.append(chunk)
    return [chunks]


def offsets_lie(kind):
    chunk = Chunk("v", INT32)
    chunk.dictionary([100, 200])
    chunk.data([100, 200, 200, 100], indexes([100, 200, 200, 100], [100, 200], 1), RLE_DICTIONARY)
    says = {"zero": lambda c, start: (start + c.data_at, 0), "none": lambda c, start: (start, None),
            "none_data": lambda c, start: (start + c.data_at, None),
            "equal": lambda c, start: (start + c.data_at, start + c.data_at),
            "inside": lambda c, start: (start + 3, start)}[kind]
    return [[chunk]], {"offsets": says}


def offset_zero():
    """dictionary_page_offset 0 means that there is none said: the first page is a dictionary's"""
    return offsets_lie("zero")[0], {"offsets": lambda c, start: (start, 0)}


def offset_none():
    """a dictionary page and no dictionary_page_offset"""
    return offsets_lie("none")


def offset_inside():
    """data_page_offset points into the dictionary page"""
    return offsets_lie("inside")


def index_page_between():
    """pages of kind INDEX_PAGE are stepped over"""
    chunk = Chunk("v", INT32)
    chunk.data([1, 2])
    chunk.page(1, 5, b"index", struct_(6))
    chunk.data([3])
    return [[chunk]]


def page_without_values():
    """pages of 0 values between others, versions 1 and 2"""
    chunk = Chunk("v", INT32, True)
    chunk.data([])
    chunk.data([1, None])
    chunk.data2([])
    chunk.data2([2])
    chunk.data([])
    return [[chunk]]


def v2_levels_never_compressed():
    """version 2: compressed, said not to be, and not said; nulls alone with and without a frame"""
    chunk = Chunk("v", INT32, True, codec=ZSTD, compress=zstd)
    chunk.data2(HOLES)
    chunk.data2(HOLES, compressed=False)
    chunk.data2(HOLES, compressed=None)
    chunk.data2([None] * 5)
    chunk.data2([None] * 4, compressed=False)
    return [[chunk]]


def v2_nulls_without_a_body():
    """version 2, nulls alone, compressed by its word, and no byte after the levels"""
    chunk = Chunk("v", BYTE_ARRAY, True, codec=ZSTD, compress=lambda data: zstd(data) if data else b"")
    chunk.data2([None] * 8)
    chunk.data2([b"x", None])
    return [[chunk]]


def codecs_framed():
    """gzip of two members, zstd of two frames, lz4 as Hadoop frames it, as a bare block, raw"""
    long = list(range(300))
    chunks = []
    for name, codec, compress in (
            ("gzip", GZIP, lambda d: gzip(d[:7]) + gzip(d[7:])), ("zstd", ZSTD, lambda d: zstd(d[:9]) + zstd(d[9:])),
            ("hadoop", LZ4, lambda d: lz4_hadoop(d)), ("hadoop_two", LZ4, lambda d: lz4_hadoop(d[:100], d[100:])),
            ("bare", LZ4, lz4_block), ("raw", LZ4_RAW, lz4_block)):
        chunk = Chunk(name, INT32, codec=codec, compress=compress)
        chunk.data(long)
        chunk.data(long[:70])
        chunks.append(chunk)
    return [chunks]


def lz4_hadoop_inner_blocks():
    """lz4 as Hadoop writes a long page: several inner blocks in one outer frame"""
    def frame(data):
        parts = [data[:50], data[50:120], data[120:]]
        return struct.pack(">I", len(data)) + b"".join(struct.pack(">I", len(lz4_block(p))) + lz4_block(p) for p in parts)
    chunk = Chunk("v", INT64, codec=LZ4, compress=frame)
    chunk.data(list(range(40)))
    return [[chunk]]


def booleans():
    """booleans PLAIN, RLE in both page versions, at odd lengths"""
    values = [i % 5 < 2 for i in range(77)]
    chunks = []
    for name, optional in (("required", False), ("optional", True)):
        chunk = Chunk(name, BOOLEAN, optional)
        mixed = [None if optional and i % 7 == 0 else v for i, v in enumerate(values)]
        there = [v for v in mixed if v is not None]
        chunk.data(mixed)
        chunk.data(mixed, sized(packed_run(there, 1)), RLE)
        chunk.data2(mixed, sized(packed_run(there[:16], 1) + b"".join(same_run(1, v, 1) for v in there[16:])), RLE)
        chunk.data([True] * 3, sized(same_run(3, 1, 1)), RLE)
        chunks.append(chunk)
    return [chunks]


def deltas():
    """DELTA_BINARY_PACKED: one value, none, long, wrapping, blocks of other sizes, cut and unpadded ends"""
    wild = [0, 2147483647, -2147483648, 2147483647, -1, 1, -2147483648] * 31
    wild64 = [v << 32 | 5 for v in wild]
    narrow, wide = Chunk("i32", INT32), Chunk("i64", INT64)
    for chunk, values, width in ((narrow, wild, 32), (wide, wild64, 64)):
        for part, options in ((values, {}), (values[:1], {}), (list(range(500)), {"block": 256, "minis": 2}),
                              (list(range(0, 900, 7)), {"minis": 1}), ([3] * 200, {"widths_of_unneeded": False}),
                              (values[:70], {"pad": False}), (values[:33], {"pad": False, "widths_of_unneeded": False}),
                              ([-5], {"block": 1024, "minis": 32}), ([], {})):
            chunk.data(part, delta_binary(part, bits_wide=width, **options), DELTA_BINARY)
    return [[narrow, wide]]


def delta_strings():
    """DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY, the second also on fixed lengths, with nulls, in both versions"""
    words = [b"", b"a", b"apple", b"applesauce", b"apply", b"b" * 200, b"b" * 199 + b"c", b""] * 9
    holes = [None if i % 5 == 2 else w for i, w in enumerate(words)]
    there = [w for w in holes if w is not None]
    lengths, bytes_ = Chunk("lengths", BYTE_ARRAY, True), Chunk("bytes", BYTE_ARRAY, True)
    fixed = Chunk("fixed", FIXED, True, 4)
    codes = [struct.pack(">I", i * i) for i in range(72)]
    code_holes = [None if i % 6 == 5 else c for i, c in enumerate(codes)]
    for version in ("data", "data2"):
        getattr(lengths, version)(holes, delta_lengths(there), DELTA_LENGTH)
        getattr(bytes_, version)(holes, delta_bytes(there), DELTA_BYTES)
        getattr(fixed, version)(code_holes, delta_bytes([c for c in code_holes if c is not None]), DELTA_BYTES)
    for chunk in (lengths, bytes_, fixed):
        chunk.data([None] * 3, delta_lengths([]) if chunk is lengths else delta_bytes([]),
                   DELTA_LENGTH if chunk is lengths else DELTA_BYTES)
    return [[lengths, bytes_, fixed]]


def delta_prefix_across_pages():
    """old parquet-mr: the first prefix of a page counts on the page before"""
    chunk = Chunk("v", BYTE_ARRAY)
    chunk.data([b"prefix one", b"prefix two"], delta_bytes([b"prefix one", b"prefix two"]), DELTA_BYTES)
    chunk.data([b"prefix three", b"x"], delta_bytes([b"prefix three", b"x"], last=b"prefix two"), DELTA_BYTES)
    return [[chunk]], {"created_by": "parquet-mr version 1.6.0 (build abcd)"}


def splits():
    """BYTE_STREAM_SPLIT on every type that has it, with nulls, at odd lengths"""
    chunks = []
    for name, type, length, values in (
            ("f32", FLOAT, 0, [i / 3 for i in range(37)]), ("f64", DOUBLE, 0, [i / 7 - 1 for i in range(37)]),
            ("i32", INT32, 0, [i * 77777 - 5 for i in range(37)]), ("i64", INT64, 0, [i << 40 | i for i in range(37)]),
            ("fixed1", FIXED, 1, [bytes([i]) for i in range(37)]), ("fixed7", FIXED, 7, [b"abcdef" + bytes([i]) for i in range(37)]),
            ("fixed16", FIXED, 16, [bytes(range(i, i + 16)) for i in range(37)])):
        if type == FLOAT:
            values = list(struct.unpack("<37f", struct.pack("<37f", *values)))
        chunk = Chunk(name, type, True, length)
        holes = [None if i % 8 == 3 else v for i, v in enumerate(values)]
        chunk.data(holes, split(type, [v for v in holes if v is not None]), SPLIT)
        chunk.data2(values, split(type, values), SPLIT)
        chunk.data([None] * 2, b"", SPLIT)
        chunks.append(chunk)
    return [chunks]


def sums_right():
    """pages of both versions with right CRC-32"""
    chunk = Chunk("v", INT32, True)
    chunk.data(HOLES, crc=0)
    chunk.data2(HOLES, crc=0)
    return [[chunk]]


def path_absent():
    """column metadata without path_in_schema"""
    return [[one_page(Chunk("a", INT32), [1, 2]), one_page(Chunk("b", INT32), [3, 4])]], {"path": False}


def path_wrong():
    """path_in_schema names the other column, and one that isn't there: columns go by position"""
    columns = [one_page(Chunk("a", INT32), [1, 2]), one_page(Chunk("b", INT32), [3, 4]), one_page(Chunk("c", INT32), [5, 6])]
    return [columns], {"path": {"a": b"b", "b": b"a", "c": b"zz"}}


def offset_same_without_dictionary():
    """dictionary_page_offset is that of the first data page, and there is no dictionary page"""
    return [[one_page(Chunk("v", INT32, True), [None, 1, 2])]], {"offsets": lambda chunk, start: (start, start)}


def page_shorter_than_said():
    """less comes out of the codec than the page header says, and it suffices"""
    chunks = []
    for name, codec, compress in (("zstd", ZSTD, zstd), ("gzip", GZIP, gzip), ("lz4_raw", LZ4_RAW, lz4_block)):
        chunk, body = Chunk(name, INT32, codec=codec, compress=compress), plain(INT32, [1, 2, 3])
        chunk.values += [1, 2, 3]
        chunk.encodings.add(PLAIN)
        chunk.data_at = chunk.page(0, len(body) + 9, compress(body), struct_(5, i32(1, 3), i32(2, 0), i32(3, 3), i32(4, 3)))
        chunks.append(chunk)
    return [chunks]


def logical_unknown():
    """a logical type from the future, a struct under number 99, and one under number 60 with fields"""
    later = [struct_(10, struct_(99))]
    other = [struct_(10, struct_(60, i32(1, 7), text(2, "x")))]
    return [[one_page(Chunk("a", INT64, annotation=later), [1, 2]), one_page(Chunk("b", BYTE_ARRAY, annotation=other), [b"x", b"y"])]]


def names_odd():
    """names: empty, dots, quotes, control characters, not UTF-8, two the same"""
    names = ["", "a.b", "\\", "\t", "\n", "'\"`", b"\xff\xfe", "same", "same", "\x7f\x01"]
    return [[one_page(Chunk(name, INT32), [i, i + 1]) for i, name in enumerate(names)]]


def decimals_padded():
    """DECIMAL on BYTE_ARRAY of any length, sign-extended, and empty; without a scale"""
    note = [i32(6, 5), i32(7, 3), i32(8, 12)]
    values = [b"\0\0\0\0\0\0\0\x7b", b"\xff", b"", b"\xff\xff\xff\xff\x85", None, b"\1\0"]
    bare = [i32(6, 5), i32(8, 9)]
    return [[one_page(Chunk("d", BYTE_ARRAY, True, annotation=note), values),
             one_page(Chunk("bare", INT32, True, annotation=bare), [1, -2, None, 4, 5, 999999999])]]


def int96_far():
    """INT96 at year 1, before 1970 and far beyond 64-bit nanoseconds"""
    def at(day, nanos):
        return struct.pack("<QI", nanos, day)
    return [[one_page(Chunk("t", INT96, True), [at(2440588, 0), at(1721426, 1), None, at(2440587, 86399999999999),
                                                 at(5373484, 5), at(2 ** 31, 0)])]]


def floats_odd():
    """NaNs with payloads and signs, infinities, zeros of both signs, denormals: bits as they are"""
    f64 = [0x7ff0000000000001, 0xfff8000000000123, 0x7ff0000000000000, 0x8000000000000000, 1, 0x3ff0000000000000]
    f32 = [0x7f800001, 0xffc00123, 0xff800000, 0x80000000, 1, 0x3f800000]
    a, b, half = Chunk("f64", FIXED, length=8), Chunk("f32", FIXED, length=4), Chunk("f16", FIXED, length=2)
    a.data([struct.pack("<Q", v) for v in f64])
    b.data([struct.pack("<I", v) for v in f32])
    half.annotation = [struct_(10, struct_(15))]
    half.data([struct.pack("<H", v) for v in (0x7c00, 0xfc00, 0x7e01, 0x8000, 1, 0x3c00)])
    a.says, b.says = DOUBLE, FLOAT           # laid as bytes, so that Python can't change a bit
    return [[a, b, half]]


def groups_uneven():
    """row groups of 0, 1, 0 and many rows"""
    groups = []
    for count in (0, 1, 0, 50):
        a, b = Chunk("a", INT32, True), Chunk("b", BYTE_ARRAY)
        a.data([None if i % 4 == 0 else i for i in range(count)])
        b.data([b"x" * (i % 5) for i in range(count)])
        groups.append([a, b])
    return groups


def pages_cut_differently():
    """two columns whose pages hold other numbers of rows"""
    a, b = Chunk("a", INT32), Chunk("b", INT64, True)
    rows = list(range(60))
    for begin, end in ((0, 1), (1, 30), (30, 60)):
        a.data(rows[begin:end])
    for begin, end in ((0, 29), (29, 31), (31, 59), (59, 60)):
        b.data2([None if v % 9 == 0 else v for v in rows[begin:end]])
    return [[a, b]]


CASES = [levels_bit_packed, levels_mixed_runs, level_run_cut_short, dictionary_one_entry, dictionary_empty,
         dictionary_then_plain, dictionary_wide_indexes, dictionary_of_each_type, offset_zero, offset_none, offset_inside,
         index_page_between, page_without_values, v2_levels_never_compressed, v2_nulls_without_a_body, codecs_framed,
         lz4_hadoop_inner_blocks, booleans, deltas, delta_strings, delta_prefix_across_pages, splits, sums_right,
         path_absent, path_wrong, offset_same_without_dictionary, page_shorter_than_said,
         logical_unknown, names_odd, decimals_padded, int96_far, floats_odd, groups_uneven,
         pages_cut_differently]


# ---- files that must fail: each case gives its columns, the rows that come out first, and a word of why ----

def bad_sum():
    """the second page's CRC-32 is wrong"""
    chunk = Chunk("v", INT32)
    chunk.data([1, 2, 3], crc=0)
    chunk.data([4, 5], crc=1)
    return [[chunk]], {}, 3, "page 1"


def bad_sum_in_first_page():
    """the only page's CRC-32 is wrong, version 2"""
    chunk = Chunk("v", INT32)
    chunk.data2([1, 2, 3], crc=1)
    return [[chunk]], {}, 0, "page 0"


def bad_code():
    """a code beyond the dictionary in the third row"""
    chunk = Chunk("v", INT64)
    chunk.dictionary([7, 8])
    chunk.data([7, 8, 9, 7], bytes([2]) + packed_run([0, 1, 2, 0], 2), RLE_DICTIONARY)
    return [[chunk]], {}, 2, "page 0"


def bad_code_far():
    """a code beyond the dictionary behind many good ones"""
    chunk = Chunk("v", BYTE_ARRAY)
    chunk.dictionary([b"a", b"b"])
    codes = [0, 1] * 1500 + [3]
    chunk.data([None] * len(codes), bytes([2]) + packed_run(codes, 2), RLE_DICTIONARY)
    return [[chunk]], {}, 3000, "page 0"


def bad_without_dictionary():
    """codes without a dictionary page"""
    chunk = Chunk("v", INT64)
    chunk.data([7, 7], bytes([1]) + same_run(2, 0, 1), RLE_DICTIONARY)
    return [[chunk]], {}, 0, "dictionary"


def bad_second_dictionary():
    """a second dictionary page in the chunk"""
    chunk = Chunk("v", INT64)
    chunk.dictionary([7])
    chunk.data([7, 7], bytes([1]) + same_run(2, 0, 1), RLE_DICTIONARY)
    chunk.dictionary([8])
    chunk.data([8], bytes([1]) + same_run(1, 0, 1), RLE_DICTIONARY)
    return [[chunk]], {}, 2, "dictionary"


def bad_levels_few():
    """the level runs end after 4 of 6 rows"""
    chunk = Chunk("v", INT32, True)
    chunk.data([1, None, 2, 3, 4, 5], levels=sized(same_run(1, 1, 1) + same_run(1, 0, 1) + same_run(2, 1, 1)))
    return [[chunk]], {}, 4, "level"


def bad_level_large():
    """a definition level of 2 where 1 is the most"""
    chunk = Chunk("v", INT32, True)
    chunk.data([1, 2], levels=sized(same_run(2, 2, 1)))
    return [[chunk]], {}, 0, "level"


def bad_values_few():
    """PLAIN values end within the third"""
    chunk = Chunk("v", DOUBLE)
    chunk.data([0.5, 1.5, 2.5], plain(DOUBLE, [0.5, 1.5]) + b"xx")
    return [[chunk]], {}, 2, "page 0"


def bad_string_length():
    """a string's length reaches beyond the page"""
    chunk = Chunk("v", BYTE_ARRAY)
    chunk.data([b"ab", b"c"], sized(b"ab") + struct.pack("<I", 0x7fffffff) + b"c")
    return [[chunk]], {}, 1, "page 0"


def bad_delta_few():
    """DELTA_BINARY_PACKED says fewer values than the page"""
    chunk = Chunk("v", INT32)
    chunk.data([1, 2, 3, 4], delta_binary([1, 2, 3], bits_wide=32), DELTA_BINARY)
    return [[chunk]], {}, 3, "DELTA"


def bad_delta_widths_left_out():
    """DELTA_BINARY_PACKED without the widths of miniblocks that hold no value: data would pass for them"""
    values = [i * i for i in range(34)]
    chunk = Chunk("v", INT32)
    chunk.data(values, delta_binary(values, bits_wide=32, all_widths=False), DELTA_BINARY)
    return [[chunk]], {}, 1, "DELTA"


def bad_code_width():
    """dictionary codes 33 bits wide"""
    chunk = Chunk("v", INT32)
    chunk.dictionary([1])
    chunk.data([1], bytes([33]) + same_run(1, 0, 33), RLE_DICTIONARY)
    return [[chunk]], {}, 0, "bits"


def bad_rows_differ():
    """one column of the row group has a row less"""
    return [[one_page(Chunk("a", INT32), [1, 2, 3]), one_page(Chunk("v", INT32), [1, 2])]], {}, 2, "v"


def bad_rows_more():
    """a column has a row more than its row group, in a page of its own"""
    chunk = one_page(Chunk("v", INT32), [1, 2])
    chunk.data([3])
    return [[chunk]], {"rows": 2}, 2, "v"


def bad_rows_more_in_page():
    """a column has a row more than its row group, in its only page"""
    return [[one_page(Chunk("v", INT32), [1, 2, 3])]], {"rows": 2}, 2, "v"


def bad_page_short():
    """less comes out of the codec than the page header says: the last value is missing"""
    chunk, body = Chunk("v", INT32, codec=ZSTD, compress=zstd), plain(INT32, [1, 2])
    chunk.values += [1, 2, 3]
    chunk.encodings.add(PLAIN)
    chunk.data_at = chunk.page(0, 12, zstd(body), struct_(5, i32(1, 3), i32(2, 0), i32(3, 3), i32(4, 3)))
    return [[chunk]], {}, 2, "page 0"


def bad_expands_more():
    """more comes out of the codec than the page says"""
    chunk = Chunk("v", INT32, codec=ZSTD, compress=lambda data: zstd(data + b"more"))
    chunk.data([1, 2])
    return [[chunk]], {}, 0, "zstd"


def bad_frame():
    """what should be a zstd frame isn't one"""
    chunk = Chunk("v", INT32, codec=ZSTD, compress=lambda data: b"not zstd" + data)
    chunk.data([1, 2])
    return [[chunk]], {}, 0, "zstd"


def bad_page_size():
    """the page is said to be longer than the file"""
    chunk = Chunk("v", INT32)
    chunk.data([1])
    chunk.body += record(i32(1, 0), i32(2, 1 << 30), i32(3, 1 << 30), struct_(5, i32(1, 1), i32(2, 0), i32(3, 3), i32(4, 3)))
    chunk.values.append(2)
    return [[chunk]], {}, 1, "page 1"


def bad_v2_levels():
    """version 2: levels longer than the page"""
    chunk = Chunk("v", INT32, True)
    chunk.values += [1, 2]
    body = b"\4\1" + plain(INT32, [1, 2])
    chunk.data_at = chunk.page(3, len(body), body, struct_(8, i32(1, 2), i32(2, 0), i32(3, 2), i32(4, 0), i32(5, 99), i32(6, 0)))
    return [[chunk]], {}, 0, "v"


def bad_nulls_required():
    """version 2: a required column with nulls"""
    chunk = Chunk("v", INT32)
    chunk.values += [1, 2]
    body = plain(INT32, [1])
    chunk.data_at = chunk.page(3, len(body), body, struct_(8, i32(1, 2), i32(2, 1), i32(3, 2), i32(4, 0), i32(5, 0), i32(6, 0)))
    return [[chunk]], {}, 0, "null"


def bad_codec_lzo():
    """LZO, which needs a plugin"""
    return [[one_page(Chunk("v", INT32, codec=LZO, compress=bytes), [1])]], {}, 0, "parquet 3"


def bad_codec_unknown():
    """codec 77, which needs a plugin"""
    return [[one_page(Chunk("v", INT32, codec=77, compress=bytes), [1])]], {}, 0, "parquet 77"


def bad_encoding_unknown():
    """encoding 42"""
    return [[one_page(Chunk("v", INT32), [1], encoding=42)]], {}, 0, "v"


def bad_fixed_wide():
    """nulls of FIXED_LEN_BYTE_ARRAY(2^31 - 1): a slot for each would take gigabytes"""
    chunk = Chunk("v", FIXED, True, length=2**31 - 1)
    chunk.data([None, None, None])
    return [[chunk]], {}, 0, "2147483647"


BAD = [bad_sum, bad_sum_in_first_page, bad_code, bad_code_far, bad_without_dictionary, bad_second_dictionary,
       bad_levels_few, bad_level_large, bad_values_few, bad_string_length, bad_delta_few, bad_delta_widths_left_out,
       bad_code_width, bad_rows_differ, bad_rows_more, bad_rows_more_in_page, bad_page_short, bad_expands_more,
       bad_frame, bad_page_size, bad_v2_levels, bad_nulls_required, bad_codec_lzo, bad_codec_unknown,
       bad_encoding_unknown, bad_fixed_wide]


def write_bad(folder):
    """Writes each of them, and ERRORS.tsv: file, rows that come out first, a word of why."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "ERRORS.tsv"), "w") as errors:
        for case in BAD:
            groups, options, rows, word = case()
            name = case.__name__.removeprefix("bad_") + ".parquet"
            with open(os.path.join(folder, name), "wb") as out:
                out.write(file(*groups, **options))
            print(name, rows, word, sep="\t", file=errors)


def write_all(path):
    """Writes each case to path(name, what it shows); {file name: digest lines}."""
    expected = {}
    for case in CASES:
        made = case()
        groups, options = made if isinstance(made, tuple) else (made, {})
        name = "hand_" + case.__name__
        with open(path(name, "by hand: " + case.__doc__), "wb") as out:
            out.write(file(*groups, **options))
        expected[name + ".parquet"] = digest(*groups)
    return expected
