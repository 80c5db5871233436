/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/sort.h"
#include "replay/engines/adapters/adapter_private.h"

#include "common/files.h"

struct surrounding {
	char *name;
	mode_t mode;
	ino_t ino;
	off_t size;
	struct timespec changed;
};

ORDER_BY_TEXT(by_name, struct surrounding, name)

static bool is_excepted(const char *dir, const char *name, const char *const *except)
{
	size_t len = strcmp(dir, "/") ? strlen(dir) : 0;
	for (; *except; except++)
		if (!strncmp(*except, dir, len) && (*except)[len] == '/' &&
		    !strncmp(*except + len + 1, name, strlen(name)) &&
		    ((*except)[len + 1 + strlen(name)] == 0 ||
		     (*except)[len + 1 + strlen(name)] == '/'))
			return true;
	return false;
}

/* Whether the error means that the file is missing or not visible to this user. */
static bool is_out_of_sight(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM;
}

static int entry_take(struct surroundings *s, int dir_fd, const char *name)
{
	struct stat st;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return is_out_of_sight(errno) ? 0 : errno;
	APPEND(s->v, s->n, s->cap,
	       (struct surrounding){xstrdup(name), st.st_mode, st.st_ino,
				    S_ISDIR(st.st_mode) ? 0 : st.st_size, st.st_mtim});
	return 0;
}

/* Other users may write there. */
static bool is_shared(const char *dir, const struct stat *st)
{
	return st->st_mode & S_IWOTH || !strncmp(dir, "/dev", 4) || !strncmp(dir, "/proc", 5) ||
	       !strncmp(dir, "/sys", 4);
}

static int entries_take(struct surroundings *s, DIR *d, const char *const *except)
{
	const struct dirent *entry;
	int code;
	while ((entry = dir_next(d, &code)) && !s->too_many) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    !is_excepted(s->dir, entry->d_name, except))
			code = entry_take(s, dirfd(d), entry->d_name);
		if (code)
			break;
		s->too_many = s->n >= SURROUNDINGS_MAX;
	}
	SORT(s->v, s->n, by_name);
	return code;
}

int surroundings_take(struct surroundings *s, const char *target, const char *const *except,
		      struct err *e)
{
	const char *slash = strrchr(target, '/');
	struct stat st;
	*s = (struct surroundings){.dir = NULL};
	s->dir = slash == target ? xstrdup("/") : xasprintf("%.*s", (int)(slash - target), target);
	int code = stat(s->dir, &st) < 0 ? errno : 0;
	DIR *d = code || is_shared(s->dir, &st) ? NULL : opendir(s->dir);
	if (!code && !d && !is_shared(s->dir, &st))
		code = errno;
	if (d) {
		code = entries_take(s, d, except);
		closedir(d);
	}
	int ret = !code || is_out_of_sight(code)
		      ? 0
		      : err_sys(e, code, "cannot list the directory %s of the target", s->dir);
	if (!d || code)
		surroundings_release(s);
	return ret;
}

void surroundings_release(struct surroundings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].name);
	FREE_EACH(s->v, s->dir);
	*s = (struct surroundings){.dir = NULL};
}

static void change_add(char *text, size_t size, const char *what, const char *name)
{
	size_t len = strlen(text);
	if (len + 60 < size)
		snprintf(text + len, size - len, "%s%s %.100s", len ? ", " : "", what, name);
}

static bool is_same(const struct surrounding *a, const struct surrounding *b)
{
	return a->mode == b->mode && a->ino == b->ino && a->size == b->size &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

bool surroundings_differ(const struct surroundings *before, const struct surroundings *after,
			 char *text, size_t size)
{
	size_t i = 0, k = 0;
	*text = 0;
	if (!before->dir || !after->dir || before->too_many || after->too_many)
		return false;
	while (i < before->n || k < after->n) {
		int order = i == before->n  ? 1
			    : k == after->n ? -1
					    : by_name(&before->v[i], &after->v[k]);
		if (order > 0)
			change_add(text, size, "created", after->v[k++].name);
		else if (order < 0)
			change_add(text, size, "removed", before->v[i++].name);
		else if (!is_same(&before->v[i++], &after->v[k++]))
			change_add(text, size, "changed", before->v[i - 1].name);
	}
	return *text != 0;
}

int file_mark_take(struct file_mark *m, const char *path, struct err *e)
{
	struct stat st;
	*m = (struct file_mark){.there = false};
	if (stat(path, &st) < 0)
		return is_out_of_sight(errno) ? 0 : err_sys(e, errno, "cannot examine %s", path);
	*m = (struct file_mark){true,      S_ISREG(st.st_mode), st.st_dev,
				st.st_ino, st.st_size,          st.st_mtim};
	return 0;
}

const char *file_mark_differs(const struct file_mark *m, const char *path, bool content)
{
	struct file_mark now;
	file_mark_take(&now, path, NULL);
	if (!m->there)
		return NULL;
	if (!now.there)
		return "removed";
	if (now.dev != m->dev || now.ino != m->ino)
		return "replaced";
	bool same = now.size == m->size && now.changed.tv_sec == m->changed.tv_sec &&
		    now.changed.tv_nsec == m->changed.tv_nsec;
	return content && m->is_data && !same ? "changed" : NULL;
}

bool file_mark_resized(const struct file_mark *m, const char *path)
{
	struct file_mark now;
	file_mark_take(&now, path, NULL);
	return m->there && m->is_data && now.there && now.size != m->size;
}
