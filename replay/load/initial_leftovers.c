/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The check before --prepare removes directories: each file in them must have a path that the trace
 * uses. A directory can have had several names, and a name can have meant several directories. So
 * the walk knows, for each directory, all nodes of the name model that had its path. */

#include "common/files.h"
#include "common/sort.h"
#include "replay/load/name_model.h"

struct directory { /* still to be checked */
	char *path; /* owned */
	uint32_t *node; /* node[n]: that had this path at some time; sorted, owned */
	uint32_t n, cap;
};

struct opened { /* a directory that its owner could not list; the walk may list it until its end */
	char *path; /* owned */
	mode_t mode;
};

struct check {
	const struct name_model *names;
	const struct slots *s;
	const char **path; /* path[n_paths]: paths of the trace, sorted; NULL: not needed so far */
	size_t n_paths;
	struct directory *pending; /* pending[n], the next directory last */
	uint32_t n, cap;
	struct opened *opened; /* opened[n_opened]: in the order of the walk */
	uint32_t n_opened, opened_cap;
	int root;
};

static void directory_release(struct directory *d)
{
	FREE_EACH(d->path, d->node);
}

/* Adds to `to` the nodes to which a name in the directory `in` referred. Returns whether the trace
 * used the name there. */
static bool nodes_add(struct directory *to, const struct name_model *m, const struct directory *in,
		      const char *name, size_t len)
{
	bool used = false;
	for (uint32_t i = 0; i < in->n; i++) {
		const struct bond *b = name_model_entry(m, in->node[i], name, len);
		used |= b != NULL;
		for (uint32_t k = b ? b->past : 0; k; k = m->past[k].earlier)
			APPEND(to->node, to->n, to->cap, m->past[k].node);
	}
	SORT(to->node, to->n, order_u32);
	uint32_t n = 0;
	for (uint32_t i = 0; i < to->n; i++)
		if (!n || to->node[n - 1] != to->node[i])
			to->node[n++] = to->node[i];
	to->n = n;
	return used;
}

/* The directory of a path. */
static struct directory directory_of(const struct name_model *m, const char *path)
{
	struct directory at = {.path = NULL};
	APPEND(at.node, at.n, at.cap, NODE_ROOT);
	for (size_t len; *path; path += len + (path[len] == '/')) {
		struct directory next = {.path = NULL};
		len = strcspn(path, "/");
		nodes_add(&next, m, &at, path, len);
		directory_release(&at);
		at = next;
	}
	return at;
}

/* Whether some request names the path. Such a request may have failed in the trace, so that the
 * name model lacks the path, and may have succeeded in an earlier replay. */
static bool is_named(struct check *c, const char *path)
{
	if (!c->path) {
		c->path = xcalloc((size_t)c->s->n_files + 1, sizeof *c->path);
		for (; c->n_paths < c->s->n_files; c->n_paths++) {
			const char *name = c->s->file[c->n_paths].name;
			c->path[c->n_paths] = name + strspn(name, "/");
		}
		SORT(c->path, c->n_paths, order_text);
	}
	return bsearch(&path, c->path, c->n_paths, sizeof *c->path, order_text);
}

/* Opens the directory for listing. `look`: its O_PATH descriptor. */
static int listing_open(struct check *c, int look, const char *path)
{
	struct stat st;
	char self[64];
	int fd = openat(look, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 || errno != EACCES || fstat(look, &st) < 0 || st.st_uid != geteuid())
		return fd;
	/* a replay may have made a directory that its owner cannot list */
	snprintf(self, sizeof self, "/proc/self/fd/%d", look);
	if (chmod(self, 0700) < 0)
		return -1;
	APPEND(c->opened, c->n_opened, c->opened_cap,
	       (struct opened){xstrdup(path), st.st_mode & 07777});
	return openat(look, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Gives the directories their modes again, the last first: their paths lead through the others. */
static void modes_restore(struct check *c)
{
	while (c->n_opened) {
		const struct opened *o = &c->opened[--c->n_opened];
		SCOPED_FD int look = rooted_look(c->root, o->path, O_DIRECTORY | O_NOFOLLOW);
		char self[64];
		snprintf(self, sizeof self, "/proc/self/fd/%d", look);
		if (look >= 0)
			(void)!chmod(self, o->mode);
		free(o->path);
	}
	free(c->opened);
}

static int entry_check(struct check *c, const struct directory *in, int fd, const char *top,
		       const struct dirent *entry, struct err *e)
{
	struct stat st;
	struct directory d = {.path = xasprintf("%s/%s", in->path, entry->d_name)};
	if (!nodes_add(&d, c->names, in, entry->d_name, strlen(entry->d_name)) &&
	    !is_named(c, d.path)) {
		err_set(e, EPERM, "refused, nothing was changed: --prepare would remove the "
			"directory %s (absent at the start of the trace), but it contains %s, "
			"which the trace does not use: move this file, or choose an empty "
			"directory with --dir",
			top, d.path);
		directory_release(&d);
		return -EPERM;
	}
	if (fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
		APPEND(c->pending, c->n, c->cap, d);
	else
		directory_release(&d);
	return 0;
}

static int directory_check(struct check *c, const struct directory *d, const char *top,
			   struct err *e)
{
	SCOPED_FD int look = rooted_look(c->root, d->path, O_DIRECTORY | O_NOFOLLOW);
	if (look < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	const int fd = look < 0 ? -1 : listing_open(c, look, d->path);
	DIR *listing = fd < 0 ? NULL : fdopendir(fd);
	int ret = 0, code = listing ? 0 : errno;
	if (!listing)
		fd_close(fd);
	for (struct dirent *entry; listing && !ret && (entry = dir_next(listing, &code));)
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			ret = entry_check(c, d, dirfd(listing), top, entry, e);
	if (listing)
		closedir(listing);
	return ret || !code ? ret : err_sys(e, code, "cannot read directory %s", d->path);
}

int initial_absent_check(const struct initial *i, const struct slots *s, int dir_fd, struct err *e)
{
	struct check c = {.names = i->names, .s = s, .root = dir_fd};
	int ret = 0;
	for (uint32_t k = 0; k < i->n_absent && !ret; k++) {
		struct directory top = directory_of(c.names, i->absent[k]);
		top.path = xstrdup(i->absent[k]);
		APPEND(c.pending, c.n, c.cap, top);
		while (c.n && !ret) {
			struct directory d = c.pending[--c.n];
			ret = directory_check(&c, &d, i->absent[k], e);
			directory_release(&d);
		}
	}
	while (c.n)
		directory_release(&c.pending[--c.n]);
	modes_restore(&c);
	FREE_EACH(c.pending, c.path);
	return ret;
}
