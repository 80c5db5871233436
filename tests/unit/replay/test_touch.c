/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Touches of mapped files: the mapping to which they belong, their effect, and hostile traces. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/mman.h>

#include "capture/op.h"
#include "rig.h"

enum { PAGE = 4096, BASE = 1 << 30 };

static void map_add(struct sample *s, uint32_t tid, int64_t at, uint32_t flags, uint64_t address,
		    uint64_t length, uint64_t offset)
{
	struct trace_record *r =
	    sample_data(s, tid, at, at + 1, OP_MMAP, 3, 0, offset, length, (int64_t)address);
	r->flags = flags;
}

static void fault_add(struct sample *s, uint32_t tid, int64_t at, uint64_t address, uint64_t page,
		      uint32_t flags)
{
	struct trace_record *r =
	    sample_data(s, tid, at, at, OP_PAGE_FAULT, -1, 0, page * PAGE, PAGE, (int64_t)address);
	r->flags = flags;
}

static struct fileset_entry entry = {.path = "f", .size = 64 * PAGE};

static void sample_begin(struct sample *s)
{
	*s = (struct sample){.paths = {"f"}, .n_paths = 1, .files = {.entry = &entry, .n = 1}};
	sample_open(s, 1, 0, 1, 0, O_RDWR, 3);
}

#define SHARED_RW (MAP_SHARED | (uint32_t)(PROT_READ | PROT_WRITE) << 29)
#define SHARED_R (MAP_SHARED | (uint32_t)PROT_READ << 29)

/* By its address a fault belongs to a mapping, also of another thread, after the close of the
 * descriptor, and in the part that munmap left. Several attempts of the kernel are one access. */
static void mappings_of_touches(void **state)
{
	(void)state;
	struct sample s;
	struct loaded x;
	struct err e = ERR_INIT;
	char *dir = sample_dir();
	sample_begin(&s);
	map_add(&s, 1, 2, SHARED_RW, BASE, 16 * PAGE, 8 * PAGE);
	map_add(&s, 1, 4, SHARED_R, BASE + 16 * PAGE, 64 * PAGE, 0);
	sample_data(&s, 1, 6, 7, OP_CLOSE, 3, OBJECT_NONE, OFFSET_NONE, 0, 0);
	fault_add(&s, 1, 8, BASE + 3 * PAGE + 7, 11, 0);
	fault_add(&s, 1, 9, BASE + 3 * PAGE + 7, 11, PAGE_HANDLED);	       /* the same access */
	/* now it is written */
	fault_add(&s, 1, 10, BASE + 3 * PAGE + 9, 11, PAGE_HANDLED | PAGE_WRITTEN);
	/* another thread, another mapping */
	fault_add(&s, 2, 11, BASE + 20 * PAGE, 4, PAGE_HANDLED);
	fault_add(&s, 1, 12, 1, 12, PAGE_WRITTEN); /* no address: the writable mapping */
	sample_data(&s, 1, 13, 14, OP_MUNMAP, -1, 0, BASE, 4 * PAGE, 0);
	fault_add(&s, 1, 15, BASE + 2 * PAGE, 10, 0); /* unmapped before */
	fault_add(&s, 1, 16, BASE + 5 * PAGE, 13, 0);
	s.r[s.n - 1].pid = 1;
	assert_int_equal(sample_load(&s, dir, &x, &e), 0);
	static const struct {
		uint8_t skipped;
		uint64_t offset, from;
		uint32_t map;
	} expected[] = {
	    {SKIP_NONE, 11 * PAGE + 7, 3 * PAGE + 7, 0}, {SKIP_KERNEL, 0, 0, 0},
	    {SKIP_NONE, 11 * PAGE + 9, 3 * PAGE + 9, 0}, {SKIP_NONE, 4 * PAGE, 4 * PAGE, 1},
	    {SKIP_NONE, 12 * PAGE, 4 * PAGE, 0},         {SKIP_KERNEL, 0, 0, 0},
	    {SKIP_NONE, 13 * PAGE, 5 * PAGE, 0}};
	uint32_t n = 0;
	for (uint32_t i = 0; i < x.l.n; i++) {
		const struct load_request *r = &x.l.request[i];
		if (!load_is_touch(r))
			continue;
		assert_int_equal(r->skipped, expected[n].skipped);
		if (!r->skipped) {
			assert_int_equal(r->offset, expected[n].offset);
			assert_int_equal(load_more(&x.l, r)->from, expected[n].from);
			assert_int_equal(load_more(&x.l, r)->map, expected[n].map);
		}
		n++;
	}
	assert_int_equal(n, 7);
	loaded_release(&x);
	sample_release(&s);
	sample_dir_remove(dir);
}

/* A fault during a call precedes the call: the call may wait for something that follows the
 * fault. */
