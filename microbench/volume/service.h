/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Service times of a programmed volume: computes when the answer to a request is due. Times are
 * virtual: these functions do not wait.
 *
 * A model is a text, KIND or KIND:key=value,key=value:
 *
 * - constant:time=200us: the same for every request; read= and write= separately.
 * - exponential:mean=1ms: random; also lognormal:mean=,sd= uniform:from=,to= gamma:mean=,shape=
 * - hdd:rpm=7200,seek=8.5ms,track-seek=0.8ms,full-seek=17ms,rate=150MB: one head with seek,
 *   rotation and transfer; serves one request at a time.
 * - ssd:channels=8,unit=16K,read=80us,write=200us,rate=400MB: every unit of `unit` bytes belongs to
 *   one channel, which serves one request at a time.
 * - throttled:read-iops=2000,write-rate=100MB: no service time; limits the loop device (throttle.h)
 *   to requests/s (read-iops=, write-iops=) and bytes/s (read-rate=, write-rate=); 0: no limit.
 *
 * A random time depends on the seed, the operation, the offset, the length, and the number of
 * earlier equal requests (since the start or service_restart). So a program and its replay get the
 * same times for the same requests, in any order. The model keeps a counter for each distinct
 * request.
 *
 * `constant` and the random models take parallel=N: at most N requests are served at a time, and
 * further requests queue in the order of arrival; 0 (default): no limit. All models except
 * throttled take flush=TIME (default 0): the time of a flush after all earlier requests are
 * complete.
 *
 * hdd: the seek over a distance d of n bytes takes track-seek + (full-seek - track-seek) sqrt(d/n),
 * 0 for d = 0. `seek` is the mean over random pairs of offsets. If it is given instead of
 * full-seek, it determines full-seek (the mean of sqrt over random pairs is 8/15). The platter
 * turns once in 60 s / rpm. A request waits until its first byte is under the head, and is then
 * transferred at `rate` bytes/s. The rate and rpm determine the length of a track. Source: Ruemmler
 * and Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3), 1994. */
#pragma once

#include "common/std.h"

enum service_op { SERVICE_READ, SERVICE_WRITE, SERVICE_FLUSH };

struct service; /* a model and its state */

struct service_limits { /* requests/s and bytes/s; 0: unlimited */
	uint64_t read_iops, write_iops, read_rate, write_rate;
};

struct service_times {
	int64_t start_ns; /* start of service; the time before it is queueing */
	int64_t done_ns;
};

/* Parses a model for a volume of `n_bytes`; `seed` is for random times. Errors: EINVAL with kind,
 * key or value. Ownership: service_free. */
int service_parse(struct service **s, const char *text, uint64_t n_bytes, uint64_t seed,
		  struct err *e);
/* Returns to the initial state: the same requests get the same random times again. */
void service_restart(struct service *s);
void service_free(struct service *s); /* NULL: does nothing */

/* Takes a request that arrived at `now_ns` (any monotonic clock). Call it in the order of arrival.
 * Not thread-safe. */
struct service_times service_take(struct service *s, enum service_op op, uint64_t offset,
				  uint64_t length, int64_t now_ns);

/* Multiplies every time of the model by `factor` from the next request on, including rotation and
 * transfers; 1: as in the model. All servers become free, so no request may be in flight. Random
 * draws continue. */
void service_slow(struct service *s, double factor);

/* Whether the model is `throttled`, and its limits. */
bool service_throttled(const struct service *s, struct service_limits *l);

/* The name of the kind (static); and its scale, the mean time of a request that does not queue, by
 * which a certified standard (validate/standard/) is chosen. For lognormal with a standard
 * deviation of more than half the mean, the scale is reduced in that proportion, because many times
 * are short. constant, ssd: the shorter of read and write. throttled: 0. */
const char *service_kind(const struct service *s);
int64_t service_scale_ns(const struct service *s);

/* The text of the model with all defaults. The caller frees it. */
char *service_describe(const struct service *s);
