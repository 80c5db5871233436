/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"
#include "reports/terminal/terminal_private.h"

#include "reports/number.h"
#include "reports/words.h"

#define MAX_ROWS 40 /* if there are more cases, they are shown by workload */
#define GAP 2
#define MIN_NAME 14
#define MAX_NAME 80 /* longer names are cut */

enum { NAME, BIAS, PRECISION, TIME, UNCERTAINTY, REORDERED, MISMATCHED, VERDICT, N_COLUMNS };

struct terminal_row {
	struct strbuf cell[N_COLUMNS]; /* the name first, the verdict last */
	enum verdict verdict;          /* colours the last cell */
	/* a name that the rows below share; it may have any width */
	bool is_title;
	bool is_head;
	bool is_case;                  /* the last cell is a verdict */
	size_t indent;
};

struct grid {
	struct terminal_row *row;
	size_t n, cap;
};

static struct terminal_row *add_row(struct grid *g)
{
	GROW(g->row, g->n, g->cap);
	struct terminal_row *r = &g->row[g->n++];
	*r = (struct terminal_row){.verdict = VERDICT_TRUSTED};
	for (size_t i = 0; i < N_COLUMNS; i++)
		strbuf_init(&r->cell[i]);
	return r;
}

static void grid_release(struct grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < N_COLUMNS; k++)
			strbuf_release(&g->row[i].cell[k]);
	free(g->row);
}

static struct terminal_row *add_name(struct grid *g, const char *name, size_t indent)
{
	struct terminal_row *r = add_row(g);
	text_cut_name(&r->cell[NAME], name, MAX_NAME);
	r->indent = indent;
	return r;
}

void terminal_begin_verdict(struct strbuf *out, enum verdict v, const struct terminal_style *style,
			    bool bold)
{
	static const char *const color[] = {
	    [VERDICT_TRUSTED] = "32", [VERDICT_NOT_TRUSTED] = "31", [VERDICT_INCONCLUSIVE] = "33"};
	if (style->color)
		strbuf_addf(out, "\x1b[%s%sm", bold ? "1;" : "", color[v]);
}

void terminal_end_verdict(struct strbuf *out, const struct terminal_style *style)
{
	if (style->color)
		strbuf_addstr(out, "\x1b[0m");
}

/* --- laying out ---------------------------------------------------------- */

/* Omits columns of zeros that are usually 0, and columns without a number. */
static bool is_dropped(const struct grid *g, size_t column)
{
	for (size_t k = 0; k < g->n && column; k++) {
		const struct terminal_row *r = &g->row[k];
		const char *text = r->cell[column].s;
		bool zero = (column == REORDERED || column == MISMATCHED) &&
			    (!strcmp(text, "0 %") || !strcmp(text, "0"));
		if (!r->is_head && !r->is_title && *text && !zero)
			return false;
	}
	return column;
}

/* Finds the widths: numbers get the width that they need, names the rest. An omitted column has
 * width 0. */
static void find_widths(const struct grid *g, size_t total, size_t *width)
{
	size_t rest = 0;
	for (size_t i = 0; i < N_COLUMNS; i++) {
		width[i] = 0;
		for (size_t k = 0; k < g->n && !is_dropped(g, i); k++) {
			size_t w = g->row[k].is_title && i == 0 ? 0
								: text_width(g->row[k].cell[i].s) +
								      (i ? 0 : g->row[k].indent);
			width[i] = w > width[i] ? w : width[i];
		}
		rest += i && width[i] ? width[i] + GAP : 0;
	}
	/* omit the column if names would not fit on one line otherwise */
	if (width[NAME] + rest > total && width[UNCERTAINTY]) {
		rest -= width[UNCERTAINTY] + GAP;
		width[UNCERTAINTY] = 0;
	}
	size_t room = total > rest + MIN_NAME ? total - rest : MIN_NAME;
	if (width[0] > room)
		width[0] = room;
}

static void lay_row(struct strbuf *out, const struct terminal_row *r, const size_t *width,
		    const struct terminal_style *style)
{
	SCOPED_STRBUF name = STRBUF_INIT;
	strbuf_addf(&name, "%*s", (int)r->indent, "");
	text_wrap(&name, r->cell[NAME].s, r->indent, r->indent + 2,
		  r->is_title ? style->width : width[0]);
	/* the numbers are on the last line of a wrapped name */
	const char *last = strrchr(name.s, '\n');
	last = last ? last + 1 : name.s;
	strbuf_add(out, name.s, name.len);
	size_t column = text_width(last);
	for (size_t i = 1; i < N_COLUMNS && !r->is_title; i++) {
		if (!width[i])
			continue;
		size_t w = text_width(r->cell[i].s),
		       pad = i + 1 == N_COLUMNS ? GAP : GAP + width[i] - w;
		if (i == BIAS)
			pad += width[0] > column ? width[0] - column : 0;
		strbuf_addf(out, "%*s", (int)pad, "");
		if (i + 1 == N_COLUMNS && r->is_case)
			terminal_begin_verdict(out, r->verdict, style, false);
		strbuf_add(out, r->cell[i].s, r->cell[i].len);
		if (i + 1 == N_COLUMNS && r->is_case)
			terminal_end_verdict(out, style);
	}
	while (out->len && out->s[out->len - 1] == ' ')
		out->s[--out->len] = 0;
	strbuf_addch(out, '\n');
}

