/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the whole report beside the old report and replaces the old report in one step. */
#include <sys/file.h>

#include "common/each.h"
#include "common/files.h"
#include "common/leftovers.h"
#include "reports/forms.h"

#define TEMPORARY "report.tmp-"

/* Syncs the files below `fd` and closes it. One pass at the end costs less than a sync after each
 * file. */
static int sync_tree(int fd, const char *path, struct err *e)
{
	DIR *d = fdopendir(fd);
	struct dirent *entry;
	int ret = 0, code = 0;
	if (!d) {
		ret = err_sys(e, errno, "cannot read directory %s", path);
		close(fd);
		return ret;
	}
	while (!ret && (entry = dir_next(d, &code))) {
		if (entry->d_name[0] == '.')
			continue;
		SCOPED_FREE char *below = xasprintf("%s/%s", path, entry->d_name);
		int sub = openat(fd, entry->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		struct stat st;
		if (sub < 0 || fstat(sub, &st) < 0) {
			ret = err_sys(e, errno, "cannot open %s", below);
		} else if (S_ISDIR(st.st_mode)) {
			ret = sync_tree(sub, below, e);
			sub = -1;
		} else if (fsync(sub) < 0) {
			ret = err_sys(e, errno, "cannot sync %s", below);
		}
		fd_close(sub);
	}
	if (!ret && code)
		ret = err_sys(e, code, "cannot read directory %s", path);
	if (!ret && fsync(fd) < 0 && errno != EINVAL)
		ret = err_sys(e, errno, "cannot sync directory %s", path);
	closedir(d);
	return ret;
}

/* Removes the directories that killed runs left behind: directories that no process has locked. */
static void remove_stale(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	if (!d)
		return;
	while ((entry = readdir(d))) {
		if (strncmp(entry->d_name, TEMPORARY, strlen(TEMPORARY)))
			continue;
		SCOPED_FREE char *path = xasprintf("%s/%s", dir, entry->d_name);
		int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			dir_remove_tree(path, NULL);
		fd_close(fd);
	}
	closedir(d);
}

/* Creates a directory, and locks it. */
static int make_temporary(const char *dir, char **path, int *fd, struct err *e)
{
	mode_t mask = umask(0);
	umask(mask);
	*path = xasprintf("%s/" TEMPORARY "XXXXXX", dir);
	if (!leftover_directory(*path))
		return err_sys(e, errno, "cannot create %s", *path);
	*fd = open(*path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0 || fchmod(*fd, 0777 & ~mask) < 0)
		return err_sys(e, errno, "cannot open %s or set its mode", *path);
	return 0;
}

static int sync_dir(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret = fd < 0 || (fsync(fd) < 0 && errno != EINVAL)
		      ? err_sys(e, errno, "cannot sync directory %s", path)
		      : 0;
	fd_close(fd);
	return ret;
}

/* Exchanges `made` and the report. Afterwards `made` is the old report, if there was one. */
static int report_exchange(const char *made, const char *report, struct err *e)
{
	struct stat st;
	if (lstat(report, &st) < 0) {
		if (errno != ENOENT)
			return err_sys(e, errno, "cannot examine %s", report);
		return rename(made, report) < 0
			   ? err_sys(e, errno, "cannot rename %s to %s", made, report)
			   : 0;
	}
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR,
			       "%s is not a directory, so no report was written: "
			       "rename or remove it",
			       report);
	if (renameat2(AT_FDCWD, made, AT_FDCWD, report, RENAME_EXCHANGE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return err_sys(e, errno, "cannot exchange %s and %s", made, report);
	/* this file system cannot exchange names: for a moment there is no report, but never a
	 * partial report */
	SCOPED_FREE char *old = xasprintf("%s-old", made);
	int ret = 0;
	if (rename(report, old) < 0)
		ret = err_sys(e, errno, "cannot rename %s to %s", report, old);
	else if (rename(made, report) < 0) {
		ret = err_sys(e, errno, "cannot rename %s to %s", made, report);
		if (rename(old, report) < 0)
			err_context(e, "the old report is now %s", old);
	} else if (rename(old, made) < 0)
		ret = err_sys(e, errno, "cannot rename %s to %s", old, made);
	return ret;
}

struct writing { /* whether to write the forms with `beside`, or the others */
	const struct analysis *a;
	const char *dir;
	int ret;
	struct err e;
};

static void forms_write(void *both, size_t beside)
{
	struct writing *w = (struct writing *)both + beside;
	for (const struct report_form *const *f = report_forms; *f && !w->ret; f++) {
		if (!(*f)->write || (*f)->beside != beside)
			continue;
		w->ret = (*f)->write(w->a, w->dir, &w->e);
		if (w->ret)
			err_context(&w->e, "cannot write the report in format %s", (*f)->name);
	}
}

static int forms_write_all(const struct analysis *a, const char *dir, struct err *e)
{
	struct writing both[2] = {{a, dir, 0, ERR_INIT}, {a, dir, 0, ERR_INIT}};
	each_do(2, forms_write, both);
	for (size_t i = 0; i < 2; i++)
		if (both[i].ret)
			return err_set(e, -both[i].ret, "%s", both[i].e.msg);
	return 0;
}

int report_write_all(const struct analysis *a, const char *dir, struct err *e)
{
	SCOPED_FREE char *made = NULL, *report = xasprintf("%s/report", dir);
	int fd = -1;
	remove_stale(dir);
	int ret = make_temporary(dir, &made, &fd, e);
	ret = ret ? ret : forms_write_all(a, made, e);
	ret = ret ? ret : sync_tree(dup(fd), made, e);
	ret = ret ? ret : report_exchange(made, report, e);
	ret = ret ? ret : sync_dir(dir, e);
	/* `made` is the old report, or an unfinished new report */
	struct err stays = ERR_INIT;
	const int left = dir_remove_tree(made, &stays);
	if (left && ret)
		err_context(e, "%s", stays.msg);
	else if (left)
		ret = err_set(e, -left, "%s", stays.msg);
	fd_close(fd);
	return ret;
}
