/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: 10 s */
/* Hostile traces: every operation with paths that lead outside, random values in every field, for
 * each engine and order. Nothing outside of the directory may change, no device and no set-user-ID
 * bit may appear inside, and nothing may crash or hang. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <ftw.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "capture/op.h"
#include "replay/load/reads.h"
#include "rig.h"

#define N_REQUESTS 400
#define MAX_PATHS 32

struct attack {
	struct rig g;
	char *outside, *victim, *linked;
	const char *path[MAX_PATHS];
	uint32_t n_paths;
	uint64_t seed;
	bool lies; /* about how many bytes came */
	/* some lengths are vast: such a replay fills the memory that it may use, 1 GiB */
	bool vast;
};

static uint64_t draw(struct attack *a, uint64_t n)
{
	return sample_random(&a->seed) % n;
}

static void file_put(const char *path, const char *text)
{
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static void attack_init(struct attack *a, uint64_t seed)
{
	static char long_name[301];
	memset(a, 0, sizeof *a);
	a->seed = seed * 0x9e3779b97f4a7c15u + 1;
	a->lies = seed % 4 == 1;
	a->vast = seed % 16 == 3;
	rig_init(&a->g);
	a->outside = xasprintf("%s/outside", a->g.dir);
	a->victim = xasprintf("%s/outside/victim", a->g.dir);
	a->linked = xasprintf("%s/tree/link", a->g.dir);
	char *up = xasprintf("%s/tree/up", a->g.dir), *magic = xasprintf("%s/tree/magic", a->g.dir);
	assert_int_equal(mkdir(a->outside, 0755), 0);
	file_put(a->victim, "untouched");
	assert_int_equal(symlink(a->outside, a->linked), 0);
	assert_int_equal(symlink("../outside", up), 0);
	assert_int_equal(symlink("/proc/self/cwd", magic), 0);
	free(up), free(magic);
	char *d = xasprintf("%s/tree/d", a->g.dir), *below = xasprintf("%s/tree/d/e", a->g.dir);
	assert_int_equal(mkdir(d, 0755) || mkdir(below, 0755), 0);
	free(d), free(below);
	memset(long_name, 'n', sizeof long_name - 1);
	const char *const paths[] = {"a",
				     "b",
				     "d",
				     "d/x",
				     "d/e/y",
				     "../outside/victim",
				     "../outside",
				     a->victim,
				     a->outside,
				     "link/victim",
				     "link/new",
				     "link",
				     "up/victim",
				     "up/..",
				     "d/../../outside/victim",
				     "..",
				     ".",
				     "/",
				     "",
				     "magic/x",
				     "/proc/self/root/etc/passwd",
				     "/dev/null",
				     "%s%n%n",
				     "\x1b[31mred\n",
				     "<script>\"'&",
				     long_name,
				     "d/..",
				     "up/../victim"};
	for (; a->n_paths < sizeof paths / sizeof *paths; a->n_paths++)
		a->path[a->n_paths] = paths[a->n_paths];
}

static void attack_release(struct attack *a)
{
	rig_release(&a->g);
	free(a->outside), free(a->victim), free(a->linked);
}

/* --- the trace ----------------------------------------------------------- */

static uint64_t number(struct attack *a)
{
	static const uint64_t numbers[] = {
	    0,     1,    4096, 1 << 16, UINT64_C(1) << 40, UINT64_C(1) << 62, UINT64_MAX - 1,
	    0xfff, 07777};
	return numbers[draw(a, sizeof numbers / sizeof *numbers)];
}

static uint32_t heap_junk(struct attack *a, struct trace_writer *w, const struct op_info *o)
{
	uint32_t ref = HEAP_NONE;
	uint64_t junk[6];
	char bytes[sizeof junk];
	for (int i = 0; i < 6; i++)
		junk[i] = draw(a, 2) ? draw(a, 5000) : number(a);
	memcpy(bytes, junk, sizeof bytes);
	struct op_peer peer = {(int32_t)draw(a, 9), OBJECT_NONE,
			       draw(a, 2) ? OFFSET_NONE : number(a)};
	const char *text = o->uses & OP_HEAP_NAME ? (draw(a, 2) ? "user.a" : "security.capability")
						  : a->path[draw(a, a->n_paths)];
	if (o->uses & (OP_HEAP_PATH | OP_HEAP_NAME) && *text)
		assert_int_equal(trace_writer_heap(w, text, strlen(text), &ref, NULL), 0);
	else if (o->uses & OP_HEAP_PEER)
		assert_int_equal(trace_writer_heap(w, &peer, sizeof peer, &ref, NULL), 0);
	else if (o->uses & OP_HEAP)
		assert_int_equal(trace_writer_heap(w, bytes,
						   draw(a, 3) ? 32 : draw(a, sizeof bytes) + 1,
						   &ref, NULL),
				 0);
	return ref;
}

static void request_make(struct attack *a, struct trace_writer *w, uint32_t i)
{
	static const uint32_t opens[] = {O_CREAT | O_RDWR, O_CREAT | O_WRONLY | O_TRUNC,
					 O_CREAT | O_RDWR | O_APPEND, O_CREAT | O_RDWR | O_EXCL};
	enum trace_op op = draw(a, 4) ? (enum trace_op)(1 + draw(a, OP_N - 1)) : OP_OPEN;
	const struct op_info *o = op_info(op);
	bool data =
	    o->family == FAMILY_READ || o->family == FAMILY_WRITE || o->family == FAMILY_STREAM;
	struct trace_record r = {.seq = i, .begin_ns = 10 * i, .end_ns = 10 * i + 5 + (int64_t)draw(a, 30), .intended_ns = TIME_NONE,
				 .dispatch_ns = TIME_NONE, .offset = draw(a, 3) ? OFFSET_NONE : number(a), .rvalue = -1, .error = EIO,
				 .pid = 1 + (uint32_t)draw(a, 2), .object = OBJECT_NONE, .fd = -1, .op = (uint16_t)op};
	r.tid = r.pid * 10 + (uint32_t)draw(a, 2);
	r.length = data || !a->vast ? draw(a, 9000) : number(a);
	r.flags =
	    draw(a, 2) ? (uint32_t)draw(a, 16) : (uint32_t)number(a) | (uint32_t)draw(a, 1u << 31);
	r.heap = heap_junk(a, w, o);
	if (data && a->lies && draw(a, 3) == 0) /* may exceed the requested length */
		r.rvalue = (int64_t)draw(a, 30000), r.error = 0;
	if (o->uses & OP_HAS_PATH)
		r.object = (uint32_t)draw(a, a->n_paths);
	else if (o->uses & OP_HAS_FD)
		r.fd = (int32_t)draw(a, 9);
	if (op == OP_OPEN || op == OP_FOPEN) {
		/* that can have succeeded */
		static const uint32_t there[] = {0, 1, 3, 4, 9, 10, 11, 12, 22, 23, 24};
		bool succeeded = draw(a, 4) > 0;
		r.flags = opens[draw(a, 4)] | (succeeded ? 0 : (uint32_t)draw(a, 1u << 31));
		r.length = draw(a, 2) ? 06755 : 0644;
		if (succeeded) {
			r.object = there[draw(a, sizeof there / sizeof *there)];
			r.fd = (int32_t)(r.rvalue = 3 + (int64_t)draw(a, 6));
			r.error = 0;
		}
	} else if (op == OP_MMAP) {
		r.rvalue = INT64_C(0x7f0000000000) + (int64_t)i * 0x100000;
		r.length = 1 + draw(a, 0x20000), r.offset = 4096 * draw(a, 4),
		r.flags |= (uint32_t)draw(a, 8) << 29;
	} else if (o->family == FAMILY_MAP) {
		r.offset = UINT64_C(0x7f0000000000) + draw(a, i + 1) * 0x100000 + 4096 * draw(a, 8);
		r.rvalue = draw(a, 2) ? 0 : -1;
	} else if (op == OP_FLOCK) {
		r.flags |= LOCK_NB;
	} else if (op == OP_MKNOD) {
		r.length = draw(a, 2) ? S_IFCHR | 0666 : S_IFREG | 06755;
	}
	if (op == OP_LOCKF || op == OP_FALLOCATE || (op == OP_FCNTL && draw(a, 2)))
		r.op = OP_CHMOD, r.object = (uint32_t)draw(a, a->n_paths), r.fd = -1,
		r.heap = HEAP_NONE, r.length = 06777;
	assert_int_equal(trace_writer_append(w, &r, 1, NULL), 0);
}

static void trace_make(struct attack *a)
{
	struct trace_writer *w;
	uint32_t id;
	const struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "made", .root = "/"};
	assert_int_equal(trace_writer_open(&w, a->g.input, &meta, &(struct trace_write_options){.no_sync = true}, NULL), 0);
	for (uint32_t i = 0; i < a->n_paths; i++)
		assert_int_equal(trace_writer_object(w, OBJECT_PATH, a->path[i], &id, NULL), 0);
	for (uint32_t i = 0; i < N_REQUESTS; i++)
		request_make(a, w, i);
	assert_int_equal(trace_writer_close(w, NULL), 0);
}

