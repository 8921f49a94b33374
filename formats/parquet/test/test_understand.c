/* SPDX-License-Identifier: Apache-2.0
 * test_understand.c: schemas as old and new writers lay them, and the columns they mean: the
 * examples of parquet-format LogicalTypes.md, "Lists" and "Maps", with their backward-compatibility
 * rules. */
#include "parquet_file.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum {
    REQUIRED,
    OPTIONAL,
    REPEATED,
    INT32 = 1,
    BYTE_ARRAY = 6,
    NONE = -1, /* no annotation */
    MAP = 1,
    MAP_KEY_VALUE = 2,
    LIST = 3 /* of ConvertedType */
};

typedef struct element { /* of the schema; the root is left out */
    int repetition;
    const char *name;
    int type; /* of a leaf; -1: a group */
    int children, converted;
} element;

static void put_schema(thrift *t, const element *elements, size_t count, int columns)
{
    t_i32(t, 1, 1);
    t_list(t, 2, WIRE_STRUCT, count + 1);
    put_group(t, "root", -1, columns);
    for (size_t i = 0; i < count; i++) {
        const element *e = &elements[i];

        t_open(t);
        if (e->type >= 0)
            t_i32(t, 1, e->type);
        t_i32(t, 3, e->repetition);
        t_text(t, 4, e->name);
        if (e->type < 0)
            t_i32(t, 5, e->children);
        if (e->converted >= 0)
            t_i32(t, 6, e->converted);
        t_end(t);
    }
    t_i64(t, 3, 0);
    t_list(t, 4, WIRE_STRUCT, 0);
    put_byte(&t->out, 0);
}

/* "my_list:list?(element:bytes)@2/1": `?` may be null, a leaf's levels at its end. */
static void tell(const weir_schema *schema, const weir_field *field, char *out, size_t room)
{
    const char *type = field->type == WEIR_LIST     ? "list"
                       : field->type == WEIR_MAP    ? "map"
                       : field->type == WEIR_STRUCT ? "struct"
                       : field->type == WEIR_I32    ? "int32"
                                                    : "bytes";
    size_t used = strlen(out);

    used += (size_t)snprintf(out + used, room - used, "%s:%s%s", (const char *)field->name.data,
                             type, field->repetition == WEIR_OPTIONAL ? "?" : "");
    if (field->leaf >= 0) {
        snprintf(out + used, room - used, "@%d/%d", field->max_definition, field->max_repetition);
        return;
    }
    for (int32_t i = field->first_child; i >= 0;) {
        const weir_field *child = weir_schema_field(schema, i);

        strncat(out, i == field->first_child ? "(" : ", ", room - strlen(out) - 1);
        tell(schema, child, out, room);
        i = child->next_sibling;
    }
    strncat(out, ")", room - strlen(out) - 1);
}

static stage shared;

static void expect(const element *elements, size_t count, const char *meant)
{
    char text[400] = "";
    thrift t = { 0 };
    test_file f;
    weir_error err;

    stage_open(&shared);
    put_schema(&t, elements, count, 1);
    cr_assert_eq(test_file_open(&shared, &f, NULL, &t, &err), WEIR_OK, "%s", err.text);
    tell(f.file.schema, weir_schema_column(f.file.schema, 0), text, sizeof text);
    cr_assert_str_eq(text, meant);
    cr_assert_eq(weir_schema_leaf_count(f.file.schema), weir_schema_leaf_count(f.file.written));
    test_file_close(&f);
    t_free(&t);
    stage_close(&shared);
}

#define EXPECT(meant, ...)                                           \
    do {                                                             \
        static const element elements[] = { __VA_ARGS__ };           \
        expect(elements, sizeof elements / sizeof *elements, meant); \
    } while (0)

Test(understand, a_list_of_three_levels)
{
    EXPECT("my_list:list(element:bytes?@2/1)",   //
           { REQUIRED, "my_list", -1, 1, LIST }, //
           { REPEATED, "list", -1, 1, NONE },    //
           { OPTIONAL, "element", BYTE_ARRAY, 0, NONE });
    EXPECT("my_list:list?(element:bytes@2/1)",   //
           { OPTIONAL, "my_list", -1, 1, LIST }, //
           { REPEATED, "list", -1, 1, NONE },    //
           { REQUIRED, "element", BYTE_ARRAY, 0, NONE });
    EXPECT("array_of_arrays:list?(element:list(element:int32@3/2))",
           { OPTIONAL, "array_of_arrays", -1, 1, LIST }, //
           { REPEATED, "list", -1, 1, NONE },            //
           { REQUIRED, "element", -1, 1, LIST },         //
           { REPEATED, "list", -1, 1, NONE },            //
           { REQUIRED, "element", INT32, 0, NONE });
}

Test(understand, names_of_three_levels_mean_nothing)
{
    EXPECT("my_list:list?(str:bytes@2/1)",       //
           { OPTIONAL, "my_list", -1, 1, LIST }, //
           { REPEATED, "element", -1, 1, NONE }, //
           { REQUIRED, "str", BYTE_ARRAY, 0, NONE });
}

Test(understand, a_repeated_field_that_is_no_group_is_the_element)
{
    EXPECT("my_list:list?(element:int32@2/1)",   //
           { OPTIONAL, "my_list", -1, 1, LIST }, //
           { REPEATED, "element", INT32, 0, NONE });
}

