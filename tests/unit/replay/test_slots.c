/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading a trace: refusals, issue order, threads, descriptor instances, and the files that a trace
 * needs. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sample.h"

static char *dir;

static void load(struct sample *s, struct loaded *x)
{
	struct err e = ERR_INIT;
	if (sample_load(s, dir, x, &e))
		fail_msg("%s", e.msg);
}

static void refuse(struct sample *s, int code, const char *because)
{
	struct err e = ERR_INIT;
	struct loaded x;
	assert_int_equal(sample_load(s, dir, &x, &e), -code);
	if (!strstr(e.msg, because))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, because);
	loaded_release(&x);
	sample_release(s);
}

/* --- loading ------------------------------------------------------------- */

static void issue_order_and_threads(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	sample_data(&s, 9, 50, 60, OP_PREAD, 3, 0, 0, 10, 10);
	sample_data(&s, 4, 20, 30, OP_PREAD, 3, 0, 0, 70, 70);
	sample_data(&s, 9, 20, 25, OP_PREAD, 3, 0, 0, 10, 10);
	/* never issued */
	sample_data(&s, 4, TIME_NONE, TIME_NONE, OP_PREAD, 3, 0, 0, 10, -ECANCELED);
	sample_data(&s, 9, 5, TIME_NONE, OP_PREAD, 3, 0, 0, 10, 10);
	struct loaded x;
	load(&s, &x);
	assert_int_equal(x.l.n, 4);
	assert_int_equal(x.l.n_records, 5);
	static const uint32_t record[] = {4, 1, 2, 0}, thread[] = {1, 0, 1, 1},
			      index[] = {0, 0, 1, 2};
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(x.l.request[i].record, record[i]);
		assert_int_equal(x.l.request[i].thread, thread[i]);
		assert_int_equal(x.l.request[i].index, index[i]);
	}
	assert_int_equal(x.l.n_threads, 2);
	assert_int_equal(x.l.thread[0].tid, 4);
	assert_int_equal(x.l.thread[1].n_requests, 3);
	assert_int_equal(x.l.first_begin_ns, 5);
	assert_int_equal(x.l.last_end_ns, 60);
	assert_true(load_end_ns(&x.l, &x.l.request[0]) == INT64_MAX);
	loaded_release(&x);
	sample_release(&s);
}

/* Each request is at most `reach` places from its sorted place: few moves, or so many that all
 * requests are sorted again. */
static void check_sorted(uint32_t n, uint32_t reach)
{
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct loaded x;
	uint64_t seed = reach;
	for (uint32_t i = 0; i < n; i++) {
		const int64_t begin = i + (int64_t)(sample_random(&seed) % reach);
		sample_data(&s, 1 + i % 7, begin, begin + 5, OP_PREAD, 3, 0, i, 1, 1);
	}
	load(&s, &x);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct load_request *r = &x.l.request[i], *p = i ? r - 1 : r;
		assert_true(i == 0 || p->begin_ns < r->begin_ns ||
			    (p->begin_ns == r->begin_ns && p->record < r->record));
		assert_int_equal(r->begin_ns, s.r[r->record].begin_ns);
		assert_int_equal(load_end_ns(&x.l, r), r->begin_ns + 5);
		sum += r->record;
	}
	assert_int_equal(sum, (uint64_t)n * (n - 1) / 2);
	loaded_release(&x);
	sample_release(&s);
}

static void requests_are_sorted_by_their_begins(void **state)
{
	(void)state;
	check_sorted(3000, 4);
	check_sorted(3000, 3000);
}

static void ends_are_exact_for_any_duration(void **state)
{
	(void)state;
	static const int64_t took[] = {0,
				       1,
				       LOAD_NO_END - 2,
				       LOAD_NO_END - 1,
				       LOAD_NO_END,
				       LOAD_NO_END + 1,
				       4294967296,
				       86400000000000,
				       TRACE_TIME_MAX - 5};
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	for (uint32_t i = 0; i < 9; i++)
		sample_data(&s, i, i % 6, i % 6 + took[i], OP_PREAD, 3, 0, 0, 1, 1);
	struct loaded x;
	load(&s, &x);
	for (uint32_t i = 0; i < x.l.n; i++) {
		const struct load_request *r = &x.l.request[i];
		assert_int_equal(load_end_ns(&x.l, r), r->record % 6 + took[r->record]);
	}
	assert_int_equal(x.l.n_long, 5);
	loaded_release(&x);
	sample_release(&s);
}

