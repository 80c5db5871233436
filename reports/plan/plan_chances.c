/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chance of a decision, as tables. */
#include "reports/plan/plan.h"

#include "validate/analysis/analysis.h"
#include "validate/campaign/chances.h"
#include "validate/components/component.h"

static void head_print(const unsigned int *n, size_t n_columns, FILE *out)
{
	fprintf(out, "  %-42s", "component, limit");
	for (size_t i = 0; i < n_columns; i++)
		fprintf(out, " %3u", n[i]);
	fputs(" pairs\n", out);
}

static void percent_print(double chance, FILE *out)
{
	if (chance > 0.995)
		fputs(" >99", out);
	else if (chance < 0.005)
		fputs("  <1", out);
	else
		fprintf(out, " %3.0f", 100 * chance);
}

static void row_name(char name[60], const struct chance_row *r)
{
	const double scatter = components[r->kind]->scatter;
	snprintf(name, 60, r->kind == COMPONENT_EXECUTION_TIME ? "%s (full speed)" : "%s",
		 component_names[r->kind]);
	if (scatter > 0 && scatter != 1)
		snprintf(name, 60, "%s (scatter x %.2g)", component_names[r->kind], scatter);
}

/* Prints rows. `measured`: the names do not include an assumed scatter. */
static void rows_print(const struct protocol *p, const struct chance_rows *rows, bool measured,
		       const unsigned int *n, size_t n_columns, FILE *out)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct chance_row *r = &rows->row[i];
		char name[60];
		row_name(name, r);
		if (r->kind == COMPONENT_PRECISION)
			fprintf(out, "  %-31s  %6.3g   ", component_names[r->kind], r->limit);
		else
			fprintf(out, "  %-31s ±%6.3g %% ",
				measured ? component_names[r->kind] : name, 100 * r->limit);
		for (size_t c = 0; c < n_columns; c++)
			percent_print(chance_of_row(p, r, n[c]), out);
		fputs(" %\n", out);
	}
	fprintf(out, "  %-42s", "all these components in one case");
	for (size_t c = 0; c < n_columns; c++)
		percent_print(chance_of_rows(p, rows, n[c]), out);
	fputs(" %\n", out);
}

/* Appends "bias (<1 %; a probability of 80 % needs about 55 replicates or a limit of 19 %)" for
 * each row whose chance is smaller than `less`. Returns the number of such rows. */
static size_t rows_explain(struct strbuf *out, const struct protocol *p,
			   const struct chance_rows *rows, double less)
{
	size_t n_weak = 0;
	for (size_t i = 0; i < rows->n; i++) {
		const struct chance_row *r = &rows->row[i];
		const double chance = chance_of_row(p, r, (unsigned int)p->n_replicates_max);
		if (!(chance < less))
			continue;
		const unsigned int needed = chance_pairs_needed(p, r);
		const bool ratio = r->kind != COMPONENT_PRECISION;
		strbuf_addf(out, chance < CHANCE_HOPELESS ? "%s%s (<1 %%; " : "%s%s (%.0f %%; ",
			    n_weak++ ? ", " : "", component_names[r->kind], 100 * chance);
		const double limit = (ratio ? 100 : 1) * chance_limit_possible(p, r);
		strbuf_addf(out,
			    needed || isfinite(limit)
				    ? "a probability of %.0f %% needs "
				    : "neither more replicates alone nor a wider limit "
				      "alone gives a probability of %.0f %%",
			    100 * CHANCE_ASSURANCE);
		if (needed)
			strbuf_addf(out, "about %u replicates", needed);
		if (isfinite(limit))
			strbuf_addf(out, limit < 10 ? "%sa limit of %.2g%s" : "%sa limit of %.0f%s",
				    needed ? " or " : "", limit, ratio ? " %" : "");
		strbuf_addch(out, ')');
	}
	return n_weak;
}

/* Notes a small chance. Errors: EINVAL if a component is almost never accepted. */
static int rows_judge(const struct protocol *p, const struct chance_rows *rows, const char *scatter,
		      FILE *out, struct err *e)
{
	const unsigned int n = (unsigned int)p->n_replicates_max;
	SCOPED_STRBUF text = STRBUF_INIT;
	int ret = 0;
	if (!(chances_level(p, n) > 0))
		return 0;
	if (!p->allow_undecidable && rows_explain(&text, p, rows, CHANCE_HOPELESS))
		ret = err_set(e, EINVAL, "%s: with %s and %u replicates, validate almost never "
					 "accepts %s: set more replicates or wider limits",
			      p->path ? p->path : "protocol", scatter, n, text.s);
	else if (chance_of_rows(p, rows, n) < CHANCE_SMALL) {
		strbuf_reset(&text);
		fprintf(out, "note: with %s and %u replicates, a faultless replayer is accepted "
			"with a probability under %.0f %%", scatter, n, 100 * CHANCE_SMALL);
		if (rows_explain(&text, p, rows, CHANCE_SMALL))
			fprintf(out, ": %s", text.s);
		fputc('\n', out);
	}
	return ret;
}

/* Notes that more recordings would save a third of the replicates. */
static void recordings_judge(const struct protocol *p, const struct chance_rows *rows, FILE *out)
{
	struct protocol recorded = *p;
	recorded.n_bank = 0;
	if (p->reference != REFERENCE_RERUN || p->n_bank < 2 || p->compare.old)
		return;
	const unsigned int with = chance_pairs_of_rows(&recorded, rows),
			   without = chance_pairs_of_rows(p, rows);
	if (!with || (without && 3 * with > 2 * without))
		return;
	fprintf(out, "note: to accept each component of a faultless replayer with a probability of "
		"%.0f %%,\n      ", 100 * CHANCE_ASSURANCE);
	if (without)
		fprintf(out, "%u", without);
	else
		fputs("more than 2000", out);
	fprintf(out, " replicates are needed with bank = %llu, and %u with bank = %u\n",
		(unsigned long long)p->n_bank, with, with);
}

