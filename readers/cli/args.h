/* SPDX-License-Identifier: Apache-2.0
 * args.h: how arguments become a cli_args. */
#ifndef WEIR_CLI_ARGS_H
#define WEIR_CLI_ARGS_H

#include "cli.h"

#define CLI_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Sub-commands, as bits of an option. */
enum {
    CLI_SCHEMA = 1,
    CLI_INFO = 2,
    CLI_HEAD = 4,
    CLI_CAT = 8,
    CLI_COUNT = 16,
    CLI_STAT = 32,
    CLI_DIGEST = 64,
    CLI_CODECS = 128,
    CLI_READS = CLI_HEAD | CLI_CAT | CLI_STAT | CLI_DIGEST, /* values */
    CLI_FILTERS = CLI_READS | CLI_COUNT,
    CLI_FILES = CLI_SCHEMA | CLI_INFO | CLI_COUNT | CLI_READS
};

typedef struct cli_command {
    const char *name;
    const char *arguments;
    const char *summary;
    const char *example;
    int (*run)(const cli_args *args);
    unsigned bit;
} cli_command;

/* `argv` begins after the sub-command's name. False: it was wrong, and was said. */
bool cli_args_parse(cli_args *args, const cli_command *command, int argc, char **argv,
                    bool *wants_help);
void cli_args_fini(cli_args *args);
/* A line an option of the sub-command. */
void cli_put_options(cli_out *out, const cli_command *command);

#endif
