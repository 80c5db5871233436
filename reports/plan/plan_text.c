/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a protocol would do: runs, expected time and space. Changes nothing. */
#include "reports/plan/plan.h"

#include "common/units.h"
#include "validate/campaign/chances.h"
#include "validate/campaign/devices.h"
#include "validate/campaign/expected.h"
#include "validate/campaign/prepare.h"
#include "validate/results/design.h"
#include "validate/results/results_file.h"

static void heading_put(const struct protocol *p, FILE *out)
{
	fprintf(out, "%s\n\n", p->title);
	fprintf(out, "%zu scenario%s, %zu replayer%s, ", p->n_scenarios,
		p->n_scenarios == 1 ? "" : "s", p->n_replayers, p->n_replayers == 1 ? "" : "s");
	fprintf(out, "%s %s;\nreference: %s\n", p->replicates,
		p->budget_ns     ? "pairs of each scenario (and block 0, a warm-up)"
		: p->n_looks > 1 ? "replicates"
				 : "replicates (and block 0, a warm-up)",
		p->reference == REFERENCE_RERUN ? "in each block a new run of the program"
						: "the recorded traces");
	if (p->n_looks > 1) {
		fputs("looks at", out);
		for (unsigned int i = 0; i < p->n_looks; i++)
			fprintf(out, "%s %u", i ? "," : "", p->look[i]);
		fputs(" replicates\n", out);
	}
	for (size_t i = 0; i < p->n_replayers; i++) {
		const struct replayer *r = &p->replayer[i];
		const char *launcher = replayer_option(r, "launcher");
		fprintf(out, "replayer %s: engine %s%s%s%s%s\n", r->name, r->engine,
			launcher ? "; launcher: " : "", launcher ? launcher : "",
			r->absent ? "; left out: " : "", r->absent ? r->absent : "");
	}
	for (size_t i = 0; i < p->n_scenarios; i++) {
		const char *launcher = scenario_launcher(&p->scenario[i]);
		SCOPED_FREE char *hosts = scenario_hosts(&p->scenario[i]);
		if (hosts || launcher)
			fprintf(out, "scenario %s: hosts: %s; launcher: %s\n", p->scenario[i].name,
				hosts ? hosts : "-", launcher ? launcher : "-");
	}
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
		fprintf(out, "  the device is %s\n", real);
	if (ret)
		fprintf(out, "  the campaign would be refused: %s\n", why.msg);
	else if (t->destructive)
		fprintf(out, "  the campaign may overwrite any part of the device (%s) and needs "
			"--device %s; the device is not in use, and no file system, partition "
			"table or other known content was found on it\n",
			size_text(n_bytes).s, t->device);
	else
		fprintf(out, "  the size of the device is %s\n", size_text(n_bytes).s);
}

/* Prints the devices and volumes of targets below the file system, and how the campaign changes
 * them. */