static void add_head(struct grid *g, const struct analysis *a, const char *name, const char *last)
{
	static const enum component_kind kind[] = {COMPONENT_BIAS, COMPONENT_PRECISION,
						   COMPONENT_EXECUTION_TIME, COMPONENT_UNCERTAINTY,
						   COMPONENT_REORDERING};
	const struct protocol *p = &a->results->protocol;
	bool some, all;
	words_find_timed(p, &some, &all);
	const char *const title[N_COLUMNS] = {name, "Bias",   "Precision", "Time",
					      "U",  "Reord.", "Mism.",     last};
	struct terminal_row *r = add_row(g);
	r->is_head = true;
	for (size_t i = 0; i < N_COLUMNS; i++)
		strbuf_addstr(&r->cell[i], title[i]);
	r = add_name(g, "limit", 0);
	r->is_head = true;
	for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
		words_add_limit(&r->cell[1 + i], kind[i],
				accept_limit_of(&p->accept, kind[i], all));
	if (p->accept.n_mismatched != UINT64_MAX)
		strbuf_addf(&r->cell[MISMATCHED], "%llu",
			    (unsigned long long)p->accept.n_mismatched);
	if (all || !some ||
	    accept_limit_of(&p->accept, COMPONENT_EXECUTION_TIME, true) ==
		accept_limit_of(&p->accept, COMPONENT_EXECUTION_TIME, false))
		return;
	r = add_name(g, "limit, timed replays", 0);
	r->is_head = true;
	words_add_limit(&r->cell[TIME], COMPONENT_EXECUTION_TIME,
			accept_limit_of(&p->accept, COMPONENT_EXECUTION_TIME, true));
}

/* --- a row per case ------------------------------------------------------ */

/* Returns a short word for a missing number; the reasons explain it. */
static const char *no_number(enum stat_status s)
{
	return s == STAT_NOT_APPLICABLE || s == STAT_NOT_ASSESSED ? "–" : "undefined";
}

static void add_precision(struct strbuf *out, const struct cell *c)
{
	double u = c->precision_upper95 - c->precision_lower95;
	if (c->precision_ratio.status != STAT_OK) {
		strbuf_addstr(out, no_number(c->precision_ratio.status));
		return;
	}
	number_add(out, c->precision_ratio.value, isfinite(u) ? u : 0.1, number_unit_plain, false);
	strbuf_addstr(out, " (");
	number_add(out, c->precision_upper95, u, number_unit_plain, false);
	strbuf_addch(out, ')');
}

static void add_value(struct strbuf *out, const struct estimate *e, bool sign)
{
	if (e->status != STAT_OK)
		strbuf_addstr(out, no_number(e->status));
	else
		number_add(out, e->value, (e->hi95 - e->lo95) / 2, number_unit_percent, sign);
}

static void fill_case(struct terminal_row *r, const struct analysis *a, const struct cell *c)
{
	if (c->component[COMPONENT_BIAS].estimate.status == STAT_OK)
		words_add_estimate(&r->cell[BIAS], &c->component[COMPONENT_BIAS], true);
	else
		strbuf_addstr(&r->cell[BIAS],
			      no_number(c->component[COMPONENT_BIAS].estimate.status));
	add_precision(&r->cell[PRECISION], c);
	add_value(&r->cell[TIME], &c->component[COMPONENT_EXECUTION_TIME].estimate, true);
	if (isfinite(c->expanded.U95))
		number_add(&r->cell[UNCERTAINTY], c->expanded.U95, c->expanded.U95,
			   number_unit_percent, false);
	add_value(&r->cell[REORDERED], &c->component[COMPONENT_REORDERING].estimate, false);
	if (cell_has_no_replay(c))
		strbuf_addstr(&r->cell[MISMATCHED], "undefined");
	else
		strbuf_addf(&r->cell[MISMATCHED], "%.0f",
			    (double)c->n_lost + (double)c->n_extra + (double)c->n_mismatched);
	strbuf_addstr(&r->cell[VERDICT], c->verdict == VERDICT_INCONCLUSIVE
					     ? words_tendency_short(cell_tendency(c))
					     : words_claim_verdict(a, c->verdict));
	r->verdict = c->verdict;
	r->is_case = true;
}

