/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/inputs.h"

#include "common/heap.h"
#include "common/units.h"
#include "replay/engines/adapters/adapter_private.h"

#define FILES_MAX 512 /* open for writing at once */

int inputs_format_parse(const char *text, const struct trace_format **f, enum adapter_per *per,
			struct err *e)
{
	static const char *const each[] = {"trace", "thread", "process", "device", NULL};
	const char *names[100], *slash = strchr(text, '/');
	size_t n = 0;
	SCOPED_FREE char *name =
	    xasprintf("%.*s", slash ? (int)(slash - text) : (int)strlen(text), text);
	*per = ADAPTER_PER_TRACE;
	*f = format_find(name);
	for (const struct trace_format *const *g = trace_formats; *g && n < 99; g++)
		if ((*g)->write)
			names[n++] = (*g)->name;
	names[n] = NULL;
	int ret = 0;
	if (!*f)
		ret = name_refuse(e, ENOENT, name, names,
				  " (\"validate export --to list\" prints all)",
				  "export: unknown format \"%s\"", name);
	else if (!(*f)->write)
		ret = err_set(e, EINVAL,
			      "export: validate can read the format %s, but cannot write it",
			      name);
	int which = 0;
	while (!ret && slash && each[which] && strcmp(each[which], slash + 1))
		which++;
	if (!ret && slash && !each[which])
		ret = err_set(e, EINVAL,
			"export: \"%s\" is not one of trace, thread, process, device", slash + 1);
	*per = (enum adapter_per)which;
	return ret;
}

/* --- counts -------------------------------------------------------------- */

struct counting {
	struct inputs *in;
	struct u64_map threads, processes;
	/* end_ns[n_ends]: heap of the ends of requests in flight, earliest first */
	int64_t *end_ns;
	size_t n_ends, ends_cap;
};

static const struct heap_type by_end = {sizeof(int64_t), heap_int64_before, NULL};

static void count_in(struct u64_map *m, uint64_t key, uint32_t *n)
{
	uint64_t before = m->n;
	u64_map_at(m, key, 0);
	*n += m->n != before;
}

static void record_count(struct counting *c, const struct trace_record *r)
{
	struct inputs *in = c->in;
	in->n_records++;
	if (op_info(r->op)->family == FAMILY_CAUSE)
		return;
	in->n_of[r->op]++;
	count_in(&c->threads, u64_pair(r->pid, r->tid), &in->n_threads);
	count_in(&c->processes, r->pid, &in->n_processes);
	if (r->begin_ns == TIME_NONE)
		return;
	if (in->first_ns == TIME_NONE || r->begin_ns < in->first_ns)
		in->first_ns = r->begin_ns;
	int64_t end_ns = r->end_ns == TIME_NONE ? r->begin_ns : r->end_ns;
	in->last_ns = in->last_ns == TIME_NONE || end_ns > in->last_ns ? end_ns : in->last_ns;
	while (c->n_ends && c->end_ns[0] <= r->begin_ns) {
		c->end_ns[0] = c->end_ns[--c->n_ends];
		heap_sift_down(&by_end, c->end_ns, c->n_ends, 0);
	}
	APPEND(c->end_ns, c->n_ends, c->ends_cap, end_ns);
	heap_sift_up(&by_end, c->end_ns, c->n_ends - 1);
	if (c->n_ends > in->max_in_flight)
		in->max_in_flight = c->n_ends;
}

int inputs_count(struct inputs *in, struct trace *t, struct err *e)
{
	struct counting c = {.in = in};
	const struct trace_record *r;
	size_t n;
	*in = (struct inputs){.first_ns = TIME_NONE, .last_ns = TIME_NONE};
	int ret = trace_rewind(t, e);
	while (!ret && (ret = trace_next_batch(t, &r, &n, e)) == 1) {
		ret = 0;
		for (size_t i = 0; i < n; i++)
			record_count(&c, &r[i]);
		if (!n)
			break;
	}
	U64_MAPS_RELEASE(&c.threads, &c.processes);
	free(c.end_ns);
	if (!ret && !in->n_records)
		ret = err_set(e, ENODATA, "the trace has no requests");
	in->left_out = ret ? NULL : calloc(in->n_records / 8 + 1, 1);
	return ret || in->left_out
		   ? ret
		   : err_set(e, ENOMEM, "not enough memory for %" PRIu64 " requests",
			     in->n_records);
}

/* --- the files ----------------------------------------------------------- */

struct exporting {
	struct inputs *in;
	/* this is a part of a trace: seq is the number of the request in the whole trace */
	bool by_seq;
	uint64_t n_written;
};

static void left_out_note(void *ctx, uint64_t index, const struct trace_record *r)
{
	struct exporting *x = ctx;
	uint64_t i = x->by_seq ? r->seq : index;
	if (i >= x->in->n_records)
		return;
	x->in->left_out[i / 8] |= (uint8_t)(1 << i % 8);
	x->in->n_left_out++;
	x->in->n_of[r->op]--;
}

