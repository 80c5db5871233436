/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A first pass over the records. Finds the process images, and programs that were started but have
 * no records. Private to capture/. */
#pragma once

#include "capture/app/app_private.h"
#include "capture/app/app_state.h"
#include "capture/app/code_scan.h"
#include "capture/content/content.h"

/* Content that captured programs wrote, for the file beside the trace (content/content.h). The
 * pieces of a request's content precede the request; they have the same thread and the same begin.
 * Private to capture/. */
struct app_content {
	struct content_writer *writer; /* NULL: no content is stored */
	/* pending[n_pending]: requests of which some pieces have arrived */
	struct content_pending *pending;
	size_t n_pending, cap;
};

/* Errors: of the system. */
int app_content_open(struct app_content *c, const char *trace, struct err *e);
/* Takes the piece of content in a record LOG_CONTENT_OF; the content of its file must be stored.
 * Errors: of the system. */
int app_content_take(struct app_content *c, const struct merge_record *r, struct err *e);
/* States that the pieces of this record belong to request `seq` of the trace, which wrote
 * `n_bytes`. Stores the content if it is complete (*kept). Errors: of the system. */
int app_content_settle(struct app_content *c, const struct merge_record *r, uint64_t seq,
		       uint64_t n_bytes, bool *kept, struct err *e);
/* The request wrote nothing: drops its content, which would otherwise match a later request. */
void app_content_forget(struct app_content *c, const struct merge_record *r);
/* Completes the content file under its temporary name. Errors: of the system. */
int app_content_finish(struct app_content *c, struct content_facts *facts, struct err *e);
/* Renames the content file to its final name; with `abort`, removes it. Errors: of the system. */
int app_content_close(struct app_content *c, bool abort, struct err *e);

/* Converts a merged record to a request: times, position in the file, and object. Private to
 * capture/. */
struct request_maker {
	const struct clock *clock;
	int64_t epoch_ns;
	const char *root; /* absolute */
	size_t root_len;  /* 0 for "/" */
	/* the root as given, if it is an absolute path through a link; otherwise NULL */
	const char *link;
	size_t link_len;
	struct trace_writer *writer;
	struct app_state state;
	struct strbuf second;
};

/* `start`: ticks at time 0 of the trace. `root`: absolute, without links; `given`: the root as
 * given; both are borrowed. The caller sets the writer. Ownership: request_maker_release. */
void request_maker_init(struct request_maker *m, const struct clock *clock, uint64_t start,
			const char *root, const char *given);
void request_maker_release(struct request_maker *m);

/* The path relative to the root, or NULL if the path is outside the root. */
const char *request_name(const struct request_maker *m, const char *path);
/* The second path of rename and link, joined like the first. The target of a symbolic link is not
 * joined. Borrowed, *len bytes. */
const char *request_second_path(struct request_maker *m, const struct process_state *p,
				const struct merge_record *r, size_t *len);
/* Returns 1: *to is the request, with the `path` from state_path(). Returns 0: the request is
 * outside the root, or on memory without a file. Errors: of the writer. */
int request_make(struct request_maker *m, const struct process_state *p,
		 const struct merge_record *r, const char *path, struct trace_record *to,
		 struct err *e);

/* Matches asynchronous requests with their results, which another thread may fetch. Private to
 * capture/. */
struct census_request {
	uint64_t end; /* ticks; 0: the result was never fetched */
	int64_t result; /* result, or a negative errno */
	uint64_t key;	/* key of image and control block, during matching */
	uint32_t next;	/* next request in its chain; 0: none */
};

struct async_chain {
	uint32_t first, last; /* 0: none */
};

struct async {
	struct census_request *request; /* [n], in order of submission; [0] is not used */
	size_t n, cap;
	struct async_chain *chain; /* [n_chains], a power of two: requests in flight */
	size_t n_chains;
	size_t n_replayed; /* in the second pass: number of requests taken */
};

/* In the second pass: returns the result of the next submitted request. */
const struct census_request *async_take(struct async *a);

/* Executable files that the traced programs mapped. Each is scanned once for system calls of its
 * own. Private to capture/. */
enum { OBJECTS_MAX = 65536 };

struct object {
	char *path;
	bool missing; /* the file is missing, so it cannot be scanned */
	int64_t changed_ns; /* last change of the file, wall clock */
	struct code_scan found;
};

struct objects {
	struct object *object; /* [n], by number; [0] is unused */
	size_t n, cap;
	struct u64_map by_path; /* hash of a path -> number */
	struct code_scanner scanner;
};

static inline const struct object *objects_at(const struct objects *o, uint32_t number)
{
	return &o->object[number];
}

struct census_image {
	bool announced;
	bool ended; /* by exit() */
	uint32_t parent; /* process number */
	char *cwd;	 /* working directory at its start; NULL: unknown */
	uint32_t program; /* object number, 0: unknown */
	uint32_t suspect; /* an object with system calls on files outside the C library; 0: none */
	uint32_t ringed; /* an object that enters io_uring directly; 0: none */
	bool made_code; /* the program made memory executable */
	bool replaced; /* the program's file is no longer the file that was executed */
};

struct census {
	struct census_image *image; /* [n_images] */
	struct async async;
	struct objects objects;
	struct strbuf path;
	size_t n_images;
	/* a program created a ring of io_uring, or may have created one without being recorded */
	bool has_ring;
};

/* Fills in the census, and the processes and unseen programs of `o`. `start_ns`: wall-clock time at
 * `start` ticks of `clock`. */
void census_take(struct census *c, const struct spool *s, struct merge *m,
		 const struct clock *clock, uint64_t start, int64_t start_ns,
		 struct app_outcome *o);
void census_release(struct census *c);
