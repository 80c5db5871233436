/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers of the output of replayers: recorded output (tests/data/replayers), and the same output
 * truncated, or with garbage, NaN, negative and enormous numbers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/formats/text_input.h"
#include "common/files.h"
#include "replay/engines/adapters/outputs.h"

#define DATA "tests/data/replayers/"

struct taken {
	struct adapter_request q[200];
	size_t n;
};

static int take(void *ctx, const struct adapter_request *q, struct err *e)
{
	struct taken *t = ctx;
	if (t->n == 200)
		return err_set(e, ENOSPC, "too many");
	t->q[t->n++] = *q;
	return 0;
}

static char source[4096], own[4096]; /* directories: tests start in the source's root directory */

static const char *data_path(char *buf, size_t size, const char *name)
{
	snprintf(buf, size, "%s/%s%s", source, DATA, name);
	return buf;
}

static int own_enter(void **state)
{
	const char *dir = getenv("TMPDIR");
	(void)state;
	snprintf(own, sizeof own, "%s/outputs-XXXXXX", dir ? dir : "/tmp");
	return getcwd(source, sizeof source / 2) && mkdtemp(own) && !chdir(own) ? 0 : -1;
}

static int own_leave(void **state)
{
	(void)state;
	return chdir(source) || rmdir(own);
}

/* A file of the test with this text. */
static char *text_file(const char *text, size_t len)
{
	static char path[] = "test-outputs-XXXXXX";
	strcpy(path, "test-outputs-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, text, len), 0);
	close(fd);
	return path;
}

typedef int (*reader)(const char *path, const struct request_taker *taker, struct err *e);

static int read_text(reader r, const char *text, struct taken *t, struct err *e)
{
	const struct request_taker taker = {take, t};
	char *path = text_file(text, strlen(text));
	t->n = 0;
	err_clear(e);
	int ret = r(path, &taker, e);
	unlink(path);
	return ret;
}

static int read_data(reader r, const char *name, struct taken *t, struct err *e)
{
	char path[8192];
	const struct request_taker taker = {take, t};
	t->n = 0;
	return r(data_path(path, sizeof path, name), &taker, e);
}

/* For every truncation of a recorded output, reading fails or returns requests: never more than the
 * output has, and no impossible request. */
static void cut_everywhere(reader r, const char *name, size_t n_requests)
{
	char path[8192];
	struct strbuf all = STRBUF_INIT;
	struct err e = ERR_INIT;
	struct taken t;
	const struct request_taker taker = {take, &t};
	assert_int_equal(file_read(data_path(path, sizeof path, name), &all, 0, &e), 0);
	size_t n_failed = 0;
	for (size_t len = 0; len < all.len; len += 1 + len / 50) {
		char *cut = text_file(all.s, len);
		t.n = 0;
		err_clear(&e);
		int ret = r(cut, &taker, &e);
		unlink(cut);
		n_failed += ret != 0;
		assert_true(!ret || ret == -EBADMSG);
		assert_true(!ret == !e.msg[0]);
		assert_true(t.n <= n_requests);
		for (size_t i = 0; i < t.n; i++)
			assert_true(t.q[i].end_ns == TIME_NONE || t.q[i].end_ns >= t.q[i].begin_ns);
	}
	assert_true(n_failed > 0);
	strbuf_release(&all);
}

/* --- blkreplay ----------------------------------------------------------- */

static void test_blkreplay(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct taken t;
	assert_int_equal(read_data(blkreplay_output_read, "blkreplay/output", &t, &e), 0);
	assert_int_equal(t.n, 40);
	/* "0.000000000 ; 40680 ; 8 ; W ; 0.000097522 ; 0.000097827" */
	assert_int_equal(t.q[0].op, OP_PWRITE);
	assert_int_equal(t.q[0].offset, 40680 * 512);
	assert_int_equal(t.q[0].length, 4096);
	assert_int_equal(t.q[0].begin_ns, 97522);
	assert_int_equal(t.q[0].end_ns, 97522 + 97827);
	/* "0.003722044 ; 90648 ; 8 ; R ; 0.000138470 ; 0.000292210" */
	assert_int_equal(t.q[1].op, OP_PREAD);
	assert_int_equal(t.q[1].begin_ns, 3722044 + 138470);
	assert_int_equal(t.q[1].end_ns, 3722044 + 138470 + 292210);
	assert_true(t.q[0].seq == ADAPTER_NONE);
}

#define BLK_HEAD "orig_start ; sector; length ; op ;  replay_delay; replay_duration\n"

static void test_blkreplay_bad(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"Copyright\n", "no table of requests"},
		{"ERROR: cannot open file\n", "line 1: blkreplay: ERROR: cannot open file"},
		{BLK_HEAD "0.0 ; 1 ; 8 ; R ; 0.0 ; 0.1\n", "ends within the table"},
		{BLK_HEAD "0.0 ; 1 ; 8 ; R ; 0.0\n----\n", "line 2: \"0.0 ; 1 ; 8 ; R ; 0.0\": expected"},
		{BLK_HEAD "0.0 ; 1 ; 8 ; R ; nan ; 0.1\n----\n", "line 2: delay"},
		{BLK_HEAD "0.0 ; 1 ; 8 ; R ; 0.0 ; inf\n----\n", "line 2: duration"},
		{BLK_HEAD "0.0 ; 1 ; 8 ; R ; 0.0 ; -0.1\n----\n", "out of range"},
		{BLK_HEAD "0.0 ; -1 ; 8 ; R ; 0.0 ; 0.1\n----\n", "out of range"},
		{BLK_HEAD "0.0 ; 99999999999999999999 ; 8 ; R ; 0.0 ; 0.1\n----\n", "line 2: sector"},
		{BLK_HEAD "0.0 ; 1 ; 8 ; X ; 0.0 ; 0.1\n----\n", "neither R nor W"},
		{BLK_HEAD "1.0 ; 8 ; garbage\n----\n", "\"1.0 ; 8 ; garbage\": expected start, sector, length"},
	};
	struct err e = ERR_INIT;
	struct taken t;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(read_text(blkreplay_output_read, bad[i].text, &t, &e), -EBADMSG);
		if (!strstr(e.msg, bad[i].message))
			fail_msg("%zu: \"%s\" is not in \"%s\"", i, bad[i].message, e.msg);
	}
	/* it made none */
	assert_int_equal(read_text(blkreplay_output_read, BLK_HEAD "----\n", &t, &e), 0);
	assert_int_equal(t.n, 0);
	cut_everywhere(blkreplay_output_read, "blkreplay/output", 40);
}

