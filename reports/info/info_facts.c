/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts at the top: requests, origin, and numbers that fit on a line. */

#include "capture/causality/causality.h"
#include "capture/fileset/fileset.h"
#include "reports/escape.h"
#include "reports/info/info.h"

static void add_fact(struct info_page *page, const char *label, struct strbuf *text)
{
	GROW(page->fact, page->n_facts, page->facts_cap);
	page->fact[page->n_facts++] = (struct info_fact){label, xstrdup(text->s)};
	strbuf_release(text);
}

static void add_text(struct info_page *page, const char *label, const char *text)
{
	struct strbuf out = STRBUF_INIT;
	if (!text)
		return;
	escape_bytes(&out, text);
	add_fact(page, label, &out);
}

/* --- the file and what is in it ------------------------------------------ */

/* Appends the reasons, and releases their list. */
static void add_reasons(struct strbuf *out, const char *what, struct words_list *reasons)
{
	for (size_t i = 0; i < reasons->n; i++)
		strbuf_addf(out, "; %s%s", i ? "" : what, reasons->v[i]);
	words_list_release(reasons);
}

static void add_file(struct info_page *page, const struct info *x)
{
	const struct tally *s = &x->profile->tally;
	const struct trace_health *h = &s->health;
	struct strbuf out = STRBUF_INIT;
	escape_bytes(&out, x->path);
	strbuf_addf(&out, " (format \"%s\", %s)", x->format, size_text(x->file_bytes).s);
	add_fact(page, "Trace", &out);
	struct words_list reasons = {0};
	missing_reasons(&reasons, s, x->meta);
	const bool whole = !reasons.n && !s->n_damage && !h->n_records_uncommitted;
	const char *scope = unseen_scope(x->meta);
	if (h->complete && whole && scope)
		strbuf_addf(&out, "no sign of missing requests; the capture method always "
			    "omits %s",
			    scope);
	else
		strbuf_addstr(&out, !h->complete ? "incomplete: its end is missing"
				    : whole      ? "complete"
						 : "the file is complete");
	add_reasons(&out, "the trace is incomplete: ", &reasons);
	unknown_reasons(&reasons, x->meta, UNSEEN_CODE);
	add_reasons(&out, "not checked: ", &reasons);
	unknown_reasons(&reasons, x->meta, UNSEEN_FILES);
	add_reasons(&out, "not known: ", &reasons);
	if (s->n_damage)
		strbuf_addf(&out, ", %s",
				  plural_text(s->n_damage, "damaged block", "damaged blocks").s);
	if (h->n_records_uncommitted)
		strbuf_addf(&out, ", %s", plural_text(h->n_records_uncommitted,
			"request missing or not completely written",
			"requests missing or not completely written").s);
	add_fact(page, "Health", &out);
}

static void add_causes(struct info_page *page, const struct trace_causes *c)
{
	struct strbuf out = STRBUF_INIT;
	if (!c->n_computes && !c->n_signals && !c->n_waits)
		return;
	strbuf_addf(&out, "also %s of computing (%s), %s and %s, which the figures below omit; "
		"\"validate deps\" shows them", duration_text(c->compute_ns).s,
		plural_text(c->n_computes, "record", "records").s, plural_text(c->n_signals,
		"signal", "signals").s, plural_text(c->n_waits, "wait", "waits").s);
	add_fact(page, "", &out);
}

static void add_requests(struct info_page *page, const struct info *x)
{
	const struct tally *s = &x->profile->tally;
	int64_t span_ns = tally_span_ns(s);
	double gap_ns = tally_interarrival_ns(s);
	struct strbuf out = STRBUF_INIT;
	format_count(&out, s->n_records);
	if (span_ns > 0)
		strbuf_addf(&out, " over %s, %s", duration_text((double)span_ns).s,
				  rate_text((double)s->n_begin_known / ((double)span_ns * 1e-9)).s);
	if (!isnan(gap_ns))
		strbuf_addf(&out, ", on average one every %s", duration_text(gap_ns).s);
	add_fact(page, "Requests", &out);
	add_causes(page, &x->profile->causes);
	strbuf_addf(&out, "%s%s in %s, on %s", s->threads_cut ? "more than " : "",
			  plural_text(s->n_threads, "thread", "threads").s,
			  plural_text(s->n_processes, "process", "processes").s,
			  plural_text(x->n_objects, "object", "objects").s);
	add_fact(page, "Made by", &out);
}

