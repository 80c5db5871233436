/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the preload library for parallel applications: what a thread does is kept in its slot
 * (causes.h), and a request of the throttled node is held back. Only that library
 * (libvalidate-causality.so) is made of this; the ordinary one is the same sources without
 * CAPTURE_CAUSES, where all of it is nothing.
 *
 * Each hook of the file interface enters before its first stamp and leaves after its record, by
 * itself: a cleanup of the compiler's. */
#ifndef CAPTURE_PRELOAD_CAUSE_H
#define CAPTURE_PRELOAD_CAUSE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/preload/causes.h"

#define CAUSE_HIDDEN __attribute__((visibility("hidden")))

enum subject_kind { SUBJECT_NONE, SUBJECT_FD, SUBJECT_PATH, SUBJECT_STREAM, SUBJECT_DIRECTORY };

struct subject {
	enum subject_kind kind;
	int fd; /* of paths: the directory */
	const char *path;
};

enum cause_what { CAUSE_NOTHING, CAUSE_A_REQUEST, CAUSE_A_CALL };
struct cause_call {
	enum cause_what what;
	int state_before; /* enum cause_state */
};

CAUSE_HIDDEN struct cause_call cause_enter(const struct subject *s, bool waits);
CAUSE_HIDDEN void cause_leave(struct cause_call *c); /* errno stays as it is */
CAUSE_HIDDEN struct cause_call cause_wait_begin(enum cause_state how);

/* Whether requests on it are the application's. (cause_subject.c) */
CAUSE_HIDDEN bool cause_counts(const struct cause_page *page, const struct subject *s);
CAUSE_HIDDEN bool cause_is_launcher(void);
/* what is opened under this number may be the same file by another name */
CAUSE_HIDDEN void cause_closed(int fd);

CAUSE_HIDDEN void cause_closed_range(unsigned int first, unsigned int last);
/* by a call that returned this: what is open may lie elsewhere now */
CAUSE_HIDDEN void cause_renamed(int got);

/* What hooks of other files tell. Harmless where nobody is watched. */
CAUSE_HIDDEN void cause_fork_prepare(void); /* before a child is made, by the parent */
CAUSE_HIDDEN void cause_forked(void);	     /* in the child, before all else */
CAUSE_HIDDEN void cause_exec(bool failed);
/* notes what was computed until now apart from what follows */
CAUSE_HIDDEN void cause_phase_end(void);
CAUSE_HIDDEN void cause_idle(void);
CAUSE_HIDDEN void cause_asynchronous(void);
CAUSE_HIDDEN uint64_t cause_child_key(void); /* for a thread that is about to be made */
CAUSE_HIDDEN void cause_thread_begin(uint64_t key);
CAUSE_HIDDEN bool cause_is_watched(void);

#define CAUSE_SCOPE struct cause_call cause_call_ __attribute__((cleanup(cause_leave)))
#define CAUSE_WAIT(how) CAUSE_SCOPE = cause_wait_begin(how)
#define CAUSE_FD(descriptor) CAUSE_SCOPE = cause_enter(&(struct subject){SUBJECT_FD, descriptor, NULL}, false)
#define CAUSE_PATH(directory, name) CAUSE_SCOPE = cause_enter(&(struct subject){SUBJECT_PATH, directory, name}, false)

/* The subject of a call by the types of its arguments: a stream or directory, a descriptor, a path,
 * a directory's descriptor and a path. */
#define KIND_OF(a)                                                                                                              \
	_Generic((a), FILE *: SUBJECT_STREAM, DIR *: SUBJECT_DIRECTORY, const char *: SUBJECT_PATH, char *: SUBJECT_PATH, int: SUBJECT_FD, \
		 default: SUBJECT_NONE)
#define STREAM_OR(a, otherwise) (KIND_OF(a) == SUBJECT_STREAM ? (long)(a) : (otherwise))
CAUSE_HIDDEN struct subject cause_subject(long stream, enum subject_kind first_kind, long first,
					  enum subject_kind second_kind, long second);
#define CAUSE_SUBJECT(none, a, b, c, d, e, ...)                                                    \
	cause_subject(STREAM_OR(e, STREAM_OR(d, STREAM_OR(c, STREAM_OR(b, STREAM_OR(a, 0L))))),    \
		      KIND_OF(a), (long)(a), KIND_OF(b), (long)(b))
#define CAUSE_CALL(function, ...)                                                                                                \
	const struct subject cause_subject_ =                                                                                    \
		CAUSE_SUBJECT(0, ##__VA_ARGS__, (char)0, (char)0, (char)0, (char)0, (char)0, (char)0);                           \
	CAUSE_SCOPE = cause_enter(&cause_subject_, cause_lock_take())

/* Calls of this thread come from within the MPI library, and are no requests of the application. */
extern CAUSE_HIDDEN __thread bool cause_of_library __attribute__((tls_model("initial-exec")));

/* The next call may wait for another program's lock. */
extern CAUSE_HIDDEN __thread bool cause_lock_next __attribute__((tls_model("initial-exec")));
#define CAUSE_LOCK(waits) (cause_lock_next = (waits))
static inline bool cause_lock_take(void)
{
	bool was = cause_lock_next;
	cause_lock_next = false;
	return was;
}

#endif
