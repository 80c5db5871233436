/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that makes random calls on a small file tree from several threads at the same time,
 * with stamps. The same calls can then be made again, one after another in any order. */
#pragma once

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>

#include "sample.h"

enum {
	WORLD_THREADS_MAX = 8,
	WORLD_CALLS = 400,
	WORLD_SHARED = 4,
	WORLD_OWN = 4,
	WORLD_FILE = 20000
};

static const char *const world_names[] = {"a",      "b",      "c",    "d0",   "d0/a", "d0/b",
					  "d0/s",   "d0/s/a", "d1",   "d1/a", "d1/b", "d1/s",
					  "d1/s/a", "l",      "d0/l", "d1/l"};
enum { WORLD_NAMES = sizeof world_names / sizeof *world_names, WORLD_LINK = 13 };

struct world_call {
	enum trace_op op;
	int64_t begin_ns, end_ns;
	int64_t rvalue; /* or the negative errno; the descriptor number for calls that create one */
	uint64_t offset, length;
	uint32_t flags, name, second; /* names */
	int fd;			      /* number it works on */
	uint32_t on, makes;	      /* descriptors, numbered over the whole run; 0 none */
};

struct world_fd {
	int fd;
	uint32_t number; /* of the descriptor, 0 free */
	pthread_mutex_t lock;
};

struct world {
	int dir_fd;
	uint32_t n_threads, n_calls; /* calls of each */
	uint64_t seed;
	/* never runs two calls at a time if one of them could change the result of the other */
	bool careful;
	pthread_rwlock_t quiet;
	struct world_call *call; /* call[n_threads * n_calls] */
	struct world_fd shared[WORLD_SHARED];
	_Atomic uint32_t n_made;
	/* a program that lists a directory prevents changes to it */
	pthread_rwlock_t listing;
	pthread_barrier_t start;
};

struct world_thread {
	struct world *w;
	uint32_t index;
	uint64_t seed;
	struct world_fd own[WORLD_OWN];
	pthread_t id;
};

static inline int64_t world_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- one call -------------------------------------------------------------- */

static inline int64_t world_name_call(int dir, const struct world_call *c)
{
	const char *name = world_names[c->name], *second = world_names[c->second];
	char text[64], link[64];
	switch (c->op) {
	case OP_OPEN:
		return openat(dir, name, (int)c->flags | O_CLOEXEC, 0644);
	case OP_UNLINK:
		return unlinkat(dir, name, 0);
	case OP_RMDIR:
		return unlinkat(dir, name, AT_REMOVEDIR);
	case OP_MKDIR:
		return mkdirat(dir, name, 0755);
	case OP_RENAME:
		return renameat(dir, name, dir, second);
	case OP_LINK:
		return linkat(dir, name, dir, second, 0);
	case OP_SYMLINK:
		return symlinkat(strrchr(second, '/') ? strrchr(second, '/') + 1 : second, dir,
				 name);
	case OP_READLINK:
		return readlinkat(dir, name, link, sizeof link);
	case OP_STAT: {
		struct stat st;
		return fstatat(dir, name, &st, (int)c->flags);
	}
	case OP_ACCESS:
		return faccessat(dir, name, F_OK, 0);
	default:
		break;
	}
	snprintf(text, sizeof text, "/proc/self/fd/%d", dir);
	char *path = xasprintf("%s/%s", text, name);
	char value[64];
	int64_t got = c->op == OP_TRUNCATE ? truncate(path, (off_t)c->length)
		      : c->op == OP_SETXATTR
			  ? setxattr(path, "user.x", world_names, c->length, (int)c->flags)
		      : c->op == OP_GETXATTR ? getxattr(path, "user.x", value, sizeof value)
					     : removexattr(path, "user.x");
	int error = errno;
	free(path);
	errno = error;
	return got;
}

