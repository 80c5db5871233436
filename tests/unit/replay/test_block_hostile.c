/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hostile traces for the engine `block`: random values in every field, in every mode, with every
 * backend. Nothing crashes or hangs, a refusal has a reason, every replayed request is counted, and
 * no byte outside of the target's extent is written. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/options/block_options.h"
#include "rig.h"

#define N_REQUESTS 120
#define TARGET_BYTES (1 << 20)
#define N_SEEDS 32 /* every mode with every backend, twice */

struct attack {
	struct rig g;
	char *target;
	uint64_t seed;
	bool junk;     /* some fields are */
	bool far;      /* random times too, except in modes that wait for them */
};

static uint64_t draw(struct attack *a, uint64_t n)
{
	return sample_random(&a->seed) % n;
}

static uint64_t number(struct attack *a)
{
	static const uint64_t numbers[] = {0,
					   1,
					   511,
					   4096,
					   TARGET_BYTES - 4096,
					   TARGET_BYTES,
					   UINT64_C(1) << 30,
					   (UINT64_C(1) << 30) + 4096,
					   UINT64_C(1) << 62,
					   INT64_MAX,
					   UINT64_C(1) << 63,
					   UINT64_MAX - 4095,
					   UINT64_MAX};
	return numbers[draw(a, sizeof numbers / sizeof *numbers)];
}

static int64_t time_far(struct attack *a)
{
	static const int64_t times[] = {INT64_MIN + 1, -1,       0, INT64_C(1) << 62,
					INT64_MAX - 1, INT64_MAX};
	return times[draw(a, sizeof times / sizeof *times)];
}

static void request_junk(struct attack *a, struct trace_record *r)
{
	switch (draw(a, 8)) {
	case 0:
		r->op = (uint16_t)(1 + draw(a, OP_N - 1));
		break;
	case 1:
		r->offset = number(a);
		break;
	case 2:
		r->length = number(a);
		break;
	case 3:
		r->end_ns = a->far ? time_far(a) : r->begin_ns - (int64_t)draw(a, 3);
		break;
	case 4:
		r->begin_ns = a->far ? time_far(a) : TIME_NONE;
		break;
	case 5:
		r->flags = (uint32_t)number(a);
		break;
	case 6:
		r->rvalue = (int64_t)number(a);
		r->error = (uint16_t)number(a);
		break;
	default:
		r->pid = r->tid = (uint32_t)number(a);
		r->fd = (int32_t)number(a);
	}
}

static void trace_make(struct attack *a)
{
	static const enum trace_op ops[] = {OP_PREAD,  OP_PWRITE, OP_PREAD,
					    OP_PWRITE, OP_FSYNC,  OP_FALLOCATE};
	const struct trace_meta meta = {.level = LEVEL_BLOCK, .clock = "made", .seed = a->seed};
	struct trace_writer *w;
	uint32_t id;
	assert_int_equal(trace_writer_open(&w, a->g.input, &meta, &(struct trace_write_options){.no_sync = true}, NULL), 0);
	assert_int_equal(trace_writer_object(w, OBJECT_DEVICE, "8,0", &id, NULL), 0);
	for (uint32_t i = 0; i < N_REQUESTS; i++) {
		struct trace_record r = {.seq = i, .begin_ns = (int64_t)draw(a, 50) * 20000, .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE,
					 .offset = draw(a, 256) * 4096, .length = 4096 * (1 + draw(a, 3)), .object = id, .fd = -1, .heap = HEAP_NONE,
					 .pid = 1, .tid = 1, .flags = (uint32_t)draw(a, 64), .op = (uint16_t)ops[draw(a, 6)]};
		if (r.offset + r.length > TARGET_BYTES)
			r.offset = TARGET_BYTES - r.length;
		r.rvalue = (int64_t)r.length;
		r.end_ns = draw(a, 9) ? r.begin_ns + (int64_t)draw(a, 5) * 20000 : TIME_NONE;
		struct trace_record sound = r;
		if (a->junk && !draw(a, 40))
			request_junk(a, &r);
		/* a writer refuses what readers refuse */
		if (trace_writer_append(w, &r, 1, NULL))
			assert_int_equal(trace_writer_append(w, &sound, 1, NULL), 0);
	}
	assert_int_equal(trace_writer_close(w, NULL), 0);
}

static void attack_init(struct attack *a, uint64_t seed)
{
	memset(a, 0, sizeof *a);
	a->seed = seed * 0x9e3779b97f4a7c15u + 1;
	rig_init(&a->g);
	a->target = xasprintf("%s/target", a->g.dir);
	int fd = open(a->target, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, TARGET_BYTES), 0);
	close(fd);
	struct replay_config *c = &a->g.c;
	c->engine = "block";
	c->dir = NULL;
	c->prepare = false;
	c->device = a->target;
	c->destructive = true;
	c->watchdog_ns = 5000000000;
	c->block.mode = (int)(seed % 4);
	c->block.backend = (int)(seed / 4 % 4);
	c->block.beyond = (int)draw(a, 3);
	c->block.unaligned = (int)draw(a, 2);
	c->block.discards = draw(a, 2);
	c->block.read_only = !draw(a, 4);
	c->n_workers = 1 + draw(a, 3);
	a->junk = draw(a, 8) > 0;
	a->far = c->block.mode == MODE_AFAP || c->block.mode == MODE_LOAD;
}

static void attack_release(struct attack *a)
{
	rig_release(&a->g);
	free(a->target);
}

/* Some file systems lack direct I/O. */
static bool has_direct_io(const struct attack *a)
{
	int fd = open(a->target, O_RDWR | O_DIRECT);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void target_has_its_size(const struct attack *a)
{
	struct stat st;
	assert_int_equal(stat(a->target, &st), 0);
	assert_int_equal(st.st_size, TARGET_BYTES);
	if (a->g.c.block.read_only)
		/* the file had only holes, so nothing was written */
		assert_true(st.st_blocks == 0);
}

static void junk_is_refused_or_replayed(void **state)
{
	(void)state;
	uint32_t n_run = 0, n_refused = 0;
	for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
		struct attack a;
		struct err e = ERR_INIT;
		attack_init(&a, seed);
		if (!has_direct_io(&a)) {
			attack_release(&a);
			skip();
		}
		trace_make(&a);
		int ret = replay_run_summary(a.g.input, &a.g.c, &a.g.s, &e);
		if (ret && !e.msg[0])
			fail_msg("seed %d failed and did not say why", (int)seed);
		if (ret && !a.junk)
			fail_msg("seed %d, nothing of it junk: %s", (int)seed, e.msg);
		if (ret && !strstr(e.msg, "record ")) /* the message names the record */
			fail_msg("seed %d: %s", (int)seed, e.msg);
		if (!ret) {
			rig_read(&a.g);
			assert_int_equal(a.g.n, N_REQUESTS);
			uint64_t n_none = 0;
			for (size_t i = 0; i < a.g.n; i++) {
				n_none += a.g.r[i].begin_ns == TIME_NONE;
				assert_true(a.g.r[i].begin_ns == TIME_NONE ||
					    a.g.r[i].end_ns >= a.g.r[i].begin_ns);
			}
			assert_int_equal(a.g.s.n_issued + n_none, N_REQUESTS);
		}
		n_run += ret == 0;
		n_refused += ret != 0;
		target_has_its_size(&a);
		attack_release(&a);
	}
	assert_true(n_run >= N_SEEDS / 8);
	assert_true(n_refused >= N_SEEDS / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(junk_is_refused_or_replayed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