static int file_export(struct exporting *x, struct trace *t, const struct trace_format *f,
		       const char *path, struct err *e)
{
	struct trace_export_report report = {.left_out = left_out_note, .ctx = x};
	uint64_t before = x->in->n_left_out;
	int ret = f->write(t, path, &report, e);
	if (!ret && !before && report.n_left_out)
		snprintf(x->in->why, sizeof x->in->why, "%s", report.why);
	words_list_add(&x->in->file, path);
	return ret;
}

struct splitting {
	struct trace *t;
	enum adapter_per per;
	const char *dir;
	struct u64_map part_of; /* key to index + 1 */
	struct trace_writer *w[FILES_MAX];
	uint32_t n;
};

static char *part_path(const struct splitting *s, uint32_t i)
{
	return xasprintf("%s/part-%04u.trace", s->dir, i);
}

static int part_find(struct splitting *s, const struct trace_record *r, uint32_t *part,
		     struct err *e)
{
	uint64_t key = s->per == ADAPTER_PER_THREAD    ? u64_pair(r->pid, r->tid)
		       : s->per == ADAPTER_PER_PROCESS ? r->pid
						       : r->object;
	uint32_t *at = u64_map_at(&s->part_of, key, 0);
	if (*at) {
		*part = *at - 1;
		return 0;
	}
	if (s->n == FILES_MAX)
		return err_set(e, EINVAL,
			       "export: the trace would be split into more than %d files, one "
			       "for each %s: replay a slice of it",
			       FILES_MAX,
			       s->per == ADAPTER_PER_THREAD    ? "thread"
			       : s->per == ADAPTER_PER_PROCESS ? "process"
							       : "object");
	*part = s->n;
	SCOPED_FREE char *path = part_path(s, s->n);
	int ret = trace_writer_open(&s->w[s->n], path, trace_meta(s->t),
				    &(struct trace_write_options){.no_sync = true}, e);
	if (!ret)
		*at = ++s->n;
	return ret;
}

static int part_put(struct splitting *s, const struct trace_record *traced, uint64_t i,
		    struct err *e)
{
	struct trace_record r = *traced;
	uint32_t part = 0;
	size_t len;
	int ret = part_find(s, &r, &part, e);
	const void *data = NULL;
	ret = ret ? ret : trace_heap(s->t, r.heap, &data, &len, e);
	const struct trace_object *o =
	    r.object == OBJECT_NONE ? NULL : trace_object(s->t, r.object);
	r.seq = i;
	r.heap = HEAP_NONE;
	r.object = OBJECT_NONE;
	if (!ret && data)
		ret = trace_writer_heap(s->w[part], data, len, &r.heap, e);
	if (!ret && o)
		ret = trace_writer_object(s->w[part], o->kind, o->name, &r.object, e);
	return ret ? ret : trace_writer_append(s->w[part], &r, 1, e);
}

static int parts_write(struct splitting *s, struct err *e)
{
	const struct trace_record *r;
	uint64_t i = 0;
	int ret = trace_rewind(s->t, e);
	while (!ret && (ret = trace_next(s->t, &r, e)) == 1)
		ret = part_put(s, r, i++, e);
	for (uint32_t p = 0; p < s->n; p++)
		ret = trace_writer_end(s->w[p], ret, e);
	u64_map_release(&s->part_of);
	return ret;
}

static int parts_export(struct exporting *x, struct splitting *s, const struct trace_format *f,
			const char *suffix, struct err *e)
{
	int ret = parts_write(s, e);
	x->by_seq = true;
	for (uint32_t p = 0; p < s->n; p++) {
		struct trace *t = NULL;
		char *part = part_path(s, p),
		     *path = xasprintf("%s/input-%04u%s", s->dir, p, suffix);
		ret = ret ? ret : trace_open(&t, part, e);
		ret = ret ? ret : file_export(x, t, f, path, e);
		trace_close(t);
		unlink(part);
		FREE_EACH(part, path);
	}
	return ret;
}

int inputs_export(struct inputs *in, struct trace *t, const struct trace_format *f,
		  enum adapter_per per, const char *dir, const char *suffix, struct err *e)
{
	struct exporting x = {.in = in};
	int ret;
	if (per == ADAPTER_PER_TRACE) {
		SCOPED_FREE char *path = xasprintf("%s/input%s", dir, suffix);
		ret = file_export(&x, t, f, path, e);
	} else {
		struct splitting s = {.t = t, .per = per, .dir = dir};
		ret = parts_export(&x, &s, f, suffix, e);
	}
	if (!ret && in->n_left_out >= in->n_records)
		ret = err_set(e, EINVAL, "the format %s cannot represent any request of the trace: "
			      "%s", f->name, in->why);
	return ret;
}

void inputs_release(struct inputs *in)
{
	words_list_release(&in->file);
	free(in->left_out);
	*in = (struct inputs){.n_records = 0};
}
