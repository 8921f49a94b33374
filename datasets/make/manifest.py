#!/usr/bin/env python3
"""Prints datasets/manifest.csv: every file of datasets/sample and datasets/golden with its rows,
columns, SHA-256, writer and, of those laid by hand, what it shows. `manifest.py DATASETS`."""
import csv
import glob
import hashlib
import os
import sys

import pyarrow.parquet as pq

import cases

ABOUT = {"hand_" + case.__name__: case.__doc__ for case in cases.CASES}


def rows_of(folder):
    """{file name: rows}, from DIGESTS.tsv where there is one."""
    path = os.path.join(folder, "DIGESTS.tsv")
    lines = [line.split("\t") for line in open(path, errors="surrogateescape")] if os.path.exists(path) else []
    return {line[0]: int(line[2]) for line in lines if line[1] == "rows" and len(line) == 3}


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["file", "rows", "columns", "sha256", "writer", "shows"])
    for folder in ("golden", "sample"):
        rows = rows_of(os.path.join(sys.argv[1], folder))
        for path in sorted(glob.glob(os.path.join(sys.argv[1], folder, "*.parquet"))):
            name = os.path.basename(path)
            digest = hashlib.sha256(open(path, "rb").read()).hexdigest()
            about = ABOUT.get(name.removesuffix(".parquet"), "")
            if about:
                out.writerow([f"{folder}/{name}", rows[name], "", digest, "by hand", about])
            else:
                meta = pq.ParquetFile(path).metadata
                out.writerow([f"{folder}/{name}", meta.num_rows, len(meta.schema.to_arrow_schema()), digest,
                              meta.created_by.split(" (")[0], ""])


main()
