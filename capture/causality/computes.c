/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/mman.h>

#include "capture/causality/merge_private.h"
#include "common/unnamed_file.h"

static int file_get(struct computes *c, uint64_t n, const char *output, struct err *e)
{
	int fd = unnamed_file_beside(output, e);
	if (fd < 0)
		return fd;
	c->n_bytes = n * sizeof *c->v;
	/* allocate the pages now: a page without room would raise SIGBUS later */
	int code = -file_reserve(fd, c->n_bytes);
	void *at =
	    code ? MAP_FAILED : mmap(NULL, c->n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	code = code ? code : errno;
	close(fd);
	if (at == MAP_FAILED)
		return err_sys(e, code,
			       "%s: cannot create a file of %zu bytes for the computing times",
			       output, c->n_bytes);
	c->v = at;
	for (uint64_t i = 0; i < n; i++)
		c->v[i] = (struct compute){-1, 0, 0};
	return 0;
}

static int of_run(struct computes *c, const struct causality_run *run, uint32_t n_nodes,
		  struct err *e)
{
	struct requests q;
	const struct trace_record *r;
	int64_t node;
	uint64_t number;
	int ret = requests_open(&q, run->trace, n_nodes, e);
	if (ret)
		return ret;
	while (!ret && (ret = requests_next(&q, &r, &node, &number, e)) == 1) {
		ret = 0;
		if (node != run->throttled || r->op != OP_COMPUTE ||
		    r->length > (uint64_t)TRACE_TIME_MAX)
			continue;
		struct compute *at = &c->v[c->first[node] + number];
		at->ns = (at->ns < 0 ? 0 : at->ns) + (int64_t)r->length;
		at->slept_ns += r->intended_ns > 0 ? r->intended_ns : 0;
		if (r->offset != OFFSET_NONE)
			at->blocked_ns += r->offset;
	}
	requests_close(&q);
	return ret ? err_context(e, "%s", run->trace) : 0;
}

int computes_gather(struct computes *c, const struct causality_run *run, uint32_t n_runs,
		    const uint64_t *n_requests, uint32_t n_nodes, const char *output,
		    struct err *e)
{
	uint64_t n = 0;
	c->first = xcalloc((size_t)n_nodes + 1, sizeof *c->first);
	for (uint32_t i = 0; i < n_nodes; i++)
		c->first[i] = UINT64_MAX;
	for (uint32_t i = 0; i < n_runs; i++)
		if (run[i].throttled >= 0 && run[i].throttled < n_nodes &&
		    c->first[run[i].throttled] == UINT64_MAX) {
			c->first[run[i].throttled] = n;
			n += n_requests[run[i].throttled] + 1;
		}
	int ret = n ? file_get(c, n, output, e) : 0;
	SCOPED_FREE bool *done = xcalloc((size_t)n_nodes + 1, sizeof *done);
	for (uint32_t i = 0; i < n_runs && !ret; i++) {
		if (run[i].throttled < 0 || run[i].throttled >= n_nodes || done[run[i].throttled])
			continue;
		done[run[i].throttled] = true;
		ret = of_run(c, &run[i], n_nodes, e);
	}
	return ret;
}

void computes_release(struct computes *c)
{
	if (c->v)
		munmap(c->v, c->n_bytes);
	free(c->first);
	*c = (struct computes){0};
}
