/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the recorder of the preload library without its hooks. A test names a part, which records in
 * a separate process (this program, with the name as its argument). Then the test examines the
 * buffers of that process, raw or through the collector. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* before cmocka */
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/app/app_private.h"
#include "capture/op.h"
#include "capture/preload/core.h"

struct part { /* a part that the other process runs; it returns its exit status */
	const char *name;
	int (*run)(void);
};

/* In main(): runs the part named by the arguments, if any. */
static inline void part_run(int argc, char **argv, const struct part *all)
{
	for (; argc == 2 && all->name; all++)
		if (!strcmp(argv[1], all->name))
			_exit(all->run());
}

static inline void recorder_open(struct spool *s, uint32_t flags)
{
	const struct clock ticks = {.source = CLOCK_SOURCE_MONOTONIC};
	struct err e = ERR_INIT;
	const char *tmp = getenv("TMPDIR");
	char near[4096];
	snprintf(near, sizeof near, "%s/trace", tmp ? tmp : "/tmp");
	if (spool_open(s, tmp ? tmp : "/tmp", near, &ticks, flags, &e))
		fail_msg("%s", e.msg);
}

/* Starts `part`. file_size: limit of the size of files; 0: none. */
static inline pid_t recorder_start(const struct spool *s, const char *part, rlim_t file_size)
{
	fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	const struct rlimit limit = {file_size, file_size};
	if (file_size)
		setrlimit(RLIMIT_FSIZE, &limit);
	setenv(LOG_DIR_VARIABLE, s->dir, 1);
	execl("/proc/self/exe", "part", part, (char *)NULL);
	_exit(126);
}

static inline void recorder_wait(pid_t pid, int status)
{
	int got = -1;
	assert_int_equal(waitpid(pid, &got, 0), pid);
	assert_int_equal(got, status);
}

/* Waits until the process has stopped itself by a signal. */
static inline void recorder_wait_stopped(pid_t pid)
{
	int got = -1;
	assert_int_equal(waitpid(pid, &got, WUNTRACED), pid);
	assert_true(WIFSTOPPED(got));
}

static inline void recorder_run(struct spool *s, uint32_t flags, const char *part)
{
	recorder_open(s, flags);
	recorder_wait(recorder_start(s, part, 0), 0);
}

static inline void drained(struct spool *s, bool last)
{
	struct err e = ERR_INIT;
	if (spool_drain(s, last ? SPOOL_LAST : SPOOL_NOW, &e))
		fail_msg("%s", e.msg);
}

/* The buffers of the only process image, before the collector has taken them. */
static inline const char *only_image(struct spool *s)
{
	/* the collector does not know yet that a process has ended, so it takes only full
	 * windows */
	drained(s, false);
	assert_int_equal(s->n_images, 1);
	assert_non_null(s->image[0].base);
	return s->image[0].base;
}

static inline const struct log_window *window_of(const char *base, uint32_t i)
{
	return (const struct log_window *)(const void *)(base + (size_t)i * LOG_WINDOW);
}

static inline const void *unit_of(const struct log_window *w, uint32_t i)
{
	return (const void *)((const char *)w + (size_t)i * LOG_UNIT);
}

/* Calls `see` for all records of one operation in the order of their starts; returns their
 * number. */
static inline size_t each_record(struct spool *s, uint16_t op,
				 void (*see)(const struct merge_record *, size_t, void *),
				 void *context)
{
	struct merge *m = NULL;
	struct merge_record r;
	struct err e = ERR_INIT;
	size_t n = 0;
	if (merge_open(&m, s, &e))
		fail_msg("%s", e.msg);
	while (merge_next(m, &r))
		if (r.r->op == op) {
			if (see)
				see(&r, n, context);
			n++;
		}
	merge_close(m);
	return n;
}

/* In the other process: makes a record of two units, because it has flags. */
static inline void record_io(uint64_t offset)
{
	capture_io(OP_PREAD, offset + 1000, offset + 2000, 7, offset, 4096, 3, 4096);
}
