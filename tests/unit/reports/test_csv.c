/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV and LaTeX: a small table exactly, and the structure of every table of every fixture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <csv.h>

#include "tests/unit/reports/fixture.c"
#include "tests/unit/reports/golden.h"

#include "reports/forms.h"
#include "reports/forms/table_forms.h"
#include "reports/tables/tables.h"

static void sample_table(struct table *t)
{
	table_init(t, "sample", "A sample");
	table_column(t, FORMAT_TEXT, "name", "Name");
	table_column(t, FORMAT_TIME, "mean", "Mean");
	t->in_heads = true;
	table_head(t, FORMAT_RELATIVE, "bias", "Bias [95 %]", true);
	t->in_heads = false;
	table_column(t, FORMAT_PERCENT, "old", "Old");
	table_column(t, FORMAT_COUNT, "n", "Count");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column(t, FORMAT_VERDICT, "verdict", "Verdict");
	table_text(t, "first, \"quoted\"");
	table_number_u(t, 1234.5678901234567, 10);
	table_estimate(t, &(struct estimate){STAT_OK, 0.1, 0.05, 0.15, 0.04, 0.16, 19});
	table_number_u(t, 12.5, NAN);
	table_count(t, 3);
	table_decision(t, DECISION_ACCEPT);
	table_verdict(t, VERDICT_TRUSTED);
	table_text(t, "=SUM(A1:A9) & 50%_x");
	table_number_u(t, NAN, NAN);
	table_estimate(t, &(struct estimate){STAT_ZERO_REFERENCE, 0, 0, 0, 0, 0, 0});
	table_number_status(t, STAT_TOO_FEW, 1, 1);
	table_none(t);
	table_decision(t, DECISION_NOT_ASSESSED);
	table_verdict(t, VERDICT_INCONCLUSIVE);
	table_text(t, NULL);
	table_number_u(t, INFINITY, NAN);
	table_estimate(t, &(struct estimate){STAT_OK, -0.02, NAN, NAN, -INFINITY, 0.01, NAN});
	table_number_u(t, -INFINITY, NAN);
	table_count(t, 1e15);
	table_decision(t, DECISION_REJECT);
	table_verdict(t, VERDICT_NOT_TRUSTED);
}

static void a_table_as_csv(void **state)
{
	(void)state;
	struct table t;
	struct strbuf out = STRBUF_INIT;
	sample_table(&t);
	csv_add_table(&out, &t);
	assert_string_equal(out.s, "name,mean_ns,bias_ratio,bias_lo90_ratio,bias_hi90_ratio,bias_"
				   "lo95_ratio,bias_hi95_ratio,bias_df,"
				   "old_percent,n,"
				   "decision,verdict,unknown\r\n"
				   "\"first, "
				   "\"\"quoted\"\"\",1234.5678901234567,0.1,0.05,0.15,0.04,0.16,19,"
				   "12.5,3,accept,trusted,\r\n"
				   "\"'=SUM(A1:A9) & "
				   "50%_x\",,,,,,,,,,not assessed,inconclusive,"
				   "mean_ns: undefined; bias_ratio: zero_reference; "
				   "old_percent: too_few\r\n"
				   ",,-0.02,,,,0.01,,,1000000000000000,reject,not trusted,"
				   "mean_ns: infinite; bias_lo90_ratio: undefined; "
				   "bias_hi90_ratio: undefined; bias_lo95_ratio: -infinite; "
				   "bias_df: undefined; old_percent: -infinite\r\n");
	strbuf_release(&out);
	table_release(&t);
}

/* The shortest decimal number that is read back exactly, found by trial; if short numbers are not
 * tried, they must not suffice. */
