#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `weir digest` with the corpus's oracle for every leaf of every file that is not
under bad/. Usage: corpus_digest.py WEIR ORACLE_FAULTS; the corpus is at $WEIR_CORPUS.

Prints files, leaves, agreeing, skipped by reason, and each difference; fails on a difference that
ORACLE_FAULTS (file TAB leaf path TAB evidence, `*` for all leaves) does not list."""
import collections
import json
import os
import subprocess
import sys

ENCRYPTED, ALP, LZO = "encrypted", "ALP", "LZO"


def escape(name):
    for char, letter in (("\\", "\\"), (".", "."), ("\t", "t"), ("\n", "n")):
        name = name.replace(char, "\\" + letter)
    return name


def read_faults(path):
    faults = {}
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            file, leaf, evidence = line.rstrip("\n").split("\t")
            faults[file, leaf] = evidence
    return faults


def oracles(root):
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if name.endswith(".json") and not path.startswith("bad" + os.sep):
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    yield path[:-5], json.load(file)


def digest(weir, path):
    """Lines of stdout by path (in order, since paths may repeat), rows, stderr, code."""
    run = subprocess.run([weir, "digest", path], capture_output=True, timeout=300, check=False)
    lines = [line.split("\t") for line in run.stdout.decode("utf-8", "replace").splitlines()]
    rows = [line[1] for line in lines if line[0] == "rows" and len(line) == 2]
    return [line for line in lines if len(line) == 7], rows, run.stderr.decode("utf-8", "replace"), \
        run.returncode


def streams(leaf):
    """All (levels, counts, crc) that count as right."""
    for one in [leaf] + leaf.get("alt", []):
        yield [str(one.get("max_rep", leaf["max_rep"])), str(one.get("max_def", leaf["max_def"])),
               str(one["slots"]), str(one["values"]), str(one["nulls"]), "%08x" % one["crc"]]


def reason_to_skip(oracle, leaf):
    if "ALP" in leaf["encodings"]:
        return ALP
    if oracle.get("keys"):
        return ENCRYPTED
    if "LZO" in leaf["codec"]:
        return LZO
    if leaf.get("class") == "disputed" or oracle["class"] == "disputed":
        return "disputed"
    return None


class Tally:
    def __init__(self, faults):
        self.faults = faults
        self.files = self.leaves = self.agreeing = 0
        self.skipped = collections.Counter()
        self.used = set()
        self.differences = []

    def differ(self, file, leaf, text):
        for key in ((file, leaf), (file, "*")):
            if key in self.faults:
                self.used.add(key)
                self.skipped["oracle at fault"] += 1
                return
        self.differences.append("%s: %s: %s" % (file, leaf, text))

    def check_leaf(self, file, oracle, leaf, got, stderr):
        path = ".".join(escape(part) for part in leaf["path"])
        skip = reason_to_skip(oracle, leaf)
        self.leaves += 1
        if got is not None and got[1:] in streams(leaf):
            self.agreeing += 1
        elif skip == "disputed" and got is not None:
            self.differ(file, path, "neither the stream nor its alternative: %s" % got)
        elif skip:
            self.skipped[skip] += 1
        elif got is None:
            said = [line for line in stderr.splitlines() if path in line] or stderr.splitlines()[:1]
            self.differ(file, path, "not read: %s" % (said[:1] or ["nothing on stderr"])[0])
        else:
            self.differ(file, path, "%s, not %s" % (got[1:], list(streams(leaf))[0]))

    def check_file(self, file, oracle, answer):
        lines, rows, stderr, code = answer
        leaves = oracle.get("leaves") or []
        self.files += 1
        if code not in (0, 1) or (code == 0) != (stderr == ""):
            self.differ(file, "*", "exit code %d, stderr %r" % (code, stderr[:200]))
        if not leaves and code == 0 and oracle["class"] != "good":
            self.differ(file, "*", "read, where an error was expected")
        for leaf in leaves:
            path = ".".join(escape(part) for part in leaf["path"])
            got = None
            if lines and lines[0][0] == path:
                got = lines.pop(0)
            self.check_leaf(file, oracle, leaf, got, stderr)
        if lines:
            self.differ(file, "*", "lines too many: %s" % lines)
        if code == 0 and rows != [str(oracle["rows"])]:
            self.differ(file, "rows", "rows %s, not %s" % (rows, oracle["rows"]))


def main():
    corpus = os.environ.get("WEIR_CORPUS")
    if not corpus:
        print("skipped: WEIR_CORPUS is not set")
        return 77
    tally = Tally(read_faults(sys.argv[2]))
    for file, oracle in oracles(os.path.join(corpus, "parquet-oracle")):
        tally.check_file(file, oracle, digest(sys.argv[1], os.path.join(corpus, "parquet", file)))
    for line in tally.differences:
        print("differs:", line)
    for key in sorted(set(tally.faults) - tally.used):
        print("listed in vain: %s: %s" % key)
    print("%d files, %d leaves, %d agreeing, %d differing, skipped: %s" % (
        tally.files, tally.leaves, tally.agreeing, len(tally.differences),
        ", ".join("%d %s" % (n, reason) for reason, n in sorted(tally.skipped.items())) or "none"))
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
