/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the C library that walk through directories. The hooks do not see their system
 * calls, so each function is recorded as the equivalent operation:
 *
 *	nftw, ftw	walk: the whole tree in one call; calls that the program's function makes
 *			are recorded too
 *	fts		stat for each start path, scandir for each directory that it lists; a call
 *			that only returns an entry listed before is not recorded
 *	glob		scandir of the directory before the first pattern; walk if several
 *			components are patterns; stat if there is no pattern
 *
 * If the function changes the working directory, LOG_CWD records it. */
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <sys/syscall.h>

#include "capture/op.h"
#include "capture/preload/core.h"

static void directory_note(void)
{
	char path[4097];
	uint64_t begin = clock_now(&capture_clock), end = begin;
	int saved = errno;
	if (!capture_confined && RAW(SYS_getcwd, path, sizeof path) > 0)
		NOTE_RESULT(0, .op = LOG_CWD, .dir = AT_FDCWD, .path = path);
	errno = saved;
}

static void look_into(const char *path, int depth)
{
	if (unlikely(capture_flags & LOG_STATE) && path)
		state_note_tree(path, depth);
}

/* --- nftw ----------------------------------------------------------------- */

static __thread __nftw_func_t own_function __attribute__((tls_model("initial-exec")));

static int note_and_call(const char *path, const struct stat *st, int type, struct FTW *where)
{
	directory_note();
	return own_function(path, st, type, where);
}

EXPORT int nftw(const char *path, __nftw_func_t function, int n, int flags)
{
	bool changes = flags & FTW_CHDIR;
	__nftw_func_t outer = own_function; /* the program's function may call nftw */
	capture_look(AT_FDCWD, path);
	look_into(path, STATE_DEPTH);
	__typeof__(&nftw) real = REAL(nftw);
	if (!capture_is_on())
		return real(path, function, n, flags);
	CAUSE_PATH(AT_FDCWD, path);
	if (changes)
		own_function = function;
	uint64_t begin = clock_begin(&capture_clock);
	int got = real(path, changes ? note_and_call : function, n, flags);
	uint64_t end = clock_end(&capture_clock);
	if (changes) {
		own_function = outer;
		directory_note();
	}
	NOTE(.op = OP_WALK, .dir = AT_FDCWD, .path = path, .flags = (uint32_t)flags);
	return got;
}
ALIAS(nftw64, nftw);

EXPORT int ftw(const char *path, __ftw_func_t function, int n)
{
	capture_look(AT_FDCWD, path);
	look_into(path, STATE_DEPTH);
	TIMED(int, ftw, path, function, n);
	NOTE(.op = OP_WALK, .dir = AT_FDCWD, .path = path);
	return got;
}
ALIAS(ftw64, ftw);

/* --- fts ------------------------------------------------------------------ */

static uint32_t root_flags(int options)
{
	return options & FTS_PHYSICAL && !(options & FTS_COMFOLLOW) ? AT_SYMLINK_NOFOLLOW : 0;
}

/* The start paths are a list. It begins at an entry before the first path. */
static void roots_note(const FTS *f, int options, uint64_t begin, uint64_t end)
{
	int saved = errno;
	for (const FTSENT *x = f->fts_cur ? f->fts_cur->fts_link : NULL; x; x = x->fts_link) {
		errno = x->fts_errno;
		NOTE_RESULT(x->fts_info == FTS_NS ? -1 : 0, .op = OP_STAT, .dir = AT_FDCWD,
			    .path = x->fts_name, .flags = root_flags(options));
	}
	errno = saved;
}

EXPORT FTS *fts_open(char *const *paths, int options,
		     int (*compare)(const FTSENT **, const FTSENT **))
{
	for (size_t i = 0; unlikely(capture_flags & LOG_STATE) && paths[i]; i++)
		capture_look(AT_FDCWD, paths[i]);
	TIMED(FTS *, fts_open, paths, options, compare);
	if (got)
		roots_note(got, options, begin, end);
	return got;
}
ALIAS(fts64_open, fts_open);

/* Returns whether the next step lists the current directory. Stores the directory's path relative
 * to the working directory, which the step changes. */
static bool will_list(const FTS *f, char *path, size_t size)
{
	const FTSENT *x = f->fts_cur;
	if (!x || x->fts_info != FTS_D || f->fts_child || x->fts_instr == FTS_SKIP)
		return false;
	size_t len = strlen(x->fts_accpath);
	if (len >= size)
		return false;
	memcpy(path, x->fts_accpath, len + 1);
	return true;
}

