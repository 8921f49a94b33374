"""HIPO: reads of banks in every layout of records, by weir and by its peers. Of those, oxihipo's package and the C++
library in hipopybind's are measured, with a heap that keeps its pages. Others aren't to be had as packages: what the
best of them took was measured once on one machine (GIVEN), and is scaled to this one by what oxihipo took there and
takes here, read by read."""
import glob
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import time

from measure import (BUILD, HERE, ROOT, Case, Peer, Weir, best, by_python, cell, measure, median, pinned, ratio, stale,
                     verdict)

sys.path.insert(0, os.path.join(ROOT, "datasets/make"))
import events  # noqa: E402

EVENTS = events.EVENTS
PEERS = ("oxihipo", "hipo4")
WORDS = {"events": "number of events", "evno": "evno", "pid": "pid", "pidpx": "pid, px", "all8": "all eight"}
BY_EVENT = " by event"

# The best peer of each read on the machine where they were compared, ms on one thread and on two; a loop over events
# and the layouts of one record have but one.
GIVEN = {
    "lz4": ((5.7, 7.7, 8.5, 10.0, 12.6), (4.2, 5.7, 6.2, 7.6, 9.4)),
    "lz4" + BY_EVENT: ((5.7, 9.8, 10.2, 10.7, 12.6),) * 2,
    "lz4_10x": ((57, 82, 85, 101, 128), (32, 50, 49, 62, 62)),
    "bank": ((2.7, 5.0, 7.7, 10.3, 17.3),) * 2,
    "col": ((2.2, 3.3, 2.2, 6.6, 18.4),) * 2,
    "gzip": ((32.5, 35.2, 35.1, 36.2, 43.1), (19.7, 22.0, 22.1, 22.5, 27.4)),
}
GIVEN_OXIHIPO = (6.1, 7.7, 9.0, 10.7, 16.7)  # lz4, one thread

# How many times faster than the best of them, one thread and two.
SPLIT = ((20, 20), (1.2, 1.8), (1.0, 1.8), (1.3, 2), (1.5, 2.5))
MUSTS = {
    "lz4": ((20, 20), (1.2, 1.5), (1.2, 1.5), (1.3, 1.6), (1.4, 1.8)),
    "lz4" + BY_EVENT: (None, (1.2, 1.5), (1.2, 1.5), (1.2, 1.5), (1.1, 1.5)),
    "lz4_10x": ((20, 20), (1.2, 1.5), (1.2, 1.5), (1.3, 1.6), (1.4, 1.5)),
    "bank": SPLIT,
    "col": SPLIT,
    "gzip": ((20, 20), (1.2, 1.5), (1.2, 1.5), (1.2, 1.5), (1.3, 1.5)),
}
# Of the layouts without one, two reads.
OTHERS = ("chain", "none", "lz4hc", "zstd", "zstdcol", "col_10x")
README = ("events lz4: pid, px", "events lz4 by event: all eight", "events col: pid, px", "events gzip: pid, px")


def cases():
    """Their names begin with `events`; a job is a read, and whether it goes event by event."""
    for layout, musts in [*MUSTS.items(), *((layout, (None,) * 5) for layout in OTHERS)]:
        kind = layout.removesuffix(BY_EVENT)
        files = events.CHAIN if kind == "chain" else [kind]
        for read, must in zip(events.READS, musts):
            if layout in OTHERS and read not in ("pidpx", "all8") or layout != kind and read == "events":
                continue
            yield Case(f"events {layout}: {WORDS[read]}", read + layout[len(kind):], files, must)


CASES = list(cases())


def layout_of(case):
    return case.name.split(" ", 1)[1].split(":")[0]


def read_of(case):
    return case.job.removesuffix(BY_EVENT)


def ways_of(case):
    read = read_of(case)
    if read == "events":
        return ["count"]
    return [read + "-rows"] if case.job.endswith(BY_EVENT) else [read + "-columns", read + "-fold"]


