/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: 12 s */
/* A trace is untrusted data: no file outside the directory is touched, and no trace makes a replay
 * crash or hang. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>

#include "replay/target/rooted.h"
#include "rig.h"

static void put(const char *path, const char *text)
{
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static void expect_content(const char *path, const char *text)
{
	struct strbuf b = STRBUF_INIT;
	assert_int_equal(file_read(path, &b, 1000, NULL), 0);
	assert_string_equal(b.s, text);
	strbuf_release(&b);
}

static size_t n_entries(const char *path)
{
	size_t n = 0;
	DIR *d = opendir(path);
	assert_non_null(d);
	for (struct dirent *x; (x = readdir(d));)
		n += x->d_name[0] != '.';
	closedir(d);
	return n;
}

/* --- confinement --------------------------------------------------------- */

static void attack(struct sample *s, uint32_t n_paths)
{
	int64_t t = 0;
	for (uint32_t i = 0; i < n_paths; i++) {
		static const int flags[] = {
		    O_WRONLY | O_CREAT,
		    O_RDWR | O_CREAT | O_TRUNC,
		    O_WRONLY,
		    O_RDONLY,
		    O_WRONLY | O_CREAT | O_NOFOLLOW,
		    O_WRONLY | O_NOFOLLOW,
		    O_RDONLY | O_NOFOLLOW,
		};
		for (int k = 0; k < (int)(sizeof flags / sizeof *flags); k++, t += 10) {
			sample_open(s, 1, t, t + 1, i, flags[k], 100 + k);
			sample_data(s, 1, t + 2, t + 3, OP_WRITE, 100 + k, i, OFFSET_NONE, 6, 6);
			sample_data(s, 1, t + 4, t + 5, OP_PWRITE, 100 + k, i, 0, 6, 6);
			sample_data(s, 1, t + 6, t + 7, OP_CLOSE, 100 + k, i, OFFSET_NONE, 0, 0);
		}
	}
}

static void nothing_outside_is_touched(void **state)
{
	(void)state;
	struct rig g;
	struct sample s = {.n_paths = 0};
	rig_init(&g);
	char *outside = xasprintf("%s/outside", g.dir), *victim = xasprintf("%s/victim", outside);
	char *link = xasprintf("%s/link", g.tree), *dirlink = xasprintf("%s/dirlink", g.tree),
	     *upward = xasprintf("%s/up", g.tree);
	char *fdlink = xasprintf("%s/fdlink", g.tree);
	mkdir(outside, 0755);
	put(victim, "untouched");
	assert_int_equal(symlink(victim, link), 0);
	assert_int_equal(symlink(outside, dirlink), 0);
	assert_int_equal(symlink("../outside", upward), 0);
	assert_int_equal(symlink("/proc/self/fd/0", fdlink), 0);
	const char *paths[] = {"../outside/victim",
			       "../outside/new",
			       victim,
			       "link",
			       "dirlink/victim",
			       "dirlink/new",
			       "up/victim",
			       "up/new2",
			       "../../../../../../../../../../etc/passwd",
			       "a/../../outside/victim",
			       "fdlink",
			       "..",
			       "/",
			       ""};
	size_t n_run = 0;
	for (s.n_paths = 0; s.n_paths < sizeof paths / sizeof *paths; s.n_paths++) {
		struct sample one = {.paths = {paths[s.n_paths]}, .n_paths = 1};
		attack(&one, 1);
		g.c.prepare = false;
		struct err e = ERR_INIT;
		int ret = rig_replay(&g, &one, &e);
		/* a file that the trace lists may be missing */
		if (ret && ret != -ENOENT && ret != -ENOTDIR && ret != -EISDIR)
			fail_msg("%s: %s", paths[s.n_paths], e.msg);
		n_run += ret == 0;
		assert_int_equal(ret ? one.n : g.s.n_issued, one.n);
		expect_content(victim, "untouched");
		assert_int_equal(n_entries(outside), 1);
		sample_release(&one);
	}
	assert_true(n_run > sizeof paths / sizeof *paths / 2);
	/* the same if requests refer to files that existed before the trace */
	for (size_t i = 0; i < s.n_paths; i++) {
		struct sample one = {.paths = {paths[i]}, .n_paths = 1};
		sample_data(&one, 1, 0, 1, OP_PWRITE, 3, 0, 0, 6, 6);
		for (int prepare = 0; prepare < 2; prepare++) {
			g.c.prepare = prepare;
			(void)rig_replay(&g, &one, NULL);
			expect_content(victim, "untouched");
			assert_int_equal(n_entries(outside), 1);
		}
		sample_release(&one);
	}
	free(outside), free(victim), free(link), free(dirlink), free(upward), free(fdlink);
	rig_release(&g);
	sample_release(&s);
}

