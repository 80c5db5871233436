/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/block/block_output.h"

#include <stdio.h>
#include <string.h>

struct source {
	const struct block_load *l;
	const struct block_crew *c;
};

static int64_t ns_after_start(const struct block_crew *c, int64_t ticks)
{
	return clock_ns_of_ticks(c->clock, c->start_ticks + (uint64_t)ticks) -
	       clock_ns_of_ticks(c->clock, c->start_ticks);
}

static struct output_outcome outcome_of(const struct block_crew *c, const struct block_hot *r,
					const struct trace_record *traced)
{
	struct output_outcome o = {.success = traced->rvalue >= 0 ? traced->rvalue : 0};
	if (r->begin == NOT_ENDED || r->end == NOT_ENDED)
		return o;
	o.outcome.begin_ticks = c->start_ticks + (uint64_t)r->begin;
	o.outcome.end_ticks = c->start_ticks + (uint64_t)r->end;
	o.outcome.rvalue = r->result;
	o.dispatch_ticks = c->start_ticks + (uint64_t)r->dispatch;
	if (r->direction == BLOCK_READ || r->direction == BLOCK_WRITE)
		o.success = r->result;
	return o;
}

/* What the trace promises: its own result; where the request was made to fit the device's blocks,
 * all that was asked for. */
static int64_t expected_of(const struct block_hot *r, const struct trace_record *traced)
{
	if (traced->rvalue < 0 || traced->error)
		return traced->error ? -(int64_t)traced->error : -1;
	if (r->direction != BLOCK_READ && r->direction != BLOCK_WRITE)
		return 0;
	return r->flags & REQUEST_ROUNDED || traced->end_ns == TIME_NONE ? (int64_t)r->length
									 : traced->rvalue;
}

static void fate(const struct output_source *o, uint64_t i, const struct trace_record *traced,
		 struct trace_record *out, struct output_fate *f)
{
	const struct source *s = o->ctx;
	const struct block_plan *p = s->c->plan;
	f->passed = s->l->passed && s->l->passed[i];
	if (f->passed || p->at[i].lane >= p->n_lanes)
		return;
	const struct block_lane *a = &p->lane[p->at[i].lane];
	const struct block_hot *r = &a->request[p->at[i].index];
	f->first = outcome_of(s->c, r, traced);
	f->expected = expected_of(r, traced);
	if (o->timed)
		f->intended_ns = ns_after_start(s->c, r->due);
	if (r->direction != BLOCK_FLUSH) {
		out->offset = r->offset;
		out->length = r->length;
	}
	if (r->direction == BLOCK_READ && traced->op != OP_PREAD && s->l->n_turned)
		out->op = OP_PREAD;
	if (p->at[i].index + 1 < a->n && r[1].flags & REQUEST_COPY)
		f->again = outcome_of(s->c, &r[1], traced);
}

/* --- the summary --------------------------------------------------------- */

static void error_count(struct block_summary *b, int code)
{
	size_t i = 0;
	while (i < b->n_errors && b->error[i].code != code)
		i++;
	if (i == b->n_errors && i < BLOCK_ERRORS_SHOWN)
		b->error[b->n_errors++].code = code;
	if (i < BLOCK_ERRORS_SHOWN)
		b->error[i].n++;
}

static void results_count(struct block_summary *b, const struct block_plan *p)
{
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			const struct block_hot *r = &p->lane[i].request[k];
			if (r->begin == NOT_ENDED)
				continue;
			if (r->result < 0)
				error_count(b, -r->result);
			else if ((r->direction == BLOCK_READ || r->direction == BLOCK_WRITE) &&
				 (uint64_t)r->result < r->length)
				b->n_short++;
		}
}

static bool has_failed(const struct block_hot *r)
{
	return r->begin != NOT_ENDED && r->end != NOT_ENDED && r->result < 0;
}

