/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a traced process leaves for the collector: the layout of the files in the scratch directory
 *that both map.
 *
 *	control			one, made by the collector: what every traced process must know
 *	PID-TICKS		one for each process image: windows of 64 KiB, the first is the
 *file's header
 *
 * A window belongs to one thread at a time. It begins with a header, the rest holds records in
 *units of 32 bytes: of one unit for calls as most are, of two for any other, and of more where a
 *text follows. A record counts when its first unit's last word is the window's generation, which is
 *written last: a process that is killed at any instant leaves every record that was whole. When a
 *window is full its thread takes another; the collector copies full windows away and frees them, so
 *that memory does not grow with the run. A mapping needs no descriptor: a program that closes all
 *it finds does no harm.
 *
 * No process may be trusted: the collector checks whatever it uses. */
#ifndef CAPTURE_PRELOAD_LOG_H
#define CAPTURE_PRELOAD_LOG_H

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
#define LOG_FIRST_UNIT 2u /* behind the window's header */
#define LOG_DIR_VARIABLE "VALIDATE_CAPTURE_DIR"

#define LOG_NO_CHARACTERS 1u /* leave out stdio calls that move one character */
#define LOG_STATE 2u	     /* note how a file looks before a path is used for the first time */

#define LOG_DIGEST 4u	     /* with LOG_STATE: and the digest of its content */
#define LOG_CONTENT 8u	     /* note what is written */
#define LOG_DIGESTS 65536u   /* files whose content was looked at: the others have no digest */
#define LOG_DIGEST_BYTES 32  /* SHA-256 */

struct log_control {
	uint64_t magic;
	uint32_t clock_source; /* enum clock_source */
	uint32_t flags;
	_Atomic uint32_t closed; /* the collector has gone: nobody frees windows */
	/* somebody waits for a window: the collector is not to put it off any longer */
	_Atomic uint32_t wanted;
	uint64_t pid_namespace; /* inode of the collector's */
	uint64_t windows_max;	 /* of one process image, as memory allows */
	_Atomic uint64_t n_lost; /* records that found no room */
	_Atomic uint64_t n_made; /* descriptors of no file, which are numbered */
	_Atomic uint64_t digested[LOG_DIGESTS]; /* by a hash of device and inode; 0: free */
};

struct log_file { /* the header of a process image's file; its window is never used otherwise */
	uint64_t magic;
	uint64_t start;	      /* ticks */
	uint32_t pid, n_max;  /* windows the file may come to have, this one included */
	_Atomic uint32_t n;   /* windows in use or free again, this one included */
	uint32_t elsewhere;   /* `pid` is one of another PID namespace */
	/* where to look for a free window first: by the collector the first of those it has freed
	 */
	_Atomic uint32_t hint;
	uint64_t pid_namespace; /* its inode, where it is another; 0: it cannot be told */
};

enum log_window_state {
	WINDOW_FREE = 0,
	WINDOW_ACTIVE = 1,
	WINDOW_FULL = 2,
	WINDOW_LEFT = 3,  /* by a thread that has ended: how much it used is not known */
	WINDOW_TAKEN = 4, /* about to be ACTIVE: whose it is does not stand there yet */
};

