/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel statistics of a measured region, taken just before and after it by the program's own
 * workloads and engines. They are stored in the trace's extra metadata ("facts"). They help to
 * distinguish deviations of the program from disturbances of the machine. */
#pragma once

#include "common/std.h"

struct json_t; /* jansson's; only users of the JSON form include its header */

struct run_facts {
	int64_t wall_ns;	 /* from the first start to the last end in the region */
	int64_t cpu_user_ns, cpu_system_ns; /* of the process, over the region (getrusage) */
	/* of all CPUs (/proc/stat), with a resolution of one clock tick; -1: unknown */
	int64_t steal_ns;
	/* run-queue delay (schedstat), summed over the worker threads; -1: unknown */
	int64_t runqueue_wait_ns;
	uint64_t n_minor_faults, n_major_faults;
	uint64_t n_voluntary_switches, n_involuntary_switches;
	uint64_t bytes_read_device, bytes_written_device; /* /proc/self/io, 0 unknown */
	/* maximum resident size of the process, or of the largest of several processes (ru_maxrss);
	 * 0: unknown, as in facts of earlier versions */
	uint64_t peak_memory_bytes;
};

/* State of the calling process at one instant. For the run-queue delay, worker threads call
 * thread_runqueue_wait_ns() before and after their loop. */
struct run_facts_snapshot {
	int64_t now_ns, user_ns, system_ns, steal_ns;
	uint64_t minor, major, voluntary, involuntary, read_bytes, write_bytes, peak_bytes;
};
void run_facts_take(struct run_facts_snapshot *s);
void run_facts_between(const struct run_facts_snapshot *a, const struct run_facts_snapshot *b,
		       struct run_facts *f);
/* Adds the resources of another process of the same run. Wall time and stolen time are not added,
 * because they belong to the whole run. */
void run_facts_add(struct run_facts *to, const struct run_facts *f);

/* Returns the object for extra_json, key "facts". New reference. */
struct json_t *run_facts_to_json(const struct run_facts *f);
/* Errors: EINVAL: a member is missing or has the wrong type. */
int run_facts_from_json(struct run_facts *f, const struct json_t *o, struct err *e);