static inline int64_t world_list(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), n = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (!d)
		return -1;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static inline int64_t world_call_make(int dir, int fd, const struct world_call *c)
{
	static char data[WORLD_FILE];
	switch (c->op) {
	case OP_READ:
		return read(fd, (char[4096]){0}, c->length);
	case OP_PREAD:
		return pread(fd, (char[4096]){0}, c->length, (off_t)c->offset);
	case OP_WRITE:
		return write(fd, data, c->length);
	case OP_PWRITE:
		return pwrite(fd, data, c->length, (off_t)c->offset);
	case OP_LSEEK:
		return lseek(fd, (off_t)c->offset, (int)c->flags);
	case OP_FTRUNCATE:
		return ftruncate(fd, (off_t)c->length);
	case OP_FALLOCATE:
		return fallocate(fd, 0, (off_t)c->offset, (off_t)c->length);
	case OP_FDATASYNC:
		return 0;
	case OP_DUP:
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	case OP_CLOSE:
		return close(fd);
	case OP_SCANDIR:
		return world_list(dir, world_names[c->name]);
	default:
		return world_name_call(dir, c);
	}
}

/* --- the program --------------------------------------------------------- */

static inline enum trace_op world_choose(uint64_t *seed)
{
	static const uint8_t often[] = {
	    OP_OPEN,      OP_OPEN,    OP_OPEN,     OP_OPEN,     OP_CLOSE,    OP_CLOSE,
	    OP_CLOSE,     OP_READ,    OP_READ,     OP_PREAD,    OP_PREAD,    OP_WRITE,
	    OP_WRITE,     OP_PWRITE,  OP_PWRITE,   OP_LSEEK,    OP_LSEEK,    OP_FTRUNCATE,
	    OP_FALLOCATE, OP_DUP,     OP_UNLINK,   OP_UNLINK,   OP_RENAME,   OP_RENAME,
	    OP_LINK,      OP_SYMLINK, OP_READLINK, OP_MKDIR,    OP_RMDIR,    OP_STAT,
	    OP_STAT,      OP_ACCESS,  OP_TRUNCATE, OP_SETXATTR, OP_GETXATTR, OP_REMOVEXATTR,
	    OP_SCANDIR,   OP_MKDIR,
	};
	return (enum trace_op)often[sample_random(seed) % sizeof often];
}

static inline uint32_t world_open_flags(uint64_t *seed)
{
	static const uint32_t flags[] = {O_RDONLY,
					 O_RDWR,
					 O_RDWR | O_CREAT,
					 O_WRONLY | O_CREAT | O_EXCL,
					 O_RDWR | O_CREAT | O_TRUNC,
					 O_RDWR | O_CREAT | O_APPEND,
					 O_RDWR | O_CREAT,
					 O_RDONLY | O_DIRECTORY};
	return flags[sample_random(seed) % (sizeof flags / sizeof *flags)];
}

static inline bool world_on_descriptor(enum trace_op op)
{
	return op == OP_READ || op == OP_PREAD || op == OP_WRITE || op == OP_PWRITE ||
	       op == OP_LSEEK || op == OP_FTRUNCATE || op == OP_FALLOCATE || op == OP_DUP ||
	       op == OP_CLOSE;
}

static inline bool world_changes_directories(enum trace_op op)
{
	return op == OP_OPEN || op == OP_UNLINK || op == OP_RMDIR || op == OP_MKDIR ||
	       op == OP_RENAME || op == OP_LINK || op == OP_SYMLINK;
}

/* Includes calls that move a position, because dup gives two descriptors of one open file. */
static inline bool world_changes(enum trace_op op)
{
	return op != OP_PREAD && op != OP_STAT && op != OP_ACCESS && op != OP_READLINK &&
	       op != OP_GETXATTR && op != OP_SCANDIR;
}

static inline struct world_call world_draw(uint64_t *seed)
{
	struct world_call c = {.op = world_choose(seed), .fd = -1, .offset = OFFSET_NONE};
	c.name = (uint32_t)(sample_random(seed) % WORLD_NAMES);
	c.second = (uint32_t)(sample_random(seed) % WORLD_NAMES);
	c.length = 1 + sample_random(seed) % 3000;
	if (c.op == OP_OPEN)
		c.flags = world_open_flags(seed);
	if (c.op == OP_STAT)
		c.flags = sample_random(seed) % 2 ? AT_SYMLINK_NOFOLLOW : 0;
	if (c.op == OP_PREAD || c.op == OP_PWRITE || c.op == OP_FALLOCATE)
		c.offset = sample_random(seed) % 6000;
	if (c.op == OP_LSEEK) {
		c.flags = (uint32_t)(sample_random(seed) % 3);
		c.offset = sample_random(seed) % 2000;
	}
	if (c.op == OP_SYMLINK)
		c.name = WORLD_LINK + (uint32_t)(sample_random(seed) % 3);
	if (c.op == OP_READLINK)
		c.length = 64;
	if (c.op == OP_SETXATTR || c.op == OP_GETXATTR)
		c.length = c.op == OP_GETXATTR ? 64 : 1 + c.length % 20;
	if (c.op == OP_SETXATTR)
		c.flags = (uint32_t)(sample_random(seed) % 3);
	if (c.op == OP_SCANDIR)
		c.name = (uint32_t[]){3, 6, 8, 11}[c.name % 4];
	return c;
}

