"""What is the same for every kind of file: programs that stay loaded, rounds in which each runs in turn, and medians
over them."""
import collections
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.path.join(ROOT, "build/bench")
# Ways that are told, and that weir isn't compared with.
ASIDE = ("floor", "oxihipo-usual-heap")

Case = collections.namedtuple("Case", "name job files must")
Result = collections.namedtuple("Result", "case threads times wrong versions foreign")


def busy():
    """CPU seconds that the whole machine has used."""
    ticks = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def pinned(threads):
    if threads == 1:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def by_python(engine, job, threads, paths):
    """The command of a peer that is a package of Python."""
    return [sys.executable, os.path.join(HERE, "peers/job.py"), engine, job, str(threads), *paths]


def stale(program, sources):
    return not os.path.exists(program) or os.path.getmtime(program) < max(map(os.path.getmtime, sources))


class Peer:
    """A reader that stays loaded between rounds."""

    def __init__(self, engine, command, threads, environment=None):
        self.engine = engine
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.DEVNULL, env=environment, preexec_fn=lambda: pinned(threads))
        self.version = self.process.stdout.readline().removeprefix("ready").strip()

    def round(self, runs):
        self.process.stdin.write(f"{runs}\n")
        self.process.stdin.flush()
        for line in iter(self.process.stdout.readline, "done\n"):
            if not line:
                raise EOFError(self.engine)
            way, *numbers = line.split("\t")
            yield f"{self.engine} {way}", *map(float, numbers)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Weir(Peer):
    """The same; `mapped` tells how it opens files."""

    def __init__(self, program, mapped, ways, threads, paths):
        self.mapped = mapped
        command = [program, "-i", "-t", str(threads), "-b", ",".join(ways), *["-p"] * mapped, *paths]
        super().__init__("weir", command, threads)

    def round(self, runs):
        for way, *numbers in super().round(runs):
            yield way + ", mapped" * self.mapped, *numbers[:-4]


def equal(a, b, close):
    """Whole numbers exactly, others but for the share `close`. NaN: what a way doesn't count."""
    def agree(x, y):
        return x == y or x != x or not (x.is_integer() and y.is_integer()) and abs(x - y) <= close * abs(y)
    return len(a) == len(b) and all(map(agree, a, b))


def one_round(engines, runs):
    """{way: (wall, CPU)}, {way: sums}, and the share of CPU time that was others'."""
    times, sums, begin, clock = {}, {}, busy(), os.times().elapsed
    for engine in engines:
        for way, wall, cpu, *got in engine.round(runs):
            times[way], sums[way] = (wall, cpu), got
    spent = max((os.times().elapsed - clock) * os.cpu_count(), 1e-3)
    own = sum(cpu for _, cpu in times.values()) * runs / 1e3
    return times, sums, max(0.0, (busy() - begin - own) / spent)


def measure(case, threads, engines, options, expected=None, close=1e-9):
    """Without `expected` sums, those of the first way must come of all."""
    begin = time.monotonic()
    one_round(engines, 1)  # what is loaded once isn't the job
    took = time.monotonic() - begin
    best_of = max(1, min(options.best_of, int(8 / took)))
    wanted = max(1, min(options.rounds, int(60 / (took * best_of))))
    rounds, sums, tries = [], {}, 0
    while len(rounds) < wanted:
        tries += 1
        times, got, foreign = one_round(engines if tries % 2 else engines[::-1], best_of)
        sums.update(got)
        if foreign <= options.foreign or tries > 2 * wanted:
            rounds.append((times, foreign))
    for engine in engines:
        engine.close()
    reference = expected or next(iter(sums.values()))
    wrong = [way for way in sums if not way.startswith("floor") and not equal(sums[way], reference, close)]
    times = {way: [times[way] for times, _ in rounds] for way in sums}
    versions = {engine.engine: engine.version for engine in engines if engine.engine not in ("weir", *ASIDE)}
    return Result(case, threads, times, wrong, versions, statistics.median(f for _, f in rounds))


def median(result, way):
    return statistics.median(wall for wall, _ in result.times[way])


def group(result, kind):
    """Ways of weir that read, or that map, or those of peers."""
    ways = [way for way in result.times if not way.startswith(ASIDE)]
    if kind == "peers":
        return [way for way in ways if not way.startswith("weir")]
    return [way for way in ways if way.startswith("weir") and way.endswith("mapped") == (kind == "mapped")]


def best(result, kind):
    return min(group(result, kind), key=lambda way: median(result, way), default=None)


def ratio(result, kind):
    """How many times faster than the best peer of each round."""
    way, peers = best(result, kind), group(result, "peers")
    if not way or not peers:
        return None
    return statistics.median(min(result.times[p][i][0] for p in peers) / result.times[way][i][0]
                             for i in range(len(result.times[way])))


def verdict(times, must):
    """Of two ratios, files read and files mapped."""
    if not must or not times[0]:
        return ""
    if times[0] >= must:
        return "met"
    return "met when mapped" if times[1] >= must else f"missed by {100 * (1 - max(times) / must):.0f} %"


def cell(result, way):
    return f"{median(result, way):.2f} ({way.split(' ', 1)[1].removesuffix(', mapped')})" if way else "-"


def show(result):
    for way in result.times:
        wall, cpu = (statistics.median(t[i] for t in result.times[way]) for i in (0, 1))
        print(f"{result.case.name}\t{result.threads}\t{way}\t{wall:.2f}\t{cpu:.2f}\t"
              f"{'VOID: sums differ' if way in result.wrong else ''}", flush=True)
