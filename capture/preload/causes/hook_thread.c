/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads: calls that wait for other threads, except for their end (../hook_thread.c), or wake
 * them, and the creation of threads. Taking a free lock is not counted. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "capture/preload/core.h"

#define WAITS(name, parameters, ...) CALL(CAUSE_WAIT(CAUSE_WAITING), name, parameters, __VA_ARGS__)
#define SENDS(name, parameters, ...) CALL(cause_message(), name, parameters, __VA_ARGS__)
#define CALL(first, name, parameters, ...)							   \
	EXPORT int name parameters								   \
	{											   \
		__typeof__(&name) real = REAL(name);						   \
		first;										   \
		return real(__VA_ARGS__);							   \
	}
/* `attempt` takes the object if it is free. `taken` tests the result `r`: true if there is nothing
 * to wait for. */
#define WAITS_AFTER(attempt, taken, name, parameters, ...)					   \
	EXPORT int name parameters								   \
	{											   \
		int r = attempt;								   \
		if (taken)									   \
			return r;								   \
		__typeof__(&name) real = REAL(name);						   \
		CAUSE_WAIT(CAUSE_WAITING);							   \
		return real(__VA_ARGS__);							   \
	}

/* --- locks ---------------------------------------------------------------- */

WAITS_AFTER(pthread_mutex_trylock(m), r != EBUSY, pthread_mutex_lock, (pthread_mutex_t * m), m)
WAITS_AFTER(pthread_mutex_trylock(m), r != EBUSY, pthread_mutex_timedlock,
	    (pthread_mutex_t *restrict m, const struct timespec *restrict limit), m, limit)
WAITS_AFTER(pthread_rwlock_tryrdlock(l), r != EBUSY, pthread_rwlock_rdlock, (pthread_rwlock_t * l),
	    l)
WAITS_AFTER(pthread_rwlock_trywrlock(l), r != EBUSY, pthread_rwlock_wrlock, (pthread_rwlock_t * l),
	    l)

/* These calls are cancellation points even if there is nothing to wait for (POSIX 2.9.5.2;
 * sem_wait.c of glibc). */
static int semaphore_try(sem_t *s)
{
	pthread_testcancel();
	int saved = errno, r = sem_trywait(s);
	errno = saved;
	return r;
}

WAITS_AFTER(semaphore_try(s), r == 0, sem_wait, (sem_t * s), s)
WAITS_AFTER(semaphore_try(s), r == 0, sem_timedwait,
	    (sem_t *restrict s, const struct timespec *restrict limit), s, limit)
WAITS_AFTER(semaphore_try(s), r == 0, sem_clockwait,
	    (sem_t *restrict s, clockid_t clock, const struct timespec *restrict limit), s, clock,
	    limit)

/* --- barriers and conditions ---------------------------------------------- */

CALL(cause_message(); CAUSE_WAIT(CAUSE_WAITING), pthread_barrier_wait, (pthread_barrier_t * b), b)
SENDS(sem_post, (sem_t * s), s)

/* An older version of this function expects another layout of the condition variable. */
static void *real_condition(const char *name)
{
	int saved = errno;
	void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
	errno = saved;
	return found ? found : capture_real(name);
}

#define CONDITION(first, name, parameters, ...)							   \
	EXPORT int name parameters								   \
	{											   \
		static __typeof__(&name) real;							   \
		if (unlikely(!real))								   \
			real = (__typeof__(&name))real_condition(#name);			   \
		first;										   \
		return real(__VA_ARGS__);							   \
	}

CONDITION(cause_message(), pthread_cond_signal, (pthread_cond_t * c), c)
CONDITION(cause_message(), pthread_cond_broadcast, (pthread_cond_t * c), c)
CONDITION(CAUSE_WAIT(CAUSE_WAITING), pthread_cond_wait,
	  (pthread_cond_t *restrict c, pthread_mutex_t *restrict m), c, m)
CONDITION(CAUSE_WAIT(CAUSE_WAITING), pthread_cond_timedwait,
	  (pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
	   const struct timespec *restrict limit),
	  c, m, limit)
CONDITION(CAUSE_WAIT(CAUSE_WAITING), pthread_cond_clockwait,
	  (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t clock,
	   const struct timespec *restrict limit),
	  c, m, clock, limit)

/* --- creation ------------------------------------------------------------- */

struct thread_start {
	void *(*function)(void *);
	void *argument;
	uint64_t key;
};

static void *thread_begin(void *from)
{
	struct thread_start s = *(struct thread_start *)from;
	free(from);
	cause_thread_begin(s.key);
	void *result = s.function(s.argument);
	cause_message(); /* the end wakes the thread that joins this one */
	return result;
}

int cause_thread_create(cause_create *real, pthread_t *restrict t,
			const pthread_attr_t *restrict a, void *(*function)(void *),
			void *restrict argument)
{
	struct thread_start *s = cause_is_watched() ? malloc(sizeof *s) : NULL;
	if (!s)
		return real(t, a, function, argument);
	*s = (struct thread_start){function, argument, cause_child_key()};
	int r = real(t, a, thread_begin, s);
	if (r)
		free(s);
	return r;
}