/* --- rates and levels ---------------------------------------------------- */

/* "12 requests in the busiest 1 s, which begins at 3 s" */
static void add_busiest(struct strbuf *out, const struct tally *s, const struct timeline *t)
{
	int64_t begin_ns;
	const struct timeline_bin *b = timeline_busiest(t, &begin_ns);
	strbuf_addf(out, "%s in the busiest %s",
		    plural_text(timeline_requests(b), "request", "requests").s,
		    duration_text((double)t->width_ns).s);
	double from_start = (double)(begin_ns - s->first_begin_ns);
	strbuf_addf(out, ", which begins at %s", duration_text(from_start > 0 ? from_start : 0).s);
}

static void add_rates(struct info_page *page, const struct info *x)
{
	const struct profile *p = x->profile;
	const struct tally *s = &p->tally;
	struct strbuf out = STRBUF_INIT;
	if (!s->n_begin_known)
		return;
	SCOPED(timeline_release) struct timeline wide, narrow;
	timeline_widen(&wide, &p->timeline, 1000000000);
	timeline_shrink(&narrow, &p->timeline, 1000);
	bool many = wide.used_to - wide.used_from >= 2 && wide.width_ns > narrow.width_ns;
	if (many) {
		add_busiest(&out, s, &wide);
		strbuf_addstr(&out, ", ");
	}
	add_busiest(&out, s, &narrow);
	const struct timeline *t = many ? &wide : &narrow;
	int64_t begin_ns;
	const struct timeline_bin *b = timeline_most_bytes(t, &begin_ns);
	const uint64_t bytes = b->bytes[KIND_READ] + b->bytes[KIND_WRITE];
	if (bytes)
		strbuf_addf(&out, "; at most %s in %s", size_text(bytes).s,
			    duration_text((double)t->width_ns).s);
	add_fact(page, "Rate", &out);
	double variation = profile_gap_variation(p);
	if (!isnan(variation)) {
		strbuf_addf(&out, "from start to start: median %s, 99th percentile %s, coefficient "
				  "of variation %.3g (0: regular, 1: random, above 1: in bursts)",
			    quantile_text(&p->gap, 0.5, false).s,
			    quantile_text(&p->gap, 0.99, false).s, variation);
		add_fact(page, "Gaps", &out);
	}
}

static void add_level(struct strbuf *out, const struct profile *p, size_t from, size_t to)
{
	double share = 0;
	for (size_t i = from; i <= to; i++)
		share += profile_share_of_time(p, i);
	if (!(share > 0))
		return;
	strbuf_addf(out, ", %s with ", share_text(share, 1).s);
	if (from == 0)
		strbuf_addstr(out, "none");
	else if (to > from && to >= PROFILE_LEVELS)
		strbuf_addf(out, "%zu and more", from);
	else if (to > from)
		strbuf_addf(out, "%zu to %zu", from, to);
	else
		strbuf_addf(out, "%zu", from);
}

static void add_concurrency(struct info_page *page, const struct info *x)
{
	const struct profile *p = x->profile;
	struct strbuf out = STRBUF_INIT;
	double mean = profile_mean_concurrency(p);
	if (!profile_has_ends(p) || isnan(mean)) {
		if (p->has_order && !isnan(mean))
			add_text(page, "In flight", "unknown: too many requests have no end");
		return;
	}
	strbuf_addf(&out, "mean %.3g, at most %zu%s; share of the time:", mean,
		    p->concurrency.highest,
		    p->concurrency.highest == PROFILE_LEVELS ? " or more" : "");
	size_t start = out.len;
	for (size_t i = 0; i <= 4 && i <= p->concurrency.highest; i++)
		add_level(&out, p, i, i);
	for (size_t i = 5; i <= p->concurrency.highest; i = 2 * i - 1) {
		size_t to = 2 * (i - 1) < PROFILE_LEVELS ? 2 * (i - 1) : PROFILE_LEVELS;
		add_level(&out, p, i, to < p->concurrency.highest ? to : p->concurrency.highest);
	}
	if (out.len > start) /* the first comma */
		memmove(out.s + start, out.s + start + 1, out.len-- - start);
	add_fact(page, "In flight", &out);
}

