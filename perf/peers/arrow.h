// SPDX-License-Identifier: Apache-2.0
// arrow.h: what Arrow C++'s jobs on flat and on nested files share: files as record batches, and
// as column chunks by the lowest level there is.
#ifndef WEIR_PERF_ARROW_H
#define WEIR_PERF_ARROW_H

#include <arrow/api.h>
#include <parquet/arrow/reader.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

const int kBatch = 16384;
extern std::string job;
extern int threads;
extern std::vector<std::string> files;

using Sums = std::vector<double>; // the rows come last
using Ways = std::vector<std::pair<const char *, Sums (*)()>>;
Ways nested_ways(); // of `job`; none if it is no such job

template <class R> auto take(R &&result)
{
    if (!result.ok()) {
        fprintf(stderr, "%s\n", result.status().ToString().c_str());
        exit(1);
    }
    return std::move(result).ValueOrDie();
}

// Numbers of the leaves that the job wants.
std::vector<int> wanted(const parquet::SchemaDescriptor *schema);

std::unique_ptr<parquet::arrow::FileReader> open_file(const std::string &path);
void each_batch(const std::function<void(const arrow::RecordBatch &)> &visit);

// Buffers of one thread.
struct Room {
    std::vector<int16_t> definition = std::vector<int16_t>(kBatch),
                         repetition = std::vector<int16_t>(kBatch);
    std::vector<char> values = std::vector<char>(kBatch * 16);
};

// `read(reader, number of the leaf among those wanted, room, part)` for every chunk, on threads of
// its own; the parts are added up.
template <class Part, class Read> Part each_chunk(Read read)
{
    struct Task {
        int file, group, column, at;
    };
    std::vector<std::unique_ptr<parquet::ParquetFileReader>> readers;
    std::vector<Task> tasks;
    for (const std::string &path : files) {
        readers.push_back(parquet::ParquetFileReader::OpenFile(path, true));
        auto meta = readers.back()->metadata();
        const std::vector<int> leaves = wanted(meta->schema());
        for (int g = 0; g < meta->num_row_groups(); g++)
            for (size_t c = 0; c < leaves.size(); c++)
                tasks.push_back(
                    { static_cast<int>(readers.size()) - 1, g, leaves[c], static_cast<int>(c) });
    }
    Part all;
    std::mutex mutex;
    std::atomic<size_t> next{ 0 };
    auto work = [&] {
        Room room;
        Part mine;
        for (size_t i; (i = next++) < tasks.size();) {
            auto column = readers[tasks[i].file]->RowGroup(tasks[i].group)->Column(tasks[i].column);
            read(column.get(), tasks[i].at, room, mine);
        }
        std::lock_guard<std::mutex> guard(mutex);
        all += mine;
    };
    std::vector<std::thread> crew;
    for (int i = 1; i < threads; i++)
        crew.emplace_back(work);
    work();
    for (auto &thread : crew)
        thread.join();
    return all;
}

// `use(reader)` with the reader's own type.
template <class Use> void typed(parquet::ColumnReader *column, Use use)
{
    switch (column->type()) {
    case parquet::Type::INT32:
        return use(static_cast<parquet::Int32Reader *>(column));
    case parquet::Type::INT64:
        return use(static_cast<parquet::Int64Reader *>(column));
    case parquet::Type::FLOAT:
        return use(static_cast<parquet::FloatReader *>(column));
    case parquet::Type::DOUBLE:
        return use(static_cast<parquet::DoubleReader *>(column));
    case parquet::Type::BYTE_ARRAY:
        return use(static_cast<parquet::ByteArrayReader *>(column));
    default:
        fprintf(stderr, "a column of a type that the files don't have\n");
        exit(1);
    }
}

template <class Reader> using Value = typename std::remove_pointer_t<Reader>::T;

#endif
