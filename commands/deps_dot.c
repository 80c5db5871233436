/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/deps_dot.h"

#include <inttypes.h>
#include <string.h>

#include "capture/op.h"
#include "capture/csv_args.h"

/* Inside a quoted string: no byte of a stranger's name ends it, starts an escape of Graphviz's, or reaches a terminal. */
void dot_quoted(struct strbuf *out, const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	for (size_t left = strlen(name), n; left; s += n, left -= n) {
		n = utf8_char_len(s, left);
		if (*s == '"' || *s == '\\')
			strbuf_addf(out, "\\%c", *s);
		else if (n == 0 || *s < 0x20 || *s == 0x7f)
			strbuf_addf(out, "\\\\x%02x", *s);
		else
			strbuf_add(out, s, n);
		n = n ? n : 1;
	}
}

static void node(struct strbuf *out, const struct deps *d, uint32_t i)
{
	const struct load_request *r = &d->load.request[i];
	strbuf_addf(out, "    r%" PRIu32 " [label=\"%" PRIu32 " %s", i, r->record, op_name(r->op));
	uint32_t file = r->slot ? d->slots.slot[r->slot].file : NONE32;
	if (file != NONE32) {
		strbuf_addch(out, ' ');
		dot_quoted(out, d->slots.file[file].name);
	}
	if (op_info(r->op)->uses & (OP_HAS_OFFSET | OP_KNOWS_OFFSET) && r->offset != OFFSET_NONE)
		strbuf_addf(out, "\\n%" PRIu64 "+%" PRIu64, r->offset, r->length);
	strbuf_addstr(out, "\"];\n");
}

void deps_dot(struct strbuf *out, const struct deps *d, uint64_t n_shown)
{
	const struct load *l = &d->load;
	uint32_t n = n_shown < l->n ? (uint32_t)n_shown : l->n;
	strbuf_addf(out, "digraph deps {\n  // order %s; bold: waits for the end of the other, dashed: for its begin\n"
			 "  rankdir=TB; node [shape=box, fontsize=10];\n", replay_order_names[d->order]);
	for (uint32_t t = 0; t < l->n_threads; t++) {
		strbuf_addf(out, "  subgraph cluster_%" PRIu32 " {\n    label=\"process %" PRIu32 ", thread %" PRIu32 "\";\n", t,
			    l->thread[t].pid, l->thread[t].tid);
		for (uint32_t k = 0; k < l->thread[t].n_requests && d->of[d->first[t] + k] < n; k++)
			node(out, d, d->of[d->first[t] + k]);
		strbuf_addstr(out, "  }\n");
	}
	for (uint32_t i = 0; i < n && d->order != ORDER_NONE; i++)
		if (l->request[i].index)
			strbuf_addf(out, "  r%" PRIu32 " -> r%" PRIu32 ";\n",
				    d->of[d->first[l->request[i].thread] + l->request[i].index - 1], i);
	for (size_t k = 0; k < d->edges.n && d->edges.edge[k].request < n; k++)
		strbuf_addf(out, "  r%" PRIu32 " -> r%" PRIu32 " [style=%s];\n", deps_source(d, &d->edges.edge[k]),
			    d->edges.edge[k].request, d->edges.edge[k].threshold & 1 ? "dashed" : "bold");
	strbuf_addstr(out, "}\n");
}
