/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a file looks before the program uses its path: type, mode, size, where its holes are, what a link points at. Which of many
 * notes about a file tells its first state is for the collector to find. By raw calls, outside any timed region. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/preload/core.h"

enum { HOLES_MAX = 256 };

struct hole {
	uint64_t offset, length;
};

/* The holes of a regular file, as far as there is room for them. */
static size_t holes_find(int dir, const char *path, uint64_t size, struct hole *to, bool *cut)
{
	size_t n = 0;
	long fd = RAW(SYS_openat, dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return 0;
	for (uint64_t at = 0; at < size;) {
		long hole = RAW(SYS_lseek, fd, at, SEEK_HOLE);
		if (hole < 0 || (uint64_t)hole >= size)
			break;
		*cut = n == HOLES_MAX;
		if (*cut)
			break;
		long data = RAW(SYS_lseek, fd, hole, SEEK_DATA);
		at = data < 0 ? size : (uint64_t)data;
		to[n++] = (struct hole){(uint64_t)hole, at - (uint64_t)hole};
	}
	RAW(SYS_close, fd);
	return n;
}

/* Large, and the program's stack may be small (a signal handler's of 8 KiB): these lie elsewhere. */
struct look {
	struct hole hole[HOLES_MAX];
	char target[4097];
};

/* Memory of `size` bytes for as long as one file is looked at; NULL: there is none. */
static void *memory_take(size_t size)
{
	const long at = RAW(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at < 0 && at > -4096 ? NULL : (void *)at;
}

static void memory_give(void *at, size_t size)
{
	if (at)
		RAW(SYS_munmap, at, size);
}

static void note_at(int dir, const char *path, const char *shown, int shown_dir)
{
	struct statx x = {0};
	struct look *look = NULL;
	const void *extra = NULL;
	size_t extra_len = 0;
	bool cut = false;
	uint64_t begin = clock_now(&capture_clock), end = begin;
	int64_t got = RAW(SYS_statx, dir, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &x);
	if (got < 0 && got != -ENOENT)
		return;
	const bool link = got == 0 && S_ISLNK(x.stx_mode);
	const bool sparse = got == 0 && S_ISREG(x.stx_mode) && x.stx_blocks * 512 < x.stx_size;
	if ((link || sparse) && !(look = memory_take(sizeof *look))) {
		capture_lost();
		return;
	}
	if (link) {
		long len = RAW(SYS_readlinkat, dir, path, look->target, sizeof look->target);
		extra = look->target;
		extra_len = len > 0 ? (size_t)len : 0;
	} else if (sparse) {
		extra = look->hole;
		extra_len = holes_find(dir, path, x.stx_size, look->hole, &cut) * sizeof *look->hole;
	}
	const struct note n = {.begin = begin, .end = end, .op = LOG_STATE_OF, .fd = cut, .dir = shown_dir, .path = shown,
			       .flags = got ? 0 : x.stx_mode, .length = x.stx_size, .offset = x.stx_blocks,
			       .extra = extra, .extra_len = extra_len};
	capture_note(&n);
	memory_give(look, sizeof *look);
	if (capture_flags & LOG_DIGEST && got == 0 && S_ISREG(x.stx_mode))
		digest_note(capture_control(), dir, path, shown, shown_dir, &x);
}

/* The file that a link leads to, under the name that the kernel gives: its permissions and size matter to calls that follow the
 * link. Only files: a directory is noted where something in it is used. */
static void note_target(int dir, const char *path)
{
	char name[40] = "/proc/self/fd/", digits[12];
	struct statx x = {0};
	struct look *look = NULL;
	size_t n = 0, len = strlen(name);
	const long fd = RAW(SYS_openat, dir, path, O_PATH | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	for (long v = fd; v || !n; v /= 10)
		digits[n++] = (char)('0' + v % 10);
	while (n)
		name[len++] = digits[--n];
	name[len] = 0;
	if (RAW(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &x) == 0 && S_ISREG(x.stx_mode) && (look = memory_take(sizeof *look))) {
		const long got = RAW(SYS_readlinkat, AT_FDCWD, name, look->target, sizeof look->target - 1);
		look->target[got > 0 ? got : 0] = 0;
		if (got > 0)
			note_at(AT_FDCWD, look->target, look->target, AT_FDCWD);
	}
	memory_give(look, sizeof *look);
	RAW(SYS_close, fd);
}

void state_note(int dir, const char *path)
{
	char one;
	/* a pointer that cannot be read is the kernel's to refuse */
	const long got = capture_confined ? -EFAULT : RAW(SYS_readlinkat, dir, path, &one, 1);
	if (got == -EFAULT)
		return;
	note_at(dir, path, path, dir);
	if (got > 0)
		note_target(dir, path);
}

/* A directory that will be listed: everything in it. */
void state_note_list(int fd)
{
	char buffer[2048] __attribute__((aligned(8)));
	long len, list = capture_confined ? -EPERM : RAW(SYS_openat, fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (list < 0)
		return;
	while ((len = RAW(SYS_getdents64, list, buffer, sizeof buffer)) > 0)
		for (long at = 0; at < len; at += *(uint16_t *)(buffer + at + 16)) {
			const char *name = buffer + at + 19;
			if (strcmp(name, ".") && strcmp(name, ".."))
				note_at((int)list, name, name, fd);
		}
	RAW(SYS_close, list);
}

/* A tree that the C library will walk through. The path is one buffer, which each level makes longer. */
static void note_below(char *path, size_t len, size_t size, int depth)
{
	char buffer[1024] __attribute__((aligned(8)));
	long got, list = RAW(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0);
	if (list < 0)
		return;
	while ((got = RAW(SYS_getdents64, list, buffer, sizeof buffer)) > 0)
		for (long at = 0; at < got; at += *(uint16_t *)(buffer + at + 16)) {
			const char *name = buffer + at + 19;
			size_t n = strlen(name);
			if (!strcmp(name, ".") || !strcmp(name, "..") || len + 1 + n >= size)
				continue;
			path[len] = '/';
			memcpy(path + len + 1, name, n + 1);
			note_at(AT_FDCWD, path, path, AT_FDCWD);
			if (depth > 1 && buffer[at + 18] != 8 /* DT_REG */)
				note_below(path, len + 1 + n, size, depth - 1);
		}
	path[len] = 0;
	RAW(SYS_close, list);
}

void state_note_tree(const char *path, int depth)
{
	enum { WHOLE = 4097 };
	const size_t len = strlen(path);
	char *whole = capture_confined || depth <= 0 || len >= WHOLE ? NULL : memory_take(WHOLE);
	if (!whole)
		return;
	memcpy(whole, path, len + 1);
	note_below(whole, len, WHOLE, depth);
	memory_give(whole, WHOLE);
}
