/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/target/evict.h"

#include "common/drop_caches.h"
#include "common/unnamed_file.h"

const char *const metadata_state_names[] = {"as-is", "warm", "dropped", NULL};

int evict_target(const struct fileset *listed, const struct fileset *shown, int dir_fd,
		 enum metadata_state *state, struct err *e)
{
	if (file_in_memory(dir_fd))
		return err_set(e, EOPNOTSUPP, "cache cold: the target directory is on a file "
			"system in memory; use a directory on storage");
	if (syncfs(dir_fd) < 0)
		return err_sys(e, errno, "cannot sync the target directory");
	if (may_drop_caches()) {
		*state = METADATA_DROPPED;
		return fileset_drop(listed, dir_fd, e);
	}
	*state = METADATA_WARM;
	int ret = fileset_evict(listed, dir_fd, e);
	return ret ? ret : fileset_evict(shown, dir_fd, e);
}
