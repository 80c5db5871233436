/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/compare/baseline_text.h"

#include <math.h>

#include "reports/escape.h"
#include "reports/number.h"

static void line_add(struct strbuf *out, const char *what, const char *value)
{
	strbuf_addf(out, "%-13s", what);
	escape_line(out, value);
	strbuf_addch(out, '\n');
}

static void case_add(struct strbuf *out, const struct baseline *b, const struct baseline_case *c)
{
	strbuf_addstr(out, "  ");
	text_cut_name(out, b->scenario[c->scenario].name, 40);
	strbuf_addstr(out, ", ");
	text_cut_name(out, c->replayer, 40);
	strbuf_addf(out, ": %zu replicate%s, bias ", c->n, c->n == 1 ? "" : "s");
	number_add_pm(out, c->bias, (c->bias_hi95 - c->bias_lo95) / 2, number_unit_percent, true);
	strbuf_addstr(out, ", U ");
	number_add(out, c->U95, NAN, number_unit_percent, false);
	strbuf_addstr(out, ", ");
	escape_line(out, c->verdict);
	if (c->n_failed)
		strbuf_addf(out, c->n_failed == 1 ? ", %u run failed" : ", %u runs failed", c->n_failed);
	strbuf_addch(out, '\n');
}

void baseline_text_add(struct strbuf *out, const struct baseline *b)
{
	escape_line(out, *b->title ? b->title : b->protocol);
	strbuf_addstr(out, "\n\n");
	line_add(out, "Date", b->date);
	line_add(out, "Host", b->host);
	line_add(out, "validate", b->program_version);
	line_add(out, "Protocol", b->protocol);
	line_add(out, "Hash", b->protocol_hash);
	line_add(out, "Campaign", b->campaign);
	strbuf_addf(out, "%-13s%u%s\n\nCases (%zu)\n", "Replicates", b->n_replicates,
			 b->complete ? "" : ", not complete", b->n_cells);
	for (size_t i = 0; i < b->n_cells; i++)
		case_add(out, b, &b->cell[i]);
	strbuf_addf(out, "\nEnvironment (%zu)\n", b->n_facts);
	for (size_t i = 0; i < b->n_facts; i++) {
		strbuf_addstr(out, "  ");
		escape_line(out, b->fact[i].name);
		strbuf_addstr(out, ": ");
		escape_line(out, b->fact[i].value);
		strbuf_addch(out, '\n');
	}
}