static void within_a_call(void **state)
{
	(void)state;
	struct sample s;
	struct loaded x;
	struct err e = ERR_INIT;
	char *dir = sample_dir();
	sample_begin(&s);
	map_add(&s, 1, 2, SHARED_R, BASE, 64 * PAGE, 0);
	sample_data(&s, 1, 10, 20, OP_PWRITE, 3, 0, 0, 8192, 8192);
	fault_add(&s, 1, 12, BASE, 0, 0);
	fault_add(&s, 1, 14, BASE + PAGE, 1, 0);
	fault_add(&s, 2, 15, BASE + PAGE, 1, 0); /* of another thread: it keeps its time */
	assert_int_equal(sample_load(&s, dir, &x, &e), 0);
	static const uint32_t record[] = {0, 1, 3, 4, 2, 5};
	static const int64_t begin[] = {0, 2, 10, 10, 10, 15};
	for (uint32_t i = 0; i < 6; i++) {
		assert_int_equal(x.l.request[i].record, record[i]);
		assert_int_equal(x.l.request[i].begin_ns, begin[i]);
	}
	assert_int_equal(x.l.request[4].index, 4);
	loaded_release(&x);
	sample_release(&s);
	sample_dir_remove(dir);
}

static const struct trace_record *record_at(const struct rig *g, size_t i)
{
	assert_true(i < g->n);
	return &g->r[i];
}

/* A touch beyond the end of the file, or in a truncated file, is an error, and the replay
 * continues. A write to a read-only mapping shows that the program called mprotect: it is made. */
static void refused_touches(void **state)
{
	(void)state;
	struct sample s;
	struct rig g;
	struct err e = ERR_INIT;
	rig_init(&g);
	sample_begin(&s);
	map_add(&s, 1, 2, SHARED_RW, BASE, 128 * PAGE, 0); /* twice the file */
	map_add(&s, 1, 4, SHARED_R, BASE + 256 * PAGE, 64 * PAGE, 0);
	fault_add(&s, 1, 6, BASE + 63 * PAGE, 63, 0);
	fault_add(&s, 1, 7, BASE + 64 * PAGE, 64, 0);
	fault_add(&s, 1, 8, BASE + 5 * PAGE, 5, PAGE_WRITTEN);
	fault_add(&s, 1, 9, BASE + 257 * PAGE, 1, PAGE_WRITTEN);
	sample_data(&s, 1, 10, 11, OP_FTRUNCATE, 3, 0, OFFSET_NONE, PAGE, 0);
	fault_add(&s, 1, 12, BASE + 63 * PAGE, 63, 0);
	fault_add(&s, 1, 13, BASE, 0, PAGE_WRITTEN);
	sample_data(&s, 1, 14, 15, OP_MUNMAP, -1, 0, BASE, 128 * PAGE, 0);
	static const int errors[] = {
	    [3] = 0, [4] = EFAULT, [5] = 0, [6] = 0, [7] = 0, [8] = EFAULT, [9] = 0, [10] = 0};
	for (int pass = 0; pass < 2; pass++) {
		g.c.engine = pass ? "coordinator" : "event";
		assert_int_equal(rig_replay(&g, &s, &e), 0);
		for (size_t i = 3; i < 11; i++) {
			assert_int_equal(record_at(&g, i)->error, errors[i]);
			assert_true(record_at(&g, i)->begin_ns != TIME_NONE &&
				    record_at(&g, i)->end_ns >= record_at(&g, i)->begin_ns);
		}
		assert_int_equal(g.s.n_touches, 6);
		assert_int_equal(g.s.n_touches_writing, 3);
		assert_int_equal(g.s.n_mismatches, 2);
	}
	rig_release(&g);
	sample_release(&s);
}

/* Whatever numbers a trace has, only files that it mapped inside the target directory are
 * touched. */
static void hostile_numbers(void **state)
{
	(void)state;
	uint64_t seed = 5;
	static const uint64_t odd[] = {0,
				       1,
				       PAGE,
				       BASE,
				       BASE + 63 * PAGE,
				       UINT64_MAX,
				       UINT64_MAX / 2,
				       INT64_MAX,
				       (uint64_t)1 << 47,
				       UINT64_MAX - PAGE + 1};
	for (int round = 0; round < 40; round++) {
		struct sample s;
		struct rig g;
		struct err e = ERR_INIT;
		rig_init(&g);
		sample_begin(&s);
		map_add(&s, 1, 2, SHARED_RW, BASE, 64 * PAGE, 0);
		for (int i = 0; i < 40; i++) {
			const int64_t at = 4 + i;
			const uint64_t a = odd[sample_random(&seed) % 10],
				       b = odd[sample_random(&seed) % 10];
			switch (sample_random(&seed) % 5) {
			case 0:
				map_add(&s, 1, at, sample_random(&seed) % 2 ? SHARED_R : SHARED_RW,
					a, b, odd[sample_random(&seed) % 10]);
				break;
			case 1:
				sample_data(&s, 1, at, at, OP_MUNMAP, -1, 0, a, b, 0);
				break;
			case 2:
				sample_data(&s, 1, at, at, OP_MREMAP, -1, 0, a, b,
					    BASE + 64 * PAGE);
				break;
			default:
				fault_add(&s, 1 + (uint32_t)(sample_random(&seed) % 2), at, a,
					  b / PAGE, (uint32_t)sample_random(&seed) % 4);
				s.r[s.n - 1].length = odd[sample_random(&seed) % 10];
			}
		}
		assert_int_equal(rig_replay(&g, &s, &e), 0);
		rig_release(&g);
		sample_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mappings_of_touches),
	    cmocka_unit_test(within_a_call),
	    cmocka_unit_test(refused_touches),
	    cmocka_unit_test(hostile_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
