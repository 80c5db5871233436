/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N_LEFTOVERS = 32, N_TRIES = 100, DEPTH_MAX = 8, BEING_WRITTEN = -1 };

/* The one list of the process: global, for the signal handler. */
static struct leftover {
	_Atomic pid_t owner; /* 0: free. In a forked child the number of a parent counts as free */
	char path[PATH_MAX];
} leftover[N_LEFTOVERS];

void leftover_add(const char *path)
{
	const size_t size = strlen(path) + 1;
	const pid_t self = getpid();
	for (int i = 0; i < N_LEFTOVERS && size <= sizeof leftover->path; i++) {
		pid_t was = atomic_load(&leftover[i].owner);
		if (was == self || was == BEING_WRITTEN ||
		    !atomic_compare_exchange_strong(&leftover[i].owner, &was, BEING_WRITTEN))
			continue;
		memcpy(leftover[i].path, path, size);
		atomic_store(&leftover[i].owner, self);
		return;
	}
}

char *leftover_directory(char *path)
{
	char *made = mkdtemp(path);
	if (made)
		leftover_add(made);
	return made;
}

void leftover_drop(const char *path)
{
	const pid_t self = getpid();
	for (int i = 0; i < N_LEFTOVERS; i++)
		if (atomic_load(&leftover[i].owner) == self && !strcmp(leftover[i].path, path))
			atomic_store(&leftover[i].owner, 0);
}

struct entry { /* of getdents64() */
	uint64_t inode;
	int64_t offset;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* opendir() allocates memory, which a signal handler must not do. */
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
	if (fd >= 0)
		close(fd);
	unlinkat(dir, name, AT_REMOVEDIR);
}

void leftovers_remove(void)
{
	const pid_t self = getpid();
	for (int i = 0; i < N_LEFTOVERS; i++)
		/* another thread may still write into it */
		for (int k = 0; k < N_TRIES && atomic_load(&leftover[i].owner) == self &&
				!access(leftover[i].path, F_OK);
		     k++)
			tree_remove(AT_FDCWD, leftover[i].path, DEPTH_MAX);
}
