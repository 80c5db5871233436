/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls on files: numbers, operations and arguments. For captures and importers. */
#pragma once

#include "capture/op.h"

/* SYSCALL_DESCRIPTOR, SYSCALL_PAIR: the call creates one or two descriptors that are not of files.
 * SYSCALL_CHANGE: see syscall_change_of(). SYSCALL_UMASK: sets the umask of the process. These
 * kinds are not requests. The kinds after them are for callers. */
enum syscall_kind {
	SYSCALL_REQUEST,
	SYSCALL_CLOSE_RANGE,
	SYSCALL_DESCRIPTOR,
	SYSCALL_PAIR,
	SYSCALL_CHANGE,
	SYSCALL_UMASK,
	SYSCALL_CLONE,
	SYSCALL_EXEC,
	SYSCALL_GETCWD,
	SYSCALL_WAIT,
	SYSCALL_FUTEX
};

/* A system call. `args` has a letter for each argument:
 * f descriptor   D directory descriptor of p   p path   P second path   d directory descriptor of P
 * T target of a link   N name of an attribute   s length   o offset   i buffers of readv (their
 * number follows)   H struct open_how   m mode   w v O A flags   n requested descriptor of dup2   X
 * descriptor written to   @ offset pointer of f   # offset pointer of X   t two times   u user   g
 * group   c command of fcntl or ioctl   * its argument, possibly a pointer   k socket address (its
 * length follows)   E results of asynchronous requests   R protection   M flags of mmap   B address
 * V device   1 first   l last   _ skipped   q address of a pair's two numbers   L value of an
 * attribute, read for access control lists   Y the text of a link, as read */
struct syscall_row {
	const char *name; /* as in the tracepoint sys_enter_NAME */
	int number;	  /* of the system call on this machine; -1: none */
	enum trace_op op;
	const char *args;
	enum syscall_kind kind;
	uint32_t flags; /* implied by the name: AT_SYMLINK_NOFOLLOW of lstat */
};
extern const struct syscall_row syscall_rows[]; /* ends with a NULL name */
const struct syscall_row *syscall_row_of_number(int64_t number); /* NULL: not in the table */
/* The row of a name; "fstat" also gives newfstat. */
const struct syscall_row *syscall_row_of_name(const char *name, size_t len);

/* Calls after which the same names or descriptors mean other files: a trace that contains such a
 * call does not show the files of later requests. */
enum syscall_change {
	CHANGE_NONE,
	CHANGE_MOUNTS, /* mounts or unmounts, or goes to another mount namespace */
	/* The thread no longer shares descriptors or the working directory with its process, or a
	 * new process shares them with its parent. */
	CHANGE_SHARING,
	/* not a system call: posix_spawn() with file actions whose effect is unknown */
	CHANGE_ACTIONS,
};
/* The change by a successful call with these flags and path (NULL: unknown). Mounts on /proc, /sys
 * and /dev do not count. `alone`: the process has no other thread. */
enum syscall_change syscall_change_of(int64_t number, uint64_t flags, const char *path, bool alone);

#define SYSCALL_ARGS 6
#define SYSCALL_MEMORIES 3 /* maximum number of pointer arguments of a call */

/* flag of openat2: an absolute path begins at the directory of the call */
#define SYSCALL_RESOLVE_IN_ROOT 0x10u

#define SYSCALL_POINTERS "pPTNYiHt@#qL*kE" /* the letters of pointer arguments */
#define SYSCALL_ARGUMENT_BYTES 32u	  /* size of struct flock and of struct file_clone_range */
#define SYSCALL_EVENTS_MAX 128		  /* number of results read from one io_getevents() */

/* Memory of the pointer arguments, in the order of their letters. data NULL: unknown. */
struct syscall_memory {
	/* a copy of the memory: a string without its NUL, an array of struct iovec, ... */
	const void *data;
	size_t len;
};
/* States how to read the i-th pointer argument. False: there is no such argument. POINTER_OPTIONAL:
 * bytes, if the argument is a pointer. POINTER_SIZED: the next argument gives the number of bytes.
 * POINTER_RESULT, POINTER_EVENTS: read when the call ends; POINTER_EVENTS: the call returns the
 * number of events. */
enum syscall_pointer {
	POINTER_TEXT = 1,
	POINTER_BYTES,
	POINTER_VECTOR,
	POINTER_OPTIONAL,
	POINTER_SIZED,
	POINTER_RESULT,
	POINTER_EVENTS
};
struct syscall_pointee {
	enum syscall_pointer what;
	unsigned int arg;
	size_t size; /* POINTER_BYTES, POINTER_OPTIONAL, POINTER_RESULT: at most 127 */
};
bool syscall_pointee(const struct syscall_row *row, unsigned int i, struct syscall_pointee *to);