static void add_issue(struct info_page *page, const struct info *x)
{
	const struct profile *p = x->profile;
	struct strbuf out = STRBUF_INIT;
	if (!p->n_intended)
		return;
	strbuf_addf(&out, "%s due at a set time; delay: median %s, 99th percentile %s, maximum %s",
		plural_text(p->n_intended, "request was", "requests were").s,
		quantile_text(&p->late, 0.5, false).s, quantile_text(&p->late, 0.99, false).s,
		quantile_text(&p->late, 1, false).s);
	add_fact(page, "Issue", &out);
}

/* --- origin -------------------------------------------------------------- */

static void add_clock(struct info_page *page, const struct info *x)
{
	const struct trace_meta *m = x->meta;
	uint64_t grain = x->profile->tally.granularity_ns;
	struct strbuf out = STRBUF_INIT;
	escape_bytes(&out, m->clock ? m->clock : "unknown");
	strbuf_addstr(&out, m->clock_resolution_ns > 0 ? ", resolution " : ", resolution unknown");
	if (m->clock_resolution_ns > 0)
		format_duration(&out, m->clock_resolution_ns);
	strbuf_addstr(&out, m->clock_read_cost_ns > 0 ? ", two readings together take "
						      : ", time of two readings unknown");
	if (m->clock_read_cost_ns > 0)
		format_duration(&out, m->clock_read_cost_ns);
	if (grain > 1)
		strbuf_addf(&out, "; all times are multiples of %s",
				  duration_text((double)grain).s);
	add_fact(page, "Clock", &out);
}

static void add_epoch(struct info_page *page, const struct trace_meta *m)
{
	struct strbuf out = STRBUF_INIT;
	/* floor to seconds, also before 1970 */
	time_t seconds =
	    (time_t)(m->wall_epoch_ns / 1000000000 - (m->wall_epoch_ns % 1000000000 < 0));
	struct tm tm;
	char text[64];
	strbuf_addf(&out, "time 0 of the trace is %s%lld.%09lld s of the monotonic clock",
		    m->epoch_ns < 0 ? "-" : "",
		    llabs(m->epoch_ns / 1000000000), llabs(m->epoch_ns % 1000000000));
	if (m->wall_epoch_ns && gmtime_r(&seconds, &tm) &&
	    strftime(text, sizeof text, ", %Y-%m-%d %H:%M:%S UTC", &tm))
		strbuf_addstr(&out, text);
	add_fact(page, "Epoch", &out);
}

/* Whether a capture recorded the state of each file that the program used. */
static bool has_snapshot(const struct trace_meta *m)
{
	json_auto_t *extra = m->extra_json ? json_loads(m->extra_json, 0, NULL) : NULL;
	return json_is_true(json_object_get(json_object_get(extra, "capture"), "snapshot"));
}

static void add_state(struct info_page *page, const struct trace_meta *m)
{
	const struct fileset *f = &m->files;
	struct strbuf out = STRBUF_INIT;
	uint64_t bytes = 0;
	SCOPED_FREE uint32_t *first = fileset_first_names(f);
	for (size_t i = 0; i < f->n; i++)
		if (first[i] == i && __builtin_add_overflow(bytes, f->entry[i].size, &bytes))
			bytes = UINT64_MAX;
	if (f->n)
		strbuf_addf(&out, "known: %s, %s", plural_text(f->n, "file or directory",
			"files and directories").s, size_text(bytes).s);
	else if (has_snapshot(m))
		strbuf_addstr(&out, "known: none of the files existed before the first request");
	else
		strbuf_addstr(&out, "unknown: the trace does not state which files existed before "
				    "the first request");
	add_fact(page, "State", &out);
}

