/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/csv_args.h"
#include "reports/escape.h"
#include "reports/info/info.h"
#include "reports/text_table.h"

#define LABEL_WIDTH 11

/* Appends the facts. A text with several lines is indented below its label. */
static void add_facts(struct strbuf *out, const struct info_page *page, size_t width)
{
	for (size_t i = 0; i < page->n_facts; i++) {
		const char *label = page->fact[i].label;
		for (const char *s = page->fact[i].text; s; s = strchr(s, '\n')) {
			s += *s == '\n';
			strbuf_addf(out, "%-*s", LABEL_WIDTH, label);
			text_line(out, s, strcspn(s, "\n"), LABEL_WIDTH, width);
			label = "";
		}
	}
}

/* --- the whole text ------------------------------------------------------ */

static void add_warnings(struct strbuf *out, const struct info *x, size_t width)
{
	const struct tally *s = &x->profile->tally;
	SCOPED(words_list_release) struct words_list warnings = {0};
	info_warnings(&warnings, x);
	for (uint64_t i = 0; i < s->n_damage && i < TALLY_DAMAGE_MAX; i++) {
		strbuf_addstr(out, i ? "  " : "\nDamage\n  ");
		escape_bytes(out, s->damage[i]);
		strbuf_addch(out, '\n');
	}
	if (s->n_damage > TALLY_DAMAGE_MAX)
		strbuf_addf(out, "  and %llu more\n",
			    (unsigned long long)(s->n_damage - TALLY_DAMAGE_MAX));
	for (size_t i = 0; i < warnings.n; i++) {
		strbuf_addstr(out, i ? "  " : "\nWarnings\n  ");
		SCOPED_STRBUF line = STRBUF_INIT;
		escape_bytes(&line, warnings.v[i]);
		text_line(out, line.s, line.len, 2, width);
	}
}

void info_print_text(const struct info *x, const struct info_text_options *o)
{
	SCOPED_STRBUF out = STRBUF_INIT;
	SCOPED(info_page_release) struct info_page page = {0};
	info_facts_build(&page, x);
	info_sheets_build(&page, x);
	add_facts(&out, &page, o->width);
	for (size_t i = 0; i < page.n_sheets; i++) {
		strbuf_addch(&out, '\n');
		text_add_table(&out, &page.sheet[i], SIZE_MAX,
			       o->width ? o->width : SIZE_MAX);
		if (page.sheet[i].note) {
			SCOPED_FREE char *note = xasprintf("(%s)", page.sheet[i].note);
			text_line(&out, note, strlen(note), 0, o->width);
		}
	}
	struct err e = ERR_INIT;
	if (o->plot_columns && x->profile->tally.n_records &&
	    info_plot_text(&out, x, o->plot_columns, o->plot_rows, &e))
		fprintf(stderr, "no plots: %s\n", e.msg);
	add_warnings(&out, x, o->width);
	fwrite(out.s, 1, out.len, stdout); /* main checks stdout for errors */
}

/* --- single requests ----------------------------------------------------- */

static void add_request(struct strbuf *out, const struct trace *t, const struct trace_record *r)
{
	SCOPED_STRBUF cell = STRBUF_INIT;
	strbuf_addf(&cell, "%u/%u", r->pid, r->tid);
	strbuf_addf(out, "%8llu  %-15s", (unsigned long long)r->seq, cell.s);
	strbuf_reset(&cell);
	if (r->begin_ns == TIME_NONE)
		strbuf_addf(out, "  %12s", "-");
	else
		strbuf_addf(out, "  %s%lld.%09lld", r->begin_ns < 0 ? "-" : "",
			    (long long)(llabs(r->begin_ns) / 1000000000),
			    (long long)(llabs(r->begin_ns) % 1000000000));
	if (r->begin_ns != TIME_NONE && r->end_ns != TIME_NONE)
		format_duration(&cell, (double)(r->end_ns - r->begin_ns));
	strbuf_addf(out, "  %9s  %s(", cell.len ? cell.s : "-", op_name(r->op));
	csv_args_write(out, r, trace_object(t, r->object), NULL, 0);
	strbuf_addf(out, ") = %lld", (long long)r->rvalue);
	if (r->error)
		strbuf_addf(out, " %s", error_text(r->error).s);
	strbuf_addch(out, '\n');
}

int info_print_records(struct trace *t, uint64_t n_records, struct err *e)
{
	const struct trace_record *r;
	SCOPED_STRBUF out = STRBUF_INIT;
	int ret = n_records ? trace_rewind(t, e) : 0;
	if (n_records)
		printf("\n%8s  %-15s  %12s  %9s  %s\n", "number", "process/thread", "start [s]",
		       "time", "request");
	for (uint64_t i = 0; i < n_records && !ret; i++) {
		do
			ret = trace_next(t, &r, e);
		while (ret == -EBADMSG); /* already printed */
		if (ret != 1)
			break;
		ret = 0;
		strbuf_reset(&out);
		add_request(&out, t, r);
		fwrite(out.s, 1, out.len, stdout);
	}
	return ret;
}
