/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library to preload: steps the wall clock of the process by one second, some time after its
 * first reading. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *ts)
{
	static struct timespec first;
	struct timespec now;
	int ret = (int)syscall(SYS_clock_gettime, id, ts);
	if (id != CLOCK_REALTIME)
		return ret;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	if (!first.tv_sec)
		first = now;
	if (now.tv_sec > first.tv_sec + 2)
		ts->tv_sec++;
	return ret;
}
