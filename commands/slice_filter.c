/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/slice.h"

#include <fnmatch.h>

#include "capture/op.h"
#include "common/units.h"
#include "common/words.h"

struct number_list {
	uint64_t *v;
	size_t n;
};

struct slice_filter {
	struct slice_filter_config c;
	struct number_list pid, tid;
	struct words_list pattern;
	bool op[OP_N];
	struct fits {
		const struct trace *t;
		signed char *v; /* v[n] by object: 1: matches; 0: does not match; -1: unknown */
		uint32_t n;
	} *fits; /* fits[n_fits]: an entry for each merged trace */
	size_t n_fits, fits_cap;
	int64_t first_ns;   /* start of the first request; TIME_NONE: no request so far */
	int64_t zero_ns;    /* start of the first kept request, in the time of the slice */
	int64_t instant_ns; /* the same begin, in the time of the input */
	uint64_t n_passed, n_kept;
	bool stopped;
};

static int numbers_of(struct number_list *to, const char *text, const char *option, struct err *e)
{
	SCOPED(words_list_release) struct words_list item = {0};
	int ret = text ? words_split(&item, text, e) : 0;
	if (ret || !text)
		return ret ? err_context(e, "%s", option) : 0;
	to->v = xcalloc(item.n, sizeof *to->v);
	for (; to->n < item.n && !ret; to->n += !ret)
		ret = parse_uint(item.v[to->n], &to->v[to->n], e);
	return ret ? err_context(e, "%s", option) : 0;
}

