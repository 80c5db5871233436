/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/parallel_words.h"

#include <string.h>

const struct scenario *parallel_scenario(const struct analysis *a, size_t cell)
{
	return &a->results->protocol.scenario[a->cell[cell].scenario];
}

const struct parallel_case *parallel_case_of(const struct analysis *a, size_t cell)
{
	for (size_t i = 0; a->parallel && i < a->parallel->n_cases; i++)
		if (a->parallel->of_case[i].cell == cell)
			return &a->parallel->of_case[i];
	return NULL;
}

void parallel_add_application(struct strbuf *out, const struct scenario *s)
{
	const char *slash = strrchr(s->script, '/'), *base = slash ? slash + 1 : s->script, *dot = strrchr(base, '.');
	strbuf_addf(out, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
	if (s->size != 1)
		strbuf_addf(out, " size=%llu", (unsigned long long)s->size);
	if (s->parallel.n_ranks)
		strbuf_addf(out, " ranks=%llu", (unsigned long long)s->parallel.n_ranks);
}

void parallel_add_period(struct strbuf *out, const struct scenario *s, const struct causality_summary *recording)
{
	if (s->parallel.period)
		strbuf_addf(out, "%llu", (unsigned long long)s->parallel.period);
	else if (recording && recording->period)
		strbuf_addf(out, "auto (%llu)", (unsigned long long)recording->period);
	else
		strbuf_addstr(out, "auto");
}

void parallel_add_nodes(struct strbuf *out, const struct scenario *s)
{
	if (s->parallel.n_throttled)
		strbuf_addf(out, "%llu", (unsigned long long)s->parallel.n_throttled);
	else
		strbuf_addstr(out, "all");
}