/* Cases of a scenario can have different numbers of blocks, so the means of their program runs can
 * differ. Above this ratio, the title of the scenario states the smallest and the largest mean. */
#define RATIO_SHOWN 1.1

/* Adds the mean response time of the program in the cases of the scenario of cell `first`. */
static void add_program(struct strbuf *out, const struct analysis *a, size_t first)
{
	const size_t scenario = a->cell[first].scenario;
	double mean = a->cell[first].r.mean, least = mean, most = mean;
	for (size_t i = first; i < a->n_cells && a->cell[i].scenario == scenario; i++) {
		least = fmin(least, a->cell[i].r.mean);
		most = fmax(most, a->cell[i].r.mean);
	}
	const bool range = least > 0 && most > RATIO_SHOWN * least;
	strbuf_addstr(out, " (program: mean response time ");
	if (range) {
		number_add(out, least, NAN, number_unit_time(least), false);
		strbuf_addstr(out, " to ");
		mean = most;
	}
	number_add(out, mean, NAN, number_unit_time(mean), false);
	strbuf_addstr(out, range ? ", by case)" : ")");
}

static void add_cases(struct grid *g, const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	bool titles = p->n_replayers > 1;
	add_head(g, a, titles ? "Scenario, replayer" : "Scenario", "Verdict");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		const char *scenario = p->scenario[c->scenario].name,
			   *replayer = p->replayer[c->replayer].name;
		if (titles && (i == 0 || a->cell[i - 1].scenario != c->scenario)) {
			struct terminal_row *r = add_name(g, scenario, 0);
			r->is_title = true;
			add_program(&r->cell[NAME], a, i);
		}
		fill_case(add_name(g, titles ? replayer : scenario, titles ? 2 : 0), a, c);
	}
}

/* --- a row per workload and replayer ------------------------------------- */

struct span { /* smallest and largest of the defined values */
	double lo, hi;
	/* status of the last value, if no value is defined (lo > hi) */
	enum stat_status status;
};

static void span_widen(struct span *s, const struct estimate *e)
{
	if (e->status != STAT_OK || isnan(e->value)) {
		s->status = e->status;
		return;
	}
	s->lo = fmin(s->lo, e->value);
	s->hi = fmax(s->hi, e->value);
}

struct sum { /* sums over the cases of one workload and replayer */
	struct span bias, time, reordered;
	double precision, n_infidelities;
	size_t n, n_replayed, n_trusted;
	enum verdict verdict;
};

static void sum_add(struct sum *s, const struct cell *c)
{
	span_widen(&s->bias, &c->component[COMPONENT_BIAS].estimate);
	span_widen(&s->time, &c->component[COMPONENT_EXECUTION_TIME].estimate);
	span_widen(&s->reordered, &c->component[COMPONENT_REORDERING].estimate);
	if (c->precision_ratio.status == STAT_OK)
		s->precision = fmax(s->precision, c->precision_upper95);
	s->n_infidelities += (double)c->n_lost + (double)c->n_extra + (double)c->n_mismatched;
	s->n_replayed += !cell_has_no_replay(c);
	s->n++;
	s->n_trusted += c->verdict == VERDICT_TRUSTED;
	if (s->verdict != VERDICT_NOT_TRUSTED && c->verdict != VERDICT_TRUSTED)
		s->verdict = c->verdict;
}

static struct sum sum_of(const struct analysis *a, const char *workload, size_t replayer)
{
	struct span none = {INFINITY, -INFINITY, STAT_NOT_ASSESSED};
	struct sum s = {.bias = none, .time = none, .reordered = none};
	for (size_t k = 0; k < a->n_cells; k++) {
		const struct cell *c = &a->cell[k];
		if (c->replayer == replayer &&
		    !strcmp(a->results->protocol.scenario[c->scenario].workload, workload))
			sum_add(&s, c);
	}
	return s;
}

static void add_span(struct strbuf *out, const struct span *s, bool sign)
{
	const struct number_unit percent = {"", 100};
	double u = fmax(fabs(s->lo), fabs(s->hi));
	if (s->lo > s->hi) {
		strbuf_addstr(out, no_number(s->status));
		return;
	}
	SCOPED_STRBUF hi = STRBUF_INIT;
	number_add(out, s->lo, u, percent, sign);
	number_add(&hi, s->hi, u, percent, sign);
	if (strcmp(out->s, hi.s))
		strbuf_addf(out, " … %s", hi.s);
	strbuf_addstr(out, " %");
}

