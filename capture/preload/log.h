/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that traced processes and the collector share: the layout of the files in the scratch
 * directory, which both map.
 *
 *	control			one file, created by the collector: settings for all processes
 *	PID-TICKS		one file per process image: windows of 64 KiB, the first is
 *				the header
 *
 * A window belongs to one thread at a time. It begins with a header; after it are records in units
 * of 32 bytes. Common calls need one unit, other calls two, and records with text more. A record is
 * valid when the last word of its first unit is the window's generation. This word is written last,
 * so a killed process leaves every complete record. When a window is full, its thread takes another
 * one. The collector copies and frees full windows, so the file does not grow with the run. The
 * mapping needs no descriptor, so a program that closes all descriptors does not disturb it.
 *
 * The collector must check all data: a traced process may write anything. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/affinity.h"
#include "capture/trace.h"

#define LOG_MAGIC 0x474f4c5641435631u /* "1VCAVLOG" */
#define LOG_UNIT 32u
#define LOG_WINDOW 65536u
#define LOG_UNITS (LOG_WINDOW / LOG_UNIT)
#define LOG_FIRST_UNIT 2u /* after the window's header */
#define LOG_DIR_VARIABLE "VALIDATE_CAPTURE_DIR"

#define LOG_NO_CHARACTERS 1u /* leave out stdio calls on one character */
#define LOG_STATE 2u	     /* record the state of a file before its path is first used */

#define LOG_DIGEST 4u	     /* with LOG_STATE: also the digest of its content */
#define LOG_CONTENT 8u	     /* record written data */
#define LOG_DIGESTS 65536u   /* largest number of files with a digest; further files have none */
#define LOG_DIGEST_BYTES 32  /* SHA-256 */

struct log_control {
	uint64_t magic;
	uint32_t clock_source; /* enum clock_source */
	uint32_t flags;
	_Atomic uint32_t closed; /* the collector has ended, so no window is freed any more */
	/* a thread waits for a window: the collector must free windows at once */
	_Atomic uint32_t wanted;
	uint64_t pid_namespace; /* inode of the collector's PID namespace */
	uint64_t windows_max; /* limit for each process image, derived from the available memory */
	_Atomic uint64_t n_lost; /* records that were lost because there was no window */
	_Atomic uint64_t n_made; /* counter that numbers descriptors without a file */
	_Atomic uint64_t digested[LOG_DIGESTS]; /* indexed by a hash of device and inode; 0: free */
};

struct log_file { /* header of a process image's file, in the first window */
	uint64_t magic;
	uint64_t start;	      /* ticks */
	uint32_t pid, n_max;  /* n_max: limit of windows, including this one */
	_Atomic uint32_t n;   /* windows that are or were in use, including this one */
	uint32_t elsewhere;   /* `pid` belongs to another PID namespace */
	/* first window at which to search for a free one; the collector stores the first window
	 * that it freed */
	_Atomic uint32_t hint;
	uint64_t pid_namespace; /* inode of the other namespace; 0: unknown */
};

enum log_window_state {
	WINDOW_FREE = 0,
	WINDOW_ACTIVE = 1,
	WINDOW_FULL = 2,
	WINDOW_ORPHAN = 3,  /* released by a thread that ended; the used size is unknown */
	WINDOW_TAKEN = 4, /* becomes ACTIVE; pid and tid are not written yet */
};

struct log_window {
	/* generation << 32 | enum log_window_state. One word, because a thread that releases a
	 * window must know that it is still the same use: the collector may have freed the window
	 * and another thread may have taken it. The generation also commits records. */
	_Atomic uint64_t use;
	uint32_t pid, tid;
	uint64_t sequence; /* position among all uses of windows in this process image */
	uint32_t used;	   /* used bytes; valid if the window is full */
	uint32_t cpus_known; /* 0: `cpus` is unknown */
	/* affinity of the thread when it took the window */
	uint64_t cpus[AFFINITY_WORDS];
};
_Static_assert(sizeof(struct log_window) == LOG_FIRST_UNIT * LOG_UNIT, "whole units");

static inline uint64_t log_use(uint32_t generation, enum log_window_state state)
{
	return (uint64_t)generation << 32 | state;
}

static inline uint32_t log_generation(const struct log_window *w)
{
	return (uint32_t)(atomic_load_explicit(&w->use, memory_order_relaxed) >> 32);
}

static inline enum log_window_state log_state(uint64_t use)
{
	return (enum log_window_state)(uint32_t)use;
}

/* Events that are not in enum trace_op: facts that the collector needs to interpret requests. */
enum log_event {
	/* start of a process image. path: working directory; extra: program; result: parent */
	LOG_START = 0x8001,
	/* descriptor that is open at the start. path: name of its file; flags; offset: position;
	 * length: type, mode */
	LOG_FD,
	LOG_FDS_END, /* end of the list of LOG_FD; error: the list failed */
	LOG_EXEC,    /* path: program. The record precedes the call; result -1: it failed */
	LOG_SPAWN,   /* path: program; result: child */
	/* state of a file: path; length: size; flags: type and mode; offset: inode number and
	 * result: device of a regular file; extra: target or holes; fd: enum
	 * look_what (capture/look.h) */
	LOG_STATE_OF,
	/* path; length: size; extra: the digest. Without a digest: a file with long holes, which
	 * was not read */
	LOG_DIGEST_OF,
	/* asynchronous request. fd, offset, length; flags: enum trace_op; dir: opcode of AIO_OTHER;
	 * extra: its key, 8 bytes */
	LOG_AIO_SUBMIT,
	LOG_AIO_DONE,    /* offset: key; length: result or a negative error */
	LOG_CLOSE_RANGE, /* offset: first descriptor; length: last descriptor; flags */
	/* path: the working directory, after a C library function changed it */
	LOG_CWD,
	/* path: an executable file or library in the process; flags: LOG_OBJECT_PAST or
	 * LOG_OBJECT_MADE */
	LOG_OBJECT,
	LOG_WAIT,   /* end of a child for which the process waited: result */
	/* data of the request of this thread with the same begin; precedes the record of the
	 * request. fd; offset: first byte; extra: the data */
	LOG_CONTENT_OF,
	LOG_DESCRIPTOR, /* new descriptor from a call that is not a request; fields as LOG_FD */
	/* threads; offset: pthread_t */
	LOG_THREAD,	   /* first record of a thread that is not the first of its process */
	LOG_THREAD_CREATE, /* this thread created the thread */
	LOG_THREAD_JOIN,   /* this thread waited for the end of the thread */
	LOG_CHANGE,	   /* flags: enum syscall_change */
	LOG_END,	   /* the program ends by exit(), which writes the buffers of streams */
	LOG_LAST = LOG_END,
};

