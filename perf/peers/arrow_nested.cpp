// SPDX-License-Identifier: Apache-2.0
// arrow_nested.cpp: Arrow C++'s jobs on nested files. `aggregates`: versions and lengths of lists,
// of one leaf a list, by record batches and by the column reader, which counts levels. `lengths`:
// the same in a loop over the rows of batches. `leaves`: all leaves, as a table and as batches.
// `apart`: all leaves by the column reader, which assembles nothing, so its slots and bytes aren't
// counted.
#include "arrow.h"

#include <algorithm>
#include <cmath>

namespace
{

const char *const kLists[3] = { "websites", "sources", "addresses" };

struct Lengths {
    int32_t least = INT32_MAX, greatest = INT32_MIN;
    int64_t lengths[3] = { 0, 0, 0 }, rows = 0;

    void see(int32_t version)
    {
        least = std::min(least, version);
        greatest = std::max(greatest, version);
    }

    void operator+=(const Lengths &other)
    {
        least = std::min(least, other.least);
        greatest = std::max(greatest, other.greatest);
        for (int i = 0; i < 3; i++)
            lengths[i] += other.lengths[i];
        rows += other.rows;
    }

    operator Sums() const
    {
        return { static_cast<double>(least),      static_cast<double>(greatest),
                 static_cast<double>(lengths[0]), static_cast<double>(lengths[1]),
                 static_cast<double>(lengths[2]), static_cast<double>(rows) };
    }
};

Sums lengths_by_batch()
{
    Lengths all;
    each_batch([&](const arrow::RecordBatch &batch) {
        auto array = batch.GetColumnByName("version");
        auto &versions = static_cast<const arrow::Int32Array &>(*array);
        for (int64_t i = 0; i < versions.length(); i++)
            if (versions.IsValid(i))
                all.see(versions.Value(i));
        for (int c = 0; c < 3; c++) {
            auto column = batch.GetColumnByName(kLists[c]);
            auto &list = static_cast<const arrow::ListArray &>(*column);
            all.lengths[c] += list.value_offset(list.length()) - list.value_offset(0);
        }
        all.rows += batch.num_rows();
    });
    return all;
}

Sums lengths_by_rows()
{
    Lengths all;
    each_batch([&](const arrow::RecordBatch &batch) {
        std::shared_ptr<arrow::Array> columns[3];
        const arrow::ListArray *lists[3];
        auto array = batch.GetColumnByName("version");
        auto &versions = static_cast<const arrow::Int32Array &>(*array);
        for (int c = 0; c < 3; c++) {
            columns[c] = batch.GetColumnByName(kLists[c]);
            lists[c] = static_cast<const arrow::ListArray *>(columns[c].get());
        }
        for (int64_t i = 0, n = batch.num_rows(); i < n; i++) {
            if (versions.IsValid(i))
                all.see(versions.Value(i));
            for (int c = 0; c < 3; c++)
                if (lists[c]->IsValid(i))
                    all.lengths[c] += lists[c]->value_length(i);
        }
        all.rows += batch.num_rows();
    });
    return all;
}

// The definition level from which on an entry is an element of the innermost list.
int element_level(const parquet::ColumnDescriptor *leaf)
{
    int level = leaf->max_definition_level();
    for (const parquet::schema::Node *n = leaf->schema_node().get(); n && !n->is_repeated();
         n = n->parent())
        level -= n->is_optional();
    return level;
}

template <class Reader> void count_lengths(Reader *reader, int at, Room &room, Lengths &all)
{
    using V = Value<Reader>;
    V *values = reinterpret_cast<V *>(room.values.data());
    const int element = element_level(reader->descr());
    while (reader->HasNext()) {
        int64_t read = 0;
        const int64_t levels = reader->ReadBatch(kBatch, room.definition.data(),
                                                 room.repetition.data(), values, &read);
        if (at > 0) {
            int64_t elements = 0;
            for (int64_t i = 0; i < levels; i++)
                elements += room.definition[i] >= element;
            all.lengths[at - 1] += elements;
        } else if constexpr (std::is_same_v<V, int32_t>) {
            for (int64_t i = 0; i < read; i++)
                all.see(values[i]);
            all.rows += levels;
        }
    }
}

Sums lengths_by_column()
{
    return each_chunk<Lengths>([](parquet::ColumnReader *column, int at, Room &room, Lengths &all) {
        typed(column, [&](auto *reader) { count_lengths(reader, at, room, all); });
    });
}

struct Leaves {
    int64_t values = 0, slots = 0, bytes = 0, rows = 0;

