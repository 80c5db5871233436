/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that create, change and remove names. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/op.h"
#include "capture/preload/core.h"

/* A call on one path: its operation, directory and name for its record, the function, and its
 * arguments. */
#define ON_PATH(operation, directory, name, function, ...)					   \
	CALL_PATH(int, directory, name, (.op = operation), function, __VA_ARGS__)
#define ON_PATH_WITH(operation, directory, name, mode_or_length, how, function, ...)		   \
	CALL_PATH(int, directory, name,								   \
		  (.op = operation, .length = mode_or_length, .flags = (uint32_t)(how)), function, \
		  __VA_ARGS__)
#define ON_TWO(operation, directory, name, directory_2, name_2, how, function, ...)		   \
	capture_look(directory, name);								   \
	capture_look(directory_2, name_2);							   \
	TIMED(int, function, __VA_ARGS__);							   \
	NOTE(.op = operation, .dir = directory, .path = name, .second_dir = directory_2,	   \
	     .extra = name_2,									   \
	     .extra_len = capture_given_text(name_2, got), .flags = (uint32_t)(how));		   \
	cause_renamed(got);									   \
	return got

HOOK(int, rename, (const char *from, const char *to),
     ON_TWO(OP_RENAME, AT_FDCWD, from, AT_FDCWD, to, 0, rename, from, to))
HOOK(int, renameat, (int from_dir, const char *from, int to_dir, const char *to),
     ON_TWO(OP_RENAME, from_dir, from, to_dir, to, 0, renameat, from_dir, from, to_dir, to))

EXPORT int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	ON_TWO(OP_RENAME, from_dir, from, to_dir, to, flags, renameat2, from_dir, from, to_dir, to,
	       flags);
}

HOOK(int, link, (const char *from, const char *to),
     ON_TWO(OP_LINK, AT_FDCWD, from, AT_FDCWD, to, 0, link, from, to))
HOOK(int, linkat, (int from_dir, const char *from, int to_dir, const char *to, int flags),
     ON_TWO(OP_LINK, from_dir, from, to_dir, to, flags, linkat, from_dir, from, to_dir, to, flags))

/* The path is the name of the link; its target is the second path. */
#define SYMLINK(directory, function, ...)							   \
	CALL_PATH(int, directory, path,								   \
		  (.op = OP_SYMLINK, .extra = target,						   \
		   .extra_len = capture_given_text(target, got)), function, __VA_ARGS__)

HOOK(int, symlink, (const char *target, const char *path),
     SYMLINK(AT_FDCWD, symlink, target, path))
HOOK(int, symlinkat, (const char *target, int dir, const char *path),
     SYMLINK(dir, symlinkat, target, dir, path))

#define READLINK(directory, function, ...)							   \
	CALL_PATH(ssize_t, directory, path,							   \
		  (.op = OP_READLINK, .length = size, .extra = buffer,				   \
		   .extra_len = got > 0 ? (size_t)got : 0), function, __VA_ARGS__)

HOOK(ssize_t, readlink, (const char *path, char *buffer, size_t size),
     READLINK(AT_FDCWD, readlink, path, buffer, size))
HOOK(ssize_t, readlinkat, (int dir, const char *path, char *buffer, size_t size),
     READLINK(dir, readlinkat, dir, path, buffer, size))
HOOK(ssize_t, __readlink_chk, (const char *path, char *buffer, size_t size, size_t room),
     READLINK(AT_FDCWD, __readlink_chk, path, buffer, size, room))
HOOK(ssize_t, __readlinkat_chk, (int dir, const char *path, char *buffer, size_t size, size_t room),
     READLINK(dir, __readlinkat_chk, dir, path, buffer, size, room))

HOOK(int, unlink, (const char *path), ON_PATH(OP_UNLINK, AT_FDCWD, path, unlink, path))
HOOK(int, unlinkat, (int dir, const char *path, int flags),
     ON_PATH_WITH(OP_UNLINK, dir, path, 0, flags, unlinkat, dir, path, flags))

