/* SPDX-License-Identifier: Apache-2.0
 * count.c: `weir count`: rows, from footers alone. */
#include "cli.h"

#include <inttypes.h>

int cli_count(const cli_args *args)
{
    cli_session session;
    weir_error err;
    int64_t rows;

    if (cli_open(&session, args)) {
        if (weir_dataset_rows(session.dataset, &rows, &err) == WEIR_OK)
            cli_printf(&session.out, "%" PRId64 "\n", rows);
        else
            cli_fail(&session, &err);
    }
    return cli_close(&session);
}
