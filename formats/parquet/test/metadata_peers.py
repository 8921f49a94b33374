#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `weir info --footer` says of row groups and column chunks against pyarrow's metadata.
Usage: metadata_peers.py FOLDER..., with $WEIR_BUILD; also over $WEIR_CORPUS where that is set.
Prints files, chunks and values compared, and the files that pyarrow refuses."""
import json
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq

WEIR = os.path.join(os.environ["WEIR_BUILD"], "weir")
counts = {"files": 0, "refused": 0, "chunks": 0, "values": 0, "differences": 0}


def footer(path):
    run = subprocess.run([WEIR, "info", "--footer", path], capture_output=True, check=False)
    return json.loads(run.stdout)["footer"] if run.returncode == 0 else None


def same(path, what, ours, theirs):
    counts["values"] += 1
    if ours != theirs:
        counts["differences"] += 1
        print(f"{path}: {what}: {ours!r}, pyarrow says {theirs!r}")


def positive(offset):
    """pyarrow takes an offset of 0 for none."""
    return offset or None


def compare_stats(path, where, ours, theirs):
    if theirs is None:
        return
    if theirs.has_null_count:
        same(path, where + "null_count", ours.get("null_count"), theirs.null_count)
    if theirs.has_distinct_count:
        same(path, where + "distinct_count", ours.get("distinct_count"), theirs.distinct_count)


def compare_chunk(path, where, chunk, theirs):
    meta = chunk["meta_data"]
    codec = {"LZ4_RAW": "LZ4"}.get(meta["codec"], meta["codec"])  # pyarrow has one name for both
    counts["chunks"] += 1
    same(path, where + "type", meta["type"], theirs.physical_type)
    if theirs.compression != "UNKNOWN":
        same(path, where + "codec", codec, theirs.compression)
    for name in ("num_values", "total_compressed_size", "total_uncompressed_size",
                 "data_page_offset"):
        same(path, where + name, meta[name], getattr(theirs, name))
    same(path, where + "dictionary_page_offset", positive(meta.get("dictionary_page_offset")),
         positive(theirs.dictionary_page_offset))
    same(path, where + "has_offset_index", "offset_index_offset" in chunk,
         theirs.has_offset_index)
    same(path, where + "has_column_index", "column_index_offset" in chunk,
         theirs.has_column_index)
    if theirs.is_stats_set:
        compare_stats(path, where, meta.get("statistics", {}), theirs.statistics)


def compare(path):
    ours = footer(path)
    try:
        theirs = pq.ParquetFile(path).metadata
    except (pa.ArrowException, OSError, ValueError):
        counts["refused"] += 1
        return
    if ours is None:
        same(path, "footer", "refused", "read")
        return
    counts["files"] += 1
    groups = ours["row_groups"]
    same(path, "created_by", ours.get("created_by", ""), theirs.created_by or "")
    same(path, "version", {1: "1.0"}.get(ours["version"], "2.6"), theirs.format_version)
    same(path, "groups", len(groups), theirs.num_row_groups)
    for g, group in enumerate(groups):
        same(path, f"group {g}: rows", group["num_rows"], theirs.row_group(g).num_rows)
        same(path, f"group {g}: bytes", group["total_byte_size"],
             theirs.row_group(g).total_byte_size)
        for c, chunk in enumerate(group["columns"]):
            if "meta_data" in chunk and "crypto_metadata" not in chunk:
                compare_chunk(path, f"group {g}: column {c}: ", chunk,
                              theirs.row_group(g).column(c))


def main():
    folders = sys.argv[1:]
    if os.environ.get("WEIR_CORPUS"):
        folders.append(os.path.join(os.environ["WEIR_CORPUS"], "parquet"))
    for folder in folders:
        for where, names, files in os.walk(folder):
            names[:] = sorted(name for name in names if name != "bad")
            for name in sorted(files):
                if name.endswith((".parquet", ".parq")):
                    compare(os.path.join(where, name))
    print(", ".join(f"{value} {name}" for name, value in counts.items()))
    sys.exit(counts["differences"] > 0 or counts["files"] == 0)


main()