/* --- fio ----------------------------------------------------------------- */

static void test_fio_psync(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct taken t;
	assert_int_equal(read_data(fio_logs_read, "fio/psync", &t, &e), 0);
	assert_int_equal(t.n, 40);
	for (size_t i = 0; i < t.n; i++)
		assert_true(t.q[i].end_ns != TIME_NONE && t.q[i].length == 4096);
	assert_int_equal(t.q[0].offset, 40680 * 512); /* in the order of the trace */
	assert_int_equal(t.q[0].op, OP_PWRITE);
	assert_int_equal(t.q[0].end_ns % 1000000, 500000);
}

/* For libaio, fio's log lacks the last completions; every submission is returned, in order. */
static void test_fio_libaio(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct taken t;
	size_t n_open = 0;
	assert_int_equal(read_data(fio_logs_read, "fio/libaio", &t, &e), 0);
	assert_int_equal(t.n, 40);
	for (size_t i = 0; i < t.n; i++)
		n_open += t.q[i].end_ns == TIME_NONE;
	assert_int_equal(n_open, 7);
	assert_int_equal(t.q[0].offset, 40680 * 512);
	assert_int_equal(t.q[1].offset, 36736 * 512);
}

static int fio_pair(const char *lat, const char *slat, struct taken *t, struct err *e)
{
	const struct request_taker taker = {take, t};
	assert_int_equal(file_write_atomic("pair_lat.1.log", lat, strlen(lat), NULL), 0);
	assert_int_equal(file_write_atomic("pair_slat.1.log", slat, strlen(slat), NULL), 0);
	t->n = 0;
	err_clear(e);
	int ret = fio_logs_read("pair", &taker, e);
	unlink("pair_lat.1.log");
	unlink("pair_slat.1.log");
	return ret;
}

static void test_fio_joined(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct taken t;
	/* the same transfer twice: matched in order; a completion without a submission; a
	 * submission without a completion */
	assert_int_equal(
	    fio_pair(
		"10, 2000000, 0, 512, 1024, 0\n12, 1000000, 0, 512, 1024, 0\n13, 1, 1, 512, 4096, "
		"0\n",
		"8, 1000, 0, 512, 1024, 0\n9, 1000, 1, 512, 1024, 0\n11, 1000, 0, 512, 1024, 0\n",
		&t, &e),
	    0);
	assert_int_equal(t.n, 4);
	assert_int_equal(t.q[0].begin_ns, 8500000);
	assert_int_equal(t.q[0].end_ns, 10500000);
	assert_int_equal(t.q[1].op, OP_PWRITE);
	assert_true(t.q[1].end_ns == TIME_NONE);
	assert_int_equal(t.q[1].begin_ns, 9500000 - 1000);
	assert_int_equal(t.q[2].begin_ns, 11500000);
	assert_int_equal(t.q[3].offset, 4096);
	assert_int_equal(fio_pair("nan, 1, 0, 512, 0, 0\n", "", &t, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "line 1: time"));
	assert_int_equal(fio_pair("1, 1, 0, 512, 0, 0\n2, -5, 0, 512, 0, 0\n", "", &t, &e),
			 -EBADMSG);
	assert_non_null(strstr(e.msg, "line 2"));
	assert_int_equal(t.n, 1); /* earlier requests are returned */
	assert_int_equal(fio_pair("1, 1, 7, 512, 0, 0\n", "", &t, &e), -EBADMSG);
	assert_int_equal(fio_pair("1, 1, 0\n", "", &t, &e), -EBADMSG);
	assert_int_equal(fio_pair("99999999999999, 1, 0, 512, 0, 0\n", "", &t, &e), -EBADMSG);
	const struct request_taker taker = {take, &t};
	assert_int_equal(fio_logs_read("nowhere", &taker, &e), -ENOENT);
}

