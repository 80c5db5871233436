/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain words for what is measured and decided, the same in every form. */
#ifndef REPORTS_WORDS_H
#define REPORTS_WORDS_H

#include "common/strbuf.h"
#include "reports/tables/table.h"
#include "validate/analysis/analysis.h"

/* A limit in the component's unit: "±10 %", "2", "0 a run"; nothing where it is NaN. */
void words_add_limit(struct strbuf *out, enum component_kind k, double limit);
/* Whether some replayers of the protocol are timed, and whether all are: their execution time has a
 * limit of its own. */
void words_find_timed(const struct protocol *p, bool *some, bool *all);
/* The limits as the protocol sets them for its replayers: "±10 %", "±10 %, timed ±1 %"; nothing
 * where there are none. */
void words_add_limits(struct strbuf *out, const struct protocol *p, enum component_kind k);
/* A component's estimate as people read it. */
void words_add_estimate(struct strbuf *out, const struct component *c, bool half_width);
/* The size of its estimate with at most two significant digits and no sign: "8.2 %", "1.4", "31 µs". */
void words_add_size(struct strbuf *out, const struct component *c);

const char *words_verdict(enum verdict v);                       /* "Trusted" */
struct league_row;
const char *words_league_verdict(
    const struct league_row *row); /* "Trusted", "Differs from the recording", "Not found" */
/* "order=fs timing=timestamp": the options that the protocol gives a replayer; nothing where it
 * gives none. */
void words_add_options(struct strbuf *out, const struct replayer *r);
/* Its name, and the options that the name does not have: "event-1 (order=fs timing=timestamp)". */
void words_add_replayer(struct strbuf *out, const struct replayer *r);
const char *words_verdict_meaning(enum verdict v);               /* one sentence */
const char *words_treatment(const struct uncertainty_source *s); /* "quantified", "named, not quantified", "warning" */
/* "random-read level=2, event order=fs" */
void words_add_cell(struct strbuf *out, const struct analysis *a, const struct cell *c);
/* Protocol title, or what stands for it. */
const char *words_title(const struct analysis *a);
/* Who times the runs of a scenario. */
void words_add_observation(struct strbuf *out, const struct scenario *s);
/* What would decide a group of undecided cases: " 44 more replicates would probably decide them." Nothing for rejections. */
struct finding_group;
void words_add_more(struct strbuf *out, const struct finding_group *g);
/* "1 run", "2 runs" */
void words_add_count(struct strbuf *out, size_t n, const char *one, const char *many);
/* "bias, precision and order" of those components for which assessed[] is `which`. */
void words_add_components(struct strbuf *out, const struct analysis *a, bool which);

/* "One replay here is good to ±24 %, of which the machine is 23 %": U at 95 % of cases c[n], and the U of the program run in the
 * replay's place. Several cases: the least and the most. Nothing where no case has a budget. */
void words_add_worth(struct strbuf *out, const struct cell *c, size_t n);
/* The same over all cases, and how much the program's own runs scatter. */
void words_add_machine(struct strbuf *out, const struct analysis *a);

#endif
