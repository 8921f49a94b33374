#include <stdio.h>
#include <weir/weir.h>

int main(int argc, char **argv)
{
    const weir_pick picks[] = { { .path = "trip_distance" }, { .path = "fare_amount" } };
    weir_query query = { .size = sizeof query, .picks = picks, .pick_count = 2 };
    weir_dataset *taxi = NULL;
    weir_columns *columns = NULL;
    weir_error err = { 0 };
    double sum[2] = { 0 };

    if (weir_open((const char **)argv + 1, (size_t)argc - 1, NULL, &taxi, &err) == WEIR_OK &&
        weir_columns_open(taxi, &query, &columns, &err) == WEIR_OK)
        for (const weir_batch *batch; (batch = weir_columns_next(columns)) != NULL;)
            for (int c = 0; c < 2; c++)
                for (int64_t i = 0; i < batch->rows; i++)
                    sum[c] += weir_f64s(&batch->columns[c])[i]; /* a null counts 0 */
    if (!columns || weir_columns_close(columns, &err) != WEIR_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    weir_dataset_close(taxi);
    return printf("%.2f miles, %.2f dollars\n", sum[0], sum[1]) < 0;
}
