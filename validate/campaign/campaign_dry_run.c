/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints what a protocol would do: runs, expected time and space. Touches nothing. */

#include "common/units.h"
#include "common/wait.h"
#include "microbench/microbench.h"
#include "validate/campaign/campaign_state.h"
#include "validate/campaign/chances.h"

#define OVERHEAD_S 0.15        /* beyond the run: preparation, start, summary */
#define SERVICE_GUESS_NS 3e4   /* one request, before any measurement */
#define OVERSHOOT_GUESS_NS 7e4 /* of a sleep */
/* Runs to search the request count of a workload. Others run twice, parallel applications once. */
#define CALIBRATION_RUNS 4
/* A real program of size 1 with the preparation of its files. Proportional to the size. */
#define SCRIPT_GUESS_S 0.6
#define SCRIPT_GUESS_REQUESTS 2e4

struct expected {
	double run_s, overhead_s; /* per run; the second excludes the run */
	unsigned int n_calibrations;
	uint64_t n_runs; /* recordings, reruns and replays */
	uint64_t n_blanks; /* further replays without calls */
	double blank_s; /* time of these between the calls */
	double requests; /* per run, all threads */
	double recording_s; /* of a recording; 0: as a run */
	uint64_t file_bytes;
};

static int scenario_bytes(const struct protocol *p, size_t i, const struct microbench_config *c,
			  uint64_t *bytes, struct err *e)
{
	SCOPED(microbench_files_release) struct fileset files;
	int ret = microbench_files(workload_find(p->scenario[i].type), c, &files, e);
	*bytes = 0;
	for (size_t k = 0; !ret && k < files.n; k++)
		*bytes += files.entry[k].size;
	return ret;
}

/* As blank_wanted(), for a protocol without a campaign. */
static bool blanks_expected(const struct protocol *p, size_t i, const struct replayer *r)
{
	const struct scenario *s = &p->scenario[i];
	const struct target *t = &p->target[s->target];
	return !s->parallel.is && !t->device && !t->volume && s->observe != OBSERVE_BLOCK &&
	       !replayer_adapter(r) && strcmp(r->engine, "program");
}

static void runs_expect(const struct protocol *p, size_t i, struct expected *x)
{
	const uint64_t replicates = protocol_n_blocks(p) - 1;
	const uint64_t n_blank_blocks =
	    replicates < DESIGN_BLANK_BLOCKS ? replicates : DESIGN_BLANK_BLOCKS;
	uint64_t roles = p->reference == REFERENCE_RERUN;
	for (size_t r = 0; r < p->n_replayers; r++) {
		roles += p->replayer[r].applies[i];
		if (p->replayer[r].applies[i] && blanks_expected(p, i, &p->replayer[r]))
			x->n_blanks += n_blank_blocks;
	}
	x->n_runs = protocol_n_bank(p) + roles * protocol_n_blocks(p);
}

static void recording_expect(const struct protocol *p, size_t i, struct expected *x)
{
	x->recording_s = recording_seconds(&p->scenario[i].parallel, x->run_s);
	x->overhead_s = RANKS_OVERHEAD_S;
	x->n_calibrations = 1;
	for (size_t k = 0; k < i; k++)
		if (p->scenario[k].target == p->scenario[i].target &&
		    scenario_same_application(&p->scenario[k], &p->scenario[i]))
			x->n_calibrations = 0;
	if (scenario_recording(p, i) == i)
		return;
	x->recording_s = 0;
	x->n_runs -= protocol_n_bank(p);
}

static int scenario_expect(const struct protocol *p, size_t i, struct expected *x, struct err *e)
{
	struct microbench_config c;
	*x = (struct expected){.overhead_s = OVERHEAD_S, .n_calibrations = CALIBRATION_RUNS};
	if (p->scenario[i].script || p->scenario[i].trace) {
		x->run_s = SCRIPT_GUESS_S * (double)(p->scenario[i].size + 1);
		x->requests = SCRIPT_GUESS_REQUESTS;
		x->n_calibrations = 2;
		runs_expect(p, i, x);
		if (p->scenario[i].parallel.is)
			recording_expect(p, i, x);
		return 0;
	}
	int ret = scenario_config(&p->scenario[i], &c, e);
	ret = ret ? ret : scenario_bytes(p, i, &c, &x->file_bytes, e);
	if (ret)
		return ret;
	const struct workload_script *script = workload_find(p->scenario[i].type)->script;
	double n_per_unit = script ? script->n_per_unit : 1;
	double one_ns = (double)c.pause_ns + n_per_unit * SERVICE_GUESS_NS;
	if (c.pause_ns && c.pause_by == WAIT_NANOSLEEP)
		one_ns += OVERSHOOT_GUESS_NS;
	double least_ns = (double)p->min_duration_ns * 1.4,
	       as_given_ns = (double)c.n_requests * one_ns;
	x->run_s = (as_given_ns > least_ns ? as_given_ns : least_ns) * 1e-9;
	x->blank_s = x->run_s * (double)c.pause_ns / one_ns;
	x->requests = x->run_s * 1e9 / one_ns * (double)c.level;
	if (x->requests < (double)(c.n_requests * c.level))
		x->requests = (double)(c.n_requests * c.level);
	x->requests *= n_per_unit;
	runs_expect(p, i, x);
	return 0;
}

