#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command on nested columns against the values they were made from: printing, picking by path,
flattening, statistics. Usage: test_nested.py [SEED]; the build is at $WEIR_BUILD."""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

import pyarrow as pa
import pyarrow.parquet as pq

WEIR = os.path.join(os.environ["WEIR_BUILD"], "weir")
SEED = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 5
ROWS = 3000

SCHEMA = pa.schema([
    ("id", pa.int64()),
    ("names", pa.struct([("primary", pa.string()), ("common", pa.map_(pa.string(), pa.string())),
                         ("rules", pa.list_(pa.struct([("variant", pa.string()),
                                                       ("value", pa.int32())])))])),
    ("sources", pa.list_(pa.struct([("dataset", pa.string()), ("element", pa.int64()),
                                    ("between", pa.list_(pa.float64()))]))),
    ("numbers", pa.map_(pa.int32(), pa.struct([("x", pa.int64()), ("y", pa.string())]))),
    ("deep", pa.list_(pa.list_(pa.list_(pa.int32())))),
    ("box", pa.struct([("inner", pa.struct([("a.b", pa.int32()), ("c", pa.bool_())])),
                       ("d", pa.float32())])),
    ("dotted.name", pa.int32()),
])


class Maker:
    """Values of a type: nulls and empties at each level."""
    WORDS = ["", "a", "null", "zwölf", 'quo"te', "with, comma", "tab\t", "[x]", "plain", "日本"]

    def __init__(self, seed):
        self.random = random.Random(seed)

    def make(self, kind, nullable=True):
        if nullable and self.random.random() < 0.15:
            return None
        if pa.types.is_struct(kind):
            return {field.name: self.make(field.type) for field in kind}
        if pa.types.is_map(kind):
            return [(self.make(kind.key_type, False), self.make(kind.item_type))
                    for _ in range(self.random.choice((0, 0, 1, 2, 5)))]
        if pa.types.is_list(kind):
            return [self.make(kind.value_type) for _ in range(self.random.choice((0, 1, 1, 3, 9)))]
        if pa.types.is_string(kind):
            return self.random.choice(self.WORDS)
        if pa.types.is_boolean(kind):
            return self.random.random() < 0.5
        if pa.types.is_floating(kind):
            return self.random.randint(-1000, 1000) / 8
        return self.random.randint(-100, 100)


def run(*args):
    done = subprocess.run([WEIR, *args], capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def pairs(value):
    """A JSON value with objects as lists of pairs: their order and equal names count."""
    return json.loads(value, object_pairs_hook=lambda items: ("object", items))


def expected(kind, value):
    """What README and man page say the JSON of a value is, in the same form."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return ("object", [(field.name, expected(field.type, value[field.name])) for field in kind])
    if pa.types.is_map(kind):
        entries = [(expected(kind.key_type, key), expected(kind.item_type, item))
                   for key, item in value]
        if pa.types.is_string(kind.key_type):
            return ("object", entries)
        return [("object", [("key", key), ("value", item)]) for key, item in entries]
    if pa.types.is_list(kind):
        return [expected(kind.value_type, item) for item in value]
    return value


