/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/alarms.h"

#include <sys/syscall.h>

#include "common/clock.h"

#define ALARM_SIGNAL SIGRTMIN

static void on_alarm(int number)
{
	(void)number; /* the signal only ends a wait */
}

int alarms_open(struct alarms *a)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = ALARM_SIGNAL};
	sigset_t mine;
	size_t n = 0;
	*a = (struct alarms){.open = false};
	to._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	sigemptyset(&action.sa_mask);
	if (sigaction(ALARM_SIGNAL, &action, NULL) < 0)
		return errno;
	for (; n < N_ALARMS && timer_create(CLOCK_MONOTONIC, &to, &a->timer[n]) == 0; n++)
		a->at_ns[n] = 0;
	if (n < N_ALARMS) {
		const int code = errno;
		while (n)
			timer_delete(a->timer[--n]);
		return code;
	}
	sigemptyset(&mine);
	sigaddset(&mine, ALARM_SIGNAL);
	pthread_sigmask(SIG_BLOCK, &mine, &a->was);
	a->waiting = a->was;
	sigdelset(&a->waiting, ALARM_SIGNAL);
	a->open = true;
	return 0;
}

void alarms_close(struct alarms *a)
{
	if (!a->open)
		return;
	for (size_t i = 0; i < N_ALARMS; i++)
		timer_delete(a->timer[i]);
	pthread_sigmask(SIG_SETMASK, &a->was, NULL); /* delivers a pending signal */
	a->open = false;
}

/* Returns the alarm at about `at_ns`, or N_ALARMS. An alarm whose time has passed may already have
 * sent its signal, so it does not count. */
static size_t alarm_find(const struct alarms *a, int64_t at_ns, int64_t about_ns)
{
	const int64_t now_ns = clock_monotonic_ns();
	size_t i = 0;
	while (i < N_ALARMS && (a->at_ns[i] <= now_ns || llabs(a->at_ns[i] - at_ns) > about_ns))
		i++;
	return i;
}

static void alarm_arm(struct alarms *a, size_t i, int64_t at_ns)
{
	const struct itimerspec at = {
	    .it_value = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000}};
	a->at_ns[i] = at_ns;
	timer_settime(a->timer[i], TIMER_ABSTIME, &at, NULL);
}

int64_t alarms_set(struct alarms *a, int64_t at_ns, int64_t about_ns)
{
	size_t i = alarm_find(a, at_ns, about_ns);
	if (i == N_ALARMS) { /* replace the alarm that comes first: it has passed, or is obsolete */
		i = a->at_ns[0] > a->at_ns[1];
		alarm_arm(a, i, at_ns);
	}
	a->current = i;
	return a->at_ns[i];
}

void alarms_ahead(struct alarms *a, int64_t at_ns, int64_t about_ns)
{
	if (alarm_find(a, at_ns, about_ns) == N_ALARMS)
		alarm_arm(a, !a->current, at_ns);
}
