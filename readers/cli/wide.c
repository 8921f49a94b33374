/* SPDX-License-Identifier: Apache-2.0
 * wide.c: integers of 320 bits: what exact sums of 256-bit decimals need. */
#include "wide.h"

#include <inttypes.h>
#include <string.h>

#define WORDS 5
#define SCALE_MOST 255

cli_wide cli_wide_of(cli_i128 value)
{
    cli_wide wide;
    const uint64_t sign = value < 0 ? UINT64_MAX : 0;

    wide.word[0] = (uint64_t)value;
    wide.word[1] = (uint64_t)((cli_u128)value >> 64);
    wide.word[2] = wide.word[3] = wide.word[4] = sign;
    return wide;
}

cli_wide cli_wide_of_256(const weir_i256 *value)
{
    cli_wide wide;

    memcpy(wide.word, value->word, sizeof(value->word));
    wide.word[4] = value->word[3] >> 63 ? UINT64_MAX : 0;
    return wide;
}

void cli_wide_add(cli_wide *into, const cli_wide *from)
{
    unsigned carry = 0;
    int i;

    for (i = 0; i < WORDS; i++) {
        const cli_u128 sum = (cli_u128)into->word[i] + from->word[i] + carry;

        into->word[i] = (uint64_t)sum;
        carry = (unsigned)(sum >> 64);
    }
}

static bool is_negative(const cli_wide *wide)
{
    return wide->word[WORDS - 1] >> 63;
}

static cli_wide magnitude(const cli_wide *wide)
{
    cli_wide out = *wide;
    cli_wide one = { { 1 } };
    int i;

    if (!is_negative(wide))
        return out;
    for (i = 0; i < WORDS; i++)
        out.word[i] = ~out.word[i];
    cli_wide_add(&out, &one);
    return out;
}

int cli_wide_compare(const cli_wide *a, const cli_wide *b)
{
    int i;

    if (is_negative(a) != is_negative(b))
        return is_negative(a) ? -1 : 1;
    for (i = WORDS - 1; i >= 0; i--)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

long double cli_wide_real(const cli_wide *wide)
{
    const cli_wide m = magnitude(wide);
    long double out = 0;
    int i;

    for (i = WORDS - 1; i >= 0; i--)
        out = out * 18446744073709551616.0L + (long double)m.word[i];
    return is_negative(wide) ? -out : out;
}

/* The last decimal digit, taken off. */
static char take_digit(cli_wide *wide)
{
    uint64_t rest = 0;
    int i;

    for (i = WORDS - 1; i >= 0; i--) {
        const cli_u128 part = (cli_u128)rest << 64 | wide->word[i];

        wide->word[i] = (uint64_t)(part / 10);
        rest = (uint64_t)(part % 10);
    }
    return (char)('0' + rest);
}

static bool is_zero(const cli_wide *wide)
{
    return !(wide->word[0] | wide->word[1] | wide->word[2] | wide->word[3] | wide->word[4]);
}

void cli_put_wide(cli_out *out, const cli_wide *wide, int32_t scale)
{
    char digits[100]; /* 2^319 has 97 */
    cli_wide left = magnitude(wide);
    int count = 0;
    int i;

    while (!is_zero(&left) || count == 0)
        digits[count++] = take_digit(&left);
    if (is_negative(wide))
        cli_putc(out, '-');
    if (scale < 0 || scale > SCALE_MOST) { /* as weir_value_text does */
        while (count > 0)
            cli_putc(out, digits[--count]);
        cli_printf(out, "E%" PRId64, -(int64_t)scale);
        return;
    }
    if (count <= scale)
        cli_puts(out, "0.");
    for (i = count; i < scale; i++)
        cli_putc(out, '0');
    for (i = count; i-- > 0;) {
        cli_putc(out, digits[i]);
        if (i == scale && i > 0)
            cli_putc(out, '.');
    }
}
