/* SPDX-License-Identifier: Apache-2.0
 * weir.c: the command: its sub-commands, its help, its signals. */
#include "args.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const cli_command commands[] = {
    { "schema", "[options] FILE...", "print the schema", "weir schema --arrow a.parquet",
      cli_schema, CLI_SCHEMA },
    { "info", "[options] FILE...", "print what files say of themselves",
      "weir info --json a.parquet", cli_info, CLI_INFO },
    { "head", "[options] FILE...", "print the first rows (10)", "weir head -n 5 -c 'id,na*' data/",
      cli_cat, CLI_HEAD },
    { "cat", "[options] FILE...", "print rows",
      "weir cat --format csv --unify 'taxi/*.parquet' > taxi.csv", cli_cat, CLI_CAT },
    { "count", "[options] FILE...", "print the number of rows, from footers alone",
      "weir count data/", cli_count, CLI_COUNT },
    { "stat", "[options] FILE...", "print values, nulls, NaNs, min, max, sum, mean of columns",
      "weir stat -c fare_amount,tip_amount --time 'taxi/*.parquet'", cli_stat, CLI_STAT },
    { "digest", "[options] FILE...", "print a checksum of each column's values",
      "weir digest old.parquet | diff - <(weir digest new.parquet)", cli_digest, CLI_DIGEST },
    { "codecs", "[options]", "list the codecs, and the plugins refused", "weir codecs", cli_codecs,
      CLI_CODECS },
};

/* ---- help ---- */

static int print_command_help(const cli_command *command)
{
    cli_out out = { .fd = STDOUT_FILENO };

    cli_printf(&out, "usage: weir %s %s\n\n%c%s.", command->name, command->arguments,
               command->summary[0] - 'a' + 'A', command->summary + 1);
    if (command->bit & CLI_FILES)
        cli_puts(&out, " FILE is a file, a folder, a glob, or @LIST, a file of paths.");
    cli_puts(&out, "\n\n");
    cli_put_options(&out, command);
    cli_printf(&out, "\nexample: %s\n", command->example);
    cli_flush(&out);
    cli_fini(&out);
    return CLI_OK;
}

static int print_help(void)
{
    cli_out out = { .fd = STDOUT_FILENO };
    size_t i;

    cli_puts(&out, "usage: weir COMMAND [options] FILE...\n\n"
                   "Reads columnar files. FILE is a file, a folder, a glob, or @LIST, a file of "
                   "paths;\nseveral are read as one table.\n\n");
    for (i = 0; i < CLI_COUNT_OF(commands); i++)
        cli_printf(&out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    cli_puts(&out, "\nOptions: weir COMMAND --help. Exit codes: 0; 1, data; 2, usage; 130, "
                   "interrupted.\n\nexamples:\n");
    for (i = 0; i < CLI_COUNT_OF(commands); i++)
        cli_printf(&out, "  %s\n", commands[i].example);
    cli_flush(&out);
    cli_fini(&out);
    return CLI_OK;
}

static int print_version(void)
{
    cli_out out = { .fd = STDOUT_FILENO };

    cli_printf(&out, "weir %s\n", weir_version());
    cli_flush(&out);
    cli_fini(&out);
    return CLI_OK;
}

/* ---- main ---- */

static void interrupted(int number)
{
    (void)number;
    cli_progress_clear();
    _exit(CLI_INTERRUPTED);
}

/* An interrupt ends the command there and then: it holds nothing that must be put away. A closed
 * pipe shows as EPIPE, also to a parent that would have had to explain the signal. */
static void set_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = interrupted;
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int run(const cli_command *command, int argc, char **argv)
{
    cli_args args;
    bool wants_help;
    int code = CLI_USAGE;

    if (cli_args_parse(&args, command, argc, argv, &wants_help))
        code = wants_help ? print_command_help(command) : command->run(&args);
    cli_args_fini(&args);
    return code;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    size_t i;

    set_signals();
    if (!name) {
        cli_say("no command given (weir --help)");
        return CLI_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return print_help();
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return print_version();
    for (i = 0; i < CLI_COUNT_OF(commands); i++)
        if (strcmp(name, commands[i].name) == 0)
            return run(&commands[i], argc - 2, argv + 2);
    cli_say("unknown command: %s (weir --help)", name);
    return CLI_USAGE;
}
