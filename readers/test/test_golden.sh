#!/bin/sh
# test_golden.sh WEIR GOLDEN SUFFIX LEAST: the digest of every golden file of that suffix, LEAST or more
# of them, is what other readers, or the values that it was made from, say; also with each optimisation
# switched off.
set -u
weir=$1 golden=$2 suffix=$3 least=$4
got=$(mktemp)
wanted=$(mktemp)
trap 'rm -f "$got" "$wanted"' EXIT
tab=$(printf '\t')
files=0 leaves=0 status=0

# check WORD...: the environment and options of the run.
check() {
    env "$@" digest "$file" >"$got" 2>/dev/null </dev/null
    cmp -s "$got" "$wanted" && return
    status=1
    echo "$name differs by $* (<: expected, >: weir)"
    diff "$wanted" "$got"
    env "$@" digest "$file" 2>&1 >/dev/null </dev/null | head -n 5
}

for file in "$golden"/*."$suffix"; do
    name=${file##*/}
    sed -n "s/^$name$tab//p" "$golden/DIGESTS.tsv" >"$wanted"
    check "$weir"
    for level in scalar avx2 avx512; do
        check WEIR_SIMD=$level "$weir"
    done
    for option in "--threads 1" "--threads 3" --no-page-index --no-crc --map; do
        set -- $option
        "$weir" digest "$@" "$file" >"$got" 2>/dev/null </dev/null
        cmp -s "$got" "$wanted" || {
            status=1
            echo "$name differs by $option"
        }
    done
    files=$((files + 1))
    leaves=$((leaves + $(wc -l <"$wanted") - 1))
done
echo "$files files, $leaves leaves, each in nine ways"
[ "$files" -ge "$least" ] || status=1
exit $status
