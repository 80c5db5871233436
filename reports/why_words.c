/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs in a case, and the causes found, in one sentence. */
#include "reports/words.h"
#include "validate/analysis/why.h"
#include "validate/components/component.h"

void words_add_deviation(struct strbuf *out, enum component_kind kind, const char *part,
			 double value)
{
	const struct component_row *row = components[kind];
	const char *text = value < 0 && row->below ? row->below : row->above;
	if (!text || (strstr(text, "%p") && !*part)) {
		strbuf_addf(out, "%s is ", component_names[kind]);
		words_add_size(out, kind, value);
		return;
	}
	for (; *text; text++) {
		const bool is_mark = *text == '%' && (text[1] == 'p' || text[1] == 's');
		if (!is_mark)
			strbuf_addch(out, *text);
		else if (*++text == 'p')
			strbuf_addstr(out, part);
		else
			words_add_size(out, kind, value);
	}
}

/* --- splits -------------------------------------------------------------- */

/* The largest part with a smaller share. */
static const struct why_part *next_largest(const struct split *s, double below)
{
	const struct why_part *most = NULL;
	for (size_t i = 0; i < s->n_parts; i++) {
		double share = fabs(s->part[i].share);
		if (share < below && (!most || share > fabs(most->share)))
			most = &s->part[i];
	}
	return most;
}

static void add_percent(struct strbuf *out, double ratio)
{
	double percent = 100 * fabs(ratio);
	strbuf_addf(out, "%s%.*f %%", ratio < 0 ? "-" : "+",
		    percent < 0.995  ? 2
		    : percent < 9.95 ? 1
				     : 0,
		    percent);
}

static void add_split(struct strbuf *out, const struct split *s)
{
	double below = INFINITY;
	add_percent(out, s->whole.value);
	for (int i = 0; i < 3; i++) {
		const struct why_part *part = next_largest(s, below);
		if (!part || (i && fabs(part->share) < 0.05))
			break;
		strbuf_addstr(out, i ? ", " : ": ");
		add_percent(out, part->part.value);
		strbuf_addf(out, " by %s", part->name);
		below = fabs(part->share);
	}
}

void words_add_why(struct strbuf *out, const struct why *w)
{
	const char *between = "";
	if (w->main != CAUSE_N) {
		strbuf_addf(out, "mainly %s", w->main_name);
		between = "; ";
	}
	for (int q = 0; q < SPLIT_N; q++) {
		if (!w->split[q].significant)
			continue;
		strbuf_addf(out, "%s%s ", between, split_names[q]);
		add_split(out, &w->split[q]);
		between = "; ";
	}
	for (size_t i = 0; i < w->n_differences; i++) {
		const struct why_difference *d = &w->difference[i];
		strbuf_addstr(out, between);
		words_add_deviation(out, d->kind, d->part, d->estimate->value);
		between = "; ";
	}
}
