// The installed headers in C++17: every one compiles, structs that begin with `size` are set up, inline
// functions are called.
#include <cstdio>
#include <weir/base.h>
#include <weir/codec.h>
#include <weir/data.h>
#include <weir/inform.h>
#include <weir/input.h>
#include <weir/value.h>
#include <weir/weir.h>

int main(int argc, char **argv)
{
    weir_options options = WEIR_OPTIONS_INIT;
    weir_query query = WEIR_QUERY_INIT;
    weir_stats stats = WEIR_STATS_INIT;
    weir_dataset *dataset = nullptr;
    weir_rows *rows = nullptr;
    weir_error error = {};
    double sum = 0;

    options.flags = WEIR_UNIFY | WEIR_ANY_CASE;
    query.threads = 1;
    if (weir_open(argv + 1, static_cast<size_t>(argc - 1), &options, &dataset, &error) != WEIR_OK
        || weir_rows_open(dataset, &query, &rows, &error) != WEIR_OK) {
        std::fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const int fare = weir_rows_column(rows, "fare_amount");
    while (weir_rows_next(rows))
        sum += weir_rows_is_null(rows, fare) ? 0 : weir_rows_f64(rows, fare);
    weir_rows_stats(rows, &stats);
    if (weir_rows_close(rows, &error) != WEIR_OK) {
        std::fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    weir_dataset_close(dataset);
    std::printf("%.2f dollars in %lld rows, weir %s\n", sum, static_cast<long long>(stats.rows), weir_version());
    return 0;
}
