/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every row of tests/data/oracle/expected_*.csv whose statistic exists here, against its value and tolerance.
 * The values were
 * computed with 50-digit arithmetic or come from NIST and the printed tables named in the files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <csv.h>
#include <gsl/gsl_errno.h>

#include "common/xalloc.h"
#include "validate/stats/named.h"

/* --- a CSV file as rows of strings -------------------------------------------------------------------------------- */
enum { MAX_FIELDS = 8 };

struct table {
	char *(*row)[MAX_FIELDS];
	size_t n, cap, n_fields;
};

static void field(void *text, size_t len, void *arg)
{
	struct table *t = arg;
	GROW(t->row, t->n, t->cap);
	if (t->n_fields == 0)
		memset(t->row[t->n], 0, sizeof t->row[t->n]);
	assert_true(t->n_fields < MAX_FIELDS);
	char *copy = xcalloc(len + 1, 1);
	memcpy(copy, text, len);
	t->row[t->n][t->n_fields++] = copy;
}

static void row_end(int c, void *arg)
{
	struct table *t = arg;
	(void)c;
	t->n++;
	t->n_fields = 0;
}

static void table_read(struct table *t, const char *topic, const char *kind)
{
	char path[500], buffer[65536];
	struct csv_parser parser;
	size_t n;
	const char *source = getenv("SRCDIR");
	snprintf(path, sizeof path, "%s/tests/data/oracle/%s_%s.csv", source ? source : ".", kind, topic);
	FILE *f = fopen(path, "rb");
	if (!f)
		fail_msg("%s: cannot be opened", path);
	assert_int_equal(csv_init(&parser, CSV_APPEND_NULL), 0);
	while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
		assert_int_equal(csv_parse(&parser, buffer, n, field, row_end, t), n);
	csv_fini(&parser, field, row_end, t);
	csv_free(&parser);
	fclose(f);
}

static void table_release(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (int j = 0; j < MAX_FIELDS; j++)
			free(t->row[i][j]);
	free(t->row);
	*t = (struct table){0};
}

/* --- data sets: groups of values, in file order ------------------------------------------------------------------- */
enum { MAX_SETS = 40, MAX_GROUPS = 32 };

struct dataset {
	const char *name;
	const char *group_name[MAX_GROUPS];
	struct values group[MAX_GROUPS];
	size_t n_groups;
	double *x; /* all of them, one after the other */
};

struct topic {
	struct table data, expected;
	struct dataset set[MAX_SETS];
	size_t n_sets;
};

static void datasets_build(struct topic *t)
{
	double *x = xcalloc(t->data.n, sizeof *x);
	struct dataset *d = NULL;
	for (size_t i = 1; i < t->data.n; i++) {
		char **row = t->data.row[i];
		if (!d || strcmp(d->name, row[0])) {
			assert_true(t->n_sets < MAX_SETS);
			d = &t->set[t->n_sets++];
			*d = (struct dataset){.name = row[0], .x = x};
		}
		if (d->n_groups == 0 || strcmp(d->group_name[d->n_groups - 1], row[1])) {
			assert_true(d->n_groups < MAX_GROUPS);
			d->group_name[d->n_groups] = row[1];
			d->group[d->n_groups++] = (struct values){x + i, 0};
		}
		d->group[d->n_groups - 1].n++;
		assert_int_equal(strtoul(row[2], NULL, 10), d->group[d->n_groups - 1].n);
		x[i] = strtod(row[3], NULL);
	}
}

static const struct dataset *dataset_find(const struct topic *t, const char *name)
{
	for (size_t i = 0; i < t->n_sets; i++)
		if (!strcmp(t->set[i].name, name))
			return &t->set[i];
	fail_msg("no data set %s", name);
	return NULL;
}

static void topic_read(struct topic *t, const char *name)
{
	table_read(&t->data, name, "data");
	table_read(&t->expected, name, "expected");
	datasets_build(t);
}

static void topic_release(struct topic *t)
{
	if (t->n_sets)
		free(t->set[0].x);
	table_release(&t->data);
	table_release(&t->expected);
}

/* --- one expected row --------------------------------------------------------------------------------------------- */
enum { MAX_PAIRS = 10 };

