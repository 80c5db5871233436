/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include "common/units.h"
#include "reports/number.h"
#include "validate/campaign/time_use.h"
#include "validate/protocol/pairing.h"

#define LEAST_SHARE 0.03 /* a part is named if its share of the time is at least this */

/* Whether estimates use the run. */
static bool run_counts(const struct run *r)
{
	return r->block > 0 && r->role != ROLE_RECORD && r->state == RUN_OK;
}

static bool is_sliced(const struct analysis *a, size_t scenario)
{
	const struct run *r = NULL;
	while ((r = run_of_scenario(a->results, scenario, r)))
		if (run_counts(r) && r->has_summary && r->summary.n_slices)
			return true;
	return false;
}

/* Finds the first scenario in environment.json whose program and replays ran one after the other;
 * NULL: none. */
static const json_t *find_runs(const struct analysis *a)
{
	const json_t *all = json_object_get(a->results->environment, "pairing"), *o;
	size_t i;
	json_array_foreach(all, i, o)
	{
		const char *by = json_string_value(json_object_get(o, "by"));
		if (by && !strcmp(by, "runs"))
			return o;
	}
	return NULL;
}

static double share_left_out(const struct analysis *a)
{
	double n = 0, left_out = 0;
	for (size_t i = 0; i < a->results->n_runs; i++) {
		const struct run *r = &a->results->run[i];
		if (!run_counts(r) || !r->has_summary || !r->summary.n_slices)
			continue;
		left_out += (double)r->summary.n_left_out;
		n += summary_n_ended(&r->summary);
	}
	return n > 0 ? left_out / n : 0;
}

static uint64_t n_late(const struct analysis *a)
{
	uint64_t n = 0;
	for (size_t i = 0; i < a->results->n_runs; i++)
		n += run_counts(&a->results->run[i]) ? a->results->run[i].n_slices_late : 0;
	return n;
}

/* " of 5 ms", " of 5 ms to 20 ms" */
static void add_length(struct strbuf *out, const struct analysis *a)
{
	int64_t least = INT64_MAX, most = 0;
	for (size_t i = 0; i < a->results->n_runs; i++) {
		const struct run *r = &a->results->run[i];
		if (!run_counts(r) || !r->sliced)
			continue;
		least = r->slice_ns < least ? r->slice_ns : least;
		most = r->slice_ns > most ? r->slice_ns : most;
	}
	if (!most)
		return;
	strbuf_addf(out, " of %s", duration_text((double)least).s);
	if (most > least)
		strbuf_addf(out, " to %s", duration_text((double)most).s);
}

/* Appends ". At the end of a slice, each process pauses before its next request. ", "..., or a
 * signal pauses it. ", or "..., a signal pauses each process. " */
static void add_pauses(struct strbuf *out, const struct protocol *p)
{
	bool gate = pairing_pause(p, SIZE_MAX) == PAUSE_GATE, signal = !gate;
	for (size_t i = 0; i < p->n_replayers; i++) {
		gate |= pairing_pause(p, i) == PAUSE_GATE;
		signal |= pairing_pause(p, i) == PAUSE_SIGNAL;
	}
	strbuf_addf(out, ". At the end of a slice, %s%s. ",
		    gate ? "each process pauses before its next request"
			 : "a signal pauses each process",
		    gate && signal ? ", or a signal pauses it" : "");
}

/* Appends "Program and replays took turns in slices of 5 ms in 12 of 16 scenarios. ... 1.2 % of the
 * requests do not count, ...". */
static void facts_add_pairing(struct strbuf *out, const struct analysis *a)
{
	const size_t n = a->results->protocol.n_scenarios;
	const json_t *runs = find_runs(a);
	const char *why = json_string_value(json_object_get(runs, "why"));
	const char *replayer = json_string_value(json_object_get(runs, "replayer"));
	size_t n_sliced = 0;
	for (size_t i = 0; i < n; i++)
		n_sliced += is_sliced(a, i);
	if (n_sliced) {
		double share = share_left_out(a);
		strbuf_addstr(out, "Program and replays took turns in slices");
		add_length(out, a);
		if (n_sliced < n)
			strbuf_addf(out, " in %zu of %zu scenarios", n_sliced, n);
		add_pauses(out, &a->results->protocol);
		number_add(out, share, share, number_unit_percent, false);
		strbuf_addstr(out, " of the requests do not count, because they were in flight at "
				   "the end of a slice or began just after the start of one");
		if (n_late(a))
			strbuf_addf(out, ". At the end of %" PRIu64 " slice%s, a process did not "
				"pause within 1 s", n_late(a), n_late(a) == 1 ? "" : "s");
	}
	if (n_sliced == n || !why)
		return;
	strbuf_addf(out, "%s ran one after the other, each from start to end without a break",
		    n_sliced ? ". In the other scenarios, program and replays"
			     : "Program and replays");
	if (replayer)
		strbuf_addf(out, ", because slices are not possible with replayer %s: %s", replayer,
			    why);
	else
		strbuf_addf(out, ", because %s",
			    strcmp(why, "protocol") ? why : "the protocol sets pairing = runs");
}

