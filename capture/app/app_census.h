/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A first pass over the records: which process images there are, and which programs were started
 * and never heard of. Private to capture/. */
#ifndef CAPTURE_APP_CENSUS_H
#define CAPTURE_APP_CENSUS_H

#include "capture/app/app_async.h"
#include "capture/app/app_objects.h"
#include "capture/app/app_private.h"
#include "common/strbuf.h"

struct census_image {
	bool announced;
	uint32_t parent; /* process number */
	char *cwd;	 /* at its start, NULL: not told */
	uint32_t program; /* object number, 0: not told */
	uint32_t suspect; /* object that makes files' calls past the C library, 0: none */
	uint32_t ringed; /* object that enters io_uring so, 0: none */
};

struct census {
	struct census_image *image; /* [n_images] */
	struct async async;
	struct objects objects;
	struct strbuf path;
	size_t n_images;
	bool has_ring; /* some program set up a ring of io_uring, or may have done so unseen */
};

/* Fills in the census, and what `o` says of processes and of programs that ran unseen. */
void census_take(struct census *c, const struct spool *s, struct merge *m, struct app_outcome *o);
void census_release(struct census *c);

#endif
