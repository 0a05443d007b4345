#ifndef VOLLEY_CZEROMQ_H
#define VOLLEY_CZEROMQ_H

#include <errno.h>
#include <zmq.h>

// ZMQ_POLLIN and its kin are used with `short` fields; Swift imports them as Int32.
static const short czmq_pollin = ZMQ_POLLIN;
static const short czmq_pollout = ZMQ_POLLOUT;

#endif
