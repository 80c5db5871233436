/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/replay.h"

#include <malloc.h>
#include <sys/statvfs.h>

#include "common/files.h"
#include "common/proc_text.h"
#include "common/wait.h"
#include "replay/engines/parallel/layout.h"
#include "replay/issue/balloon.h"
#include "replay/issue/calls.h"
#include "replay/issue/passing.h"
#include "replay/load/initial.h"
#include "replay/load/reads.h"
#include "replay/plan/gaps.h"
#include "replay/plan/pinning.h"
#include "replay/result/output.h"

struct replay_job {
	const struct replay_config *c; /* settled by the engine */
	struct replay_config pinned;   /* --cpus traced: c points to this copy, which uses `cpus` */
	char *cpus;
	const struct replay_config *given; /* as the caller gave it */
	struct input in;
	struct replay_plan plan;
	struct balloon balloon;
	struct captured *captured; /* NULL: captured content is not replayed */
	enum metadata_state metadata; /* at the first request */
};

/* --- preparation --------------------------------------------------------- */

static int input_take(struct replay_job *r, const char *path, struct replay_summary *s,
		      struct err *e)
{
	struct input *in = &r->in;
	int ret = input_open(in, path, r->c, e);
	if (!ret && r->c->payload == PAYLOAD_CAPTURED && !r->c->blank && !r->c->prepare_only)
		ret = captured_open(&r->captured, path, in->trace, e);
	if (ret)
		return ret;
	in->load.captured = r->captured;
	s->input_incomplete = trace_meta(in->trace)->cut;
	s->n_unknown_fd = in->slots.n_unknown;
	s->n_threads = in->load.n_threads - in->load.n_channels;
	s->n_records = in->load.n_records;
	s->input_first_ns = in->load.first_begin_ns;
	return 0;
}

/* Checks the gaps before any file is accessed, because the times of the trace are untrusted. */
static int gaps_check(const struct replay_job *r, struct err *e)
{
	struct gaps gaps;
	int ret = 0;
	if (r->c->timing == TIMING_FULLSPEED && !r->c->causes)
		return 0;
	gaps_init(&gaps, r->c->max_gap_ns, r->c->speed);
	for (uint32_t i = 0; !ret && i < r->in.load.n; i++)
		ret = gaps_add(&gaps, r->in.load.request[i].begin_ns, r->in.load.request[i].record,
			       e);
	return ret;
}

static int run_pin(struct replay_job *r, struct err *e)
{
	int ret = pinning_find(&r->cpus, &r->in.load, trace_meta(r->in.trace), e);
	r->pinned = *r->c;
	r->pinned.cpus = r->cpus;
	if (!ret)
		r->c = &r->pinned;
	return ret;
}

static int plan_derive(struct replay_job *r, struct err *e)
{
	struct edges edges;
	struct replay_plan *p = &r->plan;
	const struct replay_engine *engine = r->c->row;
	const struct clock clock = p->clock;
	/* a copy without `blank` for an engine with `prepare`, which needs the calls */
	struct replay_config laid = *r->c;
	unsigned int rules = 0;
	int ret = r->c->order == ORDER_FS ? fs_rules_parse(&rules, r->c->fs_rules, e) : 0;
	edges = (struct edges){.edge = NULL};
	ret = ret ? ret : gaps_check(r, e);
	if (!ret && r->c->reads != READS_CURRENT)
		ret = reads_prepare(&r->in.load, &r->in.slots, r->in.trace,
				    (enum replay_reads)r->c->reads, e);
	/* slot 0 stands for no slot */
	if (!ret && r->in.slots.n > 2 && r->c->order != ORDER_NONE &&
	    !(r->c->mutant && *r->c->mutant))
		slots_reuse(&r->in.slots, &r->in.load);
	if (!ret && r->in.load.n_threads > 1) /* one thread keeps its order */
		ret = order_derive(&edges, (enum replay_order)r->c->order, rules, &r->in.load,
				   &r->in.slots, e);
	laid.blank &= !engine->prepare;
	if (!ret && pinning_is_traced(r->c))
		ret = run_pin(r, e);
	ret = ret ? ret : plan_make(p, &laid, &r->in.load, &r->in.slots, &edges, e);
	if (!ret && engine->lay)
		ret = engine->lay(p, r->c, &r->in.load, &r->in.slots, r->in.trace, e);
	if (!ret && r->c->balloon)
		ret = balloon_init(&r->balloon, r->c, trace_meta(r->in.trace), &r->in.load, e);
	p->balloon = r->balloon.n_steps ? &r->balloon : NULL;
	p->clock = clock;
	p->seed = trace_meta(r->in.trace)->seed;
	edges_release(&edges);
	load_release(&r->in.load);
	return ret ? err_context(e, "%s", r->in.path) : 0;
}

