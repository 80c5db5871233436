/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows of traced programs, which the collector must not trust: any content gives a readable
 * trace.
 *
 * Input: number of windows; image, process, thread and units of each, a byte each; then the
 * windows' units of 32 bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/app/app_private.h"
#include "capture/trace.h"

enum { N_IMAGES = 3, N_WINDOWS = 8, PLACES = 4 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static char path[4200];

static size_t windows_of(struct spool_window *w, const unsigned char *data, size_t size, size_t *n)
{
	size_t at = 0;
	*n = size ? data[0] % (N_WINDOWS + 1) : 0;
	if (size < 1 + *n * PLACES)
		*n = 0;
	for (size_t i = 0; i < *n; i++) {
		const unsigned char *p = data + 1 + i * PLACES;
		w[i] = (struct spool_window){.at = at, .sequence = i, .image = p[0] % N_IMAGES, .pid = p[1] % 8u, .tid = p[2], .n_units = p[3]};
		at += (size_t)p[3] * LOG_UNIT;
	}
	return at;
}

static void trace_check(void)
{
	struct err e = ERR_INIT;
	struct trace *t;
	struct trace_health h;
	const struct trace_record *r;
	if (trace_open(&t, path, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		abort();
	}
	if (!trace_meta(t)->extra_json)
		abort();
	int rc;
	while ((rc = trace_next(t, &r, &e)) > 0)
		;
	trace_health(t, &h);
	if (rc || !h.complete || h.n_blocks_damaged) {
		fprintf(stderr, "%s\n", rc ? e.msg : "the trace is not whole");
		abort();
	}
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static struct log_control control;
	static struct app_memory memory;
	struct spool_window window[N_WINDOWS];
	struct spool_image image[N_IMAGES] = {{.name = "1-1", .start = 1, .pid = 1}, {.name = "2-5", .start = 5, .pid = 2},
					      {.name = "1-9", .start = 9, .pid = 1}};
	struct spool s = {.dir_fd = -1, .control = &control, .window = window, .image = image, .n_images = N_IMAGES};
	const struct clock clock = {.source = CLOCK_SOURCE_MONOTONIC, .last = {1000000000, 1000000000, 1}, .ns_per_tick = 1};
	char *command[] = {"fuzzed", NULL};
	struct app_config config;
	struct app_outcome o = {.status = 0};
	struct err e = ERR_INIT;
	const char *tmp = getenv("TMPDIR");
	/* in memory if possible, because a finished trace is synced */
	snprintf(path, sizeof path, "%s/fuzz-spool-%d",
		 !access("/dev/shm", W_OK) ? "/dev/shm"
		 : tmp                     ? tmp
					   : "/tmp",
		 (int)getpid());
	app_config_init(&config);
	config.output = path;
	config.snapshot = config.digests = true;
	config.command = command;
	s.end = windows_of(window, data, size, &s.n_windows);
	size_t head = 1 + s.n_windows * PLACES, rest = size > head ? size - head : 0;
	s.fd = memfd_create("spool", 0);
	if (s.fd < 0 || ftruncate(s.fd, (off_t)s.end) ||
	    pwrite(s.fd, data + head, rest < s.end ? rest : s.end, 0) < 0)
		abort();
	if (app_trace_write(&config, &s, &clock, 0, 0, &memory, &o, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		abort();
	}
	trace_check();
	app_outcome_release(&o);
	close(s.fd);
	unlink(path);
	return 0;
}
