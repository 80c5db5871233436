/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A first pass over the records: finds the process images, and programs that were started but did
 * not appear. Private to capture/. */
#ifndef CAPTURE_APP_CENSUS_H
#define CAPTURE_APP_CENSUS_H

#include "capture/app/app_async.h"
#include "capture/app/app_objects.h"
#include "capture/app/app_private.h"
#include "common/strbuf.h"

struct census_image {
	bool announced;
	uint32_t parent; /* process number */
	char *cwd;	 /* at its start, NULL: unknown */
	uint32_t program; /* object number, 0: unknown */
	uint32_t suspect; /* object with system calls on files outside of the C library, 0: none */
	uint32_t ringed; /* object that enters io_uring directly, 0: none */
};

struct census {
	struct census_image *image; /* [n_images] */
	struct async async;
	struct objects objects;
	struct strbuf path;
	size_t n_images;
	bool has_ring; /* a program created a ring of io_uring, or may have done so unseen */
};

/* Fills in the census, and the processes and unseen programs of `o`. */
void census_take(struct census *c, const struct spool *s, struct merge *m, struct app_outcome *o);
void census_release(struct census *c);

#endif