/* As in glibc: unlink; for a directory, then rmdir. This makes two records. */
HOOK(int, remove, (const char *path),
     return unlink(path) && (errno != EISDIR || rmdir(path)) ? -1 : 0)
HOOK(int, mkdir, (const char *path, mode_t mode),
     ON_PATH_WITH(OP_MKDIR, AT_FDCWD, path, mode, 0, mkdir, path, mode))
HOOK(int, mkdirat, (int dir, const char *path, mode_t mode),
     ON_PATH_WITH(OP_MKDIR, dir, path, mode, 0, mkdirat, dir, path, mode))
HOOK(int, rmdir, (const char *path), ON_PATH(OP_RMDIR, AT_FDCWD, path, rmdir, path))

HOOK(int, mknod, (const char *path, mode_t mode, dev_t device),
     CALL_PATH(int, AT_FDCWD, path, (.op = OP_MKNOD, .length = mode, .offset = device), mknod, path,
	       mode, device))
HOOK(int, mknodat, (int dir, const char *path, mode_t mode, dev_t device),
     CALL_PATH(int, dir, path, (.op = OP_MKNOD, .length = mode, .offset = device), mknodat, dir,
	       path, mode, device))

HOOK(int, __xmknod, (int version, const char *path, mode_t mode, dev_t *device),
     CALL_NOTED(int,
		(.op = OP_MKNOD, .dir = AT_FDCWD, .path = path, .length = mode, .offset = *device),
		__xmknod, version, path, mode, device))
HOOK(int, __xmknodat, (int version, int dir, const char *path, mode_t mode, dev_t *device),
     CALL_NOTED(int, (.op = OP_MKNOD, .dir = dir, .path = path, .length = mode, .offset = *device),
		__xmknodat, version, dir, path, mode, device))

HOOK(int, mkfifo, (const char *path, mode_t mode),
     ON_PATH_WITH(OP_MKNOD, AT_FDCWD, path, mode | S_IFIFO, 0, mkfifo, path, mode))
HOOK(int, mkfifoat, (int dir, const char *path, mode_t mode),
     ON_PATH_WITH(OP_MKNOD, dir, path, mode | S_IFIFO, 0, mkfifoat, dir, path, mode))

EXPORT char *mkdtemp(char *path)
{
	TIMED(char *, mkdtemp, path);
	NOTE_RESULT(got ? 0 : -1, .op = OP_MKDIR, .dir = AT_FDCWD, .path = path, .length = 0700);
	return got;
}

HOOK(int, truncate, (const char *path, off_t size),
     ON_PATH_WITH(OP_TRUNCATE, AT_FDCWD, path, (uint64_t)size, 0, truncate, path, size))
ALIAS(truncate64, truncate);
HOOK(int, chdir, (const char *path), ON_PATH(OP_CHDIR, AT_FDCWD, path, chdir, path))
HOOK(int, fchdir, (int fd), CALL_FD(int, (OP_FCHDIR, fd, 0, 0, 0), fchdir, fd))
HOOK(int, chroot, (const char *path), ON_PATH(OP_CHROOT, AT_FDCWD, path, chroot, path))

#define REALPATH(function, ...)									   \
	capture_look(AT_FDCWD, path);								   \
	TIMED(char *, function, __VA_ARGS__);							   \
	NOTE_RESULT(got ? 0 : -1, .op = OP_REALPATH, .dir = AT_FDCWD, .path = path);		   \
	return got

HOOK(char *, realpath, (const char *path, char *resolved), REALPATH(realpath, path, resolved))
HOOK(char *, __realpath_chk, (const char *path, char *resolved, size_t room),
     REALPATH(__realpath_chk, path, resolved, room))
HOOK(char *, canonicalize_file_name, (const char *path), REALPATH(canonicalize_file_name, path))