# ---- peers ----

def kept_heap():
    """glibc gives nothing back to the system, and has one heap for all threads."""
    return dict(os.environ, MALLOC_TRIM_THRESHOLD_=str(1 << 40), MALLOC_MMAP_THRESHOLD_=str(1 << 40),
                MALLOC_TOP_PAD_=str(256 << 20), MALLOC_ARENA_MAX="1")


def missing_oxihipo():
    return None if importlib.util.find_spec("oxihipo") else "no package oxihipo"


def build_hipo4():
    """The C++ library by what is inside hipopybind's wheel; why it can't be is told."""
    package = importlib.util.find_spec("hipopybind")
    if not package:
        return "no package hipopybind"
    folder, program = os.path.dirname(package.origin), os.path.join(BUILD, "hipo4")
    source, library = os.path.join(HERE, "peers/hipo.cpp"), os.path.join(folder, "libhipo4.so")
    if not shutil.which("g++") or not os.path.exists(library):
        return "no g++, or no library in the wheel"
    if stale(program, [source]):
        version = next(line.split()[1] for path in glob.glob(os.path.join(folder, "lib/pkgconfig/hipo4.pc"))
                       for line in open(path) if line.startswith("Version:"))
        subprocess.run(["g++", "-std=c++20", "-O3", "-march=native", "-w", f'-DHIPO_VERSION="{version}"',
                        f"-I{folder}/include", source, "-o", program, library, f"-Wl,-rpath,{folder}"], check=True)


def absent():
    missing = {"oxihipo": missing_oxihipo(), "hipo4": build_hipo4()}
    native = {name: "not on the machine; of the best, figures from elsewhere are scaled" for name in
              ("oxihipo as a Rust library", "j4np in Java")}
    return {name: why for name, why in {**missing, **native}.items() if why}


def hipo4_command(read, paths):
    return [os.path.join(BUILD, "hipo4"), read, *paths]


def program(options):
    return os.path.join(os.path.dirname(options.program), "weir_events")


def engines(case, threads, paths, peers, options):
    """hipo4 knows whole records, not packed or by lz4, and goes by events alone; oxihipo in Python by columns alone."""
    read, ways = read_of(case), ways_of(case)
    made = [Weir(program(options), mapped, ways, threads, paths) for mapped in (False, True)]
    if "oxihipo" in peers and not case.job.endswith(BY_EVENT):
        command = by_python("oxihipo", read, threads, paths)
        made += [Peer("oxihipo", command, threads, kept_heap()), Peer("oxihipo-usual-heap", command, threads)]
    if "hipo4" in peers and layout_of(case).startswith(("lz4", "none", "chain")):
        made.append(Peer("hipo4", hipo4_command(read, paths), threads, kept_heap()))
    return made


def paths_of(case, options):
    return [os.path.join(options.folder, name + ".hipo") for name in case.files]


def run(case, threads, options, missing):
    paths, read, layout = paths_of(case, options), read_of(case), layout_of(case)
    count = options.events * (10 if layout.endswith("10x") else len(paths))
    found = engines(case, threads, paths, [name for name in options.peers if name not in missing], options)
    # A sum of millions of doubles, one after the other, is right to some 1e-12.
    return measure(case, threads, found, options, [events.sums(count)[read], float(count)], 1e-11)


def make(cases, options):
    files = sorted({name for case in cases for name in case.files})
    script = os.path.join(ROOT, "datasets/make/events.py")
    if files:
        subprocess.run([sys.executable, script, options.folder, str(options.events), *files], check=True)


# ---- what is told ----

def factors(results):
    """{read: how many times as long as there oxihipo takes here}."""
    found = {read_of(r.case): r for r in results if layout_of(r.case) == "lz4" and r.threads == 1}
    return {read: median(found[read], "oxihipo columns") / given for read, given in zip(events.READS, GIVEN_OXIHIPO)
            if read in found and "oxihipo columns" in found[read].times}