static void heading_put(const struct protocol *p, FILE *out)
{
	fprintf(out, "%s\n\n", p->title);
	fprintf(out, "%zu scenario%s, %zu replayer%s, ", p->n_scenarios,
		p->n_scenarios == 1 ? "" : "s", p->n_replayers, p->n_replayers == 1 ? "" : "s");
	fprintf(out, "%s %s; reference: %s\n", p->replicates,
		p->budget_ns     ? "pairs of each scenario (and block 0, never used)"
		: p->n_looks > 1 ? "replicates"
				 : "replicates (and block 0, never used)",
		p->reference == REFERENCE_RERUN ? "the program run again in each block"
						: "the recorded traces");
	if (p->n_looks > 1) {
		fputs("looks at", out);
		for (unsigned int i = 0; i < p->n_looks; i++)
			fprintf(out, "%s %u", i ? "," : "", p->look[i]);
		fputs(" replicates\n", out);
	}
	for (size_t i = 0; i < p->n_replayers; i++)
		fprintf(out, "replayer %s: engine %s%s%s\n", p->replayer[i].name,
			p->replayer[i].engine, p->replayer[i].absent ? "; left out: " : "",
			p->replayer[i].absent ? p->replayer[i].absent : "");
	fputc('\n', out);
}

/* Prints whether runs on the device would be permitted now. */
static void device_put(const struct target *t, FILE *out)
{
	struct err why = ERR_INIT;
	uint64_t n_bytes;
	bool refused;
	SCOPED_FREE char *real = realpath(t->device, NULL);
	int ret = device_look(t, &n_bytes, &refused, &why);
	fprintf(out, "\ntarget %s: requests on %s, which %s\n", t->name, t->device,
		t->destructive ? "WOULD BE OVERWRITTEN" : "would only be read");
	if (real && strcmp(real, t->device))
		fprintf(out, "  that is %s\n", real);
	if (ret)
		fprintf(out, "  the replay would be refused: %s\n", why.msg);
	else if (t->destructive)
		fprintf(out, "  any of its %s may be overwritten (it is not in use and has no "
			"known content); needs --device %s\n", size_text(n_bytes).s, t->device);
	else
		fprintf(out, "  it has %s\n", size_text(n_bytes).s);
}

/* Prints the devices and volumes of targets below the file system, and the effect on them. */
static void devices_put(const struct protocol *p, FILE *out)
{
	for (size_t i = 0; i < p->n_targets; i++) {
		const struct target *t = &p->target[i];
		if (t->device)
			device_put(t, out);
		if (t->volume) {
			fprintf(out, "\ntarget %s: a volume in memory, %s, service time %s\n",
				t->name, size_text(t->size_bytes).s, t->volume);
			if (!strncmp(t->volume, "throttled", strlen("throttled")))
				fputs("  warning: the kernel throttles in slices of 100 ms: the "
					"average rate is correct, but requests pass in bursts with "
					"stalls between them\n", out);
			fprintf(out, protocol_slows(p, i)
					     ? "  in half of the blocks its service times are %g "
					       "times as long: responsiveness is judged\n"
					     : "  its service times stay the same: responsiveness "
					       "is not judged\n", SLOW_FACTOR);
		}
	}
}

static int chances_put(const struct protocol *p, const char *given, FILE *out, struct err *e)
{
	double scatter = SCATTER_DEFAULT;
	struct stat st;
	if (given && stat(given, &st) == 0 && S_ISDIR(st.st_mode))
		return chances_print_measured(p, given, out, e);
	if (given && (parse_ratio(given, &scatter, e) < 0 || !(scatter > 0)))
		return err_set(
		    e, EINVAL,
		    "--scatter %s: neither a results directory nor a ratio above 0, as 10%%",
		    given);
	struct err hopeless = ERR_INIT;
	if (p->reference == REFERENCE_RERUN && p->n_bank == 1)
		fputs(
		    "\nnote: bank = 1: all pairs replay one recording, so no case can be trusted\n",
		    out);
	const int ret = chances_print(p, scatter, out, given ? e : &hopeless);
	if (!ret || given)
		return ret;
	/* the default scatter may not be that of this machine */
	fprintf(out, "note: %s\n", hopeless.msg);
	return 0;
}

struct total { /* sums over all scenarios */
	/* whole plan; recordings of parallel applications; one pair of each scenario */
	double s, recordings_s, pair_s;
	double bank_bytes;
	uint64_t n_calibrations;
};

