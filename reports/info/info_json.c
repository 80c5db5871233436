/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "reports/info/info.h"
#include "reports/json/json_value.h"

#define INFO_SCHEMA 1

static json_t *json_time(int64_t t)
{
	return t == TIME_NONE ? json_null() : json_integer(t);
}

static void set_quantile(json_t *o, const char *key, const struct histogram *h, double p)
{
	double q;
	json_object_set_new(o, key, json_finite(histogram_quantile(h, p, &q, NULL) ? NAN : q));
}

static json_t *json_operation(const char *name, const struct tally_op *op)
{
	json_t *r = json_null();
	if (op->n_timed) {
		r = json_object();
		json_add(r, J_FINITE("mean", tally_mean_ns(op)), J_INT("min", op->min_ns));
		set_quantile(r, "median", &op->response, 0.5);
		set_quantile(r, "p90", &op->response, 0.9);
		set_quantile(r, "p99", &op->response, 0.99);
		set_quantile(r, "p999", &op->response, 0.999);
		json_object_set_new(r, "max", json_integer(op->max_ns));
	}
	return json_make(J_VALUE("operation", json_name(name)), J_WHOLE("n_requests", op->n),
		J_WHOLE("n_failed", op->n_failed), J_WHOLE("bytes", op->bytes),
		J_WHOLE("n_timed", op->n_timed), J_VALUE("response_ns", r));
}

static json_t *json_unknown(const struct trace_meta *meta, enum unseen_kind kind)
{
	json_t *list = json_array();
	char buf[300];
	const char *text;
	for (unsigned int i = 0; (text = unknown_reason(meta, kind, i, buf, sizeof buf)); i++)
		json_array_append_new(list, json_name(text));
	return list;
}

static json_t *json_health(const struct tally *s, const struct trace_meta *meta)
{
	json_t *damage = json_array(), *missing = json_array();
	const struct trace_health *h = &s->health;
	char buf[300];
	const char *reason;
	for (unsigned int i = 0; (reason = missing_reason(s, meta, i, buf, sizeof buf)); i++)
		json_array_append_new(missing, json_name(reason));
	for (uint64_t i = 0; i < s->n_damage && i < TALLY_DAMAGE_MAX; i++)
		json_array_append_new(damage, json_name(s->damage[i]));
	const bool no_sign = h->complete && !json_array_size(missing) && !s->n_damage &&
			     !h->n_records_uncommitted;
	const char *scope = unseen_scope(meta);
	return json_make(J_VALUE("complete",
			no_sign && scope ? json_null() : json_boolean(no_sign)),
		J_BOOL("has_end", h->complete), J_VALUE("incomplete", missing),
		J_TEXT("not_visible", scope),
		J_VALUE("not_checked", json_unknown(meta, UNSEEN_CODE)), J_VALUE("not_known",
		json_unknown(meta, UNSEEN_FILES)), J_WHOLE("n_blocks_damaged", s->n_damage),
		J_WHOLE("n_records_uncommitted", h->n_records_uncommitted),
		J_VALUE("damage", damage));
}

static json_t *json_meta(const struct trace_meta *m)
{
	json_t *o = json_object(), *clock = json_object();
	json_add(clock, J_VALUE("name", json_name(m->clock)), J_FINITE("resolution_ns",
		m->clock_resolution_ns), J_FINITE("read_cost_ns", m->clock_read_cost_ns));
	json_add(o, J_VALUE("level", json_string(m->level == LEVEL_BLOCK ? "block" : "syscall")),
		J_VALUE("clock", clock), J_INT("epoch_ns", m->epoch_ns),
		J_INT("wall_epoch_ns", m->wall_epoch_ns), J_VALUE("host", json_name(m->host)),
		J_VALUE("command", json_name(m->command)),
		J_VALUE("captured_by", json_name(m->captured_by)),
		J_VALUE("root", json_name(m->root)), J_WHOLE("n_events_lost", m->n_events_lost),
		J_BOOL("cut", m->cut), J_WHOLE("seed", m->seed));
	json_t *extra = m->extra_json ? json_loads(m->extra_json, 0, NULL) : NULL;
	return json_add(o, J_VALUE("extra", extra ? extra : json_null()));
}

