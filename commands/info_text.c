/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/csv_args.h"
#include "capture/format.h"
#include "commands/info_print.h"
#include "common/strbuf.h"
#include "common/units.h"

/* --- strangers' strings ------------------------------------------------------------------------------------------- */

/* Characters that a terminal obeys instead of showing: controls, and those that turn the direction of writing. */
static bool is_printable(const unsigned char *s, size_t n)
{
	if (n == 1)
		return *s >= ' ' && *s != 0x7f;
	if (n == 2)
		return s[0] != 0xc2 || s[1] >= 0xa0;
	bool turns = n == 3 && s[0] == 0xe2 &&
		     ((s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
		      (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
	return !turns;
}

static void add_printable(struct strbuf *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t left = strlen(text);
	while (left) {
		size_t n = utf8_char_len(s, left);
		bool plain = n && is_printable(s, n);
		n = n ? n : 1;
		if (plain)
			strbuf_add(out, s, n);
		for (size_t i = 0; i < n && !plain; i++)
			strbuf_addf(out, "\\x%02x", s[i]);
		s += n;
		left -= n;
	}
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void add_label(struct strbuf *out, const char *label)
{
	strbuf_addf(out, "%-11s", label);
}

static void add_text(struct strbuf *out, const char *label, const char *text)
{
	if (!text)
		return;
	add_label(out, label);
	add_printable(out, text);
	strbuf_addch(out, '\n');
}

/* 1234567 as 1,234,567. */
static void add_count(struct strbuf *out, uint64_t v)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v);
	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			strbuf_addch(out, ',');
		strbuf_addch(out, digits[i]);
	}
}

static void add_plural(struct strbuf *out, uint64_t n, const char *one, const char *more)
{
	add_count(out, n);
	strbuf_addf(out, " %s", n == 1 ? one : more);
}

static void add_wall_time(struct strbuf *out, int64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[64];
	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm))
		strbuf_addstr(out, text);
}

static void add_file(struct strbuf *out, const struct info *x)
{
	const struct trace_health *h = &x->summary->health;
	add_label(out, "Trace");
	add_printable(out, x->path);
	strbuf_addf(out, " (format \"%s\", ", x->format);
	format_size(out, x->file_bytes);
	strbuf_addstr(out, ")\n");
	add_label(out, "Health");
	strbuf_addstr(out, h->complete ? "complete" : "incomplete: it has no end");
	if (x->summary->n_damage) {
		strbuf_addstr(out, ", ");
		add_plural(out, x->summary->n_damage, "damaged block", "damaged blocks");
	}
	if (h->n_records_uncommitted) {
		strbuf_addstr(out, ", ");
		add_plural(out, h->n_records_uncommitted, "request missing or not completely written",
			   "requests missing or not completely written");
	}
	strbuf_addch(out, '\n');
}

static void add_rate(struct strbuf *out, double per_s)
{
	if (per_s >= 1000 && per_s < 1e18)
		add_count(out, (uint64_t)(per_s + 0.5));
	else
		strbuf_addf(out, "%.4g", per_s);
	strbuf_addstr(out, " a second");
}

static void add_requests(struct strbuf *out, const struct info *x)
{
	const struct info_summary *s = x->summary;
	int64_t span_ns = info_span_ns(s);
	double gap_ns = info_interarrival_ns(s);
	add_label(out, "Requests");
	add_count(out, s->n_records);
	if (span_ns > 0) {
		strbuf_addstr(out, " over ");
		format_duration(out, (double)span_ns);
		strbuf_addstr(out, ", ");
		add_rate(out, (double)s->n_begin_known / ((double)span_ns * 1e-9));
	}
	if (!isnan(gap_ns)) {
		strbuf_addstr(out, ", one every ");
		format_duration(out, gap_ns);
	}
	strbuf_addch(out, '\n');
	add_label(out, "By");
	strbuf_addstr(out, s->threads_cut ? "more than " : "");
	add_plural(out, s->n_threads, "thread", "threads");
	strbuf_addstr(out, " in ");
	add_plural(out, s->n_processes, "process", "processes");
	strbuf_addstr(out, ", on ");
	add_plural(out, x->n_objects, "object", "objects");
	strbuf_addch(out, '\n');
}

static void add_clock(struct strbuf *out, const struct trace_meta *m)
{
	add_label(out, "Clock");
	add_printable(out, m->clock ? m->clock : "unknown");
	strbuf_addstr(out, m->clock_resolution_ns > 0 ? ", resolution " : ", resolution unknown");
	if (m->clock_resolution_ns > 0)
		format_duration(out, m->clock_resolution_ns);
	strbuf_addstr(out, m->clock_read_cost_ns > 0 ? ", reading it costs " : ", cost of reading it unknown");
	if (m->clock_read_cost_ns > 0)
		format_duration(out, m->clock_read_cost_ns);
	strbuf_addch(out, '\n');
}

/* --- the writer's further facts ----------------------------------------------------------------------------------- */

#define WIDTH 110

