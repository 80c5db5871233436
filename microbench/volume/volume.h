/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Volumes with a programmed service time: reference storage. A server of its own (server.h) for
 * each, which outlives the command that made it, and on top of its file a loop device, where the
 * user may have one. What belongs to a volume lies in a directory of its own:
 * ROOT/NAME/{volume.json, lock, log, mount/}. ROOT is /run/validate-volumes, of ordinary users
 * $XDG_RUNTIME_DIR/validate-volumes or /tmp/validate-volumes-UID. A volume is alive while its
 * server holds the lock, which has the server's process number in it. */
#ifndef MICROBENCH_VOLUME_VOLUME_H
#define MICROBENCH_VOLUME_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "microbench/volume/loop.h"

#define VOLUME_LEAD_AUTO (-1)

struct volume_config {
	uint64_t n_bytes;    /* --size */
	const char *service; /* --service: service.h */
	const char *backing; /* --file: what it is kept in; NULL: memory */
	uint64_t seed;	     /* --seed: of what the model draws */
	uint64_t log_cap;    /* --log: requests logged at most */
	int64_t lead_ns;     /* --lead; VOLUME_LEAD_AUTO: measured */
	bool loop;	     /* --loop: with a loop device on top; throttled needs it */
};
void volume_config_init(struct volume_config *c);

/* How long before it is due an answer is given, and what was measured to set it: a quarter of
 * requests were under way outside of the server, there and back, for at most low_ns, a quarter for
 * at least high_ns. Both 0: it was not measured. */
struct volume_lead {
	int64_t ns, low_ns, high_ns;
};

struct volume { /* strings are owned */
	char *name;
	char *dir;     /* ROOT/NAME */
	char *file;    /* ROOT/NAME/mount/volume */
	char *log;     /* log.h */
	char *service; /* with every default written out; NULL: it was not made to the end */
	char *backing; /* NULL: memory */
	uint64_t n_bytes;
	uint64_t seed;
	struct volume_lead lead;
	/* of service model throttled: the control group whose processes its device is slow for;
	 * NULL: another model */
	char *group;
	char device[LOOP_NAME_MAX]; /* "": no loop device */
	pid_t pid;
	bool alive;
};

/* Makes a volume and returns when it can be used. `root` NULL: the usual one. Errors: EEXIST,
 * EINVAL for name, size or model; ENOMEM; ENOTSUP where nothing can be throttled; of FUSE and loop
 * devices. After an error nothing is left. */
int volume_create(const char *root, const char *name, const struct volume_config *c,
		  struct volume *v, struct err *e);
/* Errors: ENOENT naming those there are. Ownership: volume_release. */
int volume_find(const char *root, const char *name, struct volume *v, struct err *e);
/* All of them, by name. None is no error. Ownership: volumes_release. */
int volume_list(const char *root, struct volume **v, size_t *n, struct err *e);
/* Ends it, whatever state it is in. *refused: it is mounted or otherwise in use (EBUSY, saying by
 * whom). Content in memory is lost, a backing file stays. Errors: of the system. */
int volume_remove(const struct volume *v, bool *refused, struct err *e);
/* Makes every service time `factor` times the model's, from the next request on; 1: as the model
 * has it. Not while requests are in flight. Errors: of the system; EINVAL for a factor outside
 * 0.01..100; ENOTSUP for a throttled volume, which has no service times. */
int volume_slow(const struct volume *v, double factor, struct err *e);
void volume_release(struct volume *v);
void volumes_release(struct volume *v, size_t n);

/* The device, or the file where there is none. */
static inline const char *volume_path(const struct volume *v)
{
	return v->device[0] ? v->device : v->file;
}

/* lead.c: makes reads on `path` for some tenths of a second, one after another, and sets the lead
 * to the lower quartile of what they took outside of the server, but to no more than twice what one
 * in twenty took: a program that keeps the processors awake has its answers sooner than one that
 * sleeps, and where they differ a volume that is somewhat too slow is to be preferred to one that
 * is faster than its model. Errors: of the system. */
int volume_lead_measure(const char *path, const char *log, struct volume_lead *lead, struct err *e);

#endif
