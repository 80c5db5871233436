/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel applications on the terminal: how far running times are off, each replayer beside the others. */
#include <math.h>

#include "reports/escape.h"
#include "reports/parallel_words.h"
#include "reports/terminal/terminal_table.h"

static void add_sum(struct strbuf *out, const struct analysis *a, const struct parallel_sum *s, const struct terminal_style *style)
{
	const struct parallel_worst *w = s->worst == PARALLEL_NO_CELL ? NULL : &a->parallel->worst[s->worst];
	struct strbuf line = STRBUF_INIT;
	strbuf_addf(&line, "%s: error of the running time ", a->results->protocol.replayer[s->replayer].name);
	if (w) {
		const struct scenario *of = parallel_scenario(a, w->cell);
		strbuf_addf(&line, "%.3g %% in the mean of %zu case%s, at the worst %.3g %% (", 100 * s->mean_size, s->n_cells, s->n_cells == 1 ? "" : "s",
			    100 * w->size.value);
		parallel_add_application(&line, of);
		strbuf_addf(&line, " on %s, recorded on %s)", a->results->protocol.target[of->target].name, a->results->protocol.target[of->recorded_on].name);
	} else {
		strbuf_addstr(&line, "is not known");
	}
	strbuf_addstr(out, "  ");
	text_wrap(out, line.s, 2, 4, style->width);
	strbuf_addch(out, '\n');
	strbuf_release(&line);
}

void terminal_add_parallel(struct strbuf *out, const struct analysis *a, const struct terminal_style *style)
{
	if (!a->parallel)
		return;
	strbuf_addf(out, style->color ? "\n\x1b[1m%s\x1b[0m\n" : "\n%s\n", "Parallel applications");
	for (size_t i = 0; i < a->parallel->n_sums; i++)
		add_sum(out, a, &a->parallel->sum[i], style);
	strbuf_addstr(out, "  Each application, target, period and number of delayed nodes: tables/parallel-replayers.csv in the report\n");
}
