/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of validate info. */
#include "reports/escape.h"
#include "reports/info/info.h"

/* --- building ------------------------------------------------------------ */

/* Adds a table. `left`: bit mask of the columns with text. The other columns contain numbers as
 * text. */
static struct table *sheet_add(struct info_page *page, const char *title, const char *const *column,
			       uint32_t left)
{
	GROW(page->sheet, page->n_sheets, page->sheets_cap);
	struct table *s = &page->sheet[page->n_sheets++];
	table_init(s, "", title);
	for (size_t i = 0; column[i]; i++)
		table_column(s, left >> i & 1 ? FORMAT_TEXT : FORMAT_NUMBER, "", column[i]);
	return s;
}

/* Takes ownership of the text. */
static void put_text(struct table *s, struct strbuf *text)
{
	table_text(s, text->s);
	strbuf_reset(text);
}

static void put_count(struct table *s, uint64_t n)
{
	table_text(s, count_text(n).s);
}

static void put_size(struct table *s, uint64_t bytes)
{
	table_text(s, size_text(bytes).s);
}

static void put_time(struct table *s, double ns)
{
	table_text(s, duration_text(ns).s);
}

static void put_share(struct table *s, uint64_t part, uint64_t whole)
{
	table_text(s, part ? share_text((double)part, (double)whole).s : "-");
}

static void put_quantile(struct table *s, const struct histogram *h, double p, bool bytes)
{
	table_text(s, quantile_text(h, p, bytes).s);
}

/* --- operations ---------------------------------------------------------- */

static void put_operation(struct table *s, const char *name, const struct tally_op *op,
			  uint64_t n_all)
{
	static const double quantile[] = {0.5, 0.9, 0.99, 0.999};
	table_text(s, name);
	put_count(s, op->n);
	put_share(s, op->n, n_all);
	put_count(s, op->n_failed);
	put_size(s, op->bytes);
	if (!op->n_timed) {
		for (int i = 0; i < 6; i++)
			table_text(s, "");
		return;
	}
	put_time(s, tally_mean_ns(op));
	for (size_t i = 0; i < sizeof quantile / sizeof *quantile; i++) {
		double q;
		/* a bucket's midpoint may be outside the extremes */
		if (!histogram_quantile(&op->response, quantile[i], &q, NULL))
			put_time(s, fmin(fmax(q, (double)op->min_ns), (double)op->max_ns));
		else
			table_text(s, "");
	}
	put_time(s, (double)op->max_ns);
}

static void add_operations(struct info_page *page, const struct tally *t)
{
	static const char *const column[] = {"Operation", "requests", "share", "failed", "moved",
	    "mean", "median", "p90", "p99", "p99.9", "max", NULL};
	if (!t->n_records)
		return;
	struct table *s = sheet_add(page, "Operations", column, 1);
	for (unsigned int op = 1; op < OP_N; op++)
		if (t->op[op].n)
			put_operation(s, op_name(op), &t->op[op], t->n_records);
	s->note = xstrdup("times: from the start to the end of a request");
}

static void add_families(struct info_page *page, const struct tally *t)
{
	static const char *const column[] = {"Kind", "requests", "share", "failed", "moved",
	    "time in calls", "share of this time", "operations", NULL};
	SCOPED_STRBUF ops = STRBUF_INIT;
	struct table *s = NULL;
	struct tally_family f;
	unsigned __int128 all_ns = 0;
	for (unsigned int i = 1; i < OP_N; i++)
		all_ns += t->op[i].sum_ns;
	for (int k = 0; k < FAMILY_N; k++) {
		f = tally_family(t, (enum op_family)k);
		if (!f.n)
			continue;
		s = s ? s : sheet_add(page, "Kinds of operations", column, 1u | 1u << 7);
		table_text(s, op_family_names[k]);
		put_count(s, f.n);
		put_share(s, f.n, t->n_records);
		put_count(s, f.n_failed);
		put_size(s, f.bytes);
		put_time(s, (double)f.sum_ns);
		table_text(s, all_ns > 0 ? share_text((double)f.sum_ns, (double)all_ns).s : "");
		for (unsigned int i = 1; i < OP_N; i++)
			if (t->op[i].n && op_table[i].family == (enum op_family)k)
				strbuf_addf(&ops, "%s%s", ops.len ? ", " : "", op_name(i));
		put_text(s, &ops);
	}
}

