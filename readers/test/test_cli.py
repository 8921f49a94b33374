#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command from outside: exit codes, what goes to which stream, formats, terminals.
Usage: test_cli.py WEIR SOURCE_FOLDER. What files hold is evident or said by SUMS.tsv, which other
readers made; test_cli_peers.py compares whole files with pyarrow."""
import fcntl
import json
import os
import pty
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import zlib

WEIR, SOURCE = map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:3]
GOLDEN = os.path.join(SOURCE, "datasets", "golden")
SAMPLE = os.path.join(SOURCE, "datasets", "sample")
JANUARY = os.path.join(SAMPLE, "2025-01-duckdb-zstd.parquet")
NOVEMBER = os.path.join(SAMPLE, "2024-11-duckdb-gzip.parquet")
COMMANDS = ("schema", "info", "head", "cat", "count", "stat", "digest", "codecs")


def golden(name):
    return os.path.join(GOLDEN, name + ".parquet")


def run(*args, **more):
    more.setdefault("timeout", 60)
    more.setdefault("capture_output", True)
    done = subprocess.run([WEIR, *args], check=False, **more)
    done.out = (done.stdout or b"").decode("utf-8", "surrogateescape")
    done.err = (done.stderr or b"").decode("utf-8", "surrogateescape")
    return done


def run_in_terminal(args, columns, streams=(1, 2), env=None):
    """stdout or stderr, or both, are a terminal of that width; gives what it shows, and the rest.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    pipe = subprocess.PIPE
    process = subprocess.Popen([WEIR, *args], stdout=slave if 1 in streams else pipe,
                               stderr=slave if 2 in streams else pipe,
                               env={**os.environ, "TERM": "xterm", **(env or {})})
    os.close(slave)
    shown = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(master)
    rest = (process.stdout or process.stderr).read() if len(streams) == 1 else b""
    process.wait(timeout=60)
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()
    return shown.decode().replace("\r\n", "\n"), rest.decode(), process.returncode


