/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulated device in virtual time, for tests of the schedules of the block engine. Ticks are
 * ns. */
#pragma once

#include "replay/engines/block/block_plan.h"
#include "sample.h"

#define BLOCK_RIG_MAX 4000

struct block_rig {
	struct replay_config c;
	struct block_input l;
	struct block_plan p;
	struct block_schedule s[4];
	struct block_progress *progress;
	int64_t response[BLOCK_RIG_MAX]; /* response times of the simulated device, by record */
	/* times in the replay, by record; NOT_ENDED: never */
	int64_t begin[BLOCK_RIG_MAX], end[BLOCK_RIG_MAX];
	uint32_t order[2 * BLOCK_RIG_MAX]; /* records in the order in which they were issued */
	/* number of requests that were issued together with each */
	uint32_t bundle[2 * BLOCK_RIG_MAX];
	uint32_t n_issued;
	uint32_t room;			  /* places in flight */
	int64_t stall_from, stall_to;	  /* no worker runs in between */
	bool stall_is_known;		  /* the workers know that they waited for a CPU then */
};

static inline void block_rig_init(struct block_rig *g, enum block_mode mode)
{
	memset(g, 0, sizeof *g);
	replay_config_init(&g->c);
	g->c.block.mode = mode;
	g->c.block.bundle_ns = 0;
	g->l.block_bytes = 512;
	g->l.r = xcalloc(BLOCK_RIG_MAX, sizeof *g->l.r);
	g->room = BLOCK_RIG_MAX;
	g->stall_from = INT64_MAX;
}

static inline void block_rig_add(struct block_rig *g, int64_t begin, int64_t end, int64_t response)
{
	uint32_t i = g->l.n++;
	g->l.r[i] = (struct block_loaded){.begin_ns = begin, .end_ns = end, .offset = 4096 * (uint64_t)i, .length = 4096, .record = i};
	g->l.n_records = g->l.n;
	g->response[i] = response;
}

static inline void block_rig_release(struct block_rig *g)
{
	for (uint32_t i = 0; i < g->p.n_lanes; i++)
		schedule_release(&g->s[i]);
	block_plan_release(&g->p);
	free(g->progress);
	free(g->l.r);
}

static inline void block_rig_plan(struct block_rig *g, int64_t threshold)
{
	struct err e = ERR_INIT;
	if (block_plan_make(&g->p, &g->l, &g->c, threshold, &e))
		fail_msg("%s", e.msg);
	g->progress = aligned_alloc(128, 4 * sizeof *g->progress);
	memset(g->progress, 0, 4 * sizeof *g->progress);
	for (uint32_t w = 0; w < g->p.n_lanes; w++) {
		const struct block_lane *a = &g->p.lane[w];
		g->s[w] = (struct block_schedule){.mode = (enum block_mode)g->c.block.mode, .request = a->request, .place = a->place, .n = a->n,
						  .parents = a->parents, .shift = g->p.shift, .bundle = g->c.block.bundle_ns,
						  .bundle_max = (uint32_t)g->c.block.bundle_max, .grace = 1000, .ms = 1000000, .slack_most = g->p.slack_most, .regains = g->c.block.limit == LIMIT_SLACK, .progress = g->progress,
						  .index = w, .n_workers = g->p.n_lanes, .mutant = g->p.mutant,
						  .follow = (enum block_follow)g->c.block.follow};
		struct block_schedule_room room = {(uint32_t)g->p.inferred.width_max,
						   (uint32_t)g->p.inferred.n_parents_max, g->p.n};
		if (g->p.mutant.kind == FAULT_DOUBLE)
			room.n_ready = a->n;
		schedule_init(&g->s[w], &room);
	}
	for (uint32_t i = 0; i < BLOCK_RIG_MAX; i++)
		g->begin[i] = g->end[i] = NOT_ENDED;
}

static inline uint32_t record_at(const struct block_rig *g, uint32_t w, uint32_t k)
{
	while (g->p.lane[w].request[k].flags & REQUEST_COPY)
		k--;
	for (uint32_t i = 0; i < g->l.n_records; i++)
		if (g->p.at[i].lane == w && g->p.at[i].index == k)
			return i;
	fail_msg("request %u of worker %u is no record's", k, w);
	return 0;
}

struct rig_flight {
	int64_t end;
	uint32_t w, k;
};

static inline uint32_t rig_take(struct block_rig *g, uint32_t w, int64_t now, struct rig_flight *f,
				uint32_t n_flights)
{
	uint32_t taken[BLOCK_BUNDLE_MAX], busy = 0;
	for (uint32_t i = 0; i < n_flights; i++)
		busy += f[i].w == w;
	uint32_t n = schedule_take(&g->s[w], now, g->room - busy, taken);
	if (n)
		schedule_handed_over(&g->s[w]);
	for (uint32_t i = 0; i < n; i++) {
		struct block_hot *r = &g->p.lane[w].request[taken[i]];
		uint32_t record = record_at(g, w, taken[i]);
		r->begin = now;
		r->end = now + g->response[record];
		if (!(r->flags & REQUEST_COPY)) {
			g->begin[record] = r->begin;
			g->end[record] = r->end;
		}
		g->bundle[g->n_issued] = n;
		g->order[g->n_issued++] = record;
		f[n_flights++] = (struct rig_flight){r->end, w, taken[i]};
	}
	return n;
}

static inline int64_t rig_end(struct block_rig *g, int64_t now, struct rig_flight *f, uint32_t *n)
{
	int64_t next = TICKS_NEVER;
	for (uint32_t i = 0; i < *n;) {
		if (f[i].end <= now) {
			schedule_ended(&g->s[f[i].w], f[i].k);
			f[i] = f[--*n];
		} else {
			next = f[i].end < next ? f[i].end : next;
			i++;
		}
	}
	return next;
}

/* From begin to end. */
static inline void block_rig_run(struct block_rig *g)
{
	static struct rig_flight flight[2 * BLOCK_RIG_MAX];
	uint32_t n_flights = 0, n_unfinished = 1;
	for (int64_t now = 0, next = 0; n_unfinished; now = next) {
		if (now > g->stall_from && now < g->stall_to) {
			for (uint32_t w = 0; w < g->p.n_lanes && g->stall_is_known; w++)
				g->s[w].delayed += g->stall_to - now;
			now = g->stall_to;
		}
		next = rig_end(g, now, flight, &n_flights);
		bool any = false;
		n_unfinished = 0;
		for (uint32_t w = 0; w < g->p.n_lanes; w++) {
			uint32_t n = rig_take(g, w, now, flight, n_flights);
			n_flights += n;
			any |= n > 0;
			int64_t wake = schedule_wake(&g->s[w], now);
			next = wake < next ? wake : next;
			n_unfinished += !g->s[w].finished;
		}
		if (any)
			next = now;
		else if (n_unfinished && next == TICKS_NEVER)
			fail_msg("nothing goes on at %lld", (long long)now);
	}
}
