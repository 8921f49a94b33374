"""Arrow C++'s own leaf streams as `weir digest` prints them: builds arrow_leaves.cpp against the
libraries in the pyarrow wheel, once a build folder, and runs it."""
import glob
import os
import subprocess

import pyarrow

HERE = os.path.dirname(os.path.abspath(__file__))


def program(folder):
    """The path of the built program in `folder`."""
    out = os.path.join(folder, "arrow_leaves-" + pyarrow.__version__)
    source = os.path.join(HERE, "arrow_leaves.cpp")
    if os.path.exists(out) and os.path.getmtime(out) >= os.path.getmtime(source):
        return out
    libraries = pyarrow.get_library_dirs()[0]

    def library(name):
        return "-l:" + os.path.basename(glob.glob(os.path.join(libraries, name + ".so.[0-9]*"))[0])

    subprocess.run(["g++", "-std=c++20", "-O1", "-isystem", pyarrow.get_include(), source, "-o", out + ".new",
                    "-L" + libraries, library("libparquet"), library("libarrow"),
                    "-Wl,-rpath," + libraries, "-lz"], check=True)
    os.replace(out + ".new", out)
    return out


def digests(folder, paths):
    """({file name: [digest line]}, text of what Arrow refused)"""
    lines, refused = {}, ""
    for begin in range(0, len(paths), 200):
        done = subprocess.run([program(folder)] + paths[begin:begin + 200], capture_output=True)
        refused += done.stderr.decode("utf-8", "replace")
        for line in done.stdout.split(b"\n")[:-1]:
            name, _, rest = line.partition(b"\t")
            lines.setdefault(name.decode(), []).append(rest)
    return lines, refused