static void devices_put(const struct protocol *p, FILE *out)
{
	for (size_t i = 0; i < p->n_targets; i++) {
		const struct target *t = &p->target[i];
		if (t->device)
			device_put(t, out);
		if (t->volume) {
			fprintf(out, "\ntarget %s: a volume in memory, %s, service model %s\n",
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
		    "--scatter %s: neither a results directory nor a ratio above 0, such as 10%%",
		    given);
	struct err hopeless = ERR_INIT;
	if (p->reference == REFERENCE_RERUN && p->n_bank == 1)
		fputs(
		    "\nnote: bank = 1: all pairs replay one recording, so no case can be trusted; "
		    "set bank = 2 or more\n",
		    out);
	const int ret = chances_print(p, scatter, out, given ? e : &hopeless);
	if (!ret || given)
		return ret;
	/* the default scatter may not be that of this machine */
	fprintf(out, "note: %s\n", hopeless.msg);
	return 0;
}

/* Prints the number of pairs per scenario that fit into the budget. */
static void budget_put(const struct protocol *p, const struct expected_total *t, FILE *out)
{
	fprintf(out, "time:    at most %s (budget): about %.0f pairs of each scenario",
		duration_text((double)p->budget_ns).s, expected_pairs(p, t));
}

static void time_needed_put(const struct expected_total *t, FILE *out)
{
	fprintf(out, "time:    about %s", duration_text(t->s * 1e9).s);
	if (t->recordings_s > 0)
		fprintf(out, ", of which the recordings of parallel applications take about %s. "
			"This part is uncertain: each node (traced thread) is delayed in a run of "
			"its own, and the number of nodes is known only after the first run",
			duration_text(t->recordings_s * 1e9).s);
}

static int scenarios_put(const struct protocol *p, struct expected_total *t, FILE *out,
			 struct err *e)
{
	*t = (struct expected_total){0};
	fprintf(out, "%-44s %6s %10s %12s\n", "scenario", "runs", "per run", "files");
	for (size_t i = 0; i < p->n_scenarios; i++) {
		struct expected x;
		int ret = expected_scenario(p, i, &x, e);
		if (ret)
			return ret;
		fprintf(out, "%-44s %6llu %10s %12s\n", p->scenario[i].name,
			(unsigned long long)x.n_runs, duration_text(x.run_s * 1e9).s,
			size_text(x.file_bytes).s);
		expected_add(t, p, &x);
	}
	return 0;
}

/* Scenarios share files where possible. If program and replays take turns in slices, each of them
 * has files of its own. */
static void space_put(const struct protocol *p, const struct places *places,
		      const struct expected_total *t, FILE *out)
{
	uint64_t all = 0, copies = 0;
	for (size_t i = 0; i < p->n_targets; i++) {
		all += place_bytes(&places->place[i]);
		copies += place_copies_bytes(&places->place[i]);
	}
	fprintf(out, "space:   %s of files (shared between scenarios)", size_text(all - copies).s);
	if (copies)
		fprintf(out, ", and %s of\n         copies of these files, so that program and "
			"replays use separate files", size_text(copies).s);
	fprintf(out, ";\n         about %s of traces in the scratch directory\n",
		size_text((uint64_t)t->bank_bytes).s);
}

int plan_print(const struct protocol *p, const char *scatter, FILE *out, struct err *e)
{
	SCOPED(places_release) struct places places = {0};
	SCOPED(design_release) struct design plan = {0};
	struct expected_total total;
	heading_put(p, out);
	int ret = scenarios_put(p, &total, out, e);
	ret = ret ? ret : places_plan(&places, p, e);
	if (ret)
		return ret;
	fprintf(out, "\nruns:    %s%llu, including recordings; before them, about %llu runs "
		"determine the\n         numbers of requests\n",
		p->budget_ns ? "at most " : "", (unsigned long long)protocol_n_runs(p),
		(unsigned long long)total.n_calibrations);
	if (p->budget_ns)
		budget_put(p, &total, out);
	else
		time_needed_put(&total, out);
	fputs("\n         if replays take as long as the program; some replayers take much "
	      "longer\n", out);
	if (p->budget_ns)
		fputs("         (cases that are decided earlier get fewer pairs)\n", out);
	space_put(p, &places, &total, out);
	design_make(&plan, p);
	size_t at = plan.n_bank_runs;
	while (at < plan.n_runs && plan.run[at].block == 0)
		at++;
	fputs("\nRuns of block 1, in this order (number, scenario, program or replayer):\n", out);
	for (; at < plan.n_runs && plan.run[at].block == 1; at++)
		fprintf(out, "  %4zu  %s, %s\n", at, p->scenario[plan.run[at].scenario].name,
			run_role_name(p, plan.run[at].role));
	devices_put(p, out);
	ret = chances_put(p, scatter, out, e);
	fputs("\nNo file or device was changed.\n", out);
	return ret ? ret : chances_check(p, e);
}
