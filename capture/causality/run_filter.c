/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/run_filter.h"

#include "capture/causality/requests.h"
#include "capture/pour.h"
#include "common/sort.h"

struct filter {
	const struct causality_facts *facts;
	/* armed_ns[n_nodes]: the first request of the node after this instant counts; NEVER:
	 * none */
	int64_t *armed_ns;
	/* Failed attempts at a request that the node repeats (polling). drop[n_drop]: indices of
	 * their records, ascending. at: index of the next record; drop_at: next entry of drop[]. */
	uint64_t *drop, at, drop_at;
	size_t n_drop, drop_cap;
	bool *begun; /* begun[n_nodes]: the node has made a request that counts */
	/* earlier[n_nodes]: computing before messages that do not count; length 0 and offset 0:
	 * none */
	struct trace_record *earlier;
	int64_t first_ns, last_ns;
	bool by_clock;
	uint64_t n;
	struct trace *t;
	bool *named; /* named[n_named]: objects of the source trace that counted requests use */
	uint32_t n_named, named_cap;
	struct fileset_entry *entry; /* of the remaining files */
	struct fileset_detail *detail;
};

#define NEVER INT64_MAX

/* A compute record without CAUSE_GOES_ON is followed by a request that counts. */
static int64_t armed_by(const struct trace_record *compute)
{
	return compute->flags & CAUSE_GOES_ON ? NEVER : compute->end_ns;
}

static void nodes_disarm(struct filter *f)
{
	for (uint32_t i = 0; i < f->facts->n_nodes; i++)
		f->armed_ns[i] = NEVER;
}

static bool is_cause(const struct trace_record *r)
{
	return op_info(r->op)->family == FAMILY_CAUSE;
}

static int64_t at_most(int64_t ns, uint64_t most)
{
	return ns < 0 ? 0 : (uint64_t)ns < most ? ns : (int64_t)most;
}

/* Moves the facts of the compute event of the capture to the members that a run's record has
 * (causality_run). */
static void compute_convert(struct trace_record *r)
{
	r->intended_ns = at_most(r->rvalue, r->length);
	r->dispatch_ns =
	    at_most((int64_t)(r->flags >> CAUSE_OFF_CPU_SHIFT) * 1000, (uint64_t)TRACE_TIME_MAX);
	r->rvalue = (int64_t)r->length;
	r->flags &= CAUSE_GOES_ON;
}

/* Reduces a converted compute record to the part that counts. False: no part counts. */
static bool compute_keep(const struct filter *f, int64_t node, struct trace_record *r)
{
	if (r->end_ns <= f->first_ns && (!f->begun[node] || f->facts->node[node].sends))
		return false;
	if (f->by_clock) {
		int64_t passed = r->end_ns - r->begin_ns - (int64_t)r->offset;
		r->length = passed > 0 ? (uint64_t)passed : 0;
	}
	if (r->begin_ns < f->first_ns) {
		r->begin_ns = f->first_ns;
		uint64_t left = (uint64_t)(r->end_ns - f->first_ns);
		r->length = r->length < left ? r->length : left;
		r->offset = r->offset < left - r->length ? r->offset : left - r->length;
	}
	r->intended_ns = at_most(r->intended_ns, r->length);
	r->dispatch_ns = at_most(r->dispatch_ns, r->offset);
	return true;
}

/* Joins computing before messages that do not count to the computing after them. Returns whether
 * the record is complete. */
static bool compute_join(struct filter *f, int64_t node, struct trace_record *r)
{
	struct trace_record *earlier = &f->earlier[node];
	const bool message = r->flags & CAUSE_BEFORE_MESSAGE;
	compute_convert(r);
	if (f->facts->node[node].sends) {
		r->flags = message ? 0 : r->flags;
		return true;
	}
	if (earlier->op == OP_COMPUTE) {
		r->begin_ns = earlier->begin_ns;
		r->length += earlier->length;
		r->offset += earlier->offset;
		r->rvalue += earlier->rvalue;
		r->intended_ns += earlier->intended_ns;
		r->dispatch_ns += earlier->dispatch_ns;
	}
	*earlier = message ? *r : (struct trace_record){.op = OP_INVALID};
	return !message;
}

static bool is_dropped(struct filter *f)
{
	const uint64_t at = f->at++;
	if (f->drop_at == f->n_drop || f->drop[f->drop_at] != at)
		return false;
	f->drop_at++;
	return true;
}

static int filter_record(void *ctx, struct trace *t, struct trace_record *r)
{
	struct filter *f = ctx;
	const bool dropped = is_dropped(f);
	int64_t node = causality_node_of(f->facts, r->pid, r->tid);
	if (node < 0)
		return 0;
	if (r->op == OP_COMPUTE) {
		f->armed_ns[node] = armed_by(r);
		return compute_join(f, node, r) && compute_keep(f, node, r);
	}
	if (is_message(r) && f->facts->node[node].sends) {
		f->begun[node] = true;
		return 1;
	}
	if (is_cause(r) || r->begin_ns < f->armed_ns[node])
		return 0;
	f->armed_ns[node] = NEVER;
	if (dropped)
		return 0;
	f->begun[node] = true;
	f->n++;
	while (r->object != OBJECT_NONE && r->object >= f->n_named &&
	       r->object < trace_n_objects(t)) {
		GROW(f->named, f->n_named, f->named_cap);
		f->named[f->n_named++] = false;
	}
	if (r->object < f->n_named)
		f->named[r->object] = true;
	if (r->end_ns != TIME_NONE && r->end_ns > f->last_ns)
		f->last_ns = r->end_ns;
	return 1;
}

