/* SPDX-License-Identifier: Apache-2.0
 * rle.c: the RLE/bit-packing hybrid. A run's header is looked at once, whatever its length, and
 * packed runs go to the kernels whole. */
#include "formats/parquet/rle.h"

#include "core/bits.h"

bool weir_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    uint64_t value = 0;

    for (uint32_t shift = 0; shift < 64 && *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;

        if (shift == 63 && byte > 1)
            return false;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

void weir_unpack_from(const weir_kernels *kernels, const uint8_t *src, uint32_t width,
                      uint64_t first, size_t count, uint32_t *dst)
{
    const uint32_t within = first & 7;

    src += (first >> 3) * width;
    /* Kernels begin at a whole byte, which every eighth value does: up to the next of those by a
     * detour. */
    if (within) {
        uint32_t eight[8 + 16];
        const size_t head = weir_min_u64(8 - within, count);

        kernels->unpack_u32(src, width, within + head, eight);
        memcpy(dst, eight + within, head * sizeof *dst);
        src += width;
        dst += head;
        count -= head;
    }
    if (count)
        kernels->unpack_u32(src, width, count, dst);
}

void weir_rle_init(weir_rle *rle, const uint8_t *data, size_t size, uint32_t width)
{
    *rle = (weir_rle){ .at = data, .end = data + size, .width = width };
    /* Writers leave the stream out, or end it early, where a dictionary has one entry. */
    if (width == 0)
        rle->left = UINT64_MAX;
}

static bool fail(weir_rle *rle, const char *why)
{
    rle->why = why;
    return false;
}

static bool load_packed(weir_rle *rle, uint64_t groups)
{
    const uint64_t size = (uint64_t)(rle->end - rle->at);

    rle->is_packed = true;
    rle->packed = rle->at;
    rle->taken = 0;
    if (groups <= size / rle->width) {
        rle->left = groups * 8;
        rle->at += groups * rle->width;
        return true;
    }
    /* The last run is cut short by some writers (Impala): what is there counts. */
    rle->left = size * 8 / rle->width;
    rle->at = rle->end;
    return rle->left > 0 || fail(rle, "the last run is cut");
}

static bool load_run(weir_rle *rle, uint64_t count)
{
    const uint32_t bytes = (rle->width + 7) / 8;

    if ((size_t)(rle->end - rle->at) < bytes)
        return fail(rle, "the last run is cut");
    rle->is_packed = false;
    rle->value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        rle->value |= (uint32_t)rle->at[i] << (8 * i);
    rle->at += bytes;
    rle->left = count;
    return true;
}

/* The next run that holds anything. */
static bool load(weir_rle *rle)
{
    while (rle->left == 0) {
        uint64_t header;

        if (rle->why)
            return false;
        if (rle->at == rle->end)
            return fail(rle, "the stream ends too soon");
        if (!weir_varint(&rle->at, rle->end, &header))
            return fail(rle, "a run's header is cut or too long");
        if (!(header & 1 ? load_packed(rle, header >> 1) : load_run(rle, header >> 1)))
            return false;
    }
    return true;
}

/* What the current run gives of `count` values, taken. */
static size_t take(weir_rle *rle, size_t count)
{
    const size_t n = weir_min_u64(count, rle->left);

    rle->taken += n;
    rle->left -= n;
    return n;
}

/* Whole blocks of sixteen, into the slack: a loop that compilers make wide. */
static void fill(uint32_t *dst, size_t count, uint32_t value)
{
    for (size_t i = 0; i < count; i += 16)
        for (size_t k = 0; k < 16; k++)
            dst[i + k] = value;
}

size_t weir_rle_next(weir_rle *rle, const weir_kernels *kernels, size_t count, uint32_t *dst)
{
    size_t done = 0;

    for (;;) {
        uint64_t first;
        size_t n;

        /* Runs that are whole go together: they may be short. */
        if (rle->left == 0 && !rle->why)
            done += kernels->unpack_runs(&rle->at, rle->end, rle->width, count - done, dst + done);
        if (done == count || !load(rle))
            return done;
        first = rle->taken;
        n = take(rle, count - done);
        if (rle->is_packed)
            weir_unpack_from(kernels, rle->packed, rle->width, first, n, dst + done);
        else
            fill(dst + done, n, rle->value);
        done += n;
    }
}

/* What the current run gives, at most `count` and a block. */
static size_t look_up_part(weir_rle *rle, const weir_kernels *kernels, size_t count,
                           const uint64_t *table, size_t entries, uint64_t *dst, uint32_t *most)
{
    uint32_t codes[512 + 16];
    const uint64_t first = rle->taken;
    const size_t n = take(rle, weir_min_u64(count, 512));
    uint32_t top = rle->value;

    if (rle->is_packed) {
        weir_unpack_from(kernels, rle->packed, rle->width, first, n, codes);
        top = kernels->max_u32(codes, n);
    }
    *most = top > *most ? top : *most;
    if (top >= entries)
        return n;
    if (rle->is_packed)
        kernels->gather_64(table, entries, codes, n, dst);
    for (size_t i = 0; !rle->is_packed && i < n; i++)
        dst[i] = table[top];
    return n;
}

size_t weir_rle_look_up_64(weir_rle *rle, const weir_kernels *kernels, size_t count,
                           const uint64_t *table, size_t entries, uint64_t *dst, uint32_t *most)
{
    size_t done = 0;

    *most = 0;
    for (;;) {
        if (rle->left == 0 && !rle->why)
            done += kernels->look_up_runs_64(&rle->at, rle->end, rle->width, count - done, table,
                                             entries, dst + done, most);
        if (done == count || !load(rle))
            return done;
        done += look_up_part(rle, kernels, count - done, table, entries, dst + done, most);
    }
}

size_t weir_rle_skip(weir_rle *rle, size_t count)
{
    size_t done = 0;

    while (done < count && load(rle))
        done += take(rle, count - done);
    return done;
}

bool weir_rle_is_run(weir_rle *rle, size_t count, uint32_t *value)
{
    if ((rle->left == 0 && !load(rle)) || rle->is_packed || rle->left < count)
        return false;
    *value = rle->value;
    return true;
}

/* Loads a run of bits. */
static bool load_bit_run(weir_rle *rle)
{
    if (!load(rle))
        return false;
    return rle->is_packed || rle->value <= 1 || fail(rle, "a run of a value above 1");
}

static void set_bits(uint8_t *bits, size_t at, size_t count, bool value)
{
    const size_t end = at + count;
    const uint8_t all = value ? 0xff : 0;
    size_t byte = at >> 3;

    if (at & 7) {
        bits[byte] = (uint8_t)((bits[byte] & ((1u << (at & 7)) - 1)) | (uint32_t)(all << (at & 7)));
        byte++;
    }
    if (byte < (end + 7) >> 3)
        memset(bits + byte, all, ((end + 7) >> 3) - byte);
    if (end & 7)
        bits[end >> 3] &= (uint8_t)((1u << (end & 7)) - 1);
}

/* Puts 1 to 64 bits behind the first `at` ones; garbage may follow them. */
static inline void put_bits(uint8_t *bits, size_t at, uint64_t word)
{
    const uint32_t used = at & 7;
    uint8_t *to = bits + (at >> 3);
    const uint64_t low = (*to & ((1u << used) - 1)) | word << used;

    memcpy(to, &low, sizeof low);
    to[8] = (uint8_t)(word >> 1 >> (63 - used));
}

/* Whole runs, as many as fit, of those with a header of one byte: levels of scattered nulls are
 * made of them, a few hundred bits each. */
static size_t short_bits(weir_rle *rle, size_t room, uint8_t *bits, size_t at)
{
    const uint8_t *from = rle->at;
    size_t done = 0;

    while (from < rle->end && *from < 0x80) {
        const uint32_t header = *from, size = header & 1 ? header >> 1 : 1;
        const size_t count = header & 1 ? (size_t)size * 8 : header >> 1;

        if (count - 1 >= room - done || size >= (size_t)(rle->end - from))
            break;
        from++;
        if (header & 1) {
            for (size_t i = 0; i < size; i += 8)
                put_bits(bits, at + done + i * 8, weir_load64(from + i));
        } else if (*from <= 1) {
            put_bits(bits, at + done, (uint64_t)0 - *from);
        } else {
            break; /* the run is no good */
        }
        from += size;
        done += count;
        rle->at = from;
    }
    if ((at + done) & 7)
        bits[(at + done) >> 3] &= (uint8_t)((1u << ((at + done) & 7)) - 1);
    return done;
}

size_t weir_rle_bits(weir_rle *rle, const weir_kernels *kernels, size_t count, uint8_t *bits,
                     size_t at)
{
    size_t done = 0;

    for (;;) {
        uint64_t first;
        size_t n;

        if (rle->left == 0 && !rle->why)
            done += short_bits(rle, count - done, bits, at + done);
        if (done == count || !load_bit_run(rle))
            return done;
        first = rle->taken;
        n = take(rle, count - done);
        if (rle->is_packed)
            kernels->copy_bits(rle->packed, first, n, bits, at + done);
        else
            set_bits(bits, at + done, n, rle->value);
        done += n;
    }
}

size_t weir_rle_bools(weir_rle *rle, const weir_kernels *kernels, size_t count, uint8_t *dst)
{
    size_t done = 0;

    while (done < count && load_bit_run(rle)) {
        const uint64_t first = rle->taken;
        const size_t n = take(rle, count - done);

        if (rle->is_packed)
            kernels->unpack_bools(rle->packed, first, n, dst + done);
        else
            memset(dst + done, (int)rle->value, n);
        done += n;
    }
    return done;
}