class Nested(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        maker = Maker(SEED)
        cls.rows = [{field.name: maker.make(field.type) for field in SCHEMA} for _ in range(ROWS)]
        table = pa.Table.from_pylist(cls.rows, SCHEMA)
        cls.path = os.path.join(cls.folder.name, "nested.parquet")
        pq.write_table(table, cls.path, data_page_size=2000, row_group_size=1100,
                       write_batch_size=64)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def jsonl(self, *args):
        code, out, err = run("cat", "-f", "jsonl", *args, self.path)
        self.assertEqual((code, err), (0, ""))
        return [pairs(line)[1] for line in out.splitlines()]

    def test_json_lines_are_the_rows(self):
        found = self.jsonl()
        self.assertEqual(len(found), ROWS)
        for line, row in zip(found, self.rows):
            self.assertEqual(line, [(field.name, expected(field.type, row[field.name]))
                                    for field in SCHEMA])

    def picked(self, path):
        found = self.jsonl("-c", path)
        self.assertEqual({tuple(name for name, _ in row) for row in found},
                         {(found[0][0][0],)}, path)
        return found[0][0][0], [row[0][1] for row in found]

    def check_path(self, paths, column, kind, prune):
        want = [expected(kind, prune(row[column])) for row in self.rows]
        for path in paths:
            name, found = self.picked(path)
            self.assertEqual(name, column, path)
            self.assertEqual(found, want, path)

    def test_paths_prune_structs(self):
        self.check_path(["names.primary", "na*.pri*"], "names",
                        pa.struct([("primary", pa.string())]), lambda value: value)
        self.check_path(["box.inner.c"], "box",
                        pa.struct([("inner", pa.struct([("c", pa.bool_())]))]), lambda value: value)
        self.check_path(["box.inner.a\\.b"], "box",
                        pa.struct([("inner", pa.struct([("a.b", pa.int32())]))]),
                        lambda value: value)
        self.check_path(["box.inner", "box.inner.*", "box.in?er"], "box",
                        pa.struct([SCHEMA.field("box").type.field("inner")]), lambda value: value)

    def test_paths_go_through_lists_by_every_form(self):
        self.check_path(["sources.list.element.dataset", "sources.element.dataset",
                         "sources.list.dataset", "sources.dataset", "sources.data*"], "sources",
                        pa.list_(pa.struct([("dataset", pa.string())])), lambda value: value)
        self.check_path(["sources.between", "sources.list.element.between.list.element",
                         "sources.between.element"], "sources",
                        pa.list_(pa.struct([("between", pa.list_(pa.float64()))])),
                        lambda value: value)
        self.check_path(["deep.list.element.list.element.list.element", "deep.element", "deep.list",
                         "deep.*"], "deep", SCHEMA.field("deep").type, lambda value: value)
        self.check_path(["names.rules.value", "names.rules.list.element.value"], "names",
                        pa.struct([("rules", pa.list_(pa.struct([("value", pa.int32())])))]),
                        lambda value: value)

    def test_the_longer_form_comes_first(self):
        self.check_path(["sources.element.element", "sources.list.element.element"], "sources",
                        pa.list_(pa.struct([("element", pa.int64())])), lambda value: value)
        self.check_path(["sources.element", "sources.list.element"], "sources",
                        SCHEMA.field("sources").type, lambda value: value)

    def test_a_maps_value_brings_its_key(self):
        kind = pa.map_(pa.int32(), pa.struct([("x", pa.int64())]))
        self.check_path(["numbers.value.x", "numbers.key_value.value.x"], "numbers", kind,
                        lambda value: value)
        self.check_path(["numbers.value"], "numbers", SCHEMA.field("numbers").type,
                        lambda value: value)
        self.check_path(["names.common.value"], "names",
                        pa.struct([("common", pa.map_(pa.string(), pa.string()))]),
                        lambda value: value)
        name, found = self.picked("numbers.key")
        self.assertEqual(found, [row["numbers"] and [key for key, _ in row["numbers"]]
                                 if row["numbers"] is not None else None for row in self.rows])

    def test_paths_into_one_column_make_one_and_names_come_first(self):
        found = self.jsonl("-n", "50", "-c", "names.primary,id,names.rules.value,dotted.name")
        kind = pa.struct([("primary", pa.string()),
                          ("rules", pa.list_(pa.struct([("value", pa.int32())])))])
        for line, row in zip(found, self.rows):
            self.assertEqual(line, [("names", expected(kind, row["names"])), ("id", row["id"]),
                                    ("dotted.name", row["dotted.name"])])

    def test_paths_that_lead_nowhere_are_usage(self):
        for path in ("names.nothing", "names.primary.x", "nothing.x", "id.x", "sources.list.list",
                     "numbers.x", "names.", ".", "box.inner.a.b", "*.nothing"):
            code, out, err = run("cat", "-c", path, self.path)
            self.assertEqual((code, out), (2, ""), path)
            self.assertEqual(err.count("\n"), 1, err)

    def test_only_what_is_needed_is_read(self):
        def leaves_read(columns):
            code, out, err = run("stat", "--json", "--time", "-c", columns, self.path)
            self.assertEqual((code, err), (0, ""))
            return json.loads(out)["time"]["values"] / ROWS  # a leaf counts its rows

        for columns, leaves in (("names.rules.value", 1), ("names.rules", 2), ("names", 5),
                                ("numbers.value.x", 2), ("sources.dataset,sources.element", 3),
                                ("names.primary,names.common.key,id", 3), ("*.*.c*", 1)):
            self.assertEqual(leaves_read(columns), leaves, columns)

    def test_csv_refuses_lists_and_flattens_structs(self):
        code, out, err = run("cat", "-f", "csv", self.path)
        self.assertEqual((code, out), (2, ""))
        for word in ("names", "struct", "box.inner.a\\.b", "--flatten", "jsonl"):
            self.assertIn(word, err)
        self.assertNotIn("sources", err)
        for args in (["-c", "id,sources"], ["--flatten", "-c", "names"], ["-c", "names.rules.value"],
                     ["--flatten", "-c", "deep"]):
            code, out, err = run("cat", "-f", "tsv", *args, self.path)
            self.assertEqual((code, out), (2, ""), args)
            self.assertIn("tsv can't hold column", err)
        for args in (["--flatten", "-c", "id,box"], ["-c", "id,box.*"],
                     ["-c", "id,box.inner.a\\.b,box.inner.c,box.d"]):
            code, out, err = run("cat", "-f", "csv", *args, self.path)
            self.assertEqual((code, err), (0, ""), args)
            rows = list(csv.reader(io.StringIO(out)))
            self.assertEqual(rows[0], ["id", "box.inner.a.b", "box.inner.c", "box.d"])
            for line, row in zip(rows[1:], self.rows):
                box = row["box"] or {"inner": None, "d": None}
                inner = box["inner"] or {"a.b": None, "c": None}
                want = [row["id"], inner["a.b"], inner["c"], box["d"]]
                self.assertEqual(line, ["" if value is None else str(value).lower()
                                        for value in want])

    def test_a_table_shows_them_compactly(self):
        code, out, err = run("cat", "-n", "40", "-c", "id,box,deep,numbers", self.path)
        self.assertEqual((code, err), (0, ""))
        lines = out.splitlines()
        self.assertEqual(len(lines), 42)
        self.assertRegex(lines[0], r"^ *id +box +deep +numbers$")

        def text(value):
            if value is None:
                return "null"
            if isinstance(value, dict):
                return "{%s}" % ", ".join("%s: %s" % item for item in
                                          ((key, text(item)) for key, item in value.items()))
            if isinstance(value, list):
                return "[%s]" % ", ".join(text(item) for item in value)
            return str(value).lower()

        for line, row in zip(lines[2:], self.rows):
            self.assertIn(text(row["box"]), line)
            if len(text(row["deep"])) <= 160:
                self.assertIn(text(row["deep"]), line)
            else:
                self.assertIn(text(row["deep"])[:150], line)
                self.assertIn("…", line)

    def test_statistics_of_lists_and_leaves(self):
        code, out, err = run("stat", "--json", self.path)
        self.assertEqual((code, err), (0, ""))
        found = {column["name"]: column for column in json.loads(out)["columns"]}

        def lengths(name, lists):
            there = [len(value) for value in lists if value is not None]
            self.assertEqual(
                [found[name][key] for key in ("rows", "nulls", "empty", "min_length", "max_length",
                                              "total_length")],
                [len(lists), len(lists) - len(there), there.count(0), min(there), max(there),
                 sum(there)], name)

        def values(name, slots):
            there = [value for value in slots if value is not None]
            self.assertEqual([found[name][key] for key in ("values", "nulls", "min", "max")],
                             [len(there), len(slots) - len(there), min(there), max(there)], name)
            if not isinstance(there[0], str):
                self.assertEqual(found[name]["sum"], sum(there), name)

        def inside(lists):
            return [item for items in lists if items is not None for item in items]

        def field(structs, name):
            return [None if value is None else value[name] for value in structs]

        column = {name: [row[name] for row in self.rows] for name in SCHEMA.names}
        lengths("sources", column["sources"])
        sources = inside(column["sources"])
        values("sources.element.element", field(sources, "element"))
        lengths("sources.element.between", field(sources, "between"))
        values("sources.element.between.element", inside(field(sources, "between")))
        lengths("numbers", column["numbers"])
        entries = inside(column["numbers"])
        values("numbers.key_value.key", [key for key, _ in entries])
        values("numbers.key_value.value.x", field([item for _, item in entries], "x"))
        lengths("deep", column["deep"])
        lengths("deep.element", inside(column["deep"]))
        lengths("deep.element.element", inside(inside(column["deep"])))
        values("deep.element.element.element", inside(inside(inside(column["deep"]))))
        values("box.inner.a.b", field(field(column["box"], "inner"), "a.b"))
        values("box.d", field(column["box"], "d"))
        values("names.rules.element.variant", field(inside(field(column["names"], "rules")),
                                                    "variant"))
        self.assertEqual([found["box.inner"][key] for key in ("values", "nulls")],
                         [ROWS - field(column["box"], "inner").count(None),
                          field(column["box"], "inner").count(None)])
        for threads in ("1", "2", "5"):
            self.assertEqual(run("stat", "--json", "--threads", threads, self.path)[1], out)
        only = json.loads(run("stat", "--json", "-c", "sources.between", self.path)[1])["columns"]
        self.assertEqual([column["name"] for column in only],
                         ["sources", "sources.element", "sources.element.between",
                          "sources.element.between.element"])
        for part in only:
            self.assertEqual(part, found[part["name"]])


class Required(unittest.TestCase):
    """Lists and structs that can't be null themselves, under a struct that can."""

    def test_statistics_leave_out_what_a_null_struct_hides(self):
        inside = pa.struct([pa.field("l", pa.list_(pa.int64()), nullable=False),
                            pa.field("s", pa.struct([pa.field("l", pa.list_(pa.int64()), nullable=False)]), nullable=False)])
        rows = [None, {"l": [1], "s": {"l": [1, 2]}}, {"l": [], "s": {"l": []}}]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "required.parquet")
            pq.write_table(pa.table({"a": pa.array(rows, inside)}), path)
            code, out, err = run("stat", "--json", path)
        self.assertEqual((code, err), (0, ""))
        found = {column["name"]: column for column in json.loads(out)["columns"]}
        for name, total in (("a.l", 1), ("a.s.l", 2)):
            self.assertEqual([found[name][key] for key in ("rows", "nulls", "empty", "total_length", "mean_length")],
                             [3, 1, 1, total, total / 2], name)
        self.assertEqual([found["a.s"][key] for key in ("values", "nulls")], [2, 1])

    def test_lists_that_are_all_null_have_no_length(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "null.parquet")
            pq.write_table(pa.table({"a": pa.array([None, None], pa.list_(pa.int64()))}), path)
            code, out, err = run("stat", "--json", path)
        found = json.loads(out)["columns"][0]
        self.assertEqual([found[key] for key in ("rows", "nulls", "total_length", "max_length")], [2, 2, 0, None])


