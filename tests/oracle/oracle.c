/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes every row of the tables of expected values in the given folders, with this program's own
 * functions.
 *
 * usage: oracle DIR...
 *
 * Reads every pair data_TOPIC.csv, expected_TOPIC.csv of each DIR:
 *   data:     dataset,group,index,value
 *   expected: case,statistic,inputs,params,value,rel_tol,...
 * A number agrees if |got - value| <= rel_tol |value| (|got| <= rel_tol if value is 0). A word
 * agrees if it is equal. The word of an undefined result is its status; it also agrees with
 * "undefined". Prints each failure, then for each file the counts and the worst deviation in units
 * of rel_tol. The last line is "N passed, N failed". Status 1 after failures, 3 if a folder or file
 * cannot be read. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "common/xalloc.h"
#include "tests/oracle/oracle.h"

enum column { CASE, STATISTIC, INPUTS, PARAMS, VALUE, REL_TOL, N_COLUMNS };
static const char *const data_columns[] = {"dataset", "group", "index", "value"};
static const char *const expected_columns[N_COLUMNS] = {"case",   "statistic", "inputs",
							"params", "value",     "rel_tol"};

struct tally {
	size_t n_passed, n_failed;
	double worst; /* deviation/rel_tol, of rows whose rel_tol is not 0 */
	size_t worst_line;
};

struct outcome { /* result: a number, a word, or the reason why there is neither */
	const char *word; /* NULL: number */
	double number;
	bool undefined; /* word is the status */
	const char *failure; /* NULL, or why there is no result */
};

/* --- one row ------------------------------------------------------------- */

/* Splits "a=1;b=x" in place. Returns the number of pairs; if the text is invalid, 0 with *bad
 * set. */
static size_t pairs_split(char *text, char *(**pair)[2], bool *bad)
{
	size_t n = 0, cap = 0;
	char *rest = NULL;
	*pair = NULL;
	for (char *item = strtok_r(text, ";", &rest); item; item = strtok_r(NULL, ";", &rest)) {
		char *equals = strchr(item, '=');
		if (!equals || equals == item) {
			*bad = true;
			return 0;
		}
		GROW(*pair, n, cap);
		*equals = 0;
		(*pair)[n][0] = item;
		(*pair)[n++][1] = equals + 1;
	}
	return n;
}

/* The groups of a data set for role `groups`; for other roles, all its values as one list. */
static struct named_role role_of(const char *role, const struct dataset *d, struct values *flat)
{
	*flat = (struct values){d->x, d->n};
	if (!strcmp(role, "groups"))
		return (struct named_role){role, d->group, d->n_groups};
	return (struct named_role){role, flat, 1};
}

static struct outcome traced(enum trace_outcome t, const double *number)
{
	switch (t) {
	case TRACE_OK:
		return (struct outcome){.number = *number};
	case TRACE_UNDEFINED:
		return (struct outcome){.word = "undefined", .undefined = true};
	case TRACE_BAD:
		return (struct outcome){.failure = "missing or unusable input or parameter"};
	case TRACE_UNKNOWN:
		break;
	}
	return (struct outcome){.failure = "no such statistic"};
}

static struct outcome compute(const char *name, struct named_call *call,
			      const struct dataset *arrivals, const struct dataset *events)
{
	struct named_result r = {NULL, 0};
	double number = 0;
	if (!strncmp(name, "ro_", 3) || !strncmp(name, "rd_", 3) || !strncmp(name, "rbd_", 4))
		return traced(reorder_statistic(name, arrivals, call, &number), &number);
	if (!strncmp(name, "conc_", 5))
		return traced(concurrency_statistic(name, events, call, &number), &number);
	if (!named_find(name))
		return (struct outcome){.failure = "no such statistic"};
	enum stat_status s = named_compute(name, call, &r);
	if (call->bad_param)
		return (struct outcome){.failure = "missing or unusable parameter"};
	if (s)
		return (struct outcome){.word = stat_status_name(s), .undefined = true};
	return (struct outcome){.word = r.word, .number = r.number};
}

struct inputs {
	struct named_role *role;
	struct values *flat;
	const struct dataset *arrivals, *events;
	size_t n;
};

static bool inputs_fill(struct inputs *in, char *(*pair)[2], size_t n, const struct datasets *sets)
{
	in->role = xcalloc(n + 1, sizeof *in->role);
	in->flat = xcalloc(n + 1, sizeof *in->flat);
	in->n = n;
	for (size_t i = 0; i < n; i++) {
		const struct dataset *d = dataset_find(sets, pair[i][1]);
		if (!d)
			return false;
		if (!strcmp(pair[i][0], "arrivals"))
			in->arrivals = d;
		if (!strcmp(pair[i][0], "events"))
			in->events = d;
		in->role[i] = role_of(pair[i][0], d, &in->flat[i]);
	}
	return true;
}

