/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server of a volume: a FUSE file system with one file, "volume", in memory or in a file. It
 * answers every request at the end of the request's service time. If it is permitted and the
 * machine has more than one CPU, its threads run with policy SCHED_FIFO. With more than two CPUs,
 * the thread that answers has a CPU that the other threads do not use. */
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
	const char *log;     /* log file (log.h), which is created */
	uint64_t log_cap;
};

/* Mounts the file system, writes one byte to `ready_fd` and closes it. Serves until SIGTERM,
 * SIGINT, SIGHUP or an unmount, then unmounts. Errors: of the system and of FUSE; EINVAL: invalid
 * model; ENOMEM. */
int volume_serve(const struct volume_server *v, int ready_fd, struct err *e);

/* Chooses the CPU for the thread that answers, and removes it from `cpus`: the last CPU, if there
 * are more than two. Otherwise returns -1, because the clients need another CPU. */
int volume_cpu_take(cpu_set_t *cpus);
