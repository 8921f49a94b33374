/* SPDX-License-Identifier: Apache-2.0
 * bank.c: an entry of the dictionary, as text or as JSON, to a bank: its name and numbers, and its
 * columns, which lie behind each other. */
#include "formats/hipo/hipo.h"

#include "formats/hipo/json.h"

/* ---- a bank's columns ---- */

/* The columns of one bank while they are met; in the file's arena, doubled as it grows. */
typedef struct column_list {
    weir_arena *arena;
    weir_hipo_column *items;
    uint32_t count, room, row_size;
} column_list;

static const struct {
    weir_type type;
    uint8_t size;
    char letter;
} numbers[] = { { WEIR_I8, 1, 'B' },  { WEIR_I16, 2, 'S' }, { WEIR_I32, 4, 'I' },
                { WEIR_F32, 4, 'F' }, { WEIR_F64, 8, 'D' }, { WEIR_I64, 8, 'L' } };

static bool set_type(weir_hipo_column *column, char letter)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].letter != letter)
            continue;
        column->type = numbers[i].type;
        column->size = numbers[i].size;
        return true;
    }
    return false;
}

static weir_view trimmed(weir_view text)
{
    while (text.size > 0 && (text.data[0] == ' ' || (text.data[0] >= '\t' && text.data[0] <= '\r')))
        text = (weir_view){ text.data + 1, text.size - 1 };
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || (text.data[text.size - 1] >= '\t' &&
                                                                 text.data[text.size - 1] <= '\r')))
        text.size--;
    return text;
}

/* A number of at most `most`; false: it is none. */
static bool read_number(weir_view text, uint32_t most, uint32_t *out)
{
    uint64_t value = 0;

    text = trimmed(text);
    if (text.size == 0)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text.data[i] - '0');
        if (value > most)
            return false;
    }
    *out = (uint32_t)value;
    return true;
}

static weir_status grow_columns(column_list *list)
{
    const uint32_t room = list->room ? list->room * 2 : 8;
    weir_hipo_column *items = weir_arena_array(list->arena, room, sizeof *items);

    if (!items)
        return WEIR_NO_MEMORY;
    if (list->count > 0)
        memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
    list->room = room;
    return WEIR_OK;
}

/* A type is a letter, or T#N: N numbers of that type a row. CORRUPT: it is none, or the row would
 * be longer than any bank can be. */
static weir_status add_column(column_list *list, weir_view name, weir_view type)
{
    weir_hipo_column column = { .name = name, .count = 1, .offset = list->row_size };
    const uint8_t *mark;
    uint64_t width;

    type = trimmed(type);
    mark = type.size ? memchr(type.data, '#', type.size) : NULL;
    if (mark) {
        const size_t size = (size_t)(mark - type.data);

        if (!read_number((weir_view){ mark + 1, type.size - size - 1 }, 0xffffff, &column.count))
            return WEIR_CORRUPT;
        type = trimmed((weir_view){ type.data, size });
    }
    if (type.size != 1 || column.count == 0 || !set_type(&column, (char)type.data[0]))
        return WEIR_CORRUPT;
    width = (uint64_t)column.size * column.count;
    if (width + list->row_size > WEIR_HIPO_BANK_MOST || list->count == WEIR_HIPO_COLUMNS_MOST)
        return WEIR_CORRUPT;
    if (list->count == list->room)
        WEIR_TRY(grow_columns(list));
    list->items[list->count++] = column;
    list->row_size += (uint32_t)width;
    return WEIR_OK;
}

static weir_status finish_bank(const column_list *list, weir_view name, uint32_t group,
                               uint32_t item, weir_hipo_bank *out)
{
    *out = (weir_hipo_bank){
        .name = name,
        .columns = list->items,
        .column_count = list->count,
        .row_size = list->row_size,
        .reciprocal = list->row_size > 1 ? UINT64_MAX / list->row_size + 1 : 0,
        .id = group << 8 | item,
    };
    return WEIR_OK;
}

/* ---- text ---- */

/* What stands before the next `mark`, and goes past it; false: there is none. */
static bool cut_at(weir_view *text, char mark, weir_view *out)
{
    const uint8_t *at = text->size ? memchr(text->data, mark, text->size) : NULL;

    if (!at)
        return false;
    *out = (weir_view){ text->data, (size_t)(at - text->data) };
    *text = (weir_view){ at + 1, text->size - out->size - 1 };
    return true;
}

