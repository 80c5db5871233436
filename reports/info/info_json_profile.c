/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/info/info.h"
#include "reports/json/json_value.h"

/* Makes an object with "min", "p10", "median", "p90", "p99", "p999", "max"; null if there is no
 * value. */
static json_t *json_quantiles(const struct histogram *h)
{
	static const struct {
		const char *key;
		double p;
	} row[] = {{"min", 0},    {"p10", 0.1},    {"median", 0.5}, {"p90", 0.9},
		   {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};
	json_t *o = json_object();
	double q;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		json_add(o,
			 J_FINITE(row[i].key, histogram_quantile(h, row[i].p, &q, NULL) ? NAN : q));
	return o;
}

/* --- over time ----------------------------------------------------------- */

#define TIMELINE_BINS 500u

static json_t *json_busiest(const struct timeline *t)
{
	int64_t begin_ns;
	const struct timeline_bin *b = timeline_busiest(t, &begin_ns);
	if (!b)
		return json_null();
	json_t *o = json_make(J_INT("width_ns", t->width_ns), J_INT("begin_ns", begin_ns),
		J_WHOLE("n_requests", timeline_requests(b)));
	b = timeline_most_bytes(t, &begin_ns);
	return json_add(o, J_WHOLE("most_bytes", b->bytes[KIND_READ] + b->bytes[KIND_WRITE]));
}

static json_t *json_timeline(const struct timeline *t)
{
	static const char *const key[KIND_N + KIND_OTHER] = {"reads", "writes", "others",
							     "bytes_read", "bytes_written"};
	json_t *o = json_object(), *list[KIND_N + KIND_OTHER];
	json_add(o, J_INT("width_ns", t->width_ns),
		J_INT("begin_ns", (t->base + (int64_t)t->used_from) * t->width_ns));
	for (int k = 0; k < KIND_N + KIND_OTHER; k++)
		json_object_set_new(o, key[k], list[k] = json_array());
	for (size_t i = t->used_from; i < t->used_to; i++)
		for (int k = 0; k < KIND_N + KIND_OTHER; k++)
			json_array_append_new(
			    list[k], json_of_count(k < KIND_N ? t->bin[i].n[k]
							      : t->bin[i].bytes[k - KIND_N]));
	return o;
}

static json_t *json_rates(const struct profile *p)
{
	json_t *o = json_object(), *gaps = json_quantiles(&p->gap);
	struct timeline wide, narrow;
	timeline_widen(&wide, &p->timeline, 1000000000);
	timeline_shrink(&narrow, &p->timeline, TIMELINE_BINS);
	json_add(o, J_VALUE("busiest_second", json_busiest(&wide)),
		J_VALUE("busiest_bin", json_busiest(&narrow)));
	json_add(gaps, J_FINITE("mean", p->gap.n ? p->sum_gap_ns / (double)p->gap.n : NAN),
		J_FINITE("coefficient_of_variation", profile_gap_variation(p)));
	json_add(o, J_VALUE("gap_ns", gaps),
		J_VALUE("timeline", p->tally.n_begin_known ? json_timeline(&narrow) : json_null()));
	timeline_release(&wide);
	timeline_release(&narrow);
	return o;
}

static json_t *json_times(const struct profile *p)
{
	const struct tally *t = &p->tally;
	return json_make(J_WHOLE("granularity_ns", t->granularity_ns), J_WHOLE("n_without_begin",
		t->n_without_begin), J_WHOLE("n_without_end", t->n_without_end),
		J_WHOLE("n_end_before_begin", t->n_end_before_begin),
		J_WHOLE("n_backwards", t->n_backwards), J_BOOL("nearly_sorted", p->sorted));
}

static json_t *json_concurrency(const struct profile *p)
{
	if (!p->has_order)
		return json_null();
	const struct concurrency *c = &p->concurrency;
	json_t *o = json_object(), *time = json_array(), *requests = json_array();
	json_add(o, J_BOOL("known", profile_has_ends(p)),
		J_FINITE("mean", profile_mean_concurrency(p)), J_WHOLE("max", c->highest));
	for (size_t i = 0; i <= c->highest; i++) {
		json_array_append_new(time, json_integer(c->ns_at_level[i]));
		json_array_append_new(requests, json_of_count(c->requests_at_level[i]));
	}
	return json_add(o, J_VALUE("ns_at_level", time), J_VALUE("requests_at_level", requests));
}

static json_t *json_issue(const struct profile *p)
{
	if (!p->n_intended)
		return json_null();
	return json_make(J_WHOLE("n_requests", p->n_intended),
		J_VALUE("late_ns", json_quantiles(&p->late)));
}

/* --- operations ---------------------------------------------------------- */

static json_t *json_families(const struct tally *t)
{
	json_t *list = json_array();
	for (int k = 0; k < FAMILY_N; k++) {
		const struct tally_family f = tally_family(t, (enum op_family)k);
		if (f.n)
			json_append(list, J_VALUE("family", json_string(op_family_names[k])),
				J_WHOLE("n_requests", f.n), J_WHOLE("n_failed", f.n_failed),
				J_WHOLE("bytes", f.bytes), J_FINITE("busy_ns", (double)f.sum_ns));
	}
	return list;
}

static json_t *json_responses(const struct profile *p)
{
	json_t *o = json_object();
	for (int k = 0; k <= KIND_N; k++) {
		SCOPED(histogram_release) struct histogram h;
		profile_responses(p, (enum profile_kind)k, &h);
		json_object_set_new(o, k < KIND_N ? profile_kind_names[k] : "all",
				    h.n ? json_quantiles(&h) : json_null());
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
		json_add(o, J_WHOLE("n_requests", z->distribution.n), J_WHOLE("n_distinct",
			z->n_distinct), J_WHOLE("n_not_counted", z->n_not_counted),
			J_VALUE("bytes", json_quantiles(&z->distribution)));
		for (size_t i = 0; i < n; i++)
			json_array_append_new(
			    list, json_pack("{s:o,s:o}", "bytes", json_of_count(common[i].size),
					    "n_requests", json_of_count(common[i].n)));
		json_object_set_new(o, "most_common", list);
		json_object_set_new(top, profile_kind_names[k], o);
	}
	return top;
}

static json_t *json_access(const struct profile *p)
{
	json_t *top = json_make(J_WHOLE("n_position_known", p->n_position_known),
		J_WHOLE("n_position_unknown", p->n_position_unknown), J_WHOLE("n_aligned_512",
		p->n_aligned_512), J_WHOLE("n_aligned_4096", p->n_aligned_4096),
		J_WHOLE("first_byte", p->lowest), J_WHOLE("end_byte", p->highest));
	for (int s = 0; s < PROFILE_SCOPES; s++) {
		const struct access_counts *c = profile_access(p, (enum profile_scope)s);
		json_t *o = json_object();
		for (int k = 0; k < KIND_OTHER; k++) {
			json_t *counts = json_object();
			for (int a = 0; a < ACCESS_N; a++)
				json_add(counts, J_WHOLE(access_pattern_names[a], c->n[k][a]));
			json_object_set_new(o, profile_kind_names[k], counts);
		}
		json_add(o, J_WHOLE("n_not_followed", c->n_not_followed));
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
		SCOPED_STRBUF name = STRBUF_INIT;
		strbuf_addstr(&name, error_text(sorted[i].error).s);
		json_t *o = json_make(J_VALUE("error", json_string(name.s)), J_INT("number",
			sorted[i].error), J_VALUE("operation", json_string(op_name(sorted[i].op))),
			J_WHOLE("n_requests", sorted[i].n));
		json_array_append_new(list, o);
	}
	free(sorted);
	return list;
}

/* --- objects and threads ------------------------------------------------- */

static json_t *json_objects(const struct info *x)
{
	const struct object_uses *u = &x->profile->objects;
	struct object_use top[INFO_TOP];
	json_t *list = json_array();
	size_t n = object_uses_top(u, top, INFO_TOP);
	for (size_t i = 0; i < n; i++) {
		const struct trace_object *object = trace_object(x->trace, top[i].object);
		json_append(list, J_VALUE("object", json_name(object ? object->name : NULL)),
			J_WHOLE("number", top[i].object), J_WHOLE("n_requests", top[i].n),
			J_WHOLE("bytes_read", top[i].bytes_read),
			J_WHOLE("bytes_written", top[i].bytes_written),
			J_FINITE("busy_ns", top[i].busy_ns));
	}
	return json_make(J_WHOLE("n_touched", u->n_objects),
		J_WHOLE("n_requests_without", u->n_without),
		J_WHOLE("n_requests_not_followed", u->n_not_followed), J_VALUE("top", list));
}

static json_t *json_threads(const struct tally *t)
{
	struct tally_thread top[INFO_TOP];
	json_t *list = json_array();
	size_t n = tally_top_threads(t, top, INFO_TOP);
	for (size_t i = 0; i < n; i++)
		json_append(list, J_INT("pid", top[i].pid), J_INT("tid", top[i].tid),
			J_WHOLE("n_requests", top[i].n), J_WHOLE("bytes", top[i].bytes),
			J_FINITE("busy_ns", top[i].busy_ns));
	return list;
}

static json_t *json_block(const struct info *x)
{
	const struct profile_block *b = &x->profile->block;
	if (x->meta->level != LEVEL_BLOCK)
		return json_null();
	return json_make(J_WHOLE("sectors_read", b->sectors[KIND_READ]),
		J_WHOLE("sectors_written", b->sectors[KIND_WRITE]),
		J_WHOLE("n_synchronous", b->n_sync), J_WHOLE("n_metadata", b->n_meta),
		J_WHOLE("n_read_ahead", b->n_ahead), J_WHOLE("n_forced_unit_access", b->n_fua),
		J_WHOLE("n_flush_first", b->n_preflush), J_WHOLE("n_dispatched", b->n_dispatched),
		J_VALUE("queue_ns", b->n_dispatched ? json_quantiles(&b->queue) : json_null()),
		J_VALUE("device_ns", b->n_dispatched ? json_quantiles(&b->device) : json_null()));
}

static json_t *json_replay_row(const char *key, const char *what, const char *op,
			       const struct replayable_count *c)
{
	json_t *o = json_object();
	if (key)
		json_object_set_new(o, key, json_string(what));
	return json_add(o, J_VALUE("operation", json_string(op)), J_WHOLE("n_requests", c->n),
		J_WHOLE("first_record", c->first));
}

static void set_replay_counts(json_t *o, const struct replayable *r)
{
	json_t *skipped = json_array(), *unknown = json_array();
	for (int reason = SKIP_NONE + 1; reason < SKIP_N; reason++)
		for (unsigned int op = 0; op < OP_N; op++)
			if (r->skipped[reason][op].n)
				json_array_append_new(
				    skipped, json_replay_row("reason", skip_reasons[reason],
							     op_name(op), &r->skipped[reason][op]));
	for (unsigned int op = 0; op < OP_N; op++)
		if (r->unknown[op].n)
			json_array_append_new(
			    unknown, json_replay_row(NULL, NULL, op_name(op), &r->unknown[op]));
	json_add(o, J_WHOLE("n_records", r->n_records), J_WHOLE("n_replayed", r->n_replayed),
		 J_WHOLE("n_never_issued", r->never_issued.n), J_VALUE("skipped", skipped),
		 J_VALUE("unknown_descriptors", unknown));
}

static json_t *json_replay(const struct replayable *r)
{
	static const char *const state[] = {[REPLAYABLE_KNOWN] = "known",
					    [REPLAYABLE_TOO_MANY] = "too many requests",
					    [REPLAYABLE_REFUSED] = "refused",
					    [REPLAYABLE_BLOCK] = "block"};
	if (!r)
		return json_null();
	json_t *o = json_make(J_VALUE("state", json_string(state[r->state])),
		J_VALUE("refused", r->state == REPLAYABLE_REFUSED ? json_name(r->why.msg)
			: json_null()));
	if (r->state == REPLAYABLE_KNOWN)
		set_replay_counts(o, r);
	return o;
}

void info_json_profile(json_t *top, const struct info *x)
{
	const struct profile *p = x->profile;
	json_add(top, J_VALUE("families", json_families(&p->tally)),
		J_VALUE("responses_ns", json_responses(p)), J_VALUE("rates", json_rates(p)),
		J_VALUE("times", json_times(p)), J_VALUE("concurrency", json_concurrency(p)),
		J_VALUE("issue", json_issue(p)), J_VALUE("sizes", json_sizes(p)),
		J_VALUE("access", json_access(p)), J_VALUE("errors", json_errors(p)),
		J_VALUE("threads", json_threads(&p->tally)), J_VALUE("objects", json_objects(x)),
		J_VALUE("block", json_block(x)), J_VALUE("replay", json_replay(x->replay)),
		J_BOOL("state_known", x->meta->files.n > 0));
}
