/* SPDX-License-Identifier: Apache-2.0
 * args.c: the options, by a table that also makes the help. */
#include "args.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_id {
    OPT_COLUMNS,
    OPT_LIMIT,
    OPT_SKIP,
    OPT_TAIL,
    OPT_FORMAT,
    OPT_FLATTEN,
    OPT_EVENTS,
    OPT_NO_HEADER,
    OPT_JSON,
    OPT_ARROW,
    OPT_HIPO,
    OPT_FOOTER,
    OPT_LEAVES,
    OPT_TIME,
    OPT_UNIFY,
    OPT_ANY_CASE,
    OPT_SKIP_BAD,
    OPT_RECORD_TAGS,
    OPT_EVENT_TAGS,
    OPT_EVENT_MASK,
    OPT_PRESENT,
    OPT_SALVAGE,
    OPT_THREADS,
    OPT_MEMORY_LIMIT,
    OPT_MAP,
    OPT_NO_CRC,
    OPT_NO_PAGE_INDEX,
    OPT_QUIET,
    OPT_HELP
} option_id;

typedef struct cli_option {
    const char *name;
    char letter;       /* 0: none */
    const char *value; /* NULL: takes none */
    const char *help;
    unsigned commands;
    option_id id;
} cli_option;

static const cli_option options[] = {
    { "columns", 'c', "LIST", "columns, by name, glob, number from 0 or path, separated by commas",
      CLI_HEAD | CLI_CAT | CLI_STAT, OPT_COLUMNS },
    { "limit", 'n', "N", "at most N rows", CLI_HEAD | CLI_CAT, OPT_LIMIT },
    { "skip", 0, "N", "leave out the first N rows", CLI_HEAD | CLI_CAT, OPT_SKIP },
    { "tail", 0, "N", "begin N rows before the end", CLI_HEAD | CLI_CAT, OPT_TAIL },
    { "format", 'f', "FORMAT", "table, csv, tsv or jsonl (table)", CLI_HEAD | CLI_CAT, OPT_FORMAT },
    { "flatten", 0, NULL, "a column for each field of a struct, with dots in its name",
      CLI_HEAD | CLI_CAT, OPT_FLATTEN },
    { "events", 0, NULL, "row by row: a small table for each list of structs, as HIPO's banks are",
      CLI_HEAD | CLI_CAT, OPT_EVENTS },
    { "no-header", 0, NULL, "no line of names", CLI_HEAD | CLI_CAT, OPT_NO_HEADER },
    { "json", 0, NULL, "print JSON", CLI_SCHEMA | CLI_INFO | CLI_STAT | CLI_CODECS, OPT_JSON },
    { "arrow", 0, NULL, "print Arrow's types", CLI_SCHEMA, OPT_ARROW },
    { "hipo", 0, NULL, "print the dictionary of a HIPO file as its text", CLI_SCHEMA, OPT_HIPO },
    { "footer", 0, NULL, "print all that the footer says, as JSON", CLI_INFO, OPT_FOOTER },
    { "leaves", 0, NULL, "print more of each leaf: levels, sizes", CLI_INFO, OPT_LEAVES },
    { "time", 0, NULL, "print what the reading took, on stderr", CLI_STAT, OPT_TIME },
    { "unify", 0, NULL, "widen types that differ among files; missing columns are null",
      CLI_SCHEMA | CLI_HEAD | CLI_CAT | CLI_STAT, OPT_UNIFY },
    { "any-case", 0, NULL, "names match without regard to ASCII case",
      CLI_SCHEMA | CLI_HEAD | CLI_CAT | CLI_STAT, OPT_ANY_CASE },
    { "skip-bad", 0, NULL, "go on past corrupt files, and report them",
      CLI_SCHEMA | CLI_COUNT | CLI_HEAD | CLI_CAT | CLI_STAT, OPT_SKIP_BAD },
    { "record-tags", 0, "LIST", "of HIPO files, records with one of these tags alone",
      CLI_FILES & ~CLI_SCHEMA, OPT_RECORD_TAGS },
    { "event-tags", 0, "LIST", "of HIPO files, events with one of these tags alone", CLI_FILTERS,
      OPT_EVENT_TAGS },
    { "event-mask", 0, "BITS", "of HIPO files, events whose tag has one of these bits: 6, 0x10",
      CLI_FILTERS, OPT_EVENT_MASK },
    { "present", 0, "LIST", "of HIPO files, events that have all of these banks", CLI_FILTERS,
      OPT_PRESENT },
    { "salvage", 0, NULL, "of HIPO files, all that can be read; the rest is left out and told",
      CLI_FILES & ~CLI_SCHEMA, OPT_SALVAGE },
    { "threads", 0, "N", "threads to use, this one included (one a core)", CLI_FILES, OPT_THREADS },
    { "memory-limit", 0, "SIZE", "fail rather than use more for pages and batches: 512M, 2G",
      CLI_READS, OPT_MEMORY_LIMIT },
    { "map", 0, NULL, "map files instead of reading them", CLI_FILES, OPT_MAP },
    { "no-crc", 0, NULL, "don't verify page checksums", CLI_READS, OPT_NO_CRC },
    { "no-page-index", 0, NULL, "don't use offset indexes", CLI_READS, OPT_NO_PAGE_INDEX },
    { "quiet", 'q', NULL, "no progress bar", CLI_FILES | CLI_CODECS, OPT_QUIET },
    { "help", 'h', NULL, "print this", CLI_FILES | CLI_CODECS, OPT_HELP },
};

