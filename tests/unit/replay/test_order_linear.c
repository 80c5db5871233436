/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An order in which calls can have taken effect, and the events reported in that order. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "replay/order/fs_model.h"
#include "replay/order/order_private.h"
#include "sample.h"

static char *dir;

static struct linear linearised(struct sample *s, struct loaded *x, fs_events_take *take, void *ctx)
{
	struct err e = ERR_INIT;
	struct linear order;
	if (sample_load(s, dir, x, &e) || order_linearise(&order, &x->l, &x->s, take, ctx, &e))
		fail_msg("%s", e.msg);
	return order;
}

static void check_order(struct sample *s, uint64_t n_moved, uint64_t n_unexplained, uint32_t before,
			uint32_t after)
{
	struct loaded x;
	struct linear order = linearised(s, &x, NULL, NULL);
	uint32_t place[64];
	for (uint32_t i = 0; i < x.l.n; i++)
		place[order.request[i]] = i;
	assert_int_equal(order.n_unexplained, n_unexplained);
	assert_int_equal(order.n_moved, n_moved);
	assert_true(place[before] < place[after]);
	linear_release(&order);
	loaded_release(&x);
	sample_release(s);
}

/* An open that may create a file: bytes that are read later, and that no request wrote, existed
 * before. */
static void a_file_that_is_read_existed(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	sample_open(&s, 1, 0, 1, 0, O_RDWR | O_CREAT, 7);
	sample_data(&s, 1, 2, 3, OP_PREAD, 7, 0, 8192, 4096, 4096);
	sample_data(&s, 1, 4, 5, OP_PREAD, 7, 0, 0, 4096, 4096);
	sample_data(&s, 1, 6, 7, OP_PREAD, 7, 0, 12288, 4096, 100); /* its end */
	sample_data(&s, 1, 8, 9, OP_PREAD, 7, 0, 12300, 4096, 88);
	check_order(&s, 0, 0, 0, 1);
}

static void a_created_file_has_the_written_content(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	sample_open(&s, 1, 0, 1, 0, O_RDWR | O_CREAT, 7);
	sample_data(&s, 1, 2, 20, OP_PWRITE, 7, 0, 0, 4096, 4096);
	sample_data(&s, 2, 3, 10, OP_PREAD, 7, 0, 0, 4096, 4096);
	check_order(&s, 1, 0, 1, 2);
}

static struct trace_record *mkdir_at(struct sample *s, uint32_t tid, int64_t begin, int64_t end,
				     uint32_t path)
{
	struct trace_record *r = sample_add(s, tid, begin, end, OP_MKDIR);
	r->object = path;
	return r;
}

/* No file is created in a missing directory. */
static void a_directory_comes_before_what_is_in_it(void **state)
{
	(void)state;
	struct sample s = {.paths = {"d", "d/e"}, .n_paths = 2};
	mkdir_at(&s, 1, 0, 1, 0);
	mkdir_at(&s, 1, 2, 3, 0)->op = OP_RMDIR;
	mkdir_at(&s, 1, 4, 20, 0);
	mkdir_at(&s, 2, 5, 10, 1);
	check_order(&s, 1, 0, 2, 3);
}

/* opendir, then a readdir for each entry and the end. Returns the first readdir. */
static uint32_t list(struct sample *s, uint32_t tid, int64_t begin, uint32_t path, int n_entries)
{
	sample_data(s, tid, begin, begin + 1, OP_OPENDIR, 7, path, OFFSET_NONE, 0, 7);
	const uint32_t first = (uint32_t)s->n;
	for (int i = 0; i <= n_entries; i++)
		sample_data(s, tid, begin + 2 + 2 * i, begin + 3 + 2 * i, OP_READDIR, 7, path,
			    OFFSET_NONE, 0, i < n_entries);
	sample_data(s, tid, begin + 60, begin + 61, OP_CLOSEDIR, 7, path, OFFSET_NONE, 0, 0);
	return first;
}

/* A listing shows by the number of its entries whether an entry was created or removed before. */
static void a_listing_counts_entries(void **state)
{
	(void)state;
	for (int seen = 0; seen < 2; seen++)
		for (int initial = 0; initial < 2; initial++) {
			struct sample s = {.paths = {"d", "d/e", "d/f"}, .n_paths = 3};
			if (!initial) {
				mkdir_at(&s, 1, 0, 1, 0);
				mkdir_at(&s, 1, 2, 3, 1);
			}
			(void)list(&s, 2, 10, 0, 3);
			const uint32_t makes = (uint32_t)s.n;
			mkdir_at(&s, 1, 100, 1000, 2);
			const uint32_t lists = list(&s, 2, 200, 0, 3 + seen);
			(void)list(&s, 2, 300, 0, 3 + seen);
			check_order(&s, seen, 0, seen ? makes : lists, seen ? lists : makes);
		}
}