static json_t *json_files(const struct fileset *f)
{
	json_t *a = json_array();
	for (size_t i = 0; i < f->n; i++)
		json_append(a, J_VALUE("path", json_name(f->entry[i].path)), J_WHOLE("size",
			f->entry[i].size), J_BOOL("directory", f->entry[i].directory));
	return a;
}

static json_t *json_request(const struct trace *t, const struct trace_record *r)
{
	json_t *o = json_object();
	const struct trace_object *object = trace_object(t, r->object);
	const char *error = r->error ? strerrorname_np(r->error) : NULL;
	json_add(o, J_WHOLE("seq", r->seq), J_INT("pid", r->pid), J_INT("tid", r->tid),
		J_VALUE("begin_ns", json_time(r->begin_ns)),
		J_VALUE("end_ns", json_time(r->end_ns)),
		J_VALUE("intended_ns", json_time(r->intended_ns)),
		J_VALUE("dispatch_ns", json_time(r->dispatch_ns)),
		J_VALUE("operation", json_string(op_name(r->op))),
		J_VALUE("object", json_name(object ? object->name : NULL)), J_INT("fd", r->fd),
		J_VALUE("offset", r->offset == OFFSET_NONE ? json_null()
			: json_of_count(r->offset)),
		J_WHOLE("length", r->length), J_INT("flags", r->flags), J_INT("rvalue", r->rvalue),
		J_VALUE("error", r->error ? error ? json_string(error) : json_integer(r->error)
			: json_null()));
	return o;
}

static int add_requests(json_t *top, struct trace *t, uint64_t n, struct err *e)
{
	json_t *a = json_array();
	const struct trace_record *r;
	json_object_set_new(top, "requests", a);
	int ret = trace_rewind(t, e);
	while (!ret && json_array_size(a) < n) {
		do
			ret = trace_next(t, &r, e);
		while (ret == -EBADMSG);
		if (ret != 1)
			break;
		ret = 0;
		json_array_append_new(a, json_request(t, r));
	}
	return ret;
}

int info_print_json(const struct info *x, struct trace *t, uint64_t n_records, struct err *e)
{
	const struct tally *s = &x->profile->tally;
	json_t *top = json_object(), *operations = json_array(), *warnings = json_array();
	int64_t span_ns = tally_span_ns(s);
	char text[1000];
	for (unsigned int op = 1; op < OP_N; op++)
		if (s->op[op].n)
			json_array_append_new(operations, json_operation(op_name(op), &s->op[op]));
	for (unsigned int i = 0; info_warning(x, i, text, sizeof text); i++)
		json_array_append_new(warnings, json_name(text));
	json_add(top, J_INT("schema", INFO_SCHEMA), J_VALUE("path", json_name(x->path)),
		J_VALUE("format", json_name(x->format)), J_WHOLE("file_bytes", x->file_bytes),
		J_VALUE("health", json_health(s, x->meta)), J_WHOLE("n_requests", s->n_records));
	const struct trace_causes *c = &x->profile->causes;
	if (c->n_computes || c->n_signals || c->n_waits)
		json_add(top, J_VALUE("between_requests", json_make(J_WHOLE("n_computes",
			c->n_computes), J_WHOLE("n_signals", c->n_signals),
			J_WHOLE("n_waits", c->n_waits), J_FINITE("compute_ns", c->compute_ns))));
	json_add(top, J_WHOLE("bytes", s->n_bytes),
		J_VALUE("first_begin_ns", json_time(s->n_begin_known ? s->first_begin_ns
			: TIME_NONE)),
		J_INT("span_ns", span_ns),
		J_FINITE("rate_per_s", span_ns > 0
			? (double)s->n_begin_known / ((double)span_ns * 1e-9) : NAN),
		J_FINITE("mean_interarrival_ns", tally_interarrival_ns(s)),
		J_WHOLE("n_threads", s->n_threads), J_WHOLE("n_processes", s->n_processes),
		J_WHOLE("n_objects", x->n_objects), J_VALUE("operations", operations));
	info_json_profile(top, x);
	json_add(top, J_VALUE("meta", json_meta(x->meta)),
		J_VALUE("files", json_files(&x->meta->files)), J_VALUE("warnings", warnings));
	int ret = n_records ? add_requests(top, t, n_records, e) : 0;
	if (ret)
		json_decref(top);
	else
		json_print(top);
	return ret;
}
