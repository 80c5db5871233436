/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptor instances. A descriptor number means another file each time it is opened; a slot is
 * one instance: from the open that made it (or from before the trace began) to its close, or
 * several such instances that follow one another (slots_reuse). Which slot a request works on is
 * found here, before the run, by walking the trace, so that the measured path is a plain array
 * load, and so that a request that comes after the close of its descriptor in the replay finds none
 * instead of a stranger's.
 *
 * dup and fork make further descriptors of one open file: they share its position. Such a slot is a
 * copy; its `origin` is the slot whose open made the open file, and whoever asks about positions
 * asks about origins. What a process inherited is copied when its source is opened, before any of
 * its requests.
 *
 * Slot 0 is the descriptor that is not there: requests on it fail with EBADF. */
#ifndef REPLAY_SLOTS_H
#define REPLAY_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/fileset/fileset.h"
#include "common/err.h"
#include "replay/target/rooted.h"
#include "replay/load/load.h"

struct slot {
	/* by what path it was opened: index into slots.file; NONE32 for slot 0 */
	uint32_t file;
	uint32_t flags, mode; /* as traced; what its requests need where no one tells */
	uint32_t origin;      /* itself, or the slot it is a copy of in the end */
	/* first of the slots that processes inherited from this one: copied as soon as it is open,
	 * 0 none */
	uint32_t heir;
	uint32_t next_heir;   /* of the same source; heirs have no heirs */
	uint32_t source;      /* of an heir */
	/* that had the same number and path before, in whatever process, 0 none */
	uint32_t earlier;
	/* an instance of the same number that nobody closed and that this one displaces, 0 none */
	uint32_t replaces;
	uint32_t process;     /* index into slots.process */
	uint64_t position;    /* where a descriptor opened at set-up stands at first */
	uint8_t passed;	      /* enum pass_reason: no file, requests on it are skipped */
	/* it existed before the first request; otherwise a request of the trace makes it */
	bool at_setup;
	bool inferred;	      /* at set-up, and no descriptor table names it */
	bool inherited;	      /* by fork: made together with its source */
	bool directory;	      /* some request lists it: it is opened as one */
	bool stream;	      /* some request uses it as a stream of the C library */
	/* some request closes or displaces it; otherwise it ends with its process */
	bool ends;
	bool placed;	      /* `position` is settled */
	bool locked;	      /* some request takes or asks for a lock of its process by it */
};

/* a path, in one spelling ("/a", "./a", "a/" and "a" are one), whatever it means at a time */
struct slot_file {
	char *name;	   /* owned */
	/* enum pass_reason: it is below /proc, /sys or /dev, or a special file's */
	uint8_t passed;
	bool touched;	   /* while walking: some request on a descriptor succeeded on it */
	bool opened;	   /* some request opens it */
	/* its first successful request was an open that may create: it may not have been there */
	bool created;
	bool required;	   /* it was: requests read what the trace did not write (initial.h) */
	/* the trace's own table of files has it: it was there, with this many bytes */
	bool listed;
	bool maybe_link;   /* it may be a symbolic link at some time */
	bool leads;	   /* other paths begin with it: it is used as a directory */
	bool fifo;	   /* while walking: a FIFO that some request made. To open it is skipped */
	bool locked;	   /* some request takes or asks for a lock of it, of whatever kind */
	uint64_t listed_size;
};

struct slot_map { /* a mapping, from its mmap to its munmap */
	uint32_t slot;
	uint64_t n_bytes;
	uint64_t offset; /* of the file, at the map's first byte */
	uint32_t process; /* index into slots.process: it ends with that one at the latest */
	bool writable;
};

struct slot_process {
	uint32_t pid;
	uint32_t n_threads;
	int64_t birth_ns; /* its first request, or what the trace tells */
	uint32_t parent;  /* index of the nearest ancestor that has requests, NONE32 not known */
	/* number of the process that started it, whether that has requests or not; 0: not told */
	uint32_t told_parent;
	bool parent_told; /* by the trace; otherwise it is one that it inherited descriptors from */
	bool waited;	  /* some thread is known to have waited for its end, until waited_ns: */
	uint32_t waiter_tid; /* that */
	int64_t waited_ns;
	uint32_t
	    knows; /* thread of the load that knew of its end at knows_ns, NONE32 none: that one or,
		    * where that has no requests, who waited for its process, and so on */
	int64_t knows_ns;
	bool locks;	  /* some request is on a lock that belongs to it: closes end such locks */
	/* where it works, as a path; NULL: at the top. Only where the trace has paths relative to
	 * it */
	char *directory;
};