/* --- the directory after the replay ----------------------------------------- */

static int n_bad;

static int inside_look(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path, (void)ftw;
	assert_true(type != FTW_NS && type != FTW_DNR);
	n_bad += S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode) || S_ISFIFO(st->st_mode) ||
		 S_ISSOCK(st->st_mode);
	n_bad += S_ISREG(st->st_mode) && st->st_mode & (S_ISUID | S_ISGID);
	return 0;
}

static void outside_is_as_it_was(const struct attack *a, const struct stat *before,
				 const struct stat *file_before)
{
	struct stat st;
	struct strbuf text = STRBUF_INIT;
	assert_int_equal(stat(a->outside, &st), 0);
	assert_int_equal(st.st_mode, before->st_mode);
	assert_int_equal(st.st_uid, before->st_uid);
	assert_int_equal(st.st_mtim.tv_sec, before->st_mtim.tv_sec);
	/* no entry was created or removed in it */
	assert_int_equal(st.st_mtim.tv_nsec, before->st_mtim.tv_nsec);
	assert_int_equal(st.st_ctim.tv_nsec, before->st_ctim.tv_nsec);
	assert_int_equal(stat(a->victim, &st), 0);
	/* and its own attributes did not change */
	assert_int_equal(st.st_ctim.tv_nsec, file_before->st_ctim.tv_nsec);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(file_read(a->victim, &text, 1000, NULL), 0);
	assert_string_equal(text.s, "untouched");
	strbuf_release(&text);
}

