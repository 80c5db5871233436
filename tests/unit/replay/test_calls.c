/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls one by one on real files: their result, their errno, and the files that they leave,
 * compared with the system's manual. A step is a record of a trace with the required result; the
 * test creates the tree before the replay and examines it afterwards. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "capture/op.h"
#include "common/strbuf.h"
#include "rig.h"

struct step {
	enum trace_op op;
	const char *path; /* NULL: none */
	int fd;           /* 0: none */
	uint64_t offset, length;
	uint32_t flags;
	int64_t result; /* or the negative errno */
	const void *heap;
	size_t n_heap;
};
#define TEXT(s) (s), sizeof(s) - 1
#define BYTES(x) &(x), sizeof(x)

struct world {
	struct rig g;
	int dir; /* the tree */
};

static void world_init(struct world *w)
{
	rig_init(&w->g);
	w->g.c.prepare = false;
	w->g.c.order = ORDER_THREAD;
	w->dir = open(w->g.tree, O_RDONLY | O_DIRECTORY);
	assert_true(w->dir >= 0);
}

static void world_release(struct world *w)
{
	close(w->dir);
	rig_release(&w->g);
}

static void put(const struct world *w, const char *name, const char *text)
{
	int fd = openat(w->dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static off_t size_of(const struct world *w, const char *name)
{
	struct stat st;
	return fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) ? -errno : st.st_size;
}

static bool is_there(const struct world *w, const char *name)
{
	return size_of(w, name) >= 0;
}

static void steps_write(const char *path, const struct step *step, size_t n)
{
	struct err e = ERR_INIT;
	struct trace_writer *t;
	const struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "made"};
	if (trace_writer_open(&t, path, &meta, &(struct trace_write_options){.no_sync = true}, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < n; i++) {
		const struct step *s = &step[i];
		struct trace_record r = {.seq = i,
					 .begin_ns = (int64_t)i * 10,
					 .end_ns = (int64_t)i * 10 + 5,
					 .intended_ns = TIME_NONE,
					 .dispatch_ns = TIME_NONE,
					 .offset = s->offset,
					 .length = s->length,
					 .flags = s->flags,
					 .pid = 1,
					 .tid = 1,
					 .object = OBJECT_NONE,
					 .fd = s->fd ? s->fd : -1,
					 .heap = HEAP_NONE,
					 .op = (uint16_t)s->op,
					 .rvalue = s->result < 0 ? -1 : s->result,
					 .error = s->result < 0 ? (uint16_t)-s->result : 0};
		if ((s->path && trace_writer_object(t, OBJECT_PATH, s->path, &r.object, &e)) ||
		    (s->heap && trace_writer_heap(t, s->heap, s->n_heap, &r.heap, &e)) ||
		    trace_writer_append(t, &r, 1, &e))
			fail_msg("%s", e.msg);
	}
	if (trace_writer_close(t, &e))
		fail_msg("%s", e.msg);
}

/* Replays the steps; each must have its result. */
static void play(struct world *w, const struct step *step, size_t n)
{
	struct err e = ERR_INIT;
	steps_write(w->g.input, step, n);
	if (replay_run_summary(w->g.input, &w->g.c, &w->g.s, &e))
		fail_msg("%s", e.msg);
	rig_read(&w->g);
	assert_int_equal(w->g.n, n);
	for (size_t i = 0; i < w->g.s.n_mismatches && i < REPLAY_MISMATCHES_SHOWN; i++) {
		const struct replay_mismatch *m = &w->g.s.mismatch[i];
		print_error("step %d: %s gave %lld instead of %lld\n", (int)m->seq, op_name(m->op),
			    (long long)m->actual, (long long)m->expected);
	}
	assert_int_equal(w->g.s.n_mismatches, 0);
	assert_int_equal(w->g.s.n_skipped, 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(w->g.r[i].error, step[i].result < 0 ? -step[i].result : 0);
}
#define PLAY(w, steps) play(w, steps, sizeof(steps) / sizeof *(steps))

static const uint64_t two_buffers[] = {3, 5};

static void data(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	put(&w, "f", "0123456789");
	struct op_peer to = {.fd = 4, .object = OBJECT_NONE, .offset = OFFSET_NONE};
	const struct step steps[] = {
	    {OP_OPEN, "f", 3, 0, 0644, O_RDWR, 3, NULL, 0},
	    {OP_OPEN, "g", 4, 0, 0600, O_RDWR | O_CREAT | O_EXCL, 4, NULL, 0},
	    {OP_READ, "f", 3, OFFSET_NONE, 4, 0, 4, NULL, 0},
	    {OP_PREAD, "f", 3, 8, 4, 0, 2, NULL, 0},
	    {OP_PREAD, "f", 3, 10, 4, 0, 0, NULL, 0},
	    {OP_PREAD, "f", 3, (uint64_t)-1, 4, 0, -EINVAL, NULL, 0},
	    {OP_READV, "f", 3, OFFSET_NONE, 8, 0, 6, BYTES(two_buffers)},
	    {OP_PREADV, "f", 3, 1, 8, 0, 8, BYTES(two_buffers)},
	    {OP_LSEEK, "f", 3, 2, 0, SEEK_SET, 2, NULL, 0},
	    {OP_LSEEK, "f", 3, (uint64_t)-3, 0, SEEK_CUR, -EINVAL, NULL, 0},
	    {OP_LSEEK, "f", 3, 0, 0, SEEK_END, 10, NULL, 0},
	    {OP_WRITE, "f", 3, OFFSET_NONE, 5, 0, 5, NULL, 0},
	    {OP_PWRITE, "f", 3, 100, 1, 0, 1, NULL, 0},
	    {OP_PWRITEV, "g", 4, 2, 8, 0, 8, BYTES(two_buffers)},
	    {OP_COPY_FILE_RANGE, "f", 3, 0, 7, 0, 7, BYTES(to)},
	    {OP_FTRUNCATE, "f", 3, 0, 50, 0, 0, NULL, 0},
	    {OP_FTRUNCATE, "f", 3, 0, (uint64_t)-1, 0, -EINVAL, NULL, 0},
	    {OP_FALLOCATE, "g", 4, 0, 4096, 0, 0, NULL, 0},
	    {OP_FADVISE, "f", 3, 0, 0, POSIX_FADV_RANDOM, 0, NULL, 0},
	    {OP_READAHEAD, "f", 3, 0, 10, 0, 0, NULL, 0},
	    {OP_FSYNC, "f", 3, 0, 0, 0, 0, NULL, 0},
	    {OP_FDATASYNC, "g", 4, 0, 0, 0, 0, NULL, 0},
	    {OP_SYNC_FILE_RANGE, "f", 3, 0, 10, 2, 0, NULL, 0},
	    {OP_CLOSE, "f", 3, 0, 0, 0, 0, NULL, 0},
	    {OP_READ, "f", 3, OFFSET_NONE, 4, 0, -EBADF, NULL, 0},
	    {OP_TRUNCATE, "f", 0, 0, 20, 0, 0, NULL, 0},
	    {OP_TRUNCATE, "none", 0, 0, 20, 0, -ENOENT, NULL, 0},
	};
	PLAY(&w, steps);
	assert_int_equal(size_of(&w, "f"), 20);
	assert_int_equal(size_of(&w, "g"), 4096);
	char text[4];
	int fd = openat(w.dir, "f", O_RDONLY);
	assert_int_equal(pread(fd, text, 4, 0), 4);
	assert_memory_equal(text, "0123", 4); /* bytes that were not written are unchanged */
	close(fd);
	world_release(&w);
}

static void names(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	put(&w, "f", "x");
	assert_int_equal(mkdirat(w.dir, "full", 0755), 0);
	put(&w, "full/inside", "y");
	const struct step steps[] = {
	    {OP_MKDIR, "d", 0, 0, 0700, 0, 0, NULL, 0},
	    {OP_MKDIR, "d", 0, 0, 0700, 0, -EEXIST, NULL, 0},
	    {OP_MKDIR, "none/d", 0, 0, 0700, 0, -ENOENT, NULL, 0},
	    {OP_MKDIR, "with/", 0, 0, 0700, 0, 0, NULL, 0}, /* "with", too */
	    {OP_RENAME, "with/", 0, 0, 0, 0, 0, TEXT("without//")},
	    {OP_RMDIR, "without/", 0, 0, 0, 0, 0, NULL, 0},
	    {OP_OPEN, "d/new", 3, 0, 0640, O_WRONLY | O_CREAT, 3, NULL, 0},
	    {OP_OPEN, "d/new", 0, 0, 0640, O_WRONLY | O_CREAT | O_EXCL, -EEXIST, NULL, 0},
	    {OP_STAT, "d/new/", 0, 0, 0, 0, -ENOTDIR, NULL, 0},
	    {OP_UNLINK, "d/new/", 0, 0, 0, 0, -ENOTDIR, NULL, 0},
	    {OP_OPEN, "d/new/", 0, 0, 0, O_RDONLY, -ENOTDIR, NULL, 0},
	    {OP_OPEN, "d", 0, 0, 0, O_WRONLY, -EISDIR, NULL, 0},
	    {OP_OPEN, "f/below", 0, 0, 0, O_RDONLY, -ENOTDIR, NULL, 0},
	    {OP_LINK, "d/new", 0, 0, 0, 0, 0, TEXT("linked")},
	    {OP_LINK, "d/new", 0, 0, 0, 0, -EEXIST, TEXT("linked")},
	    {OP_SYMLINK, "sym", 0, 0, 0, 0, 0, TEXT("d/new")},
	    {OP_READLINK, "sym", 0, 0, 100, 0, 5, NULL, 0},
	    {OP_READLINK, "f", 0, 0, 100, 0, -EINVAL, NULL, 0},
	    {OP_RENAME, "d", 0, 0, 0, 0, 0, TEXT("e")},
	    {OP_RENAME, "none", 0, 0, 0, 0, -ENOENT, TEXT("e2")},
	    {OP_RMDIR, "full", 0, 0, 0, 0, -ENOTEMPTY, NULL, 0},
	    {OP_RMDIR, "f", 0, 0, 0, 0, -ENOTDIR, NULL, 0},
	    {OP_UNLINK, "full/inside", 0, 0, 0, 0, 0, NULL, 0},
	    {OP_RMDIR, "full", 0, 0, 0, 0, 0, NULL, 0},
	    {OP_UNLINK, "none", 0, 0, 0, 0, -ENOENT, NULL, 0},
	    {OP_CLOSE, "d/new", 3, 0, 0, 0, 0, NULL, 0},
	};
	PLAY(&w, steps);
	struct stat st;
	assert_true(is_there(&w, "e/new") && is_there(&w, "linked") && !is_there(&w, "d") &&
		    !is_there(&w, "full"));
	assert_int_equal(fstatat(w.dir, "linked", &st, 0), 0);
	assert_int_equal(st.st_nlink, 2);
	char target[20] = "";
	assert_int_equal(readlinkat(w.dir, "sym", target, sizeof target), 5);
	assert_string_equal(target, "d/new");
	world_release(&w);
}

static void attributes(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	put(&w, "f", "12345");
	static const int64_t times[4] = {1000, 5, 2000, 7};
	const struct step steps[] = {
	    {OP_OPEN, "f", 3, 0, 0, O_RDWR, 3, NULL, 0},     {OP_STAT, "f", 0, 0, 0, 0, 0, NULL, 0},
	    {OP_STAT, "none", 0, 0, 0, 0, -ENOENT, NULL, 0}, {OP_STAT, "f/x", 0, 0, 0, 0, -ENOTDIR, NULL, 0},
	    {OP_FSTAT, "f", 3, 0, 0, 0, 0, NULL, 0},         {OP_STATX, "f", 0, 0, 0x7ff, 0, 0, NULL, 0},
	    {OP_STATFS, "f", 0, 0, 0, 0, 0, NULL, 0},        {OP_FSTATFS, "f", 3, 0, 0, 0, 0, NULL, 0},
	    {OP_ACCESS, "f", 0, 0, R_OK, 0, 0, NULL, 0},     {OP_ACCESS, "none", 0, 0, F_OK, 0, -ENOENT, NULL, 0},
	    {OP_CHMOD, "f", 0, 0, 0600, 0, 0, NULL, 0},      {OP_CHMOD, "none", 0, 0, 0600, 0, -ENOENT, NULL, 0},
	    {OP_FCHMOD, "f", 3, 0, 0640, 0, 0, NULL, 0},     {OP_UTIMENS, "f", 0, 0, 0, 0, 0, BYTES(times)},
	    {OP_FSTAT, "f", 9, 0, 0, 0, -EBADF, NULL, 0},    {OP_CLOSE, "f", 3, 0, 0, 0, 0, NULL, 0},
	};
	PLAY(&w, steps);
	struct stat st;
	assert_int_equal(fstatat(w.dir, "f", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(st.st_atim.tv_sec, 1000);
	assert_int_equal(st.st_mtim.tv_sec, 2000);
	assert_int_equal(st.st_mtim.tv_nsec, 7);
	world_release(&w);
}

static void extended_attributes(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	put(&w, "f", "x");
	char *path = xasprintf("%s/f", w.g.tree), value[20];
	if (setxattr(path, "user.old", "abc", 3, 0)) {
		free(path);
		world_release(&w);
		skip(); /* not this file system */
	}
	const struct step steps[] = {
	    {OP_OPEN, "f", 3, 0, 0, O_RDWR, 3, NULL, 0},
	    {OP_GETXATTR, "f", 0, 0, 20, 0, 3, TEXT("user.old")},
	    {OP_GETXATTR, "f", 0, 0, 20, 0, -ENODATA, TEXT("user.none")},
	    {OP_SETXATTR, "f", 0, 0, 5, 0, 0, TEXT("user.new")},
	    {OP_SETXATTR, "f", 0, 0, 5, XATTR_CREATE, -EEXIST, TEXT("user.new")},
	    {OP_FGETXATTR, "f", 3, 0, 20, 0, 5, TEXT("user.new")},
	    {OP_LISTXATTR, "f", 0, 0, 100, 0, 18, NULL, 0},
	    {OP_REMOVEXATTR, "f", 0, 0, 0, 0, 0, TEXT("user.old")},
	    {OP_FREMOVEXATTR, "f", 3, 0, 0, 0, -ENODATA, TEXT("user.old")},
	    /* for every invalid address, the attribute stays unset */
	    {OP_FSETXATTR, "f", 3, 0, 0, 0, -EFAULT, TEXT("user.none")},
	    {OP_FREMOVEXATTR, "f", 3, 0, 0, 0, -EFAULT, TEXT("user.new")},
	    {OP_REMOVEXATTR, "f", 0, 0, 0, 0, -EFAULT, TEXT("user.new")},
	    {OP_CLOSE, "f", 3, 0, 0, 0, 0, NULL, 0},
	};
	PLAY(&w, steps);
	assert_int_equal(getxattr(path, "user.none", value, sizeof value), -1);
	assert_int_equal(getxattr(path, "user.new", value, sizeof value), 5);
	assert_int_equal(getxattr(path, "user.old", value, sizeof value), -1);
	free(path);
	world_release(&w);
}

/* If a link may be at the end of the path but none is, the call fails, even if another directory
 * has a file of that name. */
static void extended_attributes_of_what_may_be_a_link(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	put(&w, "f", "x");
	assert_int_equal(mkdirat(w.dir, "d", 0755) || mkdirat(w.dir, "e", 0755) ||
			     symlinkat("../f", w.dir, "e/f"),
			 0);
	const struct step steps[] = {
	    {OP_READLINK, "e/f", 0, 0, 100, 0, 4, NULL, 0},
	    {OP_LISTXATTR, "d/f", 0, 0, 100, 0, -ENOENT, NULL, 0},
	    {OP_GETXATTR, "d/f", 0, 0, 20, 0, -ENOENT, TEXT("user.some")},
	    {OP_LISTXATTR, "e/f", 0, 0, 100, 0, 0, NULL, 0},
	};
	PLAY(&w, steps);
	world_release(&w);
}

/* Privileged attributes are not changed, whatever the traced result of the call. */
static void privileged_attributes(void **state)
{
	(void)state;
	struct world w;
	struct err e = ERR_INIT;
	world_init(&w);
	put(&w, "f", "x");
	const struct step steps[] = {
	    {OP_OPEN, "f", 3, 0, 0, O_RDWR, 3, NULL, 0},
	    {OP_FSETXATTR, "f", 3, 0, 0, 0, -EFAULT, TEXT("trusted.some")},
	    {OP_FREMOVEXATTR, "f", 3, 0, 0, 0, -EFAULT, TEXT("security.capability")},
	    {OP_SETXATTR, "f", 0, 0, 3, 0, 0, TEXT("trusted.some")},
	};
	steps_write(w.g.input, steps, 4);
	if (replay_run_summary(w.g.input, &w.g.c, &w.g.s, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(w.g.s.n_skipped_of[SKIP_FORBIDDEN], 3);
	world_release(&w);
}

static void descriptors(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	put(&w, "f", "0123456789");
	const struct step steps[] = {
	    {OP_OPEN, "f", 3, 0, 0, O_RDONLY, 3, NULL, 0},
	    {OP_DUP, "f", 3, 0, 0, 0, 4, NULL, 0},
	    {OP_READ, "f", 3, OFFSET_NONE, 6, 0, 6, NULL, 0},
	    {OP_READ, "f", 4, OFFSET_NONE, 6, 0, 4, NULL, 0}, /* one position for both */
	    {OP_CLOSE, "f", 3, 0, 0, 0, 0, NULL, 0},
	    {OP_READ, "f", 4, OFFSET_NONE, 6, 0, 0, NULL, 0},
	    {OP_READ, "f", 3, OFFSET_NONE, 6, 0, -EBADF, NULL, 0},
	    {OP_WRITE, "f", 4, OFFSET_NONE, 6, 0, -EBADF, NULL, 0}, /* not open for writing */
	    {OP_FLOCK, "f", 4, 0, 0, LOCK_EX, 0, NULL, 0},
	    {OP_FCNTL, "f", 4, 0, 0, F_GETFL, O_RDONLY | 0100000, NULL, 0},
	    {OP_CLOSE, "f", 4, 0, 0, 0, 0, NULL, 0},
	    {OP_CLOSE, "f", 4, 0, 0, 0, -EBADF, NULL, 0},
	};
	PLAY(&w, steps);
	assert_int_equal(size_of(&w, "f"), 10);
	world_release(&w);
}

static void directories(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	assert_int_equal(mkdirat(w.dir, "d", 0755), 0);
	put(&w, "d/a", "x");
	put(&w, "f", "x");
	const struct step steps[] = {
	    {OP_OPENDIR, "d", 3, 0, 0, 0, 3, NULL, 0},
	    {OP_READDIR, "d", 3, 0, 0, 0, 1, NULL, 0},
	    {OP_READDIR, "d", 3, 0, 0, 0, 1, NULL, 0},
	    {OP_READDIR, "d", 3, 0, 0, 0, 1, NULL, 0}, /* ".", ".." and a */
	    {OP_READDIR, "d", 3, 0, 0, 0, 0, NULL, 0},
	    {OP_REWINDDIR, "d", 3, 0, 0, 0, 0, NULL, 0},
	    {OP_READDIR, "d", 3, 0, 0, 0, 1, NULL, 0},
	    {OP_CLOSEDIR, "d", 3, 0, 0, 0, 0, NULL, 0},
	    {OP_OPENDIR, "f", 0, 0, 0, 0, -ENOTDIR, NULL, 0},
	    {OP_OPENDIR, "none", 0, 0, 0, 0, -ENOENT, NULL, 0},
	    {OP_SCANDIR, "d", 0, 0, 0, 0, 3, NULL, 0},
	};
	PLAY(&w, steps);
	world_release(&w);
}

static void streams(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	put(&w, "f", "0123456789");
	const struct step steps[] = {
	    {OP_FOPEN, "f", 3, 0, 0, O_RDWR, 3, NULL, 0},
	    {OP_FREAD, "f", 3, OFFSET_NONE, 4, 0, 4, NULL, 0},
	    {OP_FTELL, "f", 3, 0, 0, 0, 4, NULL, 0},
	    {OP_FSEEK, "f", 3, 8, 0, SEEK_SET, 0, NULL, 0},
	    {OP_FREAD, "f", 3, OFFSET_NONE, 4, 0, 2, NULL, 0},
	    {OP_FSEEK, "f", 3, 0, 0, SEEK_END, 0, NULL, 0},
	    {OP_FWRITE, "f", 3, OFFSET_NONE, 6, 0, 6, NULL, 0},
	    {OP_FFLUSH, "f", 3, 0, 0, 0, 0, NULL, 0},
	    {OP_FCLOSE, "f", 3, 0, 0, 0, 0, NULL, 0},
	    {OP_FOPEN, "none", 0, 0, 0, O_RDONLY, -ENOENT, NULL, 0},
	    {OP_FOPEN, "g", 4, 0, 0, O_WRONLY | O_CREAT | O_TRUNC, 4, NULL, 0},
	    {OP_FPUTC, "g", 4, OFFSET_NONE, 1, 0, 1, NULL, 0},
	    {OP_FCLOSE, "g", 4, 0, 0, 0, 0, NULL, 0},
	};
	PLAY(&w, steps);
	assert_int_equal(size_of(&w, "f"), 16);
	assert_int_equal(size_of(&w, "g"), 1);
	world_release(&w);
}

/* Calls with an invalid address fail as traced. The C library would copy to the address itself, so
 * it never gets it. */
static void bad_addresses(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	put(&w, "f", "0123456789");
	const struct step steps[] = {
	    {OP_FOPEN, "f", 3, 0, 0, O_RDWR, 3, NULL, 0},
	    {OP_FREAD, "f", 3, OFFSET_NONE, 4, 0, -EFAULT, NULL, 0},
	    {OP_FGETS, "f", 3, OFFSET_NONE, 4, 0, -EFAULT, NULL, 0},
	    {OP_GETDELIM, "f", 3, OFFSET_NONE, 0, '\n', -EFAULT, NULL, 0},
	    {OP_FREAD, "f", 3, OFFSET_NONE, 4, 0, 4, NULL, 0},
	    {OP_FSEEK, "f", 3, 0, 0, SEEK_END, 0, NULL, 0},
	    {OP_FWRITE, "f", 3, OFFSET_NONE, 6, 0, 6, NULL, 0},
	    {OP_FWRITE, "f", 3, OFFSET_NONE, 6, 0, -EFAULT, NULL, 0},
	    {OP_FPUTS, "f", 3, OFFSET_NONE, 6, 0, -EFAULT, NULL, 0},
	    {OP_FPRINTF, "f", 3, OFFSET_NONE, 0, 0, -EFAULT, NULL, 0},
	    {OP_FWRITE, "f", 3, OFFSET_NONE, 6, 0, 6, NULL, 0},
	    {OP_FCLOSE, "f", 3, 0, 0, 0, 0, NULL, 0},
	    {OP_OPEN, NULL, 0, 0, 0, O_RDONLY, -EFAULT, NULL, 0},
	    {OP_FOPEN, NULL, 0, 0, 0, O_RDONLY, -EFAULT, NULL, 0},
	    {OP_OPENDIR, NULL, 0, 0, 0, 0, -EFAULT, NULL, 0},
	    {OP_SCANDIR, NULL, 0, 0, 0, 0, -EFAULT, NULL, 0},
	    {OP_REALPATH, NULL, 0, 0, 0, 0, -EFAULT, NULL, 0},
	    {OP_CHDIR, NULL, 0, 0, 0, 0, -EFAULT, NULL, 0},
	};
	PLAY(&w, steps);
	assert_int_equal(size_of(&w, "f"), 22);
	world_release(&w);
}

/* The replay continues for every operation that a trace shows with this error. */
static void every_operation_with_a_bad_address(void **state)
{
	enum { EACH = 8 };
	(void)state;
	static struct step steps[OP_COMPUTE * EACH];
	for (uint64_t length = 0; length <= 9; length += 3) {
		struct world w;
		struct err e = ERR_INIT;
		size_t n = 0;
		world_init(&w);
		put(&w, "f", "0123456789");
		for (unsigned int op = OP_OPEN; op < OP_COMPUTE; op++) {
			const struct step each[EACH] = {
			    {OP_FOPEN, "f", 3, 0, 0, O_RDWR, 3, NULL, 0},
			    {OP_OPEN, "f", 4, 0, 0, O_RDWR, 4, NULL, 0},
			    {OP_MMAP, "f", 4, 0, 4096, 0x60000001, 0x700000, NULL, 0},
			    {(enum trace_op)op, "f", 3, 0, length, 0, -EFAULT, TEXT("user.a")},
			    {(enum trace_op)op, "f", 4, 0, length, 0, -EFAULT, NULL, 0},
			    {(enum trace_op)op, NULL, 0, 0, length, 1, -EFAULT, NULL, 0},
			    {OP_FCLOSE, "f", 3, 0, 0, 0, 0, NULL, 0},
			    {OP_CLOSE, "f", 4, 0, 0, 0, 0, NULL, 0},
			};
			memcpy(&steps[n], each, sizeof each);
			n += EACH;
		}
		steps_write(w.g.input, steps, n);
		if (replay_run_summary(w.g.input, &w.g.c, &w.g.s, &e))
			fail_msg("length %d: %s", (int)length, e.msg);
		world_release(&w);
	}
}

/* Two threads write lines to each of many streams whose open is not in the trace, the first lines
 * at the same time: no line is lost. */
static void streams_without_an_open(void **state)
{
	(void)state;
	enum { N = 400, LINE = 10 };
	struct world w;
	struct err e = ERR_INIT;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct strbuf table = STRBUF_INIT;
	world_init(&w);
	put(&w, "f", "");
	for (int i = 0; i < N; i++) {
		strbuf_addf(&table, "%s{\"fd\":%d,\"path\":\"f\",\"flags\":%d}",
			    i ? "," : "{\"descriptors\":[", 3 + i, O_WRONLY | O_APPEND);
		for (uint32_t t = 1; t <= 2; t++)
			sample_data(&s, t, 10 * i, 10 * i + 5, OP_FPUTS, 3 + i, OBJECT_NONE,
				    OFFSET_NONE, LINE, LINE);
	}
	strbuf_addstr(&table, "]}");
	s.extra_json = table.s;
	if (rig_replay(&w.g, &s, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(w.g.s.n_mismatches, 0);
	assert_int_equal(size_of(&w, "f"), 2 * N * LINE);
	strbuf_release(&table);
	sample_release(&s);
	world_release(&w);
}

/* The C library's asynchronous requests are made at their start, and wait there for their
 * result. */
static void asynchronous(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	put(&w, "f", "0123456789");
	const struct step steps[] = {
	    {OP_OPEN, "f", 3, 0, 0, O_RDWR, 3, NULL, 0}, {OP_AIO_READ, "f", 3, 2, 4, 0, 4, NULL, 0},
	    {OP_AIO_READ, "f", 3, 9, 4, 0, 1, NULL, 0},  {OP_AIO_WRITE, "f", 3, 8, 4, 0, 4, NULL, 0},
	    {OP_AIO_FSYNC, "f", 3, 0, 0, 0, 0, NULL, 0}, {OP_AIO_READ, "f", 7, 0, 4, 0, -EBADF, NULL, 0},
	    {OP_CLOSE, "f", 3, 0, 0, 0, 0, NULL, 0},
	};
	PLAY(&w, steps);
	assert_int_equal(size_of(&w, "f"), 12);
	world_release(&w);
}

/* No call with a path reaches a file outside of the directory, neither through a link nor past the
 * top. */
static void no_call_leaves_the_directory(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	char *outside = xasprintf("%s/outside", w.g.dir),
	     *victim = xasprintf("%s/outside/v", w.g.dir);
	assert_int_equal(mkdir(outside, 0755), 0);
	assert_int_equal(file_write_atomic(victim, "untouched", 9, NULL), 0);
	assert_int_equal(symlinkat(outside, w.dir, "out"), 0);
	struct stat before, after, top;
	assert_int_equal(stat(victim, &before), 0);
	static const enum trace_op ops[] = {
	    OP_TRUNCATE, OP_CHMOD,   OP_UNLINK,   OP_MKDIR, OP_RMDIR,  OP_RENAME,
	    OP_LINK,     OP_SYMLINK, OP_UTIMENS,  OP_STAT,  OP_ACCESS, OP_READLINK,
	    OP_OPENDIR,  OP_MKNOD,   OP_SETXATTR, OP_FOPEN, OP_CHOWN};
	static const char *const paths[] = {"out/v", "../outside/v", "out/../outside/v"};
	enum { N = sizeof ops / sizeof *ops };
	struct step steps[3 * N];
	for (size_t i = 0; i < 3 * N; i++) {
		steps[i] = (struct step){ops[i % N], paths[i / N], 0, 0, 0600, 0, -ENOENT, NULL, 0};
		if (op_info(steps[i].op)->uses & OP_HEAP_PATH)
			steps[i].heap = "../outside/v2", steps[i].n_heap = 13;
	}
	struct err e = ERR_INIT;
	steps_write(w.g.input, steps, 3 * N);
	if (replay_run_summary(w.g.input, &w.g.c, &w.g.s, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(stat(victim, &after), 0);
	assert_int_equal(after.st_size, 9);
	assert_int_equal(after.st_mode, before.st_mode);
	assert_int_equal(after.st_nlink, 1);
	assert_int_equal(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
	assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
	char *v2 = xasprintf("%s/v2", outside);
	assert_int_equal(lstat(v2, &top), -1);
	free(v2), free(outside), free(victim);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(data),
	    cmocka_unit_test(names),
	    cmocka_unit_test(attributes),
	    cmocka_unit_test(extended_attributes),
	    cmocka_unit_test(extended_attributes_of_what_may_be_a_link),
	    cmocka_unit_test(privileged_attributes),
	    cmocka_unit_test(descriptors),
	    cmocka_unit_test(directories),
	    cmocka_unit_test(streams), cmocka_unit_test(bad_addresses),
	    cmocka_unit_test(every_operation_with_a_bad_address),
	    cmocka_unit_test(streams_without_an_open),
	    cmocka_unit_test(asynchronous),
	    cmocka_unit_test(no_call_leaves_the_directory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