def empty_file(message):
    """A file without rows whose schema is that of `message`, by parquet.thrift in the compact
    protocol, written out here because no writer at hand writes such shapes."""
    def zigzag(number):
        number *= 2
        out = b""
        while number > 127:
            out += bytes([number & 127 | 128])
            number >>= 7
        return out + bytes([number])

    def element(kind, repetition, name, children, converted):
        out, last = b"", 0
        for field, code, value in ((1, 5, kind), (3, 5, repetition), (4, 8, name), (5, 5, children),
                                   (6, 5, converted)):
            if value is not None:
                out += bytes([(field - last) << 4 | code])
                out += bytes([len(value)]) + value.encode() if code == 8 else zigzag(value)
                last = field
        return out + b"\0"

    def parse(words, elements):
        count = 0
        while words and words[0] != "}":
            repetition = ("required", "optional", "repeated").index(words.pop(0))
            kind, name = words.pop(0), words.pop(0)
            converted = {"(LIST)": 3, "(MAP)": 1}.get(words[0])
            if converted is not None:
                words.pop(0)
            place = len(elements)
            elements.append(b"")
            if words.pop(0) == "{":
                children = parse(words, elements)
                words.pop(0)
                elements[place] = element(None, repetition, name, children, converted)
            else:
                elements[place] = element(1, repetition, name, None, converted)  # int32
            count += 1
        return count

    elements = []
    count = parse(message.replace(";", " ;").split(), elements)
    elements.insert(0, element(None, None, "m", count, None))
    footer = b"\x15\x02\x19" + bytes([len(elements) << 4 | 12]) + b"".join(elements) + \
        b"\x16\0\x19\x0c\0"
    return b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def make(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def check(self, done, out, err="", code=0):
        self.assertEqual(done.err, err)
        self.assertEqual(done.out, out)
        self.assertEqual(done.returncode, code)


class Usage(Case):
    def test_each_command_explains_itself_with_an_example(self):
        for command in COMMANDS:
            done = run(command, "--help")
            self.assertEqual((done.returncode, done.err), (0, ""))
            self.assertTrue(done.out.startswith("usage: weir " + command), done.out)
            self.assertIn("\nexample: weir " + command, done.out)
        done = run("--help")
        for command in COMMANDS:
            self.assertIn("\n  weir " + command, done.out)

    def test_the_version_is_the_headers(self):
        with open(os.path.join(SOURCE, "core/include/weir/base.h"), encoding="utf-8") as file:
            version = file.read().split('WEIR_VERSION_STRING "')[1].split('"')[0]
        self.check(run("--version"), "weir %s\n" % version)
        with open(os.path.join(SOURCE, "readers/cli/weir.1"), encoding="utf-8") as file:
            self.assertIn('"weir %s"' % version, file.read())

    def test_wrong_usage_ends_with_2(self):
        for args in ([], ["nothing"], ["cat"], ["cat", "--nothing", JANUARY], ["cat", "-z", JANUARY],
                     ["cat", "-n", "x", JANUARY], ["cat", "-n"], ["cat", "-n", "-1", JANUARY],
                     ["cat", "-n", "99999999999999999999", JANUARY], ["count", "--json", JANUARY],
                     ["cat", "--format", "xml", JANUARY], ["cat", "--no-header=1", JANUARY],
                     ["cat", "--skip", "1", "--tail", "1", JANUARY], ["codecs", JANUARY],
                     ["schema", "--json", "--arrow", JANUARY], ["digest", "--unify", JANUARY],
                     ["stat", "--memory-limit", "12Q", JANUARY], ["stat", "-c", "nothing", JANUARY],
                     ["head", "-c", "no*thing", JANUARY], ["count", self.folder]):
            done = run(*args)
            self.assertEqual((done.returncode, done.out), (2, ""), args)
            self.assertTrue(done.err.startswith("weir: "), done.err)
            self.assertEqual(done.err.count("\n"), 1, done.err)

    def test_options_are_written_in_all_usual_ways(self):
        want = run("head", "-n", "2", "-c", "VendorID", "-f", "csv", JANUARY).out
        for args in (["-n2", "-cVendorID", "-fcsv"], ["--limit=2", "--columns=VendorID", "-qfcsv"],
                     ["--limit", "2", "-c", "0", "--format", "csv"]):
            self.check(run("head", *args, JANUARY), want)
            self.check(run("head", JANUARY, *args), want)
            self.check(run("head", *args, "--", JANUARY), want)

    def test_the_manual_and_the_completions_know_every_option(self):
        def read(*path):
            with open(os.path.join(SOURCE, "readers", "cli", *path), encoding="utf-8") as file:
                return file.read()

        manual = read("weir.1").replace("\\-", "-")
        bash, zsh = read("completions", "weir.bash"), read("completions", "_weir")
        for command in COMMANDS:
            self.assertIn("\n.B %s\n" % command, manual)
            for line in run(command, "--help").out.splitlines():
                if not line.startswith("  -"):
                    continue
                option = [word.strip(",") for word in line.split() if word.startswith("--")][0]
                self.assertIn(option, manual)
                self.assertIn(option, zsh)
                script = bash + "\nCOMP_WORDS=(weir %s %s); COMP_CWORD=2; _weir; " \
                    "echo ${COMPREPLY[@]}" % (command, option)
                found = subprocess.run(["bash", "-c", script], capture_output=True, text=True,
                                       check=False).stdout
                self.assertIn(option, found.split(), command)


class Failures(Case):
    def test_files_that_are_none_end_with_1(self):
        with open(JANUARY, "rb") as file:
            whole = file.read()
        for path in (self.make("empty", b""), self.make("text", b"hello\n"),
                     self.make("cut", whole[:9000]), self.make("short", b"PAR1"),
                     os.path.join(self.folder, "missing")):
            for command in ("schema", "info", "cat", "count", "stat", "digest"):
                done = run(command, path)
                self.assertEqual((done.returncode, done.out), (1, ""), (command, path))
                self.assertTrue(done.err.startswith("weir: " + path), done.err)

    def test_damage_is_told_with_row_group_column_page_row_and_byte(self):
        with open(golden("pyarrow_many_groups"), "rb") as file:
            data = bytearray(file.read())
        path = self.make("a.parquet", bytes(data))
        info = json.loads(run("info", "--footer", path).out)["footer"]
        chunk = info["row_groups"][1]["columns"][0]["meta_data"]
        begin = chunk.get("dictionary_page_offset", chunk["data_page_offset"])
        for place in range(begin, begin + chunk["total_compressed_size"]):
            data[place] = 0xFF
        self.make("a.parquet", bytes(data))
        done = run("cat", "-f", "jsonl", path)
        first = info["row_groups"][0]["num_rows"]
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.out.count("\n"), first)
        name = chunk["path_in_schema"][0]
        self.assertRegex(done.err, r"^weir: %s: row group 1: column `?%s`?: .*\(row %d, byte \d+\)\n$"
                         % (path, name, first))
        for command in ("stat", "digest"):
            self.assertEqual(run(command, path).returncode, 1)

    def test_one_bad_column_leaves_the_others_their_digest(self):
        source = golden("pyarrow_many_groups")
        with open(source, "rb") as file:
            data = bytearray(file.read())
        footer = json.loads(run("info", "--footer", source).out)["footer"]
        chunk = footer["row_groups"][0]["columns"][0]["meta_data"]
        begin = chunk.get("dictionary_page_offset", chunk["data_page_offset"])
        data[begin:begin + 8] = b"\xff" * 8
        done = run("digest", self.make("a.parquet", bytes(data)))
        want = run("digest", source).out.splitlines(True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.out, "".join(want[1:]))
        self.assertTrue(done.err.startswith("weir: %s: " % want[0].split("\t")[0]), done.err)
        self.assertEqual(done.err.count("\n"), 1)

    def test_one_bad_leaf_leaves_those_beside_it_their_digest(self):
        for name in ("nested_duckdb_v1", "nested_polars", "nested_pyarrow_v2"):
            with open(golden(name), "rb") as file:
                good = file.read()
            want = run("digest", golden(name)).out.splitlines(True)
            footer = json.loads(run("info", "--footer", golden(name)).out)["footer"]
            for place, leaf in enumerate(want[:-1]):
                chunk = footer["row_groups"][0]["columns"][place]["meta_data"]
                begin = chunk.get("dictionary_page_offset", chunk["data_page_offset"])
                done = run("digest", self.make("a.parquet", good[:begin] + b"\xff" * 8 + good[begin + 8:]))
                path = leaf.split("\t")[0]
                map_of = path.removesuffix("key") if path.endswith(".key_value.key") else None
                lost = [line for line in want if line == leaf or map_of and line.startswith(map_of)]
                with self.subTest(name=name, path=path):
                    self.assertEqual(done.returncode, 1)
                    self.assertEqual(done.out, "".join(line for line in want if line not in lost))
                    self.assertEqual([line.split(": ")[1] for line in done.err.splitlines()],
                                     [line.split("\t")[0] for line in lost])

    def test_bad_files_are_skipped_when_asked(self):
        good = golden("pyarrow_same_names")
        with open(good, "rb") as file:
            data = bytearray(file.read())
        data[4:40] = b"\xff" * 36
        bad = self.make("bad.parquet", bytes(data))
        args = ["cat", "-c", "0", "-f", "csv", "--no-header"]
        self.assertEqual(run(*args, bad, good).returncode, 1)
        done = run(*args, "--skip-bad", bad, good)
        self.assertEqual((done.returncode, done.out), (0, run(*args, good).out))
        lines = done.err.splitlines()
        self.assertTrue(lines[0].startswith("weir: skipped: " + bad), done.err)
        self.assertEqual(lines[1:], ["weir: 1 file skipped"])

    def test_a_file_without_an_end_is_skipped_wherever_it_stands(self):
        good = golden("pyarrow_same_names")
        with open(good, "rb") as file:
            cut = self.make("cut.parquet", file.read()[:-5])
        want = {command: run(command, "--skip-bad", good, good).out for command in ("count", "stat", "cat", "schema")}
        for files in ([cut, good, good], [good, cut, good], [good, good, cut]):
            for command in want:
                if command == "schema" and files[0] == good:
                    continue  # it's asked of the first file
                with self.subTest(command=command, files=files):
                    done = run(command, "--skip-bad", *files)
                    self.assertEqual((done.returncode, done.out), (0, want[command]))
                    lines = done.err.splitlines()
                    self.assertTrue(lines[0].startswith("weir: skipped: " + cut), done.err)
                    self.assertEqual(lines[1:], ["weir: 1 file skipped"])
                    self.assertEqual(run(command, *files).returncode, 1)
        self.assertEqual(run("count", "--skip-bad", cut, cut).returncode, 1)

    def test_files_that_differ_need_unify(self):
        done = run("stat", "-c", "passenger_count", SAMPLE)
        self.assertEqual((done.returncode, done.out), (1, ""))
        for word in ("passenger_count", "int64", "double", "--unify", NOVEMBER):
            self.assertIn(word, done.err)

    def test_a_full_disk_is_noticed(self):
        with open("/dev/full", "wb") as full:
            for args in (["cat", "-f", "csv", JANUARY], ["count", JANUARY], ["--version"]):
                done = run(*args, capture_output=False, stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 1, args)
                self.assertEqual(done.err, "weir: standard output: No space left on device\n")

    def test_a_closed_pipe_is_quiet(self):
        args = [WEIR, "cat", "-f", "csv"] + [JANUARY] * 40
        process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 0)

    def test_an_interrupt_ends_it_at_once_with_130(self):
        process = subprocess.Popen([WEIR, "cat", "-f", "csv"] + [JANUARY] * 40,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(1)  # it runs, and then waits for us to read more
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertLess(time.monotonic() - begin, 1)
        self.assertEqual(process.stderr.read(), b"")
        process.stdout.close()
        process.stderr.close()


class Rows(Case):
    def test_names_of_any_kind_in_every_format(self):
        path = golden("pyarrow_odd_names")
        zeros = ",".join(str(i) for i in range(14))
        minus = "0," + ",".join(str(-i) for i in range(1, 14))
        self.check(run("cat", "-f", "csv", path),
                   '"",a.b,a b,tab\there,"line\nbreak",back\\slash,"quo""te",日本語,UPPER,upper,*,"a,b",'
                   "with#hash,null\n" + zeros + "\n" + "," * 13 + "\n" + minus + "\n")
        done = run("cat", "-f", "tsv", "-n", "1", path)
        self.assertEqual(done.out.split("\n", 2)[0], '""\ta.b\ta b\t"tab\there"\t"line')
        rows = [json.loads(line) for line in run("cat", "-f", "jsonl", path).out.splitlines()]
        self.assertEqual(list(rows[0]), ["", "a.b", "a b", "tab\there", "line\nbreak", "back\\slash",
                                         'quo"te', "日本語", "UPPER", "upper", "*", "a,b",
                                         "with#hash", "null"])
        self.assertEqual([list(row.values()) for row in rows],
                         [list(range(14)), [None] * 14, [-i for i in range(14)]])
        self.assertEqual([line.split("\t")[0] for line in run("digest", path).out.splitlines()],
                         ["", "a\\.b", "a b", "tab\\there", "line\\nbreak", "back\\\\slash",
                          'quo"te', "日本語", "UPPER", "upper", "*", "a,b", "with#hash", "null",
                          "rows"])

    def test_a_table_lines_up_wide_characters_and_escapes_controls(self):
        done = run("cat", "-c", "日本語,4,tab\there", golden("pyarrow_odd_names"))
        self.check(done, "日本語  line\\nbreak  tab\\there\n"
                         "------  -----------  ---------\n"
                         "     7            4          3\n"
                         "  null         null       null\n"
                         "    -7           -4         -3\n")

    def test_columns_are_picked_by_name_number_glob_and_place(self):
        path = golden("pyarrow_odd_names")
        for given, names in (("UPPER,upper", ["UPPER", "upper"]), ("a?b", ["a.b", "a b", "a,b"]),
                             ("*", ["*"]), ("a\\,b,1", ["a,b", "a.b"]), ("", [""]),
                             ("null,with#hash", ["null", "with#hash"]), ("*P*", ["UPPER"])):
            done = run("cat", "-f", "jsonl", "-n", "1", "-c", given, path)
            self.assertEqual(done.err, "", given)
            self.assertEqual(list(json.loads(done.out)), names)
        path = golden("pyarrow_same_names")
        self.check(run("cat", "-f", "jsonl", "-n", "1", path), '{"same":1,"same#2":"x","other":3}\n')
        self.check(run("cat", "-f", "csv", "-n", "1", "-c", "same#2,0", path), "same,same#2\nx,1\n")
        self.check(run("cat", "-f", "csv", "-n", "1", "-c", "other,other", path),
                   "other,other#2\n3,3\n")
        done = run("cat", "-c", "same", path)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.err, r"\b0\b.*\b1\b")

    def test_a_null_and_an_empty_string_differ(self):
        path = golden("pyarrow_types_v1")
        rows = [json.loads(line)["string"] for line in
                run("cat", "-f", "jsonl", "-c", "string", path).out.splitlines()]
        self.assertIn(None, rows)
        self.assertIn("", rows)
        self.assertIn("with\ttab", rows)
        self.assertTrue(any(row and "\n" in row for row in rows))

        def quoted(text, separator):
            if text is None:
                return ""
            if text == "" or any(char in text for char in separator + '"\r\n'):
                return '"' + text.replace('"', '""') + '"'
            return text

        for name, separator in (("csv", ","), ("tsv", "\t")):
            self.check(run("cat", "-f", name, "--no-header", "-c", "string,none", path),
                       "".join(quoted(row, separator) + separator + "\n" for row in rows))

    def test_ranges_of_rows(self):
        whole = run("cat", "-f", "csv", "-c", "1,2,10", JANUARY).out.splitlines(True)
        self.assertEqual(len(whole), 6001)
        for args, want in ((["-n", "3"], whole[:4]), (["--skip", "5990"], whole[:1] + whole[5991:]),
                           (["--tail", "2"], whole[:1] + whole[-2:]),
                           (["--tail", "9", "-n", "4"], whole[:1] + whole[-9:-5]),
                           (["--skip", "1234", "-n", "2"], whole[:1] + whole[1235:1237]),
                           (["--skip", "6000"], whole[:1]), (["--skip", "6001"], whole[:1]),
                           (["-n", "0"], whole[:1]), (["--tail", "0"], whole[:1]),
                           (["--tail", "7000"], whole),
                           (["--no-header", "-n", "1"], whole[1:2])):
            self.check(run("cat", "-f", "csv", "-c", "1,2,10", *args, JANUARY), "".join(want))
        self.check(run("head", "-f", "csv", "-c", "1,2,10", JANUARY), "".join(whole[:11]))
        self.check(run("head", "-f", "csv", "-c", "1,2,10", "--tail", "3", JANUARY),
                   "".join(whole[:1] + whole[-3:]))

    def test_tables_without_rows_or_columns(self):
        self.check(run("cat", "-f", "csv", "-c", "0,1", golden("pyarrow_no_rows")), "bool,float16\n")
        self.check(run("cat", "-c", "0,1", golden("pyarrow_no_rows")),
                   "bool  float16\n----  -------\n")
        self.check(run("cat", "-f", "jsonl", golden("pyarrow_no_rows")), "")
        rows = int(run("count", golden("pyarrow_no_columns")).out)
        self.check(run("cat", "-f", "jsonl", golden("pyarrow_no_columns")), "{}\n" * rows)
        for args in (["cat"], ["cat", "-f", "csv"], ["stat"]):
            self.check(run(*args, golden("pyarrow_no_columns")), "")
        self.check(run("digest", golden("pyarrow_no_columns")), "rows\t%d\n" % rows)

    def test_many_files_are_one_table(self):
        args = ["cat", "-f", "csv", "-c", "fare_amount", "--no-header"]
        files = sorted(os.path.join(SAMPLE, name) for name in os.listdir(SAMPLE)
                       if name.endswith(".parquet"))
        want = "".join(run(*args, name).out for name in files)
        self.check(run(*args, *files), want)
        self.check(run(*args, os.path.join(SAMPLE, "*.parquet")), want)
        self.check(run(*args, "@" + self.make("list", "\n".join(files).encode() + b"\n")), want)
        self.check(run("count", *files), "25000\n")
        self.check(run(*args, "--skip", "5999", "-n", "2", *files),
                   "".join(want.splitlines(True)[5999:6001]))