static inline void world_stamped(struct world *w, struct world_call *c)
{
	c->begin_ns = world_now();
	c->rvalue = world_call_make(w->dir_fd, c->fd, c);
	c->end_ns = world_now();
	if (c->rvalue < 0)
		c->rvalue = -errno;
	if (c->rvalue >= 0 && (c->op == OP_OPEN || c->op == OP_DUP))
		c->makes = atomic_fetch_add(&w->n_made, 1) + 1;
}

/* Returns false if there is no descriptor for the call. */
static inline bool world_step(struct world_thread *t, struct world_call *c)
{
	struct world *w = t->w;
	uint64_t pick = sample_random(&t->seed);
	struct world_fd *f = pick % 3 ? &t->own[pick % WORLD_OWN] : &w->shared[pick % WORLD_SHARED],
			*to = f;
	bool shared = pick % 3 == 0;
	*c = world_draw(&t->seed);
	bool on = world_on_descriptor(c->op), makes = c->op == OP_OPEN || c->op == OP_DUP;
	/* as programs do: the lock is held for calls that move the position, for opens and closes,
	 * but not for pread */
	if (shared)
		pthread_mutex_lock(&f->lock);
	bool can = on ? f->number != 0 : !(makes && to->number);
	struct world_fd *copy = &t->own[(pick >> 8) % WORLD_OWN];
	if (c->op == OP_DUP)
		can = can && !copy->number && copy != f;
	if (can) {
		c->fd = on ? f->fd : -1;
		c->on = on ? f->number : 0;
		bool lists = c->op == OP_SCANDIR, changes = world_changes_directories(c->op);
		if (w->careful && world_changes(c->op))
			pthread_rwlock_wrlock(&w->quiet);
		else if (w->careful)
			pthread_rwlock_rdlock(&w->quiet);
		if (lists)
			pthread_rwlock_wrlock(&w->listing);
		else if (changes)
			pthread_rwlock_rdlock(&w->listing);
		world_stamped(w, c);
		if (lists || changes)
			pthread_rwlock_unlock(&w->listing);
		if (w->careful)
			pthread_rwlock_unlock(&w->quiet);
		if (c->op == OP_CLOSE)
			f->number = 0;
		if (makes && c->makes)
			*(c->op == OP_DUP ? &copy->number : &to->number) = c->makes;
		if (makes && c->makes)
			*(c->op == OP_DUP ? &copy->fd : &to->fd) = (int)c->rvalue;
	}
	if (shared)
		pthread_mutex_unlock(&f->lock);
	return can;
}

static inline void *world_run_thread(void *arg)
{
	struct world_thread *t = arg;
	struct world *w = t->w;
	pthread_barrier_wait(&w->start);
	for (uint32_t k = 0; k < w->n_calls;)
		k += world_step(t, &w->call[t->index * w->n_calls + k]);
	return NULL;
}

