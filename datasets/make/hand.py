"""Parquet files laid byte by byte, for what no writer at hand writes: each case is a function that
gives the columns, and the values it was made from say what `weir digest` must print. Needs nothing
but Python. parquet-format: Encodings.md, Compression.md, parquet.thrift."""
import struct
import zlib

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
PLAIN, PLAIN_DICTIONARY, RLE, BIT_PACKED = 0, 2, 3, 4
DELTA_BINARY, DELTA_LENGTH, DELTA_BYTES, RLE_DICTIONARY, SPLIT = 5, 6, 7, 8, 9
NONE, SNAPPY, GZIP, LZO, BROTLI, LZ4, ZSTD, LZ4_RAW = range(8)


# ---- Thrift's compact protocol: a field is (id, type, bytes); booleans lie in the type ----

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def zigzag(n):
    return varint(n << 1 if n >= 0 else (-n << 1) - 1)


def i32(id, n):
    return id, 5, zigzag(n)


def i64(id, n):
    return id, 6, zigzag(n)


def boolean(id, is_true):
    return id, 1 if is_true else 2, b""


def text(id, data):
    data = data.encode() if isinstance(data, str) else data
    return id, 8, varint(len(data)) + data


def struct_(id, *fields):
    return id, 12, record(*fields)


def list_(id, kind, items):
    head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + varint(len(items))
    return id, 9, head + b"".join(items)


def record(*fields):
    out, last = b"", 0
    for id, kind, data in fields:
        out += bytes([(id - last) << 4 | kind]) if 0 < id - last < 16 else bytes([kind]) + zigzag(id)
        out, last = out + data, id
    return out + b"\0"


# ---- values and levels ----

def plain(type, values):
    if type == BOOLEAN:
        return bits(values, 1)
    if type == BYTE_ARRAY:
        return b"".join(struct.pack("<I", len(v)) + v for v in values)
    if type in (INT96, FIXED):
        return b"".join(values)
    return struct.pack("<%d%s" % (len(values), {INT32: "i", INT64: "q", FLOAT: "f", DOUBLE: "d"}[type]), *values)


def bits(values, width, most_first=False):
    """Packed least significant bit first, or the deprecated levels' other way."""
    size = (len(values) * width + 7) // 8
    if most_first:
        whole = 0
        for v in values:
            whole = whole << width | int(v)
        return (whole << (size * 8 - len(values) * width)).to_bytes(size, "big")
    whole = 0
    for i, v in enumerate(values):
        whole |= int(v) << (i * width)
    return whole.to_bytes(size, "little")


