/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/adapter_private.h"

#include <fts.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include "common/confine.h"

struct names {
	const struct names_how *how;
	int dir_fd;
	struct u64_map checked; /* objects */
	bool changes;		/* a request may change the meaning of names */
	char *climbing;		/* the first name with "..", NULL none */
};

/* --- the text of a name -------------------------------------------------- */

/* The next component that is not "."; *len is 0 at the end of the path. */
static const char *component_next(const char *path, size_t *len)
{
	for (;; path++) {
		path += strspn(path, "/");
		*len = strcspn(path, "/");
		if (*len != 1 || *path != '.')
			return path;
	}
}

bool names_climb(const char *path)
{
	size_t len;
	for (path = component_next(path, &len); len; path = component_next(path + len, &len))
		if (len == 2 && !memcmp(path, "..", 2))
			return true;
	return false;
}

/* The part of an absolute path after the directory `root`, or NULL if the path is not below it. */
static const char *behind_root(const char *path, const char *root)
{
	size_t len, root_len;
	root = component_next(root, &root_len);
	while (root_len) {
		path = component_next(path, &len);
		if (len != root_len || memcmp(path, root, len))
			return NULL;
		path += len;
		root = component_next(root + root_len, &root_len);
	}
	path = component_next(path, &len);
	return *path ? path : ".";
}

static int unsafe_refuse(const struct names *x, const char *name, const char *why, struct err *e)
{
	return err_set(e, EPERM, "refused: the name \"%s\" %s, and %s does not check names; use "
		"an engine of validate (--engine event), which stays in the target directory",
		name, why, x->how->program);
}

/* --- names in the directory ---------------------------------------------- */

/* Opens a name with O_PATH, relative to the directory. Returns a descriptor, or a negative errno:
 * EXDEV, ELOOP, EPERM or EINVAL if a component leads out of the directory. */
static int name_open(int dir_fd, const char *name, uint64_t more)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | more};
	int n_tries = 100;
	long fd;
	do { /* EAGAIN: a rename elsewhere raced with a ".." */
		fd = syscall(SYS_openat2, dir_fd, name, &how, sizeof how);
	} while (fd < 0 && errno == EAGAIN && --n_tries);
	if (fd >= 0)
		return (int)fd;
	return errno == ENOSYS || errno == EPERM ? confined_open(dir_fd, name, O_PATH, 0, NULL)
						 : -errno;
}

/* Checks a missing name, which the replayer or the trace may create later. It stays in the
 * directory if its path has neither links nor "..". */
static int missing_check(const struct names *x, const char *name, struct err *e)
{
	if (names_climb(name))
		return unsafe_refuse(x, name, "has \"..\" and does not exist", e);
	SCOPED_FD int fd = name_open(x->dir_fd, name, RESOLVE_NO_SYMLINKS);
	return fd == -ELOOP || fd == -EPERM
		   ? unsafe_refuse(x, name, "leads to a missing file through a symbolic link", e)
		   : 0;
}

static int kind_check(const struct names *x, const char *name, const struct stat *st, struct err *e)
{
	char why[64];
	if (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode))
		return 0;
	snprintf(why, sizeof why, "is %s", confined_kind_name(st->st_mode));
	return unsafe_refuse(x, name, why, e);
}

static int relative_check(struct names *x, const char *name, struct err *e)
{
	struct stat st;
	if (!x->climbing && names_climb(name))
		x->climbing = xstrdup(name);
	SCOPED_FD int fd = name_open(x->dir_fd, name, 0);
	if (fd == -EXDEV || fd == -ELOOP || fd == -EPERM || fd == -EINVAL)
		return unsafe_refuse(x, name, "leads out of the target directory", e);
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ENAMETOOLONG)
		return missing_check(x, name, e);
	if (fd < 0)
		return err_sys(e, -fd, "cannot look up the name \"%s\" in the target directory",
			       name);
	return fstat(fd, &st) < 0 ? err_sys(e, errno, "cannot examine %s", name)
				  : kind_check(x, name, &st, e);
}

static int name_check(struct names *x, const char *name, struct err *e)
{
	const struct names_how *how = x->how;
	if (*name != '/')
		return relative_check(x, name, e);
	const char *below = how->root ? behind_root(name, how->root) : NULL;
	if (below)
		return relative_check(x, below, e);
	if (!how->others_stay)
		return err_set(e, EPERM, "refused: the name \"%s\" is absolute, not below the "
			"target directory, and %s does not check names; leave such requests out "
			"(\"validate slice --object '[!/]*'\"), or use an engine of validate "
			"(--engine event), which stays in the target directory", name,
			how->program);
	return names_climb(name) ? unsafe_refuse(x, name, "is absolute and has \"..\"", e) : 0;
}

/* --- requests ------------------------------------------------------------ */

static int object_check(struct names *x, struct trace *t, uint32_t id, struct err *e)
{
	const struct trace_object *o = id == OBJECT_NONE ? NULL : trace_object(t, id);
	const uint64_t n = x->checked.n;
	if (o)
		u64_map_at(&x->checked, id, 0);
	return o && x->checked.n != n ? name_check(x, o->name, e) : 0;
}

