/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small traces of parallel applications. Tests write and read them as text.
 *
 *	"0 w 100 20, 1 c 5, ..."	node, event, and for requests begin and duration (us)
 *
 * w, r: a pwrite or pread of 4096 bytes at offset 4096 * request number, of file f<node>; c NS:
 * compute; C NS: compute, with another part of the same computing after it; s NODE: signal; W NODE:
 * wait; S, V BARRIER: signal, wait at a barrier; p NS ELAPSED BLOCKED SLEPT OFF: compute with its
 * interval, of which it was blocked, and off the CPU in calls that poll (ns); z NS, x NS (in what
 * is read): asleep, external. Nodes have pid 100 + run * 1000 + node. An event without a time
 * follows the previous event of its node. m TIME: a message of a node without requests. */
#pragma once

#include "capture/causality/causality.h"
#include "capture/op.h"
#include "capture/preload/causes.h"
#include "common/strbuf.h"
#include "common/xalloc.h"
#include "tests/unit/capture/sample.h"

static inline struct trace_record made_record(uint32_t pid, uint16_t op, int64_t begin_ns,
					      int64_t end_ns, uint64_t length)
{
	return (struct trace_record){.begin_ns = begin_ns, .end_ns = end_ns, .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE,
				     .length = length, .pid = pid, .tid = pid, .object = OBJECT_NONE, .fd = -1, .heap = HEAP_NONE, .op = op};
}

/* Makes facts for `n_nodes` nodes. The caller frees `node`. */
static inline struct causality_facts made_facts(uint32_t n_nodes, uint32_t first_pid)
{
	struct causality_facts f = {.n_nodes = n_nodes, .node = xcalloc(n_nodes, sizeof *f.node), .period = 1};
	for (uint32_t i = 0; i < n_nodes; i++)
		f.node[i] =
		    (struct causality_node){i, first_pid + i, first_pid + i, (int32_t)i, NULL};
	return f;
}

static inline struct trace_writer *made_open(const char *path, uint32_t n_nodes, uint32_t first_pid)
{
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct causality_facts f = made_facts(n_nodes, first_pid);
	char *text = causality_facts_text(&f, NULL);
	const struct trace_meta meta = {.level = LEVEL_SYSCALL, .extra_json = text};
	const struct trace_write_options o = {.no_sync = true};
	must(trace_writer_open(&w, path, &meta, &o, &e), &e);
	free(text);
	free(f.node);
	return w;
}

static inline void made_write(const char *path, uint32_t n_nodes, uint32_t run, const char *text)
{
	struct err e = ERR_INIT;
	uint32_t first_pid = 100 + 1000 * run;
	struct trace_writer *w = made_open(path, n_nodes, first_pid);
	uint64_t *n_requests = xcalloc(n_nodes + 1, sizeof *n_requests), seq = 0;
	int64_t *last_ns = xcalloc(n_nodes + 1, sizeof *last_ns);
	unsigned int node;
	char what;
	long long a, b;
	for (int n; sscanf(text, " %u %c %lld%n", &node, &what, &a, &n) == 3;
	     text = strchr(text, ',') ? strchr(text, ',') + 1 : "") {
		struct trace_record r = made_record(first_pid + node, OP_INVALID, last_ns[node],
						    last_ns[node], (uint64_t)a);
		text += n;
		b = strtoll(text, NULL, 10);
		if (what == 'w' || what == 'r') {
			char name[32];
			snprintf(name, sizeof name, "f%u", node);
			r = made_record(first_pid + node, what == 'w' ? OP_PWRITE : OP_PREAD,
					a * 1000, (a + b) * 1000, 4096);
			r.offset = 4096 * n_requests[node]++;
			r.rvalue = 4096;
			r.fd = 3;
			last_ns[node] = r.end_ns;
			must(trace_writer_object(w, OBJECT_PATH, name, &r.object, &e), &e);
		} else if (what == 'm') {
			r = made_record(first_pid + node, OP_SIGNAL, a * 1000, a * 1000, 0);
			r.flags = CAUSE_IS_MESSAGE;
			last_ns[node] = r.end_ns;
		} else if (what == 'p') {
			long long elapsed, blocked, slept, off;
			assert_int_equal(sscanf(text, " %lld %lld %lld %lld", &elapsed, &blocked,
						&slept, &off),
					 4);
			r.op = OP_COMPUTE;
			r.rvalue = a;
			r.end_ns = r.begin_ns + elapsed;
			r.offset = (uint64_t)blocked;
			r.intended_ns = slept;
			r.dispatch_ns = off;
		} else {
			r.op = what == 'c' || what == 'C'   ? OP_COMPUTE
			       : what == 's' || what == 'S' ? OP_SIGNAL
							    : OP_WAIT;
			r.rvalue = r.op == OP_COMPUTE ? a : 0;
			r.flags = what == 'C'		      ? CAUSE_GOES_ON
				  : what == 'S' || what == 'V' ? CAUSE_OF_BARRIER
							       : 0;
		}
		r.seq = seq++;
		must(trace_writer_append(w, &r, 1, &e), &e);
	}
	must(trace_writer_close(w, &e), &e);
	free(n_requests);
	free(last_ns);
}

/* The text of a trace in the form of made_write(), without durations. Checks that begins ascend and
 * that seq is the index. The caller frees. */
static inline char *made_read(const char *path)
{
	struct err e = ERR_INIT;
	struct strbuf out = STRBUF_INIT;
	struct causality_facts f;
	struct trace *t;
	const struct trace_record *r;
	int64_t last_ns = TIME_NONE;
	uint64_t seq = 0;
	must(trace_open(&t, path, &e), &e);
	must(causality_facts_read(&f, trace_meta(t), &e), &e);
	while (trace_next(t, &r, &e) == 1) {
		int64_t node = causality_node_of(&f, r->pid, r->tid);
		assert_true(node >= 0);
		assert_true(r->begin_ns >= last_ns);
		assert_int_equal(r->seq, seq++);
		last_ns = r->begin_ns;
		bool request = r->op == OP_PWRITE || r->op == OP_PREAD;
		char what = r->op == OP_PWRITE    ? 'w'
			    : r->op == OP_PREAD   ? 'r'
			    : r->op == OP_COMPUTE ? "c.z.x"[r->flags]
			    : r->op == OP_SIGNAL  ? r->flags ? 'S' : 's'
			    : r->flags		  ? 'V'
						  : 'W';
		strbuf_addf(&out, "%s%d %c %lld", out.len ? ", " : "", (int)node, what,
			    request ? (long long)r->begin_ns / 1000 : (long long)r->length);
	}
	assert_int_equal(e.code, 0);
	causality_facts_release(&f);
	trace_close(t);
	return strbuf_detach(&out);
}