static void add_json_value(struct strbuf *out, const json_t *v)
{
	if (json_is_string(v)) {
		add_printable(out, json_string_value(v));
		return;
	}
	char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
	if (text)
		add_printable(out, text);
	free(text);
}

/* "key: value", or "key: name value, name value, ..." over as many lines as it takes. */
static void add_extra_fact(struct strbuf *out, const char *key, json_t *value)
{
	struct strbuf item = STRBUF_INIT;
	const char *name;
	json_t *v;
	add_printable(out, key);
	strbuf_addch(out, ':');
	if (json_array_size(value) > 4) {
		strbuf_addf(out, " a list of %zu", json_array_size(value));
	} else if (!json_is_object(value)) {
		strbuf_addch(out, ' ');
		add_json_value(out, value);
	}
	size_t line_start = out->len - strlen(key) - 1, n = 0;
	json_object_foreach(value, name, v)
	{
		strbuf_reset(&item);
		add_printable(&item, name);
		strbuf_addch(&item, ' ');
		add_json_value(&item, v);
		strbuf_addstr(out, n++ ? "," : "");
		if (out->len - line_start + item.len > WIDTH - 12) {
			strbuf_addf(out, "\n%13s", "");
			line_start = out->len;
		} else {
			strbuf_addch(out, ' ');
		}
		strbuf_add(out, item.s, item.len);
	}
	strbuf_addch(out, '\n');
	strbuf_release(&item);
}

static void add_extra(struct strbuf *out, const char *extra_json)
{
	json_t *top = extra_json ? json_loads(extra_json, 0, NULL) : NULL;
	const char *key, *label = "Extra";
	json_t *value;
	json_object_foreach(top, key, value)
	{
		add_label(out, label);
		add_extra_fact(out, key, value);
		label = "";
	}
	json_decref(top);
}

static void add_origin(struct strbuf *out, const struct trace_meta *m)
{
	add_label(out, "Level");
	strbuf_addstr(out, m->level == LEVEL_BLOCK ? "block\n" : "system calls\n");
	add_clock(out, m);
	add_label(out, "Epoch");
	strbuf_addf(out, "%lld.%09lld s of the monotonic clock", (long long)(m->epoch_ns / 1000000000),
		    (long long)llabs(m->epoch_ns % 1000000000));
	if (m->wall_epoch_ns) {
		strbuf_addstr(out, ", ");
		add_wall_time(out, m->wall_epoch_ns);
	}
	strbuf_addch(out, '\n');
	add_text(out, "Host", m->host);
	add_text(out, "Command", m->command);
	add_text(out, "Captured", m->captured_by);
	add_text(out, "Root", m->root);
	if (m->seed) {
		add_label(out, "Seed");
		strbuf_addf(out, "%llu\n", (unsigned long long)m->seed);
	}
	add_label(out, "Lost");
	if (m->n_events_lost)
		add_plural(out, m->n_events_lost, "event", "events");
	else
		strbuf_addstr(out, "no events");
	strbuf_addch(out, '\n');
	add_extra(out, m->extra_json);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void add_right(struct strbuf *out, int width, const struct strbuf *cell)
{
	strbuf_addf(out, "  %*s", width, cell->s);
}

static void add_duration_cell(struct strbuf *out, struct strbuf *cell, double ns)
{
	strbuf_reset(cell);
	format_duration(cell, ns);
	add_right(out, 9, cell);
}

static void add_op(struct strbuf *out, const char *name, const struct op_summary *op)
{
	struct strbuf cell = STRBUF_INIT;
	double q;
	strbuf_addf(out, "%-11s", name);
	add_count(&cell, op->n);
	add_right(out, 13, &cell);
	strbuf_reset(&cell);
	add_count(&cell, op->n_failed);
	add_right(out, 8, &cell);
	strbuf_reset(&cell);
	format_size(&cell, op->bytes);
	add_right(out, 10, &cell);
	if (op->n_timed) {
		add_duration_cell(out, &cell, (double)(op->sum_ns / op->n_timed));
		add_duration_cell(out, &cell, (double)op->min_ns);
		add_duration_cell(out, &cell, histogram_quantile(&op->response, 0.5, &q, NULL) ? 0 : q);
		add_duration_cell(out, &cell, histogram_quantile(&op->response, 0.99, &q, NULL) ? 0 : q);
		add_duration_cell(out, &cell, (double)op->max_ns);
	}
	strbuf_addch(out, '\n');
	strbuf_release(&cell);
}

static void add_operations(struct strbuf *out, const struct info_summary *s)
{
	if (!s->n_records)
		return;
	strbuf_addf(out, "\n%-11s  %13s  %8s  %10s  %9s  %9s  %9s  %9s  %9s\n", "Operation", "requests", "failed",
		    "moved", "mean", "min", "median", "p99", "max");
	for (unsigned int op = 1; op < OP_N; op++)
		if (s->op[op].n)
			add_op(out, op_name(op), &s->op[op]);
	strbuf_addstr(out, "(times: from begin to end of a request)\n");
}

#define FILES_SHOWN 10

static void add_files(struct strbuf *out, const struct fileset *f)
{
	uint64_t bytes = 0;
	if (!f->n)
		return;
	for (size_t i = 0; i < f->n; i++)
		if (__builtin_add_overflow(bytes, f->entry[i].size, &bytes))
			bytes = UINT64_MAX;
	strbuf_addstr(out, "\nNeeded before the first request: ");
	add_plural(out, f->n, "file or directory", "files and directories");
	strbuf_addstr(out, ", ");
	format_size(out, bytes);
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < f->n && i < FILES_SHOWN; i++) {
		struct strbuf size = STRBUF_INIT;
		if (!f->entry[i].directory)
			format_size(&size, f->entry[i].size);
		strbuf_addf(out, "  %10s  ", f->entry[i].directory ? "directory" : size.s);
		add_printable(out, f->entry[i].path);
		strbuf_addch(out, '\n');
		strbuf_release(&size);
	}
	if (f->n > FILES_SHOWN)
		strbuf_addf(out, "  and %zu more (--json has all)\n", f->n - FILES_SHOWN);
}

