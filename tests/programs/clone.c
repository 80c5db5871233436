/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clones ./in to ./whole (FICLONE), its second block to ./part (FICLONERANGE), and everything after
 * that block, up to the end, to ./rest. Status 77: the file system cannot share blocks. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

int main(void)
{
	const int in = open("in", O_RDONLY), flags = O_WRONLY | O_CREAT | O_TRUNC;
	const int whole = open("whole", flags, 0644), part = open("part", flags, 0644),
		  rest = open("rest", flags, 0644);
	struct file_clone_range second = {
	    .src_fd = in, .src_offset = 4096, .src_length = 4096, .dest_offset = 8192};
	struct file_clone_range behind = {.src_fd = in, .src_offset = 8192};
	if (ioctl(whole, FICLONE, in))
		return errno == EOPNOTSUPP || errno == EXDEV ? 77 : 1;
	if (ioctl(part, FICLONERANGE, &second) || ioctl(rest, FICLONERANGE, &behind))
		return 2;
	return ioctl(part, FICLONE, -1) == 0; /* EBADF: no copy */
}
