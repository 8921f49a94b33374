#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Arrow C stream of HIPO files, lists of a fixed size among them, as pyarrow takes it, held
against what the command prints of the same files. Usage: test_arrow_hipo.py FOLDER. Exits with 77
without pyarrow."""
import glob
import json
import os
import subprocess
import sys

from test_arrow import Dataset, check, pa


def shown(value):
    """As the command writes JSON: NaN and infinities are no numbers there; none of them comes."""
    if isinstance(value, dict):
        return {name: shown(inside) for name, inside in value.items()}
    if isinstance(value, list):
        return [shown(inside) for inside in value]
    return value


def same(ours, theirs):
    """Floats of 32 bits are printed in fewer digits than they widen to."""
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[name], theirs[name]) for name in ours)
    if isinstance(ours, list):
        return isinstance(theirs, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        return ours == theirs or abs(ours - theirs) <= 1e-7 * abs(ours)
    return ours == theirs


def main():
    weir = os.path.join(os.environ["WEIR_BUILD"], "weir")
    lists = 0
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.hipo"))):
        done = subprocess.run([weir, "cat", "--format", "jsonl", path], capture_output=True, check=True)
        wanted = [json.loads(line) for line in done.stdout.splitlines()]
        for batch_rows in (0, 1, 7):
            table = Dataset(path).table(batch_rows=batch_rows, threads=1 + batch_rows % 2)
            check(same(shown(table.to_pylist()), wanted), "%s by %d" % (path, batch_rows))
        for field in table.schema:
            if pa.types.is_list(field.type):
                lists += sum(pa.types.is_fixed_size_list(part.type) for part in field.type.value_type)
    check(lists > 100, "hardly any list of a fixed size")
    print("%d checks, %d failures" % (check.count, check.failures))
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
