#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh PREFIX [FOLDER]: builds runs.c against the weir installed in PREFIX, knowing nothing of its
# build, and reads runs.parquet with it. FOLDER gets the plugin; a temporary one by default.
set -eu
cd "$(dirname "$0")"
prefix=$(cd "$1" && pwd)
weir=$prefix/bin/weir
if [ $# -gt 1 ]; then
    mkdir -p "$2"
    folder=$(cd "$2" && pwd)
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi

fail() {
    echo "check.sh: $*" >&2
    exit 1
}

[ "$(wc -l <runs.c)" -lt 60 ] || fail "runs.c has 60 lines or more"
${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -I "$prefix/include" runs.c \
    -o "$folder/weir-codec-runs.so"
if command -v python3 >/dev/null; then
    python3 make_file.py "$folder/made.parquet"
    cmp "$folder/made.parquet" runs.parquet || fail "make_file.py makes another file"
fi

# Without the plugin: exit code 1, and the id and the variable are named.
unset WEIR_PLUGIN_PATH
status=0
"$weir" cat runs.parquet >"$folder/without.txt" 2>&1 || status=$?
cat "$folder/without.txt"
[ $status = 1 ] || fail "without the plugin the exit code was $status"
grep -q 'parquet 99.*WEIR_PLUGIN_PATH' "$folder/without.txt" || fail "the words don't help"

# With it: all values.
export WEIR_PLUGIN_PATH="$folder"
"$weir" codecs | grep '^runs .*parquet 99.*weir-codec-runs.so' || fail "runs isn't listed"
"$weir" cat --format csv runs.parquet >"$folder/read.csv"
awk 'BEGIN { print "step,letter"
             for (i = 0; i < 1000; i++) printf "%d,%c\n", int(i / 100), 97 + int(i / 77) % 26 }' \
    >"$folder/wanted.csv"
cmp "$folder/read.csv" "$folder/wanted.csv" || fail "other values came out"
echo "check.sh: 1000 rows read through weir-codec-runs.so"
