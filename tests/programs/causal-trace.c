/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace of a parallel application from a description on standard input: causal-trace
 * OUTPUT [cpu|wall] < TEXT
 *
 *	node NODE RANK THREAD		thread of process 100 + RANK; nodes are numbered from 0
 *	NODE open PATH US		creates the file
 *	NODE write|read OFFSET LENGTH US
 *	NODE close US
 *	NODE compute NS			takes NS in the trace; also asleep NS, external NS
 *	NODE signal NODE, NODE wait NODE
 *	NODE signal-at BARRIER, NODE wait-at BARRIER
 *	NODE pause US			adds no record
 *
 * The time of each node begins at 0 and advances by its actions. RANK "none": the trace contains no
 * facts about nodes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/causality/causality.h"
#include "common/strbuf.h"
#include "common/xalloc.h"

#define NODES 256

static struct {
	uint32_t pid, tid;
	int64_t now_ns;
	uint32_t object;
	int32_t fd;
} node[NODES];
static unsigned int n_nodes;
static int with_nodes = 1;
static struct trace_record *record;
static size_t n_records, records_cap;

static void die(const char *what)
{
	fprintf(stderr, "causal-trace: %s\n", what);
	exit(1);
}

static void must(int ret, const struct err *e)
{
	if (ret < 0)
		die(e->msg);
}

static void node_read(const char *line)
{
	unsigned int i, rank, thread;
	if (sscanf(line, "node %u none %u", &i, &thread) == 2) {
		with_nodes = 0;
		rank = i;
	} else if (sscanf(line, "node %u %u %u", &i, &rank, &thread) != 3) {
		die(line);
	}
	if (i != n_nodes || i >= NODES)
		die(line);
	node[n_nodes].pid = 100 + rank;
	node[n_nodes].tid = 100 + rank + 1000 * thread;
	node[n_nodes].fd = (int32_t)(3 + thread);
	node[n_nodes++].object = OBJECT_NONE;
}

static struct trace_record *add(unsigned int i, enum trace_op op, int64_t ns)
{
	GROW(record, n_records, records_cap);
	record[n_records] = (struct trace_record){.begin_ns = node[i].now_ns, .end_ns = node[i].now_ns + ns, .intended_ns = TIME_NONE,
						  .dispatch_ns = TIME_NONE, .pid = node[i].pid, .tid = node[i].tid, .seq = n_records,
						  .object = OBJECT_NONE, .fd = -1, .heap = HEAP_NONE, .offset = OFFSET_NONE, .op = op};
	node[i].now_ns += ns;
	return &record[n_records++];
}

static void request_read(struct trace_writer *w, unsigned int i, const char *what, const char *rest)
{
	struct err e = ERR_INIT;
	struct trace_record *r;
	unsigned long long a = 0, b = 0, us = 0;
	char path[200];
	if (!strcmp(what, "open") && sscanf(rest, "%199s %llu", path, &us) == 2) {
		must(trace_writer_object(w, OBJECT_PATH, path, &node[i].object, &e), &e);
		r = add(i, OP_OPEN, (int64_t)us * 1000);
		r->flags = O_RDWR | O_CREAT;
		r->length = 0644;
		r->rvalue = r->fd = node[i].fd;
		r->object = node[i].object;
	} else if ((!strcmp(what, "write") || !strcmp(what, "read")) &&
		   sscanf(rest, "%llu %llu %llu", &a, &b, &us) == 3) {
		r = add(i, *what == 'w' ? OP_PWRITE : OP_PREAD, (int64_t)us * 1000);
		r->offset = a;
		r->length = b;
		r->rvalue = (int64_t)b;
		r->fd = node[i].fd;
		r->object = node[i].object;
	} else if (!strcmp(what, "close") && sscanf(rest, "%llu", &us) == 1) {
		r = add(i, OP_CLOSE, (int64_t)us * 1000);
		r->fd = node[i].fd;
		r->object = node[i].object;
	} else if (!strcmp(what, "compute") && sscanf(rest, "%llu", &a) == 1) {
		add(i, OP_COMPUTE, (int64_t)a)->length = a;
	} else if (!strcmp(what, "asleep") && sscanf(rest, "%llu", &a) == 1) {
		r = add(i, OP_COMPUTE, (int64_t)a);
		r->length = a;
		r->flags = COMPUTE_ASLEEP;
	} else if (!strcmp(what, "external") && sscanf(rest, "%llu", &a) == 1) {
		r = add(i, OP_COMPUTE, (int64_t)a);
		r->length = a;
		r->flags = COMPUTE_EXTERNAL;
	} else if (!strcmp(what, "signal") && sscanf(rest, "%llu", &a) == 1) {
		add(i, OP_SIGNAL, 0)->length = a;
	} else if (!strcmp(what, "wait") && sscanf(rest, "%llu", &a) == 1) {
		add(i, OP_WAIT, 0)->length = a;
	} else if (!strcmp(what, "signal-at") && sscanf(rest, "%llu", &a) == 1) {
		r = add(i, OP_SIGNAL, 0);
		r->length = a;
		r->flags = CAUSE_OF_BARRIER;
	} else if (!strcmp(what, "wait-at") && sscanf(rest, "%llu", &a) == 1) {
		r = add(i, OP_WAIT, 0);
		r->length = a;
		r->flags = CAUSE_OF_BARRIER;
	} else if (!strcmp(what, "pause") && sscanf(rest, "%llu", &us) == 1) {
		node[i].now_ns += (int64_t)us * 1000;
	} else {
		die(what);
	}
}

static int compare(const void *a, const void *b)
{
	const struct trace_record *x = a, *y = b;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static char *facts(const char *clock)
{
	struct strbuf out = STRBUF_INIT;
	strbuf_addstr(&out, "{\"causality\": {\"nodes\": [");
	for (unsigned int i = 0; i < n_nodes; i++)
		strbuf_addf(&out, "%s{\"node\": %u, \"pid\": %u, \"tid\": %u, \"rank\": %u}",
			    i ? ", " : "", i, node[i].pid, node[i].tid, node[i].pid - 100);
	strbuf_addf(&out,
		    "], \"period\": 1, \"throttled\": [0], \"runs\": 2, \"compute\": "
		    "\"blocking-calls\", \"clock\": \"%s\", "
		    "\"application_ns\": 1, \"tracing_ns\": 1}}",
		    clock);
	return strbuf_detach(&out);
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "monotonic"};
	char line[500], what[20];
	unsigned int i;
	int at;
	if (argc < 2)
		die("causal-trace OUTPUT [cpu|wall]");
	must(trace_writer_open(&w, argv[1], &meta, &(struct trace_write_options){.no_sync = true}, &e), &e);
	while (fgets(line, sizeof line, stdin)) {
		if (!strncmp(line, "node ", 5))
			node_read(line);
		else if (sscanf(line, "%u %19s%n", &i, what, &at) == 2 && i < n_nodes)
			request_read(w, i, what, line + at);
		else if (strspn(line, " \n") != strlen(line))
			die(line);
	}
	if (n_records)
		qsort(record, n_records, sizeof *record, compare);
	for (size_t k = 0; k < n_records; k++)
		record[k].seq = k;
	must(trace_writer_append(w, record, n_records, &e), &e);
	char *text = facts(argc > 2 ? argv[2] : "wall");
	meta.extra_json = with_nodes ? text : NULL;
	must(trace_writer_set_meta(w, &meta, &e), &e);
	must(trace_writer_close(w, &e), &e);
	free(text);
	free(record);
	return 0;
}
