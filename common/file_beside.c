/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/file_beside.h"

#include <pthread.h>
#include <sys/file.h>
#include <sys/random.h>

#include "common/leftovers.h"

#define PREFIX ".validate-"
#define N_LETTERS 6
#define N_TRIES 100

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

static void letters_draw(char *to)
{
	uint8_t drawn[N_LETTERS];
	if (getrandom(drawn, sizeof drawn, 0) != sizeof drawn)
		for (int i = 0; i < N_LETTERS;
		     i++) /* need not be random: an existing file is never opened */
			drawn[i] = (uint8_t)((unsigned int)getpid() >> i);
	for (int i = 0; i < N_LETTERS; i++)
		to[i] = letters[drawn[i] % (sizeof letters - 1)];
}

int file_beside(const char *path, unsigned int mode, char **name, struct err *e)
{
	const char *slash = strrchr(path, '/');
	*name = NULL;
	if (!*path)
		return err_set(e, EINVAL, "the name of the output file is empty");
	char *made = xasprintf("%.*s" PREFIX "XXXXXX", slash ? (int)(slash - path + 1) : 0, path);
	int fd = -1;
	/* all signals are blocked: a signal between creation and leftover_add() would leave the
	 * file */
	sigset_t all, was;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &was);
	for (int i = 0; i < N_TRIES && fd < 0 && (!i || errno == EEXIST); i++) {
		letters_draw(made + strlen(made) - N_LETTERS);
		fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	}
	const int code = errno;
	if (fd >= 0)
		leftover_add(made);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (fd < 0) {
		int ret = err_sys(e, code, "cannot create %s", path);
		free(made);
		return ret;
	}
	flock(fd, LOCK_EX | LOCK_NB); /* without locks, file_beside_sweep() removes nothing */
	*name = made;
	return fd;
}

int file_beside_keep(char *name, const char *path, int ret, struct err *e)
{
	if (!name)
		return ret;
	if (!ret && rename(name, path) < 0)
		ret = err_sys(e, errno, "cannot rename %s to %s", name, path);
	if (ret)
		unlink(name);
	leftover_drop(name);
	free(name);
	return ret;
}

/* True if no process uses the file: its writer holds a lock. Where locks are not supported, flock()
 * fails and the file is kept. */
static bool is_stale(int dir, const char *name)
{
	struct stat st;
	if (strncmp(name, PREFIX, strlen(PREFIX)) || strlen(name) != strlen(PREFIX) + N_LETTERS)
		return false;
	SCOPED_FD int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       !flock(fd, LOCK_EX | LOCK_NB);
}

void file_beside_sweep(const char *dir)
{
	SCOPED_DIR DIR *d = opendir(dir);
	struct dirent *entry;
	while (d && (entry = readdir(d)))
		if (is_stale(dirfd(d), entry->d_name))
			unlinkat(dirfd(d), entry->d_name, 0);
}
