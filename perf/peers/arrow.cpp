// SPDX-License-Identifier: Apache-2.0
// arrow.cpp: Arrow C++ by the headers and libraries inside pyarrow's wheel: `arrow JOB THREADS
// FILE...`, to be talked to as job.py. Ways: `column`, the lowest level there is
// (TypedColumnReader::ReadBatch into buffers used again; threads of its own over (file, row group,
// column); no batches, nulls not put in their places); `batch`, record batches of 65,536 rows;
// `rows`, a loop over the rows of those batches.
#include "arrow.h"

#include <arrow/io/file.h>
#include <arrow/util/config.h>
#include <arrow/util/thread_pool.h>

#include <algorithm>
#include <ctime>

std::string job;
int threads;
std::vector<std::string> files;

namespace
{

const int kLanes = 32;
const char *const kNames[3] = { "passenger_count", "trip_distance", "fare_amount" };

struct Totals {
    double real[3] = { 0, 0, 0 };
    int64_t whole[3] = { 0, 0, 0 }, rows = 0;

    void operator+=(const Totals &other)
    {
        rows += other.rows;
        for (int c = 0; c < 3; c++)
            real[c] += other.real[c], whole[c] += other.whole[c];
    }

    operator Sums() const
    {
        Sums out;
        for (int c = 0; c < 3; c++)
            out.push_back(real[c] + static_cast<double>(whole[c]));
        out.push_back(static_cast<double>(rows));
        return out;
    }
};

double sum(const double *v, int64_t n)
{
    double lane[kLanes] = { 0 }, s = 0;
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (int k = 0; k < kLanes; k++)
            lane[k] += v[i + k];
    for (; i < n; i++)
        s += v[i];
    for (double l : lane)
        s += l;
    return s;
}

// What lies in the place of a null is undefined, so nulls are left out bit by bit, without a
// branch.
template <class V> V sum_present(const V *v, const uint8_t *bits, int64_t first, int64_t n)
{
    V lane[8] = { 0 }, s = 0;
    int64_t i = 0;
    if (first % 8 == 0)
        for (; i + 8 <= n; i += 8) {
            const unsigned byte = bits[(first + i) / 8];
            for (int k = 0; k < 8; k++)
                lane[k] += byte >> k & 1 ? v[i + k] : V(0);
        }
    for (; i < n; i++)
        s += bits[(first + i) / 8] >> ((first + i) % 8) & 1 ? v[i] : V(0);
    for (V l : lane)
        s += l;
    return s;
}

int place_of(const std::string &name)
{
    for (int i = 0; i < 3; i++)
        if (name == kNames[i])
            return i;
    return -1;
}

// ---- record batches ----

Sums by_batch()
{
    Totals s;
    each_batch([&](const arrow::RecordBatch &batch) {
        s.rows += batch.num_rows();
        for (int c = 0; c < 3; c++) {
            auto array = batch.GetColumnByName(kNames[c]);
            const bool has_nulls = array->null_count() > 0;
            if (array->type_id() == arrow::Type::INT64) {
                auto &a = static_cast<const arrow::Int64Array &>(*array);
                if (has_nulls)
                    s.whole[c] +=
                        sum_present(a.raw_values(), a.null_bitmap_data(), a.offset(), a.length());
                else
                    for (int64_t i = 0; i < a.length(); i++)
                        s.whole[c] += a.raw_values()[i];
            } else {
                auto &a = static_cast<const arrow::DoubleArray &>(*array);
                s.real[c] += has_nulls ? sum_present(a.raw_values(), a.null_bitmap_data(),
                                                     a.offset(), a.length())
                                       : sum(a.raw_values(), a.length());
            }
        }
    });
    return s;
}

Sums by_rows()
{
    Totals s;
    each_batch([&](const arrow::RecordBatch &batch) {
        auto &a = static_cast<const arrow::Int64Array &>(*batch.column(0));
        auto &b = static_cast<const arrow::DoubleArray &>(*batch.column(1));
        auto &c = static_cast<const arrow::DoubleArray &>(*batch.column(2));
        for (int64_t i = 0, n = batch.num_rows(); i < n; i++) {
            if (a.IsValid(i))
                s.whole[0] += a.Value(i);
            if (b.IsValid(i))
                s.real[1] += b.Value(i);
            if (c.IsValid(i))
                s.real[2] += c.Value(i);
        }
        s.rows += batch.num_rows();
    });
    return s;
}

// ---- columns ----

template <class Reader> void drain(Reader *reader, int at, Room &room, Totals &s)
{
    using V = Value<Reader>;
    V *values = reinterpret_cast<V *>(room.values.data());
    while (reader->HasNext()) {
        int64_t read = 0;
        const int64_t slots =
            reader->ReadBatch(kBatch, room.definition.data(), nullptr, values, &read);
        if (at == 0)
            s.rows += slots;
        if (at < 0)
            continue;
        if constexpr (std::is_same_v<V, double>)
            s.real[at] += sum(values, read);
        else if constexpr (std::is_same_v<V, int64_t>)
            for (int64_t i = 0; i < read; i++)
                s.whole[at] += values[i];
    }
}

Sums by_column()
{
    return each_chunk<Totals>([](parquet::ColumnReader *column, int, Room &room, Totals &s) {
        typed(column,
              [&](auto *reader) { drain(reader, place_of(column->descr()->name()), room, s); });
    });
}

double now(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

} // namespace

std::vector<int> wanted(const parquet::SchemaDescriptor *schema)
{
    static const char *const lists[] = { "version", "websites.list.element",
                                         "sources.list.element.property",
                                         "addresses.list.element.country" };
    std::vector<int> out;
    if (job == "aggregates" || job == "lengths")
        for (const char *path : lists)
            out.push_back(schema->ColumnIndex(path));
    else if (job == "sum" || job == "rows")
        for (const char *name : kNames)
            out.push_back(schema->ColumnIndex(std::string(name)));
    else
        for (int i = 0; i < schema->num_columns(); i++)
            out.push_back(i);
    return out;
}

std::unique_ptr<parquet::arrow::FileReader> open_file(const std::string &path)
{
    parquet::arrow::FileReaderBuilder builder;
    if (!builder.Open(take(arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ)))
             .ok())
        exit(1);
    parquet::ArrowReaderProperties properties(threads > 1);
    properties.set_batch_size(65536);
    properties.set_pre_buffer(false);
    builder.memory_pool(arrow::default_memory_pool())->properties(properties);
    return take(builder.Build());
}

