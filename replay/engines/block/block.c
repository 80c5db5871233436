/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "common/units.h"
#include "replay/engines/block/block_crew.h"
#include "replay/engines/block/block_touched.h"
#include "replay/options/engine.h"
#include "replay/order/infer_trace.h"
#include "replay/plan/gaps.h"
#include "replay/result/output.h"

/* --- the replay trace ---------------------------------------------------- */

struct block_source {
	const struct block_input *l;
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

/* The expected result: the traced result, or the whole length for a request that was rounded to the
 * device's blocks. */
static int64_t expected_of(const struct block_hot *r, const struct trace_record *traced)
{
	if (traced->rvalue < 0 || traced->error)
		return traced->error ? -(int64_t)traced->error : -1;
	if (r->direction != BLOCK_READ && r->direction != BLOCK_WRITE)
		return 0;
	return r->flags & REQUEST_ROUNDED || traced->end_ns == TIME_NONE ? (int64_t)r->length
									 : traced->rvalue;
}

static void outcome_get(const struct output_source *o, uint64_t i,
			const struct trace_record *traced, struct trace_record *out,
			struct output_result *f)
{
	const struct block_source *s = o->ctx;
	const struct block_plan *p = s->c->plan;
	f->skipped = s->l->skipped && s->l->skipped[i];
	if (f->skipped || p->at[i].lane >= p->n_lanes)
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

/* Finds the instant from which all requests failed. Such a series indicates a lost device rather
 * than a bad block. */
static void silence_find(struct block_summary *b, const struct block_crew *c)
{
	const struct block_plan *p = c->plan;
	int64_t last = INT64_MIN; /* start of a request that succeeded */
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
		if (!r || !(r->begin != NOT_ENDED && r->end != NOT_ENDED && r->result < 0) ||
		    r->begin <= last)
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

static void summary_fill(struct block_summary *b, const struct block_input *l,
			 const struct block_crew *c)
{
	*b = (struct block_summary){.backend = c->choice.backend->name,
				    .n_discards = l->n_discards,
				    .n_turned = l->n_turned,
				    .n_remapped = l->n_remapped,
				    .n_rounded = l->n_rounded,
				    .traced_in_flight = c->plan->max_in_flight,
				    .threshold_ns = c->plan->threshold_ns};
	snprintf(b->backend_why, sizeof b->backend_why, "%s", c->choice.why);
	snprintf(b->notes, sizeof b->notes, "%s", c->notes.s ? c->notes.s : "");
	for (uint32_t i = 0; i < c->plan->n_lanes; i++) {
		const struct block_worker *w = &c->worker[i];
		b->most_in_flight += w->most_in_flight;
		b->n_submissions += w->n_submissions;
		b->n_waits += w->n_waits;
		b->n_yields += w->waiter.n_yields;
		b->contended |= w->waiter.was_contended;
		b->bundle_ns +=
		    (double)w->schedule.bundle * c->clock->ns_per_tick / c->plan->n_lanes;
	}
	results_count(b, c->plan);
	if (b->n_errors)
		silence_find(b, c);
}

static json_t *description_json(const struct block_summary *b, const struct block_crew *c)
{
	const struct block_options *o = &c->config->block;
	json_t *j = json_pack(
	    "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:f}", "mode",
	    block_mode_names[o->mode], "backend", b->backend, "backend_reason",
	    b->backend_why, "n_discards_left_out",
	    (json_int_t)b->n_discards, "n_writes_made_reads", (json_int_t)b->n_turned, "n_remapped",
	    (json_int_t)b->n_remapped, "n_rounded", (json_int_t)b->n_rounded, "n_short",
	    (json_int_t)b->n_short, "n_submissions", (json_int_t)b->n_submissions,
	    "n_waits", (json_int_t)b->n_waits,
	    "n_yields", (json_int_t)b->n_yields, "traced_in_flight",
	    (json_int_t)b->traced_in_flight, "most_in_flight",
	    (json_int_t)b->most_in_flight, "contended", b->contended,
	    "bundle_ns", b->bundle_ns);
	if (b->n_silent)
		json_object_set_new(j, "n_last_failed", json_integer((json_int_t)b->n_silent));
	if (o->mode == MODE_DEP)
		json_object_set_new(j, "threshold_ns", json_integer((json_int_t)b->threshold_ns));
	return json_pack("{s:o}", "block", j);
}

/* As output_write(). */
static int block_output_write(struct trace *input, const char *input_path,
			      const struct block_input *l, const struct block_crew *c,
			      struct replay_summary *s, struct err *e)
{
	const struct block_source from = {l, c};
	const int mode = c->config->block.mode;
	struct output_source o = {
		.ctx = &from,
		.config = c->config,
		.outcome_get = outcome_get,
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
	summary_fill(&s->block, l, c);
	s->n_workers = c->plan->n_lanes;
	s->n_skipped_of[SKIP_NO_DATA] = l->n_skipped;
	s->n_skipped_of[SKIP_DISCARD] = l->n_discards;
	s->n_skipped = l->n_skipped + l->n_discards;
	o.more = description_json(&s->block, c);
	int ret = output_write(input, input_path, &o, c->config, s, e);
	json_decref(o.more);
	return ret;
}

/* --- options ------------------------------------------------------------- */

static int ranges_check(const struct block_options *o, uint64_t n_workers, struct err *e)
{
	if (o->bundle_max < 1 || o->bundle_max > BLOCK_BUNDLE_MAX)
		return err_set(e, EINVAL, "bundle-max: expected 1 to %u", BLOCK_BUNDLE_MAX);
	if (o->depth > BLOCK_DEPTH_MAX || n_workers > BLOCK_WORKERS_MAX)
		return err_set(e, EINVAL, "depth must be at most %u, and workers at most %u",
			       BLOCK_DEPTH_MAX, BLOCK_WORKERS_MAX);
	if (!(o->think_scale > 0) || !isfinite(o->think_scale))
		return err_set(e, EINVAL, "think-scale: expected more than 0");
	if (!(o->device_scale >= 0) || !isfinite(o->device_scale))
		return err_set(e, EINVAL, "device-scale: expected 0 or more");
	return 0;
}

static int modes_check(const struct replay_config *c, struct err *e)
{
	const struct block_options *o = &c->block;
	struct mutant m;
	int ret = mutant_parse(&m, c->mutant, e);
	const struct fault *f = ret ? NULL : mutant_fault(m.kind);
	if (ret)
		return ret;
	if (o->mode >= MODE_CAUSAL)
		return err_set(e, EINVAL, "mode: %s belongs to engine parallel; engine block has "
			"hf, afap, load and dep", block_mode_names[o->mode]);
	if (o->mode != MODE_DEP &&
	    (o->think_scale != 1 || o->device_scale > 0 || o->follow || o->think_time))
		return err_set(e, EINVAL,
			       "think-scale, device-scale, follow and think-time need mode dep");
	if (o->follow == FOLLOW_COUNT && o->device_scale > 0)
		return err_set(e, EINVAL, "follow = count cannot be used with device-scale: the "
			"delays of device-scale change the order in which requests end");
	int64_t ns;
	if (o->think_time && strcmp(o->think_time, "auto") && parse_duration(o->think_time, &ns, e))
		return err_context(e, "think-time");
	if (o->mode != MODE_HF && (c->speed != 1 || o->limit != LIMIT_SLACK))
		return err_set(e, EINVAL, "%s needs mode hf%s",
			       c->speed != 1 ? "speed" : "in-flight",
			       o->mode == MODE_DEP && c->speed != 1
				   ? "; mode dep has think-scale and device-scale instead"
				   : "");
	if (f && f->timed && (o->mode == MODE_AFAP || o->mode == MODE_LOAD))
		return err_set(e, EINVAL, "mutant %s (a deliberate fault) changes when requests "
			"are due: it needs mode hf or dep",
			f->name);
	if (o->sq_poll && o->backend > 1)
		return err_set(e, EINVAL, "sq-poll needs backend io_uring");
	if (o->harvester && (!strcmp(block_backend_names[o->backend], "psync")))
		return err_set(e, EINVAL, "harvester does not apply to backend psync, which has no "
					  "completions to fetch");
	if (o->harvester && o->discards)
		return err_set(e, EINVAL, "harvester: cannot be used with discards, which end "
			"during their submission");
	return 0;
}

static int block_check(const struct replay_config *c, struct err *e)
{
	if (c->order != ORDER_TEMPORAL || c->timing != TIMING_FULLSPEED || c->fs_rules)
		return err_set(e, EINVAL,
			       "engine block has modes (--mode) instead of orders and timings: "
			       "omit --order, --timing and --fs-rules");
	if (c->dir)
		return err_set(e, EINVAL, "dir: engine block replays on a device: name it with "
			"--device, and omit --dir");
	const char *const other = c->blank ? "blank"
				  : c->stop_on_mismatch ? "stop-on-mismatch"
				  : c->prepare ? "prepare"
				  : c->processes ? "processes"
				  : c->reads ? "reads"
				  : c->balloon && strcmp(c->balloon, "off") ? "balloon" : NULL;
	if (other)
		return err_set(e, EINVAL, "%s: engine block does not support this option", other);
	int ret = ranges_check(&c->block, c->n_workers, e);
	return ret ? ret : modes_check(c, e);
}

/* --- a replay ------------------------------------------------------------ */

struct block_run {
	const struct replay_config *c;
	const char *path;
	struct trace *trace;
	struct device device;
	struct block_input load;
	struct block_plan plan;
	struct block_crew crew;
	struct clock clock;
};

/* Opens the device. The first open is for reading, because loading needs the size; a later open is
 * for writing, if needed. */
static int device_get(struct block_run *r, enum device_how how, struct err *e)
{
	bool refused = false;
	if (how != DEVICE_READ && !r->c->destructive)
		return err_set(e, EPERM, "%s: refused: the replay would overwrite its content "
			"(--destructive permits this; --read-only turns writes into reads)",
			r->c->device);
	device_close(&r->device);
	int ret = device_open(&r->device, r->c->device, how, O_DIRECT, &refused, e);
	return refused ? -EPERM : ret;
}

static enum device_how how_written(const struct block_run *r)
{
	return r->c->own_device ? DEVICE_WRITE_OWN : DEVICE_WRITE;
}

/* Modes afap and load do not wait for traced times. */
static int gaps_check(const struct block_run *r, struct err *e)
{
	const enum block_mode mode = r->c->block.mode;
	struct gaps gaps;
	int ret = 0;
	if (mode != MODE_HF && mode != MODE_DEP)
		return 0;
	gaps_init(&gaps, r->c->max_gap_ns,
		  mode == MODE_DEP ? r->c->block.think_scale : r->c->speed);
	for (uint32_t i = 0; !ret && i < r->load.n; i++)
		ret = gaps_add(&gaps, r->load.r[i].begin_ns, r->load.r[i].record, e);
	return ret;
}

static int input_load(struct block_run *r, struct replay_summary *s, struct err *e)
{
	int ret = trace_open(&r->trace, r->path, e);
	if (ret)
		return ret;
	ret = block_load_read(&r->load, r->trace, &r->device, &r->c->block, e);
	ret = ret ? ret : gaps_check(r, e);
	if (ret)
		return err_context(e, "%s", r->path);
	s->input_incomplete = trace_meta(r->trace)->cut;
	s->n_records = r->load.n_records;
	s->input_first_ns = r->load.first_begin_ns;
	return 0;
}

/* Determines the threshold of mode dep: the given threshold, the default, or the smallest pause in
 * the trace. */
static int threshold_get(struct block_run *r, int64_t *ns, struct err *e)
{
	const char *text = r->c->block.think_time;
	struct think_times h;
	*ns = INFER_THRESHOLD_NS;
	if (r->c->block.mode != MODE_DEP || !text)
		return 0;
	if (strcmp(text, "auto"))
		return parse_duration(text, ns, e) ? err_context(e, "think-time") : 0;
	int ret = think_times_read(&h, r->trace, e);
	if (!ret && h.n >= THINK_TIMES_ENOUGH)
		*ns = h.least_ns;
	return ret ? err_context(e, "%s", r->path) : 0;
}

static int run_prepare(struct block_run *r, struct replay_summary *s, struct err *e)
{
	int64_t threshold_ns;
	int ret = device_get(r, DEVICE_READ, e);
	ret = ret ? ret : input_load(r, s, e);
	if (!ret && r->load.n_written)
		ret = device_get(r, how_written(r), e);
	ret = ret ? ret : threshold_get(r, &threshold_ns, e);
	ret = ret ? ret : block_plan_make(&r->plan, &r->load, r->c, threshold_ns, e);
	r->crew = (struct block_crew){.plan = &r->plan,
				      .config = r->c,
				      .device = &r->device,
				      .clock = &r->clock,
				      .seed = r->trace ? trace_meta(r->trace)->seed : 0,
				      .n_records = r->load.n_records};
	return ret;
}

/* Opens the device as the replay would, and closes it. */
static int dry_run(struct block_run *r, struct replay_summary *s, struct err *e)
{
	struct block_touched *t = &s->block.touched;
	struct err refusal = ERR_INIT;
	int ret = device_get(r, DEVICE_READ, e);
	ret = ret ? ret : input_load(r, s, e);
	if (ret)
		return ret;
	block_touched_find(t, &r->load, r->device.n_bytes);
	if (r->load.n_written && device_get(r, how_written(r), &refusal))
		snprintf(t->refusal, sizeof t->refusal, "%.*s", (int)sizeof t->refusal - 1,
			 refusal.msg);
	return 0;
}

static int run_all(struct block_run *r, struct replay_summary *s, struct err *e)
{
	if (r->c->device && r->c->block.dry_run)
		return dry_run(r, s, e);
	int ret = r->c->device
		      ? 0
		      : err_set(e, EINVAL, "the target device is missing: name it with --device");
	if (!ret && r->c->output)
		ret = output_check(r->path, r->c->output, r->c->device, e);
	ret = ret ? ret : clock_init(&r->clock, REPLAY_CALIBRATION_NS, e);
	ret = ret ? ret : run_prepare(r, s, e);
	if (ret)
		return ret;
	ret = block_crew_init(&r->crew, &r->load, r->load.n_written > 0, e);
	if (!ret && (r->c->block.mode == MODE_HF || r->c->block.mode == MODE_DEP))
		clock_baseline_wait(&r->clock, REPLAY_TIMED_BASELINE_NS);
	ret = ret ? ret : block_crew_run(&r->crew, e);
	ret = ret ? ret : block_output_write(r->trace, r->path, &r->load, &r->crew, s, e);
	block_crew_release(&r->crew);
	return ret;
}

static int block_replay(const char *trace_path, const struct replay_config *c,
			struct replay_summary *s, struct err *e)
{
	struct block_run r = {.c = c, .path = trace_path, .device = {.fd = -1}};
	int ret = run_all(&r, s, e);
	/* requests in flight may still write to the memory */
	if (r.crew.abandoned)
		return ret;
	block_plan_release(&r.plan);
	block_load_release(&r.load);
	trace_close(r.trace);
	device_close(&r.device);
	return ret;
}

const struct replay_engine engine_block = {
    .name = "block",
    .level = LEVEL_BLOCK,
    .help = "requests on a block device (--device), issued through io_uring, libaio or psync, in "
	    "modes hf, afap, load and dep",
    .moded = true,
    .options = block_option_table,
    .check = block_check,
    .replay = block_replay,
};