static void records_that_cannot_be_replayed_are_named(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 0, 1, 1);
	sample_data(&s, 1, 10, 9, OP_PREAD, 3, 0, 0, 1, 1);
	refuse(&s, EINVAL, "record 1 ends 1 ns before it begins");
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 0, (uint64_t)1 << 62, 1);
	refuse(&s, E2BIG, "record 0: the pread has 4611686018427387904 bytes");
	sample_data(&s, 1, 0, 1, OP_GETDELIM, 3, 0, 0, 0, INT64_MAX);
	refuse(&s, E2BIG, "record 0: the getdelim moved 9223372036854775807 bytes");
	sample_data(&s, 1, 0, 1, OP_OPEN, 3, OBJECT_NONE, 0, 0, 3);
	refuse(&s, EINVAL, "record 0: the open has no path");
	s.extra_json = "{\"descriptors\":[{\"fd\":\"three\",\"path\":\"f\"}]}";
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 0, 1, 1);
	refuse(&s, EINVAL, "metadata \"descriptors\": entry 0 needs");
	s.extra_json = "{\"descriptors\":7}";
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 0, 1, 1);
	refuse(&s, EINVAL, "is not a list");
}

static void an_empty_trace(void **state)
{
	(void)state;
	struct sample s = {.n_paths = 0};
	struct loaded x;
	load(&s, &x);
	assert_int_equal(x.l.n, 0);
	assert_int_equal(x.l.n_threads, 0);
	assert_int_equal(x.s.n, 1);
	loaded_release(&x);
}

static void the_flight_ends_in_order(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	uint64_t seed = 99;
	for (int64_t i = 0; i < 200; i++)
		sample_data(&s, (uint32_t)i, i, i + (int64_t)(sample_random(&seed) % 50), OP_PREAD,
			    3, 0, 0, 1, 1);
	struct loaded x;
	load(&s, &x);
	struct flight f = {.item = NULL};
	for (uint32_t i = 0; i < x.l.n; i++)
		flight_push(&f, &x.l, i);
	uint32_t n = 0;
	for (int64_t now = 0, last = 0; now < 300; now += 7)
		for (uint32_t q; (q = flight_pop_ended(&f, &x.l, now)) != NONE32; n++) {
			const int64_t end_ns = load_end_ns(&x.l, &x.l.request[q]);
			assert_true(end_ns <= now && end_ns >= last);
			last = end_ns;
		}
	assert_int_equal(n, x.l.n);
	free(f.item);
	loaded_release(&x);
	sample_release(&s);
}

/* --- slots --------------------------------------------------------------- */

static void a_number_refers_to_another_file_after_each_open(void **state)
{
	(void)state;
	struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
	sample_open(&s, 1, 0, 1, 0, O_RDWR | O_CREAT, 5);
	sample_data(&s, 1, 2, 3, OP_PWRITE, 5, OBJECT_NONE, 0, 8, 8);
	sample_data(&s, 1, 4, 5, OP_CLOSE, 5, OBJECT_NONE, OFFSET_NONE, 0, 0);
	sample_data(&s, 2, 6, 7, OP_PREAD, 5, OBJECT_NONE, 0, 8, -EBADF); /* a closed descriptor */
	sample_open(&s, 2, 8, 9, 1, O_RDONLY, 5);
	sample_data(&s, 1, 10, 11, OP_PREAD, 5, 1, 0, 8, 8);
	sample_open(&s, 1, 12, 13, 0, O_RDONLY, -EACCES);
	struct loaded x;
	load(&s, &x);
	const struct load_request *r = x.l.request;
	assert_int_equal(r[0].slot, r[1].slot);
	assert_int_equal(r[0].slot, r[2].slot);
	assert_int_equal(r[0].slot, r[3].slot); /* closed by then: EBADF, as traced */
	assert_int_equal(r[4].slot, r[5].slot);
	assert_int_not_equal(r[0].slot, r[4].slot);
	assert_int_not_equal(r[6].slot, r[0].slot);
	assert_string_equal(x.s.file[x.s.slot[r[5].slot].file].name, "b");
	assert_int_equal(x.s.n_unknown, 0);
	for (uint32_t i = 0; i < x.s.n; i++)
		assert_false(x.s.slot[i].at_setup);
	loaded_release(&x);
	sample_release(&s);
}