/* the program calls functions of the C library without the hooks, through this library or inside
 * it */
#define LOG_OBJECT_PAST 1u
/* the program itself made memory executable; has no path */
#define LOG_OBJECT_MADE 2u

/* sizes of the record's text, stored in `many` */
struct log_text {
	uint16_t path_len; /* bytes of path, without NUL */
	uint16_t extra_len;
	int32_t second_dir; /* directory descriptor of the second path */
};

struct log_record { /* the text follows the record */
	uint64_t begin, end; /* ticks */
	uint64_t offset;
	uint16_t op;	  /* enum trace_op or enum log_event */
	/* units of this record, including its text: 2 or more, less than LOG_SHORT >> 16 */
	uint16_t n_units;
	_Atomic uint32_t commit;
	uint64_t length;
	int64_t result;
	int32_t fd;
	int32_t dir; /* directory descriptor to which the path is relative, or AT_FDCWD */
	uint32_t flags;
	uint16_t error;
	uint16_t reserved;
};
_Static_assert(sizeof(struct log_record) == 2 * LOG_UNIT, "two units");

/* Short record of a successful call on a descriptor, without flags and text, and with small
 * numbers. */
struct log_short {
	uint64_t begin_op;  /* begin | op << 56 */
	uint64_t offset_fd; /* offset (all ones: OFFSET_NONE) | fd << 48 (all ones: -1) */
	uint32_t duration, length;
	_Atomic uint64_t commit; /* result | LOG_SHORT | generation << 32 */
};
#define LOG_SHORT UINT32_C(0x80000000)
_Static_assert(sizeof(struct log_short) == LOG_UNIT, "one unit");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
		   offsetof(struct log_short, commit) == offsetof(struct log_record, op) &&
		   offsetof(struct log_short, commit) + 4 == offsetof(struct log_record, commit),
	       "LOG_SHORT is at the same place in both structures");

#define LOG_SHORT_OFFSET_BITS 48
#define LOG_SHORT_BEGIN_BITS 56

static inline bool log_fits_short(uint16_t op, uint64_t begin, uint64_t end, int fd,
				  uint64_t offset, uint64_t length, uint32_t flags, int64_t result)
{
	return !(begin >> LOG_SHORT_BEGIN_BITS | (offset + 1) >> LOG_SHORT_OFFSET_BITS |
		 (end - begin) >> 32 | length >> 32 | (uint64_t)result >> 31 |
		 ((uint32_t)fd + 1) >> 16 | op >> 8 | flags);
}

/* Returns the number of units of the record at `at`; 0: the record is invalid. `left`: units to the
 * end of the window. The memory may contain any bytes and may change during the call. */
static inline uint32_t log_units(const void *at, uint32_t left)
{
	uint32_t word;
	__builtin_memcpy(&word, (const char *)at + offsetof(struct log_record, op), sizeof word);
	uint32_t n = word & LOG_SHORT ? 1 : word >> 16;
	return n <= left && (n >= 2 || word & LOG_SHORT) ? n : 0;
}

/* Returns the begin of the record of `n` units at `at`. */
static inline uint64_t log_begin(const void *at, uint32_t n)
{
	uint64_t word;
	__builtin_memcpy(&word, at, sizeof word);
	return n >= 2 ? word : word & ((UINT64_C(1) << LOG_SHORT_BEGIN_BITS) - 1);
}

/* Returns the operation of the short record at `at`. */
static inline uint16_t log_short_op(const void *at)
{
	uint64_t word;
	__builtin_memcpy(&word, at, sizeof word);
	return (uint16_t)(word >> LOG_SHORT_BEGIN_BITS);
}

/* Copies the record of `n` units at `at` to `r` and expands a short record. */
static inline void log_expand(const void *at, uint32_t n, struct log_record *r)
{
	if (n >= 2) {
		__builtin_memcpy(r, at, sizeof *r);
		return;
	}
	uint64_t word[4];
	__builtin_memcpy(word, at, sizeof word);
	const uint64_t offsets = (UINT64_C(1) << LOG_SHORT_OFFSET_BITS) - 1;
	const uint64_t begin = log_begin(at, n), fd = word[1] >> LOG_SHORT_OFFSET_BITS;
	*r = (struct log_record){
	    .begin = begin,
	    .end = begin + (uint32_t)word[2],
	    .offset = (word[1] & offsets) == offsets ? OFFSET_NONE : word[1] & offsets,
	    .op = log_short_op(at),
	    .n_units = 1,
	    .length = word[2] >> 32,
	    .result = (int64_t)(word[3] & (LOG_SHORT - 1)),
	    .fd = fd == UINT16_MAX ? -1 : (int32_t)fd,
	};
}

#define LOG_TEXT_MAX 16384u /* largest number of bytes of path and extra */
