/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Content written by the captured programs, for the file beside the trace (content/content.h). It
 * arrives in pieces before its request, from the same thread with the same begin. Private to
 * capture/. */
#ifndef CAPTURE_APP_CONTENT_H
#define CAPTURE_APP_CONTENT_H

#include "capture/app/app_private.h"
#include "capture/content/content.h"

struct app_content {
	struct content_writer *writer; /* NULL: no content is stored */
	/* pending[n_pending]: requests with part of their content */
	struct content_pending *pending;
	size_t n_pending, cap;
};

/* Errors: of the system. */
int app_content_open(struct app_content *c, const char *trace, struct err *e);
/* Takes the piece in a record LOG_CONTENT_OF of a file whose content is stored. Errors: of the
 * system. */
int app_content_take(struct app_content *c, const struct merge_record *r, struct err *e);
/* The request of the content is number `seq` of the trace and wrote `n_bytes`. Stores the content
 * if it is complete: *kept. Errors: of the system. */
int app_content_settle(struct app_content *c, const struct merge_record *r, uint64_t seq,
		       uint64_t n_bytes, bool *kept, struct err *e);
/* The request wrote nothing: drops its content, which would match a later request. */
void app_content_forget(struct app_content *c, const struct merge_record *r);
/* Completes the content file under its temporary name. Errors: of the system. */
int app_content_finish(struct app_content *c, struct content_facts *facts, struct err *e);
/* Renames it to its final name, or with `abort` removes it. Errors: of the system. */
int app_content_close(struct app_content *c, bool abort, struct err *e);

#endif
