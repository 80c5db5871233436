/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a request of a merged record: times, position in the file, and object. Private to capture/.
 */
#ifndef CAPTURE_APP_REQUEST_H
#define CAPTURE_APP_REQUEST_H

#include "capture/app/app_state.h"

struct request_maker {
	const struct clock *clock;
	int64_t epoch_ns;
	const char *root; /* absolute */
	size_t root_len;  /* 0 for "/" */
	/* the root as given, if that is an absolute path through a link; otherwise NULL */
	const char *link;
	size_t link_len;
	struct trace_writer *writer;
	struct app_state state;
	struct strbuf second;
};

/* `start`: ticks at time 0 of the trace. `root` is absolute and without links, `given` is the root
 * as given; both are borrowed. The caller sets the writer. Ownership: request_maker_release. */
void request_maker_init(struct request_maker *m, const struct clock *clock, uint64_t start,
			const char *root, const char *given);
void request_maker_release(struct request_maker *m);

/* The path relative to the root, or NULL if it is outside. */
const char *request_name(const struct request_maker *m, const char *path);
/* The second path of rename and link, joined like the first. The target of a symbolic link stays as
 * it is. Borrowed, *len bytes. */
const char *request_second_path(struct request_maker *m, const struct process_state *p,
				const struct merge_record *r, size_t *len);
/* 1: *to is the request, with the `path` from state_path(); 0: it is outside of the root, or on
 * memory without a file. Errors: of the writer. */
int request_make(struct request_maker *m, const struct process_state *p,
		 const struct merge_record *r, const char *path, struct trace_record *to,
		 struct err *e);

#endif
