/* SPDX-License-Identifier: Apache-2.0
 * text.c: the text of a value, for people and for JSON. Beside the line: the command prints with
 * it. No locale, no printf, no memory of its own. */
#include "core/bits.h"
#include "core/logical.h"
#include "core/shortest.h"

#include <string.h>

/* ---- where the text goes ---- */

typedef struct sink {
    char *out;
    size_t room, size; /* `size` counts on when the room is used up */
} sink;

static void put(sink *s, const void *data, size_t size)
{
    if (size > 0 && s->size < s->room) {
        const size_t left = s->room - s->size;

        memcpy(s->out + s->size, data, size < left ? size : left);
    }
    s->size += size;
}

static void put_char(sink *s, char c)
{
    put(s, &c, 1);
}

static void put_word(sink *s, const char *word)
{
    put(s, word, strlen(word));
}

/* At least `least` digits, 20 at most. */
static void put_u64(sink *s, uint64_t value, size_t least)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (sizeof digits - at < least)
        digits[--at] = '0';
    put(s, digits + at, sizeof digits - at);
}

static uint64_t size_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static void put_i64(sink *s, int64_t value)
{
    if (value < 0)
        put_char(s, '-');
    put_u64(s, size_of(value), 1);
}

/* ---- dates and times ---- */

/* The proleptic Gregorian calendar in years that begin in March (Howard Hinnant, "chrono-Compatible
 * Low-Level Date Algorithms", civil_from_days): eras of 400 years have the same days. */
static void put_date(sink *s, int64_t days)
{
    const int64_t since_march = days + 719468;
    const int64_t era = weir_floor_div(since_march, 146097);
    const int64_t day_of_era = since_march - era * 146097;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t march_month = (5 * day_of_year + 2) / 153;
    const int64_t day = day_of_year - (153 * march_month + 2) / 5 + 1;
    const int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
    const int64_t year = year_of_era + era * 400 + (month <= 2);
    const bool is_expanded = year < 0 || year > 9999;

    if (is_expanded)
        put_char(s, year < 0 ? '-' : '+');
    put_u64(s, size_of(year), is_expanded ? 5 : 4);
    put_char(s, '-');
    put_u64(s, (uint64_t)month, 2);
    put_char(s, '-');
    put_u64(s, (uint64_t)day, 2);
}

/* `time` in `unit`, not negative. */
static void put_time(sink *s, uint64_t time, weir_unit unit)
{
    const uint64_t rate = (uint64_t)weir_unit_rate(unit);
    const uint64_t seconds = time / rate;

    put_u64(s, seconds / 3600, 2);
    put_char(s, ':');
    put_u64(s, seconds / 60 % 60, 2);
    put_char(s, ':');
    put_u64(s, seconds % 60, 2);
    if (unit == WEIR_SECONDS)
        return;
    put_char(s, '.');
    put_u64(s, time % rate, 3 * (size_t)(unit - WEIR_SECONDS));
}

static void put_moment(sink *s, int64_t days, int64_t of_day, weir_unit unit, bool is_utc)
{
    put_date(s, days);
    put_char(s, 'T');
    put_time(s, (uint64_t)of_day, unit);
    if (is_utc)
        put_char(s, 'Z');
}

static void put_timestamp(sink *s, int64_t value, const weir_field *field)
{
    const int64_t per_day = 86400 * weir_unit_rate(field->unit);
    const int64_t rest = value % per_day; /* below zero before 1970 */

    put_moment(s, weir_floor_div(value, per_day), rest < 0 ? rest + per_day : rest, field->unit,
               field->is_utc);
}

static void put_int96(sink *s, const uint8_t *value, bool is_utc)
{
    int64_t days, nanos;

    weir_int96_split(value, &days, &nanos);
    put_moment(s, days, nanos, WEIR_NANOS, is_utc);
}

static void put_time_of_day(sink *s, int64_t value, const weir_field *field)
{
    if (value < 0)
        put_char(s, '-');
    put_time(s, size_of(value), field->unit);
    if (field->is_utc)
        put_char(s, 'Z');
}

