/* SPDX-License-Identifier: Apache-2.0
 * arrow_leaves.cpp: the lines of `weir digest` as Arrow C++ reads the file, each behind its file's
 * name and a tab. Built by arrow_leaves.py against the libraries in the pyarrow wheel; shares no
 * code with the library. A leaf that Arrow refuses gets its line on stderr, and the exit code is 1.
 */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>
#include <stdexcept>
#include <string>
#include <vector>
#include <zlib.h>

namespace
{

class Stream
{
  public:
    void put(const void *data, size_t size)
    {
        crc_ = crc32_z(crc_, static_cast<const Bytef *>(data), size);
    }
    template <typename T> void value(const parquet::ColumnDescriptor &, const T &v)
    {
        put(&v, sizeof v);
    }
    void value(const parquet::ColumnDescriptor &, const bool &v)
    {
        const uint8_t byte = v;

        put(&byte, 1);
    }
    void value(const parquet::ColumnDescriptor &, const parquet::ByteArray &v)
    {
        put(&v.len, 4);
        if (v.len) /* crc32 of no bytes at NULL is its starting value */
            put(v.ptr, v.len);
    }
    void value(const parquet::ColumnDescriptor &leaf, const parquet::FixedLenByteArray &v)
    {
        if (leaf.type_length())
            put(v.ptr, static_cast<size_t>(leaf.type_length()));
    }
    unsigned long crc() const
    {
        return crc_;
    }

    int64_t slots = 0, values = 0;

  private:
    uLong crc_ = crc32_z(0, nullptr, 0);
};

/* Arrow takes a page without values for the end; its next page comes when it is asked again. */
bool has_next(parquet::ColumnReader &reader, bool more_are_due)
{
    constexpr int most = 100000;

    for (int i = 0; i < most; i++)
        if (reader.HasNext())
            return true;
        else if (!more_are_due)
            return false;
    return false;
}

template <typename DType> void read_chunk(parquet::ColumnReader &any, int64_t due, Stream &out)
{
    constexpr int64_t batch = 4096;
    auto &reader = dynamic_cast<parquet::TypedColumnReader<DType> &>(any);
    const parquet::ColumnDescriptor &leaf = *reader.descr();
    const int16_t top = leaf.max_definition_level();
    std::vector<int16_t> definition(batch), repetition(batch);
    const auto values = std::make_unique<typename DType::c_type[]>(batch);

    while (has_next(reader, due > 0)) {
        int64_t count = 0, next = 0;
        const int64_t slots =
            reader.ReadBatch(batch, definition.data(), repetition.data(), values.get(), &count);

        if (slots == 0 && count == 0)
            throw std::runtime_error("no progress");
        for (int64_t i = 0; i < slots; i++) {
            const uint8_t levels[2] = { static_cast<uint8_t>(
                                            leaf.max_repetition_level() ? repetition[i] : 0),
                                        static_cast<uint8_t>(top ? definition[i] : 0) };

            out.put(levels, 2);
            if (levels[1] != top)
                continue;
            if (next == count)
                throw std::runtime_error("fewer values than levels");
            out.value(leaf, values[next++]);
        }
        if (next != count)
            throw std::runtime_error("more values than levels");
        due -= slots;
        out.slots += slots;
        out.values += count;
    }
}

void read_chunk(parquet::ColumnReader &reader, int64_t due, Stream &out)
{
    switch (reader.type()) {
    case parquet::Type::BOOLEAN:
        return read_chunk<parquet::BooleanType>(reader, due, out);
    case parquet::Type::INT32:
        return read_chunk<parquet::Int32Type>(reader, due, out);
    case parquet::Type::INT64:
        return read_chunk<parquet::Int64Type>(reader, due, out);
    case parquet::Type::INT96:
        return read_chunk<parquet::Int96Type>(reader, due, out);
    case parquet::Type::FLOAT:
        return read_chunk<parquet::FloatType>(reader, due, out);
    case parquet::Type::DOUBLE:
        return read_chunk<parquet::DoubleType>(reader, due, out);
    case parquet::Type::BYTE_ARRAY:
        return read_chunk<parquet::ByteArrayType>(reader, due, out);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
        return read_chunk<parquet::FLBAType>(reader, due, out);
    default:
        throw std::runtime_error("unknown physical type");
    }
}

std::string escaped(const std::vector<std::string> &names)
{
    std::string out;

    for (size_t i = 0; i < names.size(); i++) {
        if (i)
            out += '.';
        for (const char c : names[i]) {
            if (c == '.' || c == '\\')
                out += '\\';
            if (c == '\t' || c == '\n')
                out += c == '\t' ? "\\t" : "\\n";
            else
                out += c;
        }
    }
    return out;
}

bool print_leaf(const char *name, parquet::ParquetFileReader &file, int index)
{
    const parquet::ColumnDescriptor &leaf = *file.metadata()->schema()->Column(index);
    const std::string path = escaped(leaf.path()->ToDotVector());
    Stream stream;

    try {
        for (int group = 0; group < file.metadata()->num_row_groups(); group++)
            read_chunk(*file.RowGroup(group)->Column(index),
                       file.metadata()->RowGroup(group)->ColumnChunk(index)->num_values(), stream);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\t%s\t%s\n", name, path.c_str(), e.what());
        return false;
    }
    std::printf("%s\t%s\t%d\t%d\t%lld\t%lld\t%lld\t%08lx\n", name, path.c_str(),
                leaf.max_repetition_level(), leaf.max_definition_level(),
                static_cast<long long>(stream.slots), static_cast<long long>(stream.values),
                static_cast<long long>(stream.slots - stream.values), stream.crc());
    return true;
}

} /* namespace */

int main(int argc, char **argv)
{
    bool is_whole = true;

    for (int i = 1; i < argc; i++) {
        const char *slash = std::strrchr(argv[i], '/');
        const char *name = slash ? slash + 1 : argv[i];

        try {
            const auto file = parquet::ParquetFileReader::OpenFile(argv[i], false);

            for (int leaf = 0; leaf < file->metadata()->num_columns(); leaf++)
                is_whole &= print_leaf(name, *file, leaf);
            std::printf("%s\trows\t%lld\n", name,
                        static_cast<long long>(file->metadata()->num_rows()));
        } catch (const std::exception &e) {
            std::fprintf(stderr, "%s\t%s\n", name, e.what());
            is_whole = false;
        }
    }
    return is_whole ? 0 : 1;
}