    void operator+=(const Leaves &other)
    {
        values += other.values;
        rows += other.rows;
    }
};

// By the arrays' ends: no value is looked at.
void add(const arrow::Array &array, Leaves &all)
{
    switch (array.type_id()) {
    case arrow::Type::STRUCT: {
        auto &a = static_cast<const arrow::StructArray &>(array);
        for (int i = 0; i < a.num_fields(); i++)
            add(*a.field(i), all);
        return;
    }
    case arrow::Type::LIST:
    case arrow::Type::MAP: {
        auto &a = static_cast<const arrow::ListArray &>(array);
        const int32_t begin = a.value_offset(0);
        return add(*a.values()->Slice(begin, a.value_offset(a.length()) - begin), all);
    }
    case arrow::Type::STRING:
    case arrow::Type::BINARY: {
        auto &a = static_cast<const arrow::BinaryArray &>(array);
        all.bytes += a.value_offset(a.length()) - a.value_offset(0);
        break;
    }
    default:
        break;
    }
    all.values += array.length() - array.null_count();
    all.slots += array.length();
}

Sums counts(const Leaves &all)
{
    return { static_cast<double>(all.values), static_cast<double>(all.slots),
             static_cast<double>(all.bytes), static_cast<double>(all.rows) };
}

Sums leaves_by_table()
{
    Leaves all;
    for (const std::string &path : files) {
        auto table = take(open_file(path)->ReadTable());
        for (auto &column : table->columns())
            for (auto &chunk : column->chunks())
                add(*chunk, all);
        all.rows += table->num_rows();
    }
    return counts(all);
}

Sums leaves_by_batch()
{
    Leaves all;
    each_batch([&](const arrow::RecordBatch &batch) {
        for (auto &column : batch.columns())
            add(*column, all);
        all.rows += batch.num_rows();
    });
    return counts(all);
}

template <class Reader> void count_values(Reader *reader, int at, Room &room, Leaves &all)
{
    using V = Value<Reader>;
    V *values = reinterpret_cast<V *>(room.values.data());
    const bool repeats = reader->descr()->max_repetition_level() > 0;
    while (reader->HasNext()) {
        int64_t read = 0;
        const int64_t levels = reader->ReadBatch(kBatch, room.definition.data(),
                                                 room.repetition.data(), values, &read);
        all.values += read;
        if (at == 0)
            all.rows += repeats ? std::count(room.repetition.data(),
                                             room.repetition.data() + levels, int16_t{ 0 })
                                : levels;
    }
}

Sums leaves_by_column()
{
    const Leaves all =
        each_chunk<Leaves>([](parquet::ColumnReader *column, int at, Room &room, Leaves &mine) {
            typed(column, [&](auto *reader) { count_values(reader, at, room, mine); });
        });
    return { static_cast<double>(all.values), NAN, NAN, static_cast<double>(all.rows) };
}

} // namespace

Ways nested_ways()
{
    if (job == "aggregates")
        return { { "column", lengths_by_column }, { "batch", lengths_by_batch } };
    if (job == "lengths")
        return { { "rows", lengths_by_rows } };
    if (job == "leaves")
        return { { "table", leaves_by_table }, { "batch", leaves_by_batch } };
    if (job == "apart")
        return { { "column", leaves_by_column } };
    return {};
}