static void add_json_value(struct strbuf *out, const json_t *v)
{
	if (json_is_string(v)) {
		escape_bytes(out, json_string_value(v));
		return;
	}
	SCOPED_FREE char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
	if (text)
		escape_bytes(out, text);
}

#define LIST_SHOWN 4   /* longer lists, and lists of objects, are only counted */
/* members of an object continue on the next line after this number of characters */
#define EXTRA_WIDTH 98

/* Whether the value is 0, null, false, or an empty list, object or text. */
static bool is_nothing(const json_t *v)
{
	return json_is_null(v) || json_is_false(v) ||
	       (json_is_number(v) && json_number_value(v) == 0) ||
	       (json_is_string(v) && !json_string_length(v)) ||
	       (json_is_array(v) && !json_array_size(v)) ||
	       (json_is_object(v) && !json_object_size(v));
}

/* Adds "key: value", or "key: name value, name value, ..." on one or more lines, without members
 * that are 0 or empty. */
static void add_extra_fact(struct strbuf *out, const char *key, json_t *value)
{
	SCOPED_STRBUF item = STRBUF_INIT;
	const size_t n_entries = json_array_size(value);
	const char *name;
	json_t *v;
	escape_bytes(out, key);
	strbuf_addch(out, ':');
	if (!strcmp(key, "affinity") && json_is_array(value) && !n_entries) {
		strbuf_addstr(out, " no thread was limited to certain CPUs");
	} else if (n_entries > LIST_SHOWN || json_is_object(json_array_get(value, 0))) {
		strbuf_addf(out, n_entries == 1 ? " %zu entry (--json prints it)"
						: " %zu entries (--json prints them)", n_entries);
	} else if (!json_is_object(value)) {
		strbuf_addch(out, ' ');
		add_json_value(out, value);
	}
	size_t line_start = 0, n = 0;
	json_object_foreach(value, name, v)
	{
		if (is_nothing(v))
			continue;
		strbuf_reset(&item);
		escape_bytes(&item, name);
		strbuf_addch(&item, ' ');
		add_json_value(&item, v);
		strbuf_addstr(out, n++ ? "," : "");
		if (out->len - line_start + item.len > EXTRA_WIDTH) {
			strbuf_addstr(out, "\n  ");
			line_start = out->len;
		} else {
			strbuf_addch(out, ' ');
		}
		strbuf_add(out, item.s, item.len);
	}
}

/* Adds the nodes of a parallel application, and the origin of their dependencies. */
static void add_nodes(struct info_page *page, const struct trace_meta *m)
{
	SCOPED(causality_facts_release) struct causality_facts f = {0};
	struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;
	if (causality_facts_read(&f, m, &e)) {
		add_text(page, "Nodes", e.msg);
		return;
	}
	if (!f.n_nodes)
		return;
	strbuf_addstr(&out, plural_text(f.n_nodes, "node (traced thread) of a parallel application",
		"nodes (traced threads) of a parallel application").s);
	if (f.n_throttled) {
		strbuf_addf(&out, ", of which %u %s delayed", f.n_throttled,
			    f.n_throttled == 1 ? "was" : "were");
		strbuf_addf(&out,
			    f.period == 1 ? " at each request" : " at one of every %llu requests",
			    (unsigned long long)f.period);
	}
	if (f.n_runs)
		strbuf_addf(&out, f.n_runs == 1 ? ", in %u run" : ", in %u runs", f.n_runs);
	strbuf_addf(&out, "; computing measured as %s between %s",
		    f.cpu_time ? "CPU time" : "elapsed time",
		    f.by_throttling ? "the requests of the delayed nodes"
				    : "requests, minus the time in calls that wait");
	add_fact(page, "Nodes", &out);
}

static void add_extra(struct info_page *page, const char *extra_json)
{
	json_auto_t *top = extra_json ? json_loads(extra_json, 0, NULL) : NULL;
	const char *key, *label = "Extra";
	json_t *value;
	json_object_foreach(top, key, value)
	{
		struct strbuf out = STRBUF_INIT;
		if (!strcmp(key, "causality") || (is_nothing(value) && strcmp(key, "affinity")))
			continue;
		add_extra_fact(&out, key, value);
		add_fact(page, label, &out);
		label = "";
	}
}

