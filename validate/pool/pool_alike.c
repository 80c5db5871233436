/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/pool/pool_alike.h"

#include "validate/provenance/provenance.h"
#include "validate/stats/quantiles.h"

#define MIN_DURATION "min-duration = "

/* --- conditions ---------------------------------------------------------- */

static bool has_line(char *const *line, size_t n, const char *wanted)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(line[i], wanted))
			return true;
	return false;
}

/* Returns the first condition in x that is not in y; NULL: none. */
static const char *only_in(char *const *x, size_t n_x, char *const *y, size_t n_y)
{
	for (size_t i = 0; i < n_x; i++)
		if (!has_line(y, n_y, x[i]))
			return x[i];
	return NULL;
}

/* Returns the first condition of the protocol or a scenario that differs: "seed = 1" and "seed =
 * 2". It is empty if no condition that the baselines keep differs. The caller frees. */
static char *conditions_differ(const struct baseline *x, const struct baseline *y)
{
	const char *here = only_in(x->condition, x->n_conditions, y->condition, y->n_conditions);
	const char *there = only_in(y->condition, y->n_conditions, x->condition, x->n_conditions);
	const char *where = NULL;
	for (size_t i = 0; i < x->n_scenarios && !here && !there; i++) {
		const struct baseline_scenario *s = &x->scenario[i],
					       *o = baseline_scenario_find(y, s->name);
		where = s->name;
		here = o ? only_in(s->condition, s->n_conditions, o->condition, o->n_conditions)
			 : NULL;
		there = o ? only_in(o->condition, o->n_conditions, s->condition, s->n_conditions)
			  : NULL;
	}
	if (!here && !there)
		return xstrdup(": different scenarios");
	return xasprintf("%s%s: \"%s\" and \"%s\"", where ? ", in " : "", where ? where : "",
			 here ? here : "(not set)", there ? there : "(not set)");
}

static int protocols_check(const struct pool_laboratory *x, const struct pool_laboratory *y,
			   struct err *e)
{
	if (!strcmp(x->baseline->protocol_hash, y->baseline->protocol_hash))
		return 0;
	SCOPED_FREE char *what = conditions_differ(x->baseline, y->baseline);
	return err_set(e, EPROTO, "the protocols of %s and %s differ%s", x->name, y->name, what);
}

/* --- replayers ----------------------------------------------------------- */

static const char *settings_of(const struct baseline *b, const char *replayer)
{
	for (size_t i = 0; i < b->n_cells; i++)
		if (!strcmp(b->cell[i].replayer, replayer))
			return b->cell[i].settings;
	return NULL;
}

/* Whether the settings are equal. If paths in one baseline are hidden, those of the other are
 * hidden for the comparison. */
static bool settings_are_same(const struct baseline *x, const char *a, const struct baseline *y,
			      const char *b)
{
	if (!strcmp(a, b) || !(strstr(a, PROVENANCE_HIDDEN) || strstr(b, PROVENANCE_HIDDEN)))
		return !strcmp(a, b);
	SCOPED_FREE char *here = provenance_redact_text(a, x->host),
			 *there = provenance_redact_text(b, y->host);
	return !strcmp(here, there);
}

static int settings_check(const struct pool_laboratory *x, const struct pool_laboratory *y,
			  struct err *e)
{
	for (size_t i = 0; i < x->baseline->n_cells; i++) {
		const struct baseline_case *c = &x->baseline->cell[i];
		const char *other = settings_of(y->baseline, c->replayer);
		if (other && !settings_are_same(x->baseline, c->settings, y->baseline, other))
			return err_set(
			    e, EPROTO,
			    "replayer %s has different settings in %s and %s: \"%s\" and \"%s\"",
			    c->replayer, x->name, y->name, c->settings, other);
	}
	return 0;
}

/* Returns fact replayers.N.KEY of a replayer's program, where N is the index of its name. NULL:
 * unknown. */