void cli_put_options(cli_out *out, const cli_command *command)
{
    size_t i;

    for (i = 0; i < CLI_COUNT_OF(options); i++) {
        const cli_option *o = &options[i];
        size_t begin;

        if (!(o->commands & command->bit))
            continue;
        cli_puts(out, "  ");
        begin = out->used;
        if (o->letter)
            cli_printf(out, "-%c, ", o->letter);
        cli_printf(out, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        do
            cli_putc(out, ' ');
        while (out->used - begin < 22);
        cli_printf(out, "%s\n", o->help);
    }
}

typedef struct cli_parser {
    const cli_command *command;
    cli_args *args;
    bool wants_help;
} cli_parser;

/* Digits alone, at most `most`. */
static bool parse_digits(const char *text, uint64_t most, uint64_t *out)
{
    uint64_t number = 0;

    if (*text == '\0')
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number))
            return false;
    *out = number;
    return *text == '\0' && number <= most;
}

static bool parse_count(const char *text, int64_t *out)
{
    uint64_t number;

    if (!parse_digits(text, INT64_MAX, &number))
        return false;
    *out = (int64_t)number;
    return true;
}

/* 4096, 64K, 512M, 2G, also 512MB and 512MiB: all by 1024. */
static bool parse_size(const char *text, size_t *out)
{
    const size_t digits = strspn(text, "0123456789");
    static const char units[] = "KMGT";
    char number[24];
    const char *unit = text + digits;
    int64_t value;
    unsigned shift = 0;

    if (digits >= sizeof(number))
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!parse_count(number, &value))
        return false;
    if (*unit) {
        const char *at = strchr(units, *unit >= 'a' ? *unit - 'a' + 'A' : *unit);

        if (!at)
            return false;
        shift = 10 * (unsigned)(at - units + 1);
        unit++;
        if (*unit && strcmp(unit, "B") != 0 && strcmp(unit, "iB") != 0)
            return false;
    }
    *out = (size_t)value << shift;
    return value > 0 && *out >> shift == (size_t)value;
}

static bool parse_format(const char *text, cli_format *out)
{
    static const char *const names[] = { "table", "csv", "tsv", "jsonl" };
    size_t i;

    for (i = 0; i < CLI_COUNT_OF(names); i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (cli_format)i;
            return true;
        }
    return false;
}

/* Splits at commas; `\,` is a comma of the name. */
static void parse_names(char ***names, size_t *count, const char *text)
{
    char *part = cli_alloc(NULL, strlen(text) + 1, 1);
    size_t size = 0;

    for (;; text++) {
        if (text[0] == '\\' && text[1] == ',') {
            part[size++] = *++text;
        } else if (*text && *text != ',') {
            part[size++] = *text;
        } else {
            part[size] = '\0';
            *names = cli_alloc(*names, *count + 1, sizeof(char *));
            (*names)[*count] = cli_alloc(NULL, size + 1, 1);
            memcpy((*names)[(*count)++], part, size + 1);
            size = 0;
            if (*text == '\0')
                break;
        }
    }
    free(part);
}

/* A tag is 64 bits: -2^63 to 2^64 - 1, of which those above 2^63 - 1 are the negative ones, too. */
static bool parse_tag(const char *text, int64_t *out)
{
    const bool is_negative = *text == '-';
    uint64_t number;

    if (!parse_digits(text + is_negative, is_negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX,
                      &number))
        return false;
    *out = (int64_t)(is_negative ? 0 - number : number);
    return true;
}