/* Whether the path is one of the names, or a directory above one of them. */
static bool is_wanted(const char *path, bool directory, const char **name, size_t n)
{
	size_t from = 0, len = strlen(path);
	BISECT(from, n, i, strcmp(name[i], path) < 0)
	for (; from < n && !strncmp(name[from], path, len); from++)
		if (!name[from][len] || (directory && name[from][len] == '/'))
			return true;
	return false;
}

/* Keeps the files of the snapshot that counted requests use. */
static void files_keep(void *ctx, struct trace_meta *meta)
{
	struct filter *f = ctx;
	size_t n = 0, kept = 0;
	const char **name = xcalloc(f->n_named + 1, sizeof *name);
	for (uint32_t i = 0; i < f->n_named; i++)
		if (f->named[i])
			name[n++] = trace_object(f->t, i)->name;
	qsort(name, n, sizeof *name, order_text);
	f->entry = xcalloc(meta->files.n + 1, sizeof *f->entry);
	f->detail = xcalloc(meta->files.n + 1, sizeof *f->detail);
	for (size_t i = 0; i < meta->files.n; i++) {
		if (!is_wanted(meta->files.entry[i].path, meta->files.entry[i].directory, name, n))
			continue;
		f->entry[kept] = meta->files.entry[i];
		if (meta->files.detail)
			f->detail[kept] = meta->files.detail[i];
		kept++;
	}
	meta->files = (struct fileset){f->entry, kept, meta->files.detail ? f->detail : NULL};
	free(name);
}

/* --- repeated attempts ---------------------------------------------------- */

struct last_request { /* of a node */
	uint64_t index;
	uint32_t object;
	uint16_t op;
	bool failed;
};

static bool is_lookup(uint16_t op)
{
	return op == OP_STAT || op == OP_STATX || op == OP_ACCESS || op == OP_OPEN;
}

static void attempt_take(struct filter *f, struct last_request *last, const struct trace_record *r,
			 uint64_t index)
{
	if (last->failed && last->op == r->op && last->object == r->object) {
		GROW(f->drop, f->n_drop, f->drop_cap);
		f->drop[f->n_drop++] = last->index;
	}
	*last = (struct last_request){index, r->object, r->op,
				      r->error && is_lookup(r->op) && r->object != OBJECT_NONE};
}

/* Finds the failed attempts, and the begin of the first request that counts. */
static int requests_look(struct trace *t, struct filter *f, struct err *e)
{
	struct last_request *last = xcalloc((size_t)f->facts->n_nodes + 1, sizeof *last);
	const struct trace_record *r;
	bool any = false;
	int ret;
	for (uint64_t index = 0; (ret = trace_next(t, &r, e)) > 0; index++) {
		const int64_t node = causality_node_of(f->facts, r->pid, r->tid);
		if (node < 0)
			continue;
		if (r->op == OP_COMPUTE) {
			f->armed_ns[node] = armed_by(r);
		} else if (!is_cause(r) && r->begin_ns >= f->armed_ns[node]) {
			f->armed_ns[node] = NEVER;
			attempt_take(f, &last[node], r, index);
			if (!any)
				f->first_ns = f->last_ns = r->begin_ns;
			any = true;
		}
	}
	free(last);
	if (f->n_drop)
		qsort(f->drop, f->n_drop, sizeof *f->drop, order_u64);
	return ret < 0 ? ret
	       : any  ? trace_rewind(t, e)
		      : err_set(e, ENODATA,
				"no request of the application was recorded: check that the "
				"command makes its requests in each run, and capture it again");
}

int run_filter(const char *from, const char *to, const struct causality_facts *facts, bool compress,
	       struct run_filter_counts *counts, struct err *e)
{
	struct trace *t = NULL;
	struct filter f = {.facts = facts, .by_clock = !facts->cpu_time};
	f.armed_ns = xcalloc(facts->n_nodes + 1, sizeof *f.armed_ns);
	nodes_disarm(&f);
	f.begun = xcalloc(facts->n_nodes + 1, sizeof *f.begun);
	f.earlier = xcalloc(facts->n_nodes + 1, sizeof *f.earlier);
	int ret = trace_file_open(&t, from, e);
	ret = ret ? ret : requests_look(t, &f, e);
	if (!ret) {
		struct trace_meta meta = *trace_meta(t);
		struct pour p = {.filter = filter_record,
				 .finish = files_keep,
				 .ctx = &f,
				 .write = {.compress = compress},
				 .new_seq = true};
		char *text = causality_facts_text(facts, meta.extra_json);
		meta.extra_json = text;
		nodes_disarm(&f);
		f.t = t;
		ret = pour_traces(&p, &t, NULL, 1, &meta, to, e);
		free(text);
	}
	trace_close(t);
	FREE_EACH(f.armed_ns, f.begun, f.earlier, f.named, f.drop, f.entry, f.detail);
	*counts = (struct run_filter_counts){f.n, f.last_ns - f.first_ns};
	return ret;
}

int trace_running(const char *path, int64_t *running_ns, struct err *e)
{
	struct trace *t = NULL;
	const struct trace_record *r;
	int64_t first = 0, last = 0;
	bool any = false;
	int ret = trace_file_open(&t, path, e), got = 0;
	while (!ret && (got = trace_next(t, &r, e)) > 0) {
		if (is_cause(r) || r->begin_ns == TIME_NONE || r->end_ns == TIME_NONE)
			continue;
		first = !any || r->begin_ns < first ? r->begin_ns : first;
		last = !any || r->end_ns > last ? r->end_ns : last;
		any = true;
	}
	trace_close(t);
	*running_ns = last - first;
	ret = ret ? ret : got;
	return ret    ? ret
	       : any ? 0
		     : err_set(e, ENODATA, "%s: no request has both a start and an end", path);
}
