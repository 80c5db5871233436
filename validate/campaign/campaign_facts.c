/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the machine and the conditions, for environment.json (doc/results.md). */
#include <sys/mman.h>
#include <sys/resource.h>

#include "capture/fileset/fileset.h"
#include "common/clock.h"
#include "common/drop_caches.h"
#include "common/files.h"
#include "common/processors.h"
#include "common/text.h"
#include "validate/campaign/campaign_state.h"
#include "validate/campaign/certified.h"
#include "validate/provenance/provenance.h"
#include "validate/results/summaries.h"
#include "validate/stats/quantiles.h"

/* --- page faults --------------------------------------------------------- */

/* Cost of a page fault on this machine. The number of page faults is multiplied by it. */

#define N_PAGES 512
#define N_REGIONS 9

static double touch_ns(volatile char *at, size_t page)
{
	int64_t before = clock_monotonic_ns();
	for (size_t i = 0; i < N_PAGES; i++)
		at[i * page] = 1;
	return (double)(clock_monotonic_ns() - before) / N_PAGES;
}

/* Returns the time in ns of a minor fault of anonymous memory in normal pages: for several regions,
 * the time of the first touch of their pages minus that of the second touch; the median of these.
 * Takes a few milliseconds. NaN if there is no memory. */
static double fault_cost_ns(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	double cost[N_REGIONS], median;
	for (int i = 0; i < N_REGIONS; i++) {
		void *at = mmap(NULL, N_PAGES * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			return NAN;
		madvise(at, N_PAGES * page, MADV_NOHUGEPAGE);
		cost[i] = touch_ns(at, page);
		cost[i] = fmax(0, cost[i] - touch_ns(at, page));
		munmap(at, N_PAGES * page);
	}
	return sample_median(cost, N_REGIONS, &median) ? NAN : median;
}

/* Records differences of machine or program between sessions, because their runs are analysed
 * together. */
static void sameness_check(struct campaign *c, const json_t *earlier)
{
	static const struct {
		const char *member, *detail, *what;
	} facts[] = {{"program", "crc32c", "one program file of validate for all runs"},
		     {"host", NULL, "one host for all runs"},
		     {"machine", "cpu_model", "one kind of CPU for all runs"},
		     {"machine", "n_cpus_online", "the same number of CPUs in all runs"},
		     {"kernel", NULL, "one kernel for all runs"}};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		json_t *was = json_object_get(earlier, facts[i].member),
		       *is = json_object_get(c->environment, facts[i].member);
		if (facts[i].detail) {
			was = json_object_get(was, facts[i].detail);
			is = json_object_get(is, facts[i].detail);
		}
		if (was && is && !json_equal(was, is))
			environment_skip(
			    c->environment, facts[i].what,
			    "the campaign was resumed with another program or kernel, or on "
			    "another machine",
			    "none: the runs of all sessions are analysed together");
	}
}

/* Keeps the limitations of an earlier session, because they hold for its runs. */
static void earlier_inherit(struct campaign *c)
{
	SCOPED_FREE char *path = results_path(c->dir, "environment.json");
	json_t *earlier, *skip;
	size_t i;
	if (c->options->resume && json_read_file(path, &earlier, NULL) == 0) {
		json_array_foreach(json_object_get(earlier, "replaced_or_skipped"), i, skip)
		    json_array_append(json_object_get(c->environment, "replaced_or_skipped"), skip);
		if (json_is_array(json_object_get(earlier, "replayers")))
			json_object_set(c->environment, "replayers",
					json_object_get(earlier, "replayers"));
		if (json_is_object(json_object_get(earlier, "time")))
			c->time_before = json_incref(json_object_get(earlier, "time"));
		sameness_check(c, earlier);
		json_decref(earlier);
	}
}

static bool campaign_is_parallel(const struct campaign *c)
{
	for (size_t i = 0; i < c->protocol->n_scenarios; i++)
		if (c->protocol->scenario[i].parallel.is)
			return true;
	return false;
}

/* Returns how the runs of each scenario are paired, and why: "protocol", "possible", or the
 * obstacle to slices. */
static json_t *pairing_facts(const struct campaign *c)
{
	const struct protocol *p = c->protocol;
	json_t *all = json_array();
	for (size_t i = 0; i < p->n_scenarios; i++) {
		struct err why = ERR_INIT;
		const char *replayer;
		const bool sliced = group_is_sliced(c, i, &replayer, &why);
		const char *chosen = p->pairing == PAIRING_AUTO ? "possible" : "protocol";
		json_array_append_new(
		    all, json_pack("{s:s, s:s, s:s, s:s*}", "scenario", p->scenario[i].name, "by",
				   sliced ? "slices" : "runs", "why", why.code ? why.msg : chosen,
				   "replayer", replayer));
	}
	return all;
}

