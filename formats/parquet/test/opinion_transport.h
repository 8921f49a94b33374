/* SPDX-License-Identifier: Apache-2.0
 * opinion_transport.h: a thrift-c transport over bytes in memory. Its own memory buffer moves all
 * that is left with each read. */
#ifndef WEIR_PARQUET_TEST_OPINION_TRANSPORT_H
#define WEIR_PARQUET_TEST_OPINION_TRANSPORT_H

#include <stdint.h>
#include <string.h>
#include <thrift/c_glib/thrift.h>
#include <thrift/c_glib/transport/thrift_transport.h>

typedef struct OpinionTransport {
    ThriftTransport parent;
    const uint8_t *at, *end;
} OpinionTransport;

typedef struct OpinionTransportClass {
    ThriftTransportClass parent;
} OpinionTransportClass;

GType opinion_transport_get_type(void);
G_DEFINE_TYPE(OpinionTransport, opinion_transport, THRIFT_TYPE_TRANSPORT)

static gboolean opinion_yes(ThriftTransport *transport, GError **error)
{
    (void)transport;
    (void)error;
    return TRUE;
}

static gboolean opinion_is_open(ThriftTransport *transport)
{
    (void)transport;
    return TRUE;
}

static gint32 opinion_read(ThriftTransport *transport, gpointer into, guint32 size, GError **error)
{
    OpinionTransport *t = (OpinionTransport *)transport;

    if (size > (size_t)(t->end - t->at)) {
        g_set_error(error, THRIFT_TRANSPORT_ERROR, THRIFT_TRANSPORT_ERROR_RECEIVE, "cut short");
        return -1;
    }
    memcpy(into, t->at, size);
    t->at += size;
    return (gint32)size;
}

static gboolean opinion_size(ThriftTransport *transport, glong size, GError **error)
{
    (void)transport;
    (void)size;
    (void)error;
    return TRUE;
}

static void opinion_transport_class_init(OpinionTransportClass *class)
{
    ThriftTransportClass *base = (ThriftTransportClass *)class;

    base->is_open = opinion_is_open;
    base->open = base->close = base->peek = opinion_yes;
    base->read = base->read_all = opinion_read;
    base->read_end = opinion_yes;
    base->updateKnownMessageSize = base->checkReadBytesAvailable = opinion_size;
    base->resetConsumedMessageSize = base->countConsumedMessageBytes = opinion_size;
}

static void opinion_transport_init(OpinionTransport *transport)
{
    (void)transport;
}

#endif