static uint32_t slot_of(const struct loaded *x, uint32_t record)
{
	for (uint32_t i = 0; i < x->l.n; i++)
		if (x->l.request[i].record == record)
			return x->l.request[i].slot;
	fail_msg("record %u is gone", record);
	return 0;
}

/* Instances of a path that one thread opens, uses and closes share a slot, as many as the thread
 * has open at one time; other threads have slots of their own. */
static void slots_are_used_again(void **state)
{
	struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
	struct loaded x;
	(void)state;
	int64_t t = 0;
	for (int i = 0; i < 3; i++, t += 100) { /* 0 to 17: a thread that has a file open twice */
		sample_open(&s, 1, t, t + 5, 0, O_RDWR, 3);
		sample_open(&s, 1, t + 10, t + 15, 0, O_RDWR, 4);
		sample_data(&s, 1, t + 20, t + 21, OP_PREAD, 4, OBJECT_NONE, 0, 4, 4);
		sample_data(&s, 1, t + 30, t + 31, OP_CLOSE, 3, OBJECT_NONE, OFFSET_NONE, 0, 0);
		sample_data(&s, 1, t + 40, t + 41, OP_READ, 4, OBJECT_NONE, OFFSET_NONE, 4, 4);
		sample_data(&s, 1, t + 50, t + 51, OP_CLOSE, 4, OBJECT_NONE, OFFSET_NONE, 0, 0);
	}
	/* 18: another path */
	sample_open(&s, 1, t, t + 5, 1, O_RDWR, 3);
	/* 19 */
	sample_data(&s, 1, t + 10, t + 11, OP_CLOSE, 3, OBJECT_NONE, OFFSET_NONE, 0, 0);
	/* 20: another way */
	sample_open(&s, 1, t + 20, t + 25, 0, O_RDONLY, 3);
	/* 21 */
	sample_data(&s, 1, t + 30, t + 31, OP_CLOSE, 3, OBJECT_NONE, OFFSET_NONE, 0, 0);
	/* 22: another thread, */
	sample_open(&s, 2, t + 40, t + 45, 0, O_RDWR, 3);
	/* 23: not alone */
	sample_data(&s, 1, t + 50, t + 51, OP_PREAD, 3, OBJECT_NONE, 0, 4, 4);
	/* 24 */
	sample_data(&s, 2, t + 60, t + 61, OP_CLOSE, 3, OBJECT_NONE, OFFSET_NONE, 0, 0);
	/* 25: left open */
	sample_open(&s, 2, t + 70, t + 75, 0, O_RDWR, 3);
	load(&s, &x);
	assert_int_equal(x.s.n, 1 + 6 + 4);
	slots_reuse(&x.s, &x.l);
	assert_int_equal(x.s.n, 1 + 2 + 4);
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t at = 6 * i, first = slot_of(&x, at), second = slot_of(&x, at + 1);
		assert_true(first != second && first + second == 1 + 2);
		assert_true(slot_of(&x, at + 3) == first && slot_of(&x, at + 2) == second &&
			    slot_of(&x, at + 5) == second);
	}
	const uint32_t others[] = {18, 20, 22, 25};
	for (size_t i = 0; i < 4; i++) {
		const struct slot *b = &x.s.slot[slot_of(&x, others[i])];
		assert_true(slot_of(&x, others[i]) > 2 && b->origin == slot_of(&x, others[i]));
		assert_string_equal(x.s.file[b->file].name, i ? "a" : "b");
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(slot_of(&x, others[i]), slot_of(&x, others[k]));
	}
	assert_int_equal(slot_of(&x, 23), slot_of(&x, 22));
	loaded_release(&x);
	sample_release(&s);
}