/* Other processes change directories too: no order explains the second listing. */
static void a_listing_may_have_unknown_entries(void **state)
{
	(void)state;
	struct sample s = {.paths = {"d", "d/e"}, .n_paths = 2};
	mkdir_at(&s, 1, 0, 1, 0);
	(void)list(&s, 2, 10, 0, 2);
	(void)list(&s, 2, 100, 0, 5);
	mkdir_at(&s, 1, 200, 201, 1);
	const uint32_t last = list(&s, 2, 300, 0, 6);
	check_order(&s, 0, 0, 0, last);
}

struct heard {
	uint32_t *request, n; /* request[n] */
	uint64_t n_words, n_calls;
};

static void hear(void *ctx, const uint64_t *word, size_t n)
{
	static const size_t n_more[] = {
	    [FS_EVENT_READ] = 3, [FS_EVENT_WRITE] = 2, [FS_EVENT_SIZE] = 1};
	struct heard *h = ctx;
	h->n_calls++;
	for (size_t i = 0; i < n; h->n_words++) {
		const enum fs_event_kind kind = event_kind(word[i]);
		assert_true(i || kind == FS_EVENT_REQUEST); /* whole requests */
		if (kind == FS_EVENT_REQUEST)
			h->request[h->n++] = event_subject(word[i]);
		i += 1 + n_more[kind];
	}
}

/* Thousands of racing writes and reads of a few files: each request is reported once, at its final
 * place. */
static void all_events_are_reported_in_order(void **state)
{
	(void)state;
	enum { N = 30000 };
	struct sample s = {.paths = {"f", "g"}, .n_paths = 2};
	uint64_t seed = 5, size[2] = {0, 0};
	for (uint32_t i = 0; i < N; i++) {
		const uint32_t file = (uint32_t)sample_random(&seed) % 2;
		const int64_t begin = 10 * i,
			      end = begin + 5 + (int64_t)(sample_random(&seed) % 24);
		if (i < 2)
			sample_open(&s, 1, begin, begin + 5, i, O_RDWR | O_CREAT | O_EXCL,
				    7 + (int)i);
		else if (sample_random(&seed) % 2)
			sample_data(&s, 1 + i % 3, begin, end, OP_PWRITE, 7 + (int)file, file,
				    size[file], 8, 8),
			    size[file] += 8;
		else
			sample_data(&s, 1 + i % 3, begin, end, OP_PREAD, 7 + (int)file, file, 0,
				    1 << 20, (int64_t)size[file]);
	}
	struct heard h = {.request = xcalloc(N, sizeof *h.request)};
	struct loaded x;
	struct linear order = linearised(&s, &x, hear, &h);
	assert_int_equal(h.n, N);
	assert_memory_equal(h.request, order.request, N * sizeof *h.request);
	assert_true(h.n_calls > 3 && h.n_words >= 2 * N && order.n_moved > 100);
	linear_release(&order);
	loaded_release(&x);
	sample_release(&s);
	free(h.request);
}

/* An undone attempt leaves no trace in the model. */
static void words_are_used_again(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct loaded x;
	struct err e = ERR_INIT;
	struct fs_model m;
	sample_open(&s, 1, 0, 1, 0, O_RDWR | O_CREAT | O_EXCL, 7);
	if (sample_load(&s, dir, &x, &e))
		fail_msg("%s", e.msg);
	fs_model_init(&m, &x.l, &x.s);
	const size_t mark = fs_model_mark(&m);
	assert_true(fs_model_apply(&m, 0));
	const uint32_t n_words = m.n_words;
	assert_false(fs_model_apply(&m, 0)); /* the name exists now */
	for (int i = 0; i < 100; i++) {
		fs_model_back(&m, mark);
		assert_true(fs_model_apply(&m, 0));
	}
	assert_int_equal(m.n_words, n_words);
	fs_model_release(&m);
	loaded_release(&x);
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_is_read_existed),
		cmocka_unit_test(a_created_file_has_the_written_content),
		cmocka_unit_test(a_directory_comes_before_what_is_in_it),
		cmocka_unit_test(a_listing_counts_entries),
		cmocka_unit_test(a_listing_may_have_unknown_entries),
		cmocka_unit_test(all_events_are_reported_in_order),
		cmocka_unit_test(words_are_used_again),
	};
	dir = sample_dir();
	int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
	sample_dir_remove(dir);
	return n_failed;
}
