/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison as a whole: matching of cases, words, and Holm's correction over all cases. */
#include "validate/compare/compare.h"

#include "validate/compare/compare_private.h"
#include "validate/stats/multiplicity.h"

#define LEVEL_SAME 0.05
#define LEVEL_WORSE 0.01

const char *const change_names[] = {"same", "better", "worse", "inconclusive", "not judged", NULL};

const char *change_name(enum change c)
{
	return change_names[c];
}

/* --- matching of cases --------------------------------------------------- */

static size_t n_replayers(const struct baseline *b)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n_cells; i++) {
		bool seen = false;
		for (size_t k = 0; k < i && !seen; k++)
			seen = !strcmp(b->cell[k].replayer, b->cell[i].replayer);
		n += !seen;
		if (n > 1)
			break;
	}
	return n;
}

/* A case of one side, for look-ups: sorted by scenario and replayer. */
struct compare_place {
	const char *scenario, *replayer;
	const struct baseline_case *c;
};

static int by_place(const void *a, const void *b)
{
	const struct compare_place *p = a, *q = b;
	int order = strcmp(p->scenario, q->scenario);
	return order ? order : strcmp(p->replayer, q->replayer);
}

/* Returns the cases, sorted. `only`: each side has a single replayer, which counts as the same
 * replayer in two versions, whatever its name. */
static struct compare_place *places_sorted(const struct baseline *b, bool only)
{
	struct compare_place *p = xcalloc(b->n_cells + 1, sizeof *p);
	for (size_t i = 0; i < b->n_cells; i++)
		p[i] = (struct compare_place){b->scenario[b->cell[i].scenario].name,
					      only ? "" : b->cell[i].replayer, &b->cell[i]};
	qsort(p, b->n_cells, sizeof *p, by_place);
	return p;
}

static const struct baseline_case *place_find(const struct compare_place *p, size_t n,
					      const char *scenario, const char *replayer)
{
	struct compare_place wanted = {scenario, replayer, NULL};
	const struct compare_place *found = bsearch(&wanted, p, n, sizeof *p, by_place);
	return found ? found->c : NULL;
}

static void difference_add(struct campaign_change *c, enum difference_kind kind, char *what,
			   const char *was, const char *is)
{
	c->difference = xreallocarray(c->difference, c->n_differences + 1, sizeof *c->difference);
	c->difference[c->n_differences++] = (struct difference){
	    kind, what, was ? xstrdup(was) : NULL, is ? xstrdup(is) : NULL, false};
}

/* Adds a difference of settings, once for each replayer, even if it has several scenarios. */
static void settings_add(struct campaign_change *c, const struct baseline_case *was,
			 const struct baseline_case *is)
{
	for (size_t i = 0; i < c->n_differences; i++) {
		const struct difference *d = &c->difference[i];
		if (d->kind == DIFFERENCE_SETTINGS && !strcmp(d->what, is->replayer) &&
		    !strcmp(d->old_value, was->settings) && !strcmp(d->new_value, is->settings))
			return;
	}
	difference_add(c, DIFFERENCE_SETTINGS, xstrdup(is->replayer), was->settings, is->settings);
	if (strcmp(was->replayer, is->replayer))
		c->difference[c->n_differences - 1].old_replayer = was->replayer;
}