static bool add_record_tag(cli_args *args, const char *text)
{
    args->tags = cli_alloc(args->tags, args->tag_count + 1, sizeof(*args->tags));
    return parse_tag(text, &args->tags[args->tag_count++]);
}

/* 0,1,-7: each number to `add`. */
static bool parse_tags(cli_args *args, const char *text,
                       bool (*add)(cli_args *args, const char *text))
{
    for (;;) {
        const size_t size = strcspn(text, ",");
        char number[24];

        if (size == 0 || size >= sizeof(number))
            return false;
        memcpy(number, text, size);
        number[size] = '\0';
        if (!add(args, number))
            return false;
        if (!text[size])
            return true;
        text += size + 1;
    }
}

/* Decimal, or hexadecimal behind 0x. */
static bool parse_u32(const char *text, uint32_t *out)
{
    const bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = is_hex ? text + 2 : text;
    const size_t size = strlen(digits);
    unsigned long long number;

    if (size == 0 || size > 10 ||
        strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789") != size)
        return false;
    number = strtoull(digits, NULL, is_hex ? 16 : 10);
    *out = (uint32_t)number;
    return number <= UINT32_MAX;
}

static bool add_event_tag(cli_args *args, const char *text)
{
    args->event_tags =
        cli_alloc(args->event_tags, args->event_tag_count + 1, sizeof(*args->event_tags));
    return parse_u32(text, &args->event_tags[args->event_tag_count++]);
}

static bool parse_threads(const char *text, int *out)
{
    int64_t number;

    if (!parse_count(text, &number) || number > 4096)
        return false;
    *out = (int)number;
    return true;
}

/* False: the value is not what the option takes. */
static bool parse_value(cli_parser *parser, const cli_option *option, const char *value)
{
    cli_args *args = parser->args;

    switch (option->id) {
    case OPT_COLUMNS:
        parse_names(&args->columns, &args->column_count, value);
        return true;
    case OPT_LIMIT:
        return parse_count(value, &args->limit);
    case OPT_SKIP:
        return parse_count(value, &args->skip);
    case OPT_TAIL:
        return parse_count(value, &args->tail);
    case OPT_FORMAT:
        return parse_format(value, &args->format);
    case OPT_THREADS:
        return parse_threads(value, &args->threads);
    case OPT_MEMORY_LIMIT:
        return parse_size(value, &args->memory_limit);
    case OPT_RECORD_TAGS:
        return parse_tags(args, value, add_record_tag);
    case OPT_EVENT_TAGS:
        return parse_tags(args, value, add_event_tag);
    case OPT_EVENT_MASK:
        return parse_u32(value, &args->event_mask) && args->event_mask;
    case OPT_PRESENT:
        parse_names(&args->present, &args->present_count, value);
        return true;
    case OPT_SALVAGE:
        args->flags |= WEIR_SALVAGE;
        break;
    case OPT_FLATTEN:
        args->is_flat = true;
        break;
    case OPT_EVENTS:
        args->is_events = true;
        break;
    case OPT_NO_HEADER:
        args->has_header = false;
        break;
    case OPT_JSON:
        args->is_json = true;
        break;
    case OPT_ARROW:
        args->is_arrow = true;
        break;
    case OPT_HIPO:
        args->is_hipo = true;
        break;
    case OPT_FOOTER:
        args->is_footer = true;
        break;
    case OPT_LEAVES:
        args->is_leaves = true;
        break;
    case OPT_TIME:
        args->is_timed = true;
        break;
    case OPT_UNIFY:
        args->flags |= WEIR_UNIFY;
        break;
    case OPT_ANY_CASE:
        args->flags |= WEIR_ANY_CASE;
        break;
    case OPT_SKIP_BAD:
        args->flags |= WEIR_SKIP_BAD;
        break;
    case OPT_MAP:
        args->flags |= WEIR_MAP_FILES;
        break;
    case OPT_NO_CRC:
        args->flags |= WEIR_NO_SUMS;
        break;
    case OPT_NO_PAGE_INDEX:
        args->flags |= WEIR_NO_PAGE_INDEX;
        break;
    case OPT_QUIET:
        args->is_quiet = true;
        break;
    case OPT_HELP:
        parser->wants_help = true;
        break;
    }
    return true;
}

static const cli_option *find_long(const cli_command *command, const char *name, size_t size)
{
    size_t i;

    for (i = 0; i < CLI_COUNT_OF(options); i++)
        if (options[i].commands & command->bit && strlen(options[i].name) == size &&
            memcmp(options[i].name, name, size) == 0)
            return &options[i];
    return NULL;
}

static const cli_option *find_short(const cli_command *command, char letter)
{
    size_t i;

    for (i = 0; i < CLI_COUNT_OF(options); i++)
        if (options[i].commands & command->bit && options[i].letter == letter)
            return &options[i];
    return NULL;
}

static bool usage_error(const char *command, const char *what, const char *subject)
{
    cli_say("%s: %s%s%s (weir %s --help)", command, what, subject ? ": " : "",
            subject ? subject : "", command);
    return false;
}

static bool take_value(cli_parser *parser, const cli_option *option, const char *value)
{
    char name[64];

    if (parse_value(parser, option, value))
        return true;
    snprintf(name, sizeof(name), "--%s takes %s, not", option->name, option->value);
    return usage_error(parser->command->name, name, value);
}

/* `--name`, `--name=value` or `--name value`; *at is the argument's place, moved over a value. */
static bool parse_long(cli_parser *parser, char **argv, int *at)
{
    const char *text = argv[*at] + 2;
    const size_t size = strcspn(text, "=");
    const cli_option *option = find_long(parser->command, text, size);

    if (!option)
        return usage_error(parser->command->name, "unknown option", argv[*at]);
    if (text[size] == '=') {
        if (!option->value)
            return usage_error(parser->command->name, "option takes no value", argv[*at]);
        return take_value(parser, option, text + size + 1);
    }
    if (!option->value)
        return parse_value(parser, option, NULL);
    if (!argv[*at + 1])
        return usage_error(parser->command->name, "option needs a value", argv[*at]);
    return take_value(parser, option, argv[++*at]);
}

/* `-q`, `-n5` or `-n 5`, several together. */
static bool parse_short(cli_parser *parser, char **argv, int *at)
{
    const char *text = argv[*at] + 1;

    for (; *text; text++) {
        const cli_option *option = find_short(parser->command, *text);

        if (!option)
            return usage_error(parser->command->name, "unknown option", argv[*at]);
        if (!option->value) {
            parse_value(parser, option, NULL);
            continue;
        }
        if (text[1])
            return take_value(parser, option, text + 1);
        if (!argv[*at + 1])
            return usage_error(parser->command->name, "option needs a value", argv[*at]);
        return take_value(parser, option, argv[++*at]);
    }
    return true;
}

static bool check_args(const cli_parser *parser)
{
    const cli_args *args = parser->args;

    if (parser->wants_help)
        return true;
    if (args->path_count == 0 && parser->command->bit & CLI_FILES)
        return usage_error(parser->command->name, "no file given", NULL);
    if (args->path_count > 0 && !(parser->command->bit & CLI_FILES))
        return usage_error(parser->command->name, "unwanted argument", args->paths[0]);
    if (args->skip >= 0 && args->tail >= 0)
        return usage_error(parser->command->name, "--skip and --tail exclude each other", NULL);
    if (args->is_events && args->format != CLI_TABLE)
        return usage_error(parser->command->name, "--events excludes --format", NULL);
    if (args->is_json && (args->is_arrow || args->is_hipo || args->is_footer))
        return usage_error(parser->command->name, "--json excludes --arrow, --hipo and --footer",
                           NULL);
    return true;
}

static bool parse(cli_parser *parser, char **argv)
{
    bool are_paths = false;
    int i;

    for (i = 0; argv[i]; i++) {
        if (are_paths || argv[i][0] != '-' || argv[i][1] == '\0')
            parser->args->paths[parser->args->path_count++] = argv[i];
        else if (strcmp(argv[i], "--") == 0)
            are_paths = true;
        else if (!(argv[i][1] == '-' ? parse_long(parser, argv, &i)
                                     : parse_short(parser, argv, &i)))
            return false;
    }
    return check_args(parser);
}

bool cli_args_parse(cli_args *args, const cli_command *command, int argc, char **argv,
                    bool *wants_help)
{
    cli_parser parser = { .command = command, .args = args };
    bool is_right;

    memset(args, 0, sizeof(*args));
    args->name = command->name;
    args->limit = args->skip = args->tail = -1;
    args->has_header = true;
    args->paths = cli_alloc(NULL, (size_t)argc + 1, sizeof(char *));
    is_right = parse(&parser, argv);
    *wants_help = parser.wants_help;
    return is_right;
}

static void free_names(char **names, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

void cli_args_fini(cli_args *args)
{
    free_names(args->columns, args->column_count);
    free_names(args->present, args->present_count);
    free(args->event_tags);
    free(args->tags);
    free(args->paths);
}
