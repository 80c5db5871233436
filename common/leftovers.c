/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/leftovers.h"

#include <stdatomic.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "common/files.h"

enum { N_LEFTOVERS = 32, N_TRIES = 100, DEPTH_MAX = 8, BEING_WRITTEN = -1 };
enum { SETTLED_S = 10 }; /* seconds: a new directory may not be locked yet */

/* The list of the process, global because the signal handler needs it. */
static struct leftover {
	/* 0: the entry is free. In a forked child, an entry of its parent counts as free */
	_Atomic pid_t owner;
	int lock; /* descriptor of a locked directory, or -1 */
	char path[PATH_MAX];
} leftover[N_LEFTOVERS];

/* Returns false if the list is full. */
static bool list_add(const char *path, int lock)
{
	const size_t size = strlen(path) + 1;
	const pid_t self = getpid();
	for (int i = 0; i < N_LEFTOVERS && size <= sizeof leftover->path; i++) {
		pid_t was = atomic_load(&leftover[i].owner);
		if (was == self || was == BEING_WRITTEN ||
		    !atomic_compare_exchange_strong(&leftover[i].owner, &was, BEING_WRITTEN))
			continue;
		memcpy(leftover[i].path, path, size);
		leftover[i].lock = lock;
		atomic_store(&leftover[i].owner, self);
		return true;
	}
	return false;
}

void leftover_add(const char *path)
{
	list_add(path, -1);
}

char *leftover_directory(char *path)
{
	leftover_sweep(path, NULL);
	if (!mkdtemp(path))
		return NULL;
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		const int code = errno;
		rmdir(path);
		errno = code;
		return NULL;
	}
	/* without locks, leftover_sweep() removes nothing */
	(void)flock(fd, LOCK_EX | LOCK_NB);
	/* if the list is full, the lock remains until the process ends */
	list_add(path, fd);
	return path;
}

static bool is_left(const char *path)
{
	struct stat st;
	SCOPED_FD int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
	       ((st.st_mode & 0777) == 0700 || st.st_mode & S_ISVTX) &&
	       time(NULL) - st.st_mtime >= SETTLED_S && !flock(fd, LOCK_EX | LOCK_NB);
}

size_t leftover_sweep(const char *pattern, bool (*may_go)(const char *path))
{
	const char *slash = strrchr(pattern, '/'), *name = slash ? slash + 1 : pattern;
	const size_t len = strlen(name);
	size_t fixed = len;
	const int dir_len = (int)(name - pattern);
	SCOPED_FREE char *parent = dir_len ? xasprintf("%.*s", dir_len, pattern) : xstrdup(".");
	SCOPED_DIR DIR *d = opendir(parent);
	size_t n = 0;
	while (fixed && name[fixed - 1] == 'X')
		fixed--;
	for (struct dirent *entry; d && (entry = readdir(d));) {
		if (strlen(entry->d_name) != len || strncmp(entry->d_name, name, fixed))
			continue;
		SCOPED_FREE char *path = xasprintf("%.*s%s", dir_len, pattern, entry->d_name);
		if (is_left(path) && (!may_go || may_go(path)))
			n += !dir_remove_tree(path, NULL);
	}
	return n;
}

void leftover_drop(const char *path)
{
	const pid_t self = getpid();
	for (int i = 0; i < N_LEFTOVERS; i++)
		if (atomic_load(&leftover[i].owner) == self && !strcmp(leftover[i].path, path)) {
			fd_close(leftover[i].lock);
			atomic_store(&leftover[i].owner, 0);
		}
}

struct entry { /* of getdents64() */
	uint64_t inode;
	int64_t offset;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* Does not use opendir(), which allocates memory: a signal handler must not do that. */
static void tree_remove(int dir, const char *name, int depth)
{
	char buffer[2048] __attribute__((aligned(8)));
	long len;
	if (!unlinkat(dir, name, 0) || (errno != EISDIR && errno != EPERM) || !depth)
		return;
	const int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	while (fd >= 0 && (len = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
		for (long at = 0; at < len; at += ((struct entry *)(void *)(buffer + at))->len) {
			const char *inner = ((struct entry *)(void *)(buffer + at))->name;
			if (strcmp(inner, ".") && strcmp(inner, ".."))
				tree_remove(fd, inner, depth - 1);
		}
	fd_close(fd);
	unlinkat(dir, name, AT_REMOVEDIR);
}

void leftovers_remove(void)
{
	const pid_t self = getpid();
	for (int i = 0; i < N_LEFTOVERS; i++)
		/* another thread may still be writing the entry */
		for (int k = 0; k < N_TRIES && atomic_load(&leftover[i].owner) == self &&
		     !access(leftover[i].path, F_OK); k++)
			tree_remove(AT_FDCWD, leftover[i].path, DEPTH_MAX);
}
