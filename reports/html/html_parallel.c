/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel applications: errors of the running time as the literature shows them, and each node. */
#include "reports/html/html.h"
#include "validate/analysis/parallel.h"

void html_add_parallel(struct strbuf *out, const struct html_page *p)
{
	if (!p->a->parallel)
		return;
	strbuf_addstr(out, "<h2 id=\"parallel\">Parallel applications</h2>\n"
			   "<p>How long a process waits depends on the others, and on the storage. So an application is recorded on one target and replayed on "
			   "another, where it runs itself too: the error is how far the replay's running time is off. Shown is the worst over the targets "
			   "that it was recorded on.</p>\n");
	html_add_table(out, p, "parallel-replayers", NULL);
	html_add_figures(out, p, "parallel-error", false);
	html_add_figures(out, p, "parallel-period", true);
	html_add_figures(out, p, "parallel-nodes", true);
	html_add_figures(out, p, "bandwidth", true);
	html_add_folded_table(out, p, "parallel-worst", "The worst error of each, with what was published and what recording took", NULL);
	html_add_folded_table(out, p, "parallel", "Every case, with its uncertainty", NULL);
	html_add_folded_table(out, p, "parallel-nodes", "Response times of each node", NULL);
}
