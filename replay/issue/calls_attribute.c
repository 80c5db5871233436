/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that read or change the attributes of a file. */
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "replay/issue/calls_private.h"

/* set-user-ID is not replayed, and set-group-ID only for directories */
#define PERMISSIONS 01777

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

/* Makes the call `on_name` on the last component without following a link, or the call
 * `on_descriptor` on the descriptor of the whole path, which is looked up between the stamps. The
 * expressions may use `dir`, `last` and `fd`. */
#define ON_PATH(k, on_name, on_descriptor)							   \
	do {											   \
		int fd = -1;                                                                       \
		int dir = (k)->c->bits & CALL_FOLLOW ? (k)->p->root.fd                             \
						      : call_directory(k, (k)->path);              \
		const char *last = call_is_bad(k) ? BAD_ADDRESS : (k)->path->last;		   \
		if (dir < 0)									   \
			return;									   \
		if ((k)->c->bits & CALL_FOLLOW)							   \
			CALL(k, (fd = rooted_look(dir, (k)->path->whole, 0)) < 0                   \
					? -1                                                       \
					: (on_descriptor));                                        \
		else										   \
			CALL(k, (on_name));							   \
		(void)last;									   \
		if (fd >= 0)									   \
			close(fd);								   \
	} while (0)

/* --- reading attributes -------------------------------------------------- */

void call_stat(struct caller *k)
{
	struct stat st;
	ON_PATH(k, fstatat(dir, last, &st, AT_SYMLINK_NOFOLLOW), fstat(fd, &st));
}

void call_fstat(struct caller *k)
{
	struct stat st;
	ON_DESCRIPTOR(k, fstat(fd, &st));
}

void call_statx(struct caller *k)
{
	struct statx st;
	const int flags =
	    (int)(k->c->flags & (AT_STATX_FORCE_SYNC | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT));
	const unsigned int mask = (unsigned int)k->c->length & STATX_ALL;
	ON_PATH(k, statx(dir, last, flags | AT_SYMLINK_NOFOLLOW, mask, &st),
		statx(fd, "", flags | AT_EMPTY_PATH, mask, &st));
}

void call_statfs(struct caller *k)
{
	struct statfs st;
	ON_PATH(k,
		(fd = openat(dir, last, O_PATH | O_NOFOLLOW | O_CLOEXEC)) < 0 ? -1
									      : fstatfs(fd, &st),
		fstatfs(fd, &st));
}

void call_fstatfs(struct caller *k)
{
	struct statfs st;
	ON_DESCRIPTOR(k, fstatfs(fd, &st));
}

void call_access(struct caller *k)
{
	const int mode = (int)k->c->length & (R_OK | W_OK | X_OK),
		  flags = (int)(k->c->flags & AT_EACCESS);
	ON_PATH(k, syscall(SYS_faccessat2, dir, last, mode, flags | AT_SYMLINK_NOFOLLOW),
		syscall(SYS_faccessat2, fd, "", mode, flags | AT_EMPTY_PATH));
}

/* --- changing attributes ------------------------------------------------- */

static int mode_set_of(int fd, mode_t mode)
{
	int ret = (int)syscall(SYS_fchmodat2, fd, "", mode, AT_EMPTY_PATH);
	return ret < 0 && errno == ENOSYS ? chmod(proc_path(fd).text, mode) : ret;
}

static mode_t permissions_for(int fd, uint64_t mode)
{
	struct stat st;
	const bool group = mode & S_ISGID && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
	return (mode_t)mode & (PERMISSIONS | (group ? S_ISGID : 0));
}

void call_fchmod(struct caller *k)
{
	const mode_t mode = permissions_for(call_fd(k, k->c->slot), k->c->length);
	ON_DESCRIPTOR(k, fchmod(fd, mode));
}

/* Sets the owner that the call gives. Without privileges it is the replaying user, so that a call
 * that succeeded in the trace succeeds again. */
static void owner_of(const struct caller *k, uid_t *user, gid_t *group)
{
	uid_t self = geteuid();
	*user = (uid_t)k->c->offset;
	*group = (gid_t)(k->c->offset >> 32);
	if (self == 0 || k->c->traced < 0)
		return;
	if (*user != (uid_t)-1)
		*user = self;
	if (*group != (gid_t)-1)
		*group = getegid();
}

void call_fchown(struct caller *k)
{
	uid_t user;
	gid_t group;
	int fd = call_fd(k, k->c->slot);
	owner_of(k, &user, &group);
	/* fchown() would refuse such a descriptor; the program called fchownat() */
	if (k->calls->slot[k->c->slot].flags & O_PATH && k->c->traced >= 0)
		CALL(k, fchownat(fd, "", user, group, AT_EMPTY_PATH));
	else
		CALL(k, fchown(fd, user, group));
}

void call_futimens(struct caller *k)
{
	ON_DESCRIPTOR(k, futimens(fd, &k->calls->times[k->c->times]));
}

/* --- extended attributes ------------------------------------------------- */

/* Looks up the file of a path (call_look), because these calls have no variant with a directory.
 * The call is made through its descriptor. If the look-up fails, the call is made with the path, so
 * that it fails between the stamps. */
static int attribute_look_up(struct caller *k, int dir)
{
	if (call_is_bad(k))
		return (int)call_error(EFAULT);
	return k->c->bits & CALL_FOLLOW ? call_look(k, dir, k->path->whole, 0)
					: call_look(k, dir, k->path->last, O_NOFOLLOW);
}