static void links_inside_are_followed(void **state)
{
	(void)state;
	struct rig g;
	struct sample s = {.paths = {"link", "/real"}, .n_paths = 2};
	rig_init(&g);
	char *real = xasprintf("%s/real", g.tree), *link = xasprintf("%s/link", g.tree);
	put(real, "0123456789");
	/* absolute: from the root, which is the directory */
	assert_int_equal(symlink("/real", link), 0);
	sample_open(&s, 1, 0, 1, 0, O_RDWR, 3);
	sample_data(&s, 1, 2, 3, OP_READ, 3, 0, 0, 20, 10);
	sample_open(&s, 1, 4, 5, 1, O_RDONLY, 4);
	sample_data(&s, 1, 6, 7, OP_READ, 4, 1, 0, 5, 5);
	g.c.prepare = false;
	assert_int_equal(rig_replay(&g, &s, NULL), 0);
	assert_int_equal(g.s.n_mismatches, 0);
	free(real), free(link);
	rig_release(&g);
	sample_release(&s);
}

static void fifos_and_devices_are_not_opened(void **state)
{
	(void)state;
	for (int at_setup = 0; at_setup < 2; at_setup++) {
		struct rig g;
		struct sample s = {.paths = {"pipe"}, .n_paths = 1};
		struct err e = ERR_INIT;
		rig_init(&g);
		char *pipe = xasprintf("%s/pipe", g.tree);
		assert_int_equal(mkfifo(pipe, 0600), 0);
		if (at_setup)
			sample_data(&s, 1, 0, 1, OP_READ, 3, 0, OFFSET_NONE, 5, 5);
		else
			sample_open(&s, 1, 0, 1, 0, O_RDONLY, 3);
		g.c.prepare = false;
		assert_int_equal(rig_replay(&g, &s, &e), -EPERM);
		assert_non_null(strstr(e.msg, "opens only regular files and directories"));
		free(pipe);
		rig_release(&g);
		sample_release(&s);
	}
}

/* --- hostile and damaged traces ------------------------------------------ */

static void junk_flags_and_numbers(void **state)
{
	(void)state;
	uint64_t seed = 31337;
	for (int round = 0; round < 30; round++) {
		struct rig g;
		struct sample s = {.paths = {"f", "g"}, .n_paths = 2};
		struct err e = ERR_INIT;
		int64_t t = 0;
		for (int i = 0; i < 60; i++, t += (int64_t)(sample_random(&seed) % 3)) {
			static const int64_t rvalues[] = {0, 1, 5, 100, -1, INT64_MAX, 1 << 30};
			static const uint64_t offsets[] = {
			    0,   7, UINT64_MAX, INT64_MAX, (uint64_t)1 << 63, (uint64_t)1 << 40,
			    4096};
			static const uint64_t lengths[] = {0, 1, 64, 4096, 1 << 20};
			static const enum trace_op ops[] = {OP_OPEN,  OP_CLOSE, OP_READ,
							    OP_WRITE, OP_PREAD, OP_PWRITE,
							    OP_LSEEK, OP_FSYNC, OP_FDATASYNC};
			struct trace_record *r =
			    sample_add(&s, (uint32_t)(sample_random(&seed) % 4), t,
				       t + (int64_t)(sample_random(&seed) % 5),
				       ops[sample_random(&seed) % (sizeof ops / sizeof *ops)]);
			r->fd = (int)(sample_random(&seed) % 8) - 1;
			if (sample_random(&seed) % 10 == 0)
				r->fd = INT32_MAX;
			r->object = sample_random(&seed) % 5 ? (uint32_t)(sample_random(&seed) % 2)
							     : OBJECT_NONE;
			if (r->op == OP_OPEN && r->object == OBJECT_NONE)
				r->object = 0;
			r->offset = offsets[sample_random(&seed) % 7];
			r->length = lengths[sample_random(&seed) % 5];
			r->flags = sample_random(&seed) % 2 ? (uint32_t)sample_random(&seed)
							    : O_RDWR | O_CREAT;
			if (r->op == OP_LSEEK)
				r->flags = (uint32_t)(sample_random(&seed) % 9);
			r->rvalue = rvalues[sample_random(&seed) % 7];
			r->error = r->rvalue < 0 ? (uint16_t)(sample_random(&seed) % 140) : 0;
		}
		rig_init(&g);
		g.c.order = round % 5;
		/* a file of 2^40 bytes, or a position that the file system does not support, is
		 * refused; everything else runs */
		int ret = rig_replay(&g, &s, &e);
		if (ret) {
			if (ret != -ENOSPC && ret != -ENOENT && ret != -EINVAL && ret != -EFBIG &&
			    ret != -EISDIR)
				fail_msg("%s", e.msg);
		} else {
			assert_int_equal(g.s.n_issued, 60);
		}
		rig_release(&g);
		sample_release(&s);
	}
}

