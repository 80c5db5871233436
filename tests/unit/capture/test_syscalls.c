/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts calls and events of the kernel to requests: descriptors, positions, threads, names,
 * pages. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "capture/kernel/syscalls.h"
#include "tests/unit/capture/sample.h"

enum { N_MAX = 64, MAIN = 100 };

struct seen {
	struct record_queue queue;
	struct syscalls *calls;
	struct trace_record r[N_MAX];
	size_t n;
	char name[N_MAX][80];
	uint32_t n_names;
	unsigned char heap[N_MAX][64];
	size_t heap_len[N_MAX];
	uint32_t n_heap;
	int64_t now;
	struct err e;
};

static int object_take(void *context, enum object_kind kind, const char *name, uint32_t *id,
		       struct err *e)
{
	struct seen *s = context;
	(void)e;
	assert_true(kind == OBJECT_PATH || kind == OBJECT_FD);
	for (*id = 0; *id < s->n_names; ++*id)
		if (!strcmp(s->name[*id], name))
			return 0;
	snprintf(s->name[s->n_names++], sizeof s->name[0], "%s", name);
	return 0;
}

static int heap_take(void *context, const void *data, size_t len, uint32_t *ref, struct err *e)
{
	struct seen *s = context;
	(void)e;
	assert_true(len <= sizeof s->heap[0]);
	memcpy(s->heap[s->n_heap], data, len);
	s->heap_len[s->n_heap] = len;
	*ref = s->n_heap++;
	return 0;
}

/* The file "/f" is inode 7 of device 254:0. */
static bool identify(void *context, const char *path, uint64_t *device, uint64_t *inode)
{
	(void)context;
	*device = 254u << 20;
	*inode = 7;
	return !strcmp(path, "/f");
}

static struct seen *begin(bool keep_unfinished)
{
	struct seen *s = calloc(1, sizeof *s);
	const struct syscalls_sink sink = {.context = s, .object = object_take, .heap = heap_take, .identify = identify,
					   .keep_unfinished = keep_unfinished, .page_bytes = 4096};
	s->calls = syscalls_open(&sink, &s->queue);
	syscalls_thread(s->calls, MAIN, MAIN, "/home", false);
	return s;
}

static void take(struct seen *s)
{
	const struct trace_record *r;
	size_t n;
	for (record_queue_take(&s->queue, &r, &n); n; record_queue_take(&s->queue, &r, &n))
		for (size_t i = 0; i < n; i++) {
			assert_true(s->n < N_MAX);
			s->r[s->n++] = r[i];
		}
}

static void end(struct seen *s)
{
	syscalls_close(s->calls);
	record_queue_release(&s->queue);
	free(s);
}

/* One call from begin to end, 10 ns long. */
static const struct trace_record *call_with(struct seen *s, uint32_t tid, const char *name,
					    const uint64_t arg[SYSCALL_ARGS],
					    const struct syscall_memory memory[SYSCALL_MEMORIES],
					    int64_t result)
{
	const struct syscall_row *row = syscall_row_of_name(name, strlen(name));
	assert_non_null(row);
	assert_int_equal(syscalls_enter(s->calls, tid, s->now += 10, row, arg, &s->e), 0);
	assert_int_equal(syscalls_exit(s->calls, tid, s->now += 10, row, result, memory, &s->e), 0);
	size_t before = s->n;
	take(s);
	return s->n > before ? &s->r[s->n - 1] : NULL;
}
/* Text for its pointers. */
static const struct trace_record *call(struct seen *s, uint32_t tid, const char *name,
				       const uint64_t arg[SYSCALL_ARGS], const char *text,
				       const char *text2, int64_t result)
{
	const struct syscall_memory memory[SYSCALL_MEMORIES] = {{text, text ? strlen(text) : 0},
								{text2, text2 ? strlen(text2) : 0}};
	return call_with(s, tid, name, arg, memory, result);
}
#define CALL_AT(tid, name, data, n, result, ...)                                                   \
	call_with(s, tid, name, (const uint64_t[SYSCALL_ARGS]){__VA_ARGS__},                       \
		  (const struct syscall_memory[SYSCALL_MEMORIES]){{data, n}}, result)
#define CALL(tid, name, text, text2, result, ...) call(s, tid, name, (const uint64_t[SYSCALL_ARGS]){__VA_ARGS__}, text, text2, result)

static const char *name_of(const struct seen *s, const struct trace_record *r)
{
	return r->object == OBJECT_NONE ? "none" : s->name[r->object];
}

