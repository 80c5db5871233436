/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the C library that use files indirectly: shared memory, mount tables, temporary
 * names, children behind a pipe. Each is recorded as the equivalent operation. Functions that only
 * print a message are not recorded. */
#undef __USE_EXTERN_INLINES
#include <mntent.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>

#include "capture/preload/stream.h"

/* --- shared memory: files of a memory file system ------------------------- */

static const char *shm_path(char *to, size_t room, const char *name)
{
	static const char in[] = "/dev/shm/";
	while (*name == '/')
		name++;
	size_t len = strlen(name);
	if (sizeof in + len > room)
		return NULL;
	memcpy(to, in, sizeof in - 1);
	memcpy(to + sizeof in - 1, name, len + 1);
	return to;
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
	char path[512];
	TIMED_OF(, int, shm_open, name, flags, mode);
	NOTE(.op = OP_OPEN, .fd = got, .dir = AT_FDCWD, .path = shm_path(path, sizeof path, name),
	     .flags = (uint32_t)flags | O_NOFOLLOW | O_CLOEXEC,
	     .length = flags & O_CREAT ? mode : 0);
	return got;
}

EXPORT int shm_unlink(const char *name)
{
	char path[512];
	TIMED_OF(, int, shm_unlink, name);
	NOTE(.op = OP_UNLINK, .dir = AT_FDCWD, .path = shm_path(path, sizeof path, name));
	return got;
}

/* --- names ---------------------------------------------------------------- */

EXPORT key_t ftok(const char *path, int project)
{
	capture_look(AT_FDCWD, path);
	TIMED(key_t, ftok, path, project);
	NOTE_RESULT(got == -1 ? -1 : 0, .op = OP_STAT, .dir = AT_FDCWD, .path = path);
	return got;
}

/* The function looked up a name and found that it is free. */
static void note_free(const char *path, uint64_t begin, uint64_t end)
{
	int saved = errno;
	if (!path || !*path)
		return;
	errno = ENOENT;
	NOTE_RESULT(-1, .op = OP_STAT, .dir = AT_FDCWD, .path = path, .flags = AT_SYMLINK_NOFOLLOW);
	errno = saved;
}

/* deprecated, but still in use */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define FREE_NAME(function, ...)								   \
	TIMED_OF(, char *, function, __VA_ARGS__);						   \
	note_free(got, begin, end);								   \
	return got

HOOK(char *, mktemp, (char *path), FREE_NAME(mktemp, path))
HOOK(char *, tmpnam, (char path[L_tmpnam]), FREE_NAME(tmpnam, path))
HOOK(char *, tmpnam_r, (char path[L_tmpnam]), FREE_NAME(tmpnam_r, path))
HOOK(char *, tempnam, (const char *directory, const char *prefix),
     FREE_NAME(tempnam, directory, prefix))

/* --- tables of mounts ----------------------------------------------------- */

EXPORT FILE *setmntent(const char *path, const char *mode)
{
	capture_look(AT_FDCWD, path);
	TIMED(FILE *, setmntent, path, mode);
	in_line_begin(got);
	NOTE_RESULT(fd_of(got), .op = OP_FOPEN, .dir = AT_FDCWD, .path = path,
		    .flags = stream_flags(mode) | O_CLOEXEC);
	return got;
}
ALIAS(__setmntent, setmntent);

EXPORT int endmntent(FILE *f)
{
	int fd = fd_of(f);
	TIMED_OF(in_line_note(f); CAUSE_CALL(endmntent, f), int, endmntent, f);
	in_line_forget(f);
	if (fd >= 0)
		capture_io(OP_FCLOSE, begin, end, fd, 0, 0, 0, 0);
	cause_closed(fd);
	return got;
}
ALIAS(__endmntent, endmntent);

/* Reading an entry is recorded like formatted input: the result is the number of items. */
EXPORT struct mntent *getmntent_r(FILE *restrict f, struct mntent *restrict to,
				  char *restrict buffer, int room)
{
	UNLESS_FILE(f, getmntent_r, f, to, buffer, room);
	TIMED(struct mntent *, getmntent_r, f, to, buffer, room);
	capture_io(OP_FSCANF, begin, end, fd_of(f), 0, 0, 0, got ? 1 : EOF);
	return got;
}
ALIAS(__getmntent_r, getmntent_r);

EXPORT struct mntent *getmntent(FILE *f)
{
	UNLESS_FILE(f, getmntent, f);
	TIMED(struct mntent *, getmntent, f);
	capture_io(OP_FSCANF, begin, end, fd_of(f), 0, 0, 0, got ? 1 : EOF);
	return got;
}

/* --- a child connected by a pipe: recorded as pipe and fdopen ----------- */

EXPORT FILE *popen(const char *command, const char *mode)
{
	if (!capture_is_on())
		return capture_popen(command, mode);
	uint64_t begin = clock_begin(&capture_clock);
	FILE *got = capture_popen(command, mode);
	uint64_t end = clock_end(&capture_clock);
	in_line_begin(got);
	if (got) {
		descriptor_made(fd_of(got), "pipe", true, begin);
		capture_io(OP_FDOPEN, begin, end, fd_of(got), 0, 0, stream_flags(mode), 0);
	}
	return got;
}
ALIAS(_IO_popen, popen);

EXPORT int pclose(FILE *f)
{
	int fd = fd_of(f);
	TIMED_OF(in_line_note(f); CAUSE_WAIT(CAUSE_WAITING), int, pclose, f);
	in_line_forget(f);
	capture_io(OP_FCLOSE, begin, end, fd, 0, 0, 0, 0);
	return got;
}