class Stat(Case):
    def test_sums_are_the_ones_that_other_readers_find(self):
        with open(os.path.join(SAMPLE, "SUMS.tsv"), encoding="utf-8") as file:
            sums = [line.split("\t") for line in file.read().splitlines()[1:]]
        files = [os.path.join(SAMPLE, name) for name in sorted({line[0] for line in sums} - {"*"})]
        checked = 0
        for file, column, rows, nulls, arrow, duck in sums:
            paths = files if file == "*" else [os.path.join(SAMPLE, file)]
            done = run("stat", "--json", "--unify", "-c", column, *paths)
            found = json.loads(done.out)["columns"][0]
            self.assertEqual((found["values"], found["nulls"]), (int(rows) - int(nulls), int(nulls)))
            self.assertAlmostEqual(found["sum"], float(arrow), delta=1e-9 * abs(float(arrow)))
            self.assertAlmostEqual(found["sum"], float(duck), delta=1e-9 * abs(float(duck)))
            checked += 1
        self.assertEqual(checked, len(sums))
        self.assertGreater(checked, 10)

    def test_neither_threads_nor_instructions_change_a_bit(self):
        for paths in ([SAMPLE], [golden("pyarrow_many_groups")], [golden("pyarrow_types_v1")]):
            want = run("stat", "--json", "--unify", "--threads", "1", *paths)
            self.assertEqual((want.returncode, want.err), (0, ""))
            for threads in ("2", "3", "7"):
                self.check(run("stat", "--json", "--unify", "--threads", threads, *paths), want.out)
            for simd in ("scalar", "avx2"):
                env = dict(os.environ, WEIR_SIMD=simd)
                self.check(run("stat", "--json", "--unify", *paths, env=env), want.out)
            for option in ("--map", "--no-crc", "--no-page-index"):
                self.check(run("stat", "--json", "--unify", option, *paths), want.out)

    def test_time_goes_to_stderr_or_into_the_json(self):
        done = run("stat", "--time", "-c", "fare_amount", JANUARY)
        self.assertEqual(done.out, run("stat", "-c", "fare_amount", JANUARY).out)
        for word in ("rows/s", "bytes read", "pages", "decode", "memory peak"):
            self.assertIn(word, done.err)
        found = json.loads(run("stat", "--time", "--json", "-c", "fare_amount", JANUARY).out)["time"]
        self.assertEqual(found["rows"], 6000)
        self.assertGreater(found["bytes_read"], 0)
        self.assertGreater(found["pages"], 0)

    def test_a_memory_limit_is_kept(self):
        done = run("stat", "--memory-limit", "1K", JANUARY)
        self.assertEqual((done.returncode, done.out), (1, ""))
        self.assertEqual(run("stat", "--memory-limit", "1G", JANUARY).returncode, 0)


