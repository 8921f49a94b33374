#!/bin/sh
# test_golden_bad.sh WEIR FOLDER: each file fails, says why, and the rows before the first bad one come
# out, on one thread and on several; a wrong sum is no trouble to whoever doesn't look at sums.
set -u
weir=$1 folder=$2
out=$(mktemp)
err=$(mktemp)
trap 'rm -f "$out" "$err"' EXIT
status=0 files=0

fail() {
    status=1
    echo "$name: $*"
    head -n 3 "$err"
}

tab=$(printf '\t')
while IFS=$tab read -r name rows word; do
    for threads in 1 3; do
        "$weir" cat --threads $threads --format jsonl "$folder/$name" >"$out" 2>"$err" </dev/null
        code=$?
        [ $code = 1 ] || fail "exit code $code"
        [ "$(wc -l <"$out")" = "$rows" ] || fail "$(wc -l <"$out") rows came out, not $rows"
        grep -qF "$name" "$err" || fail "the file isn't named"
        grep -qF "$word" "$err" || fail "no word of $word"
    done
    case $name in
    sum*) "$weir" cat --no-crc "$folder/$name" >"$out" 2>"$err" </dev/null || fail "fails without sums" ;;
    esac
    files=$((files + 1))
done <"$folder/ERRORS.tsv"
echo "$files files"
[ $files -gt 15 ] || status=1
exit $status
