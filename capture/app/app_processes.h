/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who started which process, and who waited for its end: the trace's "processes" (doc/formats/trace.md). Private to capture/. */
#ifndef CAPTURE_APP_PROCESSES_H
#define CAPTURE_APP_PROCESSES_H

#include <jansson.h>
#include <stdint.h>

#define PROCESSES_MAX 100000 /* listed; who comes later is not */

struct app_processes {
	json_t *of_pid; /* an object: number in text to row */
};

void processes_init(struct app_processes *p);
void processes_release(struct app_processes *p);
/* A process is seen for the first time; what is said later of the same number is not listed. `parent` 0: not known. */
void processes_see(struct app_processes *p, uint32_t pid, uint32_t parent, int64_t begin_ns);
/* Thread `tid` knows that it has ended. */
void processes_waited(struct app_processes *p, uint32_t pid, uint32_t tid, int64_t end_ns);
/* New reference: the rows as an array; NULL where there are less than two. */
json_t *processes_list(const struct app_processes *p);

#endif
