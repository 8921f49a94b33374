#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""opinion_walk.py parquet.thrift OUT.inc: C functions that write each struct that thrift-c decoded
as lines, `put_FileMetaData` and so on, and `known`, the sorted names of all fields and enumerators.
"""
import re
import sys

def strip_comments(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def parse(text):
    enums, structs = {}, {}
    for kind, name, body in re.findall(r"\b(enum|struct|union)\s+(\w+)\s*\{(.*?)\}", text, re.S):
        if kind == "enum":
            enums[name] = re.findall(r"(\w+)\s*=\s*(\d+)", body)
        else:
            fields = re.findall(r"\d+\s*:\s*(required|optional)?\s*(list<\w+>|\w+)\s+(\w+)", body)
            structs[name] = [(need != "required", kind, field) for need, kind, field in fields]
    return enums, structs


def put(enums, kind, value, name):
    if kind in ("i8", "i16", "i32", "i64", "byte"):
        return f"put_int(out, {name}, {value});"
    if kind == "bool":
        return f"put_int(out, {name}, {value} ? 1 : 0);"
    if kind == "string":
        return f"put_text(out, {name}, {value});"
    if kind == "binary":
        return f"put_bytes(out, {name}, {value});"
    if kind in enums:
        return f"put_word(out, {name}, {value}, name_of_{kind}({value}));"
    return f"put_{kind}(out, {name}, {value});"


def element(enums, kind, array):
    """Element i of a list: numbers lie in a GArray, pointers in a GPtrArray."""
    if kind in enums:
        return f"(int)g_array_index({array}, {kind}, i)"
    if kind == "bool":
        return f"g_array_index({array}, gboolean, i)"
    if kind in ("i16", "i32", "i64"):
        return f"g_array_index({array}, gint{kind[1:]}, i)"
    if kind == "string":
        return f"(const char *)g_ptr_array_index({array}, i)"
    if kind == "binary":
        return f"(GByteArray *)g_ptr_array_index({array}, i)"
    return f"({kind} *)g_ptr_array_index({array}, i)"


def put_field(enums, kind, field):
    value = f"s->{field}"
    found = re.match(r"list<(\w+)>", kind)
    if not found:
        return [put(enums, kind, value, f'"{field}"')]
    inner = found.group(1)
    return [f'open_list(out, "{field}", {value}->len);',
            f"for (guint i = 0; i < {value}->len; i++)",
            "    " + put(enums, inner, element(enums, inner, value), "NULL"),
            "close_path(out);"]


def write(enums, structs, out):
    for name, items in enums.items():
        out.write(f"static const char *name_of_{name}(int number)\n{{\n    switch (number) {{\n")
        for word, number in items:
            out.write(f'    case {number}:\n        return "{word}";\n')
        out.write("    default:\n        return NULL;\n    }\n}\n\n")
    for name, fields in structs.items():
        out.write(f"static void put_{name}(lines *out, const char *name, const {name} *s)\n{{\n")
        out.write("    open_struct(out, name);\n    (void)s;\n")
        for may_lack, kind, field in fields:
            lines = put_field(enums, kind, field)
            if may_lack:
                lines = [f"if (s->__isset_{field}) {{"] + ["    " + l for l in lines] + ["}"]
            out.write("".join(f"    {line}\n" for line in lines))
        out.write("    close_path(out);\n}\n\n")
    known = {field for fields in structs.values() for _, _, field in fields}
    known |= {word for items in enums.values() for word, _ in items}
    out.write("static const char *const known[] = {\n")
    out.write("".join(f'    "{name}",\n' for name in sorted(known)))
    out.write("};\n")


def main():
    with open(sys.argv[1], encoding="utf-8") as source:
        enums, structs = parse(strip_comments(source.read()))
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("/* Made from parquet.thrift by opinion_walk.py. */\n")
        write(enums, structs, out)


main()
