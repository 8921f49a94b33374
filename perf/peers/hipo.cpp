// SPDX-License-Identifier: Apache-2.0
// hipo.cpp: the jobs on HIPO by the C++ library hipo4, event by event and on one thread, as it
// reads: `hipo READ FILE...`. Prints what job.py prints. The files are opened before the clock.
#include <hipo4/reader.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

struct Sums {
    int64_t whole = 0, events = 0;
    double real = 0;
};

static std::vector<int> columns; // of the bank, in its order
static const char *bank_name;

static double now(clockid_t clock)
{
    struct timespec at;

    clock_gettime(clock, &at);
    return 1e3 * static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) / 1e6;
}

static void add(const hipo::bank &bank, const std::vector<int> &types, Sums &sums)
{
    const int rows = bank.getRows();

    for (size_t i = 0; i < columns.size(); i++) {
        const int column = columns[i];
        if (types[i] == hipo::kFloat)
            for (int row = 0; row < rows; row++)
                sums.real += bank.getFloat(column, row);
        else if (types[i] == hipo::kLong)
            for (int row = 0; row < rows; row++)
                sums.whole += bank.getLong(column, row);
        else
            for (int row = 0; row < rows; row++)
                sums.whole += bank.getInt(column, row);
    }
}

// A file that is open, and the bank that is wanted of it.
struct Open {
    hipo::reader reader;
    hipo::dictionary dictionary;
    hipo::bank bank;
    std::vector<int> types;

    explicit Open(const std::string &path)
    {
        reader.open(path.c_str());
        reader.readDictionary(dictionary);
        bank = hipo::bank(dictionary.getSchema(bank_name));
        for (int column : columns)
            types.push_back(bank.getSchema().getEntryType(column));
    }
};

static void read(Open &file, Sums &sums)
{
    const int group = file.bank.getSchema().getGroup(), item = file.bank.getSchema().getItem();

    while (file.reader.next()) {
        sums.events++;
        if (columns.empty())
            continue;
        file.reader.getStructureNoCopy(file.bank, group, item);
        add(file.bank, file.types, sums);
    }
}

static void measure(FILE *out, int runs, const std::vector<std::string> &files)
{
    double wall = 1e30, cpu = 1e30;
    Sums sums;

    for (int i = 0; i < runs; i++) {
        std::vector<std::unique_ptr<Open>> open;
        for (const std::string &path : files)
            open.push_back(std::make_unique<Open>(path));
        const double begin = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
        sums = Sums();
        for (auto &file : open)
            read(*file, sums);
        wall = std::min(wall, now(CLOCK_MONOTONIC) - begin);
        cpu = std::min(cpu, now(CLOCK_PROCESS_CPUTIME_ID) - used);
    }
    fprintf(out, "no copy\t%.4f\t%.4f\t%.17g\t%lld\n", wall, cpu,
            static_cast<double>(sums.whole) + sums.real, static_cast<long long>(sums.events));
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const std::string job = argv[1];
    bank_name = job == "evno" ? "REC::Event" : "REC::Particle";
    if (job == "all8")
        columns = { 0, 1, 2, 3, 4, 5, 6, 7 };
    else if (job == "pidpx")
        columns = { 0, 1 };
    else if (job != "events")
        columns = { 0 };
    const std::vector<std::string> files(argv + 2, argv + argc);
    FILE *out = fdopen(dup(1), "w"); // the library prints too
    if (!out || !freopen("/dev/null", "w", stdout))
        return 1;
    fprintf(out, "ready %s\n", HIPO_VERSION);
    fflush(out);
    for (int runs; scanf("%d", &runs) == 1;) {
        measure(out, runs, files);
        fprintf(out, "done\n");
        fflush(out);
    }
    return 0;
}