class Deep(unittest.TestCase):
    """More levels than anybody has: what JSON lines say is what was written."""

    def check(self, kind, value):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "deep.parquet")
            rows = [None, value, None, value]
            pq.write_table(pa.table({"a": pa.array(rows, kind)}), path)
            for arguments in (["cat", "-f", "jsonl"], ["digest"], ["stat"], ["schema"]):
                code, out, err = run(*arguments, path)
                self.assertEqual((code, err), (0, ""), arguments)
                if arguments[0] == "cat":
                    self.assertEqual([json.loads(line)["a"] for line in out.splitlines()], rows)

    def test_lists_and_structs_of_a_hundred_levels(self):
        for depth in (64, 100):
            kind, lists = pa.int64(), 7
            for _ in range(depth):
                kind, lists = pa.list_(kind), [lists]
            self.check(kind, lists)
            kind, structs = pa.string(), "x"
            for i in range(depth):
                kind, structs = pa.struct([("f", kind)]), {"f": structs}
            self.check(kind, structs)


class Levels(unittest.TestCase):
    """Histograms of levels against the slots that follow from the values."""

    def test_histograms_of_levels_where_the_footer_has_them(self):
        rows = [[1, None], [], None, [2], None, [3, 4, 5]]
        table = pa.table({"a": pa.array(rows, pa.list_(pa.int32())),
                          "b": pa.array(["x", None, "yz", "", "w", "v"])})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "levels.parquet")
            pq.write_table(table, path, row_group_size=4)
            code, out, err = run("info", "--leaves", "--json", path)
            self.assertEqual((code, err), (0, ""))
            a, b = json.loads(out)["files"][0]["columns"]
            self.assertEqual(a["path"], "a.list.element")
            self.assertEqual((a["max_repetition"], a["max_definition"]), (1, 3))
            self.assertEqual(a["repetition_levels"], [6, 3])
            self.assertEqual(a["definition_levels"], [2, 1, 1, 5])
            self.assertEqual((b["path"], b["definition_levels"], b["repetition_levels"]),
                             ("b", [1, 5], None))
            self.assertEqual(b["value_bytes"], 5)
            code, out, err = run("info", "--leaves", path)
            self.assertEqual((code, err), (0, ""))
            for line in ("a.list.element", "  repetition levels 0: 6, 1: 3",
                         "  definition levels 0: 2, 1: 1, 2: 1, 3: 5", "  slots             9",
                         "  definition levels 0: 1, 1: 5", "  bytes of values   5"):
                self.assertIn(line, out.splitlines())
            self.assertNotIn("repetition_levels", run("info", "--json", path)[1])


if __name__ == "__main__":
    unittest.main()
