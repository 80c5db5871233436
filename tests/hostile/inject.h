/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fault injection: definitions that the driver (inject_walk), the preloaded library (inject.c) and
 * the file system (eio_fs.c) share.
 *
 * The driver writes a plan into a state file. The others map it, count the calls of each family and
 * make the n-th call of one family fail. All processes of a command share the file, so n counts
 * over all of them. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define FAMILIES(X)                                                                                \
	X(READ, "read")                                                                            \
	X(WRITE, "write")                                                                          \
	X(OPEN, "open")                                                                            \
	X(CLOSE, "close")                                                                          \
	X(SYNC, "sync")                                                                            \
	X(RENAME, "rename")                                                                        \
	X(UNLINK, "unlink")                                                                        \
	X(STAT, "stat")                                                                            \
	X(TRUNCATE, "truncate")                                                                    \
	X(MKDIR, "mkdir")                                                                          \
	X(OPENDIR, "opendir")                                                                      \
	X(READDIR, "readdir")                                                                      \
	X(SEEK, "seek")                                                                            \
	X(COPY, "copy")                                                                            \
	X(STREAM_READ, "stream-read")                                                              \
	X(STREAM_WRITE, "stream-write")                                                            \
	X(STREAM_CLOSE, "stream-close")                                                            \
	X(MALLOC, "malloc")                                                                        \
	X(MMAP, "mmap")                                                                            \
	X(FORK, "fork")                                                                            \
	X(EXEC, "exec")                                                                            \
	X(THREAD, "thread")                                                                        \
	X(PIPE, "pipe")                                                                            \
	X(WAIT, "wait")                                                                            \
	X(POLL, "poll")                                                                            \
	X(LOCK, "lock")                                                                            \
	X(IOCTL, "ioctl")                                                                          \
	X(SYSCALL, "syscall")

enum family {
#define X(ID, NAME) ID,
	FAMILIES(X)
#undef X
	N_FAMILIES
};

/* Used instead of an errno: the call transfers half of the requested bytes. */
#define FAULT_SHORT 10000

enum { MAX_LOGGED = 1 << 16, MAX_FRAMES = 16 };

/* Effect on a call: none; the call failed; or without effect, because a call of one byte cannot be
 * shortened. */
enum { HIT_NONE, HIT_FAILED, HIT_WITHOUT_EFFECT };

struct inject_state {
	char program[4096]; /* only processes of this program are counted and fail (library only) */
	uint32_t family, fault;
	uint64_t nth;	    /* from 1; 0: none fails */
	uint32_t log_sites; /* whether the site of each call is noted */
	_Atomic uint32_t hit;
	_Atomic uint64_t count[N_FAMILIES];
	char call[32];				 /* the name of the call that failed */
	/* return addresses of the failed call inside the program's file; 0: end */
	uint64_t frame[MAX_FRAMES];
	uint32_t site[N_FAMILIES][MAX_LOGGED]; /* hash of the stack of call n, at index n - 1 */
};

#define STATE_VARIABLE "VALIDATE_INJECT_STATE"
