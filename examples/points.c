// SPDX-License-Identifier: Apache-2.0
// points.c: a nested column by rows: sums `x` over a list of structs {x, y}.
#include <stdio.h>
#include <weir/weir.h>

int main(int argc, char **argv)
{
    const weir_pick pick = { .path = "points.x" }; // and nothing else is read
    weir_query query = { .size = sizeof query, .picks = &pick, .pick_count = 1 };
    weir_dataset *data = NULL;
    weir_rows *rows = NULL;
    weir_error err = { 0 };
    int64_t count = 0, sum = 0;

    if (weir_open((const char **)argv + 1, (size_t)argc - 1, NULL, &data, &err) != WEIR_OK ||
        weir_rows_open(data, &query, &rows, &err) != WEIR_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    while (weir_rows_next(rows)) {
        const weir_list points = weir_item_list(weir_rows_item(rows, 0));

        for (int64_t i = 0; i < points.count; i++) { // none where the list is null
            const weir_item x = weir_item_field(weir_list_at(points, i), 0);

            if (!weir_item_is_null(x)) {
                sum += weir_item_i32(x);
                count++;
            }
        }
    }
    if (weir_rows_close(rows, &err) != WEIR_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    weir_dataset_close(data);
    return printf("%lld points, %lld\n", (long long)count, (long long)sum) < 0;
}
