/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the calls. Private to replay/issue/calls*.c. */
#pragma once

#include "replay/plan/call_table_private.h"
#include "replay/issue/issue.h"

/* One call in progress. */
struct caller {
	const struct site *site;
	struct replay_plan *p;
	struct call_table *calls;
	const struct call *c;
	const struct call_path *path, *second; /* of the call */
	struct outcome *out;
	char *buffer; /* room bytes; the C library and this program may read and write it */
	uint64_t room;
	/* argument of system calls: the buffer, or BAD_ADDRESS for a call that failed with EFAULT.
	 * Only the kernel may access it */
	char *memory;
	uint32_t begun;
	bool publish, careful;
	uint64_t begin; /* first stamp if a look-up from storage has begun the call, otherwise 0 */
};

/* No memory is mapped there: the kernel returns EFAULT. */
#define BAD_ADDRESS ((char *)1)

INLINE uint64_t call_begin(const struct caller *k)
{
	if (k->begin)
		return k->begin;
	uint64_t begin = clock_begin(&k->site->clock);
	if (k->publish)
		gate_publish(&k->site->gates, k->site->index, k->begun);
	return begin;
}

INLINE void call_end(const struct caller *k, uint64_t begin, int64_t got)
{
	int error = got < 0 ? errno : 0;
	if (k->careful)
		issue_linger(k->site->runner, begin);
	uint64_t end = clock_end(&k->site->clock);
	outcome_set(k->out, begin, end, got < 0 ? -(int64_t)error : got);
}

/* Evaluates the expression between the stamps. The result is its value, or the negative errno if
 * the value is negative. */
#define CALL(k, ...)										   \
	do {											   \
		uint64_t begin_ = call_begin(k);						   \
		int64_t got_ = (int64_t)(__VA_ARGS__);						   \
		call_end(k, begin_, got_);							   \
	} while (0)

/* Like CALL, for a call on the descriptor `fd` of its slot. */
#define ON_DESCRIPTOR(k, ...)									   \
	do {											   \
		int fd = call_fd(k, (k)->c->slot);						   \
		CALL(k, __VA_ARGS__);								   \
	} while (0)

/* Like CALL, for a call whose result is compared only for success. */
#define CALL_SUCCESS(k, ...)									   \
	do {											   \
		CALL(k, __VA_ARGS__);								   \
		if ((k)->out->rvalue > 0)							   \
			(k)->out->rvalue = 0;							   \
	} while (0)

/* The result of a call that is not made and counts as failed with `error`. */
static inline int64_t call_error(int error)
{
	errno = error;
	return -1;
}

/* Returns -1 with EFAULT for a path at BAD_ADDRESS. For calls whose path this program or the C
 * library would read. */
static inline int call_bad_path(const struct caller *k)
{
	return openat(k->p->root.fd, BAD_ADDRESS, O_PATH | O_CLOEXEC);
}

static inline bool call_is_bad(const struct caller *k)
{
	return k->c->bits & CALL_BAD_ADDRESS;
}

static inline int call_fd(const struct caller *k, uint32_t slot)
{
	return atomic_load_explicit(&k->p->fds[slot], memory_order_acquire);
}

/* calls.c */
/* The directory of the path's last component, looked up inside the target directory: a descriptor
 * of the store, or -1. In that case the failed look-up is the outcome of the request. */
int call_directory(struct caller *k, const struct call_path *path);
/* Like rooted_look. If a name of the path is not in the dentry cache, the look-up is part of the
 * call: it sets the first stamp (caller.begin). */
int call_look(struct caller *k, int dir_fd, const char *path, uint32_t flags);
/* whether the store can hold only one of the two directories */
bool call_store_collide(const struct call_store *s, uint32_t a, uint32_t b);
/* stores an opened descriptor, and copies it to the slots that inherit it */
void call_slot_set(struct caller *k, uint32_t slot, int fd);
void call_slot_end(struct replay_plan *p, uint32_t slot); /* closes descriptor and stream */
/* Adds the stream of a slot to the table, which owns it and its `file` or `directory`. */
struct call_stream *call_stream_add(struct call_table *c, uint32_t slot, FILE *file,
				    DIR *directory);
/* The slot's stream, locked. A stream that the trace does not open is created at its first use by
 * `make`, once. NULL if the descriptor is not open or `make` fails. */
struct call_stream *call_stream_lock(struct caller *k,
				     struct call_stream *(*make)(struct caller *k, int fd));
/* Unlocks the stream (NULL: nothing). If no call was made, the outcome is EBADF. */
void call_stream_unlock(struct caller *k, struct call_stream *s, bool called);
void call_stream_end(struct call_stream *s); /* closes file or directory */
/* calls_name.c: whether this replay created the socket or FIFO */
bool call_socket_is_own(const struct caller *k, uint64_t inode);
/* "/proc/self/fd/N" */
struct proc_path {
	char text[32];
};
struct proc_path proc_path(int fd);

typedef void call_run(struct caller *k);
/* calls_data.c */
call_run call_read, call_write, call_readv, call_writev, call_preadv, call_pwritev, call_sendfile,
    call_copy_file_range, call_splice, call_readahead, call_fadvise, call_sync, call_syncfs,
    call_sync_file_range, call_ftruncate, call_fallocate, call_io_submit, call_io_getevents,
    call_async;
/* calls_name.c */
call_run call_open, call_rename, call_link, call_symlink, call_readlink, call_unlink, call_mkdir,
    call_mknod, call_realpath, call_chdir, call_fchdir, call_truncate;
/* calls_attribute.c */
call_run call_stat, call_fstat, call_statx, call_statfs, call_fstatfs, call_access, call_chmod,
    call_fchmod, call_chown, call_fchown, call_utimens, call_futimens, call_getxattr,
    call_fgetxattr, call_setxattr, call_fsetxattr, call_listxattr, call_flistxattr,
    call_removexattr, call_fremovexattr;
/* calls_directory.c */
call_run call_opendir, call_fdopendir, call_on_directory, call_getdents, call_scandir, call_walk;
/* calls_descriptor.c */
call_run call_close, call_dup, call_fcntl, call_ioctl;
/* calls_lock.c */
call_run call_flock, call_lockf;
void call_record_lock(struct caller *k, int fd); /* fcntl with F_SETLK and similar commands */
/* Ends the process's locks on the file of `fd`, which it is about to close; -1: there is no
 * file. */
void call_locks_drop(struct call_process *t, int fd);
void call_locks_free(struct call_process *t); /* the process has ended */
/* calls_stream.c */
call_run call_fopen, call_fdopen, call_on_stream;
/* calls_map.c */
call_run call_mmap, call_munmap, call_msync, call_madvise, call_mremap, call_touch;
void call_map_end(struct call_map *m); /* its process has ended */
/* calls_cached.c */
call_run call_cached, call_skipped;
void call_map_settle(struct caller *k, struct call_map *m, int fd); /* after mmap */
/* prepares a touch; false: do not touch the page */
bool call_touch_settle(struct caller *k, struct call_map *m, char *at);
void call_touch_ahead(struct caller *k, struct call_map *m); /* reads ahead as at capture */