static void rows_are_whole(void **state)
{
	(void)state;
	for (const struct syscall_row *row = syscall_rows; row->name; row++) {
		struct syscall_pointee p;
		assert_true(strlen(row->args) <= SYSCALL_ARGS);
		if (row->kind == SYSCALL_DESCRIPTOR || row->kind == SYSCALL_PAIR)
			assert_true(row->op == OP_INVALID &&
				    strspn(row->args, "qOv_") ==
					strlen(row->args)); /* no requests */
		else if (row->kind == SYSCALL_UMASK || row->kind == SYSCALL_CHANGE)
			assert_int_equal(row->op, OP_INVALID);
		else
			assert_true(row->op > OP_INVALID && row->op < OP_N);
		/* at most as many as there is room for */
		assert_false(syscall_pointee(row, SYSCALL_MEMORIES, &p));
		assert_ptr_equal(syscall_row_of_name(row->name, strlen(row->name)), row);
		if (row->number >= 0)
			assert_ptr_equal(syscall_row_of_number(row->number), row);
	}
	assert_string_equal(syscall_row_of_number(SYS_openat)->name, "openat");
	assert_null(syscall_row_of_number(SYS_getpid));
	assert_null(syscall_row_of_number(-1));
	assert_null(syscall_row_of_number(1 << 20));
	assert_string_equal(syscall_row_of_name("fstat", 5)->name, "newfstat");
	assert_null(syscall_row_of_name("opena", 5));
}

/* Requests of io_uring: executed in another order than submitted; one of them opens a file that the
 * next call uses. */
static void requests_of_rings(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const struct syscall_row *row = syscall_row_of_name("pread64", 7);
	const struct syscall_memory none[SYSCALL_MEMORIES] = {{NULL, 0}},
				    name[SYSCALL_MEMORIES] = {{"y", 1}};
	const uint64_t read_arg[SYSCALL_ARGS] = {3, 0, 512, 1024};
	const uint64_t open_arg[SYSCALL_ARGS] = {(uint64_t)AT_FDCWD, 1, O_RDONLY};
	CALL(MAIN, "openat", "x", NULL, 3, (uint64_t)AT_FDCWD, 1, O_RDWR, 0);
	const size_t before = s->n;
	syscalls_ring_begin(s->calls, MAIN, 1000, 77, row, read_arg, none);
	syscalls_ring_begin(s->calls, MAIN, 1001, 78, syscall_row_of_name("openat", 6), open_arg,
			    name);
	syscalls_ring_begin(s->calls, MAIN, 1002, 79, row, read_arg, none);
	assert_int_equal(syscalls_ring_end(s->calls, 1010, 78, 4, &s->e), 0);
	assert_int_equal(syscalls_ring_end(s->calls, 1020, 77, -EIO, &s->e), 0);
	assert_int_equal(syscalls_ring_end(s->calls, 1030, 77, 1, &s->e), 0); /* of no request */
	take(s);
	assert_int_equal(s->n, before + 2);
	assert_string_equal(name_of(s, &s->r[before]), "home/x");
	assert_int_equal(s->r[before].begin_ns, 1000);
	assert_int_equal(s->r[before].end_ns, 1020);
	assert_int_equal(s->r[before].offset, 1024);
	assert_int_equal(s->r[before].error, EIO);
	assert_int_equal(s->r[before + 1].fd, 4);
	s->now = 2000;
	assert_null(CALL(MAIN, "read", NULL, NULL, 1, 4, 1, 8)); /* waits for the third request */
	syscalls_finish(s->calls);
	take(s);
	assert_string_equal(name_of(s, &s->r[s->n - 1]), "home/y");
	assert_int_equal(syscalls_counts(s->calls)->n_ring_requests, 3);
	assert_int_equal(syscalls_counts(s->calls)->n_ring_unread, 1); /* its end is missing */
	end(s);
}

/* The umask applies to files that a process creates, and to the processes that it starts. */
static void umasks_are_followed(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const uint64_t makes = O_WRONLY | O_CREAT, here = (uint64_t)AT_FDCWD;
	assert_int_equal(CALL(MAIN, "openat", "x", NULL, 3, here, 1, makes, 0666)->length, 0666);
	syscalls_umask(s->calls, MAIN, 022);
	assert_int_equal(CALL(MAIN, "openat", "x", NULL, 4, here, 1, makes, 0666)->length,
			 op_mode_under(OP_OPEN, 0666, 022));
	assert_int_equal(CALL(MAIN, "openat", "x", NULL, 5, here, 1, O_WRONLY, 0666)->length, 0);
	syscalls_cloned(s->calls, MAIN, MAIN + 1, 0);
	assert_null(CALL(MAIN, "umask", NULL, NULL, 022, 077));
	assert_int_equal(CALL(MAIN, "mkdir", "d", NULL, 0, 1, 0777)->length,
			 op_mode_under(OP_MKDIR, 0777, 077));
	assert_int_equal(CALL(MAIN + 1, "mkdir", "e", NULL, 0, 1, 0777)->length,
			 op_mode_under(OP_MKDIR, 0777, 022));
	end(s);
}