static const char *replayer_fact(const struct baseline *b, const char *replayer, const char *key)
{
	const char *name, *value = NULL;
	bool found = false;
	for (size_t i = 0; !found; i++) {
		char *at = xasprintf("replayers.%zu.name", i);
		name = baseline_fact_find(b, at);
		free(at);
		if (!name)
			break;
		found = !strcmp(name, replayer);
		at = xasprintf("replayers.%zu.%s", i, key);
		value = found ? baseline_fact_find(b, at) : NULL;
		free(at);
	}
	return value;
}

static void warning_add(struct pool *p, struct pool_warning w)
{
	p->warning = xreallocarray(p->warning, p->n_warnings + 1, sizeof *p->warning);
	p->warning[p->n_warnings++] = w;
}

static bool is_first_of(const struct baseline *b, size_t cell)
{
	for (size_t i = 0; i < cell; i++)
		if (!strcmp(b->cell[i].replayer, b->cell[cell].replayer))
			return false;
	return true;
}

static void programs_compare(struct pool *p, const struct pool_laboratory *x,
			     const struct pool_laboratory *y)
{
	for (size_t i = 0; i < x->baseline->n_cells; i++) {
		const char *name = x->baseline->cell[i].replayer;
		const char *here = replayer_fact(x->baseline, name, "sha256"),
			   *there = replayer_fact(y->baseline, name, "sha256");
		if (!is_first_of(x->baseline, i) || !here || !there || !strcmp(here, there))
			continue;
		warning_add(p, (struct pool_warning){
			.kind = POOL_OTHER_PROGRAM, .x = x, .y = y, .what = name,
			.x_version = replayer_fact(x->baseline, name, "version"),
			.y_version = replayer_fact(y->baseline, name, "version")});
	}
	if (strcmp(x->baseline->program_version, y->baseline->program_version))
		warning_add(p, (struct pool_warning){.kind = POOL_OTHER_VERSION, .x = x, .y = y});
}

/* --- requests ------------------------------------------------------------ */

/* Whether the campaign determines the number of requests: then hashes differ between campaigns. */
static bool is_searched(const struct baseline *b)
{
	for (size_t i = 0; i < b->n_conditions; i++)
		if (!strncmp(b->condition[i], MIN_DURATION, strlen(MIN_DURATION)))
			return strcmp(b->condition[i] + strlen(MIN_DURATION), "0ns") != 0;
	return false;
}

/* Compares recordings with the same number in the bank, if both are known. */
static bool requests_differ(const struct baseline_scenario *x, const struct baseline_scenario *y)
{
	for (size_t i = 0; i < x->n_requests && i < y->n_requests; i++)
		if (x->requests[i] && y->requests[i] && x->requests[i] != y->requests[i])
			return true;
	return false;
}

/* Returns the number of scenarios with different requests, and the name of the first. */
static size_t scenarios_differing(const struct baseline *x, const struct baseline *y,
				  const char **first)
{
	size_t n = 0;
	for (size_t i = 0; i < x->n_scenarios; i++) {
		const struct baseline_scenario *other =
			baseline_scenario_find(y, x->scenario[i].name);
		if (other && requests_differ(&x->scenario[i], other) && !n++)
			*first = x->scenario[i].name;
	}
	return n;
}

static int requests_check(const struct pool_laboratory *x, const struct pool_laboratory *y,
			  struct err *e)
{
	const char *first = NULL;
	size_t n = scenarios_differing(x->baseline, y->baseline, &first);
	if (!n || is_searched(x->baseline))
		return 0;
	return err_set(e, EPROTO,
		       "%s and %s did not replay the same requests in %zu of %zu scenarios (first: "
		       "%s)", x->name, y->name, n, x->baseline->n_scenarios, first);
}

/* --- values -------------------------------------------------------------- */

