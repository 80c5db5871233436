/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All calls except read, write, pread, pwrite, lseek, fsync, fdatasync, close and plain open. Each
 * call is a function with its own stamps immediately around the call. Data that does not fit into a
 * hot request (second paths, vectors, attribute names, times) is in a table that is built with the
 * plan. Such hot requests have the operation HOT_CALL, and `length` is their index in that table.
 *
 * Paths: the directory of the last component is looked up inside the target directory (rooted.h),
 * or taken from the runner's store of directories. This look-up precedes the first stamp if all
 * names are in the dentry cache, and follows it if the kernel must read them from storage. The call
 * is made on the last component and does not follow a link there. If a call follows links and the
 * name may be a link, the whole path is looked up between the stamps. */
#pragma once


#include "common/payload.h"
#include "common/vm.h"
#include "replay/load/slots.h"

enum call_bit {
	CALL_FOLLOW = 1,	/* the call follows links, and its path may be a link */
	CALL_BAD_ADDRESS = 2,	/* the traced call failed with EFAULT: use an invalid address */
	/* the call may change other paths: directories are looked up again */
	CALL_TURNS = 4,
	CALL_FROM_NULL = 8,	/* copies: the source is skipped; the buffer replaces it */
	CALL_TO_NULL = 16,	/* copies: the target is skipped; /dev/null replaces it */
	CALL_BY_PAGES = 128,	/* --reads original: a read in parts */
	CALL_PAYLOAD = 512,	/* writes generated or captured content */
	CALL_SKIPPED = 256,	/* --reads none: only the file position moves */
	CALL_OF_DESCRIPTOR = 64, /* link by descriptor (/proc/self/fd/N) */
};

struct call_path {
	const char *whole; /* inside the target directory; borrowed from slots.file */
	/* last component; "." if the path has none or ends in ".."; borrowed */
	const char *last;
	uint32_t place;	   /* its directory: index into call_table.place */
};

struct call { /* 96 bytes; equal requests share one */
	uint64_t offset, length;
	/* copies: offset of the write, or OFFSET_NONE. Mappings: first byte within the mapping.
	 * Writes with captured content: number of the content */
	uint64_t to;
	const char *text; /* symlink: target; attributes: name; borrowed */
	const uint64_t *vector; /* vector[n_vector]: bytes of each buffer */
	int64_t traced; /* result, or the negative errno */
	uint32_t path, second; /* indices into call_table.path; 0 none */
	/* utimensat and similar calls: index of the first of two entries in call_table.times */
	uint32_t times;
	uint32_t n_vector;
	uint32_t first_part, n_parts; /* in call_table.part */
	uint32_t slot, other; /* other: slot that the call creates or writes to; 0 none */
	uint32_t flags;
	uint32_t map;	  /* index into calls.map, NONE32 none */
	uint32_t process; /* index into calls.process */
	uint16_t op;	  /* enum trace_op */
	uint16_t bits;	  /* enum call_bit */
};

/* Part of a read with --reads original. */
enum call_part_kind { PART_MISSED, PART_FOUND, PART_AHEAD };
struct call_part {
	uint64_t offset;
	uint32_t n_bytes, at; /* at: offset in the buffer */
	enum call_part_kind kind;
};
#define PARTS_MAX 256 /* largest number of parts of a call; further bytes count as missed */

struct call_counts { /* counted during the run; pages: with --reads original */
	/* pages that were not in the cache at capture and are read from storage, except */
	_Atomic uint64_t n_pages_read;
	_Atomic uint64_t n_pages_stayed;  /* pages that could not be dropped: dirty or mapped */
	_Atomic uint64_t n_pages_touched; /* cached at capture and now */
	_Atomic uint64_t n_pages_left;	  /* cached at capture and not now */
	_Atomic uint64_t n_clones_copied; /* clones replaced by copies */
	struct rooted_refused refused;	  /* calls on devices, FIFOs and sockets */
};

#define SOCKETS_MAX 64u
struct call_sockets { /* sockets and FIFOs that the replay created; it may change their metadata */
	_Atomic uint32_t n; /* created; only the first SOCKETS_MAX are stored */
	_Atomic uint64_t inode[SOCKETS_MAX];
};

