/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls that are neither read, write, pread, pwrite, lseek, fsync, fdatasync, close nor a plain
 * open. Each is a function with stamps of its own just around the call. What does not fit a hot
 * request lies in a table beside it, laid out when the plan is made: second paths, vectors,
 * attribute names, times. Hot requests of this kind have the operation HOT_CALL and in `length`
 * their place in that table.
 *
 * Paths: the directory that the last component lies in is looked up inside the target directory
 * (rooted.h), or taken from the runner's own store of directories. This look-up comes before the
 * first stamp if all names are in the dentry cache, and after it if the kernel has to read them
 * from storage. The call is made on the last component and never follows a link there. A call that
 * does follow links goes, where the name may be a link, through a look-up of the whole path inside
 * the stamps. */
#ifndef REPLAY_CALL_TABLE_H
#define REPLAY_CALL_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "common/err.h"
#include "common/payload.h"
#include "common/vm.h"
#include "replay/target/rooted.h"
#include "replay/load/load.h"
#include "replay/load/slots.h"

enum call_bit {
	/* the call follows links at the end of the path, and there may be one */
	CALL_FOLLOW = 1,
	CALL_BAD_ADDRESS = 2,	/* it failed with EFAULT: it is given an address that is none */
	/* it may change what other paths mean: stored directories are looked up again */
	CALL_TURNS = 4,
	CALL_FROM_NULL = 8,	/* copies: what is read from is skipped; the buffer stands for it */
	CALL_TO_NULL = 16,	/* copies: what is written to is skipped; /dev/null stands for it */
	CALL_BY_PAGES = 128,	/* --reads original: in parts */
	CALL_PAYLOAD = 512,	/* what it writes is made before it, or was captured */
	CALL_SKIPPED = 256,	/* --reads none: only the position moves */
	CALL_OF_DESCRIPTOR = 64, /* link: by descriptor (/proc/self/fd/N) */
};

struct call_path {
	const char *whole; /* inside the target directory; borrowed from slots.file */
	/* last component, "." for a path that has none or ends in ".."; borrowed */
	const char *last;
	uint32_t place;	   /* the directory it lies in: index into calls.place */
};

struct call { /* 96 bytes: there may be many; requests that need nothing that differs share one */
	uint64_t offset, length;
	/* copies: where it writes, or OFFSET_NONE. Mappings: first byte within the map. Writes with
	 * captured content: its number */
	uint64_t to;
	const char *text; /* symlink: what it points at; attributes: name; borrowed */
	const uint64_t *vector; /* vector[n_vector]: bytes of each buffer */
	int64_t traced; /* result, or the negative errno */
	uint32_t path, second; /* of call_table.path, 0 none */
	uint32_t times;	       /* utimensat and its like: the first of two in call_table.times */
	uint32_t n_vector;
	uint32_t first_part, n_parts; /* of call_table.part */
	uint32_t slot, other; /* other: the one that is made or written to, 0 none */
	uint32_t flags;
	uint32_t map;	  /* index into calls.map, NONE32 none */
	uint32_t process; /* index into calls.process */
	uint16_t op;	  /* enum trace_op */
	uint16_t bits;	  /* enum call_bit */
};

/* A read as the original cache decided. */
enum call_part_kind { PART_MISSED, PART_FOUND, PART_AHEAD };
struct call_part {
	uint64_t offset;
	uint32_t n_bytes, at; /* at: in the buffer */
	enum call_part_kind kind;
};
#define PARTS_MAX 256 /* of one call; what is behind counts as missed */

struct call_counts { /* what is counted while it runs; pages: with --reads original */
	_Atomic uint64_t n_pages_read;	  /* missed then: from storage now, */
	/* but for those of them that could not be dropped: dirty, or mapped by somebody */
	_Atomic uint64_t n_pages_stayed;
	_Atomic uint64_t n_pages_touched; /* found in the cache then, and now */
	_Atomic uint64_t n_pages_left;	  /* then, and not now */
	_Atomic uint64_t n_clones_copied; /* clones that were copies: the target shares no blocks */
	struct rooted_refused refused;	  /* calls on devices, FIFOs and sockets */
};

