/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <gcrypt.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/validate/temp_dir.h"
#include "tests/unit/validate/trace_file.h"
#include "validate/analysis/analysis.h"
#include "validate/results/journal.h"
#include "validate/results/results_file.h"
#include "validate/results/summaries.h"

static const char protocol_text[] = "[protocol]\nreplicates = 2\nbank = 1\n"
				    "[workload a]\ntype = random-read\n"
				    "[replayer event]\n";
#define N_RUNS 7 /* a recording, blocks 0 to 2 of two roles */

static void summary_write(const char *dir, const struct protocol *p, uint32_t id)
{
	struct trace_record r[3];
	struct trace_meta meta = trace_file_meta();
	struct err e = ERR_INIT;
	for (int i = 0; i < 3; i++)
		r[i] = (struct trace_record){.seq = (uint64_t)i,
					     .begin_ns = 1000 * i,
					     .end_ns = 1000 * i + 100 + id,
					     .intended_ns = TIME_NONE,
					     .dispatch_ns = TIME_NONE,
					     .offset = 0,
					     .length = 10,
					     .rvalue = 10,
					     .pid = 1,
					     .tid = 1,
					     .object = 0,
					     .fd = 3,
					     .heap = HEAP_NONE,
					     .op = OP_PREAD};
	char *trace = xasprintf("%s/trace", dir), *path = results_run_path(dir, id);
	trace_file_write(trace, r, 3, &meta, false, false);
	struct run run = {.id = id, .role = ROLE_PROGRAM};
	if (summary_compute(&run.summary, trace, NULL, NULL, &e) < 0)
		fail_msg("%s", e.msg);
	json_t *o = run_summary_file(&run, p);
	assert_non_null(o);
	assert_int_equal(json_write_file(path, o, JSON_COMPACT, &e), 0);
	json_decref(o);
	summary_release(&run.summary);
	unlink(trace);
	free(trace);
	free(path);
}

/* A directory with all runs done; run 3 failed. */
static char *results_make(void)
{
	char *dir = temp_dir_make(), *path, *runs = xasprintf("%s/runs", dir);
	struct protocol p;
	struct design d;
	struct journal j;
	struct err e = ERR_INIT;
	assert_int_equal(dir_create(runs, &e), 0);
	free(runs);
	file_put(dir, "protocol.conf", protocol_text, strlen(protocol_text));
	file_put(dir, "environment.json", "{\"protocol\": {\"name\": \"mine\"}}", 30);
	path = xasprintf("%s/protocol.conf", dir);
	assert_int_equal(protocol_read(&p, path, &e), 0);
	free(path);
	design_make(&d, &p);
	assert_int_equal(d.n_runs, N_RUNS);
	json_t *o = design_to_json(&d, &p);
	path = results_path(dir, "plan.json");
	assert_int_equal(json_write_file(path, o, 0, &e), 0);
	json_decref(o);
	free(path);
	path = results_path(dir, "journal");
	assert_int_equal(journal_open(&j, path, 1, &e), 0);
	free(path);
	struct run *run = results_runs_make(&d);
	for (uint32_t i = 0; i < N_RUNS; i++) {
		run[i].state = i == 3 ? RUN_FAILED : RUN_OK;
		run[i].reason = i == 3 ? xstrdup("ended by signal 11") : NULL;
		run[i].run_s = 0.25;
		run[i].residency.cached_bytes = 4096;
		run[i].cgroup_limit_bytes = 1 << 20;
		if (i != 3)
			summary_write(dir, &p, i);
		o = run_to_event(&run[i]);
		assert_int_equal(journal_append(&j, o, &e), 0);
		json_decref(o);
	}
	results_runs_free(run, N_RUNS);
	journal_close(&j);
	design_release(&d);
	protocol_release(&p);
	return dir;
}

