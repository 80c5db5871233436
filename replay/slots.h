/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptor instances. A descriptor number means another file each time it is opened; a slot is one instance: from the open
 * that made it (or from before the trace began) to its close. Which slot a request works on is found here, before the
 * run, by walking the trace, so that the measured path is a plain array load, and so that a request that comes after the
 * close of its descriptor in the replay finds none instead of a stranger's.
 *
 * Slot 0 is the descriptor that is not there: requests on it fail with EBADF. */
#ifndef REPLAY_SLOTS_H
#define REPLAY_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/fileset.h"
#include "common/err.h"
#include "replay/load.h"

struct slot {
	uint32_t file;	      /* index into slots.file, NONE32 for slot 0 */
	uint32_t flags, mode; /* as traced; what its requests need where no one tells */
	uint64_t position;    /* where a descriptor opened at set-up stands at first */
	bool at_setup;	      /* it existed before the first request; otherwise an OP_OPEN of the trace makes it */
	bool inferred;	      /* at set-up, and no descriptor table names it */
	bool closed;	      /* while walking: some request closed it */
	bool placed;	      /* `position` is settled */
	bool at_known;	      /* while walking: */
	uint64_t at;	      /* the position, where at_known */
};

struct slot_file {
	char *name;	   /* owned */
	uint64_t size;	   /* bytes it must hold before the first request, as far as the requests show */
	uint64_t written;  /* while walking: end of what the trace itself wrote */
	bool needed;	   /* it must exist before the first request */
	bool touched;	   /* while walking: some request succeeded on it */
	bool truncated;	   /* while walking: nothing can be told of its first state any more */
	bool opened;	   /* some OP_OPEN names it */
	bool created;	   /* its first successful request was an open that may create: it may not have been there */
	bool listed;	   /* the trace's own table of files has it: it was there, with this many bytes */
	uint64_t listed_size;
};

struct slots {
	struct slot *slot; /* slot[n], slot[0] is the missing one */
	uint32_t n, cap;
	struct slot_file *file; /* file[n_files] */
	uint32_t n_files, files_cap;
	uint64_t n_unknown; /* requests on slot 0 that succeeded in the trace */
};

/* Finds the slot of every request of `l`: fills in load_request.slot, and .offset of sequential requests whose position
 * follows from what went before. Errors: EINVAL for a malformed descriptor table in the trace's extra metadata, which is
 * "descriptors": [{"fd": N, "path": TEXT, "flags": N, "pid": N}]; without flags O_RDWR, without pid any process. */
int slots_find(struct slots *s, struct load *l, const struct trace *t, struct err *e);
void slots_release(struct slots *s);

/* The files the requests show to have existed before the first one. Errors: EINVAL for a path with "..", which no
 * fileset may hold. Ownership: slots_files_release. */
int slots_files(const struct slots *s, struct fileset *f, struct err *e);
void slots_files_release(struct fileset *f);

/* Opens what existed before the first request, inside `dir_fd`: fds[n], -1 for those that are not open (yet).
 * Errors: of the system, with the path; EPERM for something that is neither file nor directory. */
int slots_open(const struct slots *s, int dir_fd, int *fds, struct err *e);
void slots_close(const struct slots *s, int *fds);

#endif
