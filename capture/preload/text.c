/* SPDX-License-Identifier: GPL-3.0-or-later */
/* String functions that do not call the C library, because its functions may allocate, lock or have
 * hooks. */
#include <sys/stat.h>
#include <sys/syscall.h>

#include "capture/look.h"
#include "capture/preload/core.h"

char *capture_text_add(char *to, const char *end, const char *s)
{
	while (*s && to < end)
		*to++ = *s++;
	*to = 0;
	return to;
}

char *capture_number_add(char *to, const char *end, uint64_t v)
{
	char digits[24], *d = digits + sizeof digits - 1;
	*d = 0;
	do
		*--d = (char)('0' + v % 10);
	while (v /= 10);
	return capture_text_add(to, end, d);
}

/* Tests whether memory of the program is readable. The kernel rejects a call with an invalid
 * pointer; if the library read such a pointer, the program would be killed. */

/* the kernel does not accept a longer path: PATH_MAX */
enum { PAGE = 4096, WORD = 8, TEXT_MOST = 4096 };

/* Uses an invalid `how` of rt_sigprocmask: the kernel reads the set before it rejects `how`. */
static bool page_is_there(uintptr_t at)
{
	const int nothing_known = -1;
	at &= ~(uintptr_t)(WORD - 1);
	return at >= PAGE && RAW(SYS_rt_sigprocmask, nothing_known, at, NULL, WORD) != -EFAULT;
}

static size_t rest_of_page(uintptr_t at)
{
	return PAGE - (at & (PAGE - 1));
}

bool capture_readable(const void *at, size_t n)
{
	uintptr_t from = (uintptr_t)at;
	if (!at || n > UINTPTR_MAX - from)
		return false;
	if (capture_confined)
		return true;
	for (const uintptr_t end = from + n; from < end; from += rest_of_page(from))
		if (!page_is_there(from))
			return false;
	return true;
}

ssize_t capture_text(const char *s)
{
	size_t len = 0;
	while (len < TEXT_MOST) {
		const size_t rest = rest_of_page((uintptr_t)(s + len)),
			     some = rest < TEXT_MOST - len ? rest : TEXT_MOST - len;
		if (!capture_readable(s + len, some))
			return -1;
		const size_t n = strnlen(s + len, some);
		len += n;
		if (n < some)
			break;
	}
	return (ssize_t)len;
}

/* Records the state of a file before the program uses its path. If a file has several records, the
 * collector uses the first. Makes raw system calls outside any timed region. */

static long call_raw(long number, long a, long b, long c, long d, long e, long f)
{
	return raw_call(number, a, b, c, d, e, f);
}

static void look_note(void *context, const struct look *l)
{
	const uint64_t now = clock_now(&capture_clock);
	const struct note n = {.begin = now,
			       .end = now,
			       .op = LOG_STATE_OF,
			       .fd = (int)l->what,
			       .dir = l->shown_dir,
			       .path = l->shown,
			       .flags = l->x ? l->x->stx_mode : 0,
			       .length = l->x ? l->x->stx_size : 0,
			       .offset = l->inode,
			       .result = (int64_t)l->device,
			       .extra = l->extra,
			       .extra_len = l->extra_len};
	(void)context;
	capture_note(&n);
	if (capture_flags & LOG_DIGEST && l->x && S_ISREG(l->x->stx_mode))
		digest_note(capture_control(), l->dir, l->path, l->shown, l->shown_dir, l->x);
}

static void look_lost(void *context)
{
	(void)context;
	capture_lost();
}

/* Hashes of directories that were already listed. Directories whose hashes collide are listed
 * again. */
enum { WAYS = 4096 };
static _Atomic uint64_t way_noted[WAYS];

static bool path_is_noted(void *context, uint64_t hash)
{
	_Atomic uint64_t *at = &way_noted[hash >> 20 & (WAYS - 1)];
	(void)context;
	return atomic_exchange_explicit(at, hash, memory_order_relaxed) == hash;
}

static const struct look_sink looks = {call_raw, look_note, look_lost, path_is_noted, NULL};

void state_note(int dir, const char *path)
{
	if (!capture_confined)
		look_path(&looks, dir, path, dir);
}

/* Records the entries of a directory that will be listed. */
void state_note_list(int fd)
{
	if (!capture_confined)
		look_list(&looks, fd, fd);
}

/* Records the tree that a C library function will walk through. */
void state_note_tree(const char *path, int depth)
{
	if (!capture_confined)
		look_tree(&looks, path, depth);
}
