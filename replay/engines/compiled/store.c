/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/compiled/compiled.h"

#include <sys/file.h>

#include "common/files.h"
#include "common/leftovers.h"
#include "common/sort.h"

#define KEY_LENGTH (FILE_DIGEST_HEX - 1)

/* --- the directory ------------------------------------------------------- */

static int usual_place(char **path, struct err *e)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && *cache == '/')
		*path = xasprintf("%s/validate/programs", cache);
	else if (home && *home == '/')
		*path = xasprintf("%s/.cache/validate/programs", home);
	else
		return err_set(e, ENOENT, "no directory for compiled programs: XDG_CACHE_HOME and "
			"HOME are unset; use --program-cache DIR");
	return 0;
}

static int dir_make(const char *path, struct err *e)
{
	SCOPED_FREE char *parent = xstrdup(path);
	char *slash = strrchr(parent, '/');
	int ret = 0;
	if (slash && slash != parent) {
		*slash = '\0';
		ret = dir_create(parent, e);
	}
	if (!ret && mkdir(path, 0700) < 0 && errno != EEXIST)
		ret = err_sys(e, errno, "cannot create directory %s", path);
	return ret;
}

static int ownership_check(const char *path, struct err *e)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return err_sys(e, errno, "cannot examine directory %s", path);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077))
		return 0;
	return err_set(e, EPERM, "%s: the directory of compiled programs must belong to the user "
				 "and be closed to other users: set its mode to 0700, or choose "
				 "another directory with --program-cache DIR", path);
}

int store_find(const char *wanted, char **dir, struct err *e)
{
	int ret = 0;
	*dir = NULL;
	if (wanted && *wanted)
		*dir = xstrdup(wanted);
	else
		ret = usual_place(dir, e);
	if (!ret) {
		ret = dir_make(*dir, e);
		if (ret)
			err_context(e, "the directory of compiled programs (--program-cache DIR)");
	}
	ret = ret ? ret : ownership_check(*dir, e);
	if (ret) {
		free(*dir);
		*dir = NULL;
	}
	return ret;
}

/* --- programs ------------------------------------------------------------ */

int store_open(const char *dir, const char *key)
{
	struct stat st;
	SCOPED_FREE char *path = xasprintf("%s/%s", dir, key);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	bool ours = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		    !(st.st_mode & 022) && st.st_mode & S_IXUSR;
	if (!ours) {
		close(fd);
		return -1;
	}
	futimens(fd, NULL); /* time of the last use */
	return fd;
}

int store_keep(const char *dir, const char *workshop, const char *key, struct err *e)
{
	char *made = xasprintf("%s/program", workshop), *kept = xasprintf("%s/%s", dir, key);
	int fd = open(made, O_RDONLY | O_CLOEXEC), ret = 0;
	/* the file gets its name only when it is on disk, so every program in the cache is
	 * complete */
	if (fd < 0 || fchmod(fd, 0500) < 0 || fsync(fd) < 0 || rename(made, kept) < 0)
		ret = err_sys(e, errno, "%s: the compiled program cannot be stored", kept);
	FREE_EACH(made, kept);
	if (ret && fd >= 0)
		close(fd);
	return ret ? ret : fd;
}

/* --- room ---------------------------------------------------------------- */

struct kept {
	char *path;
	uint64_t n_bytes;
	struct timespec used;
};

ORDER_BY(compare_used, struct kept, used.tv_sec, used.tv_nsec)

static void room_make(const char *dir)
{
	SCOPED_FREE struct kept *kept = NULL;
	size_t n = 0, cap = 0;
	uint64_t sum = 0;
	SCOPED_DIR DIR *d = opendir(dir);
	for (struct dirent *entry; d && (entry = readdir(d));) {
		struct stat st;
		char *path = xasprintf("%s/%s", dir, entry->d_name);
		/* programs are named by their digests; other files in the directory are left
		 * alone */
		if (strlen(entry->d_name) == KEY_LENGTH &&
		    strspn(entry->d_name, "0123456789abcdef") == KEY_LENGTH &&
		    !lstat(path, &st) && S_ISREG(st.st_mode)) {
			APPEND(kept, n, cap, (struct kept){path, (uint64_t)st.st_size, st.st_mtim});
			sum += (uint64_t)st.st_size;
			continue;
		}
		free(path);
	}
	SORT(kept, n, compare_used);
	for (size_t i = 0; i < n; i++) {
		if (sum > STORE_MAX_BYTES && !unlink(kept[i].path))
			sum -= kept[i].n_bytes;
		free(kept[i].path);
	}
}

char *store_workshop(const char *dir, struct err *e)
{
	room_make(dir);
	char *path = xasprintf("%s/.validate-build-XXXXXX", dir);
	if (leftover_directory(path))
		return path;
	err_sys(e, errno, "cannot create directory %s", path);
	free(path);
	return NULL;
}
