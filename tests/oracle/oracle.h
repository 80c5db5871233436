/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the oracle program: it reads tables of cases and computes them with this program's
 * functions.
 *
 * A case is a statistic's name, roles filled with named data sets, and parameters. No result may
 * depend on the name of a case. Files are untrusted: a case that cannot be computed fails, but
 * never ends the program. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "validate/stats/named.h"

/* --- tables.c ------------------------------------------------------------ */
struct table_row {
	char **field; /* [n_fields], the table's */
	size_t n_fields, line;
};

struct table {
	char *path;
	struct table_row *row; /* without the header */
	size_t n, cap;
};

/* Reads a CSV file whose header must begin with the `n_columns` names. Errors: errno, EBADMSG. */
int table_read(struct table *t, const char *path, const char *const *columns, size_t n_columns,
	       struct err *e);
void table_release(struct table *t);

struct dataset {
	const char *name;	 /* borrowed from the table */
	const char **group_name; /* [n_groups] */
	struct values *group;	 /* [n_groups], parts of x */
	size_t n_groups, cap;
	double *x; /* owned: all groups, one after the other */
	size_t n;
};

struct datasets {
	struct dataset *set;
	size_t n, cap;
};

/* Groups in the order of the file; an invalid or unordered row is an error with its line. */
int datasets_build(struct datasets *d, const struct table *t, struct err *e);
void datasets_release(struct datasets *d);
const struct dataset *dataset_find(const struct datasets *d, const char *name);

/* --- traces.c: reordering and concurrency -------------------------------- */
enum trace_outcome {
	TRACE_OK,
	TRACE_UNDEFINED, /* no value by definition: a ratio with denominator 0 */
	TRACE_BAD,	 /* missing or unusable inputs or parameters */
	TRACE_UNKNOWN	 /* not a statistic of a trace */
};

/* `arrivals` may be NULL: an empty sequence. */
enum trace_outcome reorder_statistic(const char *name, const struct dataset *arrivals,
				     struct named_call *c, double *value);
enum trace_outcome concurrency_statistic(const char *name, const struct dataset *events,
					 struct named_call *c, double *value);

/* The group with that name as integers, which the caller frees. False: it is missing (*n = 0), or a
 * value is not whole. */
bool dataset_integers(const struct dataset *d, const char *group, long long least, long long **x,
		      size_t *n);