static bool values_are_equal(const double *x, const double *y, size_t n)
{
	size_t n_finite = 0;
	for (size_t i = 0; i < n; i++) {
		if (isfinite(x[i]) != isfinite(y[i]) || (isfinite(x[i]) && x[i] != y[i]))
			return false;
		n_finite += isfinite(x[i]);
	}
	return n_finite > 0;
}

/* Adds a warning about copies: two measurements never have the same response times in a whole
 * case. */
static void copies_find(struct pool *p, const struct pool_laboratory *x,
			const struct pool_laboratory *y)
{
	size_t n = 0, n_equal = 0;
	for (size_t i = 0; i < x->baseline->n_cells; i++) {
		const struct baseline_case *a = &x->baseline->cell[i];
		const struct baseline_case *b = baseline_case_find(
		    y->baseline, x->baseline->scenario[a->scenario].name, a->replayer);
		if (!b || a->n != b->n)
			continue;
		n++;
		n_equal += values_are_equal(a->column[COLUMN_X_MEAN], b->column[COLUMN_X_MEAN],
			a->n) && values_are_equal(a->column[COLUMN_R_MEAN],
			b->column[COLUMN_R_MEAN], a->n);
	}
	if (n_equal)
		warning_add(p, (struct pool_warning){
				   .kind = POOL_COPY, .x = x, .y = y, .n = n_equal, .of = n});
}

#define FACTOR_ODD 100 /* a larger factor between response times of the program is suspicious */

/* Returns the mean of ln(r) over the runs of the program in all cases; NaN none. */
static double program_ln(const struct baseline *b)
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < b->n_cells; i++)
		for (size_t k = 0; k < b->cell[i].n; k++) {
			const double r = b->cell[i].column[COLUMN_R_MEAN][k];
			if (isfinite(r) && r > 0) {
				sum += log(r);
				n++;
			}
		}
	return n ? sum / (double)n : NAN;
}

/* Compares each laboratory with the median of the others. */
static void speeds_compare(struct pool *p)
{
	double *others = xcalloc(p->n_laboratories, sizeof *others), middle;
	for (size_t i = 0; i < p->n_laboratories; i++) {
		const double here = program_ln(p->laboratory[i].baseline);
		size_t n = 0;
		for (size_t k = 0; k < p->n_laboratories; k++) {
			const double r = program_ln(p->laboratory[k].baseline);
			if (k != i && isfinite(r))
				others[n++] = r;
		}
		if (!isfinite(here) || sample_median(others, n, &middle) ||
		    fabs(here - middle) < log(FACTOR_ODD))
			continue;
		warning_add(p, (struct pool_warning){.kind = POOL_OTHER_SPEED,
						     .x = &p->laboratory[i],
						     .factor = exp(here - middle)});
	}
	free(others);
}

/* --- all differences ----------------------------------------------------- */

int pool_check(const struct pool *p, struct err *e)
{
	const struct pool_laboratory *first = &p->laboratory[0];
	int ret = 0;
	for (size_t i = 1; i < p->n_laboratories && !ret; i++) {
		ret = protocols_check(first, &p->laboratory[i], e);
		ret = ret ? ret : settings_check(first, &p->laboratory[i], e);
		ret = ret ? ret : requests_check(first, &p->laboratory[i], e);
	}
	return ret;
}

void pool_warnings_add(struct pool *p)
{
	const struct pool_laboratory *x = &p->laboratory[0];
	for (size_t i = 1; i < p->n_laboratories; i++) {
		const struct pool_laboratory *y = &p->laboratory[i];
		struct pool_warning w = {.kind = POOL_OTHER_REQUESTS, .x = x, .y = y,
					 .of = x->baseline->n_scenarios};
		w.n = scenarios_differing(x->baseline, y->baseline, &w.what);
		if (w.n && is_searched(x->baseline))
			warning_add(p, w);
		programs_compare(p, x, y);
	}
	for (size_t i = 0; i < p->n_laboratories; i++)
		for (size_t k = 0; k < i; k++)
			copies_find(p, &p->laboratory[k], &p->laboratory[i]);
	speeds_compare(p);
}