/* parquet-format LogicalTypes.md, INTERVAL: three u32, little-endian: months, days, ms. */
static void put_interval(sink *s, const uint8_t *value)
{
    const uint32_t millis = weir_load32(value + 8);

    put_char(s, 'P');
    put_u64(s, weir_load32(value), 1);
    put_char(s, 'M');
    put_u64(s, weir_load32(value + 4), 1);
    put_word(s, "DT");
    put_u64(s, millis / 1000, 1);
    put_char(s, '.');
    put_u64(s, millis % 1000, 3);
    put_char(s, 'S');
}

/* ---- decimals ---- */

enum {
    DIGITS_ROOM = 80, /* 256 bits have at most 78 digits */
    SCALE_MOST = 255  /* beyond it a file only wants to be rude: an exponent then */
};

/* Divides by 10^18 and gives the remainder. */
static uint64_t cut_digits(weir_i256 *value)
{
    __extension__ typedef unsigned __int128 u128;
    const uint64_t divisor = UINT64_C(1000000000000000000);
    uint64_t rest = 0;

    for (int i = 3; i >= 0; i--) {
        const u128 part = (u128)rest << 64 | value->word[i];

        value->word[i] = (uint64_t)(part / divisor);
        rest = (uint64_t)(part % divisor);
    }
    return rest;
}

/* The digits of a number without sign, at the end of `out`; where they begin. */
static size_t digits_of(weir_i256 value, char out[DIGITS_ROOM])
{
    size_t at = DIGITS_ROOM;

    for (;;) {
        const bool is_last = !(value.word[1] | value.word[2] | value.word[3]);
        uint64_t part = is_last ? value.word[0] : cut_digits(&value);

        for (int i = 0; is_last ? part > 0 || at == DIGITS_ROOM : i < 18; i++) {
            out[--at] = (char)('0' + part % 10);
            part /= 10;
        }
        if (is_last)
            return at;
    }
}

static void put_decimal(sink *s, const weir_i256 *value, int32_t scale)
{
    char room[DIGITS_ROOM];
    const size_t first = digits_of(weir_i256_magnitude(value), room);
    const char *digits = room + first;
    const size_t count = DIGITS_ROOM - first;
    const size_t places = (size_t)scale;

    if (weir_i256_is_negative(value))
        put_char(s, '-');
    if (scale < 0 || scale > SCALE_MOST) {
        put(s, digits, count);
        put_char(s, 'E');
        put_i64(s, -(int64_t)scale);
        return;
    }
    if (count > places)
        put(s, digits, count - places);
    else
        put_char(s, '0');
    if (places == 0)
        return;
    put_char(s, '.');
    for (size_t i = count; i < places; i++)
        put_char(s, '0');
    put(s, digits + (count > places ? count - places : 0), count > places ? places : count);
}

/* ---- bytes ---- */

static void put_hex(sink *s, uint8_t byte)
{
    static const char hex[] = "0123456789abcdef";

    put_char(s, hex[byte >> 4]);
    put_char(s, hex[byte & 15]);
}

static void put_uuid(sink *s, const uint8_t *value)
{
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            put_char(s, '-');
        put_hex(s, value[i]);
    }
}

/* RFC 4648, section 4. */
static void put_base64(sink *s, weir_view bytes)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < bytes.size; i += 3) {
        const size_t left = bytes.size - i;
        const uint32_t group = (uint32_t)bytes.data[i] << 16 |
                               (left > 1 ? (uint32_t)bytes.data[i + 1] << 8 : 0) |
                               (left > 2 ? bytes.data[i + 2] : 0u);
        const char four[4] = { letters[group >> 18], letters[group >> 12 & 63],
                               left > 1 ? letters[group >> 6 & 63] : '=',
                               left > 2 ? letters[group & 63] : '=' };

        put(s, four, sizeof four);
    }
}

