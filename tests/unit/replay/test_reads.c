/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How reads are replayed: by the present cache, by the cache at capture, or not at all. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "capture/op.h"
#include "replay/load/reads.h"
#include "rig.h"

enum { PAGE = 4096 };

static struct fileset_entry entry = {.path = "f", .size = 64 * PAGE};

static void sample_begin(struct sample *s)
{
	*s = (struct sample){.paths = {"f", "g"}, .n_paths = 2, .files = {.entry = &entry, .n = 1}};
	sample_open(s, 1, 0, 1, 0, O_RDWR, 3);
}

static void add(struct sample *s, uint32_t tid, int64_t at, uint32_t object, uint64_t page,
		uint64_t n, bool asked)
{
	struct trace_record *r = sample_data(s, tid, at, at, OP_PAGE_CACHE_ADD, -1, object,
					     page * PAGE, n * PAGE, (int64_t)n);
	r->flags = asked ? PAGE_ASKED : 0;
}

/* By thread, time and file. */
static void misses_of_requests(void **state)
{
	(void)state;
	struct sample s;
	struct loaded x;
	struct misses m = {.miss = NULL};
	struct err e = ERR_INIT;
	uint32_t n;
	char *dir = sample_dir();
	sample_begin(&s);
	sample_data(&s, 1, 10, 20, OP_PREAD, 3, 0, 0, 4 * PAGE, 4 * PAGE); /* request 1 */
	sample_data(&s, 2, 11, 30, OP_PREAD, 3, 0, 8 * PAGE, PAGE, PAGE);  /* request 2 */
	add(&s, 1, 12, 0, 2, 1, true);
	add(&s, 2, 13, 0, 8, 1, true);
	add(&s, 1, 14, 0, 1, 1, true);
	add(&s, 1, 15, 1, 7, 1, false); /* another file */
	add(&s, 2, 16, 0, 9, 7, false);
	add(&s, 1, 25, 0, 3, 1, true); /* no call is under way */
	assert_int_equal(sample_load(&s, dir, &x, &e), 0);
	misses_find(&m, &x.l, &x.s);
	assert_int_equal(m.n, 4);
	assert_int_equal(m.n_elsewhere, 2);
	const struct miss *of = misses_of(&m, 1, &n);
	assert_int_equal(n, 2);
	assert_int_equal(of[0].offset, PAGE);
	assert_int_equal(of[1].offset, 2 * PAGE);
	of = misses_of(&m, 2, &n);
	assert_int_equal(n, 2);
	assert_true(of[0].asked && !of[1].asked);
	assert_int_equal(of[1].length, 7 * PAGE);
	assert_null(misses_of(&m, 0, &n));
	free(m.miss);
	loaded_release(&x);
	sample_release(&s);
	sample_dir_remove(dir);
}

