/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics by name: for example "F_p" of ref and rep with side=greater. There is a table for each
 * family. Tests compare all of them with tables of expected values, and --compute makes them
 * available to users.
 *
 * Inputs are roles (x, ref, rep, groups, ...), each a list of groups of values (a flat list is one
 * group), and parameters as key=value text. */
#pragma once

#include "validate/stats/status.h"

struct named_role {
	const char *role;
	const struct values *group; /* borrowed */
	size_t n_groups;
};

struct named_param {
	const char *key, *value;
};

struct named_call {
	const struct named_role *role;
	size_t n_roles;
	const struct named_param *param;
	size_t n_params;
	/* the accessors set it if a parameter or role is missing or not a number */
	bool bad_param;
	unsigned int which; /* selects one of the function's numbers; named_compute sets it */
};

struct named_result {
	const char *word; /* static; NULL for a number */
	double number;
};

struct named_statistic {
	/* names separated by blanks; they select the numbers of the function from `first` on. NULL
	 * ends a table */
	const char *names;
	enum stat_status (*compute)(struct named_call *c, struct named_result *r);
	/* names of roles and parameters, separated by blanks; optional names in brackets */
	const char *inputs, *params;
	unsigned int first;
};

const struct named_statistic *named_find(const char *name); /* NULL: unknown name */
/* Calls `take` for each name, by family. `name` is borrowed during the call. */
void named_each(void (*take)(void *context, const char *name, const struct named_statistic *s),
		void *context);

/* Computes a statistic. Errors: STAT_NOT_APPLICABLE for an unknown name, STAT_OUT_OF_RANGE with
 * c->bad_param for a missing or invalid parameter, STAT_NOT_FINITE for NaN, otherwise the status of
 * the statistic. The number may be infinite. */
enum stat_status named_compute(const char *name, struct named_call *c,
			       struct named_result *r) STAT_MUST_CHECK;

/* --- functions for the tables -------------------------------------------- */
/* the first group; empty if absent */
struct values named_values(const struct named_call *c, const char *role);
/* NULL if absent */
const struct named_role *named_groups(const struct named_call *c, const char *role);
double named_number(struct named_call *c, const char *key);
double named_number_or(struct named_call *c, const char *key, double otherwise);
size_t named_count(struct named_call *c, const char *key); /* whole, 0 or more */
/* Returns an index that counts from 1 in the parameter and from 0 in the result. */
size_t named_index(struct named_call *c, const char *key);
bool named_given(const struct named_call *c, const char *key);
/* Returns the parameter's text; "" if it is missing. */
const char *named_word(struct named_call *c, const char *key);
/* Returns the index of the parameter in a NULL-terminated list of words. */
int named_choice(struct named_call *c, const char *key, const char *const *words);

/* Sets r to number[c->which], for functions that several statistics share; returns s. */
static inline enum stat_status named_pick(const struct named_call *c, struct named_result *r,
					  enum stat_status s, const double *number)
{
	r->number = number[c->which];
	return s;
}

/* SAMPLES declares both samples; REF_REP passes them as four arguments. */
#define REF_REP ref.x, ref.n, rep.x, rep.n
#define SAMPLES(c) struct values ref = named_values(c, "ref"), rep = named_values(c, "rep")

/* Defines a statistic from one expression that returns a status: of parameters, of sample x, of
 * both samples. */
#define STATISTIC_AFTER(name, before, ...)                                                         \
	static enum stat_status name(struct named_call *c, struct named_result *r)                 \
	{                                                                                          \
		before;                                                                            \
		return __VA_ARGS__;                                                                \
	}
#define STATISTIC(name, ...) STATISTIC_AFTER(name, (void)0, __VA_ARGS__)
#define STATISTIC_OF_X(name, ...)                                                                  \
	STATISTIC_AFTER(name, struct values x = named_values(c, "x"), __VA_ARGS__)
#define STATISTIC_OF_PAIR(name, ...) STATISTIC_AFTER(name, SAMPLES(c), __VA_ARGS__)

/* Defines a function that several statistics share: declarations, a call that returns a status, and
 * the numbers from which `which` selects. */
#define STATISTIC_OF_CALL(name, declare, call, ...)                                                \
	static enum stat_status name(struct named_call *c, struct named_result *r)                 \
	{                                                                                          \
		declare;                                                                           \
		enum stat_status s = call;                                                         \
		r->number = (double[]){__VA_ARGS__}[c->which];                                     \
		return s;                                                                          \
	}

extern const struct named_statistic named_descriptive[], named_distribution[], named_two_sample[],
    named_series[], named_protocol[], named_gum[], named_linear[], named_planning[], named_ranks[],
    named_dependence[], named_precision[], named_control[], named_intervals[], named_metrology[];