double words_elapsed_s(const struct results *r)
{
	double sum = 0;
	uint32_t last = 0;
	for (size_t i = 0; i < r->n_runs; i++)
		last = r->run[i].session > last ? r->run[i].session : last;
	for (uint32_t session = 0; session <= last; session++) {
		double from = INFINITY, to = -INFINITY;
		for (size_t i = 0; i < r->n_runs; i++) {
			const struct run *run = &r->run[i];
			if (run->session != session || run->started_ns <= 0)
				continue;
			from = fmin(from, (double)run->started_ns * 1e-9);
			to = fmax(to, (double)run->started_ns * 1e-9 + run->run_s);
		}
		sum += to > from ? to - from : 0;
	}
	return sum;
}

/* Appends the effort that it took to show or refute the claim: "The test of the claim
 * took 43 runs and 1 min 2 s; no case has more than 14 pairs". */
static void facts_add_claim(struct strbuf *out, const struct analysis *a)
{
	const struct results *r = a->results;
	unsigned int most = 0;
	size_t n = 0;
	if (!r->protocol.claimed)
		return;
	for (size_t i = 0; i < a->n_cells; i++)
		most = a->cell[i].n_pairs > most ? a->cell[i].n_pairs : most;
	for (size_t i = 0; i < r->n_runs; i++)
		n += r->run[i].state == RUN_OK || r->run[i].state == RUN_FAILED;
	strbuf_addf(out, "The test of the claim took %zu runs and %s; no case has more than %u "
			 "pairs",
		    n, duration_text(words_elapsed_s(r) * 1e9).s, most);
}

static double mean_share(const struct analysis *a, double (*share)(const struct run *r))
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < a->results->n_runs; i++) {
		const struct run *r = &a->results->run[i];
		if (!run_counts(r) || !isfinite(share(r)))
			continue;
		sum += share(r);
		n++;
	}
	return n ? sum / (double)n : NAN;
}

static void add_share(struct strbuf *out, double share)
{
	if (share < 0.01)
		strbuf_addstr(out, "less than 1 %");
	else
		strbuf_addf(out, "%.0f %%", 100 * share);
}

static double others_of(const struct run *r)
{
	return r->others_share;
}

static double stolen_of(const struct run *r)
{
	return r->stolen_share;
}

bool facts_are_quiet(const struct analysis *a)
{
	return mean_share(a, others_of) < 0.01 && !(mean_share(a, stolen_of) >= 0.01);
}

void facts_add_others(struct strbuf *out, const struct analysis *a)
{
	const double others = mean_share(a, others_of), stolen = mean_share(a, stolen_of);
	if (!isfinite(others))
		return;
	strbuf_addstr(out, "Other programs used ");
	add_share(out, others);
	strbuf_addstr(out, " of the CPU time of all CPUs");
	if (!(stolen >= 0.01))
		return;
	strbuf_addstr(out, ", and the hypervisor took ");
	add_share(out, stolen);
}

/* --- use of time --------------------------------------------------------- */

static const char *const part_texts[] = {"program", "replays", "calibration", "recordings",
    "blank replays (without I/O)", "starting processes", "restoring files", "syncing",
    "evicting caches", "settling", "summaries", "journal", "analysis", "setup", "cleaning up",
    NULL};

struct shown_part {
	const char *text;
	double share;
};

static int by_share(const void *x, const void *y)
{
	const struct shown_part *a = x, *b = y;
	return a->share < b->share ? 1 : a->share > b->share ? -1 : strcmp(a->text, b->text);
}

/* Returns the share in whole percent. The rounded numbers add up to the rounded sum of all shares
 * so far. */
static double percent_of(double *sum, double share)
{
	const double before = round(100 * *sum);
	*sum += share;
	return round(100 * *sum) - before;
}

void words_add_time(struct strbuf *out, const json_t *o, double least)
{
	const double total = time_use_of(o, "total");
	const double program = time_use_of(o, time_part_names[TIME_PROGRAM]) / total,
		     replay = time_use_of(o, time_part_names[TIME_REPLAY]) / total;
	struct shown_part part[TIME_N + 1];
	double rest = 1 - program - replay;
	size_t n = 0;
	if (!(total > 0))
		return;
	for (int i = TIME_REPLAY + 1; i < TIME_N; i++) {
		const double share = time_use_of(o, time_part_names[i]) / total;
		if (share < least || !part_texts[i])
			continue;
		part[n++] = (struct shown_part){part_texts[i], share};
		rest -= share;
	}
	qsort(part, n, sizeof *part, by_share);
	if (rest > 1e-9)
		part[n++] = (struct shown_part){"the rest", rest};
	format_duration(out, total * 1e9);
	double sum = 0;
	const double shown_program = percent_of(&sum, program),
		     shown_replay = percent_of(&sum, replay);
	strbuf_addf(out, ": program %.0f %%, replays %.0f %%; other work %.0f %%",
		    shown_program, shown_replay, 100 - shown_program - shown_replay);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%s%s %.0f %%", i ? ", " : ": ", part[i].text,
			    percent_of(&sum, part[i].share));
}

/* Appends "3 min: program 31 %, replays 35 %; other work 34 %: starting processes 12 %, ...": parts
 * of at least 3 %, the largest first. */
static void facts_add_time(struct strbuf *out, const struct analysis *a)
{
	SCOPED_STRBUF parts = STRBUF_INIT;
	words_add_time(&parts, json_object_get(a->results->environment, "time"), LEAST_SHARE);
	if (parts.len)
		strbuf_addf(out, "The campaign took %s", parts.s);
}

const struct fact facts[] = {{"Cost of the claim", facts_add_claim},
			     {"Pairing", facts_add_pairing},
			     {"Other processes", facts_add_others},
			     {"Where the time went", facts_add_time},
			     {NULL, NULL}};