/* Checks a further name of the request: the second name of a rename or link, the target of a
 * symbolic link, or the file of a second descriptor. */
static int heap_check(struct names *x, struct trace *t, const struct trace_record *r, struct err *e)
{
	const unsigned int uses = op_info(r->op)->uses;
	struct op_peer peer;
	const void *data = NULL;
	size_t len = 0;
	if (!(uses & (OP_HEAP_PATH | OP_HEAP_PEER)))
		return 0;
	int ret = trace_heap(t, r->heap, &data, &len, e);
	if (ret || !data)
		return ret;
	if (uses & OP_HEAP_PEER) {
		if (len < sizeof peer)
			return 0;
		memcpy(&peer, data, sizeof peer);
		return object_check(x, t, peer.object, e);
	}
	SCOPED_FREE char *name =
	    xasprintf("%.*s", (int)(len < INT_MAX ? len : INT_MAX), (const char *)data);
	if (r->op == OP_SYMLINK && (*name == '/' || names_climb(name)))
		ret = unsafe_refuse(x, name, "is the target of a new link and may lead out of the "
				    "target directory", e);
	else if (r->op != OP_SYMLINK)
		ret = name_check(x, name, e);
	return ret;
}

static int request_check(struct names *x, struct trace *t, const struct trace_record *r,
			 struct err *e)
{
	const uint64_t type = r->length & S_IFMT;
	int ret = object_check(x, t, r->object, e);
	ret = ret ? ret : heap_check(x, t, r, e);
	/* Notes whether the request can change what a checked name refers to. A new file or
	 * directory cannot: the parent directories of every checked name that exists were there
	 * before. */
	x->changes |= op_info(r->op)->family == FAMILY_NAME && r->op != OP_OPEN &&
		      r->op != OP_CLOSE && r->op != OP_MKDIR && r->op != OP_READLINK &&
		      r->op != OP_REALPATH;
	if (!ret && r->op == OP_MKNOD && type && type != S_IFREG && type != S_IFSOCK)
		ret = err_set(e, EPERM, "refused: the trace creates %s, and %s could open it "
			"later; use an engine of validate (--engine event), which opens only "
			"regular files and directories", confined_kind_name((mode_t)type),
			x->how->program);
	return ret;
}

/* --- the directory ------------------------------------------------------- */

static int entry_check(const struct names *x, const FTSENT *f, struct err *e)
{
	char link[PATH_MAX];
	ssize_t len;
	switch (f->fts_info) {
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return err_sys(e, f->fts_errno, "cannot examine %s", f->fts_path);
	case FTS_SL:
	case FTS_SLNONE:
		len = readlink(f->fts_accpath, link, sizeof link - 1);
		if (len < 0)
			return err_sys(e, errno, "cannot read the symbolic link %s", f->fts_path);
		link[len] = 0;
		return *link == '/' || names_climb(link)
			   ? unsafe_refuse(x, f->fts_path, "is a link that may lead out of the "
					   "target directory after a rename", e)
			   : 0;
	case FTS_DEFAULT:
		return kind_check(x, f->fts_path, f->fts_statp, e);
	default:
		return 0;
	}
}

/* If the trace moves names, no object of the directory may be harmful under another name. */
static int tree_check(const struct names *x, struct err *e)
{
	char *const top[] = {(char *)x->how->dir, NULL};
	FTS *tree = fts_open(top, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *f;
	int ret = 0;
	if (!tree)
		return err_sys(e, errno, "cannot read directory %s", x->how->dir);
	for (errno = 0; !ret && (f = fts_read(tree)); errno = 0)
		ret = entry_check(x, f, e);
	if (!ret && errno)
		ret = err_sys(e, errno, "cannot read directory %s", x->how->dir);
	fts_close(tree);
	return ret;
}

/* --- the whole check ----------------------------------------------------- */

int names_check(const struct names_how *how, const struct inputs *in, struct trace *t,
		bool *changes, struct err *e)
{
	struct names x = {.how = how};
	const struct trace_record *r;
	uint64_t i = 0;
	x.dir_fd = open(how->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (x.dir_fd < 0)
		return err_sys(e, errno, "cannot open directory %s", how->dir);
	int ret = trace_rewind(t, e);
	for (; !ret && (ret = trace_next(t, &r, e)) == 1; i++)
		ret = inputs_is_left_out(in, i) ? 0 : request_check(&x, t, r, e);
	if (!ret && x.changes && x.climbing)
		ret = unsafe_refuse(&x, x.climbing,
				    "has \"..\" and may lead out of the target directory, "
				    "because requests of the trace (such as rename or unlink) "
				    "can change where the name leads", e);
	if (!ret && x.changes)
		ret = tree_check(&x, e);
	*changes = x.changes;
	free(x.climbing);
	u64_map_release(&x.checked);
	close(x.dir_fd);
	return ret;
}