static void numbers_are_the_shortest(void **state)
{
	enum { N = 40000 };
	struct strbuf wanted = STRBUF_INIT, out = STRBUF_INIT;
	struct table t;
	uint64_t random = 88172645463325252ull;
	(void)state;
	table_init(&t, "numbers", "Numbers");
	table_column(&t, FORMAT_TEXT, "x", "x");
	table_column(&t, FORMAT_NUMBER, "y", "y");
	strbuf_addstr(&wanted, "x,y,unknown\r\n");
	for (int i = 0; i < N; i++) {
		char text[40];
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		double x = ldexp((double)(random >> 11) / 0x1p53 + 0.5, i % 90 - 45);
		if (i % 4 == 1) { /* of few digits, and next to such a number */
			snprintf(text, sizeof text, "%.*g", 1 + i / 4 % 17, x);
			x = strtod(text, NULL);
		} else if (i % 4 == 2) {
			snprintf(text, sizeof text, "%.*g", 14 + i / 4 % 3, x);
			x = nextafter(strtod(text, NULL), i % 8 < 4 ? 0 : INFINITY);
		} else if (i % 4 == 3) {
			x = nextafter(ldexp(1, i / 4 % 80 - 40), i % 8 < 4 ? 0 : INFINITY);
		}
		x = i % 3 ? x : -x;
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(text, sizeof text, "%.*g", digits, x);
			if (!(strtod(text, NULL) < x) && !(strtod(text, NULL) > x))
				break;
		}
		strbuf_addf(&wanted, ",%s,\r\n", text);
		table_text(&t, "");
		table_number_u(&t, x, NAN);
	}
	csv_add_table(&out, &t);
	assert_string_equal(out.s, wanted.s);
	table_release(&t);
	strbuf_release(&out);
	strbuf_release(&wanted);
}

static void a_table_as_latex(void **state)
{
	(void)state;
	struct table t;
	struct strbuf out = STRBUF_INIT;
	sample_table(&t);
	latex_add_table(&out, &t);
	assert_string_equal(
	    out.s, "% A sample; needs \\usepackage{booktabs,graphicx}\n"
		   "\\noindent\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{"
		   "\\begin{tabular}{lrrrrll}\n"
		   "\\toprule\n"
		   "Name & Mean & Bias {[}95 \\%{]} & Old & Count & Decision & Verdict \\\\\n"
		   "\\midrule\n"
		   "first, \\char34{}quoted\\char34{} & 1.235 \\textmu{}s & +10.0 $\\pm$ 6.0 \\% & "
		   "12.50 \\% & 3 & "
		   "accept & trusted \\\\\n"
		   "=SUM(A1:A9) \\& 50\\%\\_x & undefined & zero reference & too few & -- & not "
		   "assessed & "
		   "inconclusive \\\\\n"
		   "-- & $\\infty$ s & $-$2.000 \\% & $-$$\\infty$ \\% & 1000000000000000 & reject "
		   "& not trusted \\\\\n"
		   "\\bottomrule\n"
		   "\\end{tabular}}\n");
	strbuf_release(&out);
	table_release(&t);
}

struct shape {
	size_t n_fields, n_rows, n_columns;
	bool ragged;
};

static void field(void *data, size_t len, void *arg)
{
	struct shape *s = arg;
	const char *text = data;
	s->n_fields++;
	/* no bare NaN or inf, no formula */
	assert_false(len == 3 && (!strncasecmp(text, "nan", 3) || !strncasecmp(text, "inf", 3)));
	assert_false(len && (*text == '=' || *text == '@' || *text == '+'));
}

static void row(int c, void *arg)
{
	(void)c;
	struct shape *s = arg;
	if (!s->n_rows)
		s->n_columns = s->n_fields;
	s->ragged |= s->n_fields != s->n_columns;
	s->n_fields = 0;
	s->n_rows++;
}

static void check_csv(const struct table *t)
{
	struct strbuf out = STRBUF_INIT;
	struct csv_parser parser;
	struct shape s = {0};
	csv_add_table(&out, t);
	assert_int_equal(csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI), 0);
	assert_int_equal(csv_parse(&parser, out.s, out.len, field, row, &s), out.len);
	assert_int_equal(csv_fini(&parser, field, row, &s), 0);
	csv_free(&parser);
	assert_int_equal(s.n_rows, table_n_rows(t) + 1);
	assert_false(s.ragged);
	strbuf_release(&out);
}

/* Rows with the same number of unescaped '&', balanced braces, no control characters. */
static void check_latex(const struct table *t)
{
	struct strbuf out = STRBUF_INIT;
	latex_add_table(&out, t);
	long depth = 0;
	size_t n_cells = 0, n_rows = 0, n_heads = 0;
	for (const char *p = out.s; *p; p++) {
		assert_true((unsigned char)*p >= 0x20 || *p == '\n');
		if (*p == '%' && (p == out.s || p[-1] == '\n')) { /* our own comment */
			p += strcspn(p, "\n");
			continue;
		}
		if (*p == '\\' && p[1] && strchr("{}&%$#_", p[1])) {
			p++;
			continue;
		}
		assert_false(*p == '%' || *p == '#' || *p == '^' || *p == '_' || *p == '~');
		depth += (*p == '{') - (*p == '}');
		assert_true(depth >= 0);
		n_cells += *p == '&';
		if (*p == '\\' && p[1] == '\\') {
			assert_int_equal(n_cells, t->n_columns - 1);
			n_cells = 0;
			n_rows++;
			p++;
		}
	}
	assert_int_equal(depth, 0);
	for (const char *p = out.s; (p = strstr(p, "\\toprule")); p++)
		n_heads++;
	assert_int_equal(n_rows, table_n_rows(t) + n_heads);
	assert_true(n_heads && n_heads <= table_n_rows(t) + 1);
	strbuf_release(&out);
}

