/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deliberate faults of single requests, put into a loaded trace; those of times act in block_plan.c
 * and schedule.c, those of response times where completions are harvested. */
#include <errno.h>

#include "capture/kernel/block_requests.h"
#include "replay/engines/block/block_plan.h"

static bool moves_data(const struct block_loaded *q)
{
	return (q->direction == BLOCK_READ || q->direction == BLOCK_WRITE) && q->length;
}

/* The neighbours' requests and the records they answer change places, not their times. */
static void strike_swap(struct block_loaded *q)
{
	struct block_loaded first = q[0];
	q[0].offset = q[1].offset, q[0].length = q[1].length, q[0].direction = q[1].direction,
	q[0].flags = q[1].flags;
	q[1].offset = first.offset, q[1].length = first.length, q[1].direction = first.direction,
	q[1].flags = first.flags;
	q[0].record = q[1].record, q[1].record = first.record;
	q[0].fault = q[1].fault = FAULT_SWAP;
}

/* Half of it, in whole blocks of the device. */
static void strike(struct block_loaded *q, enum fault_kind kind, uint32_t block_bytes)
{
	q->fault = (uint8_t)kind;
	if (kind == FAULT_SWAP)
		strike_swap(q);
	else if (kind == FAULT_OFFSET)
		q->offset = q->offset >= q->length ? q->offset - q->length : q->offset + q->length;
	else if (kind == FAULT_SIZE)
		q->length -= (q->length / 2 + block_bytes - 1) / block_bytes * block_bytes;
}

static bool can_strike(const struct block_load *l, uint32_t i, enum fault_kind kind)
{
	const struct block_loaded *q = &l->r[i];
	if (!moves_data(q) || (kind == FAULT_SIZE && q->length < 2 * l->block_bytes))
		return false;
	return kind != FAULT_SWAP || (i + 1 < l->n && moves_data(q + 1));
}

/* Walks those that the fault can strike: counts them, or strikes those that the sampler takes. */
static uint64_t walk(struct block_load *l, struct sampler *s, enum fault_kind kind)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		if (!can_strike(l, i, kind))
			continue;
		n++;
		if (s && sampler_takes(s))
			strike(&l->r[i], kind, l->block_bytes);
		i += kind == FAULT_SWAP; /* pairs do not overlap */
	}
	return n;
}

int block_faults_apply(struct block_load *l, const struct mutant *m, struct err *e)
{
	const struct fault *f = mutant_fault(m->kind);
	struct sampler s;
	uint64_t n_requests = 0;
	if (!f || f->argument != ARGUMENT_SHARE)
		return 0;
	for (uint32_t i = 0; i < l->n; i++)
		n_requests += moves_data(&l->r[i]);
	int ret = sampler_init(&s, m, walk(l, NULL, m->kind), n_requests, l->n, e);
	if (!ret)
		walk(l, &s, m->kind);
	return ret;
}
