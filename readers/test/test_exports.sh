#!/bin/sh
# test_exports.sh LIBRARY MAP FUNCTION...: the library exports these functions and nothing else, and
# the map lists them.
set -eu
library=$1 map=$2
shift 2
expected=$(printf '%s\n' "$@" | sort)
exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
listed=$(sed -n 's/^ *\(weir_[a-z0-9_]*\);$/\1/p' "$map" | sort)
status=0
for pair in exported listed; do
    eval "have=\$$pair"
    if [ "$have" != "$expected" ]; then
        echo "$pair differs from what the headers declare (<: declared alone, >: $pair alone):"
        printf '%s\n' "$expected" >"${TMPDIR:-/tmp}/expected.$$"
        printf '%s\n' "$have" | diff "${TMPDIR:-/tmp}/expected.$$" - || :
        rm -f "${TMPDIR:-/tmp}/expected.$$"
        status=1
    fi
done
echo "$# functions declared"
exit $status
