/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace files as sources of a pair, and the choice of the matching method. */

#include "validate/metrics/metrics_private.h"

struct file_source {
	struct trace *trace;
	const char *path;
	uint64_t n;
};

static int file_next(void *context, const struct trace_record **r, size_t *n, struct err *e)
{
	struct file_source *f = context;
	int ret = trace_next_batch(f->trace, r, n, e);
	f->n += ret > 0 ? *n : 0;
	return ret;
}

int metrics_trace_check(const struct trace *t, const char *path, uint64_t n, struct err *e)
{
	struct trace_health h;
	trace_health(t, &h);
	if (h.n_blocks_damaged)
		return err_set(e, EBADMSG, "%s has %llu damaged blocks (\"validate info\" shows "
			"them)", path, (unsigned long long)h.n_blocks_damaged);
	if (!h.complete || h.n_records_uncommitted)
		return err_set(e, ENODATA, "%s: the trace has no end: its writer was killed or ran "
			"out of space after %llu requests", path, (unsigned long long)n);
	return 0;
}

static int file_check_end(void *context, struct err *e)
{
	struct file_source *f = context;
	return metrics_trace_check(f->trace, f->path, f->n, e);
}

static void file_close(void *context)
{
	SCOPED_FREE struct file_source *f = context;
	trace_close(f->trace);
}

static int file_open(const struct metrics_origin *o, struct metrics_source *s, struct err *e)
{
	struct trace *t;
	int ret = trace_open(&t, o->context, e);
	if (ret)
		return ret;
	trace_requests_only(t, true);
	struct file_source *f = xcalloc(1, sizeof *f);
	*f = (struct file_source){t, o->context, 0};
	*s = (struct metrics_source){o->name, f, t, file_next, file_check_end, file_close};
	return 0;
}

struct metrics_origin metrics_file(const char *path)
{
	return (struct metrics_origin){path, path, file_open};
}

/* --- choice of the matching ---------------------------------------------- */

/* Chooses the matching method. A replay trace of this program states the number of records of its
 * input, and record i replays record i. Whether the requests are the same is counted during the
 * comparison. */
static enum metrics_match match_choose(const struct metrics_source *r,
				       const struct metrics_source *x, enum match_reason *reason)
{
	bool known_r, known_x;
	if (!r->trace || !x->trace) {
		*reason = MATCHED_NUMBERED;
		return MATCH_NUMBER;
	}
	uint64_t n_r = trace_n_records(r->trace, &known_r),
		 n_x = trace_n_records(x->trace, &known_x);
	const char *text = trace_meta(x->trace)->extra_json;
	json_t *extra = text ? json_loads(text, 0, NULL) : NULL;
	json_t *n = json_object_get(json_object_get(extra, "replay"), "n_records");
	bool replays = json_is_integer(n),
	     same = replays && known_r && (uint64_t)json_integer_value(n) == n_r;
	json_decref(extra);
	*reason = same && known_x && n_x >= n_r ? MATCHED_SAME_COUNT
		  : replays && !known_r	      ? MATCHED_COUNT_AT_END
		  : replays		      ? MATCHED_OTHER_COUNT
					      : MATCHED_NO_COUNT;
	return same && known_x && n_x >= n_r ? MATCH_NUMBER : MATCH_KEY;
}

int metrics_match_decide(struct metrics *m, const struct metrics_origin *reference,
			 const struct metrics_origin *replay, const struct metrics_options *o,
			 bool *dispatch, struct err *e)
{
	struct metrics_source r = {0}, x = {0};
	int ret = reference->open(reference, &r, e);
	ret = ret ? ret : replay->open(replay, &x, e);
	m->match = o->match;
	if (!ret && o->match == MATCH_AUTO)
		m->match = match_choose(&r, &x, &m->match_reason);
	*dispatch = !ret && r.trace && x.trace && trace_meta(r.trace)->level == LEVEL_BLOCK &&
		    trace_meta(x.trace)->level == LEVEL_BLOCK;
	if (r.close)
		r.close(r.context);
	if (x.close)
		x.close(x.context);
	return ret;
}

