/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server of a volume: a FUSE file system with one file, "volume", in memory or in a file. It
 * answers every request when its service time is over. Its threads run under SCHED_FIFO where that
 * is permitted and there is more than one CPU. With more than two CPUs the thread that answers has
 * one of them, and the other threads leave it free. */
#pragma once

#include <sched.h>

#include "common/std.h"

#define VOLUME_FILE "volume"

struct volume_server {
	const char *name;
	const char *mount; /* an empty directory */
	uint64_t n_bytes;
	const char *backing; /* a file of at least n_bytes; NULL: memory */
	const char *service; /* service.h */
	uint64_t seed;
	const char *log;     /* log.h; created */
	uint64_t log_cap;
};

/* Mounts, writes one byte to `ready_fd` and closes it, serves until SIGTERM, SIGINT, SIGHUP or an
 * unmount, and unmounts. Errors: of the system and of FUSE; EINVAL for the model; ENOMEM. */
int volume_serve(const struct volume_server *v, int ready_fd, struct err *e);

/* The CPU for the thread that answers, removed from `cpus`: the last of them, if they are more than
 * two. Otherwise -1: the clients need a CPU beside it. */
int volume_cpu_take(cpu_set_t *cpus);
