/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library to preload into `validate`: each thread except the first has no CPU for 30 ms after it
 * has read the monotonic clock. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *ts)
{
	const struct timespec away = {0, 30000000};
	int ret = (int)syscall(SYS_clock_gettime, id, ts);
	if (id == CLOCK_MONOTONIC && gettid() != getpid() &&
	    !strcmp(program_invocation_short_name, "validate"))
		nanosleep(&away, NULL);
	return ret;
}