static void test_whole(void **state)
{
	(void)state;
	char *dir = results_make();
	struct results r;
	struct err e = ERR_INIT;
	if (results_load(&r, dir, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(r.n_runs, N_RUNS);
	assert_true(r.finished);
	assert_int_equal(r.n_damaged_journal_lines, 0);
	/* not "protocol", which would be the name of every directory */
	assert_string_equal(r.protocol.title, "mine");
	for (uint32_t i = 0; i < N_RUNS; i++) {
		assert_int_equal(r.run[i].state, i == 3 ? RUN_FAILED : RUN_OK);
		assert_int_equal(r.run[i].has_summary, i != 3);
		assert_int_equal(r.run[i].residency.cached_bytes, 4096);
		assert_int_equal(r.run[i].cgroup_limit_bytes, 1 << 20);
		assert_true(r.run[i].run_s == 0.25);
		if (i != 3)
			assert_true(r.run[i].summary.response.mean == 100 + i);
		/* or memory would grow by 100 kB per run */
		assert_null(r.run[i].summary.response_histogram.count);
	}
	struct run again = {.id = 0};
	assert_int_equal(run_summary_read(&again, dir, &e), 0);
	assert_int_equal(again.summary.response_histogram.n, 3);
	summary_release(&again.summary);
	assert_string_equal(r.run[3].reason, "ended by signal 11");
	assert_null(r.run[0].reason);
	assert_int_equal(r.run[0].role, ROLE_RECORD);
	results_release(&r);
	temp_dir_remove(dir);
}

/* Histograms are not kept, but a report has the distances that need them. */
static void test_distances(void **state)
{
	(void)state;
	char *dir = results_make(), *path = results_run_path(dir, 6);
	struct results r;
	struct analysis a;
	struct err e = ERR_INIT;
	struct histogram h;
	if (results_load(&r, dir, &e) < 0 || analysis_compute(&a, &r, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(a.cell[0].n_pairs, 1); /* runs 5 and 6, of 105 and 106 ns */
	assert_true(isnan(a.cell[0].ks_distance));
	assert_int_equal(analysis_describe(&a, NULL), 0);
	assert_true(a.cell[0].ks_distance == 1);
	assert_true(fabs(a.cell[0].wasserstein * a.cell[0].r.mean - 1) < 1e-9);
	analysis_release(&a);
	unlink(path);
	assert_int_equal(results_histogram(&h, &r, &r.run[6], &e), -ENOENT);
	assert_int_equal(h.n, 0);
	assert_int_equal(analysis_compute(&a, &r, &e), 0);
	assert_int_equal(analysis_describe(&a, &e), 0);
	assert_true(isnan(a.cell[0].ks_distance) && isnan(a.cell[0].wasserstein));
	analysis_release(&a);
	/* an error is no absence */
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(analysis_compute(&a, &r, &e), 0);
	assert_int_equal(analysis_describe(&a, &e), -EISDIR);
	assert_non_null(strstr(e.msg, "000006.json"));
	analysis_release(&a);
	results_release(&r);
	free(path);
	temp_dir_remove(dir);
}

static void fails(const char *dir, int code, const char *name)
{
	struct results r;
	struct err e = ERR_INIT;
	int ret = results_load(&r, dir, &e);
	if (ret != -code || !strstr(e.msg, name))
		fail_msg("returned %d instead of %d: %s (expected to name %s)", ret, -code, e.msg,
			 name);
}

static void test_no_results(void **state)
{
	(void)state;
	fails("/no/such/directory", ENOENT, "/no/such/directory");
	fails("/proc/self/exe", ENOTDIR, "/proc/self/exe");
	char *dir = temp_dir_make();
	fails(dir, EINVAL, "protocol.conf is missing");
	temp_dir_remove(dir);
}

/* Every required file: missing, empty, truncated and with random content. Never a crash; the
 * message names the file. */
static void test_damaged_files(void **state)
{
	(void)state;
	static const char *const names[] = {"protocol.conf", "environment.json", "plan.json",
					    "journal"};
	static const char rubbish[] = "\x80\xff{\"a\":[[[[1e999";
	for (size_t i = 0; i < 4; i++) {
		char *dir = results_make(), *path = results_path(dir, names[i]);
		struct strbuf text = STRBUF_INIT;
		struct results r;
		struct err e = ERR_INIT;
		file_get(dir, names[i], &text);
		for (size_t len = 0; len < text.len; len += text.len / 7 + 1) {
			file_put(dir, names[i], text.s, len);
			err_clear(&e);
			if (results_load(&r, dir, &e) == 0) {
				/* a truncated journal looks like a killed campaign */
				assert_int_equal(i, 3);
				assert_false(r.finished);
				results_release(&r);
			} else {
				assert_non_null(strstr(e.msg, names[i]));
			}
		}
		file_put(dir, names[i], rubbish, sizeof rubbish - 1);
		err_clear(&e);
		if (results_load(&r, dir, &e) == 0) {
			assert_int_equal(i, 3);
			results_release(&r);
		} else {
			assert_non_null(strstr(e.msg, names[i]));
		}
		unlink(path);
		err_clear(&e);
		assert_true(results_load(&r, dir, &e) < 0);
		assert_non_null(strstr(e.msg, names[i]));
		strbuf_release(&text);
		free(path);
		temp_dir_remove(dir);
	}
}

/* Whatever replaces a file, reading ends and never waits. */
static void test_no_files(void **state)
{
	(void)state;
	static const char *const names[] = {"protocol.conf", "environment.json", "plan.json",
					    "journal", "runs/000002.json"};
	alarm(60);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (int kind = 0; kind < 3; kind++) {
			char *dir = results_make(), *path = results_path(dir, names[i]);
			struct results r;
			struct err e = ERR_INIT;
			unlink(path);
			assert_int_equal(kind == 0   ? mkfifo(path, 0600)
					 : kind == 1 ? symlink("/dev/zero", path)
						     : mkdir(path, 0700),
					 0);
			int ret = results_load(&r, dir, &e);
			if (i < 4) {
				assert_int_equal(ret, kind == 2 ? -EISDIR : -EINVAL);
				assert_non_null(strstr(e.msg, names[i]));
			} else {
				assert_int_equal(ret, 0);
				assert_int_equal(r.run[2].state, RUN_FAILED);
				assert_non_null(strstr(r.run[2].reason, names[i]));
				results_release(&r);
			}
			free(path);
			temp_dir_remove(dir);
		}
	alarm(0);
}

/* A plan that would need more memory than the plan of its protocol. */
static void test_plan_of_too_many(void **state)
{
	(void)state;
	char *dir = results_make(), *path = results_path(dir, "plan.json");
	struct err e = ERR_INIT;
	json_t *o;
	assert_int_equal(json_read_file(path, &o, &e), 0);
	json_t *runs = json_object_get(o, "runs");
	json_array_append(runs, json_array_get(runs, 3));
	assert_int_equal(json_write_file(path, o, 0, &e), 0);
	fails(dir, EINVAL, "more runs (");
	json_decref(o);
	free(path);
	temp_dir_remove(dir);
}

static void test_damaged_summary(void **state)
{
	(void)state;
	static const char *const contents[] = {"",
					       "{",
					       "[]",
					       "null",
					       "{\"version\":1,\"run\":2,\"summary\":{}}",
					       "{\"version\":2,\"run\":2,\"summary\":{}}"};
	char *dir = results_make(), *two = results_run_path(dir, 2),
	     *four = results_run_path(dir, 4);
	struct results r;
	struct err e = ERR_INIT;
	for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
		file_put(dir, "runs/000002.json", contents[i], strlen(contents[i]));
		assert_int_equal(results_load(&r, dir, &e), 0);
		assert_int_equal(r.run[2].state, RUN_FAILED);
		assert_non_null(strstr(r.run[2].reason, "000002.json"));
		assert_int_equal(r.run[4].state, RUN_OK);
		assert_true(r.finished);
		results_release(&r);
	}
	static const char later[] = "{\"version\":2,\"run\":2,\"summary\":{}}",
			  environment[] = "{\"version\":2}";
	file_put(dir, "runs/000002.json", later, sizeof later - 1);
	assert_int_equal(results_load(&r, dir, &e), 0);
	assert_non_null(
	    strstr(r.run[2].reason, "version 2 of its format, but this version of validate"));
	results_release(&r);
	assert_int_equal(rename(four, two), 0); /* that of another run */
	assert_int_equal(results_load(&r, dir, &e), 0);
	assert_int_equal(r.run[2].state, RUN_FAILED);
	assert_int_equal(r.run[4].state, RUN_FAILED);
	assert_non_null(strstr(r.run[2].reason, "not the summary of run 2"));
	results_release(&r);
	file_put(dir, "environment.json", environment, sizeof environment - 1);
	assert_int_equal(results_load(&r, dir, &e), -EPROTONOSUPPORT);
	assert_non_null(strstr(
	    e.msg, "environment.json: the file has version 2 of its format, but this version of"));
	free(two);
	free(four);
	temp_dir_remove(dir);
}

static void summary_line_put(const char *dir, uint32_t id)
{
	char *path = results_run_path(dir, id);
	struct err e = ERR_INIT;
	json_t *o;
	assert_int_equal(json_read_file(path, &o, &e), 0);
	assert_int_equal(summaries_append(dir, id, o, true, NULL, &e), 0);
	json_decref(o);
	free(path);
}

/* As many bytes, all of them invalid: a reader that has a summary then has it from its line. */
static void file_blank(const char *dir, const char *name)
{
	struct strbuf text = STRBUF_INIT;
	file_get(dir, name, &text);
	memset(text.s, ' ', text.len);
	file_put(dir, name, text.s, text.len);
	strbuf_release(&text);
}

static void two_is(const char *dir, enum run_state state, double mean)
{
	struct results r;
	struct err e = ERR_INIT;
	assert_int_equal(results_load(&r, dir, &e), 0);
	assert_int_equal(r.run[2].state, state);
	assert_int_equal(r.run[2].has_summary, state == RUN_OK);
	if (state == RUN_OK)
		assert_true(r.run[2].summary.response.mean == mean && r.run[2].summary.n_ops == 1 &&
			    !r.run[2].summary.response_histogram.count);
	assert_int_equal(r.run[4].state, RUN_OK);
	assert_int_equal(r.run[3].state, RUN_FAILED);
	results_release(&r);
}

static void test_summaries_in_one_file(void **state)
{
	(void)state;
	char *dir = results_make(), *all = results_path(dir, "summaries");
	struct strbuf text = STRBUF_INIT, two = STRBUF_INIT;
	file_get(dir, "runs/000002.json", &two);
	for (uint32_t i = 0; i < N_RUNS; i++)
		if (i != 3)
			summary_line_put(dir, i);
	two_is(dir, RUN_OK, 102);
	file_blank(dir, "runs/000002.json");
	two_is(dir, RUN_OK, 102);
	/* a line that is damaged, truncated or missing; lines that are appended after it count
	 * again */
	file_get(dir, "summaries", &text);
	char *at = strstr(text.s, "\"run\":2,");
	assert_non_null(at);
	at[6] = '1';
	file_put(dir, "summaries", text.s, text.len);
	two_is(dir, RUN_FAILED, 0);
	at[6] = '2';
	file_put(dir, "summaries", text.s, (size_t)(at - text.s));
	two_is(dir, RUN_FAILED, 0);
	file_put(dir, "runs/000002.json", two.s, two.len);
	two_is(dir, RUN_OK, 102);
	summary_line_put(dir, 2);
	file_blank(dir, "runs/000002.json");
	two_is(dir, RUN_OK, 102);
	/* the file of the run differs from the digest in its line; `summaries` is missing */
	file_put(dir, "runs/000002.json", two.s, two.len - 2);
	two_is(dir, RUN_FAILED, 0);
	file_put(dir, "runs/000002.json", two.s, two.len);
	assert_int_equal(unlink(all), 0);
	two_is(dir, RUN_OK, 102);
	assert_int_equal(mkdir(all, 0777), 0);
	two_is(dir, RUN_OK, 102);
	free(all);
	strbuf_release(&text);
	strbuf_release(&two);
	temp_dir_remove(dir);
}

/* Adds run 2 to the journal once more, with the digests of its file and of its line in
 * `summaries`. */
static void two_seal(const char *dir)
{
	struct run run = {.id = 2, .state = RUN_OK};
	char *path = results_run_path(dir, 2), *journal = results_path(dir, "journal");
	struct journal j;
	struct err e = ERR_INIT;
	json_t *o;
	assert_int_equal(json_read_file(path, &o, &e), 0);
	assert_int_equal(file_digest(path, run.file_sha256, &e), 0);
	assert_int_equal(summaries_append(dir, 2, o, true, run.line_sha256, &e), 0);
	json_decref(o);
	assert_int_equal(journal_open(&j, journal, 0, &e), 0);
	o = run_to_event(&run);
	assert_int_equal(journal_append(&j, o, &e), 0);
	journal_close(&j);
	json_decref(o);
	free(journal);
	free(path);
}

/* Another mean in the line of run 2, with a valid checksum. */
static void line_rewrite(const char *dir)
{
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
	struct err e = ERR_INIT;
	file_get(dir, "summaries", &text);
	json_t *o = journal_parse_line(text.s, text.len - 1);
	assert_non_null(o);
	json_object_del(o, "crc");
	json_object_set_new(json_object_get(json_object_get(o, "summary"), "response"), "mean",
			    json_real(5));
	assert_int_equal(journal_line_add(&line, o, &e), 0);
	assert_true(line.len != text.len || memcmp(line.s, text.s, text.len));
	file_put(dir, "summaries", line.s, line.len);
	json_decref(o);
	strbuf_release(&text);
	strbuf_release(&line);
}

static void test_changed_after_the_campaign(void **state)
{
	(void)state;
	char *dir = results_make();
	struct strbuf two = STRBUF_INIT;
	struct results r;
	struct err e = ERR_INIT;
	two_seal(dir);
	two_is(dir, RUN_OK, 102);
	line_rewrite(dir); /* its file says what it was */
	two_is(dir, RUN_OK, 102);
	file_get(dir, "runs/000002.json", &two);
	char *at = strstr(two.s, "102");
	assert_non_null(at);
	at[2] = '3';
	file_put(dir, "runs/000002.json", two.s, two.len);
	assert_int_equal(results_load(&r, dir, &e), 0);
	assert_int_equal(r.seal.state, SEAL_BROKEN);
	assert_int_equal(r.seal.n_changes, 1);
	assert_int_equal(seal_require(&r.seal, dir, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "runs/000002.json was changed after the campaign wrote it"));
	results_release(&r);
	strbuf_release(&two);
	temp_dir_remove(dir);
}

static int failing_calls; /* errno of pread() and lstat() of a summary's file; 0: they succeed */

/* The library calls these functions instead of the C library's. */
ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	if (!failing_calls)
		return syscall(SYS_pread64, fd, to, n, at);
	errno = failing_calls;
	return -1;
}

int lstat(const char *path, struct stat *st)
{
	if (!failing_calls || !strstr(path, "/runs/"))
		return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
	errno = failing_calls;
	return -1;
}

static void *no_memory(size_t n)
{
	(void)n;
	errno = ENOMEM;
	return NULL;
}

static void load_fails(const char *dir, int code, const char *text)
{
	struct results r;
	struct err e = ERR_INIT;
	assert_int_equal(results_load(&r, dir, &e), -code);
	assert_int_equal(e.code, code);
	assert_non_null(strstr(e.msg, text));
	assert_null(strstr(e.msg, "changed"));
	assert_null(strstr(e.msg, "removed"));
}

/* An error while a digest is computed is returned as that error. It does not mean that a file was
 * changed. */
static void test_unread_is_not_changed(void **state)
{
	(void)state;
	char *dir = results_make(), *path = results_path(dir, "summaries");
	two_seal(dir);
	two_is(dir, RUN_OK, 102);
	gcry_set_allocation_handler(no_memory, NULL, NULL, NULL, NULL);
	load_fails(dir, ENOMEM, "cannot compute a digest");
	assert_int_equal(unlink(path), 0); /* the run's file is read */
	load_fails(dir, ENOMEM, "cannot compute a digest");
	gcry_set_allocation_handler(NULL, NULL, NULL, NULL, NULL);
	failing_calls = EIO;
	load_fails(dir, EIO, "runs/000002.json");
	failing_calls = 0;
	two_is(dir, RUN_OK, 102);
	free(path);
	temp_dir_remove(dir);
}

/* A damaged line in the middle: its run counts as not done. A run that is not in the plan is
 * damage, too. */
static void test_damaged_line(void **state)
{
	(void)state;
	char *dir = results_make(), *path = results_path(dir, "journal");
	struct strbuf text = STRBUF_INIT;
	struct results r;
	struct journal j;
	struct err e = ERR_INIT;
	file_get(dir, "journal", &text);
	char *at = strstr(text.s, "\"run\":4");
	assert_non_null(at);
	at[6] = '5';
	file_put(dir, "journal", text.s, text.len);
	assert_int_equal(results_load(&r, dir, &e), 0);
	assert_int_equal(r.n_damaged_journal_lines, 1);
	assert_int_equal(r.run[4].state, RUN_PENDING);
	assert_false(r.finished);
	results_release(&r);

	static const char *const odd[] = {"{s:s}", "{s:s,s:i}"};
	assert_int_equal(journal_open(&j, path, 0, &e), 0);
	for (int i = 0; i < 2; i++) {
		json_t *o = i ? json_pack(odd[1], "event", "run", "run", 999)
			      : json_pack(odd[0], "event", "run");
		assert_int_equal(journal_append(&j, o, &e), 0);
		json_decref(o);
	}
	journal_close(&j);
	assert_int_equal(results_load(&r, dir, &e), 0);
	assert_int_equal(r.n_damaged_journal_lines, 3);
	results_release(&r);
	strbuf_release(&text);
	free(path);
	temp_dir_remove(dir);
}

/* Stopped at a look: finished with the blocks up to it. */
static void test_look(void **state)
{
	(void)state;
	char *dir = results_make(), *path = results_path(dir, "journal");
	struct strbuf text = STRBUF_INIT;
	struct results r;
	struct journal j;
	struct err e = ERR_INIT;
	file_get(dir, "journal", &text);
	char *at = strstr(text.s, "\"run\":5,"); /* the first of block 2 */
	while (at[-1] != '\n')
		at--;
	file_put(dir, "journal", text.s, (size_t)(at - text.s));
	assert_int_equal(results_load(&r, dir, &e), 0);
	assert_false(r.finished);
	results_release(&r);
	assert_int_equal(journal_open(&j, path, 0, &e), 0);
	json_t *o = json_pack("{s:s, s:i, s:i, s:b}", "event", "look", "look", 0, "replicates", 1,
			      "stop", 1);
	assert_int_equal(journal_append(&j, o, &e), 0);
	json_decref(o);
	journal_close(&j);
	assert_int_equal(results_load(&r, dir, &e), 0);
	assert_true(r.finished);
	results_release(&r);
	strbuf_release(&text);
	free(path);
	temp_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole),
	    cmocka_unit_test(test_distances),
	    cmocka_unit_test(test_no_results),
	    cmocka_unit_test(test_damaged_files),
	    cmocka_unit_test(test_damaged_summary),
	    cmocka_unit_test(test_changed_after_the_campaign),
	    cmocka_unit_test(test_unread_is_not_changed),
	    cmocka_unit_test(test_summaries_in_one_file),
	    cmocka_unit_test(test_damaged_line),
	    cmocka_unit_test(test_look),
	    cmocka_unit_test(test_no_files),
	    cmocka_unit_test(test_plan_of_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
