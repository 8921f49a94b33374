#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command on HIPO files: dictionary, kinds of records, counts, record tags, salvage, and chains of
files. Usage: test_hipo.py WEIR ROOT."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

WEIR, ROOT = sys.argv[1:3]
GOLDEN = os.path.join(ROOT, "datasets", "hipo")
DICTIONARY = """{REC::Event/300/30}{evno/L,beamE/D}
{REC::Particle/300/1}{pid/I,px/F,py/F,status/S,charge/B}
{REC::Cov/1000/20}{id/I,cov/F#3,mat/D#2,w/B#5,s/S#4,t/L#2,one/F}
{RUN::none/65000/200}{x/I}
{RAW::bytes/7/7}{b/B}
"""


def golden(name):
    return os.path.join(GOLDEN, name)


def run(*words):
    done = subprocess.run([WEIR, *words], capture_output=True, timeout=120, check=False,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def lines(*words):
    code, out, err = run("cat", "--format", "jsonl", *words)
    assert code == 0, err
    return out.splitlines()


def record(number, events, user_word=0, kind=4):
    """A whole record, nothing packed, of (tag, [(group, item, type, format, data)])."""
    bodies = []
    for tag, structures in events:
        body = b"".join(struct.pack("<HBBI", group, item, type_, len(form + data) | len(form) << 24) + form + data
                        for group, item, type_, form, data in structures)
        bodies.append(b"EVNT" + struct.pack("<III", 16 + len(body), tag, 0) + body)
    data = b"".join(bodies)
    pad = -len(data) % 4
    words = 14 + len(bodies) + (len(data) + pad) // 4
    head = struct.pack("<10I2Q", words, number, 14, len(bodies), 4 * len(bodies), kind << 28 | pad << 24 | 6, 0,
                       0xC0DA0100, len(data), words - 14, user_word, 0)
    return head + struct.pack("<%dI" % len(bodies), *map(len, bodies)) + data + bytes(pad)


def made(banks, *records):
    """A file without a trailer; `banks` as text."""
    dictionary = record(0, [(0, [(120, 2, 6, b"", bank)]) for bank in banks])
    return b"HIPO" + struct.pack("<7I3Q", 1, 14, 0, 0, 0x50000006, len(dictionary), 0xC0DA0100, 0, 0,
                                 0) + dictionary + b"".join(records)


AB = b"{T::ab/5/1}{a/I,b/B}"
AB_EVENTS = [(0, [(5, 1, 11, b"", struct.pack("<2i2b", 1, 2, 3, 4))]), (9, []),
             (0, [(5, 1, 11, b"", struct.pack("<ib", 7, 8))])]


class Hipo(unittest.TestCase):
    def write(self, data):
        file = tempfile.NamedTemporaryFile(suffix=".hipo")
        self.addCleanup(file.close)
        file.write(data)
        file.flush()
        return file.name

    def test_events_are_dumped_with_a_table_a_bank(self):
        path = self.write(made([AB], record(1, AB_EVENTS)))
        first = "event 0\n  event_tag = 0\n  T::ab: 2 rows\n    a  b\n    -  -\n    1  3\n    2  4\n"
        second = "event 1\n  event_tag = 9\n"
        third = "event 2\n  event_tag = 0\n  T::ab: 1 row\n    a  b\n    -  -\n    7  8\n"
        for words, wanted in ((["cat"], first + second + third), (["head", "-n", "2"], first + second),
                              (["cat", "--skip", "1", "-n", "1"], second), (["cat", "--tail", "1"], third),
                              (["cat", "-c", "T::ab.b", "--no-header"],
                               "event 0\n  T::ab: 2 rows\n    3\n    4\nevent 1\nevent 2\n  T::ab: 1 row\n    8\n"),
                              (["cat", "--event-tags", "9"], second),
                              (["cat", "--present", "T::ab"], first + third),
                              (["cat", "--record-tags", "1"], "")):
            self.assertEqual(run(words[0], "--events", *words[1:], path), (0, wanted, ""), words)
        self.assertEqual(run("cat", "--events", "-f", "csv", path)[0], 2)

    def test_a_dump_obeys_no_name_and_aligns_what_is_wider_than_its_name(self):
        bank = struct.pack("<2h4f", -1, 300, 0.5, 1, -2.25, 4)  # s, then v of two numbers a row
        path = self.write(made([b"{T\x1b[1m/9/2}{s/S,v/F#2}", AB],
                               record(1, [(4294967295, [(9, 2, 11, b"", bank), (5, 1, 11, b"", b"")])])))
        self.assertEqual(run("cat", "--events", path)[1],
                         "event 0\n  event_tag = 4294967295\n  T\\x1b[1m: 2 rows\n      s             v\n"
                         "    ---  ------------\n     -1    [0.5, 1.0]\n    300  [-2.25, 4.0]\n  T::ab: 0 rows\n")

    def test_dictionary_is_printed_as_text(self):
        for name in ("tag00.hipo", "dictionary_json.hipo", "dictionary_text.hipo", "big_endian_lz4.hipo"):
            self.assertEqual(run("schema", "--hipo", golden(name)), (0, DICTIONARY, ""), name)
        other = os.path.join(ROOT, "datasets", "golden", "pyarrow_types_v1.parquet")
        code, out, err = run("schema", "--hipo", other)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("HIPO", err)

    def test_info_tells_kinds_of_records_and_how_they_were_found(self):
        out = run("info", golden("tag07.hipo"))[1]
        self.assertRegex(out, r"(?m)^records     3$")
        self.assertRegex(out, r"(?m)^index       trailer$")
        self.assertRegex(out, r"(?m)^tag 0, by column, lz4 +2 +39 ")
        self.assertRegex(out, r"(?m)^tag 1, by column, lz4 +1 +1 ")
        self.assertIn("run = 5038", out)
        file = json.loads(run("info", "--json", golden("tag11.hipo"))[1])["files"][0]
        self.assertEqual([(kind["kind"], kind["number"], kind["rows"]) for kind in file["kinds"]],
                         [("tag 0, by bank, gzip", 2, 39), ("tag 1, by bank, gzip", 1, 1)])
        for name, word in (("trailer_none", "no trailer"), ("index_negative", "index is wrong"),
                           ("trailer_past_the_end", "no record where the trailer")):
            self.assertIn("record headers: ", run("info", golden(name + ".hipo"))[1])
            self.assertIn(word, run("info", golden(name + ".hipo"))[1])

    def test_footer_tells_of_banks_and_records(self):
        facts = json.loads(run("info", "--footer", golden("big_endian_none.hipo"))[1])
        footer = (facts[0] if isinstance(facts, list) else facts)["footer"]
        self.assertEqual(footer["byte_order"], "big")
        self.assertEqual([bank["text"] for bank in footer["banks"]], DICTIONARY.splitlines())
        self.assertEqual([record["events"] for record in footer["records"]], [5, 7])

    def test_filters_choose_events(self):
        """What the filters should let through is chosen from all rows by what they say in JSON."""
        name = golden("tag06.hipo")
        rows = [json.loads(line) for line in lines(name)]
        for options, keeps in (
                (("--event-tags", "0"), lambda row: row["event_tag"] == 0),
                (("--event-tags", "1,7,4294967295"), lambda row: row["event_tag"] in (1, 7, 4294967295)),
                (("--event-mask", "0x6"), lambda row: row["event_tag"] & 6),
                (("--present", "REC::Event"), lambda row: row["REC::Event"] is not None),
                (("--present", "REC::Event,REC::Cov", "--event-tags", "0"),
                 lambda row: row["event_tag"] == 0 and row["REC::Event"] is not None and row["REC::Cov"] is not None)):
            expected = [row for row in rows if keeps(row)]
            self.assertEqual([json.loads(line) for line in lines(name, *options)], expected, options)
            self.assertEqual(run("count", name, *options)[1], f"{len(expected)}\n", options)
            self.assertEqual([json.loads(line) for line in lines(name, *options, "--limit", "2")], expected[:2])
        self.assertTrue(0 < len(expected) < len(rows))

    def test_filters_that_cannot_be(self):
        for option, value, word in (("present", "REC::Nothing", "REC::Nothing"), ("event-tags", "x", "--event-tags"),
                                    ("event-tags", "4294967296", "--event-tags"), ("event-mask", "0", "--event-mask")):
            code, out, err = run("count", golden("tag06.hipo"), "--" + option, value)
            self.assertEqual((code, out), (2, ""), value)
            self.assertIn(word, err)
        other = os.path.join(ROOT, "datasets", "golden", "pyarrow_types_v1.parquet")
        code, out, err = run("count", "--event-tags", "1", other)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("no events to choose among", err)

    def test_of_a_record_without_a_match_the_directory_is_read_alone(self):
        def pages(*options):
            return int(re.search(r"pages +([0-9]+)", run("stat", "--time", *options, golden("tag13.hipo"))[2])[1])

        records = json.loads(run("info", "--json", golden("tag13.hipo"))[1])["files"][0]["row_groups"]
        self.assertEqual(pages("--event-tags", "77"), records)
        self.assertGreater(pages(), records)

    def test_counts_come_from_headers(self):
        with open(golden("DIGESTS.tsv"), encoding="utf-8") as digests:
            for line in digests:
                name, first, *rest = line.rstrip("\n").split("\t")
                if first == "rows":
                    self.assertEqual(run("count", golden(name))[1], rest[0] + "\n", name)
        code, out, err = run("count", golden("bad/cut_in_record.hipo"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("cut_in_record.hipo: record 2", err)
        self.assertEqual(run("count", "--skip-bad", golden("bad/cut_in_record.hipo"))[1], "17\n")

    def test_record_tags_choose_records(self):
        for name in ("tag00.hipo", "tag07_encoded.hipo"):
            all_lines = lines(golden(name))
            parts = {"0": all_lines[:16] + all_lines[17:], "1": all_lines[16:17], "0,1": all_lines, "5": []}
            for tags, wanted in parts.items():
                self.assertEqual(lines("--record-tags", tags, golden(name)), wanted)
                self.assertEqual(run("count", "--record-tags", tags, golden(name))[1], "%d\n" % len(wanted))
            self.assertEqual(lines("--record-tags", "0", "--skip", "15", "-n", "3", golden(name)),
                             parts["0"][15:18])
        self.assertEqual(run("count", "--record-tags", "0,x", golden(name))[0], 2)
        code, _, err = run("count", "--record-tags", "0",
                           os.path.join(ROOT, "datasets", "golden", "pyarrow_types_v1.parquet"))
        self.assertEqual(code, 1)
        self.assertIn("no tags", err)

    def test_salvage_reads_what_lies_around_damage(self):
        whole = lines(golden("tag00.hipo"))
        for name, wanted in (("magic", whole[:16] + whole[17:]), ("record_size", whole[:17]),
                             ("compression_tag", whole[:16] + whole[17:]),
                             ("cut_in_record", whole[:17]), ("cut_in_header", whole[:17]),
                             ("structure_long", whole[:22]), ("event_long", whole[:24]),
                             ("lz4", whole[:17]), ("zstd", whole[:17]), ("sum", whole[:17]),
                             ("data_size", whole[:16] + whole[17:]),
                             ("directory_sizes", whole[:17])):
            path = golden("bad/%s.hipo" % name)
            code, out, err = run("cat", "--format", "jsonl", "--salvage", path)
            self.assertEqual((code, out.splitlines()), (0, wanted), name)
            self.assertIn("salvaged", err, name)
        code, out, err = run("cat", "--format", "jsonl", "--salvage", golden("bad/presence.hipo"))
        self.assertEqual((code, len(out.splitlines())), (0, 250))  # six records of 50, of which one is bad
        code, out, err = run("cat", "--format", "jsonl", "--salvage", golden("tag00.hipo"))
        self.assertEqual((code, out.splitlines(), err), (0, whole, ""))

    def test_a_chain_is_one_table(self):
        names = ["tag%02d.hipo" % tag for tag in range(15)]
        whole = lines(golden("tag00.hipo"))
        chain = [golden(name) for name in names]
        self.assertEqual(lines(*chain), whole * 15)
        self.assertEqual(lines("--skip", "79", "-n", "2", "--threads", "3", *chain), [whole[39], whole[0]])

    def test_files_whose_dictionaries_differ_are_named(self):
        one, other = golden("tag00.hipo"), golden("dictionary_of_one.hipo")
        code, _, err = run("cat", "--format", "jsonl", one, other)
        self.assertEqual(code, 1)
        self.assertIn("tag00.hipo", err)
        self.assertIn("dictionary_of_one.hipo", err)
        united = [json.loads(line) for line in lines("--unify", other, one)]
        self.assertEqual(len(united), 48)
        self.assertEqual([row["REC::Event"] for row in united[:8]], [None] * 8)
        self.assertEqual([json.loads(line) for line in lines(one)], united[8:])
        code, _, err = run("cat", "--format", "jsonl", "-c", "REC::Particle", one,
                           golden("bad/directory_columns.hipo"))
        self.assertEqual(code, 1)
        self.assertIn("tag00.hipo", err)
        self.assertIn("directory_columns.hipo", err)
        self.assertIn("charge", err)


def records_of(data):
    """(offset, size, events) of each record behind the dictionary, the trailer last."""
    at = 4 * struct.unpack_from("<I", data, 8)[0] + struct.unpack_from("<I", data, 24)[0]
    while at < len(data):
        words, events = struct.unpack_from("<I", data, at)[0], struct.unpack_from("<I", data, at + 12)[0]
        yield at, 4 * words, events
        at += 4 * words


class Patched(unittest.TestCase):
    """Good files with one number changed."""

    def setUp(self):
        with open(golden("tag00.hipo"), "rb") as file:
            self.data = bytearray(file.read())
        self.records = list(records_of(self.data))
        self.assertEqual(struct.unpack_from("<Q", self.data, 40)[0], self.records[-1][0])
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.digest = run("digest", golden("tag00.hipo"))

    def write(self, data):
        path = os.path.join(self.folder.name, "patched.hipo")
        with open(path, "wb") as file:
            file.write(data)
        return path

    def test_a_trailer_position_that_is_a_data_records_loses_none(self):
        offset, _, events = max(self.records, key=lambda record: record[2])
        self.assertGreater(events, 1)
        struct.pack_into("<Q", self.data, 40, offset)
        self.assertEqual(run("digest", self.write(self.data)), self.digest)

    def test_a_trailer_that_lists_more_records_than_there_are_is_no_event(self):
        offset, size, events = self.records[1]
        for points in (True, False):
            data = self.data[:offset] + self.data[offset + size:]
            struct.pack_into("<Q", data, 40, self.records[-1][0] - size if points else 0)
            rows = sum(record[2] for record in self.records[:-1]) - events
            self.assertEqual(run("count", self.write(data))[1].strip(), str(rows))

    def test_what_an_event_says_of_its_size_does_not_count(self):
        offset, _, events = self.records[0]
        struct.pack_into("<I", self.data, offset + 56 + 4 * events + 4, 16)
        self.assertEqual(run("digest", self.write(self.data)), self.digest)

    def test_record_tags_are_any_64_bits(self):
        offset, _, events = self.records[0]
        for value, words in ((2**64 - 1, ("-1", "18446744073709551615")),
                             (2**63, ("-9223372036854775808", "9223372036854775808")),
                             (2**63 - 1, ("9223372036854775807",))):
            struct.pack_into("<Q", self.data, offset + 40, value)
            path = self.write(self.data)
            for word in words:
                self.assertEqual(run("count", "--record-tags", word, path), (0, "%d\n" % events, ""), word)
            self.assertEqual(run("count", "--record-tags=1,-7", path)[1], "1\n")
        for word in ("-9223372036854775809", "18446744073709551616", "-", "1,-", "--1", "0x1"):
            self.assertEqual(run("count", "--record-tags", word, path)[0], 2, word)

    def test_a_bank_whose_text_is_none_is_read_from_its_json(self):
        text = b"{REC::Event/300/30}{evno/L"
        self.assertEqual((self.data.count(text), self.data.count(b'"REC::Event"')), (1, 1))
        path = self.write(self.data.replace(text, b"{REC::Event/300/30}[evno/L"))
        self.assertEqual(run("digest", path), self.digest)
        self.assertEqual(run("schema", "--hipo", path), (0, DICTIONARY, ""))

    def test_a_range_behind_damage_is_told_of_it(self):
        offset, _, _ = self.records[1]
        rows = self.records[0][2]
        struct.pack_into("<I", self.data, offset + 28, 0)
        path = self.write(self.data)
        for words in (["--skip", str(rows)], ["--skip", str(rows + 3)], ["--skip", str(rows), "-n", "1"]):
            for files in ([path], [path, golden("tag00.hipo")]):
                code, out, err = run("cat", *words, *files)
                self.assertEqual(code, 1, words)
                self.assertIn("no magic word", err)
        self.assertEqual(run("cat", "-f", "jsonl", "-n", str(rows), path)[0], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