static void cases_match(struct campaign_change *c, const struct compare_options *o)
{
	const struct baseline *a = c->old_side, *b = c->new_side;
	bool only = n_replayers(a) == 1 && n_replayers(b) == 1, same = is_same_campaign(a, b);
	bool allowed = o->allow && (strstr(o->allow, "missing") || strstr(o->allow, "all"));
	SCOPED_FREE struct compare_place *was = places_sorted(a, only),
					 *is = places_sorted(b, only);
	c->cell = xcalloc(a->n_cells + 1, sizeof *c->cell);
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct baseline_case *old_case = &a->cell[i];
		const char *scenario = a->scenario[old_case->scenario].name;
		const struct baseline_case *new_case =
		    place_find(is, b->n_cells, scenario, only ? "" : old_case->replayer);
		if (!new_case && !baseline_scenario_find(b, scenario))
			continue; /* reported as one difference */
		if (!new_case) {
			difference_add(c, DIFFERENCE_MISSING, xasprintf("case %s, %s", scenario,
				old_case->replayer), NULL, "not there");
			c->n_missing += !allowed;
			continue;
		}
		if (!text_is_same(c, old_case->settings, new_case->settings))
			settings_add(c, old_case, new_case);
		c->cell[c->n_cells++] = (struct case_change){.old_case = old_case,
			.new_case = new_case, .scenario = scenario, .paired = same};
	}
	for (size_t i = 0; i < b->n_cells; i++) {
		const struct baseline_case *new_case = &b->cell[i];
		const char *scenario = b->scenario[new_case->scenario].name;
		if (place_find(was, a->n_cells, scenario, only ? "" : new_case->replayer) ||
		    !baseline_scenario_find(a, scenario))
			continue;
		difference_add(c, DIFFERENCE_MISSING,
			xasprintf("case %s, %s", scenario, new_case->replayer), "not there", NULL);
		c->n_missing += !allowed;
	}
}

static size_t n_common(const struct baseline_case *a, const struct baseline_case *b)
{
	size_t n = 0;
	for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
		n += a->block[i] == b->block[j];
		unsigned int x = a->block[i], y = b->block[j];
		i += x <= y;
		j += y <= x;
	}
	return n;
}

/* Whether both sides have the same values of one campaign; unknown values are equal as well. False
 * if neither replayer has a usable run, because then nothing is known. */
static bool is_same_runs(const struct baseline_case *a, const struct baseline_case *b)
{
	bool same = a->n == b->n && (a->n || !strcmp(a->replayer, b->replayer));
	for (size_t i = 0; i < a->n && same; i++) {
		same = a->block[i] == b->block[i];
		for (size_t k = 0; k < COLUMN_N; k++) {
			const double x = a->column[k][i], y = b->column[k][i];
			same &= (isnan(x) && isnan(y)) || (x >= y && x <= y);
		}
	}
	return same;
}

/* --- words --------------------------------------------------------------- */

/* Decides between better and worse by the estimated distance from the program: a larger distance is
 * worse. A smaller distance is better only if the old side was significantly off in that direction,
 * because pairs determine a change better than the starting point. A change from one side of the
 * program's value to the other may leave the distance equal: then neither word applies. */
static enum change direction_to_program(const struct aspect_change *a, bool log_scale)
{
	const double was = fabs(log_scale ? log1p(a->old_value) : a->old_value),
		     is = fabs(log_scale ? log1p(a->new_value) : a->new_value);
	bool crossed = a->old_value * a->new_value < 0;
	if (crossed && fabs(is - was) <= (log_scale ? log1p(a->limit) : a->limit))
		return CHANGE_INCONCLUSIVE;
	if (is > was)
		return CHANGE_WORSE;
	return a->old_side == (a->change > 0 ? -1 : 1) ? CHANGE_BETTER : CHANGE_INCONCLUSIVE;
}

static enum change change_direction(const struct aspect_change *a, enum aspect k)
{
	if (aspect_is_deviation(k))
		return direction_to_program(a, aspect_scale(k) == SCALE_CHANGE);
	return a->change > (aspect_scale(k) == SCALE_RATIO ? 1 : 0) ? CHANGE_WORSE : CHANGE_BETTER;
}