void facts_begin(struct campaign *c)
{
	c->environment = environment_make(c->options->self);
	json_object_set_new(c->environment, "targets", json_array());
	json_t *standard = certified_facts(c->protocol);
	if (standard)
		json_object_set_new(c->environment, "standard", standard);
	SCOPED_FREE char *mpi = campaign_is_parallel(c) ? provenance_mpi() : NULL;
	if (campaign_is_parallel(c))
		json_object_set_new(c->environment, "mpi", json_pack("{s:o, s:i}", "version",
			text_to_json(mpi), "processors", processors_allowed()));
	double fault_ns = fault_cost_ns();
	json_object_set_new(c->environment, "costs", json_pack("{s:o}", "minor_fault_ns",
		isfinite(fault_ns) ? json_real(fault_ns) : json_null()));
	earlier_inherit(c);
	cpu_ticks_read(&c->ticks_at_start);
}

/* --- replayers ----------------------------------------------------------- */

static void replayer_note(struct campaign *c, const char *name, const json_t *described)
{
	json_t *all = json_object_get(c->environment, "replayers");
	const json_t *known = json_with_text(all, "name", name),
		     *digest = json_object_get(described, "sha256");
	if (!all) {
		all = json_array();
		json_object_set_new(c->environment, "replayers", all);
	}
	if (!known) {
		json_array_append_new(
		    all, json_pack("{s:o, s:O?, s:O?, s:O?, s:O?}", "name", text_to_json(name),
				   "engine", json_object_get(described, "name"), "program",
				   json_object_get(described, "program"), "version",
				   json_object_get(described, "version"), "sha256", digest));
		return;
	}
	if (json_equal(json_object_get(known, "sha256"), digest))
		return;
	SCOPED_FREE char *what = xasprintf("one program file for all runs of %s", name);
	environment_skip(c->environment, what,
			 "the replayer's program file changed between runs",
			 "none: all runs are analysed together");
}

void facts_note_replayer(struct campaign *c, int32_t role, const char *trace)
{
	struct trace *t;
	if (role < 0 || !replayer_adapter(&c->protocol->replayer[role]) ||
	    trace_open(&t, trace, NULL) < 0)
		return;
	const char *extra = trace_meta(t)->extra_json;
	json_t *all = extra ? json_loads(extra, 0, NULL) : NULL,
	       *described = json_object_get(json_object_get(all, "replay"), "replayer");
	if (json_is_object(described))
		replayer_note(c, c->protocol->replayer[role].name, described);
	json_decref(all);
	trace_close(t);
}

static const char *residency_method(const struct campaign *c)
{
	struct fileset_residency r;
	/* a place may be used only for recordings */
	const struct place *place = &c->places.place[c->protocol->scenario[0].target];
	const struct place_dir *d = &place->dir[c->places.scenario[0].dir];
	bool known = fileset_residency(&d->files, d->fd, &r, NULL) == 0;
	return known && !r.by_cachestat ? "mincore" : "cachestat";
}

void facts_describe(struct campaign *c)
{
	if (!strcmp(residency_method(c), "mincore"))
		environment_skip(c->environment, "verifying that no page is dirty before a run",
			"cachestat(2) is not available here (a kernel before 6.5, or an overlay "
			"file system)", "the file system is synced before every run; cached pages "
			"are counted by mincore(2)");
	json_object_set_new(c->environment, "pairing", pairing_facts(c));
	const struct protocol *p = c->protocol;
	struct rlimit realtime = {0};
	getrlimit(RLIMIT_RTPRIO, &realtime);
	json_object_set_new(c->environment, "privileges",
		json_pack("{s:i, s:b, s:b, s:b}", "uid", (int)geteuid(), "drop_caches",
		may_drop_caches(), "memory_cgroup", c->cgroups.kind != CGROUP_NONE,
		"realtime_scheduling", geteuid() == 0 || realtime.rlim_cur > 0));
	json_object_set_new(c->environment, "memory_cgroup",
		json_pack("{s:s, s:o, s:o}", "kind", cgroup_kind_names[c->cgroups.kind], "parent",
		text_to_json(c->cgroups.parent), "why_none",
		text_to_json(c->cgroups.kind || !c->cgroups.why[0] ? NULL : c->cgroups.why)));
	json_object_set_new(c->environment, "cache", json_pack("{s:b, s:s}", "may_drop_caches",
		c->drop_caches, "residency_by", residency_method(c)));
	json_object_set_new(c->environment, "scheduling", json_pack("{s:o, s:o, s:o}", "cpus",
		text_to_json(c->protocol->cpus), "scheduler", text_to_json(c->protocol->scheduler),
		"policy", scheduling_to_json(&c->scheduling)));
	json_object_set_new(c->environment, "protocol",
		json_pack("{s:o, s:o}", "name", text_to_json(c->name), "title",
		text_to_json(strcmp(p->title, p->name) ? p->title : c->name)));
}