/* --- sizes and positions ------------------------------------------------- */

static void put_common(struct table *s, const struct sizes *z)
{
	struct size_count top[INFO_SIZES];
	SCOPED_STRBUF out = STRBUF_INIT;
	size_t n = sizes_common(z, top, INFO_SIZES);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&out, "%s%s %s", i ? ", " : "", size_text(top[i].size).s,
				  share_text((double)top[i].n, (double)z->distribution.n).s);
	put_text(s, &out);
}

static void add_sizes(struct info_page *page, const struct profile *p)
{
	static const char *const column[] = {"Sizes", "requests", "smallest", "p10", "median",
	    "p90", "p99", "largest", "most common", NULL};
	static const double quantile[] = {0, 0.1, 0.5, 0.9, 0.99, 1};
	struct table *s = NULL;
	for (int k = 0; k < KIND_OTHER; k++) {
		const struct sizes *z = &p->sizes[k];
		if (!z->distribution.n)
			continue;
		s = s ? s : sheet_add(page, "Requested sizes", column, 1u | 1u << 8);
		table_text(s, k == KIND_READ ? "reads" : "writes");
		put_count(s, z->distribution.n);
		for (size_t i = 0; i < sizeof quantile / sizeof *quantile; i++)
			put_quantile(s, &z->distribution, quantile[i], true);
		put_common(s, z);
	}
}

static void put_access(struct table *s, const char *name, const struct access_counts *c)
{
	static const enum access_pattern shown[] = {ACCESS_SEQUENTIAL, ACCESS_STRIDED,
						    ACCESS_REPEATED, ACCESS_NEAR, ACCESS_RANDOM};
	uint64_t n_first = access_total(c, ACCESS_FIRST), n = access_all(c) - n_first;
	if (!n && !n_first)
		return;
	table_text(s, name);
	put_count(s, n);
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		put_share(s, access_total(c, shown[i]), n);
	put_count(s, n_first);
}

static void note_positions(struct table *s, const struct profile *p)
{
	SCOPED_STRBUF out = STRBUF_INIT;
	strbuf_addf(&out, "near: within 128 KiB of the end of the previous read or write; first: "
		"number of reads and writes that are the first of their sequence, and so have no "
		"previous read or write. validate-info(1) explains all patterns. Offset and length "
		"are multiples of 4096 in %s of the reads and writes, and of 512 in %s. The "
		"largest offset at which a read or write ends is %s bytes",
		share_text((double)p->n_aligned_4096, (double)p->n_position_known).s,
		share_text((double)p->n_aligned_512, (double)p->n_position_known).s,
		count_text(p->highest).s);
	if (p->n_position_unknown)
		strbuf_addf(&out, ". Reads and writes at unknown positions: %s",
				  count_text(p->n_position_unknown).s);
	s->note = xstrdup(out.s);
}

static void add_access(struct info_page *page, const struct profile *p)
{
	static const char *const column[] = {"Compared with the previous request on",
					     "requests",
	    "sequential", "strided", "repeated", "near", "random", "first", NULL};
	static const char *const scope[PROFILE_SCOPES] = {"the same object",
		"the same descriptor", "the same object by the same thread"};
	if (!p->n_position_known)
		return;
	struct table *s = sheet_add(page, "Sequentiality", column, 1);
	for (int k = 0; k < PROFILE_SCOPES; k++)
		put_access(s, scope[k], profile_access(p, (enum profile_scope)k));
	note_positions(s, p);
}

/* --- block level --------------------------------------------------------- */