static void total_add(struct total *t, const struct protocol *p, const struct expected *x)
{
	const double n_bank = (double)protocol_n_bank(p), n_blocks = (double)protocol_n_blocks(p);
	const double runs_s = (double)x->n_runs * (x->run_s + x->overhead_s),
		     blanks_s = (double)x->n_blanks * (x->blank_s + OVERHEAD_S);
	t->s += runs_s + blanks_s + (double)x->n_calibrations * (x->run_s + x->overhead_s) +
		x->recording_s * n_bank;
	t->recordings_s += x->recording_s * n_bank;
	t->pair_s += (runs_s + blanks_s + x->recording_s * n_bank) / n_blocks;
	t->n_calibrations += x->n_calibrations;
	t->bank_bytes += x->requests * (double)sizeof(struct trace_record) * n_bank;
}

/* Prints the pairs per scenario that fit into the budget if none is decided earlier. Errors: EINVAL
 * if the budget holds far fewer than the minimum. */
static int budget_put(const struct protocol *p, const struct total *t, FILE *out, struct err *e)
{
	const double budget_s = (double)p->budget_ns * 1e-9,
		     n_blocks = (double)protocol_n_blocks(p);
	const double least_s = t->s - t->pair_s * (n_blocks - 1 - (double)p->n_replicates_min);
	double n = (budget_s - (t->s - t->pair_s * n_blocks)) / t->pair_s - 1;
	n = n < 0 ? 0 : n > (double)p->n_replicates_max ? (double)p->n_replicates_max : n;
	fprintf(out, "time:    at most %s (budget): about %.0f pairs of each scenario, fewer if "
		"decided earlier", duration_text(budget_s * 1e9).s, n);
	if (2 * n >= (double)p->n_replicates_min)
		return 0;
	return err_set(e, EINVAL, "%s: the budget suffices for about %.0f pairs of each "
				  "scenario, but the first decision needs %llu pairs, which take "
				  "about %s", p->path, n,
		(unsigned long long)p->n_replicates_min, duration_text(least_s * 1e9).s);
}

static void time_needed_put(const struct total *t, FILE *out)
{
	fprintf(out, "time:    about %s", duration_text(t->s * 1e9).s);
	if (t->recordings_s > 0)
		fprintf(out, "; recording parallel applications may take %s: each node is delayed "
			"in a run of its own, and the number of nodes is known only during the run",
			duration_text(t->recordings_s * 1e9).s);
}

static int scenarios_put(const struct protocol *p, struct total *t, FILE *out, struct err *e)
{
	*t = (struct total){0};
	fprintf(out, "%-44s %6s %10s %12s\n", "scenario", "runs", "per run", "files");
	for (size_t i = 0; i < p->n_scenarios; i++) {
		struct expected x;
		int ret = scenario_expect(p, i, &x, e);
		if (ret)
			return ret;
		fprintf(out, "%-44s %6llu %10s %12s\n", p->scenario[i].name,
			(unsigned long long)x.n_runs, duration_text(x.run_s * 1e9).s,
			size_text(x.file_bytes).s);
		total_add(t, p, &x);
	}
	return 0;
}

int campaign_dry_run(const struct protocol *p, const struct campaign_options *o, FILE *out,
		     struct err *e)
{
	SCOPED(places_release) struct places places = {0};
	SCOPED(design_release) struct design plan = {0};
	struct total total;
	heading_put(p, out);
	int ret = scenarios_put(p, &total, out, e);
	ret = ret ? ret : places_plan(&places, p, e);
	if (ret)
		return ret;
	uint64_t files_bytes = 0;
	for (size_t i = 0; i < p->n_targets; i++)
		files_bytes += place_bytes(&places.place[i]);
	fprintf(out, "\nruns:    %s%llu, and about %llu to find request counts\n",
		p->budget_ns ? "at most " : "", (unsigned long long)protocol_n_runs(p),
		(unsigned long long)total.n_calibrations);
	if (p->budget_ns)
		ret = budget_put(p, &total, out, e);
	else
		time_needed_put(&total, out);
	fprintf(out, "\n         if replays take as long as the program; some replayers take much "
		"longer\nspace:   %s of files (shared between scenarios), about %s of traces in "
		"the scratch directory\n", size_text(files_bytes).s,
		size_text((uint64_t)total.bank_bytes).s);
	design_make(&plan, p);
	size_t at = plan.n_bank_runs;
	while (at < plan.n_runs && plan.run[at].block == 0)
		at++;
	fputs("\nBlock 1, in this order:\n", out);
	for (; at < plan.n_runs && plan.run[at].block == 1; at++)
		fprintf(out, "  %4zu  %s, %s\n", at, p->scenario[plan.run[at].scenario].name,
			run_role_name(p, plan.run[at].role));
	devices_put(p, out);
	int chances = chances_put(p, o->scatter, out, ret ? NULL : e);
	fputs("\nNothing was touched.\n", out);
	ret = ret ? ret : chances;
	return ret ? ret : chances_check(p, e);
}
