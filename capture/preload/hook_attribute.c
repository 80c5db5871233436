/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that read or change the attributes of a file. */
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "capture/op.h"
#include "capture/preload/core.h"

#define LINK_ITSELF AT_SYMLINK_NOFOLLOW

#define ON_PATH(operation, directory, name, mode_or_length, how, function, ...)			   \
	CALL_PATH(int, directory, name,								   \
		  (.op = operation, .length = mode_or_length, .flags = (uint32_t)(how)), function, \
		  __VA_ARGS__)
#define ON_FD(operation, fd, length, how, function, ...)					   \
	CALL_FD(int, (operation, fd, 0, length, (uint32_t)(how)), function, __VA_ARGS__)

/* --- stat: names since glibc 2.33, and older names ------------------------ */

/* Records a stat. With AT_EMPTY_PATH, an empty path means the descriptor itself. */
static int note_stat(uint64_t begin, uint64_t end, int got, uint16_t op, int dir, const char *path,
		     int flags, unsigned int mask)
{
	bool by_fd = flags & AT_EMPTY_PATH && got == 0 && (!path || !*path) && dir >= 0;
	if (by_fd)
		IO(OP_FSTAT, dir, 0, 0, 0);
	else
		NOTE(.op = op, .dir = dir, .path = path, .length = mask, .flags = (uint32_t)flags);
	return got;
}

#define STAT_BY(op, mask, dir, path, flags, function, ...)					   \
	capture_look(dir, path);								   \
	TIMED(int, function, __VA_ARGS__);							   \
	return note_stat(begin, end, got, op, dir, path, flags, mask)
#define STAT(dir, path, flags, function, ...)							   \
	STAT_BY(OP_STAT, 0, dir, path, flags, function, __VA_ARGS__)

HOOK(int, stat, (const char *path, struct stat *to), STAT(AT_FDCWD, path, 0, stat, path, to))
ALIAS(stat64, stat);
HOOK(int, lstat, (const char *path, struct stat *to),
     STAT(AT_FDCWD, path, LINK_ITSELF, lstat, path, to))
ALIAS(lstat64, lstat);
HOOK(int, fstatat, (int dir, const char *path, struct stat *to, int flags),
     STAT(dir, path, flags, fstatat, dir, path, to, flags))
ALIAS(fstatat64, fstatat);
HOOK(int, fstat, (int fd, struct stat *to), ON_FD(OP_FSTAT, fd, 0, 0, fstat, fd, to))
ALIAS(fstat64, fstat);

HOOK(int, __xstat, (int version, const char *path, struct stat *to),
     STAT(AT_FDCWD, path, 0, __xstat, version, path, to))
ALIAS(__xstat64, __xstat);
HOOK(int, __lxstat, (int version, const char *path, struct stat *to),
     STAT(AT_FDCWD, path, LINK_ITSELF, __lxstat, version, path, to))
ALIAS(__lxstat64, __lxstat);
HOOK(int, __fxstat, (int version, int fd, struct stat *to),
     ON_FD(OP_FSTAT, fd, 0, 0, __fxstat, version, fd, to))
ALIAS(__fxstat64, __fxstat);
HOOK(int, __fxstatat, (int version, int dir, const char *path, struct stat *to, int flags),
     STAT(dir, path, flags, __fxstatat, version, dir, path, to, flags))
ALIAS(__fxstatat64, __fxstatat);

HOOK(int, statx, (int dir, const char *restrict path, int flags, unsigned int mask,
		  struct statx *restrict to),
     STAT_BY(OP_STATX, mask, dir, path, flags, statx, dir, path, flags, mask, to))

HOOK(int, statfs, (const char *path, struct statfs *to),
     ON_PATH(OP_STATFS, AT_FDCWD, path, 0, 0, statfs, path, to))
ALIAS(statfs64, statfs);
ALIAS(__statfs, statfs);
HOOK(int, statvfs, (const char *restrict path, struct statvfs *restrict to),
     ON_PATH(OP_STATFS, AT_FDCWD, path, 0, 0, statvfs, path, to))
ALIAS(statvfs64, statvfs);
HOOK(int, fstatfs, (int fd, struct statfs *to), ON_FD(OP_FSTATFS, fd, 0, 0, fstatfs, fd, to))
ALIAS(fstatfs64, fstatfs);
HOOK(int, fstatvfs, (int fd, struct statvfs *to), ON_FD(OP_FSTATFS, fd, 0, 0, fstatvfs, fd, to))
ALIAS(fstatvfs64, fstatvfs);

/* --- access, mode, owner -------------------------------------------------- */

HOOK(int, access, (const char *path, int how),
     ON_PATH(OP_ACCESS, AT_FDCWD, path, (uint64_t)how, 0, access, path, how))