static json_t *scenario_facts(const struct campaign *c)
{
	const struct protocol *p = c->protocol;
	json_t *list = json_array();
	for (size_t i = 0; i < p->n_scenarios; i++) {
		const struct campaign_calibration *k = &c->calibration[i];
		json_t *memory = json_object(), *limits = json_object();
		for (size_t r = 0; r <= p->n_replayers; r++) {
			const char *name = r ? p->replayer[r - 1].name : "program";
			if (!k->memory[r].run_bytes)
				continue;
			json_object_set_new(memory, name,
					    json_integer((json_int_t)k->memory[r].run_bytes));
			json_object_set_new(limits, name,
				json_integer((json_int_t)step_limit(c, i, (int32_t)r - 1)));
		}
		/* a captured program or a trace decides itself how many requests it makes */
		const bool counted = !p->scenario[i].script && !p->scenario[i].trace;
		json_array_append_new(list,
			json_pack("{s:s, s:o*, s:f, s:I, s:I, s:o, s:o, s:o}", "name",
			p->scenario[i].name, "requests",
			counted ? json_integer((json_int_t)k->n_requests) : NULL, "execution_s",
			(double)k->execution_ns * 1e-9, "trace_bytes", (json_int_t)k->trace_bytes,
			"page_cache_bytes", (json_int_t)step_page_cache(c, i), "anonymous_bytes",
			memory, "cgroup_limit_bytes", limits, "calibration_failure",
			text_to_json(k->failure)));
	}
	return list;
}

/* Assigns the time of a measured process to program or replay, from its start to its end. Moves its
 * time outside the requests to the part for starting. */
static void starts_count(struct campaign *c)
{
	double s[2] = {0};
	summaries_read(c->dir, c->run, c->plan.n_runs, false);
	for (size_t i = 0; i < c->plan.n_runs; i++) {
		const struct run *r = &c->run[i];
		if (r->has_summary && r->role != ROLE_RECORD && !r->sliced &&
		    r->started_ns >= c->started_wall_ns)
			s[!role_is_program(c, r->role)] +=
			    fmax(0, r->run_s - (double)r->summary.execution_ns * 1e-9);
	}
	time_move(&c->time, TIME_PROGRAM, TIME_START, fmin(s[0], c->time.s[TIME_PROGRAM]));
	time_move(&c->time, TIME_REPLAY, TIME_START, fmin(s[1], c->time.s[TIME_REPLAY]));
}

/* Writes environment.json. The digest is journalled before the file is written. If the campaign
 * dies in between, the file still matches the previous digest. */
static int environment_write(struct campaign *c, struct err *e)
{
	char hex[FILE_DIGEST_HEX], *path = results_path(c->dir, "environment.json"),
				   *text = json_dumps(c->environment, JSON_INDENT(2));
	SCOPED_STRBUF file = STRBUF_INIT;
	strbuf_addf(&file, "%s\n", text ? text : "");
	int ret = text ? bytes_digest(file.s, file.len, hex, e)
		       : err_set(e, EINVAL, "%s: cannot be written as JSON", path);
	if (!ret) {
		json_t *event = json_pack("{s:s, s:s}", "event", "environment", "sha256", hex);
		ret = journal_append_new(&c->journal, event, e);
	}
	ret = ret ? ret : file_write_atomic(path, file.s, file.len, e);
	FREE_EACH(text, path);
	return ret;
}

int environment_save(struct campaign *c, struct err *e)
{
	struct cpu_ticks now;
	json_object_set_new(c->environment, "scenarios", scenario_facts(c));
	double stolen = cpu_ticks_read(&now) ? stolen_share(&c->ticks_at_start, &now) : NAN;
	json_object_set_new(c->environment, "session", json_pack("{s:f, s:o}", "wall_s",
		(double)(clock_monotonic_ns() - c->started_ns) * 1e-9, "stolen_share",
		isfinite(stolen) ? json_real(stolen) : json_null()));
	if (c->ready) {
		starts_count(c);
		json_object_set_new(c->environment, "time",
				    time_use_to_json(&c->time, c->time_before));
	}
	return environment_write(c, e);
}