static void sockets_are_files(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "name"};
	const size_t head = offsetof(struct sockaddr_un, sun_path);
	const struct trace_record *r = CALL_AT(MAIN, "bind", &a, head + 4, 0, 3, 1, head + 4);
	assert_int_equal(r->op, OP_MKNOD);
	assert_string_equal(name_of(s, r), "home/name");
	assert_int_equal(r->length, S_IFSOCK | 0777);
	assert_int_equal(CALL_AT(MAIN, "bind", &a, sizeof a, -EADDRINUSE, 3, 1, sizeof a)->error,
			 EEXIST);
	assert_null(CALL_AT(MAIN, "bind", NULL, 0, 0, 3, 1, sizeof a));
	a.sun_path[0] = 0; /* an abstract name */
	assert_null(CALL_AT(MAIN, "bind", &a, head + 4, 0, 3, 1, head + 4));
	a = (struct sockaddr_un){.sun_family = AF_INET, .sun_path = "name"};
	assert_null(CALL_AT(MAIN, "bind", &a, sizeof a, 0, 3, 1, sizeof a));
	end(s);
}

/* Memory to which the argument of fcntl and ioctl points. */
static void arguments_are_read(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const struct flock f = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 7};
	const struct op_lock lock = {F_WRLCK, SEEK_SET, 5, 7};
	struct file_clone_range range = {3, 4096, 512, 8192};
	uint32_t flags[8] = {FS_APPEND_FL};
	struct op_peer peer;
	CALL(MAIN, "openat", "in", NULL, 3, (uint64_t)AT_FDCWD, 1, O_RDONLY, 0);
	CALL(MAIN, "openat", "out", NULL, 4, (uint64_t)AT_FDCWD, 1, O_RDWR, 0);
	const struct trace_record *r = CALL_AT(MAIN, "fcntl", &f, sizeof f, 0, 4, F_SETLKW, 1);
	assert_int_equal(s->heap_len[r->heap], sizeof lock);
	assert_memory_equal(s->heap[r->heap], &lock, sizeof lock);
	r = CALL_AT(MAIN, "fcntl", &f, sizeof f, 0, 4, F_SETFL, O_APPEND); /* no pointer */
	assert_true(r->heap == HEAP_NONE && r->offset == O_APPEND);
	assert_true(CALL(MAIN, "fcntl", NULL, NULL, 0, 4, F_SETLK, 1)->heap == HEAP_NONE);
	r = CALL_AT(MAIN, "ioctl", &range, sizeof range, 0, 4, FICLONERANGE, 1);
	assert_int_equal(r->op, OP_COPY_FILE_RANGE);
	assert_string_equal(name_of(s, r), "home/in");
	assert_int_equal(r->offset, 4096);
	assert_int_equal(r->length, 512);
	memcpy(&peer, s->heap[r->heap], sizeof peer);
	assert_int_equal(peer.fd, 4);
	assert_int_equal(peer.offset, 8192);
	r = CALL_AT(MAIN, "ioctl", &range, sizeof range, -EXDEV, 4, FICLONERANGE, 1);
	assert_int_equal(r->op, OP_IOCTL);
	assert_int_equal(CALL(MAIN, "ioctl", NULL, NULL, 0, 4, FICLONERANGE, 1)->op, OP_IOCTL);
	r = CALL_AT(MAIN, "ioctl", flags, sizeof flags, 0, 4, FS_IOC_SETFLAGS, 1);
	assert_int_equal(r->offset, OP_IOCTL_VALUE | FS_APPEND_FL);
	end(s);
}

/* io_submit() accepts only the first requests; accepted requests end at another call. */
static void requests_of_libaio(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const struct syscall_row *submit = syscall_row_of_name("io_submit", 9);
	const struct syscall_row *row = syscall_row_of_name("pread64", 7);
	const uint64_t arg[SYSCALL_ARGS] = {3, 0, 512, 1024};
	CALL(MAIN, "openat", "x", NULL, 3, (uint64_t)AT_FDCWD, 1, O_RDWR, 0);
	const size_t before = s->n;
	syscalls_aio_read(s->calls);
	assert_int_equal(syscalls_enter(s->calls, MAIN, s->now += 10, submit,
					(const uint64_t[SYSCALL_ARGS]){1, 3, 4096}, &s->e), 0);
	for (uint64_t i = 0; i < 3; i++)
		syscalls_aio_begin(s->calls, MAIN, s->now, 70 + i, i, row, arg);
	assert_int_equal(syscalls_exit(s->calls, MAIN, s->now += 10, submit, 2, NULL, &s->e), 0);
	assert_int_equal(syscalls_ring_end(s->calls, s->now += 10, 71, 512, &s->e), 0);
	assert_int_equal(syscalls_ring_end(s->calls, s->now, 70, -EIO, &s->e), 0);
	assert_int_equal(syscalls_ring_end(s->calls, s->now, 72, 512, &s->e), 0); /* refused */
	take(s);
	assert_int_equal(s->n, before + 3);
	assert_int_equal(s->r[before].op, OP_IO_SUBMIT);
	assert_int_equal(s->r[before + 1].error, EIO);
	assert_int_equal(s->r[before + 2].rvalue, 512);
	assert_int_equal(s->r[before + 2].end_ns, s->now);
	syscalls_finish(s->calls);
	assert_int_equal(syscalls_counts(s->calls)->n_handed_over, 0);
	assert_int_equal(syscalls_counts(s->calls)->n_ring_unread, 0);
	end(s);
}

