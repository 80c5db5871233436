/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timers that a thread arms ahead.
 *
 * To sleep until an instant, a thread arms a timer. If it is then the next timer of the CPU, the
 * kernel writes its time to a register of the CPU. In a virtual machine, this write needs the
 * hypervisor and costs several us of CPU time (12 us measured). If another timer comes before it,
 * no write is needed (0.3 us), and the interrupt of the earlier timer later sets the register. So a
 * thread that knows its next two instants arms the second one while it waits for the first.
 *
 * The timers send a signal, which the thread blocks except while it waits. So a signal that comes
 * before the wait is not lost. */
#pragma once

#include <signal.h>
#include <time.h>

#include "common/std.h"

#define N_ALARMS 2

struct alarms { /* of one thread */
	bool open;
	timer_t timer[N_ALARMS];
	int64_t at_ns[N_ALARMS]; /* CLOCK_MONOTONIC */
	size_t current;		 /* the alarm of the last alarms_set */
	/* signal mask for waits: that of the thread, but the signal is not blocked */
	sigset_t waiting;
	sigset_t was; /* the thread's mask before */
};

/* Opens the alarms of the calling thread, which blocks the signal from now on. Returns 0 or an
 * errno; the alarms then stay closed. Ownership: alarms_close. */
int alarms_open(struct alarms *a);
/* Call it in the same thread. Does nothing if the alarms are closed. */
void alarms_close(struct alarms *a);
/* Makes sure that an alarm ends a wait at `at_ns`, give or take `about_ns`: uses an alarm that is
 * armed already, or arms one. Returns its time. A wait may also end earlier, by another alarm. */
int64_t alarms_set(struct alarms *a, int64_t at_ns, int64_t about_ns);
/* Arms an alarm for a later wait. Keeps the alarm of the last alarms_set. */
void alarms_ahead(struct alarms *a, int64_t at_ns, int64_t about_ns);
