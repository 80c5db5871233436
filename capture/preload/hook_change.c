/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls after which names or descriptors mean other files (enum syscall_change). The trace counts
 * them, because a replay cannot repeat their effect. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "capture/preload/core.h"
#include "capture/syscall_table.h"

extern char __libc_single_threaded __attribute__((weak));

void change_write(enum syscall_change change)
{
	const uint64_t begin = clock_now(&capture_clock), end = begin;
	NOTE_RESULT(0, .op = LOG_CHANGE, .dir = AT_FDCWD, .path = "", .flags = (uint32_t)change);
}

void change_note(long number, uint64_t flags, const char *path, long got)
{
	const bool alone = &__libc_single_threaded && __libc_single_threaded;
	if (got < 0 || !capture_is_on())
		return;
	const enum syscall_change change = syscall_change_of(number, flags, path, alone);
	if (change != CHANGE_NONE)
		change_write(change);
}

long change_by_number(long number, const long *a, long got)
{
	const struct syscall_row *w = syscall_row_of_number(number);
	if (!w || w->kind != SYSCALL_CHANGE)
		return got;
	const char *path = strchr(w->args, 'p'), *flags = strchr(w->args, 'v');
	change_note(number, flags ? (uint64_t)a[flags - w->args] : 0,
		    path ? (const char *)a[path - w->args] : NULL, got);
	return got;
}

/* Calls the function and notes the change. */
#define CHANGE(number, flags, path, function, ...)                                                 \
	const int got = REAL(function)(__VA_ARGS__);                                               \
	change_note(number, flags, path, got);                                                     \
	return got

HOOK(int, mount,
     (const char *source, const char *to, const char *type, unsigned long flags, const void *data),
     CHANGE(SYS_mount, flags, to, mount, source, to, type, flags, data))
HOOK(int, umount, (const char *from), CHANGE(SYS_umount2, 0, from, umount, from))
HOOK(int, umount2, (const char *from, int flags),
     CHANGE(SYS_umount2, 0, from, umount2, from, flags))
HOOK(int, move_mount, (int from_dir, const char *from, int dir, const char *to, unsigned int flags),
     CHANGE(SYS_move_mount, 0, to, move_mount, from_dir, from, dir, to, flags))
HOOK(int, setns, (int fd, int type), CHANGE(SYS_setns, (uint64_t)type, NULL, setns, fd, type))
HOOK(int, unshare, (int flags), CHANGE(SYS_unshare, (uint64_t)flags, NULL, unshare, flags))