/* Number of descriptors that the replay needs in addition to those of the trace. */
static uint32_t descriptors_more(const struct replay_job *r)
{
	const uint32_t n_stores = r->plan.n_workers + 1, n = n_stores * call_store_size(n_stores);
	return r->c->processes ? n + passing_room(r->in.slots.n_processes) : n;
}

/* Reports errors that would prevent the start before the engine makes long preparations. */
static int limits_check(const struct replay_job *r, const struct replay_engine *engine,
			struct err *e)
{
	if (r->c->prepare_only || r->c->blank || engine->opens)
		return 0;
	int ret = slots_allow(&r->in.slots, descriptors_more(r), e);
	return ret ? err_context(e, "%s", r->c->dir) : 0;
}

static int files_open(struct replay_job *r, struct err *e)
{
	struct replay_plan *p = &r->plan;
	const bool elsewhere = r->c->row->opens;
	SCOPED_FREE int *fds = xcalloc(p->n_slots + 1, sizeof *fds);
	/* if false, the check must not load metadata into the cache */
	const bool is_warm = r->c->prepare || r->c->cache == REPLAY_CACHE_COLD;
	r->metadata = r->c->prepare ? METADATA_WARM : METADATA_AS_IS;
	int ret = initial_check(r->in.slots.initial, r->in.root.fd, !is_warm, e);
	for (uint32_t i = 0; i < p->n_slots; i++)
		fds[i] = -1;
	if (!ret && !elsewhere)
		ret = slots_open(&r->in.slots, &r->in.root, descriptors_more(r), fds, e);
	for (uint32_t i = 0; !ret && i < p->n_slots; i++)
		atomic_store(&p->fds[i], fds[i]);
	p->root = r->in.root;
	p->root.refused = p->calls.common ? &p->calls.common->counts.refused : NULL;
	return ret ? err_context(e, "%s", r->c->dir) : 0;
}

static int files_evict(struct replay_job *r, struct err *e)
{
	struct fileset shown;
	slots_files(&r->in.slots, &shown);
	int ret = evict_target(&trace_meta(r->in.trace)->files, &shown, r->in.root.fd, &r->metadata,
			       e);
	slots_files_release(&shown);
	return ret ? err_context(e, "%s", r->c->dir) : 0;
}

/* Frees everything except paths, processes and counts. */
static void slots_shrink(struct slots *s)
{
	initial_free(s->initial);
	FREE_EACH(s->slot, s->map);
	s->initial = NULL;
	s->slot = NULL;
	s->map = NULL;
	s->n = s->n_maps = s->cap = s->maps_cap = 0;
}

/* --- results ------------------------------------------------------------- */

/* 0: unknown */
static uint64_t peak_bytes(void)
{
	char text[4096];
	const char *at = proc_text_read("/proc/self/status", text, sizeof text)
			     ? strstr(text, "\nVmHWM:")
			     : NULL;
	return at ? strtoull(at + strlen("\nVmHWM:"), NULL, 10) * 1024 : 0;
}

static void counts_take(struct replay_summary *s, const struct call_counts *n)
{
	s->n_pages_read = atomic_load(&n->n_pages_read);
	s->n_pages_stayed = atomic_load(&n->n_pages_stayed);
	s->n_pages_touched = atomic_load(&n->n_pages_touched);
	s->n_pages_left = atomic_load(&n->n_pages_left);
	s->n_clones_copied = atomic_load(&n->n_clones_copied);
}

static void memory_take(struct replay_memory *m, const struct replay_plan *p)
{
	*m = (struct replay_memory){
		.plan_bytes = p->file.n_bytes,
		.ahead_bytes = p->fed.n_bytes,
		.locked_bytes = p->fed.n_locked_bytes,
		.peak_bytes = m->peak_bytes,
		.n_chunks = p->fed.n_chunks,
		.n_late_chunks = p->fed.n_late,
		.whole = p->file.whole,
		.scratch_in_memory = p->file.in_memory,
	};
}

static json_t *memory_to_json(const struct replay_memory *m)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "plan_bytes", (json_int_t)m->plan_bytes,
		"ahead_bytes", (json_int_t)m->ahead_bytes, "locked_bytes",
		(json_int_t)m->locked_bytes, "peak_resident_bytes", (json_int_t)m->peak_bytes,
		"n_chunks", (json_int_t)m->n_chunks, "n_late_chunks", (json_int_t)m->n_late_chunks);
}

static json_t *captured_to_json(const struct captured_summary *c)
{
	return c->n_requests || c->n_missing
		   ? json_pack("{s:I, s:I, s:I, s:I, s:I}", "n_requests", (json_int_t)c->n_requests,
			       "n_bytes", (json_int_t)c->n_bytes, "n_missing",
			       (json_int_t)c->n_missing, "n_late", (json_int_t)c->n_late,
			       "locked_bytes", (json_int_t)c->n_locked_bytes)
		   : NULL;
}