struct log_window {
	/* Together, for who gives a window back must know that it is still this use of it: the
	 * collector may have taken the window of a thread that has ended, and another thread may
	 * have it since. */
	/* generation << 32 | enum log_window_state; records are committed by the generation */
	_Atomic uint64_t use;
	uint32_t pid, tid;
	uint64_t sequence; /* uses of windows in this process image are numbered */
	uint32_t used;	   /* bytes, once full */
	uint32_t cpus_told; /* 0: nothing is known of */
	/* the processors that the thread might use when it took the window */
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

/* Beside enum trace_op: what is no request, but must be known to understand them. */
enum log_event {
	/* a process image begins: path: working directory; extra: program; result: parent */
	LOG_START = 0x8001,
	LOG_FD, /* it found this descriptor open: path: what it is; flags; offset: position; length:
		   type, mode */
	LOG_FDS_END, /* that were all of them; error: they could not be listed */
	LOG_EXEC,    /* path: program; begins before the call; result -1: it failed */
	LOG_SPAWN,   /* path: program; result: child */
	/* path; length: size; flags: type and mode; offset: blocks; error; extra: target or holes;
	   fd: 1: there are more holes */
	LOG_STATE_OF,
	LOG_DIGEST_OF, /* path; length: size; extra: the digest */
	/* an asynchronous request: fd, offset, length; flags: enum trace_op; dir: number of another
	   one; extra: its key, 8 bytes */
	LOG_AIO_ASKED,
	LOG_AIO_DONE,    /* offset: its key; length: its result, or a negative error */
	LOG_CLOSE_RANGE, /* offset: first; length: last descriptor; flags */
	/* path: the working directory, which the C library has changed by itself */
	LOG_CWD,
	LOG_OBJECT, /* path: a file whose code the program runs: itself, a library */
	LOG_WAIT,   /* it has waited for the end of a child: result */
	/* before the record of the request of this thread with the same begin: fd; extra: what it
	   wrote, offset: from this byte on */
	LOG_CONTENT_OF,
	LOG_DESCRIPTOR, /* the process has this descriptor from here on, by a call that is no
			   request: fields as LOG_FD */
	LOG_LAST = LOG_DESCRIPTOR,
};

/* The record's `many`: what its text is. */
struct log_text {
	uint16_t path_len; /* bytes of path, without NUL */
	uint16_t extra_len;
	int32_t second_dir; /* descriptor that the second path is relative to */
};

struct log_record { /* its text follows it */
	uint64_t begin, end; /* ticks */
	uint64_t offset;
	uint16_t op;	  /* enum trace_op or enum log_event */
	uint16_t n_units; /* of this record, text included: 2 or more, less than LOG_SHORT >> 16 */
	_Atomic uint32_t commit;
	uint64_t length;
	int64_t result;
	int32_t fd;
	int32_t dir; /* descriptor that the path is relative to, AT_FDCWD */
	uint32_t flags;
	uint16_t error;
	uint16_t reserved;
};
_Static_assert(sizeof(struct log_record) == 2 * LOG_UNIT, "two units");

/* A call that succeeded, on a descriptor, without flags or text, whose numbers are not too large.
 */
struct log_short {
	uint64_t begin_op;  /* begin | op << 56 */
	uint64_t offset_fd; /* offset, all ones: OFFSET_NONE | fd << 48, all ones: -1 */
	uint32_t duration, length;
	_Atomic uint64_t commit; /* result | LOG_SHORT | generation << 32 */
};
#define LOG_SHORT UINT32_C(0x80000000)
_Static_assert(sizeof(struct log_short) == LOG_UNIT, "one unit");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
		   offsetof(struct log_short, commit) == offsetof(struct log_record, op) &&
		   offsetof(struct log_short, commit) + 4 == offsetof(struct log_record, commit),
	       "what tells them apart is at the same place in both");

#define LOG_SHORT_OFFSET_BITS 48
#define LOG_SHORT_BEGIN_BITS 56

static inline bool log_fits_short(uint16_t op, uint64_t begin, uint64_t end, int fd,
				  uint64_t offset, uint64_t length, uint32_t flags, int64_t result)
{
	return !(begin >> LOG_SHORT_BEGIN_BITS | (offset + 1) >> LOG_SHORT_OFFSET_BITS |
		 (end - begin) >> 32 | length >> 32 | (uint64_t)result >> 31 |
		 ((uint32_t)fd + 1) >> 16 | op >> 8 | flags);
}

/* The units of the record at `at`, of which `left` are there; 0: it cannot be one. Any bytes may
 * lie there, and change. */
static inline uint32_t log_units(const void *at, uint32_t left)
{
	uint32_t word;
	__builtin_memcpy(&word, (const char *)at + offsetof(struct log_record, op), sizeof word);
	uint32_t n = word & LOG_SHORT ? 1 : word >> 16;
	return n <= left && (n >= 2 || word & LOG_SHORT) ? n : 0;
}

/* When the record of `n` units at `at` begins. */
static inline uint64_t log_begin(const void *at, uint32_t n)
{
	uint64_t word;
	__builtin_memcpy(&word, at, sizeof word);
	return n >= 2 ? word : word & ((UINT64_C(1) << LOG_SHORT_BEGIN_BITS) - 1);
}

/* The record of `n` units at `at` as `r`; a short one written out. */
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
	    .op = (uint16_t)(word[0] >> LOG_SHORT_BEGIN_BITS),
	    .n_units = 1,
	    .length = word[2] >> 32,
	    .result = (int64_t)(word[3] & (LOG_SHORT - 1)),
	    .fd = fd == UINT16_MAX ? -1 : (int32_t)fd,
	};
}

#define LOG_TEXT_MAX 16384u /* bytes of path and extra */

#endif