static void add_block(struct info_page *page, const struct profile *p)
{
	static const char *const time_column[] = {
	    "Time of a request", "requests", "mean", "median", "p90", "p99", "p99.9", "max", NULL};
	static const double quantile[] = {0.5, 0.9, 0.99, 0.999, 1};
	const struct profile_block *b = &p->block;
	if (!b->n_dispatched)
		return;
	struct table *s = sheet_add(page, "From start to dispatch, and from dispatch to end",
				    time_column, 1);
	const struct histogram *h[] = {&b->queue, &b->device};
	const long double sum[] = {b->sum_queue_ns, b->sum_device_ns};
	for (int i = 0; i < 2; i++) {
		table_text(s, i ? "in the device" : "queued");
		put_count(s, b->n_dispatched);
		put_time(s, (double)(sum[i] / b->n_dispatched));
		for (size_t k = 0; k < sizeof quantile / sizeof *quantile; k++)
			put_quantile(s, h[i], quantile[k], false);
	}
}

static void add_block_kinds(struct info_page *page, const struct profile *p)
{
	static const char *const column[] = {"Block requests", "reads", "writes", "sectors read",
	    "sectors written", "synchronous", "metadata", "read ahead", "forced unit access",
	    "flush first", NULL};
	const struct profile_block *b = &p->block;
	struct table *s = sheet_add(page, "Block requests", column, 1);
	table_text(s, "");
	put_count(s, p->sizes[KIND_READ].distribution.n);
	put_count(s, p->sizes[KIND_WRITE].distribution.n);
	put_count(s, b->sectors[KIND_READ]);
	put_count(s, b->sectors[KIND_WRITE]);
	const uint64_t flag[] = {b->n_sync, b->n_meta, b->n_ahead, b->n_fua, b->n_preflush};
	for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
		put_count(s, flag[i]);
	s->note = xstrdup("sectors of 512 bytes");
}

/* --- objects, threads, errors -------------------------------------------- */

static void add_objects(struct info_page *page, const struct info *x)
{
	static const char *const column[] = {"Requests",      "read",   "written",
					     "time in calls", "object", NULL};
	const struct object_uses *o = &x->profile->objects;
	struct object_use top[INFO_TOP];
	struct strbuf name = STRBUF_INIT;
	size_t n = object_uses_top(o, top, INFO_TOP);
	if (!n)
		return;
	struct table *s = sheet_add(page, "Objects touched", column, 1u << 4);
	for (size_t i = 0; i < n; i++) {
		put_count(s, top[i].n);
		put_size(s, top[i].bytes_read);
		put_size(s, top[i].bytes_written);
		put_time(s, top[i].busy_ns);
		info_add_object(&name, x, top[i].object);
		put_text(s, &name);
	}
	strbuf_addf(&name, "%s%s touched", o->n_not_followed ? "more than " : "",
			   plural_text(o->n_objects, "object", "objects").s);
	if (o->n_objects > n)
		strbuf_addf(&name, "; shown: the %zu objects with the most bytes moved", n);
	s->note = strbuf_detach(&name);
}

static void add_threads(struct info_page *page, const struct tally *t)
{
	static const char *const column[] = {"Process", "thread",        "requests", "share",
					     "moved",   "time in calls", NULL};
	struct tally_thread top[INFO_TOP];
	size_t n = tally_top_threads(t, top, INFO_TOP);
	char text[24];
	if (n < 2)
		return;
	struct table *s = sheet_add(page, "Threads", column, 0);
	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof text, "%u", top[i].pid);
		table_text(s, text);
		snprintf(text, sizeof text, "%u", top[i].tid);
		table_text(s, text);
		put_count(s, top[i].n);
		put_share(s, top[i].n, t->n_records);
		put_size(s, top[i].bytes);
		put_time(s, top[i].busy_ns);
	}
	if (t->n_threads > n)
		s->note = xasprintf("%s%llu threads; shown: the %zu threads with the most requests",
				    t->threads_cut ? "more than " : "",
				    (unsigned long long)t->n_threads, n);
}

