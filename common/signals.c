/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/signals.h"

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
#define N_ENDING (sizeof ending / sizeof *ending)

void signals_hold(sigset_t *set, bool children, sigset_t *before)
{
	struct sigaction hangup;
	sigemptyset(set);
	for (size_t i = 0; i < N_ENDING; i++)
		sigaddset(set, ending[i]);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler == SIG_IGN)
		sigdelset(set, SIGHUP);
	if (children)
		sigaddset(set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, set, before);
}

void signals_discard(const sigset_t *set)
{
	const struct timespec now = {0, 0};
	while (sigtimedwait(set, NULL, &now) > 0)
		;
}

void signals_release(const sigset_t *before, bool signalled)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < N_ENDING; i++)
		if (!sigismember(before, ending[i]))
			sigaddset(&set, ending[i]);
	if (signalled)
		signals_discard(&set);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}
