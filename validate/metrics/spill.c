/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/spill.h"

#include <sys/mman.h>

#include "common/unnamed_file.h"

static int open_in(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/validate-XXXXXX", dir) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int spill_open(const char *wanted, struct err *e)
{
	const char *env = getenv("TMPDIR");
	const char *dir[] = {wanted, env && *env ? env : NULL, "/var/tmp", "/tmp"};
	int code = 0, fd = -1;
	const char *first = NULL; /* the message states why the first directory failed */
	for (size_t i = wanted ? 0 : 1; i <= (wanted ? 0u : 3u) && fd < 0; i++) {
		if (!dir[i])
			continue;
		fd = open_in(dir[i]);
		if (fd < 0 && !first) {
			first = dir[i];
			code = errno;
		}
	}
	return fd >= 0 ? fd
		       : err_sys(e, code, "%s: cannot create a temporary file for sorting requests "
				 "(TMPDIR sets its directory)", first);
}

int spill_map(void **table, size_t bytes, struct err *e)
{
	int fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	*table = NULL;
	if (bytes > SPILL_BYTES) {
		fd = spill_open(NULL, e);
		if (fd < 0)
			return fd;
		/* reserve space: a page without space would raise SIGBUS later */
		int code = -file_reserve(fd, bytes);
		if (code) {
			close(fd);
			return err_sys(e, code,
				       "cannot reserve %zu MiB for a temporary file (TMPDIR sets "
				       "its directory)",
				       bytes >> 20);
		}
		flags = MAP_SHARED;
	}
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	int code = errno;
	fd_close(fd);
	if (at == MAP_FAILED)
		return err_sys(e, code, "not enough memory for a table of %zu MiB", bytes >> 20);
	*table = at;
	return 0;
}

void spill_unmap(void *table, size_t bytes)
{
	if (table)
		munmap(table, bytes);
}