class Digest(Case):
    def test_levels_and_values_of_nested_leaves_are_summed_as_the_file_has_them(self):
        def line(path, max_repetition, max_definition, slots):
            stream = b"".join(bytes(slot[:2]) + (slot[2] if len(slot) > 2 else b"")
                              for slot in slots)
            values = sum(len(slot) > 2 for slot in slots)
            return "%s\t%d\t%d\t%d\t%d\t%d\t%08x\n" % (
                path, max_repetition, max_definition, len(slots), values, len(slots) - values,
                zlib.crc32(stream))

        one, three = struct.pack("<q", 1), struct.pack("<q", 3)
        text = lambda value: struct.pack("<I", len(value)) + value
        self.check(run("digest", golden("pyarrow_nested_beside_flat")),
                   line("before", 0, 1, [(0, 1, struct.pack("<q", i)) for i in (1, 2, 3)]) +
                   line("list.list.element", 1, 3, [(0, 3, one), (0, 1), (0, 0)]) +
                   line("struct.x", 0, 2, [(0, 2, one), (0, 0), (0, 2, three)]) +
                   line("map.key_value.key", 1, 2, [(0, 2, text(b"k")), (0, 1), (0, 0)]) +
                   line("map.key_value.value", 1, 3,
                        [(0, 3, struct.pack("<i", 1)), (0, 1), (0, 0)]) +
                   line("after", 0, 1, [(0, 1, text(b"p")), (0, 1, text(b"q")), (0, 0)]) +
                   "rows\t3\n")