HOOK(int, eaccess, (const char *path, int how),
     ON_PATH(OP_ACCESS, AT_FDCWD, path, (uint64_t)how, AT_EACCESS, eaccess, path, how))
ALIAS(euidaccess, eaccess);
HOOK(int, faccessat, (int dir, const char *path, int how, int flags),
     ON_PATH(OP_ACCESS, dir, path, (uint64_t)how, flags, faccessat, dir, path, how, flags))
HOOK(int, chmod, (const char *path, mode_t mode),
     ON_PATH(OP_CHMOD, AT_FDCWD, path, mode, 0, chmod, path, mode))
HOOK(int, lchmod, (const char *path, mode_t mode),
     ON_PATH(OP_CHMOD, AT_FDCWD, path, mode, LINK_ITSELF, lchmod, path, mode))
HOOK(int, fchmodat, (int dir, const char *path, mode_t mode, int flags),
     ON_PATH(OP_CHMOD, dir, path, mode, flags, fchmodat, dir, path, mode, flags))
HOOK(int, fchmod, (int fd, mode_t mode), ON_FD(OP_FCHMOD, fd, mode, 0, fchmod, fd, mode))

static uint64_t owner_pack(uid_t user, gid_t group)
{
	return (uint64_t)group << 32 | user;
}

#define CHOWN(directory, name, how, function, ...)						   \
	CALL_PATH(int, directory, name,								   \
		  (.op = OP_CHOWN, .offset = owner_pack(user, group), .flags = (uint32_t)(how)),   \
		  function, __VA_ARGS__)

HOOK(int, chown, (const char *path, uid_t user, gid_t group),
     CHOWN(AT_FDCWD, path, 0, chown, path, user, group))
HOOK(int, lchown, (const char *path, uid_t user, gid_t group),
     CHOWN(AT_FDCWD, path, LINK_ITSELF, lchown, path, user, group))
HOOK(int, fchownat, (int dir, const char *path, uid_t user, gid_t group, int flags),
     CHOWN(dir, path, flags, fchownat, dir, path, user, group, flags))

HOOK(int, fchown, (int fd, uid_t user, gid_t group),
     CALL_FD(int, (OP_FCHOWN, fd, owner_pack(user, group), 0, 0), fchown, fd, user, group))

/* --- times: the record has seconds and ns of access and modification ---- */

struct attribute_times {
	int64_t v[4];
	size_t size; /* 0: the current time */
};

/* Converts timespec or timeval. One unit of the second member is `ns` nanoseconds. */
#define TIMES(t, member, ns)									   \
	(capture_given(t, 2 * sizeof *t, got)							   \
	     ? (struct attribute_times){{t[0].tv_sec, t[0].member * (ns), t[1].tv_sec,		   \
					 t[1].member * (ns)}, 4 * sizeof(int64_t)}		   \
	     : (struct attribute_times){.size = 0})

#define UTIMENS(directory, name, how, given, function, ...)					   \
	capture_look(directory, name);								   \
	TIMED(int, function, __VA_ARGS__);							   \
	const struct attribute_times t = given;							   \
	NOTE(.op = OP_UTIMENS, .dir = directory, .path = name, .flags = (uint32_t)(how),	   \
	     .extra = t.v,									   \
	     .extra_len = t.size);								   \
	return got
#define FUTIMENS(given, function, ...)								   \
	TIMED(int, function, __VA_ARGS__);							   \
	const struct attribute_times t = given;							   \
	NOTE(.op = OP_FUTIMENS, .fd = fd, .extra = t.v, .extra_len = t.size);			   \
	return got

HOOK(int, utimensat, (int dir, const char *path, const struct timespec t_[2], int flags),
     UTIMENS(dir, path, flags, TIMES(t_, tv_nsec, 1), utimensat, dir, path, t_, flags))
HOOK(int, futimens, (int fd, const struct timespec t_[2]),
     FUTIMENS(TIMES(t_, tv_nsec, 1), futimens, fd, t_))
HOOK(int, utimes, (const char *path, const struct timeval t_[2]),
     UTIMENS(AT_FDCWD, path, 0, TIMES(t_, tv_usec, 1000), utimes, path, t_))
HOOK(int, lutimes, (const char *path, const struct timeval t_[2]),
     UTIMENS(AT_FDCWD, path, LINK_ITSELF, TIMES(t_, tv_usec, 1000), lutimes, path, t_))
HOOK(int, futimesat, (int dir, const char *path, const struct timeval t_[2]),
     UTIMENS(dir, path, 0, TIMES(t_, tv_usec, 1000), futimesat, dir, path, t_))
