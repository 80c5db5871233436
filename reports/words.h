/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain words for what was measured and decided, the same in every form. */
#pragma once

#include "reports/table.h"
#include "validate/analysis/claims.h"
#include "validate/analysis/tendency.h"
#include "validate/analysis/parallel.h"
#include "validate/analysis/rated_range.h"
#include "validate/analysis/why.h"

/* Appends a limit in the component's unit: "±10 %", "2", "0 per run"; nothing if it is NaN. */
void words_add_limit(struct strbuf *out, enum component_kind k, double limit);
/* Finds whether some replayers of the protocol are timed, and whether all are: their execution time
 * has a separate limit. */
void words_find_timed(const struct protocol *p, bool *some, bool *all);
/* Appends the limits that the protocol sets for its replayers: "±10 %"; "±10 %, timed ±1 %" if
 * timed replayers have another limit; nothing if there are none. */
void words_add_limits(struct strbuf *out, const struct protocol *p, enum component_kind k);
/* Appends a component's estimate for people. */
void words_add_estimate(struct strbuf *out, const struct component *c, bool half_width);
/* Finds the interval that decides. Acceptance: the interval of its test, widened for dependence.
 * Rejection, or a component that is not judged: the 95 % interval. If there is no interval, both
 * limits are the estimate. */
void words_deciding_interval(const struct component *c, double *lo, double *hi);
/* Appends the size of an estimate with at most two significant digits and without sign: "8.2 %",
 * "1.4", "31 µs". */
void words_add_size(struct strbuf *out, enum component_kind k, double value);
/* Appends "pwrite takes 68 % longer". For a component without such words, or if the part is unknown
 * (""): "shape is 0.13". */
void words_add_deviation(struct strbuf *out, enum component_kind k, const char *part, double value);
/* What a component's results mean. NULL: general words. */
struct component_words {
	/* A deviation, with %s for its size and %p for the label of the part; `below` is for
	 * negative values. */
	const char *above, *below;
	/* Reasons: the summaries lack the numbers, or the component does not apply. */
	const char *absent, *inapplicable;
};
extern const struct component_words component_words[];
/* Appends what differs in a case that `w` explains, with the causes that were found: "the
 * main cause is requests issued late; the mean response time is 12 % longer (...); pwrite takes
 * 68 % longer". */
void words_add_why(struct strbuf *out, const struct why *w);
/* Appends sentences that prevent a misreading of the differences that words_add_why() states, each
 * after a space. */
void words_add_why_notes(struct strbuf *out, const struct analysis *a);
/* "fewer requests in flight", "requests issued late" */
const char *words_cause(enum why_name name);
/* Appends "mainly because of fewer requests in flight", "mostly unexplained service time". */
void words_add_main_cause(struct strbuf *out, enum why_name name);
/* Returns how a part of a difference was obtained: "measured". */
const char *words_method(enum why_method how);

/* Returns the tendency as text for a sentence: "looks right, not proven", "looks wrong, not
 * proven", "too noisy here", "differs from the recording"; NONE: "inconclusive". */
const char *words_tendency(enum tendency l);
extern const char *const words_tendencies[]; /* by enum, NULL-terminated */
/* Returns the tendency as text for a table cell: "looks right", "looks wrong", "too noisy",
 * "differs from the recording", "inconclusive". */
const char *words_tendency_short(enum tendency l);
/* "Trusted"; in a campaign that judges a claim "Shown", "Refuted", "Inconclusive". `a` may be
 * NULL. */
const char *words_verdict(const struct analysis *a, enum verdict v);
/* Returns "trusted"; in a campaign that judges a claim "shown", "refuted", "inconclusive". `a`
 * may be NULL. */
const char *words_claim_verdict(const struct analysis *a, enum verdict v);
struct league_row;
/* "Trusted", "Differs from the recording", "Not found"; of a claim as words_verdict(). */
const char *words_league_verdict(const struct analysis *a, const struct league_row *row);
/* Appends "order=fs timing=timestamp": the options that the protocol gives a replayer; nothing if
 * there are none. */
void words_add_options(struct strbuf *out, const struct replayer *r);
/* Appends the name of a replayer, and the options that the name does not contain: "event-1
 * (order=fs timing=timestamp)". */
void words_add_replayer(struct strbuf *out, const struct replayer *r);
/* "quantified", "named, not quantified", "warning" */
const char *words_treatment(const struct uncertainty_source *s);
/* "random-read level=2, event order=fs" */
void words_add_cell(struct strbuf *out, const struct analysis *a, const struct cell *c);
/* Returns the title of the protocol, or a text in its place. */
const char *words_title(const struct analysis *a);
/* Appends what times the runs of `s`. */
void words_add_observation(struct strbuf *out, const struct scenario *s);
struct finding_group;
/* Appends ". About 44 more replicates would probably decide this case". `what`: "case". */
void words_add_decides(struct strbuf *out, uint64_t n_more, const char *what);
/* Appends what would decide the component of a group of inconclusive cases: " 44 more replicates
 * would probably decide this component." Appends nothing for rejections. */
