/* SPDX-License-Identifier: Apache-2.0
 * test_compact.c: the Thrift compact protocol, by hand-made bytes and cut, odd and hostile ones. */
#include "formats/parquet/compact.h"

#include "thrift.h"

#include <criterion/criterion.h>

#define INIT(in, ...)                        \
    const uint8_t data_[] = { __VA_ARGS__ }; \
    weir_compact in;                         \
    weir_compact_init(&in, data_, sizeof data_)

Test(compact, numbers_are_zigzag_varints)
{
    INIT(in, 0x00, 0x01, 0x02, 0xff, 0x01, 0x80, 0x02,               /* 0 -1 1 -128 128 */
         0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* most */
         0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 /* least */);

    cr_expect_eq(weir_compact_read_int(&in), 0);
    cr_expect_eq(weir_compact_read_int(&in), -1);
    cr_expect_eq(weir_compact_read_int(&in), 1);
    cr_expect_eq(weir_compact_read_int(&in), -128);
    cr_expect_eq(weir_compact_read_int(&in), 128);
    cr_expect_eq(weir_compact_read_int(&in), INT64_MAX);
    cr_expect_eq(weir_compact_read_int(&in), INT64_MIN);
    cr_expect_null(in.why);
    cr_expect_eq(in.at, in.end);
}

Test(compact, a_number_of_more_than_64_bits_is_trouble_and_not_a_cut)
{
    INIT(in, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0x00);

    weir_compact_read_int(&in);
    cr_assert_not_null(in.why);
    cr_expect_not(in.is_cut);
    cr_expect_eq(in.spot, data_);
}

Test(compact, a_number_of_ten_open_bytes_is_trouble_and_not_a_cut)
{
    INIT(in, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);

    weir_compact_read_int(&in);
    cr_assert_not_null(in.why);
    cr_expect_not(in.is_cut);
}

Test(compact, fields_come_with_short_and_long_numbers)
{
    INIT(in, 0x15, 0x02,   /* field 1: i32 1 */
         0x05, 0x28, 0x03, /* field 20, said in full: i32 -2 */
         0x11,             /* field 21: true */
         0x05, 0x03, 0x04, /* field -2: i32 2 */
         0x00);
    weir_compact_field field = { 0 };
    int32_t value = 0;
    bool flag = false;

    cr_assert(weir_compact_next(&in, &field));
    cr_expect_eq(field.id, 1);
    cr_assert(weir_compact_i32(&in, &field, &value));
    cr_expect_eq(value, 1);
    cr_assert(weir_compact_next(&in, &field));
    cr_expect_eq(field.id, 20);
    cr_assert(weir_compact_i32(&in, &field, &value));
    cr_expect_eq(value, -2);
    cr_assert(weir_compact_next(&in, &field));
    cr_expect_eq(field.id, 21);
    cr_assert(weir_compact_bool(&in, &field, &flag));
    cr_expect(flag);
    cr_assert(weir_compact_next(&in, &field));
    cr_expect_eq(field.id, -2);
    cr_assert(weir_compact_i32(&in, &field, &value));
    cr_expect_eq(value, 2);
    cr_expect_not(weir_compact_next(&in, &field));
    cr_expect_null(in.why);
}

Test(compact, a_field_number_beyond_16_bits_is_trouble)
{
    INIT(in, 0x05, 0x80, 0x80, 0x04, 0x00, 0x00); /* 32768 */
    weir_compact_field field = { 0 };

    cr_expect_not(weir_compact_next(&in, &field));
    cr_expect_not_null(in.why);
}

