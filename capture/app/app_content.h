/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the captured programs wrote, on its way to the file beside the trace (content/content.h). It
 * comes in pieces before the request that wrote it, from the same thread and with the same begin.
 * Private to capture/. */
#ifndef CAPTURE_APP_CONTENT_H
#define CAPTURE_APP_CONTENT_H

#include "capture/app/app_private.h"
#include "capture/content/content.h"

struct app_content {
	struct content_writer *writer; /* NULL: no content is kept */
	/* pending[n_pending]: requests some of whose content has come */
	struct content_pending *pending;
	size_t n_pending, cap;
};

/* Errors: of the system. */
int app_content_open(struct app_content *c, const char *trace, struct err *e);
/* The piece that the record LOG_CONTENT_OF holds, of a file that is kept. Errors: of the system. */
int app_content_take(struct app_content *c, const struct merge_record *r, struct err *e);
/* Its request is number `seq` of the trace and wrote `n_bytes`: keeps what came, if that is all of
 * it; *kept says so. Errors: of the system. */
int app_content_settle(struct app_content *c, const struct merge_record *r, uint64_t seq,
		       uint64_t n_bytes, bool *kept, struct err *e);
/* Its request wrote nothing after all: what came of it is of no other request with the same begin.
 */
void app_content_forget(struct app_content *c, const struct merge_record *r);
/* No more comes: the file is whole, but not in its place. Errors: of the system. */
int app_content_finish(struct app_content *c, struct content_facts *facts, struct err *e);
/* Puts it there; or, with `abort`, it is not to be. Errors: of the system. */
int app_content_close(struct app_content *c, bool abort, struct err *e);

#endif
