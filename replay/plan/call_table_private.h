/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a call table. Private to plan/call_*.c and issue/calls*.c. */
#pragma once

#include <pthread.h>

#include "common/u64_map.h"
#include "replay/plan/call_table.h"

struct call_map {
	/* held for writing while the mapping is created, moved or ended, and for reading during
	 * touches */
	pthread_rwlock_t lock;
	char *base;	      /* NULL: not mapped */
	uint64_t n_bytes;
	uint32_t next_ending; /* next mapping of the same process; NONE32: end */
	int fd;		      /* --reads original: descriptor of the file; otherwise -1 */
	bool is_private;
};

struct call_stream {
	pthread_mutex_t lock;
	FILE *file;
	DIR *directory;
	char last; /* last access: 'r', 'w' or 0 */
	char *buffer; /* buffer set by setvbuf; NULL: that of the C library */
	long *cookie;		  /* cookie[n_cookies]: results of telldir in the replay */
	uint64_t *traced_cookie;  /* traced_cookie[n_cookies]: the same in the trace */
	uint32_t n_cookies, cookies_cap;
	struct call_stream *next; /* in call_table.streams */
};

struct call_process {
	uint32_t pid; /* as traced */
	_Atomic uint32_t n_threads; /* threads with requests left */
	/* first mapping of the list by call_map.next_ending; NONE32 none */
	uint32_t first_map;
	/* first slot of the list by next_ending: slots without a close; 0 none */
	uint32_t first_ending;
	pthread_mutex_t lock;	    /* protects owners */
	struct lock_owner *owners;  /* of its locks (calls_lock.c) */
};