static int64_t number_listed(const FTSENT *first, int level)
{
	int64_t n = 0;
	for (; first && first->fts_level > level; first = first->fts_link)
		n++;
	return n;
}

#define LISTED(function, first)									   \
	__typeof__(&function) real = REAL(function);						   \
	if (!capture_is_on())									   \
		return real ARGUMENTS;								   \
	char path[4097];									   \
	bool lists = will_list(f, path, sizeof path);						   \
	int level = f->fts_cur ? f->fts_cur->fts_level : 0;					   \
	if (lists)										   \
		look_into(path, 1);								   \
	uint64_t begin = clock_begin(&capture_clock);						   \
	FTSENT *got = real ARGUMENTS;								   \
	uint64_t end = clock_end(&capture_clock);						   \
	bool failed = got && got->fts_info == FTS_DNR;						   \
	int saved = errno;									   \
	if (failed)										   \
		errno = got->fts_errno;								   \
	if (lists)										   \
		NOTE_RESULT(failed ? -1 : number_listed(first, level), .op = OP_SCANDIR,	   \
			    .dir = AT_FDCWD, .path = path);					   \
	errno = saved

EXPORT FTSENT *fts_read(FTS *f)
{
#define ARGUMENTS (f)
	LISTED(fts_read, got);
	if (!(f->fts_options & FTS_NOCHDIR))
		directory_note();
	return got;
#undef ARGUMENTS
}
ALIAS(fts64_read, fts_read);

EXPORT FTSENT *fts_children(FTS *f, int how)
{
#define ARGUMENTS (f, how)
	LISTED(fts_children, got);
	return got;
#undef ARGUMENTS
}
ALIAS(fts64_children, fts_children);

EXPORT int fts_close(FTS *f)
{
	bool changes = !(f->fts_options & FTS_NOCHDIR);
	int got = REAL(fts_close)(f);
	if (changes && capture_is_on())
		directory_note();
	return got;
}
ALIAS(fts64_close, fts_close);

/* --- glob ----------------------------------------------------------------- */

static bool is_pattern(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '{';
}

/* Returns the directory before the first component with a pattern, and the equivalent operation. */
static uint16_t glob_directory(const char *pattern, char *to, size_t size)
{
	size_t len = strlen(pattern), slash = 0, at = 0;
	bool has_slash = false;
	if (len >= size)
		return OP_INVALID;
	for (; at < len && !is_pattern(pattern[at]); at++)
		if (pattern[at] == '/') {
			slash = at;
			has_slash = true;
		}
	if (at == len) {
		memcpy(to, pattern, len + 1);
		return OP_STAT;
	}
	memcpy(to, pattern, slash);
	to[slash] = 0;
	if (!slash) /* the directory is the root or the current directory */
		memcpy(to, has_slash ? "/" : ".", 2);
	return strchr(pattern + at, '/') ? OP_WALK : OP_SCANDIR;
}

EXPORT int glob(const char *restrict pattern, int flags, int (*fails)(const char *, int),
		glob_t *restrict to)
{
	char path[4097];
	__typeof__(&glob) real = REAL(glob);
	uint16_t op = flags & GLOB_ALTDIRFUNC || !capture_is_on()
			  ? OP_INVALID
			  : glob_directory(pattern, path, sizeof path);
	if (op == OP_STAT && flags & (GLOB_NOCHECK | GLOB_NOMAGIC))
		op = OP_INVALID; /* the pattern is returned, even if no such file exists */
	if (!op) /* no operation, or functions of the program, which have own records */
		return real(pattern, flags, fails, to);
	capture_look(AT_FDCWD, path);
	look_into(path, op == OP_WALK ? STATE_DEPTH : op == OP_SCANDIR ? 1 : 0);
	uint64_t begin = clock_begin(&capture_clock);
	int got = real(pattern, flags, fails, to);
	uint64_t end = clock_end(&capture_clock);
	int saved = errno;
	int64_t result = op == OP_SCANDIR && !got ? (int64_t)to->gl_pathc : 0;
	if (op == OP_STAT && got == GLOB_NOMATCH) {
		result = -1;
		errno = ENOENT;
	}
	NOTE_RESULT(result, .op = op, .dir = AT_FDCWD, .path = path);
	errno = saved;
	return got;
}
ALIAS(glob64, glob);
