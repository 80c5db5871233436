/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creation of threads and waits for their end. They are not requests; a replay uses them to order
 * the requests of the two threads. */
#include <pthread.h>
#include <threads.h>

#include "capture/preload/core.h"

static void thread_note(uint16_t op, uint64_t begin, uint64_t thread)
{
	const uint64_t end = clock_now(&capture_clock);
	if (capture_is_on())
		NOTE_RESULT(0, .op = op, .offset = thread);
}

EXPORT int pthread_create(pthread_t *restrict t, const pthread_attr_t *restrict a,
			  void *(*function)(void *), void *restrict argument)
{
	const uint64_t begin = clock_now(&capture_clock);
	const int failed = cause_thread_create(REAL(pthread_create), t, a, function, argument);
	if (!failed)
		thread_note(LOG_THREAD_CREATE, begin, (uint64_t)*t);
	return failed;
}

EXPORT int thrd_create(thrd_t *t, thrd_start_t function, void *argument)
{
	const uint64_t begin = clock_now(&capture_clock);
	const int got = REAL(thrd_create)(t, function, argument);
	if (got == thrd_success)
		thread_note(LOG_THREAD_CREATE, begin, (uint64_t)*t);
	return got;
}

/* 0 is also thrd_success. */
#define JOIN(name, parameters, ...)								   \
	EXPORT int name parameters								   \
	{											   \
		const uint64_t begin = clock_now(&capture_clock);				   \
		__typeof__(&name) real = REAL(name);						   \
		CAUSE_WAIT(CAUSE_WAITING);							   \
		const int failed = real(__VA_ARGS__);						   \
		if (!failed)									   \
			thread_note(LOG_THREAD_JOIN, begin, (uint64_t)t);			   \
		return failed;									   \
	}

JOIN(pthread_join, (pthread_t t, void **to), t, to)
JOIN(pthread_tryjoin_np, (pthread_t t, void **to), t, to)
JOIN(pthread_timedjoin_np, (pthread_t t, void **to, const struct timespec *limit), t, to, limit)
JOIN(pthread_clockjoin_np, (pthread_t t, void **to, clockid_t clock, const struct timespec *limit),
     t, to, clock, limit)
JOIN(thrd_join, (thrd_t t, int *to), t, to)