class Schema(Case):
    def test_the_message_text(self):
        self.check(run("schema", golden("pyarrow_nested_beside_flat")), """message schema {
  optional int64 before;
  optional group list (LIST) {
    repeated group list {
      optional int64 element;
    }
  }
  optional group struct {
    optional int64 x;
  }
  optional group map (MAP) {
    repeated group key_value {
      required binary key (STRING);
      optional int32 value;
    }
  }
  optional binary after (STRING);
}
""")

    def test_a_name_of_nothing_is_shown(self):
        done = run("schema", golden("hand_names_odd"))
        self.assertIn('\n  required int32 "";\n  required int32 a.b;\n', done.out)

    def test_json_and_arrow(self):
        tree = json.loads(run("schema", "--json", golden("pyarrow_types_v1")).out)
        fields = {field["name"]: field for field in tree["fields"]}
        self.assertEqual(fields["dec18"]["logical"], "decimal")
        self.assertEqual((fields["dec18"]["precision"], fields["dec18"]["scale"]), (18, 0))
        self.assertEqual(fields["stamp_utc"]["unit"], "micros")
        self.assertIs(fields["stamp_utc"]["utc"], True)
        self.assertEqual((fields["u16"]["bits"], fields["u16"]["signed"]), (16, False))
        self.assertEqual(fields["fixed5"]["type"], "fixed_len_byte_array(5)")
        self.check(run("schema", "--arrow", golden("pyarrow_nested_beside_flat")),
                   "before: int64\nlist: list<element: int64>\nstruct: struct<x: int64>\n"
                   "map: map<string, int32>\nafter: string\n")

    def test_json_has_the_lists_and_maps_as_understood_too(self):
        tree = json.loads(run("schema", "--json", golden("pyarrow_nested_beside_flat")).out)
        written = {field["name"]: field for field in tree["fields"]}
        self.assertEqual(written["list"]["fields"][0]["repetition"], "repeated")
        self.assertNotIn("type", written["list"])
        read = {field["name"]: field for field in tree["understood"]["fields"]}
        self.assertEqual(read["list"]["type"], "list")
        self.assertEqual([(field["name"], field["type"]) for field in read["list"]["fields"]],
                         [("element", "int64")])
        self.assertEqual(read["map"]["type"], "map")
        self.assertEqual([field["name"] for field in read["map"]["fields"][0]["fields"]],
                         ["key", "value"])
        self.assertNotIn("type", read["struct"])
        self.assertNotIn("understood", json.loads(run("schema", "--json", JANUARY).out))

    def test_legacy_shapes_are_shown_as_written_and_as_understood(self):
        # Shapes of parquet-format LogicalTypes.md, "backward compatibility".
        for fields, understood in (
                ("repeated int32 a;", "a: list<a: int32 not null> not null"),
                ("optional group a (LIST) {\n    repeated int32 element;\n  }",
                 "a: list<element: int32 not null>"),
                ("optional group a (LIST) {\n    repeated group array {\n"
                 "      required int32 b;\n    }\n  }",
                 "a: list<array: struct<b: int32 not null> not null>"),
                ("optional group a (LIST) {\n    repeated group a_tuple {\n"
                 "      required int32 b;\n    }\n  }",
                 "a: list<a_tuple: struct<b: int32 not null> not null>"),
                ("optional group a (MAP) {\n    repeated group b {\n"
                 "      required int32 key;\n    }\n  }",
                 "a: list<key: int32 not null>"),
                ("optional group a (LIST) {\n    repeated group bag {\n"
                 "      required int32 b;\n    }\n  }", None)):
            path = self.make("a.parquet", empty_file(fields))
            self.check(run("schema", path), "message m {\n  %s\n}\n%s" % (
                fields, "\nunderstood as:\n  %s\n" % understood if understood else ""))

    def test_unify_shows_the_united_one(self):
        done = run("schema", "--unify", SAMPLE)
        self.assertIn("double passenger_count;", done.out)
        done = run("schema", "--unify", "--any-case", SAMPLE)
        self.assertEqual(done.out.lower().count(" airport_fee;"), 1)