enum { RANDOM_FDS = 6, RANDOM_REQUESTS = 300 };

/* Threads of one process that open, use, copy and close random descriptors, also those of other
 * threads. */
static void random_make(struct sample *s, uint64_t seed)
{
	static const char *const paths[] = {"a", "b", "c"};
	static const int flags[] = {O_RDONLY, O_RDWR, O_RDWR | O_APPEND};
	bool open[RANDOM_FDS] = {false};
	uint64_t state = seed * 2654435761u + 1;
	memcpy(s->paths, paths, sizeof paths);
	s->n_paths = 3;
	for (int i = 0; i < RANDOM_REQUESTS; i++) {
		const int64_t t = 10 * i, end = t + 1 + (int64_t)(sample_random(&state) % 14);
		const int fd = (int)(sample_random(&state) % RANDOM_FDS);
		const uint32_t tid = sample_random(&state) % 8
					 ? 1 + (uint32_t)fd / 3
					 : 1 + (uint32_t)(sample_random(&state) % 2);
		const uint64_t what = sample_random(&state) % 16;
		if (!open[fd] && what < 12)
			sample_open(s, tid, t, end, (uint32_t)(sample_random(&state) % 3),
				    flags[sample_random(&state) % 3], 3 + fd);
		else if (open[fd] && what < 5)
			sample_data(s, tid, t, end, OP_CLOSE, 3 + fd, OBJECT_NONE, OFFSET_NONE, 0,
				    0);
		else if (open[fd] && what == 5)
			sample_data(s, tid, t, end, OP_DUP2, 3 + fd, OBJECT_NONE, OFFSET_NONE, 0,
				    3 + (fd + 1) % RANDOM_FDS);
		else
			sample_data(s, tid, t, end, OP_PREAD, 3 + fd, OBJECT_NONE, 0, 4, 4);
		open[fd] = what < 12 && !open[fd] ? true : open[fd] && what >= 5;
		open[(fd + 1) % RANDOM_FDS] |= open[fd] && what == 5;
	}
}

/* Each request has a slot of the same file, opened in the same way. An instance begins in a slot
 * only after the same thread has closed the previous instance. */
static void instances_are_kept_apart(void **state)
{
	uint64_t n_joined = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct sample s = {.n = 0};
		struct loaded x, y;
		random_make(&s, seed);
		load(&s, &x);
		load(&s, &y);
		slots_reuse(&y.s, &y.l);
		uint32_t *instance = xcalloc(x.s.n, sizeof *instance),
			 *closer = xcalloc(x.s.n, sizeof *closer);
		for (uint32_t i = 0; i < x.l.n; i++) {
			const struct load_request *p = &x.l.request[i], *q = &y.l.request[i];
			const struct slot *a = &x.s.slot[p->slot], *b = &y.s.slot[q->slot];
			assert_true(a->file == b->file && a->flags == b->flags &&
				    a->mode == b->mode && a->at_setup == b->at_setup);
			if (instance[q->slot] && instance[q->slot] != p->slot) {
				assert_int_equal(p->op, OP_OPEN);
				assert_int_equal(closer[instance[q->slot]], p->thread + 1);
				n_joined++;
			}
			instance[q->slot] = p->slot;
			if (p->op == OP_CLOSE)
				closer[p->slot] = p->thread + 1u;
			const struct load_more *m = load_more(&x.l, p), *n = load_more(&y.l, q);
			if (m && m->slot)
				assert_true(y.s.slot[n->slot].origin == y.s.slot[q->slot].origin);
		}
		assert_true(y.s.n <= x.s.n);
		free(instance);
		free(closer);
		loaded_release(&x);
		loaded_release(&y);
		sample_release(&s);
	}
	assert_true(n_joined > 500);
}

/* A slot that others depend on is not shared: copies, streams, replaced descriptors, and
 * descriptors without a close. */