/* Whether from some time on everything failed, which is another thing than a bad block. */
static void silence_find(struct block_summary *b, const struct block_crew *c)
{
	const struct block_plan *p = c->plan;
	int64_t last = INT64_MIN; /* begin of a request that succeeded */
	uint64_t first_record = UINT64_MAX;
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			const struct block_hot *r = &p->lane[i].request[k];
			if (r->begin != NOT_ENDED && r->end != NOT_ENDED && r->result >= 0 &&
			    r->begin > last)
				last = r->begin;
		}
	int64_t first = INT64_MAX;
	for (uint64_t i = 0; i < c->n_records; i++) {
		const struct block_hot *r = p->at[i].lane < p->n_lanes
						? &p->lane[p->at[i].lane].request[p->at[i].index]
						: NULL;
		if (!r || !has_failed(r) || r->begin <= last)
			continue;
		b->n_silent++;
		if (r->begin < first) {
			first = r->begin;
			first_record = i;
		}
	}
	b->silent_record = first_record;
	b->silent_ns = b->n_silent ? ns_after_start(c, first) : 0;
}

static void summarise(struct block_summary *b, const struct block_load *l,
		      const struct block_crew *c)
{
	*b = (struct block_summary){.backend = c->backend->name, .n_discards = l->n_discards, .n_turned = l->n_turned,
				    .n_remapped = l->n_remapped, .n_rounded = l->n_rounded, .traced_in_flight = c->plan->max_in_flight,
				    .threshold_ns = c->plan->threshold_ns};
	snprintf(b->notes, sizeof b->notes, "%s", c->notes.s ? c->notes.s : "");
	for (uint32_t i = 0; i < c->plan->n_lanes; i++) {
		const struct block_worker *w = &c->worker[i];
		b->most_in_flight += w->most_in_flight;
		b->n_submissions += w->n_submissions;
		b->bundle_ns +=
		    (double)w->schedule.bundle * c->clock->ns_per_tick / c->plan->n_lanes;
	}
	results_count(b, c->plan);
	if (b->n_errors)
		silence_find(b, c);
}

static json_t *describe(const struct block_summary *b, const struct block_crew *c)
{
	const struct block_options *o = &c->config->block;
	json_t *j = json_pack(
	    "{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "mode",
	    block_mode_names[o->mode], "backend", b->backend, "n_discards_left_out",
	    (json_int_t)b->n_discards, "n_writes_made_reads", (json_int_t)b->n_turned, "n_remapped",
	    (json_int_t)b->n_remapped, "n_rounded", (json_int_t)b->n_rounded, "n_short",
	    (json_int_t)b->n_short, "n_submissions", (json_int_t)b->n_submissions,
	    "traced_in_flight", (json_int_t)b->traced_in_flight, "most_in_flight",
	    (json_int_t)b->most_in_flight, "bundle_ns", b->bundle_ns);
	if (b->n_silent)
		json_object_set_new(j, "n_last_failed", json_integer((json_int_t)b->n_silent));
	if (o->mode == MODE_DEP)
		json_object_set_new(j, "threshold_ns", json_integer((json_int_t)b->threshold_ns));
	return json_pack("{s:o}", "block", j);
}

int block_output_write(struct trace *input, const char *input_path, const struct block_load *l,
		       const struct block_crew *c, struct replay_summary *s, struct err *e)
{
	const struct source from = {l, c};
	const int mode = c->config->block.mode;
	struct output_source o = {
		.ctx = &from,
		.config = c->config,
		.fate = fate,
		.clock = c->clock,
		.start_ticks = c->start_ticks,
		.n_records = l->n_records,
		.n_requests = l->n,
		.level = trace_meta(input)->level,
		.timed = mode == MODE_HF || mode == MODE_DEP,
		.input_first_ns = s->input_first_ns,
		.facts = c->facts,
		.n_workers = c->plan->n_lanes,
	};
	for (uint32_t i = 0; i < c->plan->n_lanes; i++) {
		o.n_timed_sleeps += c->worker[i].waiter.n_sleeps;
		o.n_late_wakes += c->worker[i].waiter.n_late;
	}
	summarise(&s->block, l, c);
	s->n_workers = c->plan->n_lanes;
	s->n_passed_of[PASS_NO_DATA] = l->n_passed;
	s->n_passed_of[PASS_DISCARD] = l->n_discards;
	s->n_passed = l->n_passed + l->n_discards;
	o.more = describe(&s->block, c);
	int ret = output_write(input, input_path, &o, c->config, s, e);
	json_decref(o.more);
	return ret;
}
