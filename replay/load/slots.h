/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptor instances. A descriptor number refers to another file after each open. A slot is one
 * instance: from its open (or from the start of the trace) to its close, or several such instances
 * in sequence (slots_reuse). A walk through the trace finds the slot of each request before the
 * run. So a timed request only loads from an array, and a request that is issued after the close of
 * its descriptor finds no descriptor instead of a wrong descriptor.
 *
 * dup and fork create further descriptors of one open file, which share its position. Such a slot
 * is a copy. Its `origin` is the slot whose open created the open file; the position belongs to the
 * origin. Inherited descriptors are copied when their source is opened, before any of their
 * requests.
 *
 * Slot 0 is a missing descriptor: requests on it fail with EBADF. */
#pragma once

#include "replay/load/load.h"
#include "replay/target/rooted.h"

struct slot {
	/* the path that was opened, an index into slots.file; NONE32 for slot 0 */
	uint32_t file;
	uint32_t flags, mode; /* as traced, or as its requests need */
	uint32_t origin;      /* the slot that created the open file; it may be this slot itself */
	/* first slot that a process inherited from this slot, 0 none; copied immediately after the
	 * open */
	uint32_t heir;
	/* next slot inherited from the same source; inherited slots have no heirs of their own */
	uint32_t next_heir;
	uint32_t source;      /* of an heir */
	/* previous slot with the same number and path in any process, 0 none */
	uint32_t earlier;
	/* instance of the same number that was not closed before this instance, 0 none */
	uint32_t replaces;
	uint32_t process;     /* index into slots.process */
	uint64_t position;    /* at_setup: initial position */
	uint8_t skipped;	      /* enum skip_reason: requests on this slot are skipped */
	bool at_setup;	      /* open before the first request; otherwise a request opens it */
	bool inferred;	      /* at_setup, but not in the trace's descriptor table */
	bool inherited;	      /* by fork: created together with its source */
	bool received;	      /* inherited, but the other process sent it later */
	bool directory;	      /* some request lists the directory: it is opened as a directory */
	bool stream;	      /* some request uses it as a stream of the C library */
	/* a request closes or replaces it; otherwise it lives until its process ends */
	bool ends;
	bool placed;	      /* `position` is final */
	bool locked;	      /* some request takes or tests a lock of the process on it */
};

/* a path in normalised spelling: "/a", "./a", "a/" and "a" are the same path */
struct slot_file {
	char *name;	   /* owned */
	uint8_t skipped; /* enum skip_reason: below /proc, /sys or /dev, or a special file */
	/* during the walk: a link to a path below /proc, /sys or /dev, or to a special file */
	bool to_system;
	bool renamed;	   /* during the walk: a rename gave a file this name */
	bool touched;	   /* during the walk: a request on a descriptor of it succeeded */
	bool opened;	   /* some request opens it */
	bool created;	   /* its first successful request was an open with O_CREAT */
	bool required;	   /* it existed before the first request (initial.h) */
	bool listed;	   /* it is in the table of files that the trace contains */
	bool maybe_link;   /* it may be a symbolic link at some time */
	bool leads;	   /* other paths begin with it, so it is used as a directory */
	bool fifo;	   /* during the walk: a FIFO made by a request; opens of it are skipped */
	bool locked;	   /* some request takes or tests a lock on it */
};

struct slot_map { /* a mapping, from its mmap to its munmap */
	uint32_t slot;
	uint64_t n_bytes;
	uint64_t offset; /* file offset of its first byte */
	uint32_t process; /* index into slots.process; the mapping does not outlive this process */
	bool writable;
	uint32_t request; /* its mmap: index into load.request */
};

struct slot_process {
	uint32_t pid;
	uint32_t n_threads;
	/* start in the trace's metadata, otherwise the start of its first request */
	int64_t birth_ns;
	uint32_t parent;  /* index of the nearest ancestor that has requests, NONE32 unknown */
	uint32_t parent_pid; /* process that started it, with or without requests; 0 unknown */
	/* `parent` is from the metadata; otherwise the process inherited descriptors from it */
	bool parent_known;
	bool waited; /* the thread waiter_tid waited for the end of the process, until waited_ns */
	uint32_t waiter_tid;
	int64_t waited_ns;
	/* thread of the load that waited for the process, until knows_ns; NONE32 none. If the
	 * waiting process has no requests, this is the thread that waited for that process, and so
	 * on */
	uint32_t knows;
	int64_t knows_ns;
	/* some request uses a lock that belongs to the process: a close ends such locks */
	bool locks;
	/* working directory; NULL: the top directory. Only set if the trace has absolute and
	 * relative paths */
	char *directory;
};

