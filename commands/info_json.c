/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/csv_args.h"
#include "commands/info.h"
#include "common/json_count.h"
#include "common/strbuf.h"
#include "reports/json/json_plain.h"
#include "validate/profile/missing.h"

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
	json_t *o = json_object(), *r = json_null();
	if (op->n_timed) {
		r = json_object();
		json_object_set_new(r, "mean", json_finite(tally_mean_ns(op)));
		json_object_set_new(r, "min", json_integer(op->min_ns));
		set_quantile(r, "median", &op->response, 0.5);
		set_quantile(r, "p90", &op->response, 0.9);
		set_quantile(r, "p99", &op->response, 0.99);
		set_quantile(r, "p999", &op->response, 0.999);
		json_object_set_new(r, "max", json_integer(op->max_ns));
	}
	json_object_set_new(o, "operation", json_name(name));
	json_object_set_new(o, "n_requests", json_of_count(op->n));
	json_object_set_new(o, "n_failed", json_of_count(op->n_failed));
	json_object_set_new(o, "bytes", json_of_count(op->bytes));
	json_object_set_new(o, "n_timed", json_of_count(op->n_timed));
	json_object_set_new(o, "response_ns", r);
	return o;
}

static json_t *json_health(const struct tally *s, const struct trace_meta *meta)
{
	json_t *o = json_object(), *damage = json_array(), *missing = json_array();
	char buf[300];
	const char *reason;
	for (unsigned int i = 0; (reason = missing_reason(s, meta, i, buf, sizeof buf)); i++)
		json_array_append_new(missing, json_name(reason));
	for (uint64_t i = 0; i < s->n_damage && i < TALLY_DAMAGE_MAX; i++)
		json_array_append_new(damage, json_name(s->damage[i]));
	json_object_set_new(o, "complete", json_boolean(s->health.complete));
	json_object_set_new(o, "incomplete", missing);
	json_object_set_new(o, "n_blocks_damaged", json_of_count(s->n_damage));
	json_object_set_new(o, "n_records_uncommitted", json_of_count(s->health.n_records_uncommitted));
	json_object_set_new(o, "damage", damage);
	return o;
}

static json_t *json_meta(const struct trace_meta *m)
{
	json_t *o = json_object(), *clock = json_object();
	json_object_set_new(clock, "name", json_name(m->clock));
	json_object_set_new(clock, "resolution_ns", json_finite(m->clock_resolution_ns));
	json_object_set_new(clock, "read_cost_ns", json_finite(m->clock_read_cost_ns));
	json_object_set_new(o, "level", json_string(m->level == LEVEL_BLOCK ? "block" : "syscall"));
	json_object_set_new(o, "clock", clock);
	json_object_set_new(o, "epoch_ns", json_integer(m->epoch_ns));
	json_object_set_new(o, "wall_epoch_ns", json_integer(m->wall_epoch_ns));
	json_object_set_new(o, "host", json_name(m->host));
	json_object_set_new(o, "command", json_name(m->command));
	json_object_set_new(o, "captured_by", json_name(m->captured_by));
	json_object_set_new(o, "root", json_name(m->root));
	json_object_set_new(o, "n_events_lost", json_of_count(m->n_events_lost));
	json_object_set_new(o, "cut", json_boolean(m->cut));
	json_object_set_new(o, "seed", json_of_count(m->seed));
	json_t *extra = m->extra_json ? json_loads(m->extra_json, 0, NULL) : NULL;
	json_object_set_new(o, "extra", extra ? extra : json_null());
	return o;
}

