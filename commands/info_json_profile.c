/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "commands/info.h"
#include "common/json_count.h"
#include "reports/json/json_plain.h"

static void set_count(json_t *o, const char *key, uint64_t n)
{
	json_object_set_new(o, key, json_of_count(n));
}

static void set_number(json_t *o, const char *key, double v)
{
	json_object_set_new(o, key, json_finite(v));
}

/* "min", "p10", "median", "p90", "p99", "p999", "max"; null where there is no value. */
static json_t *json_quantiles(const struct histogram *h)
{
	static const struct {
		const char *key;
		double p;
	} row[] = {{"min", 0}, {"p10", 0.1}, {"median", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};
	json_t *o = json_object();
	double q;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		set_number(o, row[i].key, histogram_quantile(h, row[i].p, &q, NULL) ? NAN : q);
	return o;
}

/* --- over time ---------------------------------------------------------------------------------------------------- */

#define TIMELINE_BINS 500u

static json_t *json_busiest(const struct timeline *t)
{
	int64_t begin_ns;
	const struct timeline_bin *b = timeline_busiest(t, &begin_ns);
	if (!b)
		return json_null();
	json_t *o = json_object();
	json_object_set_new(o, "width_ns", json_integer(t->width_ns));
	json_object_set_new(o, "begin_ns", json_integer(begin_ns));
	set_count(o, "n_requests", timeline_requests(b));
	b = timeline_most_bytes(t, &begin_ns);
	set_count(o, "most_bytes", b->bytes[KIND_READ] + b->bytes[KIND_WRITE]);
	return o;
}

static json_t *json_timeline(const struct timeline *t)
{
	static const char *const key[KIND_N + KIND_OTHER] = {"reads", "writes", "others", "bytes_read",
							     "bytes_written"};
	json_t *o = json_object(), *list[KIND_N + KIND_OTHER];
	json_object_set_new(o, "width_ns", json_integer(t->width_ns));
	json_object_set_new(o, "begin_ns", json_integer((t->base + (int64_t)t->used_from) * t->width_ns));
	for (int k = 0; k < KIND_N + KIND_OTHER; k++)
		json_object_set_new(o, key[k], list[k] = json_array());
	for (size_t i = t->used_from; i < t->used_to; i++)
		for (int k = 0; k < KIND_N + KIND_OTHER; k++)
			json_array_append_new(list[k],
					      json_of_count(k < KIND_N ? t->bin[i].n[k] : t->bin[i].bytes[k - KIND_N]));
	return o;
}

static json_t *json_rates(const struct profile *p)
{
	json_t *o = json_object(), *gaps = json_quantiles(&p->gap);
	struct timeline wide, narrow;
	timeline_widen(&wide, &p->timeline, 1000000000);
	timeline_shrink(&narrow, &p->timeline, TIMELINE_BINS);
	json_object_set_new(o, "busiest_second", json_busiest(&wide));
	json_object_set_new(o, "busiest_bin", json_busiest(&narrow));
	set_number(gaps, "mean", p->gap.n ? p->sum_gap_ns / (double)p->gap.n : NAN);
	set_number(gaps, "coefficient_of_variation", profile_gap_variation(p));
	json_object_set_new(o, "gap_ns", gaps);
	json_object_set_new(o, "timeline", p->tally.n_begin_known ? json_timeline(&narrow) : json_null());
	timeline_release(&wide);
	timeline_release(&narrow);
	return o;
}

static json_t *json_times(const struct profile *p)
{
	const struct tally *t = &p->tally;
	json_t *o = json_object();
	set_count(o, "granularity_ns", t->granularity_ns);
	set_count(o, "n_without_begin", t->n_without_begin);
	set_count(o, "n_without_end", t->n_without_end);
	set_count(o, "n_end_before_begin", t->n_end_before_begin);
	set_count(o, "n_backwards", t->n_backwards);
	json_object_set_new(o, "nearly_sorted", json_boolean(p->sorted));
	return o;
}

static json_t *json_concurrency(const struct profile *p)
{
	if (!p->has_order)
		return json_null();
	const struct concurrency *c = &p->concurrency;
	json_t *o = json_object(), *time = json_array(), *requests = json_array();
	json_object_set_new(o, "known", json_boolean(profile_has_ends(p)));
	set_number(o, "mean", profile_mean_concurrency(p));
	set_count(o, "max", c->highest);
	for (size_t i = 0; i <= c->highest; i++) {
		json_array_append_new(time, json_integer(c->ns_at_level[i]));
		json_array_append_new(requests, json_of_count(c->requests_at_level[i]));
	}
	json_object_set_new(o, "ns_at_level", time);
	json_object_set_new(o, "requests_at_level", requests);
	return o;
}

static json_t *json_issue(const struct profile *p)
{
	if (!p->n_intended)
		return json_null();
	json_t *o = json_object();
	set_count(o, "n_requests", p->n_intended);
	json_object_set_new(o, "late_ns", json_quantiles(&p->late));
	return o;
}

/* --- what was done ------------------------------------------------------------------------------------------------ */

static json_t *json_families(const struct tally *t)
{
	json_t *list = json_array();
	for (int k = 0; k < FAMILY_N; k++) {
		uint64_t n = 0, n_failed = 0, bytes = 0;
		unsigned __int128 sum_ns = 0;
		for (unsigned int i = 1; i < OP_N; i++) {
			if ((int)op_info(i)->family != k)
				continue;
			n += t->op[i].n;
			n_failed += t->op[i].n_failed;
			bytes = bytes + t->op[i].bytes < bytes ? UINT64_MAX : bytes + t->op[i].bytes;
			sum_ns += t->op[i].sum_ns;
		}
		if (!n)
			continue;
		json_t *o = json_object();
		json_object_set_new(o, "family", json_string(op_family_names[k]));
		set_count(o, "n_requests", n);
		set_count(o, "n_failed", n_failed);
		set_count(o, "bytes", bytes);
		set_number(o, "busy_ns", (double)sum_ns);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_responses(const struct profile *p)
{
	json_t *o = json_object();
	for (int k = 0; k <= KIND_N; k++) {
		struct histogram h;
		profile_responses(p, (enum profile_kind)k, &h);
		json_object_set_new(o, k < KIND_N ? profile_kind_names[k] : "all",
				    h.n ? json_quantiles(&h) : json_null());
		histogram_release(&h);
	}
	return o;
}

static json_t *json_sizes(const struct profile *p)
{
	json_t *top = json_object();
	for (int k = 0; k < KIND_OTHER; k++) {
		const struct sizes *z = &p->sizes[k];
		struct size_count common[INFO_SIZES];
		size_t n = sizes_common(z, common, INFO_SIZES);
		json_t *o = json_object(), *list = json_array();
		set_count(o, "n_requests", z->distribution.n);
		set_count(o, "n_distinct", z->n_distinct);
		set_count(o, "n_not_counted", z->n_not_counted);
		json_object_set_new(o, "bytes", json_quantiles(&z->distribution));
		for (size_t i = 0; i < n; i++)
			json_array_append_new(list, json_pack("{s:o,s:o}", "bytes", json_of_count(common[i].size),
							      "n_requests", json_of_count(common[i].n)));
		json_object_set_new(o, "most_common", list);
		json_object_set_new(top, profile_kind_names[k], o);
	}
	return top;
}

static json_t *json_access(const struct profile *p)
{
	json_t *top = json_object();
	set_count(top, "n_position_known", p->n_position_known);
	set_count(top, "n_position_unknown", p->n_position_unknown);
	set_count(top, "n_aligned_512", p->n_aligned_512);
	set_count(top, "n_aligned_4096", p->n_aligned_4096);
	set_count(top, "first_byte", p->lowest);
	set_count(top, "end_byte", p->highest);
	for (int s = 0; s < PROFILE_SCOPES; s++) {
		const struct access_counts *c = profile_access(p, (enum profile_scope)s);
		json_t *o = json_object();
		for (int k = 0; k < KIND_OTHER; k++) {
			json_t *counts = json_object();
			for (int a = 0; a < ACCESS_N; a++)
				set_count(counts, access_pattern_names[a], c->n[k][a]);
			json_object_set_new(o, profile_kind_names[k], counts);
		}
		set_count(o, "n_not_followed", c->n_not_followed);
		json_object_set_new(top, profile_scope_names[s], o);
	}
	return top;
}

static json_t *json_errors(const struct profile *p)
{
	struct error_count *sorted;
	json_t *list = json_array();
	size_t n = errors_sorted(&p->errors, &sorted);
	for (size_t i = 0; i < n; i++) {
		struct strbuf name = STRBUF_INIT;
		strbuf_addstr(&name, error_text(sorted[i].error).s);
		json_t *o = json_object();
		json_object_set_new(o, "error", json_string(name.s));
		json_object_set_new(o, "number", json_integer(sorted[i].error));
		json_object_set_new(o, "operation", json_string(op_name(sorted[i].op)));
		set_count(o, "n_requests", sorted[i].n);
		json_array_append_new(list, o);
		strbuf_release(&name);
	}
	free(sorted);
	return list;
}

/* --- by whom and on what ------------------------------------------------------------------------------------------ */

static json_t *json_objects(const struct info *x)
{
	const struct object_uses *u = &x->profile->objects;
	struct object_use top[INFO_TOP];
	json_t *o = json_object(), *list = json_array();
	size_t n = object_uses_top(u, top, INFO_TOP);
	for (size_t i = 0; i < n; i++) {
		const struct trace_object *object = trace_object(x->trace, top[i].object);
		json_t *one = json_object();
		json_object_set_new(one, "object", json_name(object ? object->name : NULL));
		set_count(one, "number", top[i].object);
		set_count(one, "n_requests", top[i].n);
		set_count(one, "bytes_read", top[i].bytes_read);
		set_count(one, "bytes_written", top[i].bytes_written);
		set_number(one, "busy_ns", top[i].busy_ns);
		json_array_append_new(list, one);
	}
	set_count(o, "n_touched", u->n_objects);
	set_count(o, "n_requests_without", u->n_without);
	set_count(o, "n_requests_not_followed", u->n_not_followed);
	json_object_set_new(o, "top", list);
	return o;
}

static json_t *json_threads(const struct tally *t)
{
	struct tally_thread top[INFO_TOP];
	json_t *list = json_array();
	size_t n = tally_top_threads(t, top, INFO_TOP);
	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();
		json_object_set_new(o, "pid", json_integer(top[i].pid));
		json_object_set_new(o, "tid", json_integer(top[i].tid));
		set_count(o, "n_requests", top[i].n);
		set_count(o, "bytes", top[i].bytes);
		set_number(o, "busy_ns", top[i].busy_ns);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_block(const struct info *x)
{
	const struct profile_block *b = &x->profile->block;
	if (x->meta->level != LEVEL_BLOCK)
		return json_null();
	json_t *o = json_object();
	set_count(o, "sectors_read", b->sectors[KIND_READ]);
	set_count(o, "sectors_written", b->sectors[KIND_WRITE]);
	set_count(o, "n_synchronous", b->n_sync);
	set_count(o, "n_metadata", b->n_meta);
	set_count(o, "n_read_ahead", b->n_ahead);
	set_count(o, "n_forced_unit_access", b->n_fua);
	set_count(o, "n_flush_first", b->n_preflush);
	set_count(o, "n_dispatched", b->n_dispatched);
	json_object_set_new(o, "queue_ns", b->n_dispatched ? json_quantiles(&b->queue) : json_null());
	json_object_set_new(o, "device_ns", b->n_dispatched ? json_quantiles(&b->device) : json_null());
	return o;
}

static json_t *json_replay_row(const char *key, const char *what, const char *op, const struct replayable_count *c)
{
	json_t *o = json_object();
	if (key)
		json_object_set_new(o, key, json_string(what));
	json_object_set_new(o, "operation", json_string(op));
	set_count(o, "n_requests", c->n);
	set_count(o, "first_record", c->first);
	return o;
}

static void set_replay_counts(json_t *o, const struct replayable *r)
{
	json_t *passed = json_array(), *unknown = json_array();
	for (int reason = PASS_NOT + 1; reason < PASS_N; reason++)
		for (unsigned int op = 0; op < OP_N; op++)
			if (r->passed[reason][op].n)
				json_array_append_new(passed, json_replay_row("reason", pass_reasons[reason],
									      op_name(op), &r->passed[reason][op]));
	for (unsigned int op = 0; op < OP_N; op++)
		if (r->unknown[op].n)
			json_array_append_new(unknown, json_replay_row(NULL, NULL, op_name(op), &r->unknown[op]));
	set_count(o, "n_records", r->n_records);
	set_count(o, "n_replayed", r->n_replayed);
	set_count(o, "n_never_issued", r->never_issued.n);
	json_object_set_new(o, "passed_over", passed);
	json_object_set_new(o, "unknown_descriptors", unknown);
}

static json_t *json_replay(const struct replayable *r)
{
	static const char *const state[] = {[REPLAYABLE_KNOWN] = "known", [REPLAYABLE_TOO_MANY] = "too many requests",
					    [REPLAYABLE_REFUSED] = "refused", [REPLAYABLE_BLOCK] = "block"};
	if (!r)
		return json_null();
	json_t *o = json_object();
	json_object_set_new(o, "state", json_string(state[r->state]));
	json_object_set_new(o, "refused",
			    r->state == REPLAYABLE_REFUSED ? json_name(r->why.msg) : json_null());
	if (r->state == REPLAYABLE_KNOWN)
		set_replay_counts(o, r);
	return o;
}

void info_json_profile(json_t *top, const struct info *x)
{
	const struct profile *p = x->profile;
	json_object_set_new(top, "families", json_families(&p->tally));
	json_object_set_new(top, "responses_ns", json_responses(p));
	json_object_set_new(top, "rates", json_rates(p));
	json_object_set_new(top, "times", json_times(p));
	json_object_set_new(top, "concurrency", json_concurrency(p));
	json_object_set_new(top, "issue", json_issue(p));
	json_object_set_new(top, "sizes", json_sizes(p));
	json_object_set_new(top, "access", json_access(p));
	json_object_set_new(top, "errors", json_errors(p));
	json_object_set_new(top, "threads", json_threads(&p->tally));
	json_object_set_new(top, "objects", json_objects(x));
	json_object_set_new(top, "block", json_block(x));
	json_object_set_new(top, "replay", json_replay(x->replay));
	json_object_set_new(top, "state_known", json_boolean(x->meta->files.n > 0));
}
