/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/certificate/certificate.h"
#include "reports/escape.h"
#include "reports/forms.h"
#include "reports/output.h"
#include "reports/text_table.h"
#include "reports/words.h"

#define WIDTH 100
#define LABEL 14 /* columns of the labels at the left */

static void add_fact(struct strbuf *out, const struct certificate_fact *f)
{
	static const char bar[] = " | "; /* separates several notes under one label */
	const char *text = f->text, *label = f->label;
	for (const char *end; text; text = end ? end + strlen(bar) : NULL) {
		SCOPED_STRBUF line = STRBUF_INIT;
		end = strstr(text, bar);
		strbuf_add(&line, text, end ? (size_t)(end - text) : strlen(text));
		strbuf_addf(out, "%-*s", LABEL, label);
		text_paragraph(out, line.s, LABEL, LABEL, WIDTH);
		label = "";
	}
}

/* --- the page ------------------------------------------------------------ */

static void add_certificate(struct strbuf *out, const struct certificate *c, size_t page,
			    size_t n_pages)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	strbuf_addf(&line, "%s: %s", certificate_kind(c), c->name);
	text_paragraph(out, line.s, 0, 2, WIDTH);
	strbuf_addf(out, "No. %s, page %zu of %zu\n", c->number, page, n_pages);
	strbuf_reset(&line);
	strbuf_addf(&line, "%s: %s", words_verdict(NULL, c->verdict), c->sentence);
	strbuf_addch(out, '\n');
	text_paragraph(out, line.s, 0, 2, WIDTH);
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < c->n_facts; i++)
		add_fact(out, &c->fact[i]);
	strbuf_addch(out, '\n');
	text_add_table(out, &c->results, SIZE_MAX, WIDTH);
	if (c->n_left_out)
		strbuf_addf(out, "The report has %zu more scenario%s, with no verdict worse than "
			"the worst verdict shown here\n",
			c->n_left_out, c->n_left_out == 1 ? "" : "s");
	strbuf_addch(out, '\n');
	text_add_table(out, &c->times, SIZE_MAX, WIDTH);
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < c->n_reasons; i++)
		text_paragraph(out, c->reason[i], 0, 2, WIDTH);
	if (c->n_reasons)
		strbuf_addch(out, '\n');
}

/* Appends all certificates as text, with a form feed between two. */
static void add_text(struct strbuf *out, const struct certificates *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (i)
			strbuf_addstr(out, "\n\f\n"); /* form feed: a new page */
		add_certificate(out, &c->one[i], i + 1, c->n);
		text_paragraph(out, certificate_explanation, 0, 0, WIDTH);
		strbuf_addstr(out, "\nCite as: ");
		text_paragraph(out, c->citation, 9, 9, WIDTH);
		strbuf_addf(out, "\nEnd of No. %s\n", c->one[i].number);
	}
	if (!c->n)
		strbuf_addstr(out,
			      "No replayer has a complete block (one run of the program and one of "
			      "the replayer):\nthere is nothing to certify.\n");
}

static int certificate_write(const struct analysis *a, const char *report_dir, struct err *e)
{
	SCOPED(certificates_release) struct certificates c = {0};
	SCOPED_STRBUF text = STRBUF_INIT, page = STRBUF_INIT;
	int ret = certificates_collect(&c, a, e);
	if (ret)
		return ret;
	add_text(&text, &c);
	certificate_add_html(&page, &c);
	ret = output_file(report_dir, "certificate.txt", &text, e);
	ret = ret ? ret : output_file(report_dir, "certificate.html", &page, e);
	return ret;
}

int certificate_text(struct strbuf *out, const struct analysis *a, struct err *e)
{
	SCOPED(certificates_release) struct certificates c = {0};
	int ret = certificates_collect(&c, a, e);
	if (!ret)
		add_text(out, &c);
	return ret;
}

static int certificate_print(const struct analysis *a, FILE *out, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	int ret = certificate_text(&text, a, e);
	ret = ret ? ret : output_stream(out, &text, e);
	return ret;
}

const struct report_form report_form_certificate = {
    .name = "certificate",
    .help = "a statement about each replayer, to cite together with published measurements",
    .write = certificate_write,
    .print = certificate_print,
};