/* Parses an operation or a family. "read" is both; here it means the family. */
static int take_operation(struct slice_filter *f, const char *name, struct err *e)
{
	bool found = false;
	for (unsigned int op = 1; op < OP_N; op++)
		if (!strcmp(op_name(op), name) ||
		    !strcmp(op_family_names[op_info(op)->family], name))
			f->op[op] = found = true;
	if (found)
		return 0;
	const char *near = nearest_name(name, op_names);
	near = near ? near : nearest_name(name, op_family_names);
	return err_set(e, EINVAL,
		       "--operation: \"%s\" is neither an operation nor a family of "
		       "operations%s%s%s",
		       name, near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static int operations_of(struct slice_filter *f, struct err *e)
{
	SCOPED(words_list_release) struct words_list item = {0};
	if (!f->c.operations) {
		memset(f->op, true, sizeof f->op);
		return 0;
	}
	int ret = words_split(&item, f->c.operations, e);
	if (ret)
		return err_context(e, "--operation");
	for (size_t i = 0; i < item.n && !ret; i++)
		ret = take_operation(f, item.v[i], e);
	return ret;
}

int slice_filter_open(struct slice_filter **out, const struct slice_filter_config *c, struct err *e)
{
	struct slice_filter *f = *out = xcalloc(1, sizeof *f);
	f->c = *c;
	f->first_ns = f->zero_ns = f->instant_ns = TIME_NONE;
	int ret = numbers_of(&f->pid, c->processes, "--process", e);
	ret = ret ? ret : numbers_of(&f->tid, c->threads, "--thread", e);
	ret = ret ? ret : operations_of(f, e);
	if (!ret && c->objects && words_split(&f->pattern, c->objects, e))
		ret = err_context(e, "--object");
	return ret;
}

void slice_filter_close(struct slice_filter *f)
{
	if (!f)
		return;
	FREE_EACH(f->pid.v, f->tid.v);
	for (size_t i = 0; i < f->n_fits; i++)
		free(f->fits[i].v);
	free(f->fits);
	words_list_release(&f->pattern);
	free(f);
}

bool slice_filter_stopped(const struct slice_filter *f)
{
	return f->stopped;
}

static bool list_contains(const struct number_list *n, uint64_t v)
{
	bool found = !n->n;
	for (size_t i = 0; i < n->n && !found; i++)
		found = n->v[i] == v;
	return found;
}

static struct fits *fits_of(struct slice_filter *f, const struct trace *t)
{
	for (size_t i = 0; i < f->n_fits; i++)
		if (f->fits[i].t == t)
			return &f->fits[i];
	GROW(f->fits, f->n_fits, f->fits_cap);
	f->fits[f->n_fits] = (struct fits){.t = t};
	return &f->fits[f->n_fits++];
}

static bool object_fits(struct slice_filter *f, const struct trace *t, uint32_t id)
{
	const struct trace_object *o = f->pattern.n ? trace_object(t, id) : NULL;
	if (!o)
		return !f->pattern.n;
	struct fits *known = fits_of(f, t);
	if (id >= known->n) {
		uint32_t n = trace_n_objects(t);
		known->v = xrealloc(known->v, n);
		memset(known->v + known->n, -1, n - known->n);
		known->n = n;
	}
	if (known->v[id] < 0) {
		known->v[id] = 0;
		for (size_t i = 0; i < f->pattern.n && !known->v[id]; i++)
			known->v[id] = !fnmatch(f->pattern.v[i], o->name, 0);
	}
	return known->v[id];
}

static void time_scale(const struct slice_filter *f, int64_t *t)
{
	if (*t == TIME_NONE)
		return;
	double v = f->c.scale == 1 ? 0 : (double)(*t - f->first_ns) * f->c.scale;
	if (f->c.scale != 1 && fabs(v) < (double)TRACE_TIME_MAX / 2)
		*t = f->first_ns + llround(v);
}

/* Changes the times of a request. Response times are kept; computing times and gaps between
 * requests are scaled. */
static void request_retime(struct slice_filter *f, struct trace_record *r)
{
	if (r->begin_ns == TIME_NONE)
		return;
	int64_t was = r->begin_ns;
	time_scale(f, &r->begin_ns);
	time_scale(f, &r->intended_ns);
	if (f->zero_ns == TIME_NONE) {
		f->zero_ns = f->c.from_zero ? r->begin_ns : 0;
		f->instant_ns = f->c.from_zero ? was : 0;
	}
	if (r->op == OP_COMPUTE && f->c.scale != 1 &&
	    (double)r->length * f->c.scale < (double)TRACE_TIME_MAX)
		r->length = (uint64_t)llround((double)r->length * f->c.scale);
	r->begin_ns -= f->zero_ns;
	int64_t by = r->begin_ns - was;
	r->end_ns += r->end_ns == TIME_NONE ? 0 : by;
	r->dispatch_ns += r->dispatch_ns == TIME_NONE ? 0 : by;
	r->intended_ns -= r->intended_ns == TIME_NONE ? 0 : f->zero_ns;
}

int64_t slice_filter_zero(const struct slice_filter *f)
{
	return f->instant_ns == TIME_NONE ? 0 : f->instant_ns;
}

int64_t slice_filter_time(const struct slice_filter *f, int64_t ns)
{
	if (f->first_ns == TIME_NONE || ns > TRACE_TIME_MAX || ns < -TRACE_TIME_MAX)
		return ns;
	time_scale(f, &ns);
	return ns - (f->zero_ns == TIME_NONE ? 0 : f->zero_ns);
}

int slice_filter_pass(struct slice_filter *f, const struct trace *t, struct trace_record *r)
{
	if (f->n_kept >= f->c.n_max) {
		f->stopped = true;
		return 2;
	}
	if (f->first_ns == TIME_NONE)
		f->first_ns = r->begin_ns;
	bool timed = r->begin_ns != TIME_NONE;
	int64_t at = timed ? r->begin_ns - f->first_ns : 0;
	if (timed && (at < f->c.begin_ns || (f->c.end_ns >= 0 && at >= f->c.end_ns)))
		return 0;
	if (!f->op[r->op] || !list_contains(&f->pid, r->pid) || !list_contains(&f->tid, r->tid) ||
	    !object_fits(f, t, r->object))
		return 0;
	bool is_request = op_info(r->op)->family != FAMILY_CAUSE;
	if (f->n_passed < f->c.n_skip) {
		f->n_passed += is_request;
		return 0;
	}
	f->n_kept += is_request;
	request_retime(f, r);
	return 1;
}