static void changes_print(const struct protocol *p, double scatter, const unsigned int *n,
			  size_t n_columns, FILE *out)
{
	const struct compare_limits *l = &p->compare;
	const struct {
		const char *name;
		double limit;
	} rows[] = {{"typical response", l->typical_response},
		    {"response time", l->response_time},
		    {"execution time", l->execution_time}};
	/* each judged component of each scenario is a test; about 8 are judged by default */
	const size_t n_tests = 8 * (p->n_scenarios ? p->n_scenarios : 1);
	fprintf(out, "\nSmallest change that the comparison of %s and %s finds with a probability "
		"of %.0f %%\n(changes in %%; ln(new/old) has a standard deviation of %.3g %% from "
		"pair to pair):\n",
		l->old, l->new, 100 * CHANCE_ASSURANCE, 100 * scatter);
	head_print(n, n_columns, out);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!(rows[i].limit > 0))
			continue;
		fprintf(out, "  %-31s ±%6.3g %% ", rows[i].name, 100 * rows[i].limit);
		for (size_t c = 0; c < n_columns; c++) {
			const double found = change_found(p, n[c], scatter, rows[i].limit, n_tests);
			if (isfinite(found))
				fprintf(out, " %3.2g", 100 * found);
			else
				fputs("   -", out);
		}
		fputs(" %\n", out);
		fprintf(out, "  %-42s", "  unchanged: shown to be the same");
		for (size_t c = 0; c < n_columns; c++)
			percent_print(chance_of_ratio(p, n[c], scatter, rows[i].limit), out);
		fputs(" %\n", out);
	}
}

int chances_print(const struct protocol *p, double scatter, FILE *out, struct err *e)
{
	unsigned int n[CHANCE_COLUMNS_MAX];
	const size_t n_columns = chances_columns(p, n);
	struct chance_rows rows;
	char text[60];
	chance_rows_assume(&rows, p, scatter);
	fprintf(out, "\nChance that a faultless replayer is accepted, if ln(replay/program) has a\n"
		"standard deviation of %.3g %% from pair to pair (\"scatter x 2\": twice as "
		"large):\n", 100 * scatter);
	head_print(n, n_columns, out);
	rows_print(p, &rows, false, n, n_columns, out);
	if (p->compare.old && p->compare.new)
		changes_print(p, scatter, n, n_columns, out);
	recordings_judge(p, &rows, out);
	snprintf(text, sizeof text, "a scatter of %.3g %%", 100 * scatter);
	return rows_judge(p, &rows, text, out, e);
}

/* Prints chances for measured scatter. Refuses only if every case has a component that can never be
 * accepted. */
static int measured_print(const struct protocol *p, const struct analysis *a, FILE *out,
			  struct err *e)
{
	unsigned int n[CHANCE_COLUMNS_MAX];
	const size_t n_columns = chances_columns(p, n);
	struct err hopeless = ERR_INIT;
	size_t n_cases = 0, n_hopeless = 0;
	for (size_t s = 0; s < p->n_scenarios; s++)
		for (size_t r = 0; r < p->n_replayers; r++) {
			const char *scenario = p->scenario[s].name, *replayer = p->replayer[r].name;
			const struct cell *c =
			    p->replayer[r].applies[s] ? chance_cell_find(a, scenario, replayer)
						      : NULL;
			struct chance_rows rows;
			if (!c)
				continue;
			chance_rows_measure(&rows, p, c);
			if (!rows.n || isnan(rows.row[0].sd))
				continue;
			fprintf(out, "%s, %s\n", scenario, replayer);
			rows_print(p, &rows, true, n, n_columns, out);
			n_cases++;
			SCOPED_FREE char *of = xasprintf("the measured scatter of scenario %s and "
							 "replayer %s", scenario, replayer);
			n_hopeless += rows_judge(p, &rows, of, out, &hopeless) < 0;
		}
	if (!n_cases)
		return err_set(e, ENODATA,
			       "%s has no case of this protocol with two or more pairs: name "
			       "other results, or give the scatter as a ratio such as 10%%",
			       a->results->dir);
	if (n_hopeless == n_cases)
		return err_set(e, EINVAL, "%s", hopeless.msg);
	if (n_hopeless)
		fprintf(out, "note: %zu of %zu cases are almost never accepted; for example %s\n",
			n_hopeless, n_cases, hopeless.msg);
	return 0;
}

int chances_print_measured(const struct protocol *p, const char *dir, FILE *out, struct err *e)
{
	SCOPED(results_release) struct results r = {0};
	SCOPED(analysis_release) struct analysis a = {0};
	unsigned int n[CHANCE_COLUMNS_MAX];
	int ret = results_load(&r, dir, e);
	ret = ret ? ret : seal_require(&r.seal, dir, e);
	ret = ret ? ret : analysis_compute(&a, &r, e);
	if (!ret) {
		fprintf(out, "\nChance that a faultless replayer is accepted, given the scatter "
			"measured in %s:\n", dir);
		head_print(n, chances_columns(p, n), out);
		ret = measured_print(p, &a, out, e);
	}
	return ret;
}
