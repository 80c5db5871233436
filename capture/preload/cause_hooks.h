/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The preload library for parallel applications (libvalidate-causality.so). It keeps the state of
 * each thread in a slot (causes.h) and holds requests of the throttled node. The ordinary library
 * is built from the same sources without CAPTURE_CAUSES; there, these functions are empty.
 *
 * Each hook of the file interface calls the enter function before its first time stamp.
 * __attribute__((cleanup)) calls the leave function after its record. */
#pragma once

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/preload/causes.h"

#define CAUSE_HIDDEN __attribute__((visibility("hidden")))

enum subject_kind { SUBJECT_NONE, SUBJECT_FD, SUBJECT_PATH, SUBJECT_STREAM, SUBJECT_DIRECTORY };

struct subject {
	enum subject_kind kind;
	int fd; /* for a path: descriptor of its directory */
	const char *path;
};

enum cause_what { CAUSE_NOTHING, CAUSE_A_REQUEST, CAUSE_A_CALL, CAUSE_A_LOOK };
struct cause_call {
	enum cause_what what;
	int state_before; /* enum cause_state */
	uint64_t n_idle;  /* of the slot, at the beginning of the call */
};

/* A call on a subject begins: a request, which may be held here, or another call. `waits`: the
 * request may wait for another program. Does not change errno. */
CAUSE_HIDDEN struct cause_call cause_enter(const struct subject *s, bool waits);
CAUSE_HIDDEN void cause_leave(struct cause_call *c); /* does not change errno */
/* A call that waits, polls or sleeps begins: its state is `how`. cause_leave() ends it. */
CAUSE_HIDDEN struct cause_call cause_wait_begin(enum cause_state how);

/* Returns whether requests on the subject count as the application's. (cause_subject.c) */
CAUSE_HIDDEN bool cause_counts(const struct cause_page *page, const struct subject *s);
CAUSE_HIDDEN bool cause_is_launcher(void);
/* Forgets the file of a closed descriptor, whose number may be reused for another file. */
CAUSE_HIDDEN void cause_closed(int fd);

CAUSE_HIDDEN void cause_closed_range(unsigned int first, unsigned int last);
/* Call it with the result of a rename, because open files may have moved. */
CAUSE_HIDDEN void cause_renamed(int got);

/* Events of other hooks. They do nothing if the application is not watched. */
CAUSE_HIDDEN void cause_fork_prepare(void); /* call it in the parent, before a fork */
CAUSE_HIDDEN void cause_forked(void);	     /* call it in the child, before anything else */
CAUSE_HIDDEN void cause_exec(bool failed);
/* Call it before a call that can wake another thread (a message). If the thread makes no
 * requests, the message is recorded, and delayed as a request would be. */
CAUSE_HIDDEN void cause_message(void);
CAUSE_HIDDEN void cause_message_to(int fd); /* for pipes, sockets, eventfds */
/* records the computing time so far as a separate phase */
CAUSE_HIDDEN void cause_phase_end(void);
CAUSE_HIDDEN void cause_idle(void);
/* The function that dlsym() returns instead of `found`: the hook with this name if the hook calls
 * `found`, otherwise `found`. (hook_mpi.c) */
CAUSE_HIDDEN void *cause_looked_up(const char *name, void *found);
CAUSE_HIDDEN void cause_asynchronous(void);
/* The current call was recorded as this operation (enum trace_op), with errno or 0. */
CAUSE_HIDDEN void cause_recorded(uint16_t op, int error);
CAUSE_HIDDEN uint64_t cause_child_key(void); /* key for a thread that is about to be created */
CAUSE_HIDDEN void cause_thread_begin(uint64_t key);
CAUSE_HIDDEN bool cause_is_watched(void);
typedef int cause_create(pthread_t *restrict t, const pthread_attr_t *restrict a,
			 void *(*function)(void *), void *restrict argument);
/* pthread_create by the function `real`; the new thread gets a key of its creator. */
CAUSE_HIDDEN int cause_thread_create(cause_create *real, pthread_t *restrict t,
				     const pthread_attr_t *restrict a, void *(*function)(void *),
				     void *restrict argument);

#define CAUSE_SCOPE struct cause_call cause_call_ __attribute__((cleanup(cause_leave)))
#define CAUSE_WAIT(how) CAUSE_SCOPE = cause_wait_begin(how)
#define CAUSE_FD(descriptor)									   \
	CAUSE_SCOPE = cause_enter(&(struct subject){SUBJECT_FD, descriptor, NULL}, false)
#define CAUSE_PATH(directory, name)								   \
	CAUSE_SCOPE = cause_enter(&(struct subject){SUBJECT_PATH, directory, name}, false)

/* The kind of a call's subject, from its argument types: stream or directory, descriptor, path, or
 * directory descriptor and path. */
#define KIND_OF(a)										   \
	_Generic((a), FILE *: SUBJECT_STREAM, DIR *: SUBJECT_DIRECTORY,				   \
	     const char *: SUBJECT_PATH, char *: SUBJECT_PATH, int: SUBJECT_FD,			   \
		 default: SUBJECT_NONE)
#define STREAM_OR(a, otherwise) (KIND_OF(a) == SUBJECT_STREAM ? (long)(a) : (otherwise))
CAUSE_HIDDEN struct subject cause_subject(long stream, enum subject_kind first_kind, long first,
					  enum subject_kind second_kind, long second);
#define CAUSE_SUBJECT(none, a, b, c, d, e, ...)							   \
	cause_subject(STREAM_OR(e, STREAM_OR(d, STREAM_OR(c, STREAM_OR(b, STREAM_OR(a, 0L))))),	   \
		      KIND_OF(a), (long)(a), KIND_OF(b), (long)(b))
#define CAUSE_CALL(function, ...)								   \
	const struct subject cause_subject_ =							   \
		CAUSE_SUBJECT(0, ##__VA_ARGS__, (char)0, (char)0, (char)0, (char)0, (char)0,	   \
		     (char)0);									   \
	CAUSE_SCOPE = cause_enter(&cause_subject_, cause_lock_take())

/* set while the MPI library makes the calls of this thread: they are not requests of the
 * application */
extern CAUSE_HIDDEN __thread bool cause_of_library __attribute__((tls_model("initial-exec")));

/* the next call may wait for a lock of another program */
extern CAUSE_HIDDEN __thread bool cause_lock_next __attribute__((tls_model("initial-exec")));
#define CAUSE_LOCK(waits) (cause_lock_next = (waits))
static inline bool cause_lock_take(void)
{
	bool was = cause_lock_next;
	cause_lock_next = false;
	return was;
}