static size_t split_pairs(char *text, char *pair[MAX_PAIRS][2])
{
	size_t n = 0;
	char *rest = NULL;
	for (char *item = strtok_r(text, ";", &rest); item; item = strtok_r(NULL, ";", &rest)) {
		assert_true(n < MAX_PAIRS);
		pair[n][0] = item;
		pair[n][1] = strchr(item, '=');
		assert_non_null(pair[n][1]);
		*pair[n++][1]++ = 0;
	}
	return n;
}

static int close_enough(const char *expected, const char *rel_tol, const struct named_result *r)
{
	char *end;
	double value = strtod(expected, &end), tolerance = strtod(rel_tol, NULL);
	if (end == expected || *end)
		return r->word && !strcmp(r->word, expected);
	if (r->word || !isfinite(r->number))
		return 0;
	if (value == 0)
		return fabs(r->number) <= tolerance;
	return fabs(r->number - value) <= tolerance * fabs(value);
}

/* 1 checked and good, 0 no such statistic, -1 wrong (printed). */
static int row_check(const struct topic *t, char **row)
{
	char *inputs = xstrdup(row[2]), *params = xstrdup(row[3]), *pair[MAX_PAIRS][2];
	struct named_role role[MAX_PAIRS];
	struct named_param param[MAX_PAIRS];
	struct named_call call = {.role = role, .param = param};
	struct named_result r;
	int outcome = 0;

	call.n_roles = split_pairs(inputs, pair);
	for (size_t i = 0; i < call.n_roles; i++) {
		const struct dataset *d = dataset_find(t, pair[i][1]);
		role[i] = (struct named_role){pair[i][0], d->group, d->n_groups};
	}
	call.n_params = split_pairs(params, pair);
	for (size_t i = 0; i < call.n_params; i++)
		param[i] = (struct named_param){pair[i][0], pair[i][1]};

	if (named_exists(row[1])) {
		enum stat_status s = named_compute(row[1], &call, &r);
		outcome = !s && close_enough(row[4], row[5], &r) ? 1 : -1;
		if (outcome < 0)
			print_error("%s %s(%s; %s): got %s %.17g%s, expected %s within %s\n", row[0], row[1], row[2],
				    row[3], stat_status_name(s), s ? 0 : r.number, !s && r.word ? r.word : "", row[4],
				    row[5]);
	}
	free(inputs);
	free(params);
	return outcome;
}

/* Checks a topic; prints what is not implemented, once a name. */
static void topic_check(const char *name, size_t least)
{
	struct topic *t = xcalloc(1, sizeof *t);
	size_t n_good = 0, n_wrong = 0, n_missing = 0;
	const char *missing[200];
	topic_read(t, name);
	for (size_t i = 1; i < t->expected.n; i++) {
		int outcome = row_check(t, t->expected.row[i]);
		n_good += outcome > 0;
		n_wrong += outcome < 0;
		size_t j = 0;
		while (!outcome && j < n_missing && strcmp(missing[j], t->expected.row[i][1]))
			j++;
		if (!outcome && j == n_missing && n_missing < 200)
			missing[n_missing++] = t->expected.row[i][1];
	}
	print_message("%s: %zu of %zu rows checked, %zu wrong, %zu statistics not implemented:", name, n_good,
		      t->expected.n - 1, n_wrong, n_missing);
	for (size_t j = 0; j < n_missing; j++)
		print_message(" %s", missing[j]);
	print_message("\n");
	topic_release(t);
	free(t);
	assert_int_equal(n_wrong, 0);
	assert_true(n_good >= least);
}

/* The numbers are what was reached: fewer means that a statistic or a data file went missing. */
static void test_stats(void **state)
{
	(void)state;
	topic_check("stats", 978);
}

static void test_protocol(void **state)
{
	(void)state;
	topic_check("protocol", 347);
}

static void test_nist(void **state)
{
	(void)state;
	topic_check("nist", 85);
}

static void test_iso5725(void **state)
{
	(void)state;
	topic_check("iso5725", 323);
}

static void test_paper(void **state)
{
	(void)state;
	topic_check("paper", 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stats),   cmocka_unit_test(test_protocol), cmocka_unit_test(test_nist),
	    cmocka_unit_test(test_iso5725), cmocka_unit_test(test_paper),
	};
	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("statistics against the oracle", tests, NULL, NULL);
}
