/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What plan/call_*.c and issue/calls*.c share of a table of calls. */
#ifndef REPLAY_CALL_TABLE_PRIVATE_H
#define REPLAY_CALL_TABLE_PRIVATE_H

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>

#include "common/u64_map.h"
#include "replay/plan/call_table.h"

struct call_map {
	/* for writing while it is made, moved or ended; touches of several threads go on at once */
	pthread_rwlock_t lock;
	char *base;	      /* NULL: not mapped */
	uint64_t n_bytes;
	uint32_t next_ending; /* of its process, NONE32 ends */
	int fd;		      /* of the file, with --reads original; else -1 */
	bool is_private;
};

struct call_stream {
	pthread_mutex_t lock;
	FILE *file;
	DIR *directory;
	char last; /* 'r' or 'w': what was done to the file last; 0 neither */
	char *buffer; /* of setvbuf; NULL: the C library's own */
	long *cookie;		  /* cookie[n_cookies]: what telldir gave here */
	uint64_t *traced_cookie;  /* and there */
	uint32_t n_cookies, cookies_cap;
	struct call_stream *next; /* of all */
};

struct call_process {
	uint32_t pid; /* as traced */
	_Atomic uint32_t n_threads; /* that have requests left */
	uint32_t first_map;	    /* of its mappings, through call_map.next_ending; NONE32 none */
	/* of its slots that no request closes, through calls.next_ending */
	uint32_t first_ending;
	pthread_mutex_t lock;	    /* of: */
	struct lock_owner *owners;  /* of its locks (calls_lock.c) */
};

/* calls_path.c: while laying */
struct places {
	uint32_t *path_of; /* path_of[n_files]: name (slots.file) to path, 0 none yet */
	struct u64_map of_hash;
	struct u64_map shared; /* hash to call, of those that others may share */
};
void call_paths_begin(struct call_table *c, const struct slots *s);
/* The place of a name's path in c->path, 0 for NONE32. `on_name`: of a call that makes, changes or
 * ends the name. */
uint32_t call_path_lay(struct call_table *c, const struct slots *s, uint32_t name, bool on_name);
/* Likewise, of "." in the directory of that name. */
uint32_t call_path_lay_inside(struct call_table *c, const struct slots *s, uint32_t name);
void call_paths_end(struct call_table *c);

#endif