static void changes_adjust(struct campaign_change *c)
{
	size_t most = c->n_cells * ASPECT_N, n = 0;
	SCOPED_FREE double *p = xcalloc(most + 1, sizeof *p);
	SCOPED_FREE struct aspect_change **of = xcalloc(most + 1, sizeof *of);
	SCOPED_FREE enum aspect *kind = xcalloc(most + 1, sizeof *kind);
	for (size_t i = 0; i < c->n_cells; i++)
		for (size_t k = 0; k < ASPECT_N; k++) {
			struct aspect_change *a = &c->cell[i].aspect[k];
			if (isnan(a->p))
				continue;
			kind[n] = (enum aspect)k;
			of[n] = a;
			p[n++] = fmin(1, fmax(0, a->p_difference));
		}
	c->n_tests = n;
	if (!adjust_holm(p, n, p))
		for (size_t i = 0; i < n; i++) {
			of[i]->p_holm = p[i];
			if (p[i] <= c->level_worse && of[i]->p <= c->level_same &&
			    of[i]->word != CHANGE_SAME)
				of[i]->word = change_direction(of[i], kind[i]);
		}
}

/* Returns the largest number of further pairs over the inconclusive aspects; 0 if it is unknown for
 * one of them. */
static uint64_t further_of(const struct case_change *c)
{
	uint64_t most = 0;
	for (size_t k = 0; k < ASPECT_N; k++) {
		const struct aspect_change *a = &c->aspect[k];
		if (a->word != CHANGE_INCONCLUSIVE)
			continue;
		if (!a->n_further)
			return 0;
		most = a->n_further > most ? a->n_further : most;
	}
	return most;
}

const char *const inconclusive_names[] = {"error", "pass", "fail", "skip", NULL};

/* Returns the worse of two words, in the order worse, inconclusive, better, same. */
static enum change change_worse(enum change a, enum change b)
{
	static const int rank[] = {[CHANGE_NOT_JUDGED] = 0, [CHANGE_SAME] = 1, [CHANGE_BETTER] = 2,
				   [CHANGE_INCONCLUSIVE] = 3, [CHANGE_WORSE] = 4};
	return rank[a] >= rank[b] ? a : b;
}

/* Prevents a good word if only one side lacks requests: equal numbers do not show that the sides
 * are the same. */
static void incomplete_bar(struct case_change *c)
{
	if (c->old_case->incomplete == c->new_case->incomplete)
		return;
	for (size_t k = 0; k < ASPECT_N; k++) {
		struct aspect_change *a = &c->aspect[k];
		if (a->word != CHANGE_SAME && a->word != CHANGE_BETTER)
			continue;
		a->word = CHANGE_INCONCLUSIVE;
		reason_add(a, (struct change_reason){.code = c->new_case->incomplete
								 ? CHANGE_NEW_INCOMPLETE
								 : CHANGE_OLD_INCOMPLETE});
	}
}

static void words_reach(struct campaign_change *c)
{
	c->word = CHANGE_NOT_JUDGED;
	for (size_t i = 0; i < c->n_cells; i++) {
		struct case_change *cell = &c->cell[i];
		incomplete_bar(cell);
		cell->word = CHANGE_NOT_JUDGED;
		for (size_t k = 0; k < ASPECT_N; k++) {
			const struct aspect_change *a = &cell->aspect[k];
			cell->word = change_worse(cell->word, a->word);
			cell->measured |= a->word != CHANGE_NOT_JUDGED && !a->status &&
					  cell->old_case->n && cell->new_case->n;
		}
		c->n_unmeasured += !cell->measured;
		if (cell->word == CHANGE_NOT_JUDGED)
			/* nothing was judged, so nothing is known */
			cell->word = CHANGE_INCONCLUSIVE;
		cell->n_further = further_of(cell);
		c->n_worse += cell->word == CHANGE_WORSE;
		c->n_better += cell->word == CHANGE_BETTER;
		c->n_same += cell->word == CHANGE_SAME;
		c->n_inconclusive += cell->word == CHANGE_INCONCLUSIVE;
		c->word = change_worse(c->word, cell->word);
	}
	if (c->n_missing && c->word != CHANGE_WORSE)
		c->word = CHANGE_INCONCLUSIVE;
}

/* Returns the level that remains for one side. With looks after every replicate, P-values are
 * corrected instead. */
static double level_left(double level, const struct baseline *b, double left)
{
	return b->look && !(b->span > 0) ? fmin(level, left) : level;
}

