/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/block/backend.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

const struct block_backend *const block_backends[] = {
	&block_uring,
	&block_libaio,
	&block_psync,
	NULL,
};

int block_discard(int fd, bool is_block, uint64_t offset, uint64_t length)
{
	uint64_t range[2] = {offset, length};
	if (!length)
		return 0;
	int ret = is_block ? ioctl(fd, BLKDISCARD, range)
			   : fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				       (off_t)offset, (off_t)length);
	return ret < 0 ? -errno : 0;
}