void each_batch(const std::function<void(const arrow::RecordBatch &)> &visit)
{
    for (const std::string &path : files) {
        auto file = open_file(path);
        std::vector<int> groups(file->num_row_groups());
        for (size_t i = 0; i < groups.size(); i++)
            groups[i] = static_cast<int>(i);
        auto reader = take(file->GetRecordBatchReader(
            groups, wanted(file->parquet_reader()->metadata()->schema())));
        for (std::shared_ptr<arrow::RecordBatch> batch; reader->ReadNext(&batch).ok() && batch;)
            visit(*batch);
    }
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    job = argv[1];
    threads = atoi(argv[2]);
    files.assign(argv + 3, argv + argc);
    if (!arrow::SetCpuThreadPoolCapacity(threads).ok())
        return 1;
    Ways ways = nested_ways();
    if (job == "rows")
        ways = { { "rows", by_rows } };
    else if (job == "sum" || job == "all")
        ways = { { "column", by_column }, { "batch", by_batch } };
    printf("ready %s\n", ARROW_VERSION_STRING);
    fflush(stdout);
    for (int runs; scanf("%d", &runs) == 1;) {
        for (auto &way : ways) {
            double wall = 1e30, cpu = 1e30;
            Sums s;
            for (int i = 0; i < runs; i++) {
                const double begin = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
                s = way.second();
                wall = std::min(wall, now(CLOCK_MONOTONIC) - begin);
                cpu = std::min(cpu, now(CLOCK_PROCESS_CPUTIME_ID) - used);
            }
            printf("%s\t%.4f\t%.4f", way.first, wall, cpu);
            for (double one : s)
                printf("\t%.17g", one);
            printf("\n");
        }
        printf("done\n");
        fflush(stdout);
    }
    return 0;
}