/* How a process came to be and ended, as its parent saw it; and, where that has no requests (a
 * shell, timeout(1)), as the parent of that one saw that one, and so on. */
struct slot_birth {
	uint32_t process; /* index into slots.process */
	uint32_t parent;  /* its number, whether it has requests or not */
	int64_t birth_ns;
	bool ended; /* the parent waited for it, as it did for the process: until ended_ns */
	int64_t ended_ns;
};

struct slots {
	struct slot *slot; /* slot[n], slot[0] is the missing one */
	uint32_t n, cap;
	struct slot_file *file; /* file[n_files] */
	uint32_t n_files, files_cap;
	struct slot_map *map; /* map[n_maps] */
	uint32_t n_maps, maps_cap;
	struct slot_process *process; /* process[n_processes] */
	uint32_t n_processes, processes_cap;
	struct slot_birth *birth; /* birth[n_births] */
	uint32_t n_births, births_cap;
	uint32_t n_open_max;	 /* descriptors open at one time, at the most, in the trace */
	uint32_t n_locked;	 /* slots that are `locked` */
	/* what the trace says was there, n = 0: nothing; borrowed from the trace */
	const struct fileset *before;
	struct initial *initial; /* initial.h: what was there before the first request */
	bool any_links;		 /* some path may be a symbolic link */
	uint64_t n_unknown; /* requests on slot 0 that succeeded in the trace */
};

/* Finds the slots and names of every request of `l`: fills in load_request.slot, .name and .passed,
 * load_more's, and .offset of sequential requests whose position follows from what went before.
 * Errors: EINVAL for a malformed descriptor table in the trace's extra metadata, which is
 * "descriptors": [{"fd": N, "path": TEXT, "flags": N, "pid": N}]; without flags O_RDWR, without pid
 * any process; or of "processes": [{"pid": N, "parent": N, "begin_ns": N, "waited_by": TID,
 * "waited_ns": N}], the last two only where somebody waited. */
int slots_find(struct slots *s, struct load *l, const struct trace *t, struct err *e);
void slots_release(struct slots *s);
/* Gives instances that the same thread opened by the same path in the same way, used alone and
 * closed, one after another, one slot: so a replay needs as many slots as a thread has open at one
 * time of each. For replays that keep each thread's own order. Behind slots_find and reads_prepare,
 * before anything else that notes slots. */
void slots_reuse(struct slots *s, struct load *l);
/* Gives back what nobody needs once the descriptors are open and the files are there: all but
 * paths, processes and numbers. */
void slots_opened(struct slots *s);

/* The files the requests show to have existed before the first one, without those that the trace
 * lists. Errors: EINVAL. Ownership: slots_files_release. */
int slots_files(const struct slots *s, struct fileset *f, struct err *e);
void slots_files_release(struct fileset *f);

/* Sees to it that all of them, and `n_more`, may be open. Errors: EMFILE, as descriptors_allow. */
int slots_allow(const struct slots *s, uint32_t n_more, struct err *e);
/* Opens what existed before the first request, inside `root`: fds[n], -1 for those that are not
 * open (yet). `n_more` descriptors are wanted for other purposes. Errors: of the system, with the
 * path; EPERM for something that is neither file nor directory; EMFILE where the limit of open
 * files is too low, saying which is needed. */
int slots_open(const struct slots *s, const struct rooted *root, uint32_t n_more, int *fds,
	       struct err *e);
/* One of them, by the slot's flags and position. */
int descriptor_open(const struct rooted *root, const char *name, const struct slot *b, int *fd,
		    struct err *e);
/* Raises the limit of open files to n_wanted, or as far as that goes. Errors: EMFILE below
 * n_needed, `n_of_trace` of which the trace has open at once. */
int descriptors_allow(uint64_t n_wanted, uint64_t n_needed, uint64_t n_of_trace, struct err *e);
void slots_close(const struct slots *s, int *fds);

/* Whether the slot shares the open file of another one. */
static inline bool slot_is_copy(const struct slots *s, uint32_t slot)
{
	return s->slot[slot].origin != slot;
}

#endif
