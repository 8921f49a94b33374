/* SPDX-License-Identifier: Apache-2.0
 * events.c: the job on HIPO: four reads of banks, each by columns, event by event and by a fold,
 * and the count of events. Public headers only. `./dev bench` runs it. */
#include "bench.h"

enum {
    LANES = 32
};

/* What is wanted of one bank, which is the only column that comes out. */
typedef struct bank_read {
    const weir_pick *picks;
    size_t pick_count;
    void (*by_event)(weir_rows *rows, bench_result *out);
} bank_read;

/* Whole numbers and real ones apart, so that the first stay exact. */
typedef struct totals {
    int64_t whole, rows;
    double real;
} totals;

/* ---- by columns ---- */

/* One accumulator would wait four cycles for each addition. */
static double sum_floats(const float *values, int64_t count)
{
    double lane[LANES] = { 0 }, sum = 0;
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += (double)values[i + k];
    for (; i < count; i++)
        sum += (double)values[i];
    for (int k = 0; k < LANES; k++)
        sum += lane[k];
    return sum;
}

#define SUM_WHOLE(name, type)                              \
    static int64_t name(const type *values, int64_t count) \
    {                                                      \
        int64_t sum = 0;                                   \
                                                           \
        for (int64_t i = 0; i < count; i++)                \
            sum += values[i];                              \
        return sum;                                        \
    }

SUM_WHOLE(sum_i8, int8_t)
SUM_WHOLE(sum_i16, int16_t)
SUM_WHOLE(sum_i32, int32_t)
SUM_WHOLE(sum_i64, int64_t)

static void add_column(totals *into, const weir_vector *v)
{
    switch (v->type) {
    case WEIR_I8:
        into->whole += sum_i8((const int8_t *)v->values + v->first, v->rows);
        break;
    case WEIR_I16:
        into->whole += sum_i16((const int16_t *)v->values + v->first, v->rows);
        break;
    case WEIR_I32:
        into->whole += sum_i32(weir_i32s(v), v->rows);
        break;
    case WEIR_I64:
        into->whole += sum_i64(weir_i64s(v), v->rows);
        break;
    default:
        into->real += sum_floats(weir_f32s(v), v->rows);
    }
}

/* The rows of a bank lie one behind the other, whichever events they are of. */
static bool add_batch(void *state, const weir_batch *batch, void *user)
{
    const weir_vector *rows = batch->columns[0].children;
    totals *into = state;

    (void)user;
    for (size_t c = 0; c < rows->child_count; c++)
        add_column(into, &rows->children[c]);
    into->rows += batch->rows;
    return true;
}

static void fold_merge(void *into, void *from, void *user)
{
    totals *a = into;
    const totals *b = from;

    (void)user;
    a->whole += b->whole;
    a->real += b->real;
    a->rows += b->rows;
}

static void give(const totals *all, bench_result *out)
{
    out->sums[0] = (double)all->whole + all->real;
    out->rows = all->rows;
}

static void ask(const bench_request *what, weir_query *query)
{
    const bank_read *read = what->way->detail;

    query->picks = read->picks;
    query->pick_count = read->pick_count;
}

static weir_status by_columns(const weir_dataset *events, const bench_request *what,
                              weir_query *query, bench_result *out, weir_error *err)
{
    totals all = { 0 };

    ask(what, query);
    WEIR_TRY(bench_columns(events, query, add_batch, &all, NULL, &out->stats, err));
    give(&all, out);
    return WEIR_OK;
}

static weir_status by_fold(const weir_dataset *events, const bench_request *what, weir_query *query,
                           bench_result *out, weir_error *err)
{
    static const weir_folder folder = {
        .size = sizeof folder, .state_size = sizeof(totals), .batch = add_batch, .merge = fold_merge
    };
    totals all;

    ask(what, query);
    WEIR_TRY(weir_fold(events, query, &folder, NULL, &all, NULL, err));
    give(&all, out);
    return WEIR_OK;
}

/* ---- event by event: a bank is a list, its columns are C arrays of the event's rows ---- */

static weir_status by_rows(const weir_dataset *events, const bench_request *what, weir_query *query,
                           bench_result *out, weir_error *err)
{
    const bank_read *read = what->way->detail;
    weir_rows *rows;

    ask(what, query);
    WEIR_TRY(weir_rows_open(events, query, &rows, err));
    read->by_event(rows, out);
    return weir_rows_close(rows, err);
}

static void event_numbers(weir_rows *rows, bench_result *out)
{
    totals all = { 0 };

    for (; weir_rows_next(rows); all.rows++) {
        const weir_list bank = weir_item_list(weir_rows_item(rows, 0));
        const int64_t *evno = weir_list_i64s(weir_list_field(bank, 0));

        for (int64_t i = 0; i < bank.count; i++)
            all.whole += evno[i];
    }
    give(&all, out);
}

