/* SPDX-License-Identifier: Apache-2.0
 * made.h: a batch of one column whose vectors the test fills by hand. */
#ifndef WEIR_TEST_MADE_H
#define WEIR_TEST_MADE_H

#include "core/schema.h"
#include "readers/exchange.h"

#include <criterion/criterion.h>
#include <weir/weir.h>

/* made_release gives all of it back. */
typedef struct made {
    weir_schema *schema;
    weir_exchange *exchange;
    weir_lot *lot;
} made;

/* A schema of a root alone; fields are appended, then it is finished. */
static inline made made_begin(void)
{
    const weir_field root = { .type = WEIR_STRUCT };
    made m = { NULL, NULL, NULL };

    cr_assert_eq(weir_schema_open(8, &m.schema, NULL), WEIR_OK);
    cr_assert_eq(weir_schema_append(m.schema, -1, &root, NULL), WEIR_OK);
    return m;
}

static inline void made_finish(made *m, int64_t rows)
{
    cr_assert_eq(weir_schema_seal(m->schema, NULL), WEIR_OK);
    cr_assert_eq(weir_exchange_open(m->schema, &m->exchange, NULL), WEIR_OK);
    cr_assert_eq(weir_exchange_take(m->exchange, &m->lot, NULL), WEIR_OK);
    m->lot->batch.rows = rows;
}

static inline void made_release(made m)
{
    weir_batch_release(&m.lot->batch);
    weir_exchange_release(m.exchange);
    weir_schema_release(m.schema);
}

#endif