Test(compact, a_value_of_another_type_is_skipped)
{
    INIT(in, 0x16, 0x02,                   /* field 1: an i64 where an i32 is asked for */
         0x18, 0x02, 'h', 'i',             /* field 2: text where a list is asked for */
         0x19, 0x28, 0x01, 'a', 0x01, 'b', /* field 3: list of text where one of structs is */
         0x15, 0x0a, 0x00);                /* field 4: i32 5 */
    weir_compact_field field = { 0 };
    int32_t value = 77;
    uint32_t count = 77;

    cr_assert(weir_compact_next(&in, &field));
    cr_expect_not(weir_compact_i32(&in, &field, &value));
    cr_assert(weir_compact_next(&in, &field));
    cr_expect_not(weir_compact_list(&in, &field, WEIR_COMPACT_STRUCT, &count));
    cr_assert(weir_compact_next(&in, &field));
    cr_expect_not(weir_compact_list(&in, &field, WEIR_COMPACT_STRUCT, &count));
    cr_expect_eq(value, 77);
    cr_expect_eq(count, 77);
    cr_assert(weir_compact_next(&in, &field));
    cr_assert(weir_compact_i32(&in, &field, &value));
    cr_expect_eq(value, 5);
    cr_expect_null(in.why);
}

Test(compact, a_number_too_large_for_its_field_is_trouble)
{
    INIT(in, 0x15, 0x80, 0x80, 0x80, 0x80, 0x10, 0x00); /* 2^31 as an i32 */
    weir_compact_field field = { 0 };
    int32_t value = 77;

    cr_assert(weir_compact_next(&in, &field));
    cr_expect_not(weir_compact_i32(&in, &field, &value));
    cr_expect_eq(value, 77);
    cr_expect_not_null(in.why);
}

/* All types, some inside others, and what follows is found. */
static void put_everything(thrift *t)
{
    t_bool(t, 1, true);
    t_i8(t, 2, -3);
    t_i16(t, 3, 300);
    t_i32(t, 4, -70000);
    t_i64(t, 5, INT64_MIN);
    t_field(t, 6, WIRE_DOUBLE);
    put_raw(&t->out, "12345678", 8);
    t_text(t, 7, "text");
    t_list(t, 8, WIRE_TRUE, 3); /* each a byte */
    put_raw(&t->out, "\1\2\1", 3);
    t_list(t, 9, WIRE_STRUCT, 2);
    t_open(t);
    t_i32(t, 1, 1);
    t_end(t);
    t_open(t);
    t_end(t);
    t_field(t, 10, WIRE_SET);
    put_byte(&t->out, 2u << 4 | WIRE_I32);
    put_zigzag(&t->out, 5);
    put_zigzag(&t->out, 6);
    t_field(t, 11, WIRE_MAP); /* text to booleans */
    put_varint(&t->out, 2);
    put_byte(&t->out, (uint32_t)WIRE_BINARY << 4 | WIRE_TRUE);
    put_raw(&t->out, "\1a\1\1b\2", 6);
    t_field(t, 12, WIRE_MAP); /* an empty map is one byte */
    put_varint(&t->out, 0);
    t_list(t, 13, WIRE_LIST, 1);
    put_byte(&t->out, 1u << 4 | WIRE_BINARY);
    put_raw(&t->out, "\3abc", 4);
    t_field(t, 14, 13); /* a UUID */
    put_raw(&t->out, "0123456789abcdef", 16);
    t_list(t, 15, WIRE_I8, 40);
    for (int i = 0; i < 40; i++)
        put_byte(&t->out, (uint8_t)i);
}

Test(compact, all_types_are_skipped_to_what_follows)
{
    thrift t = { 0 };
    weir_compact in;
    weir_compact_field field = { 0 };
    int32_t value = 0, met = 0;

    put_everything(&t);
    t_i32(&t, 30, 1234);
    t_end(&t);
    weir_compact_init(&in, t.out.data, t.out.size);
    while (weir_compact_next(&in, &field)) {
        met++;
        if (field.id == 30)
            cr_assert(weir_compact_i32(&in, &field, &value));
        else
            weir_compact_skip(&in, field.type);
    }
    cr_expect_null(in.why);
    cr_expect_eq(met, 16);
    cr_expect_eq(value, 1234);
    cr_expect_eq(in.at, in.end);
    t_free(&t);
}