static struct outcome row_compute(char **field, const struct datasets *sets)
{
	char *inputs_text = xstrdup(field[INPUTS]), *params_text = xstrdup(field[PARAMS]);
	char *(*inputs_pair)[2], *(*params_pair)[2];
	bool bad = false;
	size_t n_inputs = pairs_split(inputs_text, &inputs_pair, &bad),
	       n_params = pairs_split(params_text, &params_pair, &bad);
	struct named_param *param = xcalloc(n_params + 1, sizeof *param);
	struct inputs in = {0};
	struct outcome o = {.failure = bad ? "inputs or params are not key=value" : "no such data set"};
	for (size_t i = 0; i < n_params; i++)
		param[i] = (struct named_param){params_pair[i][0], params_pair[i][1]};
	if (!bad && inputs_fill(&in, inputs_pair, n_inputs, sets)) {
		struct named_call call = {in.role, in.n, param, n_params, false};
		o = compute(field[STATISTIC], &call, in.arrivals, in.events);
	}
	free(in.role);
	free(in.flat);
	free(param);
	free(inputs_pair);
	free(params_pair);
	free(inputs_text);
	free(params_text);
	return o;
}

static bool number_read(const char *text, double *x)
{
	char *end;
	*x = strtod(text, &end);
	return end != text && !*end && isfinite(*x);
}

/* True if it agrees; *deviation in units of the tolerance, 0 for words and exact rows. */
static bool agrees(const struct outcome *o, const char *expected, const char *rel_tol,
		   double *deviation)
{
	double value, tolerance;
	*deviation = 0;
	if (o->failure)
		return false;
	if (!number_read(expected, &value))
		return o->word && (!strcmp(o->word, expected) ||
				   (o->undefined && !strcmp(expected, "undefined")));
	if (o->word || !isfinite(o->number) || !number_read(rel_tol, &tolerance) || tolerance < 0)
		return false;
	double off = fabs(o->number - value),
	       allowed = value == 0 ? tolerance : tolerance * fabs(value);
	*deviation = allowed > 0 ? off / allowed : 0;
	return off <= allowed;
}

static void failure_print(const char *path, const struct table_row *row, const struct outcome *o)
{
	char got[40];
	snprintf(got, sizeof got, "%.17g", o->number);
	printf("%s:%zu: %s(%s; %s): %s%s, expected %s within %s\n", path, row->line,
	       row->field[STATISTIC], row->field[INPUTS], row->field[PARAMS],
	       o->failure ? "" : "got ",
	       o->failure ? o->failure
	       : o->word  ? o->word
			  : got,
	       row->field[VALUE], row->field[REL_TOL]);
}

/* --- files --------------------------------------------------------------- */

static void topic_check(const struct table *expected, const struct datasets *sets, struct tally *t)
{
	for (size_t i = 0; i < expected->n; i++) {
		const struct table_row *row = &expected->row[i];
		double deviation;
		if (row->n_fields < N_COLUMNS) {
			printf("%s:%zu: %zu fields\n", expected->path, row->line, row->n_fields);
			t->n_failed++;
			continue;
		}
		struct outcome o = row_compute(row->field, sets);
		bool good = agrees(&o, row->field[VALUE], row->field[REL_TOL], &deviation);
		if (deviation > t->worst) {
			t->worst = deviation;
			t->worst_line = row->line;
		}
		t->n_passed += good;
		t->n_failed += !good;
		if (!good)
			failure_print(expected->path, row, &o);
	}
}

static int topic_run(const char *dir, const char *topic, struct tally *all, struct err *e)
{
	char *data_path = xasprintf("%s/data_%s", dir, topic),
	     *expected_path = xasprintf("%s/expected_%s", dir, topic);
	struct table data = {0}, expected = {0};
	struct datasets sets = {0};
	struct tally t = {0};
	int rc = table_read(&expected, expected_path, expected_columns, N_COLUMNS, e);
	if (!rc)
		rc = table_read(&data, data_path, data_columns, 4, e);
	if (!rc)
		rc = datasets_build(&sets, &data, e);
	if (!rc) {
		topic_check(&expected, &sets, &t);
		printf("%s: %zu passed, %zu failed, worst deviation %.3g of rel_tol", expected_path,
		       t.n_passed, t.n_failed, t.worst);
		if (t.worst_line)
			printf(" (line %zu)", t.worst_line);
		printf("\n");
	}
	all->n_passed += t.n_passed;
	all->n_failed += t.n_failed;
	datasets_release(&sets);
	table_release(&data);
	table_release(&expected);
	free(data_path);
	free(expected_path);
	return rc;
}

static int is_expected(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);
	return !strncmp(entry->d_name, "expected_", 9) && len > 13 &&
	       !strcmp(entry->d_name + len - 4, ".csv");
}

/* Returns how many topics could not be read (each is printed); -1: the folder could not be read, or
 * has no topics. */
static int folder_run(const char *dir, struct tally *all)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, is_expected, alphasort), n_bad = 0;
	if (n <= 0) {
		fprintf(stderr, "oracle: %s: %s\n", dir,
			n ? strerror(errno) : "no expected_TOPIC.csv in it");
		free(n ? NULL : entry);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		struct err e = ERR_INIT;
		if (topic_run(dir, entry[i]->d_name + strlen("expected_"), all, &e)) {
			fprintf(stderr, "oracle: %s\n", e.msg);
			n_bad++;
		}
		free(entry[i]);
	}
	free(entry);
	return n_bad;
}

int main(int argc, char **argv)
{
	struct tally all = {0};
	bool bad = false;
	gsl_set_error_handler_off();
	if (argc < 2) {
		fprintf(stderr, "usage: oracle DIR...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++)
		bad |= folder_run(argv[i], &all) != 0;
	printf("%zu passed, %zu failed\n", all.n_passed, all.n_failed);
	return bad ? 3 : all.n_failed ? 1 : 0;
}
