/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_memory.h"

void memory_init(struct app_memory *m, int64_t interval_ns)
{
	m->interval_ns = interval_ns;
	m->next_ns = INT64_MIN;
	m->n = 0;
}

static void thin_out(struct app_memory *m)
{
	for (size_t i = 0; i < m->n / 2; i++)
		m->sample[i] = m->sample[2 * i];
	m->n /= 2;
	m->interval_ns *= 2;
}

void memory_add(struct app_memory *m, int64_t now_ns, uint64_t bytes)
{
	if (m->n == MEMORY_SAMPLES_MAX)
		thin_out(m);
	m->sample[m->n++] = (struct app_memory_sample){now_ns, bytes};
	/* stay in step with the interval if this sample is late */
	if (m->next_ns == INT64_MIN)
		m->next_ns = now_ns;
	m->next_ns += ((now_ns - m->next_ns) / m->interval_ns + 1) * m->interval_ns;
}
