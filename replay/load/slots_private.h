/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk that finds slots, in parts. Private to replay/slots*.c. */
#ifndef REPLAY_SLOTS_PRIVATE_H
#define REPLAY_SLOTS_PRIVATE_H

#include <jansson.h>

#include "replay/load/slots.h"
#include "common/u64_map.h"

#define GENERATIONS_MAX 64 /* of processes that are asked after */

struct traced_map { /* a mapping where the traced program had it */
	uint64_t from, to;
	uint64_t at; /* first byte within the map */
	uint32_t map;
};

struct scan {
	uint32_t origin; /* slot */
	uint32_t more;	 /* of the request */
};

struct map_list {
	struct traced_map *item;
	uint32_t n, cap;
};

struct last_touch { /* of a thread, since its last call */
	uint32_t map;
	uint64_t page;
	bool any, written;
};

struct slot_walk { /* of a slot, while the trace is walked */
	int64_t open_ns, closed_ns; /* when it was there in the trace; INT64_MAX: to the end */
	uint64_t at;		    /* of origins: the position, where at_known */
	/* likewise, the stream's, as its calls add up, where stream_known */
	int64_t stream_at;
	/* its buffer, as far as a fgetc told how much it filled; equal: unknown */
	int64_t filled_from, filled_to;
	/* at most so many characters were taken by macros from buffers that were given up */
	int64_t untold;
	bool at_known, closed;
	bool stream_known, stream_used; /* stream_used: by a call that may have filled its buffer */
	uint8_t stream_last; /* the operation before on the stream */
};

struct finder {
	struct slots *s;
	struct slot_walk *walk; /* walk[s->n] */
	uint32_t walk_cap;
	struct load *l;
	const struct trace *t;
	json_t *extra, *table;	/* table borrowed from extra; NULL without one */
	const json_t *processes; /* borrowed from extra; NULL: who started whom is not told */
	struct u64_map row_of_pid; /* rows of it */
	struct u64_map row_of_fd, row_of_pid_fd; /* rows of the table without and with a pid */
	struct u64_map slot_of_row; /* slots that rows of the table have become */
	struct u64_map process_of; /* pid -> process */
	/* process_at[l->n_threads]: the same by thread, NONE32 not asked yet */
	uint32_t *process_at;
	struct u64_map bound;	/* (process, fd) -> slot */
	/* (file, thread) -> slot, for requests that tell their file and no descriptor */
	struct u64_map nameless;
	bool several;		/* there are several processes: */
	struct u64_map latest;	/* (file, fd) -> slot that was bound last, in whatever of them */
	struct u64_map file_of_name; /* hash -> file */
	uint32_t *file_of_object;    /* file_of_object[n_objects] */
	uint32_t n_objects;
	struct map_list *maps; /* maps[n_processes] */
	struct last_touch *touch; /* touch[l->n_threads] */
	struct flight flight; /* opens, copies and closes under way */
	const char *root; /* of the trace, "" for / or where it is not known */
	bool absolute;	  /* some paths are: the others are relative to where their process works */
	bool renamed;	  /* some name has changed its meaning */
	uint32_t n_open;
	struct scan *scan; /* scan[n_scans]: fscanf whose bytes are not known yet */
	uint32_t n_scans, scans_cap;
};

/* slots_name.c */
uint32_t name_find(struct finder *f, const char *path);
/* The path that a request's object names, or NONE32. */
uint32_t name_of_request(struct finder *f, const struct load_request *r);
/* The path in a heap item; joined like an object's. */
uint32_t name_of_text(struct finder *f, const struct load_request *r, const char *path);
void directory_change(struct finder *f, const struct load_request *r, uint32_t file);
/* what the trace's own table of files tells of those that are used */
void names_list(struct finder *f);
void names_require(struct finder *f); /* what the requests show of what was there, slots.initial */
void links_mark(struct finder *f); /* which names may be links, and which lead to others */

/* slots_bind.c */
int descriptor_table_read(struct finder *f, struct err *e);
uint32_t slot_of_request(struct finder *f, const struct load_request *r);
uint32_t slot_of_number(struct finder *f, const struct load_request *r, int32_t fd, uint32_t file);
/* `at_known`: it stands at its beginning. */
uint32_t slot_add(struct finder *f, struct slot what, bool at_known);
uint32_t process_of(struct finder *f, const struct load_request *r);
/* The number means this slot from now on. */
void slot_bind(struct finder *f, uint32_t process, int32_t fd, uint32_t slot, int64_t now_ns);
void slot_close(struct finder *f, uint32_t slot, int64_t now_ns);
/* A further descriptor of the slot's open file. */
uint32_t slot_copy(struct finder *f, uint32_t of, uint32_t process);

/* slots_process.c */
int process_table_read(struct finder *f, struct err *e);
/* what the trace says of a new one */
void process_told(const struct finder *f, struct slot_process *p);
void processes_settle(struct finder *f); /* after the walk */
uint32_t process_parent(const struct finder *f, uint32_t pid); /* its number, 0: not told */
/* Another descriptor of what the slot has open, of the process from its begin on. */
uint32_t slot_inherit(struct finder *f, uint32_t from, uint32_t process);
/* What a process has open without having opened it was its parent's, open under the same number
 * when the process began. */
uint32_t slot_inherited(struct finder *f, uint32_t process, int32_t fd, uint32_t file);

/* slots_stream.c */
/* Where a stream stands: fscanf does not tell what it took, a later ftell does. */
void stream_follow(struct finder *f, struct load_request *r);

/* slots_map.c */
void map_follow(struct finder *f, struct load_request *r);
void touch_follow(struct finder *f, struct load_request *r);
void maps_release(struct finder *f);

#endif
