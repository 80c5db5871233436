/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pausing a process between its requests, from another process.
 *
 * The controller makes a page of shared memory and starts the process with its descriptor (the
 * environment variable PAUSE_VARIABLE). The page holds a control word that each thread of the
 * process reads before each request. This costs one load of a cache line that is written only when
 * the process is paused or continued. A thread that finds the word set stores its state in its own
 * cache line, wakes the controller and sleeps until the word changes. A thread that waits for the
 * progress of another thread marks itself as waiting. It counts as quiet, because it reads the word
 * again before its next request.
 *
 * Every thread parks once before its first request, and the process waits once more after its last
 * request (pause_finish). So the process does not load or write its trace while another process
 * runs its slice.
 *
 * Without a controller, the process uses a word of its own, which stays 0.
 *
 * A program of another project does not read the word. The process that starts it (the keeper)
 * writes its own PID to the page, and the controller stops the descendants of the keeper by
 * signals. The keeper itself is never stopped; its limits count active time (pause_active_ns). */
#pragma once

#include <stdatomic.h>
#include <sys/mman.h>

#include "common/std.h"

#define PAUSE_VARIABLE "VALIDATE_PAUSE_FD"
#define PAUSE_THREADS_MAX 4096

enum pause_word { /* bits of the control word; 0: continue */
	PAUSE_HOLD = 1,
	/* set by the process itself: the run must end, whatever other bits are set */
	PAUSE_END = 2,
};

enum pause_state { PAUSE_ABSENT, PAUSE_RUNNING, PAUSE_PARKED, PAUSE_WAITING, PAUSE_LEFT };

struct pause_thread {
	_Alignas(64) _Atomic uint32_t state; /* enum pause_state; only its thread writes it */
};

struct pause_page {
	_Alignas(128) _Atomic uint32_t word;	 /* a futex on which threads sleep */
	/* a futex; incremented when a thread parks, leaves, or starts to wait while the word is
	 * set */
	_Alignas(128) _Atomic uint32_t n_events;
	_Atomic uint32_t n_threads; /* 0: the process has not announced its threads yet */
	/* a futex; 1: the process may continue after its last request */
	_Atomic uint32_t finish;
	pid_t controller;			 /* set before the process gets the page */
	/* PID of the process whose descendants are stopped by signals; 0: none */
	_Atomic int32_t keeper;
	_Atomic int64_t paused_ns;		 /* total duration of the pauses that have ended */
	_Atomic int64_t paused_since_ns; /* start of the current pause, CLOCK_MONOTONIC; 0: none */
	struct pause_thread thread[PAUSE_THREADS_MAX];
};

struct pause { /* of the process that is paused */
	struct pause_page *page; /* NULL: no controller pauses this process */
	_Atomic uint32_t own;	 /* the word that is used without a controller */
	_Atomic uint32_t *word;	 /* the word in use: of the page, or `own` */
};

/* --- the process that is paused ------------------------------------------ */

/* Initialises a pause without a controller. */
static inline void pause_init(struct pause *p)
{
	p->page = NULL;
	atomic_init(&p->own, 0);
	p->word = &p->own;
}

/* As pause_join, with the value of the variable. */
int pause_page_join(struct pause *p, const char *text, struct err *e);
/* Joins the page, if there is a page, and removes the variable from the environment, so that
 * children are not paused. From then on, the process dies with its parent. It dies at once if the
 * controller is gone, because nothing would wake its threads. Errors: EINVAL: the descriptor is not
 * that of a page; ENOMEM. */
static inline int pause_join(struct pause *p, struct err *e)
{
	const char *text = getenv(PAUSE_VARIABLE);
	pause_init(p);
	return text ? pause_page_join(p, text, e) : 0;
}

static inline void pause_release(struct pause *p)
{
	if (p->page)
		munmap(p->page, sizeof *p->page);
	pause_init(p);
}

/* Announces threads 0..n-1. Call it before the following functions. Errors: E2BIG: n above
 * PAUSE_THREADS_MAX. */
static inline int pause_threads(struct pause *p, uint32_t n, struct err *e)
{
	if (p->page && n > PAUSE_THREADS_MAX)
		return err_set(e, E2BIG,
			       "%u threads are too many: a campaign can pause at most %d threads "
			       "of a process", n, PAUSE_THREADS_MAX);
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
/* Call it when the word is set: parks until the word is clear. True: the run must end
 * (PAUSE_END). */
bool pause_here(struct pause *p, uint32_t i);
/* Thread i is ready for its first request. Parks, if there is a page. */
static inline void pause_enter(struct pause *p, uint32_t i)
{
	if (!p->page)
		return;
	atomic_store(&p->page->thread[i].state, PAUSE_RUNNING);
	if (pause_wanted(p->word))
		pause_here(p, i);
}

/* Call these before and after a wait for another thread. Then read the word before the next
 * request. */
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

/* Ends the run: parked threads continue and see PAUSE_END. */
void pause_end(struct pause *p);
/* Call it after the last request of the process. Sleeps until the controller releases the process,
 * after the other processes have made their last request. */
void pause_finish_wait(struct pause_page *page);
static inline void pause_finish(struct pause *p)
{
	if (p->page)
		pause_finish_wait(p->page);
}

/* The calling process becomes the keeper of a program, which starts now and is paused by signals.
 * Call pause_leave(p, 0) when all processes of the program have ended. */
void pause_keep(struct pause *p);
/* CLOCK_MONOTONIC minus the pauses of the kept program, ns. `p` NULL: pauses are included. */
int64_t pause_active_ns(const struct pause *p);

/* --- the controller ------------------------------------------------------ */

/* Makes a page whose word is set, and its descriptor (close-on-exec). Errors: of memory. Ownership:
 * pause_page_free releases both. */
int pause_page_make(struct pause_page **page, int *fd, struct err *e);
void pause_page_free(struct pause_page *page, int fd);

/* State of the threads: some are not ready for the first request; at least one makes a request; all
 * are parked or waiting; all have left. */
enum pause_look { PAUSE_NOT_READY, PAUSE_BUSY, PAUSE_QUIET, PAUSE_DONE };
enum pause_look pause_look(const struct pause_page *page);

/* Pauses the process, or lets it continue: sets or clears PAUSE_HOLD in the control word. */
void pause_hold(struct pause_page *page);
void pause_go(struct pause_page *page);
/* The kept program is paused or continued: stops or starts its clock (pause_active_ns). */
void pause_clock_stop(struct pause_page *page);
void pause_clock_go(struct pause_page *page);
/* Lets the process leave pause_finish(). */
void pause_let_finish(struct pause_page *page);
/* Sleeps until n_events differs from `seen`, but at most `ns`. */
void pause_events_wait(struct pause_page *page, uint32_t seen, int64_t ns);
