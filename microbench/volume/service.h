/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The service time of a programmed volume: when a request that arrived is to be answered. In
 * virtual time: nothing here waits.
 *
 * A model is written as text, KIND or KIND:key=value,key=value:
 *
 *   constant:time=200us             the same for every request; read=, write= apart
 *   exponential:mean=1ms            drawn for each request; also lognormal:mean=,sd=
 * uniform:from=,to=  gamma:mean=,shape=
 *   hdd:rpm=7200,seek=8.5ms,track-seek=0.8ms,full-seek=17ms,rate=150MB    one head: seek, rotation,
 * transfer, one request after another ssd:channels=8,unit=16K,read=80us,write=200us,rate=400MB
 * every unit of `unit` bytes belongs to one channel; a channel serves one after another
 *   throttled:read-iops=2000,write-rate=100MB    no time of its own: the loop device is slowed down
 * (throttle.h), to requests/s (read-iops=, write-iops=) and bytes/s (read-rate=, write-rate=); 0:
 * not
 *
 * `constant` and the drawn ones take parallel=N (at most N requests served at a time, the others
 * queue in the order they came; 0, the default: all at once). All but throttled take flush=TIME
 * (0): what a flush takes once everything that came before it is done.
 *
 * hdd: the seek over a distance d of n bytes is track-seek + (full-seek - track-seek) sqrt(d / n),
 * none for d = 0; `seek` is the mean over random pairs of places, and, given instead of full-seek,
 * determines it (the mean of sqrt over random pairs is 8/15). The platter turns once in 60 s / rpm;
 * a request waits until its first byte comes under the head, and is read at `rate` bytes/s, which
 * with rpm makes the length of a track. Source of the form: Ruemmler and Wilkes, "An introduction
 * to disk drive modeling", IEEE Computer 27(3), 1994. */
#ifndef MICROBENCH_VOLUME_SERVICE_H
#define MICROBENCH_VOLUME_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

enum service_op { SERVICE_READ, SERVICE_WRITE, SERVICE_FLUSH };

struct service; /* a model and the state of what it serves */

struct service_limits { /* requests/s and bytes/s; 0: none */
	uint64_t read_iops, write_iops, read_rate, write_rate;
};

struct service_times {
	int64_t start_ns; /* when its service begins: what lies between is queueing */
	int64_t done_ns;
};

/* Reads a model for a volume of `n_bytes`; `seed` of what is drawn. Errors: EINVAL naming kind, key
 * or value. Ownership: service_free. */
int service_parse(struct service **s, const char *text, uint64_t n_bytes, uint64_t seed,
		  struct err *e);
/* as it was when it was read: the same times are drawn again */
void service_restart(struct service *s);
void service_free(struct service *s); /* NULL is fine */

/* A request that arrived at `now_ns` (any clock that does not go backwards), in the order of
 * arrival. Not thread-safe. */
struct service_times service_take(struct service *s, enum service_op op, uint64_t offset,
				  uint64_t length, int64_t now_ns);

/* From the next request on every time of the model is `factor` times as long, rotation and
 * transfers included; 1: as the model has it. All servers are free then: call it while nothing is
 * in flight. What is drawn goes on. */
void service_slow(struct service *s, double factor);

/* Whether the model is `throttled`; its limits then. */
bool service_throttled(const struct service *s, struct service_limits *l);

/* The model with every default written out. The caller frees. */
char *service_describe(const struct service *s);

#endif
