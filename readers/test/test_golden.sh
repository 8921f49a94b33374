#!/bin/sh
# test_golden.sh WEIR GOLDEN: the digest of every golden file is what other readers, or the values
# that it was made from, say.
set -u
weir=$1 golden=$2
got=$(mktemp)
wanted=$(mktemp)
trap 'rm -f "$got" "$wanted"' EXIT
tab=$(printf '\t')
files=0 leaves=0 status=0
for file in "$golden"/*.parquet; do
    name=${file##*/}
    sed -n "s/^$name$tab//p" "$golden/DIGESTS.tsv" >"$wanted"
    "$weir" digest "$file" >"$got" 2>/dev/null </dev/null
    if ! cmp -s "$got" "$wanted"; then
        status=1
        echo "$name differs (<: expected, >: weir)"
        diff "$wanted" "$got"
        "$weir" digest "$file" 2>&1 >/dev/null </dev/null | head -n 5
    fi
    files=$((files + 1))
    leaves=$((leaves + $(wc -l <"$wanted") - 1))
done
echo "$files files, $leaves leaves"
[ "$files" -gt 100 ] || status=1
exit $status
