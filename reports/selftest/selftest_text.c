/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a self-test: a table for each group of rates. A group whose rows have the same
 * columns is a matrix; another group is a list with intervals and promises. */

#include "reports/selftest/selftest.h"
#include "reports/json/json_value.h"
#include "validate/evidence/cell.h"
#include "validate/selftest/frauds.h"

#define BAR_WIDTH 20

struct group { /* rates[first..first + n) */
	const struct rate *rate;
	size_t n;
};

static size_t width_of(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += (*s & 0xc0) != 0x80; /* UTF-8 */
	return n;
}

static void padded_print(FILE *out, const char *s, size_t width)
{
	size_t n = width_of(s);
	fprintf(out, "%s%*s", s, (int)(width > n ? width - n : 0), "");
}

static const char *promise_text(const struct rate *r, char text[48])
{
	text[0] = '\0';
	if (r->promise == PROMISE_AT_MOST)
		snprintf(text, 48, "at most %.4g %%", 100 * r->promised);
	else if (r->promise == PROMISE_AT_LEAST)
		snprintf(text, 48, "at least %.4g %%", 100 * r->promised);
	else if (r->promise == PROMISE_ALWAYS)
		snprintf(text, 48, "always");
	return text;
}

/* NULL: no note. */
static const char *note_text(const struct rate *r, char text[200])
{
	static const char *const fraud_words[FRAUDS_N] = { /* in the order of frauds[] */
		"every request takes the mean time",
		"99th percentile 271 % and 99.9th 723 % higher, the other requests faster",
		"half of the requests take 0.6 times the mean time, half 1.4 times",
		"the correct times, in ascending order",
		"reads 28 % faster, other requests slower by the same total time"};
	const unsigned long long first = r->noted[0], second = r->noted[1];
	if (r->note == NOTE_FAULT)
		snprintf(text, 200, "%s rejected in %llu, case trusted in %llu",
			 component_names[r->about], first, second);
	else if (r->note == NOTE_FRAUD)
		snprintf(text, 200, "%s; called trusted %llu times", fraud_words[r->about], first);
	else if (r->note == NOTE_SAME_CAMPAIGNS)
		snprintf(text, 200, "all values come from the same %llu campaigns, so they depend "
				    "on each other, and the interval is too narrow", first);
	return r->note ? text : NULL;
}

/* --- a matrix ------------------------------------------------------------ */

/* Returns the number of columns of a matrix; 0: the group is not a matrix. The rates of a row
 * follow each other in the order of the columns. */
static size_t n_columns(const struct group *g)
{
	size_t n = 0;
	while (n < g->n && !strcmp(g->rate[n].name, g->rate[0].name))
		n++;
	if (n < 2 || g->n % n || g->n == n)
		return 0;
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->rate[i].condition, g->rate[i % n].condition) ||
		    strcmp(g->rate[i].name, g->rate[i - i % n].name))
			return 0;
	return n;
}

static void matrix_print(const struct group *g, size_t n, FILE *out)
{
	size_t first = 4;
	for (size_t i = 0; i < g->n; i++)
		first = width_of(g->rate[i].name) > first ? width_of(g->rate[i].name) : first;
	padded_print(out, "  %", first + 4);
	for (size_t j = 0; j < n; j++) {
		fprintf(out, "  ");
		padded_print(out, g->rate[j].condition, j + 1 < n ? 9 : 0);
	}
	fputc('\n', out);
	for (size_t i = 0; i < g->n; i += n) {
		fputs("  ", out);
		padded_print(out, g->rate[i].name, first + 2);
		for (size_t j = 0; j < n; j++) {
			const struct rate *r = &g->rate[i + j];
			size_t width = width_of(r->condition) > 9 ? width_of(r->condition) : 9;
			char cell[32] = "-";
			if (r->n)
				snprintf(cell, sizeof cell, "%.2f%s", 100 * rate_value(r),
					 rate_standing(r) == STANDING_BROKEN ? "!" : "");
			fputs("  ", out);
			padded_print(out, cell, j + 1 < n ? width : 0);
		}
		fputc('\n', out);
	}
}

/* --- a list -------------------------------------------------------------- */