const char *info_any_warning(const struct info *x, unsigned int i, char *buf, size_t size)
{
	unsigned int n = 0;
	while (n <= i && trace_note(x->trace, n, buf, size))
		n++;
	return n > i ? buf : info_warning(x->summary, x->meta, i - n, buf, size);
}

static void add_warnings(struct strbuf *out, const struct info *x)
{
	const struct info_summary *s = x->summary;
	char text[1000];
	for (uint64_t i = 0; i < s->n_damage && i < SUMMARY_DAMAGE_MAX; i++) {
		strbuf_addstr(out, i ? "" : "\nDamage\n");
		strbuf_addstr(out, "  ");
		add_printable(out, s->damage[i]);
		strbuf_addch(out, '\n');
	}
	if (s->n_damage > SUMMARY_DAMAGE_MAX)
		strbuf_addf(out, "  and %llu more\n", (unsigned long long)(s->n_damage - SUMMARY_DAMAGE_MAX));
	for (unsigned int i = 0; info_any_warning(x, i, text, sizeof text); i++) {
		strbuf_addstr(out, i ? "  " : "\nWarnings\n  ");
		add_printable(out, text);
		strbuf_addch(out, '\n');
	}
}

void info_print_text(const struct info *x)
{
	struct strbuf out = STRBUF_INIT;
	add_file(&out, x);
	add_requests(&out, x);
	add_origin(&out, x->meta);
	add_operations(&out, x->summary);
	add_files(&out, &x->meta->files);
	add_warnings(&out, x);
	fwrite(out.s, 1, out.len, stdout); /* main sees stdout's errors */
	strbuf_release(&out);
}

/* --- single requests ---------------------------------------------------------------------------------------------- */

static void add_request(struct strbuf *out, const struct trace *t, const struct trace_record *r)
{
	struct strbuf cell = STRBUF_INIT;
	const char *error = r->error ? strerrorname_np(r->error) : NULL;
	strbuf_addf(&cell, "%u/%u", r->pid, r->tid);
	strbuf_addf(out, "%8llu  %-15s", (unsigned long long)r->seq, cell.s);
	strbuf_reset(&cell);
	if (r->begin_ns == TIME_NONE)
		strbuf_addf(out, "  %12s", "-");
	else
		strbuf_addf(out, "  %s%lld.%09lld", r->begin_ns < 0 ? "-" : "",
			    (long long)(llabs(r->begin_ns) / 1000000000), (long long)(llabs(r->begin_ns) % 1000000000));
	if (r->begin_ns != TIME_NONE && r->end_ns != TIME_NONE)
		format_duration(&cell, (double)(r->end_ns - r->begin_ns));
	strbuf_addf(out, "  %9s  %s(", cell.len ? cell.s : "-", op_name(r->op));
	csv_args_write(out, r, trace_object(t, r->object), NULL, 0);
	strbuf_addf(out, ") = %lld", (long long)r->rvalue);
	if (error)
		strbuf_addf(out, " %s", error);
	else if (r->error)
		strbuf_addf(out, " error %u", r->error);
	strbuf_addch(out, '\n');
	strbuf_release(&cell);
}

int info_print_records(struct trace *t, uint64_t n_records, struct err *e)
{
	const struct trace_record *r;
	struct strbuf out = STRBUF_INIT;
	int rc = n_records ? trace_rewind(t, e) : 0;
	if (n_records)
		printf("\n%8s  %-15s  %12s  %9s  %s\n", "number", "process/thread", "begin [s]", "time", "request");
	for (uint64_t i = 0; i < n_records && !rc; i++) {
		do
			rc = trace_next(t, &r, e);
		while (rc == -EBADMSG); /* said above */
		if (rc != 1)
			break;
		rc = 0;
		strbuf_reset(&out);
		add_request(&out, t, r);
		fwrite(out.s, 1, out.len, stdout);
	}
	strbuf_release(&out);
	return rc;
}
