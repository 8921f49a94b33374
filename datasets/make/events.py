#!/usr/bin/env python3
"""Made-up events of HIPO in every layout of records, those files that are missing: `events.py FOLDER EVENTS
[NAME...]`. Nothing in them is random. Event e has one row of REC::Event (e, 10.6), 1 + e % 5 rows of
REC::Particle, and, if e % 3 is 0, two of REC::Calorimeter; all numbers come from e and from the row's number k.

none, lz4, lz4hc, gzip, zstd    whole records of 8 MiB
bank, col, zstdcol              records of 32 MiB by bank (lz4hc) and by column (lz4hc, zstd)
lz4_10x, col_10x                ten times as many events
chain_0 to chain_7              events that follow each other, in eight files"""
import collections
import gzip
import json
import os
import struct
import sys

import lz4.block
import numpy as np
import zstandard

MIB = 1 << 20
MAGIC = 0xC0DA0100
LZ4, LZ4HC, GZIP, ZSTD = 1, 2, 3, 4  # also compression tags of whole records
Layout = collections.namedtuple("Layout", "tag codec mib")
LAYOUTS = {"none": Layout(0, 0, 8), "lz4": Layout(1, LZ4, 8), "lz4hc": Layout(2, LZ4HC, 8), "gzip": Layout(3, GZIP, 8),
           "zstd": Layout(4, ZSTD, 8), "bank": Layout(6, LZ4HC, 32), "col": Layout(7, LZ4HC, 32),
           "zstdcol": Layout(8, ZSTD, 32), "chain": Layout(1, LZ4, 8)}
CHAIN = [f"chain_{i}" for i in range(8)]
NAMES = [name for name in LAYOUTS if name != "chain"] + ["lz4_10x", "col_10x", *CHAIN]
READS = ("events", "evno", "pid", "pidpx", "all8")
EVENTS = 200000
# Of 200,000 events, worked out by others from what stands above.
SUMS = dict(zip(READS, (0.0, 19999900000.0, 8400000.0, 69200102.851, 2170341596.656)))

Schema = collections.namedtuple("Schema", "name group item columns")  # columns: "name/type"
SCHEMAS = [Schema("REC::Event", 300, 30, ["evno/L", "beamE/F"]),
           Schema("REC::Particle", 300, 1,
                  ["pid/I", "px/F", "py/F", "pz/F", "vz/F", "charge/B", "status/S", "chi2pid/F"]),
           Schema("REC::Calorimeter", 300, 40, ["energy/F", "sector/B", "layer/B"])]


class Bank:
    """A bank in a run of events: how many rows each has, and its columns, all rows behind each other."""

    def __init__(self, schema, rows, columns):
        self.schema, self.rows, self.columns, self.present = schema, rows, columns, rows > 0
        self.sizes = rows * sum(c.itemsize for c in columns)
        self.event = np.repeat(np.arange(len(rows)), rows)
        self.row = np.arange(len(self.event)) - (np.cumsum(rows) - rows)[self.event]

    def put(self, out, at):
        """Each event's rows, column by column, from byte at[event] of `out` on."""
        before = 0
        for column in self.columns:
            width = column.itemsize
            put(out, at[self.event] + self.rows[self.event] * before + self.row * width,
                column.view(np.uint8).reshape(-1, width))
            before += width


def put(out, at, rows):
    out[at[:, None] + np.arange(rows.shape[1])] = rows


def words(*columns):
    """The bytes of little-endian words side by side, a row an element."""
    return np.stack(np.broadcast_arrays(*columns), 1).astype("<u4").view(np.uint8)


def banks(first, count):
    """In the order in which they lie in an event. Reals are float, each step rounded."""
    e, real = np.arange(first, first + count), np.float32
    rows = 1 + e % 5
    of = np.repeat(e, rows)
    k = np.arange(len(of)) - np.repeat(np.cumsum(rows) - rows, rows)
    fe, fk = of.astype(real), k.astype(real)
    particles = [(11 + (of + k) % 7).astype("<i4"),
                 fe * real(0.001) + fk, fe * real(-0.002) + fk, fe * real(0.003) + fk, fe * real(0.004) - fk,
                 (k % 3 - 1).astype("i1"), ((of + k) % 4000).astype("<i2"), fe * real(0.01) + fk]
    hit = np.repeat(e[e % 3 == 0], 2)
    hk = np.arange(len(hit)) % 2
    hits = [hit.astype(real) * real(0.5) + hk.astype(real), (hk + 1).astype("i1"), ((hit + hk) % 9).astype("i1")]
    return [Bank(SCHEMAS[0], np.ones(count, int), [e.astype("<i8"), np.full(count, 10.6, real)]),
            Bank(SCHEMAS[1], rows, particles), Bank(SCHEMAS[2], np.where(e % 3 == 0, 2, 0), hits)]


def sums(events):
    """What each read must give; exact but for the last rounding."""
    total = dict.fromkeys(READS, np.longdouble(0))
    for first in range(0, events, 100000):
        event, particle, _ = banks(first, min(100000, events - first))
        columns = [c.sum(dtype=np.longdouble) for c in particle.columns]
        for read, value in zip(READS[1:], (event.columns[0].sum(), columns[0], columns[0] + columns[1], sum(columns))):
            total[read] += value
    if events == EVENTS:
        assert all(round(float(total[read]), 3) == SUMS[read] for read in READS), total
    return {read: float(value) for read, value in total.items()}


# ---- the bytes of a file ----

def packed(codec, data):
    if codec in (LZ4, LZ4HC):
        return lz4.block.compress(data, store_size=False, mode="high_compression" if codec == LZ4HC else "default")
    if codec == GZIP:
        return gzip.compress(data, 6, mtime=0)
    return zstandard.ZstdCompressor(level=3).compress(data) if codec == ZSTD else data