static void replay(struct rig *g, const struct sample *s)
{
	struct err e = ERR_INIT;
	if (rig_replay(g, s, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(g->s.n_mismatches, 0);
}

/* Pages that were missed are read; pages that were found are not. */
static void original(void **state)
{
	(void)state;
	struct sample s;
	struct rig g;
	rig_init(&g);
	sample_begin(&s);
	sample_data(&s, 1, 10, 20, OP_PREAD, 3, 0, 100, 8 * PAGE, 8 * PAGE); /* pages 0 to 8 */
	add(&s, 1, 12, 0, 2, 2, true);
	add(&s, 1, 13, 0, 8, 4, true);				     /* page 8 and three more */
	sample_data(&s, 1, 30, 40, OP_READ, 3, 0, OFFSET_NONE, PAGE, PAGE); /* found */
	sample_data(&s, 1, 50, 60, OP_READ, 3, 0, OFFSET_NONE, PAGE, PAGE);
	add(&s, 1, 55, 0, 1, 1, true);
	/* at the position after the reads */
	sample_data(&s, 1, 70, 80, OP_WRITE, 3, 0, OFFSET_NONE, 10, 10);
	struct trace_record *r = sample_data(&s, 1, 82, 83, OP_LSEEK, 3, 0, 0, 0, 2 * PAGE + 10);
	r->flags = SEEK_CUR;
	/* the end: no later request depends on it */
	sample_data(&s, 1, 84, 85, OP_PREAD, 3, 0, 64 * PAGE, PAGE, 0);
	g.c.reads = READS_ORIGINAL;
	for (int pass = 0; pass < 2; pass++) {
		g.c.engine = pass ? "coordinator" : "event";
		replay(&g, &s);
		assert_int_equal(g.s.n_pages_read, 1 + 3 + 2 + 1); /* page 8; 9 to 11; 2 and 3; 1 */
		assert_int_equal(g.s.n_pages_touched + g.s.n_pages_left, 2 + 4 + 1);
		assert_true(g.s.n_pages_stayed <= g.s.n_pages_read);
	}
	rig_release(&g);
	sample_release(&s);
}

/* A read that is shorter now is a mismatch; a trace without information about the cache cannot be
 * replayed in this way. */
static void original_judged(void **state)
{
	(void)state;
	struct sample s;
	struct rig g;
	struct err e = ERR_INIT;
	rig_init(&g);
	sample_begin(&s);
	sample_data(&s, 1, 5, 6, OP_FTRUNCATE, 3, 0, OFFSET_NONE, 2 * PAGE, 0);
	sample_data(&s, 1, 10, 20, OP_PREAD, 3, 0, 0, 4 * PAGE, 4 * PAGE);
	g.c.reads = READS_ORIGINAL;
	assert_int_equal(rig_replay(&g, &s, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "slice --join"));
	add(&s, 1, 12, 0, 0, 4, true);
	assert_int_equal(rig_replay(&g, &s, &e), 0);
	assert_int_equal(g.s.n_mismatches, 1);
	assert_int_equal(g.s.mismatch[0].actual, 2 * PAGE);
	rig_release(&g);
	sample_release(&s);
}

/* A trace may claim that a read returned more than was requested: no more than requested is read,
 * because the buffer has no more room. */
static void original_of_a_lying_trace(void **state)
{
	(void)state;
	struct sample s;
	struct rig g;
	struct err e = ERR_INIT;
	rig_init(&g);
	sample_begin(&s);
	sample_data(&s, 1, 10, 20, OP_PREAD, 3, 0, 0, PAGE, 64 * PAGE);
	add(&s, 1, 12, 0, 0, 64, true);
	g.c.reads = READS_ORIGINAL;
	if (rig_replay(&g, &s, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(g.s.n_mismatches, 1);
	assert_int_equal(g.s.mismatch[0].actual, PAGE);
	rig_release(&g);
	sample_release(&s);
}

/* Only requests that change something: at the end the file is as after a whole replay. */
static void none(void **state)
{
	(void)state;
	struct sample s;
	struct rig g;
	static const uint64_t skipped[] = {[READS_CURRENT] = 0, [READS_NONE] = 5};
	rig_init(&g);
	sample_begin(&s);
	sample_data(&s, 1, 10, 20, OP_PREAD, 3, 0, 0, PAGE, PAGE);	   /* left out */
	/* moves the position of the write */
	sample_data(&s, 1, 21, 22, OP_READ, 3, 0, OFFSET_NONE, 300, 300);
	sample_data(&s, 1, 23, 24, OP_WRITE, 3, 0, OFFSET_NONE, 10, 10);
	sample_data(&s, 1, 25, 26, OP_FSTAT, 3, 0, OFFSET_NONE, 0, 0);	   /* left out */
	sample_open(&s, 1, 27, 28, 0, O_RDONLY, 4);
	/* skipped: nothing is written there */
	sample_data(&s, 1, 29, 30, OP_READ, 4, 0, OFFSET_NONE, 300, 300);
	sample_data(&s, 1, 31, 32, OP_LSEEK, 4, 0, 5, 0, 5);		   /* left out */
	sample_data(&s, 1, 33, 34, OP_FTRUNCATE, 3, 0, OFFSET_NONE, 400, 0);
	sample_data(&s, 1, 35, 36, OP_READAHEAD, 3, 0, 0, PAGE, 0);	   /* left out */
	for (int mode = READS_CURRENT; mode <= READS_NONE; mode += 2) {
		g.c.reads = mode;
		replay(&g, &s);
		assert_int_equal(g.s.n_skipped_of[SKIP_READ], skipped[mode]);
		char *path = xasprintf("%s/f", g.tree);
		struct stat st;
		static char before[400];
		char is[400];
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, 400);
		int fd = open(path, O_RDONLY);
		assert_int_equal(pread(fd, is, sizeof is, 0), 400);
		memset(is + 300, 0, 10); /* the written bytes are arbitrary, their place is not */
		if (mode == READS_CURRENT)
			memcpy(before, is, sizeof is);
		assert_memory_equal(before, is, sizeof is);
		close(fd);
		free(path);
	}
	rig_release(&g);
	sample_release(&s);
}

/* Added pages at any offset and of any length: each part fits the room of the read. */
static void hostile_misses(void **state)
{
	(void)state;
	uint64_t seed = 9;
	static const uint64_t odd[] = {0,
				       1,
				       PAGE,
				       3 * PAGE,
				       63 * PAGE,
				       UINT64_MAX,
				       INT64_MAX,
				       (uint64_t)1 << 40,
				       UINT64_MAX - PAGE + 1};
	for (int round = 0; round < 20; round++) {
		struct sample s;
		struct rig g;
		struct err e = ERR_INIT;
		rig_init(&g);
		sample_begin(&s);
		for (int i = 0; i < 10; i++) {
			sample_data(&s, 1, 10 + 100 * i, 90 + 100 * i,
				    i % 3 ? OP_PREAD : OP_READAHEAD, 3, 0,
				    odd[sample_random(&seed) % 9], 9 * PAGE,
				    i % 3 ? (int64_t)(sample_random(&seed) % (9 * PAGE)) : 0);
			for (int k = 0; k < (round == 0 ? 300 : 4); k++) {
				add(&s, 1, 11 + 100 * i, 0, 0, 1, true);
				s.r[s.n - 1].offset =
				    round ? odd[sample_random(&seed) % 9] : (uint64_t)k * 2 * PAGE;
				s.r[s.n - 1].length = round ? odd[sample_random(&seed) % 9] : PAGE;
			}
		}
		g.c.reads = READS_ORIGINAL;
		assert_int_equal(rig_replay(&g, &s, &e), 0);
		rig_release(&g);
		sample_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(misses_of_requests),
	    cmocka_unit_test(original),
	    cmocka_unit_test(original_judged),
	    cmocka_unit_test(original_of_a_lying_trace),
	    cmocka_unit_test(none),
	    cmocka_unit_test(hostile_misses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
