/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes the files that a run left beside a set. A first walk inspects all files. If it finds a
 * file that the caller does not know, nothing is removed. */

#include "capture/fileset/fileset.h"
#include "common/confine.h"
#include "common/files.h"
#include "common/sort.h"

enum { MAX_DEPTH = 64 };

struct clearing {
	const char **known; /* known[n], sorted paths of the set */
	size_t n;
	bool (*is_ours)(const char *name);
	enum { LOOK, LOOK_FOR_NONE, REMOVE } pass;
	dev_t device;
	struct strbuf path;
};

static bool is_known(const struct clearing *c)
{
	const char *key = c->path.s;
	return bsearch(&key, c->known, c->n, sizeof *c->known, order_text);
}

static int dir_walk(struct clearing *c, int dir_fd, unsigned int depth, struct err *e);

static int dir_enter(struct clearing *c, int parent, const char *name, unsigned int depth,
		     struct err *e)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "cannot open directory %s", c->path.s);
	return dir_walk(c, fd, depth + 1, e); /* walk() closes fd */
}

static int entry_visit(struct clearing *c, int parent, const char *name, unsigned int depth,
		       struct err *e)
{
	struct stat st;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : err_sys(e, errno, "cannot examine %s", c->path.s);
	bool known = is_known(c), directory = S_ISDIR(st.st_mode);
	if (!known && c->pass == LOOK_FOR_NONE)
		return err_set(e, EEXIST,
			"the workload must start without the file %s: remove it, or use --prepare "
			"if an earlier run of the workload created it", c->path.s);
	if (!known &&
	    (!c->is_ours(name) || !(directory || S_ISREG(st.st_mode)) || st.st_dev != c->device))
		return err_set(e, EPERM,
			"%s: refused: this workload did not create it; move it to another "
			"directory",
			c->path.s);
	int ret = directory ? dir_enter(c, parent, name, depth, e) : 0;
	if (ret || known || c->pass != REMOVE)
		return ret;
	if (unlinkat(parent, name, directory ? AT_REMOVEDIR : 0) && errno != ENOENT)
		return err_sys(e, errno, "%s: cannot remove it", c->path.s);
	return 0;
}

static int dir_walk(struct clearing *c, int dir_fd, unsigned int depth, struct err *e)
{
	DIR *dir = depth < MAX_DEPTH ? fdopendir(dir_fd) : NULL;
	size_t len = c->path.len;
	int ret = 0, code = 0;
	if (!dir) {
		ret = err_set(e, depth < MAX_DEPTH ? ENOMEM : ELOOP,
			      depth < MAX_DEPTH ? "not enough memory to list the directory %s"
						: "%s: directories are nested too deeply",
			      c->path.s);
		close(dir_fd);
		return ret;
	}
	for (struct dirent *d; !ret && (d = dir_next(dir, &code));) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		strbuf_addf(&c->path, "/%s", d->d_name);
		ret = entry_visit(c, dirfd(dir), d->d_name, depth, e);
		c->path.len = len;
		c->path.s[len] = 0;
	}
	closedir(dir);
	return ret || !code ? ret : err_sys(e, code, "%s: cannot read the directory", c->path.s);
}

int fileset_clear(const struct fileset *s, int dir_fd, const char *top,
		  bool (*is_ours)(const char *name), bool look_only, struct err *e)
{
	struct stat st;
	struct clearing c = {.is_ours = is_ours, .path = STRBUF_INIT};
	int ret = 0;
	c.known = xcalloc(s->n + 1, sizeof *c.known);
	for (; c.n < s->n; c.n++)
		c.known[c.n] = s->entry[c.n].path;
	qsort(c.known, c.n, sizeof *c.known, order_text);
	for (c.pass = look_only ? LOOK_FOR_NONE : LOOK; !ret; c.pass = REMOVE) {
		int fd = confined_open(dir_fd, top, O_RDONLY | O_DIRECTORY, 0, e);
		if (fd == -ENOENT)
			break;
		if (fd >= 0 && fstat(fd, &st) == 0)
			c.device = st.st_dev;
		strbuf_reset(&c.path);
		strbuf_addstr(&c.path, top);
		ret = fd < 0 ? fd : dir_walk(&c, fd, 0, e);
		if (c.pass != LOOK)
			break;
	}
	free(c.known);
	strbuf_release(&c.path);
	return ret;
}