static void put_escaped(sink *s, weir_view bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        const uint8_t byte = bytes.data[i];

        if (byte >= 0x20 && byte < 0x7f && byte != '\\') {
            put_char(s, (char)byte);
        } else {
            put_word(s, "\\x");
            put_hex(s, byte);
        }
    }
}

/* The letter after the backslash (RFC 8259, section 7); 0: the byte stands for itself; `u`. */
static char json_escape(uint8_t byte)
{
    switch (byte) {
    case '"':
    case '\\':
        return (char)byte;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return byte < 0x20 || byte == 0x7f ? 'u' : 0;
    }
}

static void put_json_string(sink *s, weir_view text)
{
    size_t begin = 0;

    for (size_t i = 0; i < text.size; i++) {
        const char escape = json_escape(text.data[i]);

        if (!escape)
            continue;
        put(s, text.data + begin, i - begin);
        begin = i + 1;
        put_char(s, '\\');
        put_char(s, escape);
        if (escape == 'u') {
            put_word(s, "00");
            put_hex(s, text.data[i]);
        }
    }
    if (begin < text.size)
        put(s, text.data + begin, text.size - begin);
}

static bool is_text(const weir_field *field)
{
    return field->logical == WEIR_LOGICAL_STRING || field->logical == WEIR_LOGICAL_ENUM ||
           field->logical == WEIR_LOGICAL_JSON;
}

static bool is_always_binary(const weir_field *field)
{
    return field->logical == WEIR_LOGICAL_BSON || field->logical == WEIR_LOGICAL_VARIANT ||
           field->logical == WEIR_LOGICAL_GEOMETRY || field->logical == WEIR_LOGICAL_GEOGRAPHY ||
           field->logical == WEIR_LOGICAL_DECIMAL; /* one that is too long for digits */
}

static void put_bytes(sink *s, const weir_field *field, weir_view bytes, weir_text_style style)
{
    const bool is_utf8 =
        !is_always_binary(field) && weir_utf8_check(bytes.data, bytes.size) == bytes.size;

    if (style == WEIR_TEXT_JSON && is_utf8)
        put_json_string(s, bytes);
    else if (style == WEIR_TEXT_JSON)
        put_base64(s, bytes);
    else if (is_utf8 || is_text(field))
        put(s, bytes.data, bytes.size);
    else
        put_escaped(s, bytes);
}

/* ---- one value ---- */

static bool is_time(const weir_field *field)
{
    return (field->logical == WEIR_LOGICAL_TIME || field->logical == WEIR_LOGICAL_TIMESTAMP) &&
           field->unit != WEIR_UNIT_NONE;
}

/* An integer that means nothing but itself. */
static bool is_bare(const weir_cell *c, int64_t *out)
{
    return c->field->logical != WEIR_LOGICAL_DATE && c->field->logical != WEIR_LOGICAL_DECIMAL &&
           !is_time(c->field) && weir_cell_integer(c, out);
}

/* All that JSON writes as a string. */
static void put_meaning(sink *s, const weir_cell *c, weir_text_style style)
{
    const weir_field *field = c->field;
    const bool is_12 = c->type == WEIR_FIXED && c->width == 12;
    const bool is_16 = c->type == WEIR_FIXED && c->width == 16;
    weir_i256 unscaled;
    int64_t value;

    if (weir_cell_decimal(c, &unscaled))
        put_decimal(s, &unscaled, field->scale);
    else if (weir_cell_integer(c, &value) && field->logical == WEIR_LOGICAL_DATE)
        put_date(s, value);
    else if (weir_cell_integer(c, &value) && field->logical == WEIR_LOGICAL_TIMESTAMP)
        put_timestamp(s, value, field);
    else if (weir_cell_integer(c, &value))
        put_time_of_day(s, value, field);
    else if (weir_cell_is_int96(c))
        put_int96(s, weir_cell_bytes(c), field->is_utc);
    else if (is_12 && field->logical == WEIR_LOGICAL_INTERVAL)
        put_interval(s, weir_cell_bytes(c));
    else if (is_16 && field->logical == WEIR_LOGICAL_UUID)
        put_uuid(s, weir_cell_bytes(c));
    else
        put_bytes(s, field, weir_bytes(c->vector, c->row), style);
}

