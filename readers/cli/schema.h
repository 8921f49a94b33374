/* SPDX-License-Identifier: Apache-2.0
 * schema.h: the forms of `weir schema` that have files of their own. */
#ifndef WEIR_CLI_SCHEMA_H
#define WEIR_CLI_SCHEMA_H

#include "cli.h"

/* The first file's dictionary; `info` is its. */
void schema_put_hipo(cli_session *session, const weir_file_info *info);

#endif
