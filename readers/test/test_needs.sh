#!/bin/sh
# test_needs.sh LIBRARY BUILD_TYPE: the library needs libc alone, and stays small once stripped.
set -eu
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc\.so|ld-linux)' || :)
if [ -n "$needed" ]; then
    echo "needs more than libc:" $needed
    exit 1
fi
[ "$2" = Release ] || exit 0
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$1"
size=$(wc -c <"$stripped")
echo "needs libc alone; $size bytes stripped"
[ "$size" -lt 600000 ]