static json_t *json_files(const struct fileset *f)
{
	json_t *a = json_array();
	for (size_t i = 0; i < f->n; i++) {
		json_t *o = json_object();
		json_object_set_new(o, "path", json_name(f->entry[i].path));
		json_object_set_new(o, "size", json_of_count(f->entry[i].size));
		json_object_set_new(o, "directory", json_boolean(f->entry[i].directory));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *json_request(const struct trace *t, const struct trace_record *r)
{
	json_t *o = json_object();
	const struct trace_object *object = trace_object(t, r->object);
	const char *error = r->error ? strerrorname_np(r->error) : NULL;
	json_object_set_new(o, "seq", json_of_count(r->seq));
	json_object_set_new(o, "pid", json_integer(r->pid));
	json_object_set_new(o, "tid", json_integer(r->tid));
	json_object_set_new(o, "begin_ns", json_time(r->begin_ns));
	json_object_set_new(o, "end_ns", json_time(r->end_ns));
	json_object_set_new(o, "intended_ns", json_time(r->intended_ns));
	json_object_set_new(o, "dispatch_ns", json_time(r->dispatch_ns));
	json_object_set_new(o, "operation", json_string(op_name(r->op)));
	json_object_set_new(o, "object", json_name(object ? object->name : NULL));
	json_object_set_new(o, "fd", json_integer(r->fd));
	json_object_set_new(o, "offset", r->offset == OFFSET_NONE ? json_null() : json_of_count(r->offset));
	json_object_set_new(o, "length", json_of_count(r->length));
	json_object_set_new(o, "flags", json_integer(r->flags));
	json_object_set_new(o, "rvalue", json_integer(r->rvalue));
	json_object_set_new(o, "error", r->error ? error ? json_string(error) : json_integer(r->error) : json_null());
	return o;
}

static int add_requests(json_t *top, struct trace *t, uint64_t n, struct err *e)
{
	json_t *a = json_array();
	const struct trace_record *r;
	json_object_set_new(top, "requests", a);
	int rc = trace_rewind(t, e);
	while (!rc && json_array_size(a) < n) {
		do
			rc = trace_next(t, &r, e);
		while (rc == -EBADMSG);
		if (rc != 1)
			break;
		rc = 0;
		json_array_append_new(a, json_request(t, r));
	}
	return rc;
}

static json_t *json_causes(const struct trace_causes *c)
{
	json_t *o = json_object();
	json_object_set_new(o, "n_computes", json_of_count(c->n_computes));
	json_object_set_new(o, "n_signals", json_of_count(c->n_signals));
	json_object_set_new(o, "n_waits", json_of_count(c->n_waits));
	json_object_set_new(o, "compute_ns", json_finite(c->compute_ns));
	return o;
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
	json_object_set_new(top, "schema", json_integer(INFO_SCHEMA));
	json_object_set_new(top, "path", json_name(x->path));
	json_object_set_new(top, "format", json_name(x->format));
	json_object_set_new(top, "file_bytes", json_of_count(x->file_bytes));
	json_object_set_new(top, "health", json_health(s, x->meta));
	json_object_set_new(top, "n_requests", json_of_count(s->n_records));
	if (x->profile->causes.n_computes || x->profile->causes.n_signals || x->profile->causes.n_waits)
		json_object_set_new(top, "between_requests", json_causes(&x->profile->causes));
	json_object_set_new(top, "bytes", json_of_count(s->n_bytes));
	json_object_set_new(top, "first_begin_ns", json_time(s->n_begin_known ? s->first_begin_ns : TIME_NONE));
	json_object_set_new(top, "span_ns", json_integer(span_ns));
	json_object_set_new(
	    top, "rate_per_s",
	    json_finite(span_ns > 0 ? (double)s->n_begin_known / ((double)span_ns * 1e-9) : NAN));
	json_object_set_new(top, "mean_interarrival_ns", json_finite(tally_interarrival_ns(s)));
	json_object_set_new(top, "n_threads", json_of_count(s->n_threads));
	json_object_set_new(top, "n_processes", json_of_count(s->n_processes));
	json_object_set_new(top, "n_objects", json_of_count(x->n_objects));
	json_object_set_new(top, "operations", operations);
	info_json_profile(top, x);
	json_object_set_new(top, "meta", json_meta(x->meta));
	json_object_set_new(top, "files", json_files(&x->meta->files));
	json_object_set_new(top, "warnings", warnings);
	int rc = n_records ? add_requests(top, t, n_records, e) : 0;
	if (rc)
		json_decref(top);
	else
		json_print(top);
	return rc;
}