Test(compact, every_cut_is_told_as_one)
{
    thrift t = { 0 };

    put_everything(&t);
    t_end(&t);
    for (size_t size = 0; size < t.out.size; size++) {
        weir_compact in;
        weir_compact_field field = { 0 };

        weir_compact_init(&in, t.out.data, size);
        while (weir_compact_next(&in, &field))
            weir_compact_skip(&in, field.type);
        cr_expect_not_null(in.why, "cut at %zu", size);
        cr_expect(in.is_cut, "cut at %zu", size);
    }
    t_free(&t);
}

Test(compact, sizes_beyond_the_bytes_left_are_trouble_before_they_are_believed)
{
    static const uint8_t inputs[][12] = {
        { 0x18, 0xff, 0xff, 0xff, 0xff, 0x07, 'x' },        /* text of 2^31 - 1 bytes */
        { 0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 1 }, /* list of 2^32 - 1 numbers */
        { 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0 }, /* of structs */
        { 0x19, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 1 }, /* of booleans */
        { 0x1b, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x55, 1, 1 }, /* map */
        { 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 }, /* 2^64 - 1 */
    };

    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        weir_compact in;
        weir_compact_field field = { 0 };

        weir_compact_init(&in, inputs[i], sizeof inputs[i]);
        cr_assert(weir_compact_next(&in, &field));
        weir_compact_skip(&in, field.type);
        cr_expect_not_null(in.why, "input %zu", i);
        cr_expect_not(weir_compact_next(&in, &field), "input %zu: trouble is sticky", i);
    }
}

/* A struct in a struct in a struct ... : field 1 of each. */
Test(compact, depth_is_capped)
{
    static uint8_t deep[3000000];
    weir_compact in;

    memset(deep, 0x1c, sizeof deep);
    weir_compact_init(&in, deep, sizeof deep);
    weir_compact_skip(&in, WEIR_COMPACT_STRUCT);
    cr_assert_not_null(in.why);
    cr_expect_str_eq(in.why, "its structs are nested too deep");

    memset(deep, 0x19, sizeof deep); /* a list of one list of one list ... */
    weir_compact_init(&in, deep, sizeof deep);
    weir_compact_skip(&in, WEIR_COMPACT_LIST);
    cr_assert_not_null(in.why);
    cr_expect_str_eq(in.why, "its structs are nested too deep");
}

/* As Thrift's own readers see it: the type alone ends a struct, whatever the delta beside it. */
Test(compact, a_stop_with_a_delta_ends_a_struct_read_or_skipped)
{
    INIT(in, 0x1c, 0x15, 0x02, 0x30, 0x15, 0x06, 0x00);
    weir_compact_field field = { 0 }, inner = { 0 };
    int32_t value = 0;

    cr_assert(weir_compact_next(&in, &field));
    weir_compact_skip(&in, field.type);
    cr_assert(weir_compact_next(&in, &field));
    cr_assert(weir_compact_i32(&in, &field, &value));
    cr_expect_eq(value, 3);

    weir_compact_init(&in, data_, sizeof data_);
    field = (weir_compact_field){ 0 };
    cr_assert(weir_compact_next(&in, &field));
    cr_assert(weir_compact_next(&in, &inner));
    weir_compact_skip(&in, inner.type);
    cr_expect_not(weir_compact_next(&in, &inner));
    cr_expect_null(in.why);
    cr_assert(weir_compact_next(&in, &field));
    cr_expect_eq(field.id, 2);
}

Test(compact, a_type_that_does_not_exist_is_trouble)
{
    INIT(in, 0x1e, 0x00);
    weir_compact_field field = { 0 };

    cr_assert(weir_compact_next(&in, &field));
    weir_compact_skip(&in, field.type);
    cr_expect_not_null(in.why);
    cr_expect_not(in.is_cut);
}

Test(compact, trouble_keeps_its_first_place)
{
    INIT(in, 0x15, 0x02, 0x15, 0x80);
    weir_compact_field field = { 0 };
    int32_t value = 0;

    while (weir_compact_next(&in, &field))
        weir_compact_i32(&in, &field, &value);
    cr_expect_eq(in.spot - data_, 3);
    weir_compact_read_int(&in);
    weir_compact_read_binary(&in);
    cr_expect_eq(in.spot - data_, 3);
    cr_expect_eq(value, 1);
}
