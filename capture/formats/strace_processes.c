/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/strace_processes.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "common/xalloc.h"

static int by_time(const void *a, const void *b)
{
	const struct process_event *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (int)x->is_wait - (int)y->is_wait;
}

static bool is_pid(json_int_t v)
{
	return v > 0 && v <= UINT32_MAX;
}

static bool is_time(json_int_t ns)
{
	return ns >= -TRACE_TIME_MAX && ns <= TRACE_TIME_MAX;
}

static void events_add(struct strace_processes *p, const json_t *rows)
{
	size_t i;
	json_t *row;
	p->event = xcalloc(2 * json_array_size(rows) + 1, sizeof *p->event);
	json_array_foreach(rows, i, row)
	{
		json_int_t pid, parent, begin_ns, waited_by = 0, waited_ns = 0;
		if (json_unpack(row, "{s:I,s:I,s:I,s?I,s?I}", "pid", &pid, "parent", &parent,
				"begin_ns", &begin_ns, "waited_by", &waited_by, "waited_ns",
				&waited_ns) ||
		    !is_pid(pid) || pid == parent || !is_time(begin_ns) || !is_time(waited_ns))
			continue;
		if (is_pid(parent))
			p->event[p->n++] = (struct process_event){begin_ns, (uint32_t)pid,
								  (uint32_t)parent, false, false};
		if (is_pid(waited_by))
			p->event[p->n++] = (struct process_event){waited_ns, (uint32_t)pid,
								  (uint32_t)waited_by, true, false};
	}
	qsort(p->event, p->n, sizeof *p->event, by_time);
}

int strace_processes_init(struct strace_processes *p, struct trace *t, struct err *e)
{
	const struct trace_record *r;
	size_t n;
	bool known;
	int rc = 1;
	*p = (struct strace_processes){.wall_ns = trace_meta(t)->wall_epoch_ns};
	trace_n_records(t, &known);
	while (!known && ((rc = trace_next_batch(t, &r, &n, e)) == 1 || rc == -EBADMSG))
		;
	if (!known && rc < 0)
		return rc;
	json_t *extra = trace_meta(t)->extra_json ? json_loads(trace_meta(t)->extra_json, 0, NULL) : NULL;
	events_add(p, json_object_get(extra, "processes"));
	json_decref(extra);
	return 0;
}

void strace_processes_release(struct strace_processes *p)
{
	free(p->event);
	p->event = NULL;
}

/* false: the instant lies before 1970, and strace prints no such. */
static bool add_begin(const struct strace_processes *p, uint32_t tid, int64_t ns,
		      struct strbuf *text)
{
	const int64_t at = p->wall_ns + ns;
	if (at < 0)
		return false;
	strbuf_addf(text, "%u %lld.%09lld ", tid, (long long)(at / 1000000000),
		    (long long)(at % 1000000000));
	return true;
}

static void add_event(struct strace_processes *p, struct process_event *x, struct strbuf *text)
{
	if (x->done || !add_begin(p, x->by, x->ns, text))
		return;
	x->done = true;
	if (x->is_wait)
		strbuf_addf(text,
			    "wait4(%u, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = %u "
			    "<0.000000000>\n",
			    x->pid, x->pid);
	else
		strbuf_addf(text, "clone(child_stack=NULL, flags=SIGCHLD) = %u <0.000000000>\n", x->pid);
}

void strace_processes_until(struct strace_processes *p, int64_t ns, struct strbuf *text)
{
	for (; p->next < p->n && p->event[p->next].ns <= ns; p->next++)
		add_event(p, &p->event[p->next], text);
}

void strace_processes_thread(struct strace_processes *p, const struct trace_record *r,
			     struct strbuf *text)
{
	for (size_t i = p->next; i < p->n; i++)
		if (p->event[i].pid == r->pid && !p->event[i].is_wait)
			add_event(p, &p->event[i], text);
	if (r->tid == r->pid || !r->pid || !add_begin(p, r->pid, r->begin_ns, text))
		return;
	strbuf_addf(text,
		    "clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_"
		    "SYSVSEM, exit_signal=0} => {parent_tid=[%u]}, 88) "
		    "= %u <0.000000000>\n",
		    r->tid, r->tid);
}