static void slots_that_are_kept(void **state)
{
	(void)state;
	for (int which = 0; which < 4; which++) {
		struct sample s = {.paths = {"a"}, .n_paths = 1};
		struct loaded x;
		int64_t t = 0;
		for (int i = 0; i < 2; i++, t += 100) {
			sample_open(&s, 1, t, t + 5, 0, O_RDWR, 3);
			struct trace_record *r = sample_data(&s, 1, t + 10, t + 11, OP_FSYNC, 3,
							     OBJECT_NONE, OFFSET_NONE, 0, 0);
			if (which == 0)
				r->op = OP_FCNTL, r->flags = F_SETFL, r->offset = O_APPEND;
			else if (which == 1)
				r->op = OP_FDOPEN;
			else if (which == 2)
				r->tid = 2;
			if (which == 3) /* replaced by the next open without a close */
				r->op = OP_FDATASYNC;
			else
				sample_data(&s, 1, t + 50, t + 51, OP_CLOSE, 3, OBJECT_NONE,
					    OFFSET_NONE, 0, 0);
		}
		load(&s, &x);
		slots_reuse(&x.s, &x.l);
		if (x.s.n != 1 + 2)
			fail_msg("case %d: %u slots", which, x.s.n - 1);
		loaded_release(&x);
		sample_release(&s);
	}
}

static void descriptors_from_before_the_trace(void **state)
{
	(void)state;
	struct sample s = {.paths = {"a", "./b", "/b"}, .n_paths = 3};
	sample_data(&s, 1, 0, 1, OP_READ, 3, 0, 4096, 100, 100);     /* traced position */
	sample_data(&s, 1, 2, 3, OP_READ, 3, 0, OFFSET_NONE, 100, 100); /* continues from there */
	sample_data(&s, 1, 4, 5, OP_PWRITE, 4, 1, 0, 10, 10);
	sample_data(&s, 2, 6, 7, OP_PREAD, 9, 2, 0, 10, 10); /* the same file, another descriptor */
	/* standard output, perhaps */
	sample_data(&s, 2, 8, 9, OP_WRITE, 1, OBJECT_NONE, OFFSET_NONE, 10, 10);
	struct loaded x;
	load(&s, &x);
	const struct load_request *r = x.l.request;
	const struct slot *a = &x.s.slot[r[0].slot], *b = &x.s.slot[r[2].slot],
			  *c = &x.s.slot[r[3].slot];
	assert_true(a->at_setup && a->inferred && b->at_setup && c->at_setup);
	assert_int_equal(a->position, 4096);
	assert_int_equal(r[1].offset, 4196);
	assert_int_equal(a->flags & O_ACCMODE, O_RDONLY);
	assert_int_equal(b->flags & O_ACCMODE, O_RDWR);
	assert_int_equal(c->flags & O_ACCMODE, O_RDONLY);
	assert_int_equal(b->file, c->file);
	assert_int_not_equal(r[2].slot, r[3].slot);
	assert_int_equal(r[4].slot, 0);
	assert_int_equal(x.s.n_unknown, 1);
	loaded_release(&x);
	sample_release(&s);
}

static void the_descriptor_table_counts_first(void **state)
{
	(void)state;
	struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
	s.extra_json = "{\"descriptors\":[{\"fd\":3,\"path\":\"a\",\"flags\":16384},{\"fd\":3,"
		       "\"path\":\"b\",\"pid\":7},"
		       "{\"fd\":4,\"path\":\"never used\"}]}";
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, OBJECT_NONE, 0, 1, 1);
	sample_data(&s, 1, 2, 3, OP_PREAD, 3, OBJECT_NONE, 0, 1, 1)->pid = 7;
	struct loaded x;
	load(&s, &x);
	const struct slot *a = &x.s.slot[x.l.request[0].slot], *b = &x.s.slot[x.l.request[1].slot];
	assert_string_equal(x.s.file[a->file].name, "a");
	assert_int_equal(a->flags, 16384);
	assert_string_equal(x.s.file[b->file].name, "b");
	assert_int_equal(b->flags, O_RDWR);
	assert_int_equal(x.s.n, 3);
	loaded_release(&x);
	sample_release(&s);
}