static void particle_kinds(weir_rows *rows, bench_result *out)
{
    totals all = { 0 };

    for (; weir_rows_next(rows); all.rows++) {
        const weir_list bank = weir_item_list(weir_rows_item(rows, 0));
        const int32_t *pid = weir_list_i32s(weir_list_field(bank, 0));

        for (int64_t i = 0; i < bank.count; i++)
            all.whole += pid[i];
    }
    give(&all, out);
}

static void kinds_and_momenta(weir_rows *rows, bench_result *out)
{
    totals all = { 0 };

    for (; weir_rows_next(rows); all.rows++) {
        const weir_list bank = weir_item_list(weir_rows_item(rows, 0));
        const int32_t *pid = weir_list_i32s(weir_list_field(bank, 0));
        const float *px = weir_list_f32s(weir_list_field(bank, 1));

        for (int64_t i = 0; i < bank.count; i++) {
            all.whole += pid[i];
            all.real += (double)px[i];
        }
    }
    give(&all, out);
}

/* value.h has no getters of integers below 32 bits. */
static const void *values_of(weir_list column, size_t width)
{
    const weir_vector *v = column.first.vector;

    return (const char *)v->values + (size_t)(v->first + column.first.row) * width;
}

static void whole_particles(weir_rows *rows, bench_result *out)
{
    double px = 0, py = 0, pz = 0, vz = 0, chi2 = 0;
    int64_t whole = 0, count = 0;

    for (; weir_rows_next(rows); count++) {
        const weir_list bank = weir_item_list(weir_rows_item(rows, 0));
        const int32_t *pid = weir_list_i32s(weir_list_field(bank, 0));
        const float *pxs = weir_list_f32s(weir_list_field(bank, 1));
        const float *pys = weir_list_f32s(weir_list_field(bank, 2));
        const float *pzs = weir_list_f32s(weir_list_field(bank, 3));
        const float *vzs = weir_list_f32s(weir_list_field(bank, 4));
        const int8_t *charge = values_of(weir_list_field(bank, 5), 1);
        const int16_t *state = values_of(weir_list_field(bank, 6), 2);
        const float *chi2s = weir_list_f32s(weir_list_field(bank, 7));

        for (int64_t i = 0; i < bank.count; i++) {
            whole += pid[i] + charge[i] + state[i];
            px += (double)pxs[i];
            py += (double)pys[i];
            pz += (double)pzs[i];
            vz += (double)vzs[i];
            chi2 += (double)chi2s[i];
        }
    }
    give(&(totals){ whole, count, px + py + pz + vz + chi2 }, out);
}

/* ---- */

/* By the trailer's index, or the headers of records: nothing is unpacked. */
static weir_status by_count(const weir_dataset *events, const bench_request *what,
                            weir_query *query, bench_result *out, weir_error *err)
{
    (void)what;
    (void)query;
    return weir_dataset_rows(events, &out->rows, err);
}

static const weir_pick evno_picks[] = { { .path = "REC::Event.evno" } };
static const weir_pick pid_picks[] = { { .path = "REC::Particle.pid" },
                                       { .path = "REC::Particle.px" } };
static const weir_pick all_picks[] = { { .path = "REC::Particle" } };

static const bank_read evno = { evno_picks, 1, event_numbers };
static const bank_read pid = { pid_picks, 1, particle_kinds };
static const bank_read pid_px = { pid_picks, 2, kinds_and_momenta };
static const bank_read all8 = { all_picks, 1, whole_particles };

static const char *const sums[] = { "sum", NULL };

#define WAYS(read, name)                                                                          \
    { name "-columns", by_columns, true, .sums = sums, .detail = &(read), .opens_before = true }, \
        { name "-rows", by_rows, true, .sums = sums, .detail = &(read), .opens_before = true },   \
    {                                                                                             \
        name "-fold", by_fold, true, .sums = sums, .detail = &(read), .opens_before = true        \
    }

static const bench_way ways[] = {
    { "count", by_count, true, .sums = sums },
    WAYS(evno, "evno"),
    WAYS(pid, "pid"),
    WAYS(pid_px, "pidpx"),
    WAYS(all8, "all8"),
};

static const bench_program program = {
    "weir_events",
    "count: how many events; evno, pid, pidpx (pid and px), all8 (REC::Particle whole), each\n"
    "       with -columns, -rows or -fold: opened before the clock starts",
    ways, sizeof ways / sizeof *ways
};

int main(int argc, char **argv)
{
    return bench_main(&program, argc, argv);
}