static void positions_are_followed(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const struct trace_record *r =
	    CALL(MAIN, "openat", "x", NULL, 3, (uint64_t)AT_FDCWD, 1, O_RDWR, 0777);
	assert_string_equal(name_of(s, r), "home/x");
	assert_int_equal(r->fd, 3);
	assert_int_equal(r->length, 0); /* no mode without O_CREAT */
	assert_int_equal(r->end_ns - r->begin_ns, 10);
	r = CALL(MAIN, "read", NULL, NULL, 100, 3, 1, 4096);
	assert_int_equal(r->offset, 0);
	CALL(MAIN, "dup", NULL, NULL, 7, 3);
	r = CALL(MAIN, "read", NULL, NULL, 4096, 7, 1, 4096);
	assert_int_equal(r->offset, 100);
	assert_string_equal(name_of(s, r), "home/x");
	CALL(MAIN, "lseek", NULL, NULL, 8192, 3, 8192, SEEK_SET);
	r = CALL(MAIN, "write", NULL, NULL, -ENOSPC, 7, 1, 512);
	assert_int_equal(r->offset, 8192);
	assert_int_equal(r->rvalue, -1);
	assert_int_equal(r->error, ENOSPC);
	r = CALL(MAIN, "pread64", NULL, NULL, 1, 3, 1, 1, 77);
	assert_int_equal(r->offset, 77);
	r = CALL(MAIN, "read", NULL, NULL, -512, 3, 1, 1); /* ERESTARTSYS */
	assert_int_equal(r->error, EINTR);
	assert_int_equal(r->offset, 8192);
	end(s);
}

/* The descriptor number is used again before close returns. */
static void close_frees_at_its_begin(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const struct syscall_row *row = syscall_row_of_name("close", 5);
	const struct syscall_memory none[SYSCALL_MEMORIES] = {{NULL, 0}, {NULL, 0}};
	const uint64_t three[SYSCALL_ARGS] = {3};
	syscalls_cloned(s->calls, MAIN, 101, CLONE_THREAD | CLONE_FILES | CLONE_VM);
	CALL(MAIN, "openat", "/a", NULL, 3, (uint64_t)AT_FDCWD, 1, 0);
	syscalls_enter(s->calls, MAIN, s->now += 10, row, three, &s->e);
	CALL(101, "openat", "/b", NULL, 3, (uint64_t)AT_FDCWD, 1, 0);
	syscalls_exit(s->calls, MAIN, s->now += 10, row, 0, none, &s->e);
	take(s);
	assert_int_equal(s->r[1].op, OP_CLOSE); /* in the order of their starts */
	assert_string_equal(name_of(s, &s->r[1]), "a");
	const struct trace_record *r = CALL(MAIN, "read", NULL, NULL, 1, 3, 1, 1);
	assert_string_equal(name_of(s, r), "b");
	assert_int_equal(s->r[2].pid, MAIN);
	assert_int_equal(s->r[2].tid, 101);
	end(s);
}

static void processes_inherit(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	CALL(MAIN, "openat", "/kept", NULL, 3, (uint64_t)AT_FDCWD, 1, 0);
	CALL(MAIN, "openat", "/shut", NULL, 4, (uint64_t)AT_FDCWD, 1, O_CLOEXEC);
	syscalls_cloned(s->calls, MAIN, 200, 0);
	CALL(200, "chdir", "/elsewhere", NULL, 0, 1);
	syscalls_executed(s->calls, 200, 200);
	assert_string_equal(name_of(s, CALL(200, "read", NULL, NULL, 5, 3, 1, 5)), "kept");
	assert_string_equal(name_of(s, CALL(200, "read", NULL, NULL, -EBADF, 4, 1, 5)), "none");
	assert_string_equal(name_of(s, CALL(200, "unlink", "y", NULL, 0, 1)), "elsewhere/y");
	assert_string_equal(name_of(s, CALL(MAIN, "unlink", "y", NULL, 0, 1)), "home/y");
	/* both processes share the position */
	assert_int_equal(CALL(MAIN, "read", NULL, NULL, 5, 3, 1, 5)->offset, 5);
	CALL(200, "close", NULL, NULL, 0, 3);
	assert_string_equal(name_of(s, CALL(MAIN, "read", NULL, NULL, 5, 3, 1, 5)), "kept");
	syscalls_ended(s->calls, 200);
	/* the number is used again, by an unknown open */
	assert_string_equal(name_of(s, CALL(200, "fsync", NULL, NULL, 0, 3)), "none");
	end(s);
}

