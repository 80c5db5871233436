/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/requests.h"

#include "capture/csv_args.h"

int requests_open(struct requests *q, const char *path, uint32_t n_nodes, struct err *e)
{
	*q = (struct requests){0};
	int ret = trace_file_open(&q->t, path, e);
	ret = ret ? ret : causality_facts_read(&q->f, trace_meta(q->t), e);
	if (!ret && q->f.n_nodes != n_nodes)
		ret = err_set(e, EINVAL,
			      "a run has %" PRIu32 " nodes (traced threads), but %" PRIu32
			      " are expected: the number of nodes must be the same in each run",
			      q->f.n_nodes, n_nodes);
	q->n = xcalloc((size_t)n_nodes + 1, sizeof *q->n);
	if (!ret)
		return 0;
	requests_close(q);
	return err_context(e, "%s", path);
}

void requests_close(struct requests *q)
{
	trace_close(q->t);
	causality_facts_release(&q->f);
	free(q->n);
	*q = (struct requests){0};
}

int requests_rewind(struct requests *q, struct err *e)
{
	memset(q->n, 0, q->f.n_nodes * sizeof *q->n);
	return trace_rewind(q->t, e);
}

int requests_next(struct requests *q, const struct trace_record **r, int64_t *node,
		  uint64_t *number, struct err *e)
{
	int ret = trace_next(q->t, r, e);
	if (ret != 1)
		return ret;
	*node = causality_node_of(&q->f, (*r)->pid, (*r)->tid);
	*number = *node < 0 ? 0 : q->n[*node];
	if (*node >= 0 && is_request(*r))
		q->n[*node]++;
	return 1;
}

int request_describe(struct strbuf *out, const struct trace *t, const struct trace_record *r,
		     struct err *e)
{
	size_t len;
	const void *heap;
	int ret = trace_heap(t, r->heap, &heap, &len, e);
	if (ret)
		return ret;
	strbuf_addf(out, "%s(", op_name(r->op));
	csv_args_write(out, r, trace_object(t, r->object), heap, len);
	strbuf_addch(out, ')');
	if (r->error)
		strbuf_addf(out, " = %s",
			    strerrorname_np(r->error) ? strerrorname_np(r->error) : "an error");
	else
		strbuf_addf(out, " = %" PRId64, r->rvalue);
	return 0;
}