/* Adds the reason for a missing number or word. */
static void aspects_explain(const struct campaign_change *all, struct case_change *c)
{
	for (size_t k = 0; k < ASPECT_N; k++) {
		struct aspect_change *a = &c->aspect[k];
		if (a->status) {
			reason_add(a, (struct change_reason){CHANGE_STATUS, {a->status}});
			if (a->status == STAT_TOO_FEW &&
			    (c->old_case->n_failed || c->new_case->n_failed))
				reason_add(a, (struct change_reason){CHANGE_FAILED,
					{c->old_case->n_failed, c->new_case->n_failed}});
		} else if (isnan(a->limit) && !a->n_reasons) {
			reason_add(a, (struct change_reason){.code = CHANGE_NO_LIMIT});
		} else if (isnan(a->limit)) {
			continue;
		} else if (a->word == CHANGE_INCONCLUSIVE && a->p_holm <= all->level_worse &&
			   a->p <= all->level_same) {
			reason_add(a, (struct change_reason){.code = CHANGE_NEARER_UNKNOWN});
		} else if (a->dependent) {
			reason_add(a, (struct change_reason){.code = CHANGE_IF_INDEPENDENT});
		}
	}
}

static void failed_add(struct failed_runs *f, const struct baseline_case *side,
		       const char *scenario)
{
	f->n += side->n_failed;
	f->n_cells += side->n_failed > 0;
	if (side->n_failed && !f->scenario)
		f->scenario = scenario;
}

static void failed_count(struct campaign_change *c)
{
	for (size_t i = 0; i < c->n_cells; i++) {
		const struct case_change *cell = &c->cell[i];
		failed_add(&c->failed_old, cell->old_case, cell->scenario);
		failed_add(&c->failed_new, cell->new_case, cell->scenario);
		c->n_failed_cells += cell->old_case->n_failed || cell->new_case->n_failed;
	}
}

int compare_compute(struct campaign_change *c, const struct baseline *old_side,
		    const struct baseline *new_side, const struct compare_options *o, struct err *e)
{
	*c = (struct campaign_change){
	    .old_side = old_side,
	    .new_side = new_side,
	    .limits = new_side->limits,
	    .level_same = level_left(level_left(LEVEL_SAME, old_side, old_side->level_accept),
				     new_side, new_side->level_accept),
	    .level_worse = level_left(level_left(LEVEL_WORSE, old_side, old_side->level_reject),
				      new_side, new_side->level_reject),
	    .span = fmax(old_side->span, new_side->span),
	    .word = CHANGE_INCONCLUSIVE,
	    .inconclusive = (enum inconclusive_as)o->inconclusive,
	};
	int ret = differences_find(c, o, e);
	if (ret) {
		campaign_change_release(c);
		return ret;
	}
	if (c->n_refusing)
		return 0;
	cases_match(c, o);
	if (!c->n_cells) {
		campaign_change_release(c);
		return err_set(e, ENODATA,
			       "%s and %s have no case in common: nothing can be compared",
			       old_side->source, new_side->source);
	}
	for (size_t i = 0; i < c->n_cells; i++) {
		struct case_change *cell = &c->cell[i];
		cell->n = cell->paired ? n_common(cell->old_case, cell->new_case) : 0;
		cell->same_runs = cell->paired && is_same_runs(cell->old_case, cell->new_case);
		c->n_same_runs += cell->same_runs;
	}
	aspects_compute(c, o->words_only);
	changes_adjust(c);
	failed_count(c);
	for (size_t i = 0; i < c->n_cells; i++)
		aspects_explain(c, &c->cell[i]);
	words_reach(c);
	return 0;
}

void campaign_change_release(struct campaign_change *c)
{
	for (size_t i = 0; i < c->n_differences; i++) {
		FREE_EACH(c->difference[i].what, c->difference[i].old_value,
			  c->difference[i].new_value);
	}
	FREE_EACH(c->difference, c->cell);
	*c = (struct campaign_change){0};
}