static void names_and_memory(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const struct trace_record *r = CALL(MAIN, "rename", "a", "b", 0, 1, 2);
	assert_string_equal(name_of(s, r), "home/a");
	assert_memory_equal(s->heap[r->heap], "home/b", 6);
	r = CALL(MAIN, "symlinkat", "../to", "l", 0, 1, (uint64_t)AT_FDCWD, 2);
	assert_string_equal(name_of(s, r), "home/l");
	assert_memory_equal(s->heap[r->heap], "../to", 5);
	r = CALL(MAIN, "unlinkat", "d", NULL, 0, (uint64_t)AT_FDCWD, 1, AT_REMOVEDIR);
	assert_int_equal(r->op, OP_RMDIR);
	CALL(MAIN, "openat", "/f", NULL, 3, (uint64_t)AT_FDCWD, 1, 0);
	r = CALL(MAIN, "newfstatat", "", NULL, 0, 3, 1, 1, AT_EMPTY_PATH);
	assert_int_equal(r->op, OP_FSTAT);
	assert_int_equal(r->fd, 3);
	assert_string_equal(name_of(s, r), "f");
	/* a vector that was read completely; and an unknown vector, whose length is the result */
	const struct iovec v[2] = {{NULL, 10}, {NULL, 20}};
	const struct syscall_row *row = syscall_row_of_name("readv", 5);
	const struct syscall_memory memory[SYSCALL_MEMORIES] = {{v, sizeof v}, {NULL, 0}};
	const uint64_t arg[SYSCALL_ARGS] = {3, 1, 2};
	syscalls_enter(s->calls, MAIN, s->now += 10, row, arg, &s->e);
	syscalls_exit(s->calls, MAIN, s->now += 10, row, 15, memory, &s->e);
	take(s);
	r = &s->r[s->n - 1];
	assert_int_equal(r->length, 30);
	assert_int_equal(s->heap_len[r->heap], 16);
	r = CALL(MAIN, "readv", NULL, NULL, 12, 3, 1, 2);
	assert_int_equal(r->length, 12);
	assert_int_equal(r->offset, 15);
	/* the path is unknown, but the file has a position */
	r = CALL(MAIN, "openat", NULL, NULL, 5, (uint64_t)AT_FDCWD, 1, 0);
	assert_int_equal(r->object, OBJECT_NONE);
	CALL(MAIN, "read", NULL, NULL, 9, 5, 1, 9);
	assert_int_equal(CALL(MAIN, "read", NULL, NULL, 9, 5, 1, 9)->offset, 9);
	assert_int_equal(syscalls_counts(s->calls)->n_unnamed, 1);
	/* an empty path is known */
	r = CALL(MAIN, "mkdir", "", NULL, -ENOENT, 1, 0777);
	assert_int_equal(r->object, OBJECT_NONE);
	assert_int_equal(r->error, ENOENT);
	assert_int_equal(syscalls_counts(s->calls)->n_unnamed, 1);
	end(s);
}

static void requests_that_are_left_out(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	assert_null(CALL(MAIN, "mmap", NULL, NULL, 4096, 0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS,
			 (uint64_t)-1, 0));
	assert_null(CALL(MAIN, "munmap", NULL, NULL, 0, 4096, 4096));
	const struct syscall_row *row = syscall_row_of_name("fsync", 5);
	const struct syscall_memory none[SYSCALL_MEMORIES] = {{NULL, 0}, {NULL, 0}};
	const uint64_t arg[SYSCALL_ARGS] = {3};
	syscalls_exit(s->calls, MAIN, 5, row, 0, none, &s->e); /* begun before */
	syscalls_enter(s->calls, MAIN, 6, row, arg, &s->e);
	syscalls_ended(s->calls, MAIN); /* killed in it */
	take(s);
	assert_int_equal(s->n, 0);
	assert_int_equal(syscalls_counts(s->calls)->n_without_begin, 1);
	assert_int_equal(syscalls_counts(s->calls)->n_unfinished, 1);
	/* hidden until the thread runs another program */
	syscalls_thread(s->calls, 300, 300, "/", true);
	syscalls_cloned(s->calls, 300, 301, CLONE_VM | CLONE_VFORK);
	assert_null(CALL(301, "fsync", NULL, NULL, 0, 3));
	syscalls_executed(s->calls, 301, 301);
	assert_non_null(CALL(301, "fsync", NULL, NULL, 0, 3));
	end(s);

	s = begin(true); /* as importers have it */
	syscalls_enter(s->calls, MAIN, 6, row, arg, &s->e);
	syscalls_finish(s->calls);
	take(s);
	assert_int_equal(s->n, 1);
	assert_int_equal(s->r[0].error, ECANCELED);
	assert_int_equal(s->r[0].end_ns, TIME_NONE);
	end(s);
}

static const struct trace_record *page(struct seen *s, uint64_t inode, uint64_t first, uint64_t n)
{
	const struct page_event v = {.tid = MAIN, .ns = s->now += 1, .device = 254u << 20, .inode = inode, .first = first, .n = n};
	assert_int_equal(syscalls_page_add(s->calls, &v, &s->e), 0);
	take(s);
	return NULL;
}

