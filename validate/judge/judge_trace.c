/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate judge: reads the trace before anything starts. */

#include "capture/format.h"
#include "validate/judge/judge.h"

static char *name_of(const char *path)
{
	const char *base = strrchr(path, '/');
	char *name = xstrdup(base ? base + 1 : path), *dot = strchr(name, '.');
	if (dot && dot != name)
		*dot = 0;
	for (char *c = name; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *c))
			*c = '-';
	return name;
}

static void read_count(struct judged *j, const struct trace_record *r)
{
	bool is_read =
	    r->op == OP_READ || r->op == OP_PREAD || r->op == OP_READV || r->op == OP_PREADV;
	if (!is_read || r->rvalue <= 0 || r->end_ns < r->begin_ns)
		return;
	j->n_reads++;
	j->n_quick_reads += r->end_ns - r->begin_ns < QUICK_NS;
	j->n_read_bytes += (uint64_t)r->rvalue;
}

static int64_t device_bytes_of(const struct trace *t)
{
	const char *extra = trace_meta(t)->extra_json;
	json_auto_t *all = extra ? json_loads(extra, 0, NULL) : NULL;
	const json_t *bytes = json_object_get(json_object_get(all, "facts"), "bytes_read_device");
	int64_t n = json_is_integer(bytes) ? json_integer_value(bytes) : -1;
	return n;
}

int judged_read(struct judged *j, const char *path, struct err *e)
{
	const struct trace_record *r;
	struct trace *t;
	size_t n;
	int64_t first = INT64_MAX, last = INT64_MIN;
	*j = (struct judged){0};
	int ret = trace_open(&t, path, e);
	if (ret)
		return ret;
	trace_requests_only(t, true);
	while ((ret = trace_next_batch(t, &r, &n, e)) == 1)
		for (size_t i = 0; i < n; i++) {
			if (r[i].begin_ns == TIME_NONE)
				continue;
			j->n++;
			j->n_ended += r[i].end_ns != TIME_NONE;
			first = r[i].begin_ns < first ? r[i].begin_ns : first;
			last = r[i].begin_ns > last ? r[i].begin_ns : last;
			last = r[i].end_ns > last ? r[i].end_ns : last;
			read_count(j, &r[i]);
		}
	j->device_bytes = device_bytes_of(t);
	j->path = realpath(path, NULL);
	j->no_rerun = (struct err)ERR_INIT;
	if (j->path)
		rerun_read(&j->rerun, j->path, trace_meta(t), &j->no_rerun);
	j->level = trace_meta(t)->level;
	j->is_iolog = !strcmp(trace_format_of(t)->name, "iolog");
	trace_close(t);
	if (!ret && last == INT64_MIN)
		ret = err_set(e, ENODATA, "no request of the trace has a start time");
	if (ret)
		return err_context(e, "%s", path);
	j->lasts_ns = last - first;
	j->name = name_of(path);
	return j->path ? 0 : err_sys(e, errno, "cannot find %s", path);
}

void judged_release(struct judged *j)
{
	rerun_release(&j->rerun);
	FREE_EACH(j->path, j->name);
}
