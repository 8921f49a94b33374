#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""opinion_fetch.py OUT: parquet.thrift, as the PyPI package fastparquet ships it, for the second
opinion on footers and page headers: from this Python if it is installed, else from the index."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile


def installed():
    spec = importlib.util.find_spec("fastparquet")
    if spec and spec.origin:
        path = pathlib.Path(spec.origin).parent / "parquet.thrift"
        if path.is_file():
            return path.read_bytes()
    return None


def fetched():
    folder = tempfile.mkdtemp()
    try:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                        "--only-binary", ":all:", "--dest", folder, "fastparquet"], check=True)
        wheel = next(pathlib.Path(folder).glob("fastparquet*.whl"))
        return zipfile.ZipFile(wheel).read("fastparquet/parquet.thrift")
    finally:
        shutil.rmtree(folder)


pathlib.Path(sys.argv[1]).write_bytes(installed() or fetched())