static int attribute_file(struct caller *k)
{
	int dir = k->c->bits & CALL_FOLLOW ? k->p->root.fd : call_directory(k, k->path);
	int fd = dir < 0 ? -1 : attribute_look_up(k, dir);
	if (fd >= 0 || dir < 0)
		return fd;
	CALL(k, fd = attribute_look_up(k, dir));
	if (fd >= 0) { /* another thread has just created it */
		close(fd);
		k->out->rvalue = -ENOENT;
	}
	return -1;
}

/* The name of the attribute. A call that failed with EFAULT gets a bad address, so that it cannot
 * change an attribute. */
static const char *attribute_name(const struct caller *k)
{
	return call_is_bad(k) ? BAD_ADDRESS : k->c->text;
}

static size_t room_of(const struct caller *k)
{
	return k->c->length < CALL_BUFFER_MAX ? k->c->length : CALL_BUFFER_MAX;
}

#define ON_FILE(k, expression) ON_FILE_FROM(attribute_file, k, expression)
#define ON_CHANGED_FILE(k, expression) ON_FILE_FROM(changed_file, k, expression)
#define ON_FILE_FROM(look_up, k, expression)                                                       \
	do {                                                                                       \
		int fd = look_up(k);                                                               \
		if (fd < 0)                                                                        \
			return;                                                                    \
		const struct proc_path file = proc_path(fd);                                       \
		(void)file;                                                                        \
		CALL(k, (expression));                                                             \
		close(fd);                                                                         \
	} while (0)

/* Compares only success: the size of a value is not compared (call_result_counts). */
static void success_only(struct caller *k)
{
	if (k->out->rvalue > 0)
		k->out->rvalue = 0;
}

/* --- changes by path ----------------------------------------------------- */

/* Opens the file whose attributes are to be changed. The permissions of a device node control
 * access to the device, so a replay changes neither them nor the node's times and attributes. The
 * node is looked up and checked before the first stamp, and the call is made through that
 * descriptor. So a rename between check and call does no harm. Returns -1 with the outcome. */
static int changed_file(struct caller *k)
{
	struct stat st = {0};
	int fd = attribute_file(k);
	if (fd < 0 || (fstat(fd, &st) == 0 &&
		       (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode))))
		return fd;
	if ((S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)) && call_socket_is_own(k, st.st_ino))
		return fd;
	close(fd);
	CALL(k, rooted_refuse(&k->p->root, k->path->whole, st.st_mode));
	return -1;
}

void call_chmod(struct caller *k)
{
	ON_CHANGED_FILE(k, mode_set_of(fd, permissions_for(fd, k->c->length)));
}

void call_chown(struct caller *k)
{
	uid_t user;
	gid_t group;
	owner_of(k, &user, &group);
	ON_CHANGED_FILE(k, fchownat(fd, "", user, group, AT_EMPTY_PATH));
}

void call_utimens(struct caller *k)
{
	ON_CHANGED_FILE(k, utimensat(fd, "", &k->calls->times[k->c->times], AT_EMPTY_PATH));
}

/* Uses syscall(), because sanitizers would read the name at BAD_ADDRESS in the C library's
 * function. */
void call_getxattr(struct caller *k)
{
	ON_FILE(k, syscall(SYS_getxattr, file.text, attribute_name(k), k->memory, room_of(k)));
	success_only(k);
}

void call_fgetxattr(struct caller *k)
{
	ON_DESCRIPTOR(k, syscall(SYS_fgetxattr, fd, attribute_name(k), k->memory, room_of(k)));
	success_only(k);
}

/* Sets permissions by an access control list. As with chmod(), devices are not changed. */
static void set_permissions(struct caller *k)
{
	unsigned char value[OP_ACL_BYTES];
	const bool by_path = k->c->op == OP_SETXATTR;
	const int fd = by_path ? changed_file(k) : call_fd(k, k->c->slot);
	if (by_path && fd < 0)
		return;
	op_acl_value(k->c->flags, value);
	if (by_path)
		CALL(k, setxattr(proc_path(fd).text, OP_ACL_NAME, value, sizeof value, 0));
	else
		CALL(k, fsetxattr(fd, OP_ACL_NAME, value, sizeof value, 0));
	if (by_path)
		close(fd);
}

void call_setxattr(struct caller *k)
{
	const int how = (int)(k->c->flags & (XATTR_CREATE | XATTR_REPLACE));
	if (k->c->flags & OP_ACL_IS_MODE)
		set_permissions(k);
	else
		ON_CHANGED_FILE(k,
				setxattr(file.text, attribute_name(k), k->memory, room_of(k), how));
}

void call_fsetxattr(struct caller *k)
{
	const int how = (int)(k->c->flags & (XATTR_CREATE | XATTR_REPLACE));
	if (k->c->flags & OP_ACL_IS_MODE)
		set_permissions(k);
	else
		ON_DESCRIPTOR(k, fsetxattr(fd, attribute_name(k), k->memory, room_of(k), how));
}

void call_listxattr(struct caller *k)
{
	ON_FILE(k, listxattr(file.text, k->memory, room_of(k)));
	success_only(k);
}

void call_flistxattr(struct caller *k)
{
	ON_DESCRIPTOR(k, flistxattr(fd, k->memory, room_of(k)));
	success_only(k);
}

void call_removexattr(struct caller *k)
{
	ON_CHANGED_FILE(k, removexattr(file.text, attribute_name(k)));
}

void call_fremovexattr(struct caller *k)
{
	ON_DESCRIPTOR(k, fremovexattr(fd, attribute_name(k)));
}
