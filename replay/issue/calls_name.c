/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls on names. */
#include <linux/fs.h>
#include <sys/syscall.h>

#include "replay/issue/calls_private.h"

#define PERMISSIONS 01777 /* set-user-ID and set-group-ID are not replayed */

static const char *last_of(const struct caller *k, const struct call_path *path)
{
	return call_is_bad(k) ? BAD_ADDRESS : path->last;
}

/* open() of a socket fails with ENXIO. A replay opens no socket: if the path names one, it reports
 * the same error. */
static int open_socket(const struct rooted *root, const char *path, uint32_t flags, uint32_t mode)
{
	struct stat st = {0};
	const int fd = rooted_look(root->fd, path, flags & O_NOFOLLOW);
	const bool is_socket = fd >= 0 && fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
	fd_close(fd);
	return is_socket ? (int)call_error(ENXIO) : rooted_open_timed(root, path, flags, mode);
}

/* Opens a file relative to its directory and with O_NOFOLLOW, as programs that walk through trees
 * do. A look-up of the whole path takes longer. */
void call_open(struct caller *k)
{
	const struct slot *b = &k->calls->slot[k->c->slot];
	uint32_t flags = rooted_flags(b->flags);
	struct rooted at = k->p->root;
	const char *path = k->path->whole;
	if (call_is_bad(k)) {
		CALL(k, call_bad_path(k));
		return;
	}
	if (b->replaces)
		call_slot_end(k->p, b->replaces);
	if (flags & O_NOFOLLOW) {
		at.fd = call_directory(k, k->path);
		path = k->path->last;
	}
	if (at.fd < 0)
		return;
	if (k->c->traced == -ENXIO)
		CALL(k, open_socket(&at, path, flags, b->mode));
	else
		CALL(k, rooted_open_timed(&at, path, flags, b->mode));
	if (k->out->rvalue < 0)
		return;
	int fd = rooted_settle(&at, (int)k->out->rvalue, k->path->whole, flags);
	k->out->rvalue = fd < 0 ? -errno : 0;
	if (fd >= 0)
		call_slot_set(k, k->c->slot, fd);
}

/* Two directories that are used together: looking up the second must not evict the first from the
 * store. */
struct two {
	int from, to, kept;
};

static bool directories_open(struct caller *k, struct two *d)
{
	const struct call_path *a = k->path, *b = k->second;
	*d = (struct two){.from = call_directory(k, a), .to = -1, .kept = -1};
	if (d->from < 0)
		return false;
	if (a->place && b->place && a->place != b->place &&
	    call_store_collide(&k->site->runner->store, a->place, b->place))
		d->from = d->kept = fcntl(d->from, F_DUPFD_CLOEXEC, 3);
	/* the same directory is not looked up twice, because a rename by another thread could evict
	 * it from the store */
	d->to = a->place == b->place ? d->from : call_directory(k, b);
	if (d->to < 0 && d->kept >= 0)
		close(d->kept);
	return d->to >= 0;
}

void call_rename(struct caller *k)
{
	const struct call *c = k->c;
	struct two d;
	if (!directories_open(k, &d))
		return;
	const char *old = last_of(k, k->path), *new = last_of(k, k->second);
	if (c->flags)
		CALL(k, syscall(SYS_renameat2, d.from, old, d.to, new,
				c->flags & (RENAME_NOREPLACE | RENAME_EXCHANGE)));
	else
		CALL(k, renameat(d.from, old, d.to, new));
	fd_close(d.kept);
}

/* Links a file by its descriptor: a file without a name, or a symbolic link's target. */
static void link_descriptor(struct caller *k, int fd)
{
	const struct proc_path p = proc_path(fd);
	int to = call_directory(k, k->second);
	if (to >= 0)
		CALL(k, linkat(AT_FDCWD, p.text, to, last_of(k, k->second), AT_SYMLINK_FOLLOW));
}

void call_link(struct caller *k)
{
	const struct call *c = k->c;
	if (c->bits & CALL_OF_DESCRIPTOR) {
		link_descriptor(k, call_fd(k, c->slot));
		return;
	}
	if (c->bits & CALL_FOLLOW) {
		int fd = call_look(k, k->p->root.fd, k->path->whole, 0);
		if (fd >= 0) {
			link_descriptor(k, fd);
			close(fd);
			return;
		}
	}
	struct two d;
	if (!directories_open(k, &d))
		return;
	CALL(k, linkat(d.from, last_of(k, k->path), d.to, last_of(k, k->second), 0));
	fd_close(d.kept);
}

void call_symlink(struct caller *k)
{
	int dir = call_directory(k, k->path);
	if (dir >= 0)
		CALL(k, symlinkat(k->c->text, dir, last_of(k, k->path)));
}