weir_status weir_hipo_bank_from_text(weir_view text, weir_arena *arena, weir_hipo_bank *out)
{
    column_list list = { .arena = arena };
    weir_view head, body, part, name, type;
    uint32_t group, item;

    if (!cut_at(&text, '{', &part) || !cut_at(&text, '}', &head) || !cut_at(&text, '{', &part) ||
        !cut_at(&text, '}', &body))
        return WEIR_CORRUPT;
    if (!cut_at(&head, '/', &name) || !cut_at(&head, '/', &part) ||
        !read_number(part, 0xffff, &group) || !read_number(head, 0xff, &item))
        return WEIR_CORRUPT;
    for (bool is_last = false; !is_last;) {
        is_last = !cut_at(&body, ',', &part);
        type = trimmed(is_last ? body : part);
        if (type.size == 0)
            continue;
        if (!cut_at(&type, '/', &part))
            return WEIR_CORRUPT;
        WEIR_TRY(add_column(&list, trimmed(part), type));
    }
    return finish_bank(&list, trimmed(name), group, item, out);
}

/* ---- JSON ---- */

static weir_status json_trouble(const weir_json *in)
{
    return in->has_no_memory ? WEIR_NO_MEMORY : WEIR_CORRUPT;
}

static weir_status read_column(weir_json *in, column_list *list)
{
    weir_view key, name = { 0 }, type = { 0 };

    for (bool more = weir_json_open(in, '{'); more; more = weir_json_more(in, '}')) {
        if (!weir_json_key(in, list->arena, &key))
            return json_trouble(in);
        if (weir_json_is(key, "name"))
            weir_json_string(in, list->arena, &name);
        else if (weir_json_is(key, "type"))
            weir_json_string(in, list->arena, &type);
        else
            weir_json_skip(in);
    }
    return in->is_bad ? json_trouble(in) : add_column(list, name, type);
}

weir_status weir_hipo_bank_from_json(weir_view text, weir_arena *arena, weir_hipo_bank *out)
{
    weir_json in = { text.data, text.data + text.size, false, false };
    column_list list = { .arena = arena };
    weir_view key, name = { 0 };
    int64_t group = -1, item = -1;

    for (bool more = weir_json_open(&in, '{'); more; more = weir_json_more(&in, '}')) {
        if (!weir_json_key(&in, arena, &key))
            return json_trouble(&in);
        if (weir_json_is(key, "name"))
            weir_json_string(&in, arena, &name);
        else if (weir_json_is(key, "group"))
            weir_json_integer(&in, &group);
        else if (weir_json_is(key, "item"))
            weir_json_integer(&in, &item);
        else if (weir_json_is(key, "entries"))
            for (bool next = weir_json_open(&in, '['); next; next = weir_json_more(&in, ']'))
                WEIR_TRY(read_column(&in, &list));
        else
            weir_json_skip(&in);
    }
    if (in.is_bad)
        return json_trouble(&in);
    if (group < 0 || group > 0xffff || item < 0 || item > 0xff)
        return WEIR_CORRUPT;
    return finish_bank(&list, name, (uint32_t)group, (uint32_t)item, out);
}

/* ---- back to text ---- */

static size_t put(char *out, size_t room, size_t at, const void *data, size_t size)
{
    if (size > 0 && at < room)
        memcpy(out + at, data, weir_min_u64(size, room - at));
    return at + size;
}

static size_t put_number(char *out, size_t room, size_t at, uint32_t number)
{
    char digits[10];
    size_t count = 0;

    do {
        digits[sizeof digits - ++count] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return put(out, room, at, digits + sizeof digits - count, count);
}

static size_t put_column(char *out, size_t room, size_t at, const weir_hipo_column *column)
{
    at = put(out, room, at, column->name.data, column->name.size);
    at = put(out, room, at, "/", 1);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].type == column->type)
            at = put(out, room, at, &numbers[i].letter, 1);
    if (column->count == 1)
        return at;
    at = put(out, room, at, "#", 1);
    return put_number(out, room, at, column->count);
}

size_t weir_hipo_bank_text(const weir_hipo_bank *bank, char *out, size_t room)
{
    size_t at = put(out, room, 0, "{", 1);

    at = put(out, room, at, bank->name.data, bank->name.size);
    at = put(out, room, at, "/", 1);
    at = put_number(out, room, at, bank->id >> 8);
    at = put(out, room, at, "/", 1);
    at = put_number(out, room, at, bank->id & 0xff);
    at = put(out, room, at, "}{", 2);
    for (uint32_t i = 0; i < bank->column_count; i++) {
        if (i > 0)
            at = put(out, room, at, ",", 1);
        at = put_column(out, room, at, &bank->columns[i]);
    }
    return put(out, room, at, "}", 1);
}
