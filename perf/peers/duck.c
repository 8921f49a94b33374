/* SPDX-License-Identifier: Apache-2.0
 * duck.c: DuckDB as a library that gives rows: chunks fetched by its C API, and a loop over their
 * rows. A shared object that job.py loads, since DuckDB's Python module exports the C API; its few
 * declarations are repeated here, so no header is needed. */
#include <stdint.h>

typedef struct {
    uint64_t a, b, c;
    void *columns;
    char *error;
    void *internal;
} duckdb_result;

typedef void *handle;

int duckdb_create_config(handle *);
int duckdb_set_config(handle, const char *, const char *);
int duckdb_open_ext(const char *, handle *, handle, char **);
int duckdb_connect(handle, handle *);
int duckdb_prepare(handle, const char *, handle *);
int duckdb_execute_prepared_streaming(handle, duckdb_result *);
int duckdb_query(handle, const char *, duckdb_result *);
handle duckdb_fetch_chunk(duckdb_result);
uint64_t duckdb_data_chunk_get_size(handle);
handle duckdb_data_chunk_get_vector(handle, uint64_t);
void *duckdb_vector_get_data(handle);
uint64_t *duckdb_vector_get_validity(handle);
void duckdb_destroy_data_chunk(handle *);
void duckdb_destroy_result(duckdb_result *);
void duckdb_destroy_prepare(handle *);

int duck_open(const char *threads);
int duck_rows(const char *sql, int streams, int64_t *rows, int64_t *whole, double real[2]);

static handle database, connection;

int duck_open(const char *threads)
{
    handle config;
    char *error = 0;

    return duckdb_create_config(&config) || duckdb_set_config(config, "threads", threads) ||
           duckdb_open_ext(0, &database, config, &error) || duckdb_connect(database, &connection);
}

static int is_there(const uint64_t *validity, uint64_t row)
{
    return !validity || (validity[row >> 6] >> (row & 63) & 1);
}

static void add_chunk(handle chunk, int64_t *whole, double real[2])
{
    const uint64_t rows = duckdb_data_chunk_get_size(chunk);
    const handle v[3] = { duckdb_data_chunk_get_vector(chunk, 0),
                          duckdb_data_chunk_get_vector(chunk, 1),
                          duckdb_data_chunk_get_vector(chunk, 2) };
    const int64_t *a = duckdb_vector_get_data(v[0]);
    const double *b = duckdb_vector_get_data(v[1]), *c = duckdb_vector_get_data(v[2]);
    const uint64_t *valid[3] = { duckdb_vector_get_validity(v[0]), duckdb_vector_get_validity(v[1]),
                                 duckdb_vector_get_validity(v[2]) };

    for (uint64_t i = 0; i < rows; i++) {
        if (is_there(valid[0], i))
            *whole += a[i];
        if (is_there(valid[1], i))
            real[0] += b[i];
        if (is_there(valid[2], i))
            real[1] += c[i];
    }
}

int duck_rows(const char *sql, int streams, int64_t *rows, int64_t *whole, double real[2])
{
    duckdb_result result;
    handle statement = 0, chunk;

    *rows = *whole = 0;
    real[0] = real[1] = 0;
    if (streams) {
        if (duckdb_prepare(connection, sql, &statement) ||
            duckdb_execute_prepared_streaming(statement, &result))
            return 1;
    } else if (duckdb_query(connection, sql, &result)) {
        return 1;
    }
    while ((chunk = duckdb_fetch_chunk(result)) != 0) {
        *rows += (int64_t)duckdb_data_chunk_get_size(chunk);
        add_chunk(chunk, whole, real);
        duckdb_destroy_data_chunk(&chunk);
    }
    duckdb_destroy_result(&result);
    if (statement)
        duckdb_destroy_prepare(&statement);
    return 0;
}