class Terminal(Case):
    def test_a_table_never_is_wider(self):
        for columns in (20, 40, 80, 133, 500):
            shown, _, code = run_in_terminal(["head", JANUARY], columns, env={"NO_COLOR": "1"})
            lines = [line for line in shown.splitlines() if not line.startswith("weir: ")]
            self.assertEqual((code, len(lines)), (0, 12))
            self.assertLessEqual(max(map(len, lines)), columns)
            self.assertEqual(columns < 400, "left out" in shown, columns)
        done = run("head", JANUARY)
        self.assertNotIn("…", done.out)
        self.assertEqual(done.err, "")

    def test_wide_characters_are_cut_between_two(self):
        path = golden("pyarrow_odd_names")
        for columns in range(1, 12):
            shown, _, code = run_in_terminal(["cat", "-q", "-c", "日本語", path], columns,
                                             env={"NO_COLOR": "1"})
            header = shown.split("\n")[0].strip()
            width = sum(2 if char in "日本語" else 1 for char in header)
            self.assertEqual(code, 0)
            self.assertLessEqual(width, columns)
            self.assertEqual(header, {1: "…", 2: "…", 3: "日…", 4: "日…", 5: "日本…"}
                             .get(columns, "日本語"))

    def test_colours_only_on_a_terminal_and_unless_declined(self):
        path = golden("pyarrow_odd_names")
        self.assertIn("\x1b[", run_in_terminal(["cat", path], 300)[0])
        self.assertNotIn("\x1b[", run_in_terminal(["cat", path], 300, env={"NO_COLOR": "1"})[0])
        self.assertIn("\x1b[", run_in_terminal(["cat", path], 300, env={"NO_COLOR": ""})[0])
        self.assertNotIn("\x1b[", run_in_terminal(["cat", path], 300, env={"TERM": "dumb"})[0])
        self.assertNotIn("\x1b[", run("cat", path).out)

    def test_long_work_shows_how_far_it_is(self):
        paths = [JANUARY] * 40
        master, slave = pty.openpty()
        process = subprocess.Popen([WEIR, "cat", "-f", "csv"] + paths, stdout=subprocess.PIPE,
                                   stderr=slave, env=dict(os.environ, TERM="xterm"))
        os.close(slave)
        rows = 0
        begin = time.monotonic()
        while True:
            data = process.stdout.read(1 << 20)
            rows += data.count(b"\n")
            if not data:
                break
            if time.monotonic() - begin < 2:
                time.sleep(0.1)
        shown = b""
        try:
            while data := os.read(master, 65536):
                shown += data
        except OSError:
            pass
        os.close(master)
        process.stdout.close()
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(rows, 240001)
        text = shown.decode()
        self.assertRegex(text, r"\r\x1b\[K.*\d+/40 files, [\d,]+ rows, [\d.]+ .?i?B, .*/s, \d+:\d\d left")
        self.assertTrue(text.endswith("\r\x1b[K"), repr(text[-50:]))

    def test_quiet_and_pipes_have_no_bar(self):
        for args in (["-q"], ["--quiet"]):
            shown, _, _ = run_in_terminal(["stat", "--unify", *args, SAMPLE], 80, streams=(2,))
            self.assertEqual(shown, "")
        self.assertEqual(run("stat", "--unify", SAMPLE).err, "")