#define SOCKETS_MAX 64u
struct call_sockets {       /* files of sockets that the replay made: their metadata may change */
	_Atomic uint32_t n; /* made; those beyond SOCKETS_MAX are not remembered */
	_Atomic uint64_t inode[SOCKETS_MAX];
};

struct call_map;     /* a mapping while it is there */
struct call_stream;  /* a stream of the C library, or a directory being listed */
struct call_process; /* what ends with a traced process */

struct call_common { /* in memory that forked processes share */
	_Atomic uint32_t turn; /* goes up when a stored directory may have become another one */
	_Atomic bool give_up;  /* who waits for a lock shall wait no longer */
	struct call_counts counts;
	struct call_sockets sockets;
};

/* of a plan. While it runs, only what is atomic changes, and what has a lock of its own */
struct call_table {
	struct call *call; /* call[n] */
	uint32_t n, cap;
	struct call_path *path; /* path[n_paths]; path[0] is of calls without one */
	uint32_t n_paths, paths_cap;
	struct timespec *times; /* times[n_times] */
	uint32_t n_times, times_cap;
	char **place; /* place[n_places]: paths of directories, owned; place[0] is the top */
	uint32_t n_places, places_cap;
	struct call_part *part; /* part[n_parts] */
	uint32_t n_parts, parts_cap;
	int reads; /* enum replay_reads */
	/* what is written, borrowed; NULL: what lies in the buffers */
	const struct payload *payload;
	/* what is written was captured (captured.h); borrowed, NULL: it is not */
	struct captured *captured;
	const struct captured_reader *content; /* while it runs: by what workers take it */
	struct call_map *map; /* map[n_maps] */
	uint32_t n_maps;
	struct call_process *process; /* process[n_processes] */
	uint32_t n_processes;
	struct slot *slot; /* slot[n_slots]: heirs, flags, and what they displace; a copy */
	_Atomic(struct call_stream *) *stream; /* stream[n_slots], NULL none */
	_Atomic(struct call_stream *) streams;	/* all there ever were */
	uint32_t n_slots;
	struct call_common *common;
	struct vm_region memory; /* of it */
	uint32_t *next_ending; /* next_ending[n_slots]: slots that end with their process, linked */
	uint64_t n_passed[PASS_N]; /* requests that are not called, by reason */
	int null_fd;   /* /dev/null, the replayer's own; -1 where no call needs it */

	/* while laying */
	struct places *places_laid;
	uint32_t *process_of_thread;   /* process_of_thread[n_threads] */
};

struct hot_request;

/* --- preparing (calls_lay.c) --------------------------------------------- */

/* The hot form of the requests: whatever is no plain call gets a place in the table.
 * call_table_init once before, call_hot for each request in issue order, call_table_laid once
 * afterwards. Borrows l->bytes and the names of `s`. */
void call_table_init(struct call_table *c, const struct load *l, const struct slots *s);
struct hot_request call_hot(struct call_table *c, const struct load *l, const struct slots *s,
			    const struct load_request *r);
/* Bytes of memory that a request's call reads or writes; not before slots_find. */
uint64_t call_buffer_bytes(const struct load *l, const struct slots *s,
			   const struct load_request *r);
/* Whether descriptors or streams end with a process (index into slots.process). */
bool call_ends_something(const struct call_table *c, uint32_t process);
void call_table_laid(struct call_table *c);

/* Whether the result of the operation is compared as it is; else only whether the call succeeded
 * (doc/replay-engines.md). */
bool call_result_counts(uint16_t op);

/* --- carrying a table into another program (calls_carry.c) --------------- */

/* Number of a process in the trace. */
uint32_t call_process_pid(const struct call_table *c, uint32_t process);
struct call_process_laid { /* what is laid of a process */
	uint32_t pid, n_threads, first_ending, first_map;
};
struct call_process_laid call_process_laid(const struct call_table *c, uint32_t process);
/* of the maps that end with the same process */
uint32_t call_map_next(const struct call_table *c, uint32_t map);
/* Makes anew what changes while a table runs: mappings, streams, and processes, as they were laid;
 * everything else of it is set. laid[n_processes], map_next[n_maps]. Errors: ENOMEM. */
int call_table_revive(struct call_table *c, const struct call_process_laid *laid,
		      const uint32_t *map_next, struct err *e);

#endif
