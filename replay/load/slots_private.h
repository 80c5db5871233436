/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk that finds slots. Private to replay/load/slots*.c. */
#pragma once

#include <jansson.h>

#include "replay/load/slots.h"
#include "common/u64_map.h"

#define GENERATIONS_MAX 64 /* ancestors of a process that are examined */

struct mapped_range { /* a mapping at its traced address */
	uint64_t from, to;
	uint64_t at; /* first byte within the map */
	uint32_t map;
};

struct scan { /* an fscanf whose number of consumed bytes is still unknown */
	uint32_t origin; /* slot */
	uint32_t more;	 /* load_request.more */
};

struct mapped_ranges {
	struct mapped_range *item;
	uint32_t n, cap;
};

struct last_touch { /* of a thread, since its last call */
	uint32_t map;
	uint64_t page;
	bool any, written;
};

struct slot_walk { /* state of a slot during the walk through the trace */
	int64_t open_ns, closed_ns; /* traced times; closed_ns INT64_MAX: open until the end */
	uint32_t before;	    /* slot of the same path that was bound before, 0 none */
	uint64_t at;		    /* origins: the file position, if at_known */
	int64_t stream_at;	    /* position of the stream, if stream_known */
	/* range of the file in the stream's buffer, as far as an fgetc shows it; empty: unknown */
	int64_t filled_from, filled_to;
	/* upper limit of the number of characters that macros took from buffers that were
	 * discarded */
	int64_t from_macros;
	bool at_known, closed;
	bool appends;		    /* origins: O_APPEND is set */
	bool stream_known, stream_used; /* stream_used: some call may have filled the buffer */
	uint8_t stream_last; /* the previous operation on the stream */
};

struct kin { /* a process or thread in the metadata */
	uint32_t number, parent, waited_by;
	int64_t begin_ns, waited_ns;
	bool waited; /* waited_by and waited_ns are known */
};

struct finder {
	struct slots *s;
	struct slot_walk *walk; /* walk[s->n] */
	uint32_t walk_cap;
	struct load *l;
	const struct trace *t;
	json_t *extra;		 /* the trace's extra metadata */
	json_t *table;		 /* "descriptors" of the metadata, borrowed; NULL: none */
	struct kin *processes;	 /* "processes" of the metadata; NULL: none */
	struct kin *threads;	 /* threads[n_threads]: "threads" of the metadata; NULL: none */
	uint32_t n_threads;
	uint32_t n_roots;	 /* processes without a known parent */
	struct u64_map row_of_pid; /* rows of `processes` */
	struct u64_map row_of_fd, row_of_pid_fd; /* rows of `table` without and with a pid */
	struct u64_map slot_of_row; /* slots that were made from rows of `table` */
	struct u64_map process_of; /* pid -> process */
	/* process_at[l->n_threads]: process of each thread; NONE32: not looked up yet */
	uint32_t *process_at;
	struct u64_map bound;	/* (process, fd) -> slot */
	/* (file, thread) -> slot, for requests that have a file and no descriptor number */
	struct u64_map nameless;
	bool several;		/* there are several processes */
	/* if several: (file, fd) -> slot that was bound last in any process */
	struct u64_map latest;
	struct u64_map bound_last; /* if several: file -> slot that was bound last */
	struct u64_map file_of_name; /* hash -> file */
	uint32_t *file_of_object;    /* file_of_object[n_objects] */
	uint32_t n_objects;
	struct mapped_ranges *maps; /* maps[n_processes] */
	struct last_touch *touch; /* touch[l->n_threads] */
	struct flight flight; /* opens, copies and closes under way */
	const char *root; /* root directory of the trace */
	/* some paths are absolute, so other paths are relative to a working directory */
	bool absolute;
	bool renamed;	  /* some request gave an existing name to another file */
	uint32_t n_open;
	struct scan *scan; /* scan[n_scans] */
	uint32_t n_scans, scans_cap;
};

/* slots_name.c */
enum name_kind {
	NAME_PATH,           /* "d/" and "d" are the same path */
	NAME_PATH_AND_SLASH, /* "d/" is another path */
	NAME_OBJECT,         /* of a pipe, socket or terminal */
};
/* Returns the path or object with this name, which is added if it is new. */
uint32_t name_find(struct finder *f, const char *text, enum name_kind kind);
/* Returns the path that a request's object names, or NONE32. */
uint32_t name_of_request(struct finder *f, const struct load_request *r);
/* Returns the path in a heap item, which is joined to the working directory as an object's path
 * is. */
uint32_t name_of_text(struct finder *f, const struct load_request *r, const char *path);
/* Follows a change of the working directory to the path `file`. No effect if the request failed or
 * the path is NONE32. */
void directory_change(struct finder *f, const struct load_request *r, uint32_t file);
/* Sets `to_system` from the table of files that the trace contains. Call it before the walk. */
void names_of_system(struct finder *f);
/* Sets `listed` from the same table, `maybe_link` and `leads` from the requests, and `required`
 * from slots.initial. Call it after the walk. */
void names_mark(struct finder *f);

/* slots_bind.c */
/* Returns the slot of a request with a file but without a descriptor number: each thread has a
 * separate slot for each file. */
uint32_t slot_of_nameless(struct finder *f, const struct load_request *r, uint32_t file);
/* Returns the slot of a descriptor number. Adds a slot if the trace lacks the open. 0: the
 * descriptor was not open, or is no file. `file`: path of the request, NONE32: unknown. */
uint32_t slot_of_number(struct finder *f, const struct load_request *r, int32_t fd, uint32_t file);
/* Adds a slot. `at_known`: the file position is known to be 0. */
uint32_t slot_add(struct finder *f, struct slot what, bool at_known);
/* Returns the process of a request, which is added if it is new. */
uint32_t process_of(struct finder *f, const struct load_request *r);
/* Binds the descriptor number to the slot. */
void slot_bind(struct finder *f, uint32_t process, int32_t fd, uint32_t slot, int64_t now_ns);
/* Notes that the slot is closed at that time. No effect if it is 0 or closed already. */
void slot_close(struct finder *f, uint32_t slot, int64_t now_ns);
/* Adds a further descriptor of the slot's open file. */
uint32_t slot_copy(struct finder *f, uint32_t of, uint32_t process);
void processes_settle(struct finder *f); /* after the walk */

/* slots_stream.c */
/* Follows the position of a stream. A later ftell shows how many bytes an fscanf consumed. */
void stream_follow(struct finder *f, struct load_request *r);

/* slots_map.c */
/* Finds the mapping of an mmap, mremap, munmap and similar calls, and updates the mappings of the
 * process. touch_follow() finds the mapping of a page fault. Requests whose mapping is unknown are
 * skipped. */
void map_follow(struct finder *f, struct load_request *r);
void touch_follow(struct finder *f, struct load_request *r);