static void pages_belong_to_calls(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const struct syscall_row *row = syscall_row_of_name("pread64", 7);
	const struct syscall_memory none[SYSCALL_MEMORIES] = {{NULL, 0}, {NULL, 0}};
	const uint64_t arg[SYSCALL_ARGS] = {3, 1, 8192, 4096}; /* pages 1 and 2 */
	CALL(MAIN, "openat", "/f", NULL, 3, (uint64_t)AT_FDCWD, 1, 0);
	syscalls_enter(s->calls, MAIN, s->now += 10, row, arg, &s->e);
	page(s, 7, 0, 1);
	page(s, 7, 2, 1);
	page(s, 7, 3, 4);
	page(s, 8, 2, 1); /* another file */
	syscalls_exit(s->calls, MAIN, s->now += 10, row, 8192, none, &s->e);
	take(s);
	assert_int_equal(s->n, 6);
	static const uint32_t flags[] = {0, PAGE_ASKED, 0, 0};
	assert_int_equal(s->r[1].op, OP_PREAD);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(s->r[2 + i].op, OP_PAGE_CACHE_ADD);
		assert_int_equal(s->r[2 + i].flags, flags[i]);
		assert_string_equal(name_of(s, &s->r[2 + i]), i < 3 ? "f" : "device 254:0 inode 8");
	}
	assert_int_equal(s->r[4].offset, 3 * 4096);
	assert_int_equal(s->r[4].length, 4 * 4096);
	assert_int_equal(s->r[4].rvalue, 4);
	/* a fault, and the events that accompany it */
	const struct page_event fault = {.tid = MAIN, .ns = s->now += 1, .device = 254u << 20, .inode = 7, .first = 9, .n = 1, .handled = true};
	syscalls_fault(s->calls, &fault, &s->e);
	page(s, 7, 8, 4);
	page(s, 7, 12, 4);
	assert_int_equal(s->r[6].op, OP_PAGE_FAULT);
	assert_int_equal(s->r[6].flags, PAGE_HANDLED);
	assert_int_equal(s->r[7].flags, PAGE_ASKED);
	assert_int_equal(s->r[8].flags, 0);
	end(s);
}

static int fault_at(struct seen *s, uint64_t address, unsigned int how, bool followed)
{
	return syscalls_fault_at(
	    s->calls, &(struct fault_event){MAIN, s->now += 1, address, how, followed}, &s->e);
}

/* The address of the fault shows which page was touched and whether it was written. The first write
 * to a mapped page has no other event. */
static void faults_identify_pages(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	CALL(MAIN, "openat", "/f", NULL, 3, (uint64_t)AT_FDCWD, 1, 0);
	CALL(MAIN, "mmap", NULL, NULL, 1 << 20, 0, 64 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3,
	     2 * 4096);
	const uint64_t base = 1 << 20;
	struct page_event v = {.tid = MAIN, .device = 254u << 20, .inode = 7, .first = 2, .n = 16};
	/* page 7 of the file, the sixth mapped page */
	fault_at(s, base + 5 * 4096 + 1, 0, true);
	v.ns = s->now += 1;
	syscalls_fault(s->calls, &v, &s->e);
	fault_at(s, base + 40 * 4096, FAULT_WRITE, true);
	v = (struct page_event){.tid = MAIN, .ns = s->now += 1, .device = 254u << 20, .inode = 7, .first = 42, .n = 1, .handled = true};
	syscalls_fault(s->calls, &v, &s->e);
	fault_at(s, base + 5 * 4096, FAULT_PRESENT | FAULT_WRITE, true); /* nothing follows */
	fault_at(s, base + 64 * 4096, FAULT_PRESENT | FAULT_WRITE, true); /* no file there */
	/* anonymous memory, filled in without an event */
	fault_at(s, 1, FAULT_WRITE, true);
	v = (struct page_event){.tid = MAIN, .ns = s->now += 1, .device = 254u << 20, .inode = 7, .first = 50, .n = 1, .handled = true};
	/* a fault inside the kernel: the previous address belongs to another fault */
	syscalls_fault(s->calls, &v, &s->e);
	take(s);
	const struct {
		uint64_t page, n;
		uint32_t flags;
		uint64_t result;
	} expected[] = {{2, 16, 0, base + 5 * 4096 + 1},
			{42, 1, PAGE_HANDLED | PAGE_WRITTEN, base + 40 * 4096},
			{7, 1, PAGE_HANDLED | PAGE_WRITTEN, base + 5 * 4096},
			{50, 1, PAGE_HANDLED, 1}};
	assert_int_equal(s->n, 2 + 4);
	for (size_t i = 0; i < 4; i++) {
		const struct trace_record *r = &s->r[2 + i];
		assert_int_equal(r->op, OP_PAGE_FAULT);
		assert_int_equal(r->offset, expected[i].page * 4096);
		assert_int_equal(r->length, expected[i].n * 4096);
		assert_int_equal(r->flags, expected[i].flags);
		assert_int_equal(r->rvalue, expected[i].result);
	}
	end(s);
}

/* A file without a name is identified by the read during which its pages are added; for faults by
 * address, the mmap identifies it. */