def record(number, events, data_size, tag, body):
    """Header and body; `data_size`: of all events, not packed."""
    pad, data_pad = -len(body) % 4, -data_size % 4 if tag <= ZSTD else 0
    count = (len(body) + pad) // 4
    bits = 6 | data_pad << 22 | pad << 24 | 4 << 28
    head = struct.pack("<10I2q", 14 + count, number, 14, events, 4 * events, bits, 0, MAGIC, data_size,
                       tag << 28 | count, 0, 0)
    return head + body + bytes(pad)


def structure(group, item, kind, data):
    return struct.pack("<HBBI", group, item, kind, len(data)) + data


def plain_record(events):
    """A record that isn't packed; of each event its structures."""
    events = [b"EVNT" + struct.pack("<3I", 16 + len(body), 0, 0) + body for body in events]
    data = b"".join(events)
    return record(0, len(events), len(data), 0, struct.pack(f"<{len(events)}I", *map(len, events)) + data)


def dictionary():
    """Each bank as JSON and as text, since readers know one or the other."""
    def both(s):
        entries = [dict(zip(("name", "type", "info"), (*c.split("/"), " "))) for c in s.columns]
        named = json.dumps({"name": s.name, "group": s.group, "item": s.item, "info": " ", "entries": entries})
        text = "{%s/%d/%d}{%s}" % (s.name, s.group, s.item, ",".join(s.columns))
        return structure(120, 1, 6, named.encode()) + structure(120, 2, 6, text.encode())
    return plain_record([both(s) for s in SCHEMAS])


def event_sizes(run):
    return 16 + sum(np.where(bank.present, 8 + bank.sizes, 0) for bank in run)


def whole_body(run, layout):
    size = event_sizes(run)
    at = np.cumsum(size) - size
    out = np.zeros(int(size.sum()), np.uint8)
    put(out, at, words(0x544E5645, size, 0, 0))  # EVNT
    at += 16
    for bank in run:
        here, ids = bank.present, bank.schema.group | bank.schema.item << 16 | 11 << 24
        put(out, at[here], words(ids, bank.sizes[here]))
        bank.put(out, at + 8)
        at += np.where(bank.present, 8 + bank.sizes, 0)
    return packed(layout.codec, size.astype("<u4").tobytes() + out.tobytes()), len(out)


def split_body(run, layout):
    """A directory, then the streams, each packed by itself: one a bank, or one a column."""
    run = sorted(run, key=lambda bank: (bank.schema.group, bank.schema.item))
    by_bank, streams = layout.tag == LAYOUTS["bank"].tag, []
    for bank in run:
        if by_bank:
            out = np.zeros(int(bank.sizes.sum()), np.uint8)
            bank.put(out, np.cumsum(bank.sizes) - bank.sizes)
            streams.append(out.tobytes())
        else:
            streams += [c.tobytes() for c in bank.columns]
    small = [packed(layout.codec, stream) for stream in streams]
    directory = b"".join(struct.pack("<HBB", bank.schema.group, bank.schema.item, 11) for bank in run)
    if by_bank:
        directory += b"".join(struct.pack("<I", len(stream)) for part in (small, streams) for stream in part)
    else:
        directory += b"".join(struct.pack("<H", len(bank.columns)) for bank in run)
    directory += bytes(4 * len(run[0].rows))  # the events' tags
    directory += sum(bank.present.astype(np.uint8) << i for i, bank in enumerate(run)).astype(np.uint8).tobytes()
    directory += b"".join(bank.sizes.astype("<u4").tobytes() for bank in run)
    if not by_bank:
        directory += b"".join(struct.pack("<II", len(s), len(stream)) for s, stream in zip(small, streams))
    directory += bytes(len(run))
    little = packed(LZ4, directory)
    head = struct.pack("<5I", 2 if by_bank else 1, len(run), len(run[0].rows), len(little), len(directory))
    return head + little + b"".join(small), sum(map(len, streams))


def records(layout, first, count):
    """As many events in each as have room in its size before packing; (bytes, events)."""
    end, number, limit = first + count, 1, layout.mib * MIB
    while first < end:
        most = min(end - first, limit // 60)  # an event takes at least 63 bytes, and 4 in the index
        fit = int(np.searchsorted(np.cumsum(event_sizes(banks(first, most)) + 4), limit, "right"))
        body, size = (whole_body if layout.tag <= ZSTD else split_body)(banks(first, fit), layout)
        yield record(number, fit, size, layout.tag, body), fit
        first, number = first + fit, number + 1


def write(path, layout, first, count):
    head, body, index, at = dictionary(), [], [], 0
    for data, events in records(layout, first, count):
        index.append((56 + len(head) + at, len(data), events, 0, 0))
        body.append(data)
        at += len(data)
    trailer = b"".join(struct.pack(f"<{len(index)}{kind}", *column) for kind, column in zip("qiiqq", zip(*index)))
    header = b"HIPO" + struct.pack("<7IQQII", 1, 14, 0, 0, 6 | 1 << 8 | 1 << 10 | 5 << 28, len(head), MAGIC, 0,
                                   56 + len(head) + at, 0, 0)
    with open(path, "wb") as out:
        out.write(header + head + b"".join(body) + plain_record([structure(32111, 1, 11, trailer)]))


def main():
    folder, events = sys.argv[1], int(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    for name in sys.argv[3:] or NAMES:
        path = os.path.join(folder, name + ".hipo")
        if os.path.exists(path):
            continue
        print("making", path, file=sys.stderr)
        kind, _, part = name.partition("_")
        first = events * int(part) if kind == "chain" else 0
        write(path + ".new", LAYOUTS[kind], first, 10 * events if part == "10x" else events)
        os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
