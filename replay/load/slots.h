/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptor instances. A descriptor number refers to another file after each open. A slot is one
 * instance: from its open (or from the start of the trace) to its close, or several such instances
 * in sequence (slots_reuse). The slot of each request is found before the run by walking the trace.
 * So the measured path only loads from an array, and a request that is issued after the close of
 * its descriptor finds no descriptor instead of a wrong one.
 *
 * dup and fork create further descriptors of one open file, which share its position. Such a slot
 * is a copy. Its `origin` is the slot whose open created the open file; the position belongs to the
 * origin. Inherited descriptors are copied when their source is opened, before any of their
 * requests.
 *
 * Slot 0 is a missing descriptor: requests on it fail with EBADF. */
#pragma once

#include "capture/fileset/fileset.h"
#include "replay/target/rooted.h"
#include "replay/load/load.h"

struct slot {
	uint32_t file;	      /* the path that was opened: index into slots.file; NONE32: slot 0 */
	uint32_t flags, mode; /* as traced, or as its requests need */
	uint32_t origin;      /* the slot that created the open file; for other slots itself */
	/* first slot that a process inherited from this one, 0 none; copied right after the open */
	uint32_t heir;
	/* next slot inherited from the same source; inherited slots have no heirs of their own */
	uint32_t next_heir;
	uint32_t source;      /* of an heir */
	uint32_t earlier;     /* previous slot of the same number and path in any process, 0 none */
	uint32_t replaces;    /* instance of the same number that was not closed before, 0 none */
	uint32_t process;     /* index into slots.process */
	uint64_t position;    /* at_setup: initial position */
	uint8_t passed;	      /* enum pass_reason: requests on it are skipped */
	bool at_setup;	      /* open before the first request; otherwise a request opens it */
	bool inferred;	      /* at_setup, and not in the trace's descriptor table */
	bool inherited;	      /* by fork: created together with its source */
	bool directory;	      /* some request lists it: it is opened as a directory */
	bool stream;	      /* some request uses it as a stream of the C library */
	/* a request closes or replaces it; otherwise it ends with its process */
	bool ends;
	bool placed;	      /* `position` is final */
	bool locked;	      /* some request takes or tests a lock of its process on it */
};

/* a path in one spelling: "/a", "./a", "a/" and "a" are the same path */
struct slot_file {
	char *name;	   /* owned */
	uint8_t passed;	   /* enum pass_reason: below /proc, /sys or /dev, or a special file */
	/* during the walk: a link to a path below /proc, /sys or /dev, or to a special file */
	bool to_system;
	bool touched;	   /* during the walk: a request on a descriptor of it succeeded */
	bool opened;	   /* some request opens it */
	bool created;	   /* its first successful request was an open with O_CREAT */
	bool required;	   /* it existed before the first request (initial.h) */
	bool listed;	   /* the trace's own table of files has it */
	bool maybe_link;   /* it may be a symbolic link at some time */
	bool leads;	   /* other paths begin with it: it is used as a directory */
	bool fifo;	   /* during the walk: a FIFO made by a request; opens of it are skipped */
	bool locked;	   /* some request takes or tests a lock on it */
};

struct slot_map { /* a mapping, from its mmap to its munmap */
	uint32_t slot;
	uint64_t n_bytes;
	uint64_t offset; /* file offset of its first byte */
	uint32_t process; /* index into slots.process: the mapping ends at the latest with it */
	bool writable;
	uint32_t request; /* its mmap: index into load.request */
};