static void files_without_a_name(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const struct syscall_row *row = syscall_row_of_name("pread64", 7);
	const struct syscall_memory none[SYSCALL_MEMORIES] = {{NULL, 0}, {NULL, 0}};
	const uint64_t arg[SYSCALL_ARGS] = {3, 1, 4096, 40960};
	CALL(MAIN, "openat", "/gone", NULL, 3, (uint64_t)AT_FDCWD, 1, 0);
	syscalls_enter(s->calls, MAIN, s->now += 10, row, arg, &s->e);
	page(s, 55, 10, 1);
	syscalls_exit(s->calls, MAIN, s->now += 10, row, 4096, none, &s->e);
	take(s);
	assert_string_equal(name_of(s, &s->r[2]), "gone");
	assert_int_equal(s->r[2].flags, PAGE_ASKED);
	CALL(MAIN, "mmap", NULL, NULL, 1 << 20, 0, 8 * 4096, PROT_READ, MAP_PRIVATE, 3, 2 * 4096);
	assert_int_equal(fault_at(s, (1 << 20) + 3 * 4096 + 5, 0, false), 0);
	assert_int_equal(fault_at(s, (1 << 20) + 8 * 4096, 0, false), 0); /* outside */
	take(s);
	assert_int_equal(s->r[s->n - 1].op, OP_PAGE_FAULT);
	assert_int_equal(s->r[s->n - 1].offset, 5 * 4096);
	assert_string_equal(name_of(s, &s->r[s->n - 1]), "gone");
	/* the first pages are unmapped: the rest keeps its offset in the file */
	CALL(MAIN, "munmap", NULL, NULL, 0, 1 << 20, 4096);
	fault_at(s, (1 << 20) + 3 * 4096, 0, false);
	take(s);
	assert_int_equal(s->r[s->n - 1].offset, 5 * 4096);
	end(s);
}

static void pair(struct seen *s, const char *name, const int32_t *numbers, uint64_t flags)
{
	const struct syscall_row *row = syscall_row_of_name(name, strlen(name));
	const struct syscall_memory memory[SYSCALL_MEMORIES] = {
	    {numbers, numbers ? 2 * sizeof *numbers : 0}, {NULL, 0}};
	const uint64_t arg[SYSCALL_ARGS] = {1, flags, 0, 1};
	assert_int_equal(syscalls_enter(s->calls, MAIN, s->now += 10, row, arg, &s->e), 0);
	assert_int_equal(syscalls_exit(s->calls, MAIN, s->now += 10, row, 0, memory, &s->e), 0);
	take(s);
}

/* Descriptors without a file: the numbers of a pair are read from the kernel's memory, or else
 * inferred; an exec closes descriptors with the close-on-exec flag. */
