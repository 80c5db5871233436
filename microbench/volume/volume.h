/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Volumes with a programmed service time, as reference storage. Each volume has its own server
 * (server.h), which continues after the command that created it, and a loop device over its file if
 * the user may attach one. A volume's files are in ROOT/NAME/{volume.json, lock, log, mount/}. ROOT
 * is /run/validate-volumes, for ordinary users $XDG_RUNTIME_DIR/validate-volumes or
 * /tmp/validate-volumes-UID. A volume is alive while its server holds the lock, which contains the
 * server's process ID. */
#pragma once

#include "microbench/volume/log.h"
#include "microbench/volume/loop.h"

#define VOLUME_LEAD_AUTO (-1)

struct volume_config {
	uint64_t n_bytes;    /* --size */
	const char *service; /* --service: service.h */
	const char *backing; /* --file: backing file; NULL: memory */
	uint64_t seed;	     /* --seed: seed of random service times */
	uint64_t log_cap;    /* --log: maximum number of logged requests */
	int64_t lead_ns;     /* --lead; VOLUME_LEAD_AUTO: measured */
	bool loop;	     /* --loop: add a loop device; throttled needs it */
};
void volume_config_init(struct volume_config *c);

/* Time by which answers are given early, by the number of requests in flight (volume_depth), and
 * the measurement from which it comes: with one request in flight, a quarter of the requests spent
 * at most low_ns outside the server, and a quarter at least high_ns. Both 0: not measured. */
struct volume_lead {
	int64_t ns[VOLUME_DEPTHS], low_ns, high_ns;
	/* Number of depths, from the first on, at which a check agreed with the lead. At the other
	 * depths, the machine was busy, or the volume cannot serve so many requests in time. */
	uint32_t n_steady;
};

struct volume { /* its strings are owned */
	char *name;
	char *dir;     /* ROOT/NAME */
	char *file;    /* ROOT/NAME/mount/volume */
	char *log;     /* log.h */
	char *service; /* model with all defaults; NULL: the creation was not completed */
	char *backing; /* NULL: memory */
	uint64_t n_bytes;
	uint64_t seed;
	struct volume_lead lead;
	/* model throttled: the cgroup whose processes are limited; NULL: another model */
	char *group;
	char device[LOOP_NAME_MAX]; /* "": no loop device */
	pid_t pid;
	bool alive;
	bool realtime; /* the server's threads run with policy SCHED_FIFO */
	bool awake;    /* idle CPUs poll while the volume is used */
	/* the server's answering thread has a CPU that its other threads do not use */
	bool own_cpu;
};

/* Creates a volume and returns when it can be used. `root` NULL: the default. Errors: EEXIST;
 * EINVAL: invalid name, size or model; ENOMEM; ENOTSUP: throttling is not possible; of FUSE and
 * loop devices. After an error, no part of the volume is left. */
int volume_create(const char *root, const char *name, const struct volume_config *c,
		  struct volume *v, struct err *e);
/* Errors: ENOENT; the message lists the existing names. Ownership: volume_release. */
int volume_find(const char *root, const char *name, struct volume *v, struct err *e);
/* All volumes, sorted by name; there may be none. Ownership: volumes_release. */
int volume_list(const char *root, struct volume **v, size_t *n, struct err *e);
/* Removes a volume in any state. *refused: it is mounted or used otherwise (EBUSY; the message has
 * its user). Content in memory is lost; a backing file remains. Errors: of the system. */
int volume_remove(const struct volume *v, bool *refused, struct err *e);
/* Multiplies every service time by `factor` from the next request on; 1: as in the model. No
 * request may be in flight. Errors: of the system; EINVAL: the factor is outside 0.01..100;
 * ENOTSUP: a throttled volume, which has no service times. */
int volume_slow(const struct volume *v, double factor, struct err *e);
void volume_release(struct volume *v);
void volumes_release(struct volume *v, size_t n);

/* The path of the loop device, or of the file if there is no loop device. */
static inline const char *volume_path(const struct volume *v)
{
	return v->device[0] ? v->device : v->file;
}

/* lead.c: reads the volume at each depth and sets the lead so that the mean response time (without
 * the slowest and the fastest 5 % of the requests) equals the programmed time. The lead is at most
 * twice the 5 % quantile of the time outside the server, because longer times are caused by other
 * work. A last pass checks each lead. If it disagrees, the measurement is repeated; if it still
 * disagrees, the lead is not steady. Errors: of the system. */
int volume_lead_measure(const struct volume *v, struct volume_lead *lead, struct err *e);
/* Empties the log. From the next request on, equal requests get equal random times again. No
 * request may be in flight. Errors: of the system. */
int volume_restart(const struct volume *v, struct err *e);