/* Start and end of a process as its parent observed them. If the parent has no requests (a shell,
 * timeout(1)), a further entry describes the parent as the grandparent observed it, and so on. */
struct slot_spawn {
	uint32_t process; /* index into slots.process */
	uint32_t parent;  /* process number of the parent, with or without requests */
	int64_t birth_ns;
	bool ended; /* the parent waited for the process, until ended_ns */
	int64_t ended_ns;
};

/* A thread of the load whose creation or end another thread of the load saw. */
struct slot_thread {
	uint32_t thread;	  /* index into load.thread, as the following; NONE32: unknown */
	uint32_t creator, joiner; /* joiner: waited for its end */
	int64_t created_ns, joined_ns;
};

struct slots {
	struct slot *slot; /* slot[n]; slot[0] is the missing descriptor */
	uint32_t n, cap;
	struct slot_file *file; /* file[n_files] */
	uint32_t n_files, files_cap;
	struct slot_map *map; /* map[n_maps] */
	uint32_t n_maps, maps_cap;
	struct slot_process *process; /* process[n_processes] */
	uint32_t n_processes, processes_cap;
	struct slot_spawn *spawn; /* spawn[n_spawns] */
	uint32_t n_spawns, spawns_cap;
	struct slot_thread *thread; /* thread[n_threads] */
	uint32_t n_threads;
	/* largest number of descriptors that the trace had open at the same time */
	uint32_t n_open_max;
	uint32_t n_locked;	 /* slots that are `locked` */
	const struct fileset *before; /* the table of files that the trace contains; borrowed */
	struct initial *initial; /* files that existed before the first request (initial.h) */
	bool any_links;		 /* some path may be a symbolic link */
	uint64_t n_unknown; /* number of requests on slot 0 that succeeded in the trace */
};

/* Finds the slot and name of every request of `l`. Fills in load_request.slot, .name and .skipped,
 * the same members of load_more, and .offset of sequential requests whose position follows from
 * earlier requests. Reads three tables of the trace's extra metadata: "descriptors": [{"fd": N,
 * "path": TEXT, "flags": N, "pid": N}], default flags O_RDWR, without pid for any process;
 * "processes": [{"pid": N, "parent": N, "begin_ns": N, "waited_by": TID, "waited_ns": N}], the last
 * two only if a thread waited for the process; and "threads", the same with "tid" instead of "pid".
 * Errors: EINVAL for a malformed table. */
int slots_find(struct slots *s, struct load *l, const struct trace *t, struct err *e);
void slots_release(struct slots *s);
/* Merges instances into one slot if the same thread opened them with the same path, flags and mode,
 * used them alone, and closed them. So the number of slots depends on the open files, not on the
 * length of the trace. For replays that keep the order of each thread. Call it after slots_find and
 * reads_prepare, before slots are stored elsewhere. */
void slots_reuse(struct slots *s, struct load *l);
/* Finds the files that existed before the first request and that the trace does not list.
 * Ownership: slots_files_release. */
void slots_files(const struct slots *s, struct fileset *f);
void slots_files_release(struct fileset *f);
/* Raises the limit of open files so that it permits all slots and `n_more` further descriptors.
 * Errors: EMFILE, as descriptors_allow. */
int slots_allow(const struct slots *s, uint32_t n_more, struct err *e);
/* Opens, inside `root`, the descriptors that are open before the first request: fds[n], -1 for
 * slots that are not open yet. `n_more`: number of further descriptors that the replay needs.
 * Errors: from the system, with the path; EPERM for a path that is neither file nor directory;
 * EMFILE with the limit that is needed. */
int slots_open(const struct slots *s, const struct rooted *root, uint32_t n_more, int *fds,
	       struct err *e);
/* Opens a descriptor with the flags and position of the slot. Errors: those of slots_open. */
int descriptor_open(const struct rooted *root, const char *name, const struct slot *b, int *fd,
		    struct err *e);
/* Raises the limit of open files to n_wanted, or as far as permitted. n_of_trace is for the
 * message: the number of descriptors that the trace has open at the same time. Errors: EMFILE if
 * less than n_needed is permitted. */
int descriptors_allow(uint64_t n_wanted, uint64_t n_needed, uint64_t n_of_trace, struct err *e);
/* Whether the slot shares the open file of another slot. */
static inline bool slot_is_copy(const struct slots *s, uint32_t slot)
{
	return s->slot[slot].origin != slot;
}