HOOK(int, futimes, (int fd, const struct timeval t_[2]),
     FUTIMENS(TIMES(t_, tv_usec, 1000), futimes, fd, t_))

static struct attribute_times times_of_buf(const struct utimbuf *b, int got)
{
	if (!capture_given(b, sizeof *b, got))
		return (struct attribute_times){.size = 0};
	return (struct attribute_times){{b->actime, 0, b->modtime, 0}, 4 * sizeof(int64_t)};
}

HOOK(int, utime, (const char *path, const struct utimbuf *b),
     UTIMENS(AT_FDCWD, path, 0, times_of_buf(b, got), utime, path, b))

/* --- extended attributes -------------------------------------------------- */

#define XATTR_PATH(type, operation, how, size, function, ...)					   \
	CALL_PATH(type, AT_FDCWD, path, XATTR(operation, how, size), function, __VA_ARGS__)
#define XATTR_FD(type, operation, how, size, function, ...)					   \
	CALL_NOTED(type, (.fd = fd, FIELDS_OF XATTR(operation, how, size)), function, __VA_ARGS__)
#define XATTR(operation, how, size)								   \
	(.op = operation, .length = size, .flags = (uint32_t)(how), .extra = name,		   \
	 .extra_len = capture_given_text(name, got))

HOOK(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t n),
     XATTR_PATH(ssize_t, OP_GETXATTR, 0, n, getxattr, path, name, value, n))
HOOK(ssize_t, lgetxattr, (const char *path, const char *name, void *value, size_t n),
     XATTR_PATH(ssize_t, OP_GETXATTR, LINK_ITSELF, n, lgetxattr, path, name, value, n))
HOOK(ssize_t, fgetxattr, (int fd, const char *name, void *value, size_t n),
     XATTR_FD(ssize_t, OP_FGETXATTR, 0, n, fgetxattr, fd, name, value, n))

/* Flags for a call that sets permissions by an access control list. The call succeeded, so the
 * value is readable. */
static uint32_t acl_flags(const char *name, const void *value, size_t n, int got)
{
	return got == 0 && name && !strcmp(name, OP_ACL_NAME) ? op_acl_flags(value, n) : 0;
}

/* XATTR_CREATE and XATTR_REPLACE are 1 and 2; no AT_ flag uses these bits. */
HOOK(int, setxattr, (const char *path, const char *name, const void *value, size_t n, int flags),
     XATTR_PATH(int, OP_SETXATTR, (uint32_t)flags | acl_flags(name, value, n, got), n, setxattr,
	  path, name, value, n, flags))
HOOK(int, lsetxattr, (const char *path, const char *name, const void *value, size_t n, int flags),
     XATTR_PATH(int, OP_SETXATTR, (uint32_t)flags | LINK_ITSELF | acl_flags(name, value, n, got), n,
	  lsetxattr, path, name, value, n, flags))
HOOK(int, fsetxattr, (int fd, const char *name, const void *value, size_t n, int flags),
     XATTR_FD(int, OP_FSETXATTR, (uint32_t)flags | acl_flags(name, value, n, got), n, fsetxattr, fd,
	  name, value, n, flags))

#define LISTXATTR(how, function)								   \
	CALL_PATH(ssize_t, AT_FDCWD, path,							   \
		  (.op = OP_LISTXATTR, .length = n, .flags = (how)), function, path, list, n)

HOOK(ssize_t, listxattr, (const char *path, char *list, size_t n), LISTXATTR(0, listxattr))
HOOK(ssize_t, llistxattr, (const char *path, char *list, size_t n),
     LISTXATTR(LINK_ITSELF, llistxattr))

HOOK(ssize_t, flistxattr, (int fd, char *list, size_t n),
     CALL_FD(ssize_t, (OP_FLISTXATTR, fd, 0, n, 0), flistxattr, fd, list, n))
HOOK(int, removexattr, (const char *path, const char *name),
     XATTR_PATH(int, OP_REMOVEXATTR, 0, 0, removexattr, path, name))
HOOK(int, lremovexattr, (const char *path, const char *name),
     XATTR_PATH(int, OP_REMOVEXATTR, LINK_ITSELF, 0, lremovexattr, path, name))
HOOK(int, fremovexattr, (int fd, const char *name),
     XATTR_FD(int, OP_FREMOVEXATTR, 0, 0, fremovexattr, fd, name))

/* umask(2) is not a request. The modes of later requests include its effect. */

EXPORT mode_t umask(mode_t mask)
{
	const mode_t got = REAL(umask)(mask);
	if (capture_is_on())
		capture_umask = OP_UMASK_KNOWN | (mask & 0777);
	return got;
}
