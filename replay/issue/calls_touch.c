/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Touches: what a program did to memory that a file is mapped into, one page at a time. Between the
 * stamps is one load or one store; the kernel does the rest, or nothing where the page is mapped
 * already. A touch of a page beyond the end of the file, or of memory that is not mapped that way,
 * is answered by a signal: its outcome is EFAULT, as of a call that is given such an address. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "capture/op.h"
#include "replay/issue/calls_private.h"

struct touching {
	sigjmp_buf back;
	volatile sig_atomic_t under_way;
};
static _Thread_local struct touching touching;

/* Whether the jump out of the handler puts the signal mask back: its flags leave it as it was, but
 * under ThreadSanitizer, whose own handler blocks all signals meanwhile. */
#if defined(__SANITIZE_THREAD__)
enum { MASK_KEPT = 1 };
#else
enum { MASK_KEPT = 0 };
#endif

static struct sigaction before[2];

static void refused(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	if (touching.under_way)
		siglongjmp(touching.back, number);
	/* not ours: as if there had been no handler; the instruction is made again */
	sigaction(number, &before[number == SIGBUS], NULL);
}

/* Somebody else may have set handlers since the last time. */
void call_touch_ready(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct sigaction now, ours = {.sa_sigaction = refused, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
	sigemptyset(&ours.sa_mask);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 2; i++) {
		const int number = i ? SIGBUS : SIGSEGV;
		if (sigaction(number, NULL, &now) == 0 && now.sa_sigaction != refused)
			sigaction(number, &ours, &before[i]);
	}
	pthread_mutex_unlock(&lock);
}

/* What is stored is arbitrary as all written content is. */
static void touch(const struct caller *k, volatile char *at, char value)
{
	const bool writes = k->c->flags & PAGE_WRITTEN;
	volatile uint64_t begin = 0;
	if (sigsetjmp(touching.back, MASK_KEPT)) {
		touching.under_way = 0;
		call_end(k, begin, call_error(EFAULT));
		return;
	}
	touching.under_way = 1;
	begin = call_begin(k);
	if (writes)
		*at = value;
	else
		(void)*at;
	touching.under_way = 0;
	call_end(k, begin, 0);
}

void call_touch(struct caller *k)
{
	char *at;
	size_t n;
	struct call_map *m = call_map_take(k, false, &at, &n);
	if (!m)
		return;
	const bool by_pages = k->c->bits & CALL_BY_PAGES;
	if (by_pages && !call_touch_settle(k, m, at))
		CALL(k, 0);
	else
		touch(k, at, k->buffer[0]);
	if (by_pages)
		call_touch_ahead(k, m);
	call_map_give(m);
}
