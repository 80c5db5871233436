/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/slice.h"

#include "capture/unseen.h"
#include "validate/selftest/calibration.h"

struct slice_correction {
	struct calibration calibration;
	char *host;  /* host of the trace, or NULL */
};

static int corrected_already(const struct trace_meta *meta, struct err *e)
{
	json_auto_t *extra = meta->extra_json ? json_loads(meta->extra_json, 0, NULL) : NULL;
	bool is = json_object_get(extra, "correction");
	return is ? err_set(e, EINVAL, "the response times of this trace have already been "
			"corrected")
		  : 0;
}

static int method_choose(const struct trace_set *set, const char **method, struct err *e)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct trace_meta *meta = trace_meta(set->t[i]);
		const char *own = calibration_method_of(meta->captured_by);
		int ret = corrected_already(meta, e);
		if (ret)
			return err_context(e, "%s", set->path[i]);
		if (!*method && !own)
			return err_set(e, EINVAL,
				       "%s does not state that app, vfs or strace captured it "
				       "(captured by: %s): name the method with --capture-method",
				       set->path[i],
				       meta->captured_by ? meta->captured_by : "not stated");
		if (own && *method && strcmp(own, *method))
			return err_set(e, EINVAL,
				       "%s was captured by %s, but the correction is for %s",
				       set->path[i], own, *method);
		*method = *method ? *method : own;
	}
	return 0;
}

int slice_correction_open(struct slice_correction **out, const char *file, const char *method,
			  const struct trace_set *set, struct err *e)
{
	int ret = method_choose(set, &method, e);
	if (ret)
		return ret;
	struct slice_correction *c = xcalloc(1, sizeof *c);
	const char *host = trace_meta(set->t[0])->host;
	c->host = host ? xasprintf("%s", host) : NULL;
	*out = c;
	return calibration_read(&c->calibration, file, method, e);
}

void slice_correction_close(struct slice_correction *c)
{
	if (!c)
		return;
	FREE_EACH(c->host, c);
}

void slice_correction_apply(struct slice_correction *c, struct trace_record *r)
{
	calibration_apply(&c->calibration, r);
}

void slice_correction_finish(const struct slice_correction *c, const char *host, json_t *extra)
{
	json_t *facts = calibration_facts(&c->calibration);
	if (!host) /* the slice does not state the host either */
		json_object_del(facts, "host");
	json_object_set_new(extra, "correction", facts);
}

void slice_correction_print(const struct slice_correction *c)
{
	struct correction done = calibration_correction(&c->calibration);
	printf("response times of %" PRIu64 " requests corrected for the bias of capture by %s; "
	       "this changes the mean response time of all requests by %+.3g ns (standard "
	       "uncertainty %.3g ns)\n",
	       done.n_corrected, c->calibration.method, -done.mean_ns, done.u_ns);
	if (done.n_clipped)
		printf("note: %" PRIu64 " response times would have been below 0, and were set to "
		       "0\n", done.n_clipped);
	if (done.n_without)
		printf("note: %" PRIu64
		       " requests were not corrected: the calibration lacks their operations\n",
		       done.n_without);
	if (c->host && strcmp(c->host, c->calibration.host))
		printf("note: the calibration was made on %s, and the trace was recorded on %s\n",
		       c->calibration.host, c->host);
}

static void rows_retime(json_t *rows, const void *filter)
{
	const struct slice_filter *f = filter;
	static const char *const keys[] = {"begin_ns", "waited_ns", "t_ns"};
	size_t i;
	json_t *row;
	json_array_foreach(rows, i, row) for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
	{
		json_t *at = json_object_get(row, keys[k]);
		if (json_is_integer(at))
			json_integer_set(at, slice_filter_time(f, json_integer_value(at)));
	}
}

char *slice_facts_text(const struct trace_set *set, size_t n, const struct slice_filter *f,
		       const char *hidden, bool renumbered, bool whole)
{
	json_auto_t *first = trace_extra(set->t[0]),
		    *top = hidden ? json_loads(hidden, 0, NULL) : json_incref(first);
	const bool has_kin = trace_set_kin(set, n, top, rows_retime, f);
	const bool counted = hidden || n > 1 || trace_notes(set->t[0])->n_skipped ||
			     json_object_get(json_object_get(first, "capture"), "untraced");
	if (hidden)
		unseen_add(top, first);
	else
		trace_set_facts(set, n, top);
	if (counted)
		trace_set_unseen(set, n, top);
	json_t *memory = json_object_get(top, "anonymous_memory");
	/* several parts of a capture were merged into one trace */
	const bool joined = n > 1 && json_object_get(top, "part");
	/* the command does more than the requests of this slice */
	const bool had_command = json_object_del(top, "command") == 0;
	const bool had_content = renumbered && json_object_del(top, "content") == 0;
	const bool had_files = !whole && json_object_del(json_object_get(top, "capture"),
							 "snapshot") == 0;
	const bool changed = has_kin || memory || joined || had_command || had_content ||
			     had_files || counted;
	if (joined)
		json_object_del(top, "part");
	rows_retime(memory, f);
	return changed && (!hidden || json_object_size(top)) ? json_dumps(top, JSON_COMPACT) : NULL;
}
