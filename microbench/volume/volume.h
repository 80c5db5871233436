/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Volumes with a programmed service time, as reference storage. Each volume has its own server
 * (server.h), which outlives the command that created it, and a loop device on its file if the user
 * may have one. A volume's files are in ROOT/NAME/{volume.json, lock, log, mount/}. ROOT is
 * /run/validate-volumes, for ordinary users $XDG_RUNTIME_DIR/validate-volumes or
 * /tmp/validate-volumes-UID. A volume is alive while its server holds the lock, which contains the
 * server's process ID. */
#ifndef MICROBENCH_VOLUME_VOLUME_H
#define MICROBENCH_VOLUME_VOLUME_H

#include <sys/types.h>

#include "common/err.h"
#include "microbench/volume/loop.h"

#define VOLUME_LEAD_AUTO (-1)

struct volume_config {
	uint64_t n_bytes;    /* --size */
	const char *service; /* --service: service.h */
	const char *backing; /* --file: backing file; NULL: memory */
	uint64_t seed;	     /* --seed: of random service times */
	uint64_t log_cap;    /* --log: maximum number of logged requests */
	int64_t lead_ns;     /* --lead; VOLUME_LEAD_AUTO: measured */
	bool loop;	     /* --loop: with a loop device on top; throttled needs it */
};
void volume_config_init(struct volume_config *c);

/* Time by which answers are given early, and the measurement behind it: a quarter of the requests
 * spent at most low_ns outside the server, a quarter at least high_ns. Both 0: not measured. */
struct volume_lead {
	int64_t ns, low_ns, high_ns;
};

struct volume { /* strings are owned */
	char *name;
	char *dir;     /* ROOT/NAME */
	char *file;    /* ROOT/NAME/mount/volume */
	char *log;     /* log.h */
	char *service; /* with all defaults; NULL: the creation was not completed */
	char *backing; /* NULL: memory */
	uint64_t n_bytes;
	uint64_t seed;
	struct volume_lead lead;
	/* model throttled: the cgroup whose processes are slowed down; NULL: another model */
	char *group;
	char device[LOOP_NAME_MAX]; /* "": no loop device */
	pid_t pid;
	bool alive;
};

/* Creates a volume and returns when it is usable. `root` NULL: the default. Errors: EEXIST; EINVAL
 * for name, size or model; ENOMEM; ENOTSUP if throttling is not possible; of FUSE and loop devices.
 * After an error nothing is left. */
int volume_create(const char *root, const char *name, const struct volume_config *c,
		  struct volume *v, struct err *e);
/* Errors: ENOENT with the existing names. Ownership: volume_release. */
int volume_find(const char *root, const char *name, struct volume *v, struct err *e);
/* All volumes, by name; may be none. Ownership: volumes_release. */
int volume_list(const char *root, struct volume **v, size_t *n, struct err *e);
/* Removes a volume in any state. *refused: it is mounted or otherwise in use (EBUSY, with the user
 * of it). Content in memory is lost, a backing file stays. Errors: of the system. */
int volume_remove(const struct volume *v, bool *refused, struct err *e);
/* Multiplies every service time by `factor` from the next request on; 1: as in the model. No
 * request may be in flight. Errors: of the system; EINVAL for a factor outside 0.01..100; ENOTSUP
 * for a throttled volume, which has no service times. */
int volume_slow(const struct volume *v, double factor, struct err *e);
void volume_release(struct volume *v);
void volumes_release(struct volume *v, size_t n);

/* The loop device, or the file if there is none. */
static inline const char *volume_path(const struct volume *v)
{
	return v->device[0] ? v->device : v->file;
}

/* lead.c: reads `path` sequentially for some tenths of a second and sets the lead to the lower
 * quartile of the time outside the server, but at most twice its 5 % quantile. A program that keeps
 * the CPUs awake gets its answers sooner than one that sleeps; a volume that is slightly too slow
 * is better than one that is faster than its model. Errors: of the system. */
int volume_lead_measure(const char *path, const char *log, struct volume_lead *lead, struct err *e);

#endif
