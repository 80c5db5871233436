/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/block/block_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/units.h"

/* The request that is longest under way, if any is. */
static const struct block_hot *oldest(const struct block_crew *c)
{
	const struct block_hot *first = NULL;
	for (uint32_t i = 0; i < c->plan->n_lanes; i++)
		for (uint32_t k = 0; k < c->plan->lane[i].n; k++) {
			const volatile struct block_hot *r = &c->plan->lane[i].request[k];
			if (r->begin != NOT_ENDED && r->end == NOT_ENDED &&
			    (!first || r->begin < first->begin))
				first = (const struct block_hot *)r;
		}
	return first;
}

static bool is_quiet(struct block_watch *v, const struct block_crew *c)
{
	uint64_t n_ended = 0;
	int64_t now_ns = clock_monotonic_ns();
	for (uint32_t i = 0; i < c->plan->n_lanes; i++)
		n_ended += atomic_load(&c->worker[i].n_ended);
	if (n_ended != v->n_ended || !v->since_ns) {
		v->n_ended = n_ended;
		v->since_ns = now_ns;
	}
	if (c->config->watchdog_ns <= 0 || now_ns - v->since_ns < c->config->watchdog_ns)
		return false;
	if (oldest(c))
		return true;
	v->since_ns = now_ns; /* it waits for a time */
	return false;
}

static uint64_t record_of(const struct block_plan *p, const struct block_hot *r, uint64_t n_records)
{
	for (uint64_t i = 0; i < n_records; i++)
		if (p->at[i].lane < p->n_lanes &&
		    &p->lane[p->at[i].lane].request[p->at[i].index] == r)
			return i;
	return 0;
}

static int stuck(const struct block_crew *c, struct err *e)
{
	static const char *const names[] = {"read", "write", "discard", "flush"};
	const struct block_hot *r = oldest(c);
	struct strbuf time = STRBUF_INIT;
	format_duration(&time, (double)c->config->watchdog_ns);
	int ret = r ? err_set(e, ETIMEDOUT,
			      "no request has ended for %s; the %s of %" PRIu64 " bytes at %" PRIu64
			      " (record %" PRIu64 ") does not return (--watchdog)",
			      time.s, r->direction < 4 ? names[r->direction] : "request", r->length,
			      r->offset, record_of(c->plan, r, c->n_records))
		    : err_set(e, ETIMEDOUT, "no request has ended for %s (--watchdog)", time.s);
	strbuf_release(&time);
	return ret;
}

/* Of those that failed, the one that was handed over first. */
static const struct block_hot *first_failed(const struct block_crew *c)
{
	const struct block_hot *first = NULL;
	for (uint32_t i = 0; i < c->plan->n_lanes; i++)
		for (uint32_t k = 0; k < c->plan->lane[i].n; k++) {
			const volatile struct block_hot *r = &c->plan->lane[i].request[k];
			if (r->begin != NOT_ENDED && r->end != NOT_ENDED && r->result < 0 &&
			    (!first || r->begin < first->begin))
				first = (const struct block_hot *)r;
		}
	return first;
}

int block_watch_gone(const struct block_crew *c, struct err *e)
{
	const struct block_hot *r = first_failed(c);
	struct strbuf time = STRBUF_INIT;
	if (!r)
		return err_set(e, ENODEV, "%s has gone while its requests were replayed",
			       c->config->device);
	format_duration(&time, (double)(r->end > 0 ? r->end : 0) * c->clock->ns_per_tick);
	err_set(e, ENODEV,
		"%s has gone while its requests were replayed: record %" PRIu64
		" failed (%s) %s after the start",
		c->config->device, record_of(c->plan, r, c->n_records), strerror(-r->result),
		time.s);
	strbuf_release(&time);
	return -ENODEV;
}

int block_watch_look(struct block_watch *v, const struct block_crew *c, struct err *e)
{
	if (device_gone(c->device))
		return block_watch_gone(c, e);
	return is_quiet(v, c) ? stuck(c, e) : 0;
}
