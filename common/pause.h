/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pausing a process between its requests, from another process.
 *
 * The controller makes a page of shared memory and starts the process with its descriptor (the
 * environment variable PAUSE_VARIABLE). The page holds a control word that each thread of the
 * process reads before each request: one load of a line that is written only when the process is
 * paused or continued. A thread that finds the word set stores its state in a line of its own,
 * wakes the controller and sleeps until the word changes. A thread that waits for another thread's
 * progress marks itself as waiting: it starts no request without reading the word again, so it
 * counts as quiet.
 *
 * Every thread parks once before its first request, and the process waits once more after its last
 * one (pause_finish), so that loading and writing its trace do not disturb the process whose turn
 * it is.
 *
 * Without a controller the word is one of the process's own that stays 0.
 *
 * Another project's program does not read the word. Its keeper, the process that starts it, writes
 * its own number on the page, and the controller stops the keeper's descendants by signals. The
 * keeper itself is never stopped; its limits count active time (pause_active_ns). */
#pragma once

#include <stdatomic.h>
#include <sys/mman.h>

#include "common/std.h"

#define PAUSE_VARIABLE "VALIDATE_PAUSE_FD"
#define PAUSE_THREADS_MAX 4096

enum pause_word { /* bits of the control word; 0: go on */
	PAUSE_HOLD = 1,
	PAUSE_END = 2, /* set by the process itself: the run must end, whatever else is set */
};

enum pause_state { PAUSE_ABSENT, PAUSE_RUNNING, PAUSE_PARKED, PAUSE_WAITING, PAUSE_LEFT };

struct pause_thread {
	_Alignas(64) _Atomic uint32_t state; /* enum pause_state; written by its thread alone */
};

struct pause_page {
	_Alignas(128) _Atomic uint32_t word;	 /* a futex: threads sleep here */
	/* a futex: grows when a thread parks, leaves, or begins to wait on hold */
	_Alignas(128) _Atomic uint32_t n_events;
	_Atomic uint32_t n_threads;		 /* 0: the process is not ready yet */
	/* a futex; 1: the process may go on after its last request */
	_Atomic uint32_t finish;
	pid_t controller;			 /* set before the page is handed over */
	/* process whose descendants are stopped by signals; 0 none */
	_Atomic int32_t keeper;
	_Atomic int64_t paused_ns;		 /* of them, in pauses that are over */
	_Atomic int64_t paused_since_ns;	 /* CLOCK_MONOTONIC; 0: they are not paused */
	struct pause_thread thread[PAUSE_THREADS_MAX];
};

struct pause { /* of the process that is paused */
	struct pause_page *page; /* NULL: no controller pauses this process */
	_Atomic uint32_t own;	 /* the word then */
	_Atomic uint32_t *word;	 /* one of the two */
};

/* --- the process that is paused ------------------------------------------ */

/* Finds the page, if there is one, and takes the variable out of the environment: children are not
 * paused. The process then dies with its parent, and at once if the controller is gone: nothing
 * would wake its threads. Errors: EINVAL for a descriptor that is none of a page; ENOMEM. */
int pause_join(struct pause *p, struct err *e);
/* A pause that never happens. */
static inline void pause_init(struct pause *p)
{
	p->page = NULL;
	atomic_init(&p->own, 0);
	p->word = &p->own;
}

static inline void pause_release(struct pause *p)
{
	if (p->page)
		munmap(p->page, sizeof *p->page);
	pause_init(p);
}

/* Announces threads 0..n-1, before they call anything below. Errors: E2BIG above PAUSE_THREADS_MAX.
 */
static inline int pause_threads(struct pause *p, uint32_t n, struct err *e)
{
	if (p->page && n > PAUSE_THREADS_MAX)
		return err_set(e, E2BIG, "%u threads: at most %d can be paused between requests", n,
			       PAUSE_THREADS_MAX);
	if (p->page)
		atomic_store(&p->page->n_threads, n);
	return 0;
}

static inline uint32_t pause_wanted(const _Atomic uint32_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

/* Wakes the controller. */
void pause_event(struct pause_page *page);
/* The word is set: parks until it is not. True: the run must end (PAUSE_END). */
bool pause_here(struct pause *p, uint32_t i);
/* Thread i is ready for its first request: parks, if there is a page. */
static inline void pause_enter(struct pause *p, uint32_t i)
{
	if (!p->page)
		return;
	atomic_store(&p->page->thread[i].state, PAUSE_RUNNING);
	if (pause_wanted(p->word))
		pause_here(p, i);
}

/* Around a wait for another thread; afterwards read the word before the next request. */
void pause_wait_begin(struct pause *p, uint32_t i);
void pause_wait_end(struct pause *p, uint32_t i);
/* Thread i has made its last request. */
static inline void pause_leave(struct pause *p, uint32_t i)
{
	if (!p->page)
		return;
	atomic_store(&p->page->thread[i].state, PAUSE_LEFT);
	pause_event(p->page);
}

/* Ends the run: parked threads go on and see PAUSE_END. */
void pause_end(struct pause *p);
/* After the last request of the process: sleeps until the controller releases it, when the other
 * processes have made their last request. */
void pause_finish_wait(struct pause_page *page);
static inline void pause_finish(struct pause *p)
{
	if (p->page)
		pause_finish_wait(p->page);
}

/* The calling process keeps a program that is paused by signals; the program starts now. Call
 * pause_leave(p, 0) when all its processes have ended. */
void pause_keep(struct pause *p);
/* CLOCK_MONOTONIC without the pauses of the kept program; p NULL: with them. */
int64_t pause_active_ns(const struct pause *p);

/* --- the controller ------------------------------------------------------ */

/* A page on hold, and its descriptor (close-on-exec). Errors: of memory. Ownership: pause_page_free
 * closes both. */
int pause_page_make(struct pause_page **page, int *fd, struct err *e);
void pause_page_free(struct pause_page *page, int fd);

/* Where the threads are: not ready for the first request; at least one between its stamps; all
 * parked or waiting; all gone. */
enum pause_look { PAUSE_NOT_READY, PAUSE_BUSY, PAUSE_QUIET, PAUSE_DONE };
enum pause_look pause_look(const struct pause_page *page);

void pause_hold(struct pause_page *page);
void pause_go(struct pause_page *page);
/* A kept program is paused, or continued: its clock (pause_active_ns) stops and goes on. */
void pause_clock_stop(struct pause_page *page);
void pause_clock_go(struct pause_page *page);
/* Lets the process pass pause_finish. */
void pause_let_finish(struct pause_page *page);
/* Sleeps until n_events differs from `seen`, at most `ns`. */
void pause_events_wait(struct pause_page *page, uint32_t seen, int64_t ns);