def scaled(result, factor):
    """The given best peer's time on this machine; None: not given, or the machine's factor isn't known."""
    given, read = GIVEN.get(layout_of(result.case)), read_of(result.case)
    if not given or read not in factor or result.threads > 2:
        return None
    return given[result.threads - 1][events.READS.index(read)] * factor[read]


def ratio_to_best(result, kind, other):
    way, measured = best(result, kind), ratio(result, kind)
    found = [r for r in (measured, other and other / median(result, way)) if r]
    return min(found, default=None)


def table(results):
    factor = factors(results)
    lines = ["| read | threads | weir | weir, files mapped | oxihipo | usual heap | hipo4 | best peer, scaled | ratio "
             "| mapped | must be | |", "|---|" + "--:|" * 10 + "---|"]
    for r in results:
        other = scaled(r, factor)
        must = r.case.must[r.threads - 1] if r.case.must and r.threads <= 2 else None
        times = [ratio_to_best(r, kind, other) for kind in ("read", "mapped")]
        peers = [f"{median(r, way):.2f}" if way in r.times else "" for way in
                 ("oxihipo columns", "oxihipo-usual-heap columns", "hipo4 no copy")]
        lines.append(f"| {r.case.name.removeprefix('events ')} | {r.threads} | "
                     f"{' | '.join(cell(r, best(r, kind)) for kind in ('read', 'mapped'))} | {' | '.join(peers)} | "
                     f"{f'{other:.2f}' if other else ''} | {' | '.join(f'{t:.2f}' if t else '' for t in times)} | "
                     f"{must or ''} | {verdict(times, must)} |")
    return lines


LEGEND = """\
200,000 events, no randomness; ten times as many in lz4_10x and col_10x; chain: eight files of lz4. Records are of 8
MiB, of bank, col, zstdcol and col_10x of 32. Milliseconds with the files open, dictionary and index read, before the
clock starts, but for weir's number of events, which is opening. Weir's, oxihipo's and hipo4's times are measured here,
in turn; **the best peer's are scaled, not measured here**: what the fastest of oxihipo (Rust, Python), hipo4 (C++) and
j4np (Java) took on another machine of two cores, times what oxihipo's columns of lz4 take here on one thread by what
they took there, read by read. Heaps keep their pages (`MALLOC_TRIM_THRESHOLD_` and its like), but in the column that
says otherwise, which isn't compared. The ratio is that to the fastest of the peers, measured or scaled; in
loops over events and in records by bank or column no peer gained by a second thread."""


def fresh(command, given, runs):
    """From exec to the end of a process, the median."""
    def once():
        begin = time.perf_counter()
        subprocess.run(command, input=given, stdout=subprocess.DEVNULL, check=True, text=True,
                       preexec_fn=lambda: pinned(1))
        return 1e3 * (time.perf_counter() - begin)
    return statistics.median(once() for _ in range(runs))


def cold(options, missing):
    """Processes that start for one read: pid and px of lz4 by columns, one thread."""
    path = os.path.join(options.folder, "lz4.hipo")
    commands = {"weir": ([program(options), "-m", "-t", "1", "-b", "pidpx-columns", path], "")}
    if "oxihipo" in options.peers and "oxihipo" not in missing:
        commands["oxihipo, Python"] = (by_python("oxihipo", "pidpx", 1, [path]), "1\n")
        commands["of it Python with its packages"] = ([sys.executable, "-c", "import numpy, oxihipo"], "")
    if "hipo4" in options.peers and "hipo4" not in missing:
        commands["hipo4"] = (hipo4_command("pidpx", [path]), "1\n")
    lines = ["| a fresh process, from its start to the last row: lz4: pid, px, one thread | ms |", "|---|--:|"]
    return lines + [f"| {name} | {fresh(*command, options.rounds):.1f} |" for name, command in commands.items()]


def section(results, options, missing):
    """Of RESULTS.md."""
    return [LEGEND, "", *table(results), "", *cold(options, missing)]