void words_add_more(struct strbuf *out, const struct finding_group *g);
/* "1 run", "2 runs" */
void words_add_count(struct strbuf *out, size_t n, const char *one, const char *many);
/* Appends "bias, precision and order": the names of the components with is[k], with `last` before
 * the last name. Returns their number. */
size_t words_add_names(struct strbuf *out, const bool is[COMPONENT_N], const char *last);
/* Appends the names of the listed components for which assessed[] equals `which`, or "none". */
void words_add_components(struct strbuf *out, const struct analysis *a, bool which);

/* Appends what the recordings of the program do not show, between `before` and `after`. Appends
 * nothing if the program recorded its own requests. */
void words_add_not_visible(struct strbuf *out, const char *before, const struct analysis *a,
			   const char *after);

/* Appends "The uncertainty of the mean response time is ±24 % for one replay and ±23 % for one
 * program run": U at 95 % of cases
 * c[n], and U if the program ran in place of the replay. For several cases: the least and the
 * largest value ("±19 % to ±38 %"). Appends nothing if no case has a budget. */
void words_add_uncertainty(struct strbuf *out, const struct cell *c, size_t n);
/* Like words_add_uncertainty, over all cases, and how much the program's own runs scatter. */
void words_add_machine(struct strbuf *out, const struct analysis *a);

/* How a campaign was measured: a sentence each, without its full stop. Nothing is appended if the
 * results do not contain it. */
/* Returns the duration of the campaign's sessions in seconds; 0: unknown. */
double words_elapsed_s(const struct results *r);
/* Appends "3 min 20 s: program 25 %, replays 50 %; other work 25 %: syncing 24 %, the rest 1 %",
 * without parts below `least` of the total. The percentages add up to 100 %. `o`: member "time" of
 * environment.json, also of an earlier version. Appends nothing if it has no total. */
void words_add_time(struct strbuf *out, const json_t *o, double least);
/* Appends "Other programs used 34 % of the CPU time of all CPUs, and the hypervisor took 2 %":
 * means over the runs in use. */
void facts_add_others(struct strbuf *out, const struct analysis *a);
/* Whether other programs and the hypervisor took less than 1 % of the CPU time each. */
bool facts_are_quiet(const struct analysis *a);

/* Appends the probabilities of wrong decisions, and the levels of the intervals that follow from
 * several looks. Sentences, without the last full stop. */
void words_add_errors(struct strbuf *out, const struct analysis *a);

struct fact {
	const char *name; /* "Pairing" */
	void (*add)(struct strbuf *out, const struct analysis *a);
};
extern const struct fact facts[]; /* all of them; name NULL ends it */

/* Parallel applications in words, for tables, figures and the terminal. */
/* Appends "checkpoint", with its size and ranks if the protocol gives them: "checkpoint size=2
 * ranks=4". */
void parallel_add_application(struct strbuf *out, const struct scenario *s);
/* Appends "5", or "auto" with the period that was found: "auto (125)"; `recording` NULL: not
 * known. */
void parallel_add_period(struct strbuf *out, const struct scenario *s,
			 const struct causality_summary *recording);
/* "all", or how many were drawn. */
void parallel_add_nodes(struct strbuf *out, const struct scenario *s);

/* Returns the case of a cell in a->parallel. NULL: it has none. */
const struct parallel_case *parallel_case_of(const struct analysis *a, size_t cell);

/* Published values and findings in words, the same in every form. */
/* Appends "102.5 µs", "1.6 %", "7.5": a value of the measure, followed by its interval if it has
 * an interval; if there is no value, the reason as a word. */
void published_add_value(struct strbuf *out, enum measure m, const struct estimate *e);
/* "20.73 µs ± 118 %" */
void published_add_literature(struct strbuf *out, const struct published_value *v);
/* Appends a difference of measure_difference(): "+91 % [80, 102]" of the other value, or percentage
 * points if the measure is a ratio. */
void published_add_difference(struct strbuf *out, enum measure m, const struct estimate *e);
/* Appends what this campaign found: "confirmed in 1 of 1 comparison; the
 * relative difference is +91 % [85, 97]". */
void published_add_outcome(struct strbuf *out, const struct analysis *a, size_t claim);
/* "mean response time of the replay (read)" */
void published_add_measure(struct strbuf *out, enum measure m, const char *operation);
const char *published_unit(enum measure m); /* "ns", "ratio", "1", "bytes": of base units */

/* Returns what is known to be wrong in the metrology paper's numbers, a sentence each,
 * NULL-terminated: for reports that show F ratios or uncertainties published there. The list is
 * empty if this report shows none. Source: doc/metrology-notes.md. */
const char *const *published_defects(const struct analysis *a);

/* A rated range in words. */
/* Appends "random-read, event: trusted up to 5000 requests/s, inconclusive at 9000 requests/s
 * (random-read level=2)..." on one line. Names are not escaped. `of_claim`: if the protocol has a
 * claim, "shown" instead of "trusted". */
void rated_add_words(struct strbuf *out, const struct analysis *a, const struct rated_range *r,
		     bool of_claim);