/* --- ARTC ---------------------------------------------------------------- */

static void test_artc(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct taken t;
	size_t n_pwrite = 0;
	assert_int_equal(read_data(artc_output_read, "artc/output", &t, &e), 0);
	assert_int_equal(t.n, 27); /* of 28 lines: ARTC's own threadspawn is no call */
	for (size_t i = 0; i < t.n; i++) {
		assert_true(t.q[i].end_ns >= t.q[i].begin_ns && t.q[i].tid >= 4056 &&
			    t.q[i].tid <= 4058);
		n_pwrite += t.q[i].op == OP_PWRITE;
	}
	assert_int_equal(n_pwrite, 6);
	cut_everywhere(artc_output_read, "artc/output", 27);
	assert_int_equal(read_text(artc_output_read, "elapsed_time: 1.0\n", &t, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "no log of a thread"));
	assert_int_equal(read_text(artc_output_read,
				   "thread_log(7): open:5:3 pread:9:2\nelapsed_time: 1.0\n", &t,
				   &e),
			 0);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.q[1].begin_ns, 9);
	assert_int_equal(t.q[1].end_ns, 11);
	static const char *const bad[] = {"thread_log(x): open:5:3\n",
					  "thread_log(7): open:5\n",
					  "thread_log(7): open:nan:3\n",
					  "thread_log(7): open:5:-3\n",
					  "thread_log(7): open:99999999999999999999:3\n",
					  "thread_log(99999999999): open:5:3\n"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(read_text(artc_output_read, bad[i], &t, &e), -EBADMSG);
}

/* --- beefs_replayer ----------------------------------------------------------- */

static void test_beefs(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct taken t;
	assert_int_equal(read_data(beefs_output_read, "beefs/output", &t, &e), 0);
	assert_int_equal(t.n, 22);
	for (size_t i = 0; i < t.n; i++)
		assert_true(t.q[i].seq == ADAPTER_NONE &&
			    t.q[i].op == OP_INVALID); /* line k belongs to request k of the input */
	assert_int_equal(t.q[0].begin_ns, INT64_C(1795305011079783000));
	assert_int_equal(t.q[0].end_ns, INT64_C(1795305011079848000));
	assert_int_equal(t.q[1].rvalue, 4);
	assert_int_equal(t.q[21].rvalue, -EIO); /* expected 0, was -1 */
	cut_everywhere(beefs_output_read, "beefs/output", 22);
	static const char *const bad[] = {"",
					  "1 2 3\n",
					  "r\n1 0 1 0 1 0 0.0 0 0 5\n1 0 1 0 1 0 0.0 0 0\n",
					  "1 0 1 0 1 0 0.0 0 0 5\n1 nan 1 0 1 0 0.0 0 0 5\n",
					  "1 0 1 0 1 0 0.0 0 0 5\n1 1000000 1 0 1 0 0.0 0 0 5\n",
					  "1 0 1 0 1 0 0.0 0 0 5\n-1 0 1 0 1 0 0.0 0 0 5\n"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(read_text(beefs_output_read, bad[i], &t, &e), -EBADMSG);
}

/* --- lines --------------------------------------------------------------- */

static int nothing(void *ctx, char *line, struct err *e)
{
	(void)e;
	*(size_t *)ctx += strlen(line);
	return 0;
}

static void test_lines(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	size_t n = 0, size = TEXT_LINE_MAX + 10;
	char *path = text_file("a\0b\n", 4), *large = malloc(size);
	assert_int_equal(lines_read(path, nothing, &n, &e), -EBADMSG);
	unlink(path);
	memset(large, 'x', size);
	path = text_file(large, size); /* a line without an end */
	assert_int_equal(lines_read(path, nothing, &n, &e), -EBADMSG);
	unlink(path);
	n = 0;
	path = text_file("ab\r\ncd", 6);
	assert_int_equal(lines_read(path, nothing, &n, &e), 0);
	assert_int_equal(n, 4);
	unlink(path);
	free(large);
	assert_int_equal(lines_read("nowhere", nothing, &n, &e), -ENOENT);
	assert_int_equal(lines_read(".", nothing, &n, &e), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_blkreplay),  cmocka_unit_test(test_blkreplay_bad),
	    cmocka_unit_test(test_fio_psync),  cmocka_unit_test(test_fio_libaio),
	    cmocka_unit_test(test_fio_joined), cmocka_unit_test(test_artc),
	    cmocka_unit_test(test_beefs),      cmocka_unit_test(test_lines),
	};
	return cmocka_run_group_tests(tests, own_enter, own_leave);
}
