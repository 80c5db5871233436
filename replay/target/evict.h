/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --cache cold: the last step before the first request. After this step, setup must not look up a
 * name in the target directory. */
#pragma once

#include <jansson.h>

#include "capture/fileset/fileset.h"

/* Whether dentries and inodes of the target are in memory when the first request begins. */
enum metadata_state {
	METADATA_AS_IS,   /* setup left them as it found them */
	METADATA_WARM,	  /* setup made or looked up the files */
	/* dropped, except those of files that were open before the first request */
	METADATA_DROPPED,
};
extern const char *const metadata_state_names[];

/* Writes the file system back and evicts its pages: as root all caches of the machine
 * (drop_caches), otherwise the pages of the files in `listed` and `shown`. The resulting state is
 * stored in *state. Errors: from the system, with the path; EOPNOTSUPP for a directory in
 * memory. */
int evict_target(const struct fileset *listed, const struct fileset *shown, int dir_fd,
		 enum metadata_state *state, struct err *e);
