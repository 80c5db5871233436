/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the functions behind calls.h share. Private to replay/issue/calls*.c. */
#ifndef REPLAY_CALLS_PRIVATE_H
#define REPLAY_CALLS_PRIVATE_H

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>

#include "replay/issue/calls.h"
#include "replay/plan/call_table_private.h"
#include "replay/issue/issue.h"
#include "common/u64_map.h"

/* One call under way. */
struct caller {
	const struct site *site;
	struct replay_plan *p;
	struct call_table *calls;
	const struct call *c;
	const struct call_path *path, *second; /* its */
	struct outcome *out;
	char *buffer; /* its own; the C library and this program may read and write there */
	uint64_t room; /* its bytes */
	/* what a system call is given: the buffer, or BAD_ADDRESS for a call that failed with
	 * EFAULT. Only the kernel may look at it */
	char *memory;
	uint32_t begun;
	bool publish, careful;
	/* first stamp, if a look-up from storage has begun the call already; else 0 */
	uint64_t begin;
};

/* Nothing is mapped there: the kernel answers EFAULT. */
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

/* The expression, between the stamps. Its value is the result; below 0 errno counts. */
#define CALL(k, ...)                                                                                                   \
	do {                                                                                                           \
		uint64_t begin_ = call_begin(k);                                                                       \
		int64_t got_ = (int64_t)(__VA_ARGS__);                                                                 \
		call_end(k, begin_, got_);                                                                             \
	} while (0)

/* The same for a call whose result only tells whether it succeeded. */
#define CALL_SUCCESS(k, ...)                                                                                           \
	do {                                                                                                           \
		CALL(k, __VA_ARGS__);                                                                                  \
		if ((k)->out->rvalue > 0)                                                                              \
			(k)->out->rvalue = 0;                                                                          \
	} while (0)

/* Fails as a call would that is not made. */
static inline int64_t call_error(int error)
{
	errno = error;
	return -1;
}

/* Opens nothing: the kernel answers EFAULT to a path at BAD_ADDRESS. For calls whose path this
 * program or the C library would look at. */
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
/* The directory that the path's last component lies in, looked up inside the target directory: a
 * descriptor of the store's, or -1 with the failed look-up as the request's outcome. */
int call_directory(struct caller *k, const struct call_path *path);
/* rooted_look, which begins the call (caller.begin) if a name of the path is not in the dentry
 * cache. */
int call_look(struct caller *k, int dir_fd, const char *path, uint32_t flags);
/* only one of the two places can be held */
bool call_store_collide(const struct call_store *s, uint32_t a, uint32_t b);
/* it is open from now on, and so are its heirs */
void call_slot_set(struct caller *k, uint32_t slot, int fd);
void call_slot_end(struct replay_plan *p, uint32_t slot); /* closes it, whatever it is */
struct call_stream *call_stream_add(struct call_table *c, uint32_t slot, FILE *file,
				    DIR *directory);
/* The slot's stream. One that no request was seen to open comes into being when it is first used:
 * by `make`, once, however many threads are first. NULL where its descriptor is not open, or `make`
 * gives none. */
struct call_stream *call_stream_first(struct caller *k,
				      struct call_stream *(*make)(struct caller *k, int fd));
void call_stream_end(struct call_stream *s); /* closes what it is */
/* A socket or a FIFO that this replay made. */
bool call_socket_is_own(const struct caller *k,
			uint64_t inode); /* calls_name.c: the replay made it */
/* "/proc/self/fd/N" */
struct proc_path {
	char text[32];
};
struct proc_path proc_path(int fd);

typedef void call_run(struct caller *k);
/* calls_data.c */
call_run call_read, call_write, call_readv, call_writev, call_preadv, call_pwritev, call_sendfile,
    call_copy_file_range, call_splice, call_readahead, call_fadvise, call_sync, call_syncfs,
    call_sync_file_range, call_ftruncate, call_fallocate;
/* calls_clone.c */
call_run call_clone;
/* calls_name.c */
call_run call_open, call_rename, call_link, call_symlink, call_readlink, call_unlink, call_mkdir,
    call_mknod, call_realpath, call_chdir, call_fchdir, call_truncate;
/* calls_attribute.c */
call_run call_stat, call_fstat, call_statx, call_statfs, call_fstatfs, call_access, call_chmod,
    call_fchmod, call_chown, call_fchown, call_utimens, call_futimens, call_getxattr,
    call_fgetxattr, call_setxattr, call_fsetxattr, call_listxattr, call_flistxattr,
    call_removexattr, call_fremovexattr;
/* calls_directory.c */
call_run call_opendir, call_fdopendir, call_readdir, call_rewinddir, call_seekdir, call_telldir,
    call_getdents, call_scandir, call_walk;
/* calls_descriptor.c */
call_run call_close, call_dup, call_fcntl, call_ioctl;
/* calls_lock.c */
call_run call_flock, call_lockf;
void call_record_lock(struct caller *k, int fd); /* fcntl with F_SETLK and its like */
/* The process is about to close a descriptor of this file (-1: of none): its locks of the file
 * end. */
void call_locks_drop(struct call_process *t, int fd);
void call_locks_free(struct call_process *t); /* the process has ended */
/* calls_stream.c */
call_run call_fopen, call_fdopen, call_fread, call_fwrite, call_fgetc, call_fputc, call_ungetc,
    call_fscanf, call_fseek, call_ftell, call_fflush, call_setvbuf;
/* calls_map.c */
call_run call_mmap, call_munmap, call_msync, call_madvise, call_mremap;
void call_map_end(struct call_map *m); /* its process has ended */
/* calls_cached.c */
call_run call_cached, call_skipped;
void call_pages_drop(struct caller *k, int fd, uint64_t offset, uint64_t n_bytes);
void call_map_settle(struct caller *k, struct call_map *m, int fd); /* just mapped */
/* false: it is left alone */
bool call_touch_settle(struct caller *k, struct call_map *m, char *at);
/* what was read ahead of it */
void call_touch_ahead(struct caller *k, struct call_map *m);
/* calls_touch.c */
call_run call_touch;
/* before the first mapping: a touch beyond the end of a file is an outcome, and no crash */
void call_touch_ready(void);
/* calls_map.c, for these: the mapping, locked, and the part of it that the request means; NULL with
 * the outcome of memory that is not mapped. */
struct call_map *call_map_take(struct caller *k, bool change, char **at, size_t *n_bytes);
void call_map_give(struct call_map *m);
/* calls_async.c */
call_run call_io_submit, call_io_getevents, call_async;

#endif