void call_readlink(struct caller *k)
{
	int dir = call_directory(k, k->path);
	size_t room = k->c->length < CALL_BUFFER_MAX ? k->c->length : CALL_BUFFER_MAX;
	if (dir >= 0)
		/* by number, as call_getxattr */
		CALL(k, syscall(SYS_readlinkat, dir, last_of(k, k->path), k->memory, room));
}

/* unlink and rmdir */
void call_unlink(struct caller *k)
{
	int dir = call_directory(k, k->path);
	int flags = k->c->op == OP_RMDIR ? AT_REMOVEDIR : (int)(k->c->flags & AT_REMOVEDIR);
	if (dir >= 0)
		CALL(k, unlinkat(dir, last_of(k, k->path), flags));
}

void call_mkdir(struct caller *k)
{
	int dir = call_directory(k, k->path);
	if (dir >= 0)
		CALL(k, mkdirat(dir, last_of(k, k->path), (mode_t)k->c->length & PERMISSIONS));
}

static void socket_remember(const struct caller *k, int dir)
{
	struct call_sockets *s = &k->calls->common->sockets;
	struct stat st;
	if (fstatat(dir, last_of(k, k->path), &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (!S_ISSOCK(st.st_mode) && !S_ISFIFO(st.st_mode)))
		return;
	const uint32_t i = atomic_fetch_add(&s->n, 1);
	if (i < SOCKETS_MAX)
		atomic_store(&s->inode[i], st.st_ino);
}

bool call_socket_is_own(const struct caller *k, uint64_t inode)
{
	const struct call_sockets *s = &k->calls->common->sockets;
	for (uint32_t i = 0; i < SOCKETS_MAX && i < atomic_load(&s->n); i++)
		if (atomic_load(&s->inode[i]) == inode)
			return true;
	return false;
}

/* Sockets (bind) and FIFOs are created as such. A replay never opens them. */
void call_mknod(struct caller *k)
{
	const mode_t mode = (mode_t)k->c->length,
		     kind = mode & S_IFMT,
		     type = kind == S_IFSOCK || kind == S_IFIFO ? kind : S_IFREG;
	int dir = call_directory(k, k->path);
	if (dir < 0)
		return;
	CALL(k, mknodat(dir, last_of(k, k->path), type | (mode & PERMISSIONS), 0));
	if (type != S_IFREG && k->out->rvalue == 0)
		socket_remember(k, dir);
}

/* Changes the working directory of a replaying process. Threads of one process share the working
 * directory, so they do not change it. No path is looked up from there: the paths of the trace were
 * joined with the traced directory beforehand. */
static int work_at(const struct caller *k, int fd)
{
	if (fd < 0 || !k->p->passing || fchdir(fd) == 0)
		return fd;
	int error = errno;
	close(fd);
	return (int)call_error(error);
}

/* Looks up the path. `works`: the process also changes its directory to it. */
static void look_up(struct caller *k, uint32_t flags, bool works)
{
	const char *path = k->path->whole;
	int fd = -1, dir_fd = k->p->root.fd;
	if (call_is_bad(k))
		CALL(k, call_bad_path(k));
	else if (works)
		CALL(k, fd = work_at(k, rooted_look(dir_fd, path, flags)));
	else
		CALL(k, fd = rooted_look(dir_fd, path, flags));
	if (fd < 0)
		return;
	close(fd);
	k->out->rvalue = 0;
}

void call_realpath(struct caller *k)
{
	look_up(k, 0, false);
}

void call_chdir(struct caller *k)
{
	look_up(k, O_DIRECTORY, true);
}

void call_fchdir(struct caller *k)
{
	int fd = call_fd(k, k->c->slot), got = -1;
	CALL(k,
	     got = fd < 0 ? (int)call_error(EBADF) : work_at(k, rooted_look(fd, ".", O_DIRECTORY)));
	if (got < 0)
		return;
	close(got);
	k->out->rvalue = 0;
}

/* truncate(2) always follows links. Instead, the file is opened, which looks up the path as
 * truncate does, and its size is set. */
void call_truncate(struct caller *k)
{
	const struct call *c = k->c;
	const bool whole = c->bits & CALL_FOLLOW;
	const uint32_t how = O_WRONLY | O_NONBLOCK | O_CLOEXEC | (whole ? 0 : O_NOFOLLOW);
	const char *path = whole ? k->path->whole : last_of(k, k->path);
	struct rooted at = k->p->root;
	int fd = -1;
	if (call_is_bad(k)) {
		CALL(k, call_bad_path(k));
		return;
	}
	if (!whole)
		at.fd = call_directory(k, k->path);
	if (at.fd < 0)
		return;
	CALL(k, (fd = rooted_open(&at, path, how, 0)) < 0 ? -1 : ftruncate(fd, (off_t)c->length));
	fd_close(fd);
}