static void refused_take(struct replay_summary *s, const struct rooted_refused *r)
{
	s->n_refused = atomic_load(&r->n);
	s->refused_mode = atomic_load(&r->mode);
	snprintf(s->refused_path, sizeof s->refused_path, "%s", r->path);
}

/* Reports an error if the replay skipped calls on devices. */
static int refused_check(const struct replay_summary *s, struct err *e)
{
	if (!s->n_refused)
		return 0;
	return err_set(e, EPERM,
		       "refused: the replay did not make %" PRIu64 " call%s of the trace. The "
		       "first is on '%s', which is %s; a replay opens only regular files and "
		       "directories",
		       s->n_refused, s->n_refused == 1 ? "" : "s", s->refused_path,
		       confined_kind_name(s->refused_mode));
}

/* The conditions of the run, for the metadata of the replay trace. */
static json_t *more_of_plan(const struct replay_plan *p, const struct replay_summary *s)
{
	return json_pack("{s:I, s:o*, s:o, s:o, s:o, s:o*, s:s}", "n_pre_spin_wakes",
		(json_int_t)p->n_relays, "parallel",
		p->layout ? layout_to_json(p->layout) : json_null(), "balloon",
		p->balloon ? balloon_to_json(p->balloon) : json_null(), "scheduling",
		p->scheduling.set ? scheduling_to_json(&p->scheduling) : json_null(), "memory",
		memory_to_json(&s->memory), "captured_content", captured_to_json(&s->captured),
		"metadata_cache", metadata_state_names[s->metadata]);
}

static struct output_source source_of(const struct replay_plan *p, const struct replay_config *c,
				      int64_t input_first_ns)
{
	return (struct output_source){
		.ctx = p,
		.config = c,
		.outcome_get = output_plan_outcome,
		.clock = &p->clock,
		.start_ticks = p->start_ticks,
		.n_records = p->n_records,
		.n_requests = p->n,
		.level = LEVEL_SYSCALL,
		.root = c->dir,
		.timed = c->timing != TIMING_FULLSPEED,
		.reports_cpu_delay = c->timing != TIMING_FULLSPEED && c->row->marks_cpu_delay,
		.input_first_ns = input_first_ns,
		.facts = p->facts,
		.n_workers = p->n_workers,
		.n_futex_sleeps = p->n_futex_sleeps,
		.n_timed_sleeps = p->n_timed_sleeps,
		.n_late_wakes = p->n_late_wakes,
	};
}

/* Whether all workers may spin at the same time. */
static bool all_spin(const struct replay_config *c)
{
	bool spins = c->wait == WAIT_SPIN || (c->wait == WAIT_HYBRID && !c->pre_spin);
	return c->timing != TIMING_FULLSPEED && spins;
}

/* Sets the peak resident set of this process to the present one (proc(5)). If the kernel refuses
 * that, the peak counts from the start of the process. */
static void peak_reset(void)
{
	SCOPED_FD int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		(void)!write(fd, "5", 1);
}

/* The last steps before the timed region. */
static int region_begin(struct replay_job *r, struct err *e)
{
	int ret = 0;
	if (r->c->timing != TIMING_FULLSPEED)
		clock_baseline_wait(&r->plan.clock, REPLAY_TIMED_BASELINE_NS);
	malloc_trim(0); /* return the memory of the preparation before the start */
	if (r->captured)
		ret = captured_start(r->captured, r->c->memory_bytes, e);
	r->plan.calls.content = r->captured ? captured_reader(r->captured) : NULL;
	peak_reset();
	return ret;
}

/* Returns `ret`, the result of the timed region, or the error of the captured content. */
static int region_end(struct replay_job *r, struct replay_summary *s, int ret, struct err *e)
{
	if (r->captured && captured_stop(r->captured, &s->captured, ret ? NULL : e) && !ret)
		ret = -EIO;
	s->memory.peak_bytes = peak_bytes();
	return ret;
}

