/* SPDX-License-Identifier: Apache-2.0
 * info_footer.c: `weir info --footer`: all that the metadata says, as JSON. */
#include "info.h"

#define FOOTER_DEPTH 1000 /* the brackets that are kept track of */

typedef struct footer_visit {
    cli_json json;
    char brackets[FOOTER_DEPTH]; /* what closes each open level */
    int depth;
} footer_visit;

static void open_level(footer_visit *visit, const char *name, char bracket, char closing)
{
    visit->brackets[visit->depth++] = closing;
    cli_json_open(&visit->json, name, bracket);
}

static bool print_fact(void *user, const weir_fact *fact)
{
    footer_visit *visit = user;
    cli_json *json = &visit->json;
    const char *bytes = (const char *)fact->bytes.data;

    switch (fact->kind) {
    case WEIR_FACT_OPEN:
    case WEIR_FACT_LIST:
        if (visit->depth == FOOTER_DEPTH)
            return false;
        if (fact->kind == WEIR_FACT_OPEN)
            open_level(visit, fact->name, '{', '}');
        else
            open_level(visit, fact->name, '[', ']');
        break;
    case WEIR_FACT_CLOSE:
        if (visit->depth == 0)
            return false;
        cli_json_close(json, visit->brackets[--visit->depth]);
        break;
    case WEIR_FACT_INT:
        cli_json_number(json, fact->name, fact->number);
        break;
    case WEIR_FACT_REAL:
        cli_json_real(json, fact->name, fact->real);
        break;
    case WEIR_FACT_BOOL:
        cli_json_bool(json, fact->name, fact->number != 0);
        break;
    case WEIR_FACT_TEXT:
    case WEIR_FACT_BYTES:
    case WEIR_FACT_WORD:
        cli_json_text(json, fact->name, bytes, fact->bytes.size);
        break;
    }
    return true;
}

/* One file's object; whatever happens, its brackets are closed. */
static void put_footer(cli_session *session, cli_json *json, int32_t file)
{
    footer_visit visit = { .json = *json };
    weir_error err;
    weir_status status;

    open_level(&visit, NULL, '{', '}');
    cli_json_string(&visit.json, "file", weir_dataset_path(session->dataset, file));
    open_level(&visit, "footer", '{', '}');
    status = weir_dataset_describe(session->dataset, file, print_fact, &visit, &err);
    while (visit.depth > 0)
        cli_json_close(&visit.json, visit.brackets[--visit.depth]);
    *json = visit.json;
    if (status != WEIR_OK)
        cli_fail(session, &err);
}

void info_put_footers(cli_session *session)
{
    const int32_t count = weir_dataset_file_count(session->dataset);
    cli_json json = { .out = &session->out, .is_first = true };
    int32_t i;

    if (count != 1)
        cli_json_open(&json, NULL, '[');
    for (i = 0; i < count; i++)
        put_footer(session, &json, i);
    if (count != 1)
        cli_json_close(&json, ']');
}