/* NaN and the infinities end in a letter. */
static void put_real(sink *s, const weir_cell *c, weir_text_style style)
{
    char text[WEIR_SHORTEST_ROOM];
    size_t size;
    bool is_quoted;

    if (c->type == WEIR_F64) {
        double value;

        memcpy(&value, weir_cell_bytes(c), sizeof value);
        size = weir_f64_text(value, text);
    } else if (c->type == WEIR_F32) {
        float value;

        memcpy(&value, weir_cell_bytes(c), sizeof value);
        size = weir_f32_text(value, text);
    } else {
        size = weir_f16_text(weir_load16(weir_cell_bytes(c)), text);
    }
    is_quoted = style == WEIR_TEXT_JSON && text[size - 1] > '9';
    if (is_quoted)
        put_char(s, '"');
    put(s, text, size);
    if (is_quoted)
        put_char(s, '"');
}

static void put_cell(sink *s, const weir_cell *c, weir_text_style style);

/* Its elements are numbers, so this goes no deeper. */
static void put_fixed_list(sink *s, const weir_cell *c, weir_text_style style)
{
    const uint32_t count = c->field->list_size;
    const weir_field field = { .type = c->field->element, .width = c->width / count };
    const weir_vector elements = { .field = &field,
                                   .type = field.type,
                                   .width = field.width,
                                   .rows = count,
                                   .values = weir_cell_bytes(c) };

    put_char(s, '[');
    for (uint32_t i = 0; i < count; i++) {
        const weir_cell element = { &field, field.type, field.width, &elements, i };

        if (i > 0)
            put_word(s, style == WEIR_TEXT_JSON ? "," : ", ");
        put_cell(s, &element, style);
    }
    put_char(s, ']');
}

static void put_cell(sink *s, const weir_cell *c, weir_text_style style)
{
    const char *quote = style == WEIR_TEXT_JSON ? "\"" : "";
    int64_t integer;

    if (c->type == WEIR_BOOL) {
        put_word(s, weir_bool(c->vector, c->row) ? "true" : "false");
    } else if (c->type == WEIR_FIXED_LIST) {
        put_fixed_list(s, c, style);
    } else if (c->type == WEIR_F64 || c->type == WEIR_F32 || weir_cell_is_half(c)) {
        put_real(s, c, style);
    } else if (!is_bare(c, &integer)) {
        put_word(s, quote);
        put_meaning(s, c, style);
        put_word(s, quote);
    } else if (weir_cell_is_unsigned(c)) {
        put_u64(s, (uint64_t)integer, 1);
    } else {
        put_i64(s, integer);
    }
}

/* ---- values inside each other ---- */

typedef struct tree { /* what is written, as the visit comes along */
    sink sink;
    weir_text_style style;
    bool is_bare[WEIR_VISIT_DEPTH]; /* by depth: what is open there has no brackets */
} tree;

/* Whether every key can be a name in a JSON object. */
static bool has_names(const weir_vector *map)
{
    const weir_field *key = map->children[0].children[0].field;

    return is_text(key) && key->type == WEIR_BYTES && key->repetition == WEIR_REQUIRED;
}

static bool has_values(const weir_vector *map)
{
    return map->children[0].child_count > 1;
}

/* An entry of a map that is written as an object, or as the array of its keys. */
static bool is_bare_entry(const tree *t, const weir_visit *at)
{
    return at->parent && at->parent->type == WEIR_MAP &&
           (t->style == WEIR_TEXT_PLAIN || !has_values(at->parent) || has_names(at->parent));
}

static bool is_object(const tree *t, const weir_vector *v)
{
    if (v->type == WEIR_MAP)
        return has_values(v) && (t->style == WEIR_TEXT_PLAIN || has_names(v));
    return v->type == WEIR_STRUCT;
}