struct call_map;     /* a mapping */
struct call_stream;  /* a stream of the C library, or an open directory */
struct call_process; /* resources that end with a traced process */

struct call_common { /* in memory that forked processes share */
	_Atomic uint32_t turn; /* incremented when stored directories may be invalid */
	_Atomic bool give_up;  /* threads that wait for locks must give up */
	struct call_counts counts;
	struct call_sockets sockets;
};

/* During the run only atomic members change, and members with their own lock. */
struct call_table {
	struct call *call; /* call[n] */
	uint32_t n, cap;
	struct call_path *path; /* path[n_paths]; path[0]: calls without a path */
	uint32_t n_paths, paths_cap;
	struct timespec *times; /* times[n_times] */
	uint32_t n_times, times_cap;
	char **place; /* place[n_places]: paths of directories, owned; place[0] is the top */
	uint32_t n_places, places_cap;
	struct call_part *part; /* part[n_parts] */
	uint32_t n_parts, parts_cap;
	int reads; /* enum replay_reads */
	const struct payload *payload; /* generated content; borrowed; NULL: that of the buffers */
	struct captured *captured; /* captured content (captured.h); borrowed; NULL: none */
	const struct captured_reader *content; /* the workers' part of `captured` during the run */
	struct call_map *map; /* map[n_maps] */
	uint32_t n_maps;
	struct call_process *process; /* process[n_processes] */
	uint32_t n_processes;
	struct slot *slot; /* slot[n_slots]: copy of slots.slot */
	_Atomic(struct call_stream *) *stream; /* stream[n_slots], NULL none */
	_Atomic(struct call_stream *) streams;	/* list of all streams ever opened */
	uint32_t n_slots;
	struct call_common *common;
	struct vm_region memory; /* of `common` */
	uint32_t *next_ending; /* next_ending[n_slots]: list of slots that end with their process */
	uint64_t n_skipped[SKIP_N]; /* skipped requests, by reason */
	int null_fd;   /* descriptor of /dev/null; -1: no call needs it */
	/* only while the table is built */
	struct call_places *places_laid;
	uint32_t *process_of_thread;   /* process_of_thread[n_threads] */
};

struct hot_request;

/* --- building (call_lay.c) ------------------------------------------------- */

/* Converts requests to hot requests. Every call that is not plain gets an entry in the table. Call
 * call_table_init first, call_hot for each request in issue order, and call_table_laid last.
 * *n_bytes: number of bytes of buffer that the request's call reads or writes. Borrows l->bytes and
 * the names of `s`. */
void call_table_init(struct call_table *c, const struct load *l, const struct slots *s);
struct hot_request call_hot(struct call_table *c, const struct load *l, const struct slots *s,
			    const struct load_request *r, uint64_t *n_bytes);
/* Whether descriptors or streams end with a process (index into slots.process). */
bool call_ends_something(const struct call_table *c, uint32_t process);
void call_table_laid(struct call_table *c);

/* Whether the result of the operation is compared. If not, only its success is compared
 * (doc/replay-engines.md). */
static inline bool call_result_counts(uint16_t op)
{
	return !(op_info(op)->uses &
		 (OP_RESULT_VARIES | OP_RESULT_LOCAL | OP_MAKES_FD | OP_RETURNS_FD));
}

/* --- use in another program (call_table.c) ------------------------------- */

/* Traced process number. */
uint32_t call_process_pid(const struct call_table *c, uint32_t process);
struct call_process_laid { /* initial state of a call_process */
	uint32_t pid, n_threads, first_ending, first_map;
};
struct call_process_laid call_process_laid(const struct call_table *c, uint32_t process);
uint32_t call_map_next(const struct call_table *c, uint32_t map); /* call_map.next_ending */
/* Creates the parts that change during the run: mappings, streams and processes in their initial
 * state. All other members of the table must be set. laid[n_processes], map_next[n_maps]. Errors:
 * ENOMEM. */
int call_table_revive(struct call_table *c, const struct call_process_laid *laid,
		      const uint32_t *map_next, struct err *e);