/* Runs the program; then every descriptor is closed without a record. */
static inline void world_run(struct world *w)
{
	struct world_thread t[WORLD_THREADS_MAX];
	memset(t, 0, sizeof t);
	pthread_rwlock_init(&w->listing, NULL);
	pthread_rwlock_init(&w->quiet, NULL);
	pthread_barrier_init(&w->start, NULL, w->n_threads);
	for (int i = 0; i < WORLD_SHARED; i++)
		pthread_mutex_init(&w->shared[i].lock, NULL);
	w->call = xcalloc((size_t)w->n_threads * w->n_calls, sizeof *w->call);
	for (uint32_t i = 0; i < w->n_threads; i++) {
		t[i].w = w;
		t[i].index = i;
		t[i].seed = w->seed * 77 + i + 1;
		for (int k = 0; k < 10; k++)
			sample_random(&t[i].seed);
		if (pthread_create(&t[i].id, NULL, world_run_thread, &t[i]))
			abort();
	}
	for (uint32_t i = 0; i < w->n_threads; i++)
		pthread_join(t[i].id, NULL);
	for (uint32_t i = 0; i < w->n_threads; i++)
		for (int k = 0; k < WORLD_OWN; k++)
			if (t[i].own[k].number)
				close(t[i].own[k].fd);
	for (int k = 0; k < WORLD_SHARED; k++)
		if (w->shared[k].number)
			close(w->shared[k].fd);
	pthread_barrier_destroy(&w->start);
	pthread_rwlock_destroy(&w->listing);
	pthread_rwlock_destroy(&w->quiet);
}

static inline void world_release(struct world *w)
{
	free(w->call);
}

/* --- as a trace ------------------------------------------------------------ */

static inline void world_call_write(struct trace_writer *tw, uint32_t thread,
				    const struct world_call *c, const uint32_t *object)
{
	struct trace_record r = {.begin_ns = c->begin_ns, .end_ns = c->end_ns, .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE,
				 .offset = c->offset, .length = c->length, .rvalue = c->rvalue, .pid = 1, .tid = 1 + thread,
				 .object = OBJECT_NONE, .fd = c->fd, .flags = c->flags, .heap = HEAP_NONE, .op = (uint16_t)c->op};
	const char *second = world_names[c->second];
	bool on = world_on_descriptor(c->op);
	if (c->rvalue < 0) {
		r.rvalue = -1;
		r.error = (uint16_t)-c->rvalue;
	}
	if (!on)
		r.object = object[c->name];
	if (c->op == OP_OPEN) {
		r.fd = (int)r.rvalue;
		r.length = 0644;
	}
	if (c->op == OP_SYMLINK && strrchr(second, '/'))
		second = strrchr(second, '/') + 1;
	if (c->op == OP_RENAME || c->op == OP_LINK || c->op == OP_SYMLINK)
		trace_writer_heap(tw, second, strlen(second), &r.heap, NULL);
	if (c->op == OP_SETXATTR || c->op == OP_GETXATTR || c->op == OP_REMOVEXATTR)
		trace_writer_heap(tw, "user.x", 6, &r.heap, NULL);
	if (trace_writer_append(tw, &r, 1, NULL))
		abort();
}

/* The state before the run, as found in the file system. Ownership: the paths of the entries belong
 * to world_names. */
static inline void world_snapshot(const struct world *w, struct fileset *f)
{
	static struct fileset_entry entry[WORLD_NAMES];
	static struct fileset_detail detail[WORLD_NAMES];
	*f = (struct fileset){.entry = entry, .detail = detail};
	for (uint32_t i = 0; i < WORLD_NAMES; i++) {
		struct stat st;
		if (fstatat(w->dir_fd, world_names[i], &st, AT_SYMLINK_NOFOLLOW))
			continue;
		entry[f->n] = (struct fileset_entry){world_names[i],
						     S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0,
						     S_ISDIR(st.st_mode)};
		detail[f->n++] = (struct fileset_detail){.mode = st.st_mode & 07777};
	}
}

static inline void world_write(const struct world *w, const char *path,
			       const struct fileset *before)
{
	struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "monotonic", .captured_by = "test", .files = *before};
	struct trace_writer *tw;
	uint32_t object[WORLD_NAMES];
	if (trace_writer_open(&tw, path, &meta, NULL, NULL))
		abort();
	for (uint32_t i = 0; i < WORLD_NAMES; i++)
		if (trace_writer_object(tw, OBJECT_PATH, world_names[i], &object[i], NULL))
			abort();
	for (uint32_t t = 0; t < w->n_threads; t++)
		for (uint32_t k = 0; k < w->n_calls; k++)
			world_call_write(tw, t, &w->call[t * w->n_calls + k], object);
	if (trace_writer_close(tw, NULL))
		abort();
}