static void every_table_of_every_fixture_is_well_formed(void **state)
{
	(void)state;
	for (int kind = FIXTURE_QUICK; kind <= FIXTURE_TRUSTED; kind++) {
		struct fixture f;
		struct tables ts;
		fixture_make(&f, kind);
		tables_build(&ts, &f.analysis);
		for (size_t i = 0; i < ts.n; i++) {
			assert_int_equal(ts.table[i].n_cells % ts.table[i].n_columns, 0);
			check_csv(&ts.table[i]);
			check_latex(&ts.table[i]);
			assert_ptr_equal(tables_find(&ts, ts.table[i].name), &ts.table[i]);
			struct table named;
			assert_true(table_build_named(&named, &f.analysis, ts.table[i].name));
			assert_string_equal(named.title, ts.table[i].title);
			assert_int_equal(table_n_rows(&named), table_n_rows(&ts.table[i]));
			table_release(&named);
		}
		assert_null(tables_find(&ts, "no such table"));
		tables_release(&ts);
		fixture_release(&f);
	}
}

static void the_numbers_of_a_table_are_those_of_the_analysis(void **state)
{
	(void)state;
	struct fixture f;
	struct tables ts;
	fixture_make(&f, FIXTURE_QUICK);
	tables_build(&ts, &f.analysis);
	const struct table *bias = tables_find(&ts, "bias"),
			   *pairs = tables_find(&ts, "replicates");
	assert_int_equal(table_n_rows(bias), f.analysis.n_cells);
	assert_int_equal(table_n_rows(pairs), 16 * 20);
	for (size_t i = 0; i < f.analysis.n_cells; i++) {
		const struct cell *c = &f.analysis.cell[i];
		assert_string_equal(table_at(bias, i, 0)->text,
				    f.results.protocol.scenario[c->scenario].name);
		assert_string_equal(table_at(bias, i, 1)->text,
				    f.results.protocol.replayer[c->replayer].name);
		assert_true(table_at(bias, i, 4)->estimate->value == c->bias.value);
		assert_true(table_at(bias, i, 4)->estimate->hi95 == c->bias.hi95);
		assert_true(table_at(pairs, 20 * i + 7, 4)->value == c->x.x[7]);
	}
	tables_release(&ts);
	fixture_release(&f);
}

static void tables_as_kept(void **state)
{
	(void)state;
	static const char *const name[] = {"summary",        "bias",        "precision",
					   "linearity-bias", "uncertainty", "sources"};
	struct fixture f;
	struct tables ts;
	struct strbuf out = STRBUF_INIT;
	fixture_make(&f, FIXTURE_QUICK);
	tables_build(&ts, &f.analysis);
	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
		latex_add_table(&out, tables_find(&ts, name[i]));
	golden_check("tables-quick.tex", out.s);
	strbuf_release(&out);
	tables_release(&ts);
	fixture_release(&f);
}

static void all_tables_can_be_printed(void **state)
{
	(void)state;
	struct fixture f;
	struct err e = ERR_INIT;
	fixture_make(&f, FIXTURE_AWKWARD);
	for (int i = 0; i < 2; i++) {
		char *text = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);
		assert_int_equal(report_form_find(i ? "csv" : "latex")->print(&f.analysis, out, &e),
				 0);
		fclose(out);
		assert_non_null(strstr(text, i ? "# bias\r\n" : "% Bias;"));
		assert_non_null(strstr(text, i ? "# runs\r\n" : "% Runs;"));
		free(text);
	}
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_table_as_csv),
	    cmocka_unit_test(numbers_are_the_shortest),
	    cmocka_unit_test(a_table_as_latex),
	    cmocka_unit_test(every_table_of_every_fixture_is_well_formed),
	    cmocka_unit_test(the_numbers_of_a_table_are_those_of_the_analysis),
	    cmocka_unit_test(tables_as_kept),
	    cmocka_unit_test(all_tables_can_be_printed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