static void fill_sum(struct terminal_row *r, const struct sum *s)
{
	add_span(&r->cell[BIAS], &s->bias, true);
	if (s->precision > 0)
		number_add(&r->cell[PRECISION], s->precision, s->precision, number_unit_plain,
			   false);
	else
		strbuf_addstr(&r->cell[PRECISION], "undefined");
	struct span time = s->time;
	if (fabs(time.lo) > fabs(time.hi))
		time.hi = time.lo;
	else if (time.lo <= time.hi)
		time.lo = time.hi;
	add_span(&r->cell[TIME], &time, true);
	struct span reordered = s->reordered;
	if (reordered.lo <= reordered.hi)
		reordered.lo = reordered.hi;
	add_span(&r->cell[REORDERED], &reordered, false);
	if (s->n_replayed)
		strbuf_addf(&r->cell[MISMATCHED], "%.0f", s->n_infidelities);
	else
		strbuf_addstr(&r->cell[MISMATCHED], "undefined");
	strbuf_addf(&r->cell[VERDICT], "%zu of %zu", s->n_trusted, s->n);
	r->verdict = s->verdict;
}

static void add_workload(struct grid *g, const struct analysis *a, const char *workload)
{
	const struct protocol *p = &a->results->protocol;
	bool titles = p->n_replayers > 1;
	if (titles)
		add_name(g, workload, 0)->is_title = true;
	for (size_t r = 0; r < p->n_replayers; r++) {
		struct sum s = sum_of(a, workload, r);
		if (s.n)
			fill_sum(
			    add_name(g, titles ? p->replayer[r].name : workload, titles ? 2 : 0),
			    &s);
	}
}

static void add_workloads(struct grid *g, const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	SCOPED_FREE bool *done = xcalloc(a->n_cells, sizeof *done);
	add_head(g, a, p->n_replayers > 1 ? "Workload, replayer" : "Workload", "Trusted");
	for (size_t i = 0; i < a->n_cells; i++) {
		const char *workload = p->scenario[a->cell[i].scenario].workload;
		if (!done[i])
			add_workload(g, a, workload);
		for (size_t k = i; k < a->n_cells; k++)
			done[k] |= !strcmp(p->scenario[a->cell[k].scenario].workload, workload);
	}
}

static bool has_inconclusive(const struct grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->row[i].is_case && g->row[i].verdict == VERDICT_INCONCLUSIVE)
			return true;
	return false;
}

/* Explains the columns, each in a paragraph. */
static void add_legend(struct strbuf *out, const struct analysis *a, const struct grid *g,
		       const size_t *width, const struct terminal_style *style)
{
	const bool is_sum = a->n_cells > MAX_ROWS;
	SCOPED_STRBUF bias = STRBUF_INIT;
	strbuf_addf(&bias, "Bias: how much longer (+) or shorter (-) the mean response time of the "
		    "replay is than that of %s%s.",
		    a->results->protocol.reference == REFERENCE_RERUN
			? "the program's run in the same block"
			: "the recorded trace",
		    is_sum ? ", smallest … largest of a workload's scenarios"
			   : ", with its 95 % interval");
	const char *const text[] = {
		bias.s,
		is_sum ? "Precision: scatter of the replay from run to run, divided by that of the "
			 "program (largest 95 % upper confidence limit)."
		       : "Precision: scatter of the replay from run to run, divided by that of the "
			 "program (in parentheses: 95 % upper confidence limit).",
		is_sum ? "Time: how much longer (+) or shorter (-) the execution time of the "
			 "replay is (largest difference)."
		       : "Time: how much longer (+) or shorter (-) the execution time of the "
			 "replay is.",
		width[UNCERTAINTY]
			? "U: expanded uncertainty (95 %) of one replay after correction for bias."
			: NULL,
		is_dropped(g, REORDERED) && is_dropped(g, MISMATCHED)
			? "No request was reordered, lost or added, and no request had a "
			  "different result."
			: NULL,
		width[REORDERED] ? "Reord.: share of the requests that are issued too late: after "
				   "a request that comes later in the trace."
				 : NULL,
		width[MISMATCHED] ? "Mism.: requests that were lost or added, or had a "
				    "different result."
				  : NULL,
		is_sum || !has_inconclusive(g)
			? NULL
			: "Verdict: \"looks right\", \"too noisy\" and similar words describe "
			  "an inconclusive case.",
	};
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		if (text[i])
			text_paragraph(out, text[i], 0, 2, style->width);
}

void terminal_add_cells(struct strbuf *out, const struct analysis *a,
			const struct terminal_style *style)
{
	SCOPED(grid_release) struct grid g = {0};
	size_t width[N_COLUMNS];
	if (a->n_cells <= MAX_ROWS)
		add_cases(&g, a);
	else
		add_workloads(&g, a);
	find_widths(&g, style->width, width);
	for (size_t i = 0; i < g.n; i++)
		lay_row(out, &g.row[i], width, style);
	add_legend(out, a, &g, width, style);
}
