/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Monte Carlo propagation of the budgets, to check their intervals.
 *
 * Type A rows are drawn as u t(nu), Type B rows from their distributions, and added: the budget's
 * model. Rows of one estimate are drawn as one value. The probabilistically symmetric 95 % interval
 * of the sum is compared with -U..U. Source: JCGM 101, 6.4, 7.7 and 8.1. */
#include "common/each.h"
#include "validate/analysis/analysis.h"
#include "validate/analysis/analysis_private.h"
#include "validate/stats/budget.h"
#include "validate/stats/monte_carlo.h"

#define N_TRIALS 200000 /* 10^4/(1 - 0.95), clause 7.2.2 */
#define SEED 1

static struct monte_carlo_input input_of(const struct budget_row *row)
{
	double u = row->u * fabs(row->sensitivity);
	if (!strcmp(row->distribution, budget_distribution_names[BUDGET_RECTANGULAR]))
		return (struct monte_carlo_input){.shape = MC_RECTANGULAR, .u = u};
	if (isinf(row->nu))
		return (struct monte_carlo_input){.shape = MC_NORMAL, .u = u};
	return (struct monte_carlo_input){.shape = MC_STUDENT, .u = u, .nu = row->nu};
}

/* Returns the input of an earlier row with the same estimate; NULL: none. */
static struct monte_carlo_input *input_shared(struct monte_carlo_input *input, const size_t *row_of,
	size_t n, const struct budget *b, const struct budget_row *row)
{
	for (size_t i = 0; row->estimate && i < n; i++)
		if (b->row[row_of[i]].estimate == row->estimate)
			return &input[i];
	return NULL;
}

/* Sets input[BUDGET_MAX_ROWS] and returns the number of inputs. */
static size_t inputs_make(const struct budget *b, struct monte_carlo_input *input)
{
	size_t n = 0, row_of[BUDGET_MAX_ROWS];
	for (size_t i = 0; i < b->n_rows; i++) {
		const struct monte_carlo_input own = input_of(&b->row[i]);
		struct monte_carlo_input *shared = input_shared(input, row_of, n, b, &b->row[i]);
		if (shared) {
			shared->u = hypot(shared->u, own.u);
			shared->nu = fmin(shared->nu, own.nu);
		} else if (own.u > 0) {
			row_of[n] = i;
			input[n++] = own;
		}
	}
	return n;
}

static void budget_propagate(struct budget *b)
{
	struct monte_carlo_input input[BUDGET_MAX_ROWS];
	const struct monte_carlo_plan plan = {.n_trials = N_TRIALS, .seed = SEED, .coverage = 0.95};
	struct monte_carlo_result result;
	struct propagation *m = &b->monte_carlo;
	*m = (struct propagation){.status = b->status};
	if (!m->status)
		m->status = numerical_tolerance(b->u_c, 1, &m->delta);
	if (!m->status)
		m->status = monte_carlo(input, inputs_make(b, input), monte_carlo_sum, NULL, &plan,
					&result);
	if (m->status)
		return;
	m->n_trials = result.n_trials;
	m->lo = result.lo;
	m->hi = result.hi;
	m->adequate = monte_carlo_accepts(&result, -b->U95, b->U95, m->delta);
}

static void case_propagate(void *analysis, size_t i)
{
	const struct analysis *a = analysis;
	budget_propagate(&a->cell[i].budget);
}

void analysis_propagate(struct analysis *a)
{
	if (protocol_in_detail(&a->results->protocol))
		each_do(a->n_cells, case_propagate, a);
	else
		for (size_t i = 0; i < a->n_cells; i++)
			a->cell[i].budget.monte_carlo =
			    (struct propagation){.status = STAT_NOT_ASSESSED};
}
