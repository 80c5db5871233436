/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What crew.c and crew_process.c share: the threads of the calling process. Private to replay/issue. */
#ifndef REPLAY_CREW_PRIVATE_H
#define REPLAY_CREW_PRIVATE_H

#include "replay/issue/crew.h"

/* How often the end is looked for: soon where a run is short, rarely where it is not. */
#define CREW_LOOK_FIRST_NS 200000000
#define CREW_LOOK_NEXT_NS 500000000

/* Starts runners [from, to) and waits until each is ready. Errors: of starting and pinning. Even then: crew_open, crew_join. */
int crew_start(struct crew *c, struct err *e);
/* They begin at the plan's start, or, cancelled, end. */
void crew_open(struct crew *c, bool cancelled);
void crew_join(struct crew *c);
/* Counts of the plan, over runners [from, to); facts.runqueue_wait_ns too. */
void crew_gather(struct crew *c);
/* From now to a start that all of this process's threads, and those of as many others, can meet. */
int64_t crew_lead_ns(const struct crew *c, uint32_t n_processes);

/* crew_process.c: crew_run where each traced process is one. */
int crew_run_processes(struct crew *c, struct err *e);

#endif