static void a_thousand_threads(void **state)
{
	(void)state;
	for (int order = ORDER_TEMPORAL; order <= ORDER_NONE; order++) {
		struct rig g;
		struct sample s = {.paths = {"f"}, .n_paths = 1};
		struct err e = ERR_INIT;
		for (uint32_t i = 0; i < 2000; i++)
			sample_data(&s, i % 1000, 10 * i, 10 * i + 25, OP_PREAD, 3, 0, 0, 8, 8);
		rig_init(&g);
		g.c.order = order;
		if (rig_replay(&g, &s, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(g.s.n_issued, 2000);
		assert_int_equal(g.s.n_threads, 1000);
		rig_release(&g);
		sample_release(&s);
	}
}

static void an_empty_trace_is_replayed_to_an_empty_trace(void **state)
{
	(void)state;
	struct rig g;
	struct sample s = {.n_paths = 0};
	struct err e = ERR_INIT;
	rig_init(&g);
	for (int order = ORDER_TEMPORAL; order <= ORDER_NONE; order++) {
		g.c.order = order;
		g.c.n_workers = order == ORDER_NONE ? 3 : 0;
		if (rig_replay(&g, &s, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(g.n, 0);
		assert_int_equal(g.s.n_issued, 0);
	}
	rig_release(&g);
}

static void damaged_and_wrong_inputs(void **state)
{
	(void)state;
	struct rig g;
	struct err e = ERR_INIT;
	struct replay_summary sum;
	uint64_t seed = 8;
	rig_init(&g);
	assert_true(replay_run_summary("/proc/nonexistent/trace", &g.c, &sum, &e) < 0);
	put(g.input, "this is no trace\n");
	assert_true(replay_run_summary(g.input, &g.c, &sum, &e) < 0);
	/* truncated at many places: either the complete part is replayed, or there is a clear
	 * error */
	struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
	struct fileset_entry files[] = {{"a", 20000, false}, {"b", 20000, false}};
	s.files = (struct fileset){files, 2};
	sample_reads(&s, &seed, 2, 300, OP_PREAD);
	sample_write(&s, g.input);
	struct strbuf whole = STRBUF_INIT;
	assert_int_equal(file_read(g.input, &whole, 0, NULL), 0);
	for (size_t len = 0; len < whole.len; len += 1 + whole.len / 23) {
		assert_int_equal(file_write_atomic(g.input, whole.s, len, NULL), 0);
		err_clear(&e);
		int ret = replay_run_summary(g.input, &g.c, &sum, &e);
		assert_true(ret == 0 ? sum.input_incomplete : e.msg[0] != '\0');
	}
	for (size_t at = 20; at < whole.len; at += 1 + whole.len / 41) {
		whole.s[at] ^= 0x55;
		assert_int_equal(file_write_atomic(g.input, whole.s, whole.len, NULL), 0);
		whole.s[at] ^= 0x55;
		err_clear(&e);
		int ret = replay_run_summary(g.input, &g.c, &sum, &e);
		assert_true(ret == 0 || e.msg[0] != '\0');
	}
	strbuf_release(&whole);
	rig_release(&g);
	sample_release(&s);
}

static void wrong_places(void **state)
{
	(void)state;
	struct rig g;
	struct sample s = {.paths = {"a"}, .n_paths = 1};
	struct err e = ERR_INIT;
	struct stat st;
	rig_init(&g);
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 0, 8, 8);
	g.c.prepare = false;
	assert_int_equal(rig_replay(&g, &s, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "--prepare"));
	/* a refused replay leaves no file */
	assert_int_not_equal(stat(g.output, &st), 0);
	g.c.prepare = true;
	g.c.output = g.input;
	assert_int_equal(replay_run_summary(g.input, &g.c, &g.s, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "overwrite the input"));
	g.c.output = "/proc/nonexistent/out";
	assert_true(replay_run_summary(g.input, &g.c, &g.s, &e) < 0);
	g.c.output = NULL;
	assert_int_equal(replay_run_summary(g.input, &g.c, &g.s, &e), 0); /* just the summary */
	g.c.dir = g.input;
	assert_int_equal(replay_run_summary(g.input, &g.c, &g.s, &e), -ENOTDIR);
	g.c.dir = NULL;
	assert_int_equal(replay_run_summary(g.input, &g.c, &g.s, &e), -EINVAL);
	rig_release(&g);
	sample_release(&s);
}

static void more_than_the_disk_holds_is_refused_before_it_is_filled(void **state)
{
	(void)state;
	struct rig g;
	struct sample s = {.paths = {"a"}, .n_paths = 1};
	struct err e = ERR_INIT;
	struct fileset_entry file = {"a", (uint64_t)1 << 60, false};
	s.files = (struct fileset){&file, 1};
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 0, 8, 8);
	rig_init(&g);
	assert_int_equal(rig_replay(&g, &s, &e), -ENOSPC);
	assert_int_equal(n_entries(g.tree), 0);
	rig_release(&g);
	sample_release(&s);
}

/* Such a name is opened without RESOLVE_IN_ROOT. */
static void a_name_with_nofollow_stays_in_its_directory(void **state)
{
	(void)state;
	struct rig g;
	struct rooted r = {.tree = -1};
	struct stat at, up, found;
	rig_init(&g);
	char *link = xasprintf("%s/link", g.tree);
	assert_int_equal(stat(g.tree, &at), 0);
	assert_int_equal(stat(g.dir, &up), 0);
	assert_int_equal(symlink("..", link), 0);
	assert_int_equal(rooted_begin(&r, g.tree, NULL), 0);
	static const char *const inside[] = {"..", ".", "../", "/", "/.."};
	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
		int fd = rooted_open(&r, inside[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
		assert_int_equal(fstat(fd, &found), 0);
		assert_int_equal(found.st_ino, at.st_ino);
		assert_int_not_equal(found.st_ino, up.st_ino);
		close(fd);
	}
	assert_int_equal(rooted_open(&r, "link", O_RDONLY | O_NOFOLLOW, 0), -1);
	assert_int_equal(errno, ELOOP);
	assert_int_equal(rooted_open(&r, "missing", O_RDONLY | O_NOFOLLOW, 0), -1);
	assert_int_equal(errno, ENOENT);
	rooted_release(&r);
	free(link);
	rig_release(&g);
}

static void flags_are_cut_to_what_is_replayed(void **state)
{
	(void)state;
	assert_int_equal(rooted_flags(0xffffffffu & ~(uint32_t)O_PATH) & 0x80000000u, 0);
	assert_int_equal(rooted_flags(O_PATH | O_RDWR | O_CREAT), O_PATH);
	assert_int_equal(rooted_flags(O_RDWR | O_APPEND) & (O_RDWR | O_APPEND), O_RDWR | O_APPEND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_outside_is_touched),
		cmocka_unit_test(links_inside_are_followed),
		cmocka_unit_test(fifos_and_devices_are_not_opened),
		cmocka_unit_test(junk_flags_and_numbers),
		cmocka_unit_test(a_thousand_threads),
		cmocka_unit_test(an_empty_trace_is_replayed_to_an_empty_trace),
		cmocka_unit_test(damaged_and_wrong_inputs),
		cmocka_unit_test(wrong_places),
		cmocka_unit_test(more_than_the_disk_holds_is_refused_before_it_is_filled),
		cmocka_unit_test(a_name_with_nofollow_stays_in_its_directory),
		cmocka_unit_test(flags_are_cut_to_what_is_replayed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