static void add_origin(struct info_page *page, const struct info *x)
{
	const struct trace_meta *m = x->meta;
	struct strbuf out = STRBUF_INIT;
	add_text(page, "Layer", m->level == LEVEL_BLOCK ? "requests on a device"
							  : "calls on files");
	add_clock(page, x);
	add_epoch(page, m);
	add_text(page, "Host", m->host);
	add_text(page, "Command", m->command);
	add_text(page, "Captured", m->captured_by);
	add_text(page, "Root", m->root);
	if (m->seed) {
		strbuf_addf(&out, "%llu", (unsigned long long)m->seed);
		add_fact(page, "Seed", &out);
	}
	if (m->n_events_lost)
		strbuf_addstr(&out, plural_text(m->n_events_lost, "event", "events").s);
	else
		strbuf_addstr(&out, "no events");
	add_fact(page, "Lost", &out);
	if (m->level != LEVEL_BLOCK)
		add_state(page, m);
	add_nodes(page, m);
	add_extra(page, m->extra_json);
}

/* --- replay of the trace ------------------------------------------------- */

static void add_replay_counts(struct strbuf *out, const struct replayable *r)
{
	uint64_t n_skipped = 0, n_unknown = replayable_n_unknown(r);
	for (int reason = SKIP_NONE + 1; reason < SKIP_N; reason++)
		n_skipped += replayable_n_skipped(r, (enum skip_reason)reason);
	strbuf_addf(out, "a replay would issue %s of %s", count_text(r->n_replayed).s,
			 plural_text(r->n_requests, "request", "requests").s);
	if (n_skipped)
		strbuf_addf(out, ", and skip %s", count_text(n_skipped).s);
	if (r->never_issued.n)
		strbuf_addf(out, "; without a start time, so not issued: %s",
			    count_text(r->never_issued.n).s);
	if (n_unknown)
		strbuf_addf(out, "; %s of the issued requests would fail, because the trace does "
			"not name the files of their descriptors", count_text(n_unknown).s);
}

static void add_replay(struct info_page *page, const struct info *x)
{
	const struct replayable *r = x->replay;
	struct strbuf out = STRBUF_INIT;
	if (!r)
		return;
	if (r->state == REPLAYABLE_KNOWN) {
		add_replay_counts(&out, r);
	} else if (r->state == REPLAYABLE_REFUSED) {
		strbuf_addstr(&out, "refused: ");
		escape_bytes(&out, r->why.msg);
	} else {
		strbuf_addstr(&out,
			      r->state == REPLAYABLE_BLOCK
				  ? "requests to a device: only the engine \"block\" and "
				    "replayers for devices replay them"
				  : "not examined: the trace has more requests than --replay-max "
				    "permits");
	}
	add_fact(page, "Replay", &out);
}

void info_facts_build(struct info_page *page, const struct info *x)
{
	add_file(page, x);
	add_requests(page, x);
	add_rates(page, x);
	add_concurrency(page, x);
	add_issue(page, x);
	add_origin(page, x);
	add_replay(page, x);
}

void info_warnings(struct words_list *out, const struct info *x)
{
	char text[1000];
	const uint64_t n_unseen = programs_unseen_of_text(x->meta->extra_json);
	for (unsigned int i = 0; trace_note(x->trace, i, text, sizeof text); i++)
		words_list_add(out, text);
	if (n_unseen)
		words_list_addf(out, "the trace is incomplete: %" PRIu64 " program%s can make "
				"calls that the capture does not see", n_unseen,
				n_unseen == 1 ? "" : "s");
	info_number_warnings(out, &x->profile->tally, x->meta);
}

void info_page_release(struct info_page *page)
{
	for (size_t i = 0; i < page->n_facts; i++)
		free(page->fact[i].text);
	for (size_t i = 0; i < page->n_sheets; i++)
		table_release(&page->sheet[i]);
	FREE_EACH(page->fact, page->sheet);
	*page = (struct info_page){0};
}
