/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/look.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "common/fnv1a.h"

/* Makes system calls directly: the preload library must not call functions of the C library that
 * may be hooked. */
#define RAW_6(s, n, a, b, c, d, e, f, ...)                                                         \
	(s)->call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define RAW(...) RAW_6(s, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

enum { HOLES_MAX = 256 };

struct hole {
	uint64_t offset, length;
};

/* Finds the holes of a regular file, at most HOLES_MAX. */
static size_t holes_find(const struct look_sink *s, int dir, const char *path, uint64_t size,
			 struct hole *to, unsigned int *what)
{
	size_t n = 0;
	long fd = RAW(SYS_openat, dir, path,
		      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return 0;
	for (uint64_t at = 0; at < size;) {
		long hole = RAW(SYS_lseek, fd, at, SEEK_HOLE);
		if (hole < 0 || (uint64_t)hole >= size)
			break;
		if (n == HOLES_MAX) {
			*what |= LOOK_HOLES_CUT;
			break;
		}
		long data = RAW(SYS_lseek, fd, hole, SEEK_DATA);
		at = data < 0 ? size : (uint64_t)data;
		to[n++] = (struct hole){(uint64_t)hole, at - (uint64_t)hole};
	}
	RAW(SYS_close, fd);
	return n;
}

/* Working memory. It is allocated, because the program's stack may be small (8 KiB in a signal
 * handler). */
struct look_room {
	struct hole hole[HOLES_MAX];
	char target[4097];
};

/* Allocates memory for examining one file. NULL: no memory. */
static void *memory_take(const struct look_sink *s, size_t size)
{
	const long at =
	    RAW(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at < 0 && at > -4096 ? NULL : (void *)at;
}

static void memory_give(const struct look_sink *s, void *at, size_t size)
{
	if (at)
		RAW(SYS_munmap, at, size);
}

static void look_at(const struct look_sink *s, int dir, const char *path, int shown_dir,
		    const char *shown)
{
	struct statx x;
	struct look_room *room = NULL;
	struct look l = {.dir = dir, .path = path, .shown_dir = shown_dir, .shown = shown};
	const long got = RAW(SYS_statx, dir, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &x);
	if (got < 0 && got != -ENOENT)
		return;
	l.x = got == 0 ? &x : NULL;
	if (got == 0 && S_ISREG(x.stx_mode)) {
		l.device = (uint64_t)x.stx_dev_major << 20 | x.stx_dev_minor;
		l.inode = x.stx_ino;
		l.what = x.stx_nlink > 1 ? LOOK_SEVERAL_NAMES : 0;
	}
	const bool link = got == 0 && S_ISLNK(x.stx_mode);
	const bool sparse = got == 0 && S_ISREG(x.stx_mode) && x.stx_blocks * 512 < x.stx_size;
	if ((link || sparse) && !(room = memory_take(s, sizeof *room))) {
		s->lost(s->context);
		return;
	}
	if (link) {
		const long len = RAW(SYS_readlinkat, dir, path, room->target, sizeof room->target);
		l.extra = room->target;
		l.extra_len = len > 0 ? (size_t)len : 0;
	} else if (sparse) {
		l.extra = room->hole;
		l.extra_len = holes_find(s, dir, path, x.stx_size, room->hole, &l.what) *
			      sizeof *room->hole;
	}
	s->saw(s->context, &l);
	memory_give(s, room, sizeof *room);
}

/* Examines the final target of a link, because its permissions and size affect calls that follow
 * the link. A directory is examined here only if `on_way`; otherwise it is examined when an entry
 * of it is used. */
static void look_target(const struct look_sink *s, int dir, const char *path, bool on_way)
{
	char name[40] = "/proc/self/fd/", digits[12];
	struct statx x = {0};
	struct look_room *room = NULL;
	size_t n = 0, len = strlen(name);
	const long fd = RAW(SYS_openat, dir, path, O_PATH | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	for (long v = fd; v || !n; v /= 10)
		digits[n++] = (char)('0' + v % 10);
	while (n)
		name[len++] = digits[--n];
	name[len] = 0;
	if (RAW(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &x) == 0 &&
	    (S_ISREG(x.stx_mode) || (on_way && S_ISDIR(x.stx_mode))) &&
	    (room = memory_take(s, sizeof *room))) {
		const long got =
		    RAW(SYS_readlinkat, AT_FDCWD, name, room->target, sizeof room->target - 1);
		room->target[got > 0 ? got : 0] = 0;
		if (got > 0)
			look_at(s, AT_FDCWD, room->target, AT_FDCWD, room->target);
	}
	memory_give(s, room, sizeof *room);
	RAW(SYS_close, fd);
}

/* Replaces `path` by the target of the link at `path`. False: not a link, or the target is too
 * long. */
static bool link_follow(const struct look_sink *s, int dir, char *path, size_t size, char *target,
			size_t target_size)
{
	const long got = RAW(SYS_readlinkat, dir, path, target, target_size);
	const char *slash = strrchr(path, '/');
	const size_t keep = got > 0 && *target != '/' && slash ? (size_t)(slash + 1 - path) : 0;
	if (got <= 0 || (size_t)got == target_size || keep + (size_t)got >= size)
		return false;
	memcpy(path + keep, target, (size_t)got);
	path[keep + (size_t)got] = 0;
	return true;
}

/* Examines each link of a chain, and the final file, under the names that the links contain. */
static void look_chain(const struct look_sink *s, int dir, const char *path, int shown_dir)
{
	enum { LINKS_MAX = 40 }; /* the kernel's limit */
	struct look_chain {
		char path[4097], target[4097];
	} *c = NULL;
	const size_t len = strlen(path);
	if (len < sizeof c->path)
		c = memory_take(s, sizeof *c);
	if (!c)
		return;
	memcpy(c->path, path, len + 1);
	for (int i = 0; i < LINKS_MAX; i++) {
		if (!link_follow(s, dir, c->path, sizeof c->path, c->target, sizeof c->target))
			break;
		look_at(s, dir, c->path, shown_dir, c->path);
	}
	memory_give(s, c, sizeof *c);
}

/* Examines the directories of a path, each once. `from`: hash of the directory where the path
 * starts. */
static void look_through(const struct look_sink *s, int dir, const char *path, int shown_dir,
			 uint64_t from)
{
	enum { WHOLE = 4097 };
	char *part = NULL, one;
	for (size_t i = 1; i < WHOLE - 1 && path[i - 1]; i++) {
		from = fnv1a(from, path + i - 1, 1);
		if (path[i] != '/' || path[i - 1] == '/' || s->noted(s->context, from))
			continue;
		part = part ? part : memory_take(s, WHOLE);
		if (!part)
			return;
		memcpy(part, path, i);
		part[i] = 0;
		look_at(s, dir, part, shown_dir, part);
		if (RAW(SYS_readlinkat, dir, part, &one, 1) > 0)
			look_target(s, dir, part, true);
	}
	memory_give(s, part, WHOLE);
}

/* Examines the working directory and its parents. */
static void look_cwd(const struct look_sink *s)
{
	enum { WHOLE = 4097 };
	char *path = memory_take(s, WHOLE);
	/* length, including the NUL */
	const long len = path ? RAW(SYS_getcwd, path, WHOLE - 1) : 0;
	if (len > 1 && path[0] == '/') {
		path[len - 1] = '/';
		path[len] = 0;
		look_through(s, AT_FDCWD, path, AT_FDCWD, FNV1A_START);
	}
	memory_give(s, path, WHOLE);
}

static void look_way(const struct look_sink *s, int dir, const char *path, int shown_dir)
{
	struct statx x = {0};
	uint64_t from = FNV1A_START;
	if (path[0] != '/') {
		if (dir != AT_FDCWD && !strchr(path, '/'))
			return;
		if (RAW(SYS_statx, dir, "", AT_EMPTY_PATH, STATX_INO, &x))
			return;
		from = fnv1a(from, &x.stx_ino, sizeof x.stx_ino);
		from = fnv1a(from, &x.stx_dev_minor, sizeof x.stx_dev_minor);
		if (dir == AT_FDCWD && !s->noted(s->context, from))
			look_cwd(s);
	}
	look_through(s, dir, path, shown_dir, from);
}

void look_path(const struct look_sink *s, int dir, const char *path, int shown_dir)
{
	char one;
	/* tests whether the byte is readable: the kernel returns EFAULT for an invalid pointer */
	const long got = RAW(SYS_readlinkat, dir, path, &one, 1);
	if (got == -EFAULT)
		return;
	look_way(s, dir, path, shown_dir);
	look_at(s, dir, path, shown_dir, path);
	if (got <= 0)
		return;
	look_chain(s, dir, path, shown_dir);
	look_target(s, dir, path, false);
}

void look_list(const struct look_sink *s, int fd, int shown_fd)
{
	char buffer[2048] __attribute__((aligned(8)));
	long len, list = RAW(SYS_openat, fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (list < 0)
		return;
	while ((len = RAW(SYS_getdents64, list, buffer, sizeof buffer)) > 0)
		for (long at = 0; at < len; at += *(uint16_t *)(buffer + at + 16)) {
			const char *name = buffer + at + 19;
			if (strcmp(name, ".") && strcmp(name, ".."))
				look_at(s, (int)list, name, shown_fd, name);
		}
	RAW(SYS_close, list);
}

/* `path` is a single buffer, which each level extends. */
static void look_below(const struct look_sink *s, char *path, size_t len, size_t size, int depth)
{
	char buffer[1024] __attribute__((aligned(8)));
	long got, list = RAW(SYS_openat, AT_FDCWD, path,
			     O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0);
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
			look_at(s, AT_FDCWD, path, AT_FDCWD, path);
			if (depth > 1 && buffer[at + 18] != 8 /* DT_REG */)
				look_below(s, path, len + 1 + n, size, depth - 1);
		}
	path[len] = 0;
	RAW(SYS_close, list);
}

void look_tree(const struct look_sink *s, const char *path, int depth)
{
	enum { WHOLE = 4097 };
	const size_t len = strlen(path);
	char *whole = depth <= 0 || len >= WHOLE ? NULL : memory_take(s, WHOLE);
	if (!whole)
		return;
	memcpy(whole, path, len + 1);
	look_below(s, whole, len, WHOLE, depth);
	memory_give(s, whole, WHOLE);
}
