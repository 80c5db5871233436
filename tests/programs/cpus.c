/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library to preload that simulates other CPUs. The process may use the CPUs of the environment
 * variable CPUS (numbers and blanks). A binding of a thread has no effect except for a line with
 * its CPUs in the file BINDINGS. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int sched_getaffinity(pid_t pid, size_t n_bytes, cpu_set_t *set)
{
	(void)pid;
	CPU_ZERO_S(n_bytes, set);
	for (char *at = getenv("CPUS"), *end;; at = end) {
		const unsigned long cpu = strtoul(at, &end, 10);
		if (end == at)
			return 0;
		CPU_SET_S(cpu, n_bytes, set);
	}
}

int pthread_setaffinity_np(pthread_t thread, size_t n_bytes, const cpu_set_t *set)
{
	char line[8 * CPU_SETSIZE] = "";
	size_t len = 0;
	(void)thread;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET_S(cpu, n_bytes, set))
			len += (size_t)sprintf(line + len, "%d ", cpu);
	line[len++] = '\n';
	const int fd = open(getenv("BINDINGS"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (write(fd, line, len) < 0) /* one write, because threads bind themselves at the same time */
		abort();
	close(fd);
	return 0;
}