static void descriptors_without_files(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const size_t before = s->n;
	pair(s, "pipe2", (const int32_t[]){9, 0}, O_CLOEXEC);
	pair(s, "socketpair", (const int32_t[]){5, 3}, 0);
	pair(s, "pipe", NULL, 0);
	assert_int_equal(s->n, before); /* no requests */
	static const struct {
		uint64_t fd;
		const char *name, *after; /* exec */
	} known[] = {{9, "pipe2:[1]", "none"},
		     {0, "pipe2:[2]", "none"},
		     {5, "socketpair:[3]", "socketpair:[3]"},
		     {3, "socketpair:[4]", "socketpair:[4]"},
		     {4, "pipe:[5]", "pipe:[5]"},
		     {6, "pipe:[6]", "pipe:[6]"}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		assert_string_equal(
		    name_of(s, CALL(MAIN, "write", NULL, NULL, 1, known[i].fd, 1, 1)),
		    known[i].name);
	CALL(MAIN, "memfd_create", NULL, NULL, 20, 1, MFD_CLOEXEC);
	CALL(MAIN, "memfd_create", NULL, NULL, 21, 1, MFD_ALLOW_SEALING);
	CALL(MAIN, "eventfd2", NULL, NULL, 22, 0, O_CLOEXEC);
	assert_string_equal(name_of(s, CALL(MAIN, "read", NULL, NULL, 1, 22, 1, 8)),
			    "eventfd2:[9]");
	syscalls_executed(s->calls, MAIN, MAIN);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		assert_string_equal(
		    name_of(s, CALL(MAIN, "write", NULL, NULL, 1, known[i].fd, 1, 1)),
		    known[i].after);
	assert_string_equal(name_of(s, CALL(MAIN, "read", NULL, NULL, 1, 20, 1, 8)), "none");
	assert_string_equal(name_of(s, CALL(MAIN, "read", NULL, NULL, 1, 21, 1, 8)),
			    "memfd_create:[8]");
	assert_string_equal(name_of(s, CALL(MAIN, "read", NULL, NULL, 1, 22, 1, 8)), "none");
	end(s);
}

/* The open files of a process were read while it ran. The result includes the effect of earlier
 * calls. */
static void position_read_while_the_program_runs(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	s->now = 1000;
	syscalls_descriptor(s->calls, MAIN, 3, "/read", 0, 500, 1100);
	syscalls_descriptor(s->calls, MAIN, 4, "/anew", 0, 7, 1100);
	const struct trace_record *r = CALL(MAIN, "read", NULL, NULL, 100, 3, 1, 100);
	assert_string_equal(name_of(s, r), "read");
	/* the position was below 500; the following calls show its value */
	assert_true(r->offset == OFFSET_NONE);
	CALL(MAIN, "lseek", NULL, NULL, 40, 3, 40, SEEK_SET);
	CALL(MAIN, "close", NULL, NULL, 0, 4);
	CALL(MAIN, "openat", "/anew", NULL, 4, (uint64_t)AT_FDCWD, 1, O_RDWR);
	assert_in_range(s->now, 1001, 1099);
	s->now = 1090; /* a call in progress at that moment */
	r = CALL(MAIN, "read", NULL, NULL, 0, 3, 1, 100);
	assert_true(r->offset == OFFSET_NONE);
	r = CALL(MAIN, "read", NULL, NULL, 100, 3, 1, 100);
	assert_int_equal(r->offset, 500);
	assert_int_equal(CALL(MAIN, "read", NULL, NULL, 100, 3, 1, 100)->offset, 600);
	r = CALL(MAIN, "read", NULL, NULL, 3, 4, 1, 3);
	assert_string_equal(name_of(s, r), "anew");
	assert_int_equal(r->offset, 7);
	CALL(MAIN, "close", NULL, NULL, 0, 4);
	assert_string_equal(name_of(s, CALL(MAIN, "read", NULL, NULL, -EBADF, 4, 1, 3)), "none");
	assert_int_equal(syscalls_counts(s->calls)->n_positions_unknown, 0);
	end(s);
}

/* A call was in progress when the position was read, so it is unknown whether the call had changed
 * it. */
static void position_read_during_a_call(void **state)
{
	(void)state;
	struct seen *s = begin(false);
	const struct syscall_row *read_row = syscall_row_of_name("read", 4);
	s->now = 1090; /* this call has a start */
	for (int fd = 3; fd <= 6; fd++)
		syscalls_descriptor(s->calls, MAIN, fd, (const char[]){'/', 'a' + (char)fd, 0}, 0,
				    500, 1100);
	CALL(MAIN, "read", NULL, NULL, 100, 3, 1, 100);
	assert_in_range(s->now, 1101, 1199);
	assert_true(CALL(MAIN, "read", NULL, NULL, 10, 3, 1, 100)->offset == OFFSET_NONE);
	CALL(MAIN, "lseek", NULL, NULL, 40, 3, 40, SEEK_SET);
	assert_int_equal(CALL(MAIN, "read", NULL, NULL, 10, 3, 1, 100)->offset, 40);
	assert_int_equal(syscalls_counts(s->calls)->n_positions_unknown, 1);

	/* these began before the capture */
	syscalls_thread(s->calls, 77, MAIN, NULL, false);
	syscalls_under_way(s->calls, 77, 4);
	assert_int_equal(
	    syscalls_exit(s->calls, 77, s->now += 10, read_row, 100, NULL, &s->e), 0);
	assert_true(CALL(MAIN, "read", NULL, NULL, 10, 4, 1, 100)->offset == OFFSET_NONE);
	assert_int_equal(CALL(MAIN, "read", NULL, NULL, 10, 5, 1, 100)->offset, 500);
	assert_int_equal(
	    syscalls_exit(s->calls, 77, s->now += 10, read_row, 100, NULL, &s->e), 0);
	assert_int_equal(CALL(MAIN, "read", NULL, NULL, 10, 5, 1, 100)->offset, 510);
	syscalls_under_way(s->calls, 77, SYSCALLS_ANY_FD);
	assert_int_equal(
	    syscalls_exit(s->calls, 77, s->now += 10, read_row, 100, NULL, &s->e), 0);
	assert_true(CALL(MAIN, "read", NULL, NULL, 10, 5, 1, 100)->offset == OFFSET_NONE);
	assert_int_equal(syscalls_counts(s->calls)->n_positions_unknown, 5);

	/* it never stood still */
	syscalls_descriptor(s->calls, MAIN, 9, "/moves", 0, OFFSET_NONE, s->now);
	assert_true(CALL(MAIN, "read", NULL, NULL, 10, 9, 1, 100)->offset == OFFSET_NONE);
	assert_int_equal(syscalls_counts(s->calls)->n_positions_unknown, 6);
	end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_whole),           cmocka_unit_test(positions_are_followed),
	    cmocka_unit_test(close_frees_at_its_begin), cmocka_unit_test(requests_of_rings),
	    cmocka_unit_test(umasks_are_followed),      cmocka_unit_test(sockets_are_files),
	    cmocka_unit_test(arguments_are_read),       cmocka_unit_test(requests_of_libaio),
	    cmocka_unit_test(processes_inherit),        cmocka_unit_test(names_and_memory),
	    cmocka_unit_test(requests_that_are_left_out), cmocka_unit_test(pages_belong_to_calls),
	    cmocka_unit_test(files_without_a_name),     cmocka_unit_test(faults_identify_pages),
	    cmocka_unit_test(descriptors_without_files),
	    cmocka_unit_test(position_read_while_the_program_runs),
	    cmocka_unit_test(position_read_during_a_call),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
