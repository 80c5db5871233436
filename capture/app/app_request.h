/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A merged record as a request of the trace: its times, its place in the file, and the object it is
 * about. Private to capture/. */
#ifndef CAPTURE_APP_REQUEST_H
#define CAPTURE_APP_REQUEST_H

#include "capture/app/app_state.h"

struct request_maker {
	const struct clock *clock;
	int64_t epoch_ns;
	const char *root; /* absolute */
	size_t root_len;  /* 0 of "/" */
	/* the same by the name it was given, where that is an absolute path and goes through a
	 * link; NULL */
	const char *link;
	size_t link_len;
	struct trace_writer *writer;
	struct app_state state;
	struct strbuf second;
};

/* `start`: ticks at time 0 of the trace. `root` is absolute and without links, `given` the same as
 * it was given; both are borrowed. The writer is the caller's to set. Ownership:
 * request_maker_release. */
void request_maker_init(struct request_maker *m, const struct clock *clock, uint64_t start,
			const char *root, const char *given);
void request_maker_release(struct request_maker *m);

/* The path relative to the root, or NULL where it lies elsewhere. */
const char *request_name(const struct request_maker *m, const char *path);
/* The second path of rename and link; it is joined like the first. What a symbolic link points at
 * stays as it is. Borrowed, *len bytes. */
const char *request_second_path(struct request_maker *m, const struct process_state *p,
				const struct merge_record *r, size_t *len);
/* 1: *to is the request, `path` what state_path() gave for it; 0: it lies outside the root, or is
 * on memory without a file. Errors: of the writer. */
int request_make(struct request_maker *m, const struct process_state *p,
		 const struct merge_record *r, const char *path, struct trace_record *to,
		 struct err *e);

#endif
