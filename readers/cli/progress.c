/* SPDX-License-Identifier: Apache-2.0
 * progress.c: a line on stderr that says how far a long job is: files, rows, bytes, rate, time
 * left. Only on a terminal, and only once the job has run for a while. */
#include "cli.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_FIRST 500000000 /* ns before the first line */
#define PROGRESS_EVERY 100000000
#define PROGRESS_BAR 20 /* cells of the bar */

/* Whether a line stands on the terminal: a signal handler takes it away. */
static volatile sig_atomic_t progress_is_shown;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void cli_progress_begin(cli_progress *progress, const cli_args *args, const weir_dataset *dataset,
                        bool is_wanted, int64_t total_rows)
{
    progress->is_on = is_wanted && !args->is_quiet && isatty(STDERR_FILENO);
    progress->begin_ns = now_ns();
    progress->next_ns = progress->begin_ns + PROGRESS_FIRST;
    progress->total_rows = total_rows;
    progress->total_files = weir_dataset_file_count(dataset);
}

static void put_time(cli_out *line, double seconds)
{
    const int64_t s = seconds < 1e9 ? (int64_t)seconds : 999999999;

    if (s >= 3600)
        cli_printf(line, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
    else
        cli_printf(line, "%d:%02d", (int)(s / 60), (int)(s % 60));
}

static void put_bar(cli_out *line, double done)
{
    const int full = (int)(done * PROGRESS_BAR);
    int i;

    cli_puts(line, cli_has_colour(STDERR_FILENO) ? "\x1b[36m[" : "[");
    for (i = 0; i < PROGRESS_BAR; i++)
        cli_putc(line, i < full ? '=' : i == full ? '>' : ' ');
    cli_puts(line, cli_has_colour(STDERR_FILENO) ? "]\x1b[0m " : "] ");
}

/* How much is done, 0 to 1; by rows where they are known, else by files. */
static double progress_done(const cli_progress *progress, int64_t rows, int32_t files)
{
    double done = 0;

    if (progress->total_rows > 0)
        done = (double)rows / (double)progress->total_rows;
    else if (progress->total_files > 1)
        done = (double)files / progress->total_files;
    return done > 1 ? 1 : done;
}

void cli_progress_show(cli_progress *progress, int64_t rows, uint64_t bytes, int32_t files)
{
    const int64_t now = progress->is_on ? now_ns() : 0;
    const double seconds = (double)(now - progress->begin_ns) / 1e9;
    const double done = progress_done(progress, rows, files);
    cli_out line = { .fd = -1 };

    if (!progress->is_on || now < progress->next_ns)
        return;
    progress->next_ns = now + PROGRESS_EVERY;
    cli_puts(&line, "\r\x1b[K");
    if (done > 0)
        put_bar(&line, done);
    if (progress->total_files > 1)
        cli_printf(&line, "%" PRId32 "/%" PRId32 " files, ", files, progress->total_files);
    cli_put_grouped(&line, (uint64_t)rows);
    cli_puts(&line, " rows, ");
    cli_put_bytes(&line, bytes);
    cli_puts(&line, ", ");
    cli_put_bytes(&line, (uint64_t)((double)bytes / seconds));
    cli_puts(&line, "/s");
    if (done > 0) {
        cli_puts(&line, ", ");
        put_time(&line, seconds / done - seconds);
        cli_puts(&line, " left");
    }
    progress_is_shown = 1;
    if (write(STDERR_FILENO, line.data, line.used) < 0)
        progress->is_on = false;
    cli_fini(&line);
}

void cli_progress_clear(void)
{
    if (progress_is_shown && write(STDERR_FILENO, "\r\x1b[K", 4) < 0)
        return;
    progress_is_shown = 0;
}
