/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The directory in which the traced processes and the collector share memory. */

#include "capture/app/app.h"
#include "capture/app/app_private.h"
#include "capture/preload/causes.h"
#include "common/leftovers.h"
#include "common/process_maps.h"

const char *app_scratch_choose(const char *asked)
{
	const char *tmp = getenv("TMPDIR");
	if (asked)
		return asked;
	if (!access("/dev/shm", W_OK | X_OK))
		return "/dev/shm";
	return tmp && *tmp ? tmp : "/tmp";
}

/* The caller frees the pattern. NULL: an error. */
static char *scratch_pattern(const char *scratch, struct err *e)
{
	const char *chosen = app_scratch_choose(scratch);
	SCOPED_FREE char *real = realpath(chosen, NULL);
	char *pattern = real ? xasprintf("%s/validate-capture-XXXXXX", real) : NULL;
	if (!real)
		err_sys(e, errno, "cannot use the scratch directory %s (choose another directory "
			"with --scratch)", chosen);
	return pattern;
}

int app_scratch_make(const char *scratch, char **dir, int *dir_fd, struct err *e)
{
	*dir = scratch_pattern(scratch, e);
	if (!*dir)
		return -EIO;
	app_scratch_clean(scratch);
	if (!leftover_directory(*dir)) {
		int ret = err_sys(e, errno, "cannot create the scratch directory %s (choose "
				  "another directory with --scratch)", *dir);
		free(*dir);
		*dir = NULL;
		return ret;
	}
	*dir_fd = open(*dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *dir_fd < 0 ? err_sys(e, errno, "cannot open the scratch directory %s", *dir) : 0;
}

/* Ends the processes of a parallel application whose collector was killed. Otherwise, they would
 * use the files of the next run. Returns true. */
static bool applications_end(const char *dir)
{
	enum { N_MAX = 4096, LOOKS = 500 };
	SCOPED_FREE char *causes = xasprintf("%s/" CAUSE_FILE, dir);
	SCOPED_FREE pid_t *pid = xcalloc(N_MAX, sizeof *pid);
	for (int i = 0; i < LOOKS; i++) { /* processes may start new processes meanwhile */
		const size_t n = processes_mapping(causes, pid, N_MAX);
		for (size_t k = 0; k < n && k < N_MAX; k++)
			kill(pid[k], SIGKILL);
		if (!n)
			break;
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	return true;
}

uint32_t app_scratch_clean(const char *scratch)
{
	SCOPED_FREE char *pattern = scratch_pattern(scratch, NULL);
	const size_t n = pattern ? leftover_sweep(pattern, applications_end) : 0;
	return (uint32_t)n;
}