static void requests_that_name_a_file_and_no_descriptor(void **state)
{
	(void)state;
	struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
	sample_data(&s, 1, 0, 1, OP_READ, -1, 0, OFFSET_NONE, 10, 10);
	sample_data(&s, 1, 2, 3, OP_READ, -1, 0, OFFSET_NONE, 10, 10);
	/* another thread, another position */
	sample_data(&s, 2, 4, 5, OP_READ, -1, 0, OFFSET_NONE, 10, 10);
	sample_data(&s, 1, 6, 7, OP_PWRITE, -1, 1, 0, 10, 10);
	sample_data(&s, 1, 8, 9, OP_FSYNC, -1, OBJECT_NONE, OFFSET_NONE, 0, -EBADF);
	struct loaded x;
	load(&s, &x);
	const struct load_request *r = x.l.request;
	assert_int_not_equal(r[0].slot, 0);
	assert_int_equal(r[0].slot, r[1].slot);
	assert_int_equal(r[1].offset, 10);
	assert_int_not_equal(r[0].slot, r[2].slot);
	assert_int_equal(x.s.slot[r[0].slot].file, x.s.slot[r[2].slot].file);
	assert_int_equal(x.s.slot[r[3].slot].flags & O_ACCMODE, O_RDWR);
	assert_int_equal(r[4].slot, 0);
	assert_int_equal(x.s.n_unknown, 0);
	loaded_release(&x);
	sample_release(&s);
}

/* A trace that lacks an open: the requests of a descriptor show its file. */
static void a_missed_open(void **state)
{
	(void)state;
	struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 0, 1, 1);
	sample_data(&s, 1, 2, 3, OP_PREAD, 3, 1, 0, 1, 1); /* another file now */
	sample_data(&s, 1, 4, 5, OP_CLOSE, 3, 1, OFFSET_NONE, 0, 0);
	sample_data(&s, 1, 6, 7, OP_PREAD, 3, 1, 0, 1, 1); /* succeeded after the close */
	struct loaded x;
	load(&s, &x);
	const struct load_request *r = x.l.request;
	assert_int_not_equal(r[0].slot, r[1].slot);
	assert_int_equal(r[1].slot, r[2].slot);
	assert_int_not_equal(r[2].slot, r[3].slot);
	assert_true(x.s.slot[r[3].slot].at_setup);
	loaded_release(&x);
	sample_release(&s);
}

static void a_position_is_followed_through_seeks(void **state)
{
	(void)state;
	struct sample s = {.paths = {"a"}, .n_paths = 1};
	/* so it stood at 100 */
	sample_data(&s, 1, 0, 1, OP_LSEEK, 3, 0, (uint64_t)-10, 0, 90)->flags = SEEK_CUR;
	sample_data(&s, 1, 2, 3, OP_WRITE, 3, 0, OFFSET_NONE, 20, 15);
	sample_data(&s, 1, 4, 5, OP_READ, 3, 0, OFFSET_NONE, 20, 0);
	sample_data(&s, 1, 6, 7, OP_LSEEK, 3, 0, 0, 0, 500)->flags = SEEK_END;
	sample_data(&s, 1, 8, 9, OP_READ, 3, 0, OFFSET_NONE, 20, 20);
	struct loaded x;
	load(&s, &x);
	assert_int_equal(x.s.slot[x.l.request[0].slot].position, 100);
	assert_int_equal(x.l.request[1].offset, 90);
	assert_int_equal(x.l.request[2].offset, 105);
	assert_int_equal(x.l.request[4].offset, 500);
	loaded_release(&x);
	sample_release(&s);
}

/* --- files --------------------------------------------------------------- */

static const struct fileset_entry *entry_of(const struct fileset *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->entry[i].path, path))
			return &f->entry[i];
	return NULL;
}