class Info(Case):
    def test_what_one_file_says(self):
        done = run("info", golden("pyarrow_metadata"))
        self.assertEqual((done.returncode, done.err), (0, ""))
        self.assertIn("writer      parquet-cpp-arrow version", done.out)
        found = json.loads(run("info", "--json", golden("pyarrow_metadata")).out)["files"][0]
        self.assertEqual(found["bytes"], os.path.getsize(golden("pyarrow_metadata")))
        self.assertEqual(found["rows"], int(run("count", golden("pyarrow_metadata")).out))

    def test_many_files_get_a_line_each_and_a_total(self):
        done = run("info", SAMPLE)
        lines = done.out.splitlines()
        self.assertEqual(len(lines), 2 + 5 + 1)
        self.assertRegex(lines[-1], r"^total: 5 files .* 25000 ")
        total = json.loads(run("info", "--json", SAMPLE).out)["total"]
        self.assertEqual((total["files"], total["rows"]), (5, 25000))
        self.assertEqual(total["bytes"], sum(os.path.getsize(os.path.join(SAMPLE, name))
                                             for name in os.listdir(SAMPLE)
                                             if name.endswith(".parquet")))

    def test_more_files_than_descriptors(self):
        with open(golden("pyarrow_one_row"), "rb") as file:
            data = file.read()
        paths = [self.make("%d.parquet" % i, data) for i in range(60)]

        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))
        for command in COMMANDS[:-1]:
            done = run(command, *paths, preexec_fn=few)
            self.assertEqual((done.returncode, done.err), (0, ""), command)
        total = json.loads(run("info", "--json", *paths, preexec_fn=few).out)["total"]
        self.assertEqual(total["files"], 60)

    def test_the_footer_in_full(self):
        footer = json.loads(run("info", "--footer", JANUARY).out)
        self.assertEqual(footer["file"], JANUARY)
        self.assertEqual(footer["footer"]["num_rows"], 6000)
        self.assertEqual(sum(group["num_rows"] for group in footer["footer"]["row_groups"]), 6000)
        self.assertEqual(len(json.loads(run("info", "--footer", SAMPLE).out)), 5)

    def test_a_bad_file_among_good_ones(self):
        bad = self.make("bad.parquet", b"PAR1 nothing PAR1")
        done = run("info", JANUARY, bad)
        self.assertEqual(done.returncode, 1)
        self.assertIn(bad, done.err)
        self.assertIn("total: 1 files", done.out)

    def test_the_codecs(self):
        found = json.loads(run("codecs", "--json").out)
        names = {codec["name"] for codec in found if codec["state"] == "ready"}
        self.assertLessEqual({"zstd", "gzip", "snappy", "lz4_raw", "brotli"}, names)
        broken = self.make("weir-codec-broken.so", b"not an object")
        env = dict(os.environ, WEIR_PLUGIN_PATH=self.folder)
        done = run("codecs", env=env)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.out, r"weir-codec-broken\.so +refused +\S.* %s\n" % broken)