static void row_print(const struct rate *r, size_t name, size_t condition, FILE *out)
{
	char promise[48], counts[48], share[64], note[200];
	fputs("  ", out);
	padded_print(out, r->name, name + 2);
	padded_print(out, r->condition, condition + 2);
	snprintf(counts, sizeof counts, "%llu/%llu", (unsigned long long)r->k,
		 (unsigned long long)r->n);
	snprintf(share, sizeof share, "%.3g %% [%.3g, %.3g]", 100 * rate_value(r), 100 * r->lo,
		 100 * r->hi);
	if (!r->n)
		snprintf(share, sizeof share, "not tried");
	padded_print(out, counts, 14);
	const bool last = !isfinite(r->size) && r->promise == PROMISE_NONE && !r->note;
	padded_print(out, share, last ? 0 : 24);
	if (isfinite(r->size) && r->n) {
		int full = (int)lround(BAR_WIDTH * rate_value(r));
		fputs("  |", out);
		for (int i = 0; i < BAR_WIDTH; i++)
			fputc(i < full ? '#' : ' ', out);
		fputc('|', out);
	}
	if (r->promise != PROMISE_NONE)
		fprintf(out, "  %s: %s", promise_text(r, promise),
			rate_standing(r) == STANDING_HOLDS ? "not contradicted"
							   : standing_names[rate_standing(r)]);
	if (note_text(r, note))
		fprintf(out, "  (%s)", note);
	fputc('\n', out);
}

static void list_print(const struct group *g, FILE *out)
{
	size_t name = 0, condition = 0;
	for (size_t i = 0; i < g->n; i++) {
		name = width_of(g->rate[i].name) > name ? width_of(g->rate[i].name) : name;
		condition = width_of(g->rate[i].condition) > condition
				? width_of(g->rate[i].condition)
				: condition;
	}
	for (size_t i = 0; i < g->n; i++)
		row_print(&g->rate[i], name, condition, out);
}

/* --- the whole report ---------------------------------------------------- */

static void summary_print(const struct rates *rates, FILE *out)
{
	size_t shown = rates_count(rates, STANDING_SHOWN), holds = rates_count(rates,
		STANDING_HOLDS), broken = rates_count(rates, STANDING_BROKEN);
	fprintf(out,
		"%s: %zu bounds, %zu shown (the whole 95 %% interval is within the bound), %zu not "
		"contradicted, %zu broken\n",
		broken ? "Not as promised" : "As promised", shown + holds + broken, shown, holds,
		broken);
	for (size_t i = 0; broken && i < rates->n; i++)
		if (rate_standing(&rates->rate[i]) == STANDING_BROKEN)
			fprintf(out, "  broken: %s, %s, %s\n", rates->rate[i].group,
				rates->rate[i].name, rates->rate[i].condition);
}

void selftest_print_text(const struct rates *rates, FILE *out)
{
	for (size_t i = 0; i < rates->n;) {
		struct group g = {&rates->rate[i], 0};
		while (i < rates->n && !strcmp(rates->rate[i].group, g.rate->group)) {
			g.n++;
			i++;
		}
		size_t columns = n_columns(&g);
		fprintf(out, "%c%s\n", g.rate->group[0] & ~0x20, g.rate->group + 1);
		if (columns)
			matrix_print(&g, columns, out);
		else
			list_print(&g, out);
		fputc('\n', out);
	}
	summary_print(rates, out);
}

static const char *const promise_names[] = {NULL, "at most", "at least", "always"};

static json_t *rate_to_json(const struct rate *r)
{
	const char *standing = standing_names[rate_standing(r)];
	char note[200];
	return json_pack(
	    "{s:s, s:s, s:s, s:s, s:o, s:I, s:I, s:o, s:f, s:f, s:s?, s:o, s:s?, s:s?}", "part",
	    r->part, "group", r->group, "name", r->name, "condition", r->condition, "size",
	    json_finite(r->size), "k", (json_int_t)r->k, "n", (json_int_t)r->n, "rate",
	    json_finite(rate_value(r)), "lo95", r->lo, "hi95", r->hi, "promise",
	    promise_names[r->promise], "promised",
	    r->promise == PROMISE_NONE ? json_null() : json_real(r->promised), "standing",
	    standing[0] ? standing : NULL, "note", note_text(r, note));
}

void selftest_print_json(const struct rates *rates, FILE *out)
{
	json_t *list = json_array();
	for (size_t i = 0; i < rates->n; i++)
		json_array_append_new(list, rate_to_json(&rates->rate[i]));
	json_auto_t *o = json_pack("{s:s, s:o, s:I}", "version", VALIDATE_VERSION, "rates", list,
				   "n_broken", (json_int_t)rates_count(rates, STANDING_BROKEN));
	json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
	fputc('\n', out);
}
