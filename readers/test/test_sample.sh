#!/bin/sh
# test_sample.sh TAXI SAMPLE: the main job's sums over the sample, by columns, rows and fold, on one
# thread and two, file by file and as one table, are those of two other readers.
set -u
taxi=$1 sample=$2
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
for way in columns rows fold; do
    for threads in 1 2; do
        for double in "" -d; do
            for file in "$sample"/*.parquet "$sample/*.parquet"; do
                name=${file##*/}
                # The last is a pattern for weir: all files as one table.
                [ "$name" != '*.parquet' ] || name='*'
                "$taxi" -t $threads -b $way $double "$file" >>"$lines" </dev/null || exit 1
                echo "file $name" >>"$lines"
            done
        done
    done
done
awk -F '\t' '
    function far(a, b) { return a - b > 1e-9 * (b < 0 ? -b : b) || b - a > 1e-9 * (b < 0 ? -b : b) }
    FILENAME ~ /SUMS.tsv$/ {
        rows[$1] = $3; first[$1, $2] = $5; second[$1, $2] = $6
        next
    }
    /^file / {
        name = substr($0, 6)
        n = split(line, w, " +")
        for (i = 2; i + 1 <= 7; i += 2) {
            checked++
            if (!((name, w[i]) in first) || far(w[i + 1], first[name, w[i]]) || far(w[i + 1], second[name, w[i]])) {
                print name, w[i], "sum", w[i + 1], "not", first[name, w[i]]; bad = 1
            }
        }
        if (w[8] != rows[name]) { print name, "rows", w[8], "not", rows[name]; bad = 1 }
        next
    }
    { line = $0 }
    END { print checked, "sums"; exit bad || checked < 100 }' "$sample/SUMS.tsv" "$lines"