static void nothing_outside_changes(const char *engine)
{
	/* 15: each order with and without --prepare. To compile takes its time. */
	uint64_t n_seeds = !strcmp(engine, "compiled") ? 5 : 15, n_run = 0;
	for (uint64_t seed = 1; seed <= n_seeds; seed++) {
		struct attack a;
		struct err e = ERR_INIT;
		struct stat before, file_before;
		attack_init(&a, seed);
		trace_make(&a);
		a.g.c.engine = engine;
		a.g.c.order = (int)(seed % 5);
		a.g.c.prepare = seed % 3 == 0;
		a.g.c.reads = a.lies ? READS_ORIGINAL : READS_CURRENT;
		a.g.c.watchdog_ns = 2000000000;
		assert_int_equal(stat(a.outside, &before), 0);
		assert_int_equal(stat(a.victim, &file_before), 0);
		int ret = replay_run_summary(a.g.input, &a.g.c, &a.g.s, &e);
		n_run += ret == 0;
		if (ret && !e.msg[0])
			fail_msg("seed %d failed and did not say why", (int)seed);
		if (!ret)
			assert_int_equal(a.g.s.n_issued + a.g.s.n_skipped, N_REQUESTS);
		outside_is_as_it_was(&a, &before, &file_before);
		/* the trace may have removed the permission to look */
		char *command = xasprintf("chmod -R u+rwx '%s'", a.g.tree);
		assert_int_equal(system(command), 0);
		free(command);
		n_bad = 0;
		nftw(a.g.tree, inside_look, 16, FTW_PHYS);
		assert_int_equal(n_bad, 0);
		attack_release(&a);
	}
	assert_true(n_run >= n_seeds / 2); /* so that something was tried */
}

static void by_event(void **state)
{
	(void)state;
	nothing_outside_changes("event");
}

static void by_coordinator(void **state)
{
	(void)state;
	nothing_outside_changes("coordinator");
}

static void by_compiled(void **state)
{
	(void)state;
	nothing_outside_changes("compiled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_event),
		cmocka_unit_test(by_coordinator),
		cmocka_unit_test(by_compiled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