/* PLAIN text between brackets that could be mistaken for something else. */
static bool is_ambiguous(weir_view text)
{
    static const char marks[] = ",:{}[]\"";

    if (text.size == 0 || text.data[0] == ' ' || text.data[text.size - 1] == ' ' ||
        (text.size == 4 && memcmp(text.data, "null", 4) == 0))
        return true;
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < 0x20 || memchr(marks, text.data[i], sizeof marks - 1))
            return true;
    return false;
}

static void put_text_inside(tree *t, weir_view text)
{
    const bool is_utf8 = weir_utf8_check(text.data, text.size) == text.size;

    if (t->style == WEIR_TEXT_PLAIN && !is_utf8) {
        put_escaped(&t->sink, text);
    } else if (t->style == WEIR_TEXT_PLAIN && !is_ambiguous(text)) {
        put(&t->sink, text.data, text.size);
    } else {
        put_char(&t->sink, '"');
        if (is_utf8)
            put_json_string(&t->sink, text);
        else
            put_base64(&t->sink, text);
        put_char(&t->sink, '"');
    }
}

static void put_value_inside(tree *t, const weir_visit *at, bool is_name)
{
    weir_cell c;

    if (at->vector->type >= WEIR_LIST || !weir_cell_find(at->vector, at->row, &c))
        put_word(&t->sink, is_name && t->style == WEIR_TEXT_JSON ? "\"null\"" : "null");
    else if (t->style == WEIR_TEXT_PLAIN && c.type == WEIR_BYTES && !is_always_binary(c.field))
        put_text_inside(t, weir_bytes(c.vector, c.row));
    else
        put_cell(&t->sink, &c, t->style);
}

/* What stands before a value: a comma, a colon, its name. */
static void put_place(tree *t, const weir_visit *at, bool is_in_entry)
{
    const char *colon = t->style == WEIR_TEXT_JSON ? ":" : ": ";

    if (is_in_entry && at->index > 0)
        put_word(&t->sink, colon);
    else if (at->index > 0)
        put_word(&t->sink, t->style == WEIR_TEXT_JSON ? "," : ", ");
    if (!at->parent || at->parent->type != WEIR_STRUCT || is_in_entry)
        return;
    put_text_inside(t, at->vector->field->name);
    put_word(&t->sink, colon);
}

static bool put_visit(void *user, const weir_visit *at)
{
    tree *t = user;
    const bool is_in_entry = at->depth > 0 && t->is_bare[at->depth - 1];
    const bool is_bare = at->kind != WEIR_VISIT_VALUE && is_bare_entry(t, at);

    if (at->kind != WEIR_VISIT_CLOSE)
        put_place(t, at, is_in_entry);
    if (at->kind == WEIR_VISIT_OPEN)
        t->is_bare[at->depth] = is_bare;
    if (at->kind == WEIR_VISIT_VALUE)
        put_value_inside(t, at, is_in_entry && at->index == 0);
    else if (!is_bare && at->kind == WEIR_VISIT_OPEN)
        put_char(&t->sink, is_object(t, at->vector) ? '{' : '[');
    else if (!is_bare)
        put_char(&t->sink, is_object(t, at->vector) ? '}' : ']');
    return true;
}

static void put_tree(sink *s, const weir_vector *v, int64_t row, weir_text_style style)
{
    tree t;

    t.sink = *s;
    t.style = style;
    (void)weir_value_visit(v, row, put_visit, &t);
    *s = t.sink;
}

size_t weir_value_text(const weir_vector *v, int64_t row, weir_text_style style, char *out,
                       size_t room)
{
    sink s = { .out = out, .room = room ? room - 1 : 0 };
    weir_cell c;

    if (v->type >= WEIR_LIST && !weir_is_null(v, row))
        put_tree(&s, v, row, style);
    else if (v->type < WEIR_LIST && weir_cell_find(v, row, &c))
        put_cell(&s, &c, style);
    else if (style == WEIR_TEXT_JSON)
        put_word(&s, "null");
    if (room)
        out[s.size < s.room ? s.size : s.room] = '\0';
    return s.size;
}