/* Adds a row for each error number, with the operations that returned it. */
static void add_errors(struct info_page *page, const struct profile *p)
{
	static const char *const column[] = {"Error", "requests", "operations", NULL};
	struct error_count *sorted;
	SCOPED_STRBUF ops = STRBUF_INIT, name = STRBUF_INIT;
	size_t n = errors_sorted(&p->errors, &sorted);
	struct table *s = n ? sheet_add(page, "Errors", column, 1u | 1u << 2) : NULL;
	for (size_t i = 0, from = 0; i < n; i++) {
		strbuf_addf(&ops, "%s%s %s", i > from ? ", " : "", op_name(sorted[i].op),
				  count_text(sorted[i].n).s);
		if (i + 1 < n && sorted[i + 1].error == sorted[from].error)
			continue;
		uint64_t sum = 0;
		for (size_t k = from; k <= i; k++)
			sum += sorted[k].n;
		strbuf_addstr(&name, error_text(sorted[i].error).s);
		put_text(s, &name);
		put_count(s, sum);
		put_text(s, &ops);
		from = i + 1;
	}
	if (p->errors.n_not_followed)
		s->note = xasprintf("and %llu failures of further kinds",
				    (unsigned long long)p->errors.n_not_followed);
	free(sorted);
}

/* --- requests that a replay would skip or refuse ------------------------- */

/* Adds a row for c[op], the sum over all operations. */
static struct table *put_replay(struct info_page *page, struct table *s, const char *what,
				     const struct replayable_count c[OP_N])
{
	static const char *const column[] = {"Not replayed", "requests", "first record",
					     "operations", NULL};
	SCOPED_STRBUF ops = STRBUF_INIT;
	uint64_t n = 0, first = UINT32_MAX;
	for (unsigned int op = 0; op < OP_N; op++) {
		if (!c[op].n)
			continue;
		strbuf_addf(&ops, "%s%s %s", n ? ", " : "", op == OP_INVALID ? "any" : op_name(op),
				  count_text(c[op].n).s);
		n += c[op].n;
		first = c[op].first < first ? c[op].first : first;
	}
	if (n) {
		s = s ? s : sheet_add(page, "Not replayed", column, 1u | 1u << 3);
		table_text(s, what);
		put_count(s, n);
		put_count(s, first);
		put_text(s, &ops);
	}
	return s;
}

static void add_replay(struct info_page *page, const struct replayable *r)
{
	struct table *s = NULL;
	if (!r || r->state != REPLAYABLE_KNOWN)
		return;
	for (int reason = SKIP_NONE + 1; reason < SKIP_N; reason++)
		s = put_replay(page, s, skip_reasons[reason], r->skipped[reason]);
	struct replayable_count never[OP_N] = {[OP_INVALID] = r->never_issued};
	s = put_replay(page, s, "never issued: no start", never);
	put_replay(page, s, "fails: its descriptor has no known file", r->unknown);
}

/* --- initial state ------------------------------------------------------- */

static void add_files(struct info_page *page, const struct fileset *f)
{
	static const char *const column[] = {"Size", "needed before the first request", NULL};
	SCOPED_STRBUF text = STRBUF_INIT;
	if (!f->n)
		return;
	struct table *s = sheet_add(page, "Needed before the first request", column, 2);
	for (size_t i = 0; i < f->n && i < INFO_TOP; i++) {
		if (f->entry[i].directory)
			strbuf_addstr(&text, "directory");
		else
			format_size(&text, f->entry[i].size);
		put_text(s, &text);
		escape_bytes(&text, f->entry[i].path);
		put_text(s, &text);
	}
	if (f->n > INFO_TOP)
		s->note = xasprintf("and %zu more (--json has all)", f->n - INFO_TOP);
}

void info_sheets_build(struct info_page *page, const struct info *x)
{
	const struct profile *p = x->profile;
	add_operations(page, &p->tally);
	add_families(page, &p->tally);
	if (x->meta->level == LEVEL_BLOCK)
		add_block_kinds(page, p);
	add_block(page, p);
	add_sizes(page, p);
	add_access(page, p);
	add_errors(page, p);
	add_threads(page, &p->tally);
	add_objects(page, x);
	add_files(page, &x->meta->files);
	add_replay(page, x->replay);
}