struct slot_process {
	uint32_t pid;
	uint32_t n_threads;
	int64_t birth_ns; /* begin in the trace's metadata, or its first request */
	uint32_t parent;  /* index of the nearest ancestor that has requests, NONE32 unknown */
	uint32_t parent_pid; /* process that started it, with or without requests; 0 unknown */
	/* `parent` is from the metadata; otherwise the process inherited descriptors from it */
	bool parent_known;
	bool waited; /* thread waiter_tid waited for its end, until waited_ns */
	uint32_t waiter_tid;
	int64_t waited_ns;
	/* thread of the load that waited for it, until knows_ns; NONE32 none. If the waiting
	 * process has no requests: the thread that waited for that process, and so on */
	uint32_t knows;
	int64_t knows_ns;
	bool locks;	  /* some request uses a lock that belongs to it: a close ends such locks */
	/* working directory; NULL: the top. Only for traces that have absolute and relative
	 * paths */
	char *directory;
};

/* Start and end of a process as its parent saw them. If the parent has no requests (a shell,
 * timeout(1)), a further entry describes the parent as the grandparent saw it, and so on. */
struct slot_birth {
	uint32_t process; /* index into slots.process */
	uint32_t parent;  /* its process number, with or without requests */
	int64_t birth_ns;
	bool ended; /* the parent waited for it, until ended_ns */
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
	uint32_t n_open_max;	 /* largest number of descriptors open at one time in the trace */
	uint32_t n_locked;	 /* slots that are `locked` */
	const struct fileset *before; /* the trace's own table of files; borrowed */
	struct initial *initial; /* files that existed before the first request (initial.h) */
	bool any_links;		 /* some path may be a symbolic link */
	uint64_t n_unknown; /* requests on slot 0 that succeeded in the trace */
};

/* Finds the slot and name of every request of `l`: fills in load_request.slot, .name and .passed,
 * the same of load_more, and .offset of sequential requests whose position follows from earlier
 * ones. Reads two tables of the trace's extra metadata: "descriptors": [{"fd": N, "path": TEXT,
 * "flags": N, "pid": N}], default flags O_RDWR, without pid for any process; "processes": [{"pid":
 * N, "parent": N, "begin_ns": N, "waited_by": TID, "waited_ns": N}], the last two only if a thread
 * waited for the process. Errors: EINVAL for a malformed table. */
int slots_find(struct slots *s, struct load *l, const struct trace *t, struct err *e);
void slots_release(struct slots *s);
/* Merges instances that one thread opened with the same path, flags and mode, used alone, and
 * closed, into one slot. So the number of slots depends on the open files, not on the length of the
 * trace. For replays that keep the order of each thread. Call it after slots_find and
 * reads_prepare, before slots are stored elsewhere. */
void slots_reuse(struct slots *s, struct load *l);
/* Frees everything except paths, processes and counts, when the descriptors are open. */
void slots_shrink(struct slots *s);
/* The files that existed before the first request, without those that the trace lists. Ownership:
 * slots_files_release. */
void slots_files(const struct slots *s, struct fileset *f);
void slots_files_release(struct fileset *f);
/* Raises the limit of open files for all slots and `n_more`. Errors: EMFILE, as
 * descriptors_allow. */
int slots_allow(const struct slots *s, uint32_t n_more, struct err *e);
/* Opens the descriptors of before the first request, inside `root`: fds[n], -1 for slots that are
 * not open yet. `n_more`: further descriptors that the replay needs. Errors: of the system, with
 * the path; EPERM for a path that is neither file nor directory; EMFILE with the limit that is
 * needed. */
int slots_open(const struct slots *s, const struct rooted *root, uint32_t n_more, int *fds,
	       struct err *e);
/* Opens one descriptor with the flags and position of the slot. Errors: as slots_open. */
int descriptor_open(const struct rooted *root, const char *name, const struct slot *b, int *fd,
		    struct err *e);
/* Raises the limit of open files to n_wanted, or as far as permitted. Errors: EMFILE if less than
 * n_needed is permitted; n_of_trace, for the message: descriptors that the trace has open at
 * once. */
int descriptors_allow(uint64_t n_wanted, uint64_t n_needed, uint64_t n_of_trace, struct err *e);
/* Whether the slot shares the open file of another slot. */
static inline bool slot_is_copy(const struct slots *s, uint32_t slot)
{
	return s->slot[slot].origin != slot;
}
