/* SPDX-License-Identifier: Apache-2.0
 * count.c: `weir count`: rows, from footers alone unless a filter wants more. */
#include "cli.h"

#include <inttypes.h>

int cli_count(const cli_args *args)
{
    const weir_query query = cli_query(args);
    cli_session session;
    weir_error err;
    int64_t rows;

    if (cli_open(&session, args)) {
        if (weir_dataset_count(session.dataset, &query, &rows, &err) == WEIR_OK)
            cli_printf(&session.out, "%" PRId64 "\n", rows);
        else
            cli_fail(&session, &err);
    }
    return cli_close(&session);
}