class Sample(Case):
    def test_its_files_differ_as_the_real_ones_do(self):
        files = json.loads(run("info", "--json", SAMPLE).out)["files"]
        names = [[column["path"] for column in file["columns"]] for file in files]
        types = {file["columns"][names[i].index("passenger_count")]["type"]
                 for i, file in enumerate(files)}
        nulls_at_the_end = nulls_among = 0
        for file in files:
            last = run("cat", "--tail", "100", "--no-header", "-f", "csv", "-c", "passenger_count",
                       file["file"]).out
            first = run("cat", "-n", "2000", "--no-header", "-f", "csv", "-c", "passenger_count",
                        file["file"]).out
            nulls_at_the_end += last == "\n" * 100
            nulls_among += 0 < first.split("\n").count("") - 1 < 1000
        self.assertGreaterEqual(len(files), 4)
        self.assertLess(sum(file["bytes"] for file in files), 2000000)
        self.assertEqual({column["codec"] for file in files for column in file["columns"]},
                         {"GZIP", "SNAPPY", "ZSTD", "UNCOMPRESSED"})
        self.assertEqual({file["writer"].split()[0] for file in files},
                         {"DuckDB", "parquet-cpp-arrow"})
        self.assertEqual(types, {"int64", "double"})
        self.assertEqual(sum("airport_fee" in some for some in names), 1)
        self.assertEqual(sum("cbd_congestion_fee" not in some for some in names), 1)
        self.assertEqual(sorted(map(len, names)), [19] + [20] * (len(files) - 1))
        self.assertGreater(nulls_at_the_end, 0)
        self.assertGreater(nulls_among, 0)


if __name__ == "__main__":
    unittest.main()
