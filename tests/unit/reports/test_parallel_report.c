/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a campaign with parallel applications: every form shows their execution times. */
#include <unistd.h>

#include "tests/unit/validate/made_parallel.h"
#include "tests/unit/validate/temp_dir.h"

#include "common/files.h"
#include "reports/forms.h"
#include "reports/reasons.h"
#include "validate/analysis/analysis.h"

/* Application on a, recorded on b and c, with two more periods, and with one delayed node; on b. */
static const struct made_pair pairs[] = {
    {1, 0, 1, 0, {0.02, -0.80}},   {2, 0, 1, 0, {-0.05, 0.30}}, {0, 1, 1, 0, {0.01, 0.10}}, {1, 0, 10, 0, {0.12, -0.80}},
    {1, 0, 100, 0, {0.15, -0.80}}, {1, 0, 1, 1, {0.25, -0.80}}, {2, 1, 10, 0, {0.08, 0.10}},
};
enum { N = sizeof pairs / sizeof *pairs };

static char *dir;

/* The terminal form breaks lines at its width. */
static void lines_join(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++)
		if (*from != '\n' && (*from != ' ' || to == text || to[-1] != ' '))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
}

static void expect(const char *name, const char *const *wanted)
{
	struct strbuf text = STRBUF_INIT;
	struct err e = ERR_INIT;
	char *path = xasprintf("%s/report/%s", dir, name);
	if (file_read(path, &text, 0, &e))
		fail_msg("%s", e.msg);
	if (!strcmp(name, "summary.txt"))
		lines_join(text.s);
	for (; *wanted; wanted++)
		if (!strstr(text.s, *wanted))
			fail_msg("%s does not say \"%s\"", name, *wanted);
	strbuf_release(&text);
	free(path);
}

static void test_forms(void **state)
{
	(void)state;
	static const char *const terminal[] = {"Parallel applications", "% on average over 7 cases",
					       "% at most (checkpoint on", NULL};
	static const char *const html[] = {"id=\"parallel\"",
					   "<h2 id=\"parallel\">Parallel applications", NULL};
	static const char *const replayers[] = {"checkpoint,a,1,all,", "checkpoint,a,10,all,",
						"checkpoint,a,1,1,", "checkpoint,b,1,all,", NULL};
	static const char *const worst[] = {"recorded_on", "tracing_increase", NULL};
	static const char *const json[] = {
	    "\"parallel\": {",           "\"error_size\": {",
	    "\"predicted_error\": 0.25", "\"program_bytes_per_s\": [",
	    "\"n_delayed\": 2",          NULL};
	struct campaign c;
	struct analysis a;
	struct err e = ERR_INIT;
	made_parallel(&c, pairs, N, 6);
	c.results.dir = dir = temp_dir_make();
	c.results.environment = json_object();
	assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
	assert_int_equal(analysis_describe(&a, NULL), 0);
	analysis_word(&a);
	if (report_write_all(&a, dir, &e))
		fail_msg("%s", e.msg);
	expect("summary.txt", terminal);
	expect("index.html", html);
	expect("tables/parallel-replayers.csv", replayers);
	expect("tables/parallel-worst.csv", worst);
	expect("report.json", json);
	expect("plots/parallel-error.gp",
	       (const char *const[]){"boxerrorbars", "'checkpoint, a'", NULL});
	expect("plots/parallel-period-1.dat",
	       (const char *const[]){"\n 1 ", "\n 10 ", "\n 100 ", NULL});
	expect("plots/parallel-nodes-1.dat", (const char *const[]){"\n 1 ", "\n 2 ", NULL});
	expect("plots/bandwidth-1.gp", (const char *const[]){"application", NULL});
	analysis_release(&a);
	json_decref(c.results.environment);
	made_parallel_release(&c);
	if (getenv("KEEP_REPORT"))
		printf("# %s\n", dir);
	else
		temp_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
