/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outcomes of a plan. */

#include "replay/options/engine.h"
#include "replay/result/output.h"

static int64_t ns_after_start(const struct replay_plan *p, uint64_t ticks)
{
	return clock_ns_of_ticks(&p->clock, ticks) - clock_ns_of_ticks(&p->clock, p->start_ticks);
}

static int64_t intended_of(const struct output_source *o, const struct trace_record *traced,
			   struct lane_place at)
{
	const struct replay_plan *p = o->ctx;
	const struct lane *a = &p->lane[at.lane];
	if (o->config->timing == TIMING_FULLSPEED)
		return TIME_NONE;
	/* a request that was moved to a time within a call (load.h) is due at that time, not at the
	 * start of its record */
	if (o->config->timing == TIMING_TIMESTAMP &&
	    (traced->op == OP_IO_GETEVENTS || op_info(traced->op)->family == FAMILY_PAGE))
		return ns_after_start(p, p->start_ticks + plan_due(p, at.lane, at.index));
	if (o->config->timing == TIMING_TIMESTAMP)
		return llrint((double)(traced->begin_ns - o->input_first_ns) / o->config->speed);
	/* or the end of the last request of the lane that was issued */
	uint64_t from = p->start_ticks;
	for (uint32_t k = at.index; k-- > 0;)
		if (a->outcome[k].begin_ticks) {
			from = outcome_end(&a->outcome[k]);
			break;
		}
	return ns_after_start(p, from + plan_due(p, at.lane, at.index));
}

/* Converts an outcome. `shown`: return value of the record so far. If only success is compared, the
 * outcome is 0 and the traced result is used. */
static struct output_outcome outcome_of(const struct replay_plan *p, const struct hot_request *h,
	const struct trace_record *traced, const struct outcome *out, int64_t shown)
{
	if (out->rvalue > 0 || (out->rvalue == 0 && (shown < 0 || call_result_counts(traced->op))))
		shown = h->op == OP_OPEN && shown < 0 ? atomic_load(&p->fds[h->slot]) : out->rvalue;
	struct output_outcome o = {.outcome = *out, .success = shown};
	o.outcome.end_ticks = outcome_end(out);
	return o;
}

void output_plan_outcome(const struct output_source *o, uint64_t i,
			 const struct trace_record *traced, struct trace_record *r,
			 struct output_result *f)
{
	const struct replay_plan *p = o->ctx;
	struct lane_place at = p->place[i];
	f->skipped = at.lane == NONE32 && op_info(traced->op)->family == FAMILY_CAUSE &&
		    traced->begin_ns != TIME_NONE;
	if (at.lane == NONE32)
		return;
	const struct lane *a = &p->lane[at.lane];
	const struct hot_request *h = &a->request[at.index];
	f->skipped = h->op == HOT_SKIPPED;
	if (f->skipped || !a->outcome[at.index].begin_ticks)
		return;
	f->expected = a->expected[at.index];
	f->intended_ns = intended_of(o, traced, at);
	f->first = outcome_of(p, h, traced, &a->outcome[at.index], r->rvalue);
	f->cpu_delayed = a->outcome[at.index].end_ticks & OUTCOME_CPU_DELAYED;
	/* set the arguments that a mutant actually used */
	bool sequential = h->op == OP_READ || h->op == OP_WRITE;
	if (h->fault == FAULT_SIZE)
		r->length = h->length;
	else if (h->fault == FAULT_OFFSET && !sequential)
		r->offset = h->offset;
	else if (h->fault == FAULT_OFFSET && r->offset != OFFSET_NONE)
		r->offset += (uint64_t)(int64_t)shift_before(h->offset);
	if (a->repeated && a->repeated[at.index].begin_ticks)
		f->again = outcome_of(p, h, traced, &a->repeated[at.index],
				      f->first.outcome.rvalue < 0 ? -1 : f->first.success);
}

/* Marks the requests of a lane that are late because of a delay by the machine. `cpu_delay`: the
 * part of a request's lateness that comes from an earlier CPU-delayed request. Requests that follow
 * each other without a wait are all late by this part, until a request has to wait. Lateness for
 * other reasons is not counted. */
static void spread_in_lane(const struct replay_plan *p, uint32_t lane)
{
	const struct lane *a = &p->lane[lane];
	uint64_t cpu_delay = 0, last_end = 0;
	for (uint32_t k = 0; k < a->n; k++) {
		struct outcome *o = &a->outcome[k];
		const uint64_t due = p->start_ticks + plan_due(p, lane, k),
			       late = o->begin_ticks > due ? o->begin_ticks - due : 0;
		if (o->end_ticks & OUTCOME_CPU_DELAYED)
			cpu_delay = late;
		else if (!o->begin_ticks || last_end <= due)
			cpu_delay = 0;
		else if ((cpu_delay = cpu_delay < late ? cpu_delay : late) > late / 2)
			outcome_mark_cpu_delayed(o);
		last_end = o->begin_ticks ? outcome_end(o) : 0;
	}
}

void output_spread_cpu_delay(struct replay_plan *p)
{
	for (uint32_t i = 0; i < p->n_lanes && !p->pool; i++)
		if (p->lane[i].due)
			spread_in_lane(p, i);
}
