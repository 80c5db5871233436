/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The directory in which the traced processes and the collector share memory. The collector holds a
 * lock on it while it lives: a directory without a lock was left by a killed collector. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/app/app.h"
#include "capture/app/app_private.h"
#include "capture/preload/causes.h"
#include "common/files.h"
#include "common/leftovers.h"
#include "common/process_maps.h"
#include "common/xalloc.h"

#define PREFIX "validate-capture-"
#define SETTLED_S 10 /* a directory that was just made may not be locked yet */

static const char *scratch_choose(const char *asked)
{
	const char *tmp = getenv("TMPDIR");
	if (asked)
		return asked;
	if (!access("/dev/shm", W_OK | X_OK))
		return "/dev/shm";
	return tmp && *tmp ? tmp : "/tmp";
}

int app_scratch_make(const char *scratch, char **dir, int *dir_fd, struct err *e)
{
	char *real = realpath(scratch_choose(scratch), NULL);
	if (!real)
		return err_sys(e, errno, "the scratch directory %s", scratch_choose(scratch));
	*dir = xasprintf("%s/" PREFIX "XXXXXX", real);
	free(real);
	if (!leftover_directory(*dir)) {
		int rc = err_sys(e, errno, "%s: making the scratch directory", *dir);
		free(*dir);
		*dir = NULL;
		return rc;
	}
	*dir_fd = open(*dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*dir_fd < 0)
		return err_sys(e, errno, "%s", *dir);
	/* without support of locks, nothing counts as left over */
	(void)flock(*dir_fd, LOCK_EX | LOCK_NB);
	return 0;
}

static bool is_left(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	bool left = fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
		    time(NULL) - st.st_mtime >= SETTLED_S && !faccessat(fd, "control", F_OK, 0) &&
		    !flock(fd, LOCK_EX | LOCK_NB);
	if (fd >= 0)
		close(fd);
	return left;
}

/* Ends the processes of a parallel application whose collector was killed. They would go on using
 * the files of the next run. */
static void applications_end(const char *dir)
{
	enum { N_MAX = 4096, LOOKS = 500 };
	char *causes = xasprintf("%s/" CAUSE_FILE, dir);
	pid_t *pid = xcalloc(N_MAX, sizeof *pid);
	for (int i = 0; i < LOOKS; i++) { /* processes may start new ones meanwhile */
		const size_t n = processes_mapping(causes, pid, N_MAX);
		for (size_t k = 0; k < n && k < N_MAX; k++)
			kill(pid[k], SIGKILL);
		if (!n)
			break;
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	free(causes);
	free(pid);
}

uint32_t app_scratch_clean(const char *scratch)
{
	char *real = realpath(scratch_choose(scratch), NULL);
	DIR *d = real ? opendir(real) : NULL;
	uint32_t n = 0;
	for (struct dirent *entry; d && (entry = readdir(d));) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			continue;
		char *path = xasprintf("%s/%s", real, entry->d_name);
		if (is_left(path)) {
			applications_end(path);
			n += !dir_remove_tree(path, NULL);
		}
		free(path);
	}
	if (d)
		closedir(d);
	free(real);
	return n;
}