Test(understand, a_repeated_group_of_many_fields_is_the_element)
{
    EXPECT("my_list:list?(element:struct(str:bytes@2/1, num:int32@2/1))",
           { OPTIONAL, "my_list", -1, 1, LIST },     //
           { REPEATED, "element", -1, 2, NONE },     //
           { REQUIRED, "str", BYTE_ARRAY, 0, NONE }, //
           { REQUIRED, "num", INT32, 0, NONE });
}

Test(understand, a_repeated_group_named_array_or_tuple_is_the_element)
{
    EXPECT("my_list:list?(array:struct(str:bytes@2/1))", //
           { OPTIONAL, "my_list", -1, 1, LIST },         //
           { REPEATED, "array", -1, 1, NONE },           //
           { REQUIRED, "str", BYTE_ARRAY, 0, NONE });
    EXPECT("my_list:list?(my_list_tuple:struct(str:bytes@2/1))", //
           { OPTIONAL, "my_list", -1, 1, LIST },                 //
           { REPEATED, "my_list_tuple", -1, 1, NONE },           //
           { REQUIRED, "str", BYTE_ARRAY, 0, NONE });
    EXPECT("my_list:list?(str:bytes@2/1)",            /* the tuple of another list */
           { OPTIONAL, "my_list", -1, 1, LIST },      //
           { REPEATED, "a_list_tuple", -1, 1, NONE }, //
           { REQUIRED, "str", BYTE_ARRAY, 0, NONE });
}

Test(understand, lists_of_two_levels_in_each_other)
{
    EXPECT("my_list:list?(array:list(array:int32@3/2))", //
           { OPTIONAL, "my_list", -1, 1, LIST },         //
           { REPEATED, "array", -1, 1, LIST },           //
           { REPEATED, "array", INT32, 0, NONE });
}

/* The one child of the repeated group is repeated: the group is the element, as it has a field that
 * is a list. */
Test(understand, a_repeated_group_of_a_repeated_field_is_the_element)
{
    EXPECT("my_list:list?(element:struct(n:list(n:int32@3/2)))", //
           { OPTIONAL, "my_list", -1, 1, LIST },                 //
           { REPEATED, "element", -1, 1, NONE },                 //
           { REPEATED, "n", INT32, 0, NONE });
}

Test(understand, a_bare_repeated_field_is_a_list_that_is_there)
{
    EXPECT("n:list(n:int32@1/1)", { REPEATED, "n", INT32, 0, NONE });
    EXPECT("g:list(g:struct(a:int32?@2/1, b:list(b:bytes@2/2)))", //
           { REPEATED, "g", -1, 2, NONE },                        //
           { OPTIONAL, "a", INT32, 0, NONE },                     //
           { REPEATED, "b", BYTE_ARRAY, 0, NONE });
    EXPECT("s:struct?(n:list(n:int32@2/1))", { OPTIONAL, "s", -1, 1, NONE },
           { REPEATED, "n", INT32, 0, NONE });
}

Test(understand, a_group_marked_as_a_list_that_is_none_is_a_struct)
{
    EXPECT("my_list:struct?(element:int32?@2/0)", //
           { OPTIONAL, "my_list", -1, 1, LIST },  //
           { OPTIONAL, "element", INT32, 0, NONE });
    EXPECT("my_list:struct?(a:list(a:int32@2/1), b:int32@1/0)", //
           { OPTIONAL, "my_list", -1, 2, LIST },                //
           { REPEATED, "a", INT32, 0, NONE },                   //
           { REQUIRED, "b", INT32, 0, NONE });
}

Test(understand, maps_of_all_times)
{
    EXPECT("my_map:map(key_value:struct(key:bytes@1/1, value:int32?@2/1))", //
           { REQUIRED, "my_map", -1, 1, MAP },                              //
           { REPEATED, "key_value", -1, 2, NONE },                          //
           { REQUIRED, "key", BYTE_ARRAY, 0, NONE },                        //
           { OPTIONAL, "value", INT32, 0, NONE });
    EXPECT("my_map:map?(map:struct(str:bytes@2/1, num:int32@2/1))", //
           { OPTIONAL, "my_map", -1, 1, MAP },                      //
           { REPEATED, "map", -1, 2, MAP_KEY_VALUE },               //
           { REQUIRED, "str", BYTE_ARRAY, 0, NONE },                //
           { REQUIRED, "num", INT32, 0, NONE });
    EXPECT("my_map:map?(map:struct(key:bytes@2/1, value:int32?@3/1))", //
           { OPTIONAL, "my_map", -1, 1, MAP_KEY_VALUE },               //
           { REPEATED, "map", -1, 2, NONE },                           //
           { REQUIRED, "key", BYTE_ARRAY, 0, NONE },                   //
           { OPTIONAL, "value", INT32, 0, NONE });
}

Test(understand, maps_without_values_and_with_keys_that_may_be_null)
{
    EXPECT("set:map?(key_value:struct(key:bytes@2/1))", //
           { OPTIONAL, "set", -1, 1, MAP },             //
           { REPEATED, "key_value", -1, 1, NONE },      //
           { REQUIRED, "key", BYTE_ARRAY, 0, NONE });
    EXPECT("my_map:map?(map:struct(key:bytes?@3/1, value:int32?@3/1))", //
           { OPTIONAL, "my_map", -1, 1, MAP },                          //
           { REPEATED, "map", -1, 2, NONE },                            //
           { OPTIONAL, "key", BYTE_ARRAY, 0, NONE },                    //
           { OPTIONAL, "value", INT32, 0, NONE });
}