static void summary_take(struct replay_job *r, struct replay_summary *s)
{
	for (int i = SKIP_NONE + 1; i < SKIP_N; i++) {
		s->n_skipped_of[i] = r->plan.calls.n_skipped[i];
		s->n_skipped += r->plan.calls.n_skipped[i];
	}
	if (r->plan.calls.common) {
		counts_take(s, &r->plan.calls.common->counts);
		refused_take(s, &r->plan.calls.common->counts.refused);
	}
	s->balloon = r->balloon.n_steps > 0;
	s->own_memory_bytes = r->balloon.own_bytes;
	s->balloon_most_bytes = r->balloon.most_bytes;
	s->balloon_least_bytes = r->balloon.least_bytes < r->balloon.most_bytes
				     ? r->balloon.least_bytes
				     : r->balloon.most_bytes;
	memory_take(&s->memory, &r->plan);
	s->metadata = r->metadata;
	s->stopped = r->plan.stopped;
	s->n_workers = r->plan.n_workers;
	s->n_processes = r->plan.layout ? layout_n_ranks(r->plan.layout)
			 : r->c->processes && r->in.slots.n_processes ? r->in.slots.n_processes
								      : 1;
	if (r->plan.scheduling.set)
		scheduling_warning(&r->plan.scheduling, (uint32_t)s->n_workers, all_spin(r->c),
				   s->scheduling_note, sizeof s->scheduling_note);
}

static int run_all(struct replay_job *r, const char *trace_path, struct replay_summary *s,
		   struct err *e)
{
	const struct replay_engine *engine = r->c->row;
	int ret = r->c->output ? output_check(trace_path, r->c->output, NULL, e) : 0;
	ret = ret ? ret : clock_open(&r->plan.clock, e);
	ret = ret ? ret : input_take(r, trace_path, s, e);
	ret = ret ? ret : plan_derive(r, e);
	if (!ret && engine->prepare && r->plan.n && !r->c->compiled.compile_only)
		ret = limits_check(r, engine, e);
	if (!ret && engine->prepare && r->plan.n)
		ret = engine->prepare(&r->plan, r->c, e);
	if (r->c->compiled.compile_only)
		return ret;
	if (!ret && engine->prepare && r->c->blank)
		plan_blank(&r->plan);
	if (!ret && (r->c->prepare || r->c->prepare_only))
		ret =
		    files_prepare(&r->in, r->c->reads == READS_ORIGINAL, r->plan.calls.payload, e);
	if (!ret && r->c->prepare && r->in.slots.initial)
		s->n_sizes_unknown = r->in.slots.initial->n_sizes_unknown;
	if (r->c->prepare_only)
		return ret;
	if (!ret && !r->c->blank)
		ret = files_open(r, e);
	if (!ret && !r->c->blank && r->c->cache == REPLAY_CACHE_COLD)
		/* this step is the last: no later step looks up a name in the target */
		ret = files_evict(r, e);
	slots_shrink(&r->in.slots);
	ret = ret ? ret : clock_calibrate(&r->plan.clock, REPLAY_CALIBRATION_NS, e);
	if (!ret && r->plan.n) {
		ret = region_begin(r, e);
		ret = ret ? ret : engine->run(&r->plan, r->c, e);
		ret = region_end(r, s, ret, e);
	}
	summary_take(r, s);
	if (ret && !r->plan.partial)
		return ret;
	if (r->plan.layout)
		layout_summary(r->plan.layout, &s->parallel);
	/* a mutant changes the times */
	if (r->c->timing == TIMING_TIMESTAMP && r->plan.mutant.kind == FAULT_NONE)
		output_spread_cpu_delay(&r->plan);
	struct output_source from = source_of(&r->plan, r->c, s->input_first_ns);
	from.more = more_of_plan(&r->plan, s);
	int written = output_write(r->in.trace, r->in.path, &from, r->given, s, ret ? NULL : e);
	json_decref(from.more);
	ret = ret ? ret : written;
	return ret ? ret : refused_check(s, e);
}

int replay_run_summary(const char *trace_path, const struct replay_config *c,
		       struct replay_summary *s, struct err *e)
{
	*s = (struct replay_summary){.mean_response_ns = NAN, .traced_mean_response_ns = NAN};
	int ret = replay_check(c, e);
	if (ret)
		return ret;
	const struct replay_config settled = replay_settled(c);
	if (settled.row->replay)
		return settled.row->replay(trace_path, &settled, s, e);
	struct replay_job *r = xcalloc(1, sizeof *r);
	*r = (struct replay_job){.c = &settled, .given = c, .in = {.root = {.fd = -1, .tree = -1}}};
	ret = run_all(r, trace_path, s, e);
	if (r->plan.abandoned) /* a thread that is blocked uses the memory until the process ends */
		return ret;
	for (uint32_t i = 0; i < r->plan.n_slots && !r->plan.fds_elsewhere; i++)
		fd_close(atomic_exchange(&r->plan.fds[i], -1));
	if (r->plan.balloon)
		balloon_release(&r->balloon);
	call_table_release(&r->plan.calls);
	if (r->plan.layout)
		layout_free(r->plan.layout);
	plan_release(&r->plan);
	if (r->captured)
		captured_free(r->captured);
	input_close(&r->in);
	FREE_EACH(r->cpus, r);
	return ret;
}
