/* SPDX-License-Identifier: Apache-2.0
 * schema_hipo.c: `weir schema --hipo`: the dictionary of a HIPO file as the text that it is made
 * from, a line a bank, for other tools to read. */
#include "schema.h"

#include <string.h>

typedef struct hipo_visit {
    cli_out *out;
    int depth;
    bool is_in_banks;
} hipo_visit;

/* The facts "text" of the list "banks". */
static bool print_bank(void *user, const weir_fact *fact)
{
    hipo_visit *visit = user;

    switch (fact->kind) {
    case WEIR_FACT_LIST:
    case WEIR_FACT_OPEN:
        if (visit->depth++ == 0)
            visit->is_in_banks = fact->name && strcmp(fact->name, "banks") == 0;
        break;
    case WEIR_FACT_CLOSE:
        visit->depth--;
        break;
    case WEIR_FACT_TEXT:
        if (visit->is_in_banks && visit->depth == 2 && strcmp(fact->name, "text") == 0) {
            cli_put_shown(visit->out, (const char *)fact->bytes.data, fact->bytes.size);
            cli_putc(visit->out, '\n');
        }
        break;
    default:
        break;
    }
    return true;
}

void schema_put_hipo(cli_session *session, const weir_file_info *info)
{
    hipo_visit visit = { .out = &session->out };
    weir_error err;

    if (strcmp(info->format, "hipo") != 0) {
        cli_say("%s: --hipo prints the dictionary of a HIPO file, and this is %s", info->path,
                info->format);
        session->code = CLI_USAGE;
    } else if (weir_dataset_describe(session->dataset, 0, print_bank, &visit, &err) != WEIR_OK) {
        cli_fail(session, &err);
    }
}