def packed_run(values, width):
    """One bit-packed run, padded with zeros to a multiple of eight values."""
    values = list(values) + [0] * (-len(values) % 8)
    return varint(len(values) // 8 << 1 | 1) + bits(values, width)


def same_run(count, value, width):
    return varint(count << 1) + int(value).to_bytes((width + 7) // 8, "little")


def sized(data):
    return struct.pack("<I", len(data)) + data


def delta_binary(values, block=128, minis=4, bits_wide=64, widths_of_unneeded=True, pad=True,
                 all_widths=True):
    """DELTA_BINARY_PACKED; differences wrap at bits_wide."""
    def wrap(n):
        n &= (1 << bits_wide) - 1
        return n - (1 << bits_wide) if n >> (bits_wide - 1) else n

    out = varint(block) + varint(minis) + varint(len(values)) + zigzag(values[0] if values else 0)
    deltas = [wrap(b - a) for a, b in zip(values, values[1:])]
    each = block // minis
    for begin in range(0, len(deltas), block):
        part = deltas[begin:begin + block]
        low = min(part)
        rest = [(d - low) & ((1 << bits_wide) - 1) for d in part]
        runs = [rest[i:i + each] for i in range(0, len(rest), each)]
        widths = [max(v.bit_length() for v in run) for run in runs]
        shown = widths + [0xEE if not widths_of_unneeded else 0] * (minis - len(widths))
        out += zigzag(low) + bytes(shown if all_widths else widths)
        for run, width in zip(runs, widths):
            out += bits(run + [0] * (each - len(run)) if pad or len(run) == each else run, width)
    return out


def delta_bytes(values, last=b""):
    prefixes, rest = [], []
    for value in values:
        n = 0
        while n < min(len(last), len(value)) and last[n] == value[n]:
            n += 1
        prefixes.append(n)
        rest.append(value[n:])
        last = value
    return delta_binary(prefixes, bits_wide=32) + delta_lengths(rest)


def delta_lengths(values):
    return delta_binary([len(v) for v in values], bits_wide=32) + b"".join(values)


def split(type, values):
    data = plain(type, values)
    width = len(data) // max(len(values), 1)
    return b"".join(data[i::width] for i in range(width)) if values else b""


# ---- codecs, without compressing ----

def zstd(data, blocks=None):
    """A frame of raw blocks, or of the blocks given."""
    if blocks is None:
        blocks = [data[i:i + 65536] for i in range(0, len(data), 65536)] or [b""]
        blocks = [((len(b) << 3).to_bytes(3, "little"), b) for b in blocks]
    blocks = [(bytes([head[0] | (1 if i == len(blocks) - 1 else 0)]) + head[1:], body)
              for i, (head, body) in enumerate(blocks)]
    return b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", len(data) if data is not None else 0) + \
        b"".join(head + body for head, body in blocks)


def gzip(data):
    deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
    return deflate.compress(data) + deflate.flush()


def lz4_block(data):
    """One sequence of literals."""
    head = bytes([min(len(data), 15) << 4])
    more = len(data) - 15
    while more >= 0:
        head += bytes([min(more, 255)])
        more -= 255
        if more < 0:
            break
    return head + data


def lz4_hadoop(*blocks):
    """Frames of one inner block each: sizes before and after, big-endian."""
    return b"".join(struct.pack(">II", len(b), len(lz4_block(b))) + lz4_block(b) for b in blocks)


# ---- pages, chunks, files ----

class Chunk:
    """One column of one row group. `values` collects what its pages say, None for a null."""

    def __init__(self, name, type, optional=False, length=0, codec=NONE, compress=bytes, annotation=()):
        self.name, self.type, self.optional, self.length = name, type, optional, length
        self.codec, self.compress, self.annotation = codec, compress, list(annotation)
        self.says = type                     # the type that the file names, when values are laid as bytes
        self.values, self.encodings, self.body = [], {RLE}, b""
        self.dictionary_at = self.data_at = None
        self.plain_size = 0

    def page(self, kind, size, body, *fields, crc=None):
        sum = [i32(4, struct.unpack("<i", struct.pack("<I", zlib.crc32(body) ^ crc))[0])] if crc is not None else []
        head = record(i32(1, kind), i32(2, size), i32(3, len(body)), *sum, *fields)
        at = len(self.body)
        self.body += head + body
        self.plain_size += len(head) + size
        return at

    def dictionary(self, entries, encoding=PLAIN, data=None):
        data = plain(self.type, entries) if data is None else data
        self.encodings.add(encoding)
        at = self.page(2, len(data), self.compress(data), struct_(7, i32(1, len(entries)), i32(2, encoding)))
        self.dictionary_at = at if self.dictionary_at is None else self.dictionary_at

    def levels(self, values):
        present = [v is not None for v in values]
        runs = b""
        while present:                       # runs of one value, as any writer may choose
            n = next((i for i, p in enumerate(present) if p != present[0]), len(present))
            runs += same_run(n, present[0], 1)
            present = present[n:]
        return runs

    def data(self, values, body=None, encoding=PLAIN, levels=None, level_encoding=RLE, crc=None, codec=None):
        """A page of version 1; `levels` and `body` are encoded here unless given."""
        self.values += values
        self.encodings.add(encoding)
        there = [v for v in values if v is not None]
        body = plain(self.type, there) if body is None else body
        if self.optional:
            body = (sized(self.levels(values)) if levels is None else levels) + body
        at = self.page(0, len(body), (codec or self.compress)(body),
                       struct_(5, i32(1, len(values)), i32(2, encoding), i32(3, level_encoding), i32(4, RLE)), crc=crc)
        self.data_at = at if self.data_at is None else self.data_at

    def data2(self, values, body=None, encoding=PLAIN, compressed=True, levels=None, crc=None):
        """A page of version 2; compressed: True, False, or None for a field left out."""
        self.values += values
        self.encodings.add(encoding)
        there = [v for v in values if v is not None]
        body = plain(self.type, there) if body is None else body
        levels = (self.levels(values) if self.optional else b"") if levels is None else levels
        packed = self.compress(body) if compressed is not False else body
        fields = [i32(1, len(values)), i32(2, len(values) - len(there)), i32(3, len(values)), i32(4, encoding),
                  i32(5, len(levels)), i32(6, 0)]
        if compressed is not None:
            fields.append(boolean(7, compressed))
        at = self.page(3, len(levels) + len(body), levels + packed, struct_(8, *fields), crc=crc)
        self.data_at = at if self.data_at is None else self.data_at

    def schema(self):
        fields = [i32(1, self.says)]
        if self.says == FIXED:
            fields.append(i32(2, self.length))
        return record(*fields, i32(3, 1 if self.optional else 0), text(4, self.name), *self.annotation)


def file(*groups, created_by="weir hand.py", path=True, offsets=None, rows=None):
    """`groups`: lists of chunks. offsets(chunk, start) may say other offsets than the true ones: (data, dictionary);
    path: False for none, or what to say for each name."""
    out, group_records, total = b"PAR1", [], 0
    for chunks in groups:
        columns = []
        for chunk in chunks:
            start = len(out)
            out += chunk.body
            data_at, dictionary_at = start + (chunk.data_at or 0), None
            if chunk.dictionary_at is not None:
                dictionary_at = start + chunk.dictionary_at
            if offsets:
                data_at, dictionary_at = offsets(chunk, start)
            meta = [i32(1, chunk.says), list_(2, 5, [zigzag(e) for e in sorted(chunk.encodings)])]
            if path:
                name = chunk.name.encode() if isinstance(chunk.name, str) else chunk.name
                name = path[chunk.name] if isinstance(path, dict) else name
                meta.append(list_(3, 8, [varint(len(name)) + name]))
            meta += [i32(4, chunk.codec), i64(5, len(chunk.values)), i64(6, chunk.plain_size),
                     i64(7, len(chunk.body)), i64(9, data_at)]
            if dictionary_at is not None:
                meta.append(i64(11, dictionary_at))
            columns.append(record(i64(2, start), struct_(3, *meta)))
        count = len(chunks[0].values) if rows is None else rows
        total += count
        group_records.append(record(list_(1, 12, columns), i64(2, sum(len(c.body) for c in chunks)), i64(3, count)))
    root = record(text(4, "root"), i32(5, len(groups[0])))
    footer = record(i32(1, 1), list_(2, 12, [root] + [c.schema() for c in groups[0]]), i64(3, total),
                    list_(4, 12, group_records), text(6, created_by))
    return out + footer + struct.pack("<I", len(footer)) + b"PAR1"


def digest(*groups):
    """The lines of `weir digest`, from the values alone."""
    lines = []
    for index, first in enumerate(groups[0]):
        crc = slots = there = 0
        for group in groups:
            for v in group[index].values:
                data = b"" if v is None else b"\1" if v is True else b"\0" if v is False else plain(first.type, [v])
                crc = zlib.crc32(bytes([0, 1 if first.optional and v is not None else 0]) + data, crc)
                slots, there = slots + 1, there + (v is not None)
        name = first.name if isinstance(first.name, bytes) else first.name.encode()
        for a, b in ((b"\\", b"\\\\"), (b".", b"\\."), (b"\t", b"\\t"), (b"\n", b"\\n")):
            name = name.replace(a, b)
        lines.append(name + b"\t0\t%d\t%d\t%d\t%d\t%08x" % (first.optional, slots, there, slots - there, crc))
    return lines + [b"rows\t%d" % sum(len(group[0].values) for group in groups)]
