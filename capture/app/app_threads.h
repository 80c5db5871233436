/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which thread created each thread, and which thread waited for its end: the trace's "threads"
 * (doc/formats/trace.md). Private to capture/. */
#pragma once

#include "capture/app/app_private.h"
#include "capture/processes.h"
#include "common/u64_map.h"

struct app_thread { /* the present thread with a pthread_t; 0: unknown */
	uint32_t tid, creator, joiner;
	int64_t created_ns, joined_ns;
};

struct app_threads {
	struct processes rows;
	struct u64_map of_handle; /* program image and pthread_t to index of `item` */
	struct app_thread *item; /* item[n] */
	uint32_t n, cap;
};

void app_threads_init(struct app_threads *t);
void app_threads_release(struct app_threads *t);
/* Takes a record LOG_THREAD, LOG_THREAD_CREATE or LOG_THREAD_JOIN with its times; ignores other
 * records. Records come in the order of their begins. */
void app_threads_follow(struct app_threads *t, const struct merge_record *r, int64_t begin_ns,
			int64_t end_ns);
