/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sources of uncertainty of a campaign in words. The categories are those of the
 * cause-and-effect diagram in the method-validation protocol. */
#include "reports/reasons.h"

/* `note` is a template (reports/reasons.c). */
static const struct {
	const char *category, *name, *note;
} words[SOURCE_N] = {
    [SOURCE_SEEDED] = {"workload", "requests and their offsets", NULL},
    [SOURCE_NOT_VISIBLE] = {"workload", "not visible in the recordings", "%S"},
    [SOURCE_LEAST_TIME] = {"workload", "length of a run",
			   "at least %.0f ms, so that short disturbances average out"},
    [SOURCE_GIVEN_COUNTS] = {"workload", "length of a run",
			     "the protocol sets no minimum duration: in short runs, the response "
			     "times depend on the CPU scheduler"},
    [SOURCE_PINNING] = {"trace replayer", "pinning",
			"in %.0f of %.0f cases, for example in %S, either only the program or "
			"only the replayer pins each thread to a CPU (pin, cpus); the effect on "
			"response times (25 %% on some machines) is part of the bias"},
    [SOURCE_WAITING] = {"trace replayer", "waiting for predecessors",
			"the overhead of these waits is part of the bias, and is not in the "
			"uncertainty"},
    [SOURCE_ISSUE_TIME] = {"trace replayer", "time of issue",
			   "requests issued late or early change the number of requests in flight, "
			   "and therefore the response times"},
    [SOURCE_REPEATABILITY] = {"trace replayer", "repeatability",
			      "scatter of the replays of a scenario from run to run"},
    [SOURCE_NOISE_UNKNOWN] = {"testbed", "noise between processes",
			      "not known: the program was not run again often enough"},
    [SOURCE_NOISE] = {"testbed", "noise between processes",
		      "the program's own mean response time varies by %.2g %% from run to run "
		      "(median over scenarios)"},
    [SOURCE_STOLEN_UNKNOWN] = {"testbed", "stolen CPU time", "not known"},
    [SOURCE_STOLEN] = {"testbed", "stolen CPU time",
		       "other virtual machines took %.2g %% of the time of the runs in the worst "
		       "scenario"},
    [SOURCE_CACHED] = {"testbed", "page cache before a run",
		       "cold caches were requested; in the worst scenario, on average %.2g %% of "
		       "the files' bytes stayed cached"},
    [SOURCE_ONE_MACHINE] = {"testbed", "this machine",
			    "the results hold for this machine, kernel and storage device only"},
    [SOURCE_NO_CGROUP] = {"testbed", "page-cache budget",
			  "%.0f of %.0f runs had no memory cgroup, which the protocol requests: "
			  "only the memory of the machine limits these runs"},
    [SOURCE_CGROUP] = {"testbed", "page-cache budget",
		       "all runs were inside a memory cgroup with the limit that the protocol "
		       "requests"},
    [SOURCE_WARM_METADATA] = {"testbed", "warm metadata",
			      "in %.0f of %.0f scenarios with cold files, the names and inodes of "
			      "the files were cached, so the calls open, stat and readdir were as "
			      "fast as with warm metadata; to drop these caches too, set "
			      "evict = all and run the campaign as root"},
    [SOURCE_COLD_METADATA] = {"testbed", "cold metadata",
			      "dentries and inodes were dropped before each run"},
    [SOURCE_RERUN] = {"reference", "the program run again",
		      "in every block, with the seed of the replayed recording, so that program "
		      "and replay issue the same requests; at a random position, so that drift "
		      "favours neither"},
    [SOURCE_RECORDED] = {"reference", "times recorded in the trace",
			 "recorded before the replays: drift of the machine since then is part of "
			 "the bias"},
    [SOURCE_ONE_RECORDING] = {"reference", "scatter of the reference",
			      "one recording is the reference of several replays, so the "
			      "uncertainty does not include the scatter of the program"},
    [SOURCE_STANDARD] = {"reference", "deviation of the standard",
			 "certified %S: |bias| at most %.2g %%, U at most %.2g %% (95 %%); "
			 "a deviation of the volume from its programmed times affects program and "
			 "replay equally: it does not cause a bias of the replayer, but can make "
			 "an existing bias larger or smaller"},
    [SOURCE_STAMPS] = {"reference", "instrumentation",
		       "the program's times come from stamps just before and after each call, or "
		       "from the kernel at the device (table \"Source of the times\")"},
    [SOURCE_RESOLUTION] = {"clock", "resolution",
			   "the clock of the response times has steps of at most %.3g ns"},
    [SOURCE_READ_COST] = {"clock", "read cost",
			  "the two clock readings of a request together take at most %.3g ns; the "
			  "budget contains the difference of this time between program and replay"},
    [SOURCE_CLOCK_BACK] = {"clock", "wall clock",
			   "set back by at least %.3g s between two runs, so dates are not in the "
			   "order of the runs; no measurement depends on dates"},
    [SOURCE_CORRECTION] = {"clock", "correction of capture",
			   "response times were corrected for the bias of capture; the standard "
			   "uncertainty of this correction is at most %.3g ns"},
    [SOURCE_EVENTS_LOST] = {"clock", "events lost",
			    "the capture lost %.0f %{event|events}"},
    [SOURCE_CUT] = {"clock", "cut trace",
		    "the traces of %.0f %{run|runs} were made from an earlier trace that was "
		    "truncated, because its writer was killed or ran out of space; requests may be "
		    "missing"},
    [SOURCE_PROGRAMS_UNSEEN] = {"clock", "calls unseen",
				"the traces are incomplete: %.0f %{program|programs} can make "
				"calls that the capture does not see"},
    [SOURCE_REQUESTS_UNSEEN] = {"clock", "requests unseen",
				"the traces are incomplete: %.0f asynchronous requests, or calls "
				"that submit such requests, are missing"},
    [SOURCE_DRIFT] = {"procedure", "order and drift",
		      "the order within blocks is random; there is a trend over the blocks in %.0f "
		      "of %.0f cases (Mann-Kendall test, P <= 0.01 after correction for the "
		      "number of cases)"},
    [SOURCE_ORDER] = {"procedure", "order in the block",
		      "a replay runs before or after its program; in %.0f of %.0f cases, this "
		      "order had an effect (P <= 0.05); the effect is a row of the budget"},
    [SOURCE_FAILED_RUNS] = {"procedure", "failed runs",
			    "%.0f %{run failed; its|runs failed; their} pairs are left out"},
    [SOURCE_JOURNAL] = {"procedure", "journal", "%.0f damaged %{line was|lines were} left out"},
    [SOURCE_UNFINISHED] = {"procedure", "unfinished", "not all planned runs were made"},
    [SOURCE_UNMET] = {"procedure", NULL, NULL},
};

static void add_note(struct strbuf *out, const struct uncertainty_source *s, uint64_t seed)
{
	if (s->kind == SOURCE_SEEDED)
		strbuf_addf(out, "random; the seed of each recording comes from the protocol's "
			    "seed %" PRIu64 ". The program and the replays of a block issue the "
			    "same requests; the variation of the requests between blocks is part "
			    "of the repeatability", seed);
	else if (s->kind == SOURCE_UNMET)
		strbuf_addf(out, "%s%s%s", s->text[1] ? s->text[1] : "not available",
			    s->text[2] ? "; instead: " : "", s->text[2] ? s->text[2] : "");
	else
		words_add_template(out, words[s->kind].note, s->number, s->text[0], COMPONENT_N);
}

void sources_word(struct analysis *a)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	for (size_t i = 0; i < a->n_sources; i++) {
		struct uncertainty_source *s = &a->source[i];
		s->category = words[s->kind].category;
		strbuf_addstr(&text, s->kind == SOURCE_UNMET ? s->text[0] : words[s->kind].name);
		sentence_keep(s->name, sizeof s->name, &text);
		add_note(&text, s, a->results->protocol.seed);
		sentence_keep(s->note, sizeof s->note, &text);
	}
}