static void the_files_that_requests_show(void **state)
{
	(void)state;
	struct sample s = {.paths = {"read", "made", "d/e/written", "d/missing"}, .n_paths = 4};
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 1000, 500, 24);
	sample_open(&s, 1, 2, 3, 1, O_RDWR | O_CREAT, 4);
	sample_data(&s, 1, 4, 5, OP_PWRITE, 4, 1, 0, 100, 100);
	sample_data(&s, 1, 6, 7, OP_PREAD, 4, 1, 0, 100, 100); /* its own bytes */
	sample_data(&s, 1, 8, 9, OP_PWRITE, 5, 2, 4096, 10, 10);
	sample_data(&s, 1, 10, 11, OP_PREAD, 5, 2, 0, 10, 10); /* was there before */
	sample_open(&s, 1, 12, 13, 3, O_RDONLY, -ENOENT);
	struct loaded x;
	struct fileset f;
	load(&s, &x);
	slots_files(&x.s, &f);
	assert_int_equal(entry_of(&f, "read")->size, 1024);
	assert_null(entry_of(&f, "made"));
	assert_null(entry_of(&f, "d/missing"));
	assert_true(entry_of(&f, "d/e")->directory);
	assert_false(entry_of(&f, "d/e/written")->directory);
	slots_files_release(&f);
	loaded_release(&x);
	sample_release(&s);
}

/* ".." ends at the top, as in the replay itself. */
static void files_outside_are_prepared_inside(void **state)
{
	(void)state;
	struct sample s = {.paths = {"a/../../b"}, .n_paths = 1};
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 0, 1, 1);
	struct loaded x;
	struct fileset f;
	load(&s, &x);
	slots_files(&x.s, &f);
	assert_int_equal(entry_of(&f, "b")->size, 1);
	for (size_t i = 0; i < f.n; i++)
		assert_null(strstr(f.entry[i].path, ".."));
	slots_files_release(&f);
	loaded_release(&x);
	sample_release(&s);
}

/* The table of names grows while links are added. */
static void every_listed_link_is_known(void **state)
{
	enum { N = 200 };
	(void)state;
	static char name[N][16];
	static struct fileset_entry entry[N];
	static struct fileset_detail detail[N];
	for (int i = 0; i < N; i++) {
		snprintf(name[i], sizeof name[i], "link%d", i);
		entry[i] = (struct fileset_entry){.path = name[i]};
		detail[i] = (struct fileset_detail){.link = "f"};
	}
	struct sample s = {.paths = {"f"}, .n_paths = 1, .files = {entry, N, detail}};
	sample_data(&s, 9, 50, 60, OP_PREAD, 3, 0, 0, 10, 10);
	struct loaded x;
	load(&s, &x);
	uint32_t n_links = 0;
	for (uint32_t i = 0; i < x.s.n_files; i++)
		n_links += x.s.file[i].maybe_link && !strncmp(x.s.file[i].name, "link", 4);
	assert_int_equal(n_links, N);
	loaded_release(&x);
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_listed_link_is_known),
		cmocka_unit_test(issue_order_and_threads),
		cmocka_unit_test(requests_are_sorted_by_their_begins),
		cmocka_unit_test(ends_are_exact_for_any_duration),
		cmocka_unit_test(records_that_cannot_be_replayed_are_named),
		cmocka_unit_test(an_empty_trace),
		cmocka_unit_test(the_flight_ends_in_order),
		cmocka_unit_test(a_number_refers_to_another_file_after_each_open),
		cmocka_unit_test(slots_are_used_again),
		cmocka_unit_test(instances_are_kept_apart),
		cmocka_unit_test(slots_that_are_kept),
		cmocka_unit_test(descriptors_from_before_the_trace),
		cmocka_unit_test(the_descriptor_table_counts_first),
		cmocka_unit_test(requests_that_name_a_file_and_no_descriptor),
		cmocka_unit_test(a_missed_open),
		cmocka_unit_test(a_position_is_followed_through_seeks),
		cmocka_unit_test(the_files_that_requests_show),
		cmocka_unit_test(files_outside_are_prepared_inside),
	};
	dir = sample_dir();
	int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
	sample_dir_remove(dir);
	return n_failed;
}
