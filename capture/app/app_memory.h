/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of the programs' anonymous memory: a replay must occupy as much to have the same page
 * cache. Private to capture/. */
#ifndef CAPTURE_APP_MEMORY_H
#define CAPTURE_APP_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { MEMORY_SAMPLES_MAX = 4096 };

struct app_memory_sample {
	int64_t ns;	/* CLOCK_MONOTONIC */
	uint64_t bytes; /* of all programs together */
};

/* At most a fixed number of samples: beyond it every second one is removed and the interval
 * doubles. */
struct app_memory {
	int64_t interval_ns; /* 0: disabled */
	int64_t next_ns;
	size_t n;
	struct app_memory_sample sample[MEMORY_SAMPLES_MAX];
};

void memory_init(struct app_memory *m, int64_t interval_ns);

/* Whether it is time for a sample. */
static inline int memory_is_due(const struct app_memory *m, int64_t now_ns)
{
	return m->interval_ns && now_ns >= m->next_ns;
}
void memory_add(struct app_memory *m, int64_t now_ns, uint64_t bytes);

#endif
