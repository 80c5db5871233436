/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that list directories. */
#include <sys/syscall.h>

#include "replay/issue/calls_private.h"

#define DEPTH_MAX 64 /* directories open at once in a walk */

static DIR *directory_open(const struct rooted *root, const char *path)
{
	int fd = rooted_open(root, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, 0);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (fd >= 0 && !d)
		close(fd);
	return d;
}

/* Opens as opendir(3) does: openat and fstat. fdopendir(3) would add an fcntl, which takes a third
 * of the time of opendir(3) on a cached directory. */
static int directory_open_timed(const struct rooted *root, const char *path)
{
	struct stat st;
	int fd = rooted_open(root, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd >= 0)
		(void)fstat(fd, &st);
	return fd;
}

void call_opendir(struct caller *k)
{
	const struct slot *b = &k->calls->slot[k->c->slot];
	const struct rooted *root = &k->p->root;
	int fd = -1;
	if (call_is_bad(k)) {
		CALL(k, call_bad_path(k));
		return;
	}
	if (b->replaces)
		call_slot_end(k->p, b->replaces);
	CALL(k, (fd = directory_open_timed(root, k->path->whole)) < 0 ? -1 : 0);
	if (fd < 0)
		return;
	DIR *d = fdopendir(fd);
	call_slot_set(k, k->c->slot, fd);
	if (d) /* if NULL, the next call on the directory tries again */
		call_stream_add(k->calls, k->c->slot, NULL, d);
}

void call_fdopendir(struct caller *k)
{
	int fd = call_fd(k, k->c->slot);
	bool has = atomic_load(&k->calls->stream[k->c->slot]) != NULL;
	DIR *d = NULL;
	CALL(k, has ? call_error(EBADF) : (d = fdopendir(fd)) ? 0 : -1);
	if (d)
		call_stream_add(k->calls, k->c->slot, NULL, d);
}

static struct call_stream *directory_make(struct caller *k, int fd)
{
	DIR *d = fdopendir(fd);
	return d ? call_stream_add(k->calls, k->c->slot, NULL, d) : NULL;
}

/* 1 for an entry, 0 at the end. */
static void on_readdir(struct caller *k, struct call_stream *s, DIR *d)
{
	(void)s;
	const struct dirent *got = NULL;
	errno = 0;
	CALL(k, (got = readdir(d)) ? 1 : errno ? -1 : 0);
}

static void on_rewinddir(struct caller *k, struct call_stream *s, DIR *d)
{
	(void)s;
	CALL(k, (rewinddir(d), 0));
}

/* Stores the result of telldir: positions in a directory depend on the file system, so in later
 * calls of seekdir it replaces the traced position. */
static void on_telldir(struct caller *k, struct call_stream *s, DIR *d)
{
	long at = -1;
	CALL(k, (at = telldir(d)) < 0 ? -1 : 0);
	uint32_t cap = s->cookies_cap, cap_traced = cap;
	GROW(s->cookie, s->n_cookies, cap);
	GROW(s->traced_cookie, s->n_cookies, cap_traced);
	s->cookies_cap = cap;
	s->cookie[s->n_cookies] = at;
	s->traced_cookie[s->n_cookies++] = (uint64_t)k->c->traced;
}

static void on_seekdir(struct caller *k, struct call_stream *s, DIR *d)
{
	uint32_t i = s->n_cookies;
	while (i && s->traced_cookie[i - 1] != k->c->offset)
		i--;
	if (i) {
		const long at = s->cookie[i - 1];
		CALL(k, (seekdir(d, at), 0));
	} else {
		CALL(k, (rewinddir(d), 0)); /* position 0, or a position that no telldir returned */
	}
}

static void (*const on_directory[OP_N])(struct caller *k, struct call_stream *s, DIR *d) = {
    [OP_READDIR] = on_readdir,
    [OP_REWINDDIR] = on_rewinddir,
    [OP_TELLDIR] = on_telldir,
    [OP_SEEKDIR] = on_seekdir,
};

/* Makes a call on the slot's directory stream. The stream is opened here if the trace lacks its
 * opendir. */
void call_on_directory(struct caller *k)
{
	struct call_stream *s = call_stream_lock(k, directory_make);
	DIR *d = s ? s->directory : NULL;
	if (d)
		on_directory[k->c->op](k, s, d);
	call_stream_unlock(k, s, d != NULL);
}

void call_getdents(struct caller *k)
{
	int fd = call_fd(k, k->c->slot);
	const size_t room = k->c->length < CALL_BUFFER_MAX ? k->c->length : CALL_BUFFER_MAX;
	CALL_SUCCESS(k, syscall(SYS_getdents64, fd, k->memory, room));
}

/* --- whole directories and trees ----------------------------------------- */

static int entries_read(const struct rooted *root, const char *path)
{
	DIR *d = directory_open(root, path);
	if (!d)
		return -1;
	errno = 0;
	while (readdir(d))
		;
	int error = errno;
	closedir(d);
	errno = error;
	return error ? -1 : 0;
}

void call_scandir(struct caller *k)
{
	const struct rooted *root = &k->p->root;
	CALL(k, call_is_bad(k) ? call_bad_path(k) : entries_read(root, k->path->whole));
}

/* Examines the whole tree, as nftw does. Links are not followed, so the walk stays inside. */
static int tree_walk(int fd, unsigned int depth)
{
	DIR *d = fdopendir(fd);
	struct stat st;
	if (!d) {
		close(fd);
		return -1;
	}
	for (const struct dirent *entry; (entry = readdir(d));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISDIR(st.st_mode) || depth >= DEPTH_MAX)
			continue;
		int below = openat(dirfd(d), entry->d_name,
				   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (below >= 0)
			tree_walk(below, depth + 1);
	}
	closedir(d);
	return 0;
}

static int path_walk(const struct rooted *root, const char *path)
{
	int fd = rooted_open(root, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	struct stat st;
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return tree_walk(fd, 0);
	close(fd);
	return 0;
}

void call_walk(struct caller *k)
{
	const struct rooted *root = &k->p->root;
	CALL(k, call_is_bad(k) ? call_bad_path(k) : path_walk(root, k->path->whole));
}
