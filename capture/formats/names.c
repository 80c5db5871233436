/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/names.h"

#include <linux/fs.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/xattr.h>

#include "capture/number.h"
#include "capture/syscall_table.h"

static size_t slot_of(const char *s, size_t len)
{
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return (h ^ h >> 15) & (NAME_SLOTS - 1);
}

void name_table_add(struct name_table *t, const char *name, int64_t value)
{
	size_t len = strlen(name), i = slot_of(name, len);
	while (t->slot[i].name && (t->slot[i].len != len || memcmp(t->slot[i].name, name, len)))
		i = (i + 1) & (NAME_SLOTS - 1);
	t->slot[i] = (struct name_slot){name, len, value};
}

bool name_table_find(const struct name_table *t, const char *s, size_t len, int64_t *value)
{
	for (size_t i = slot_of(s, len); t->slot[i].name; i = (i + 1) & (NAME_SLOTS - 1))
		if (t->slot[i].len == len && !memcmp(t->slot[i].name, s, len)) {
			*value = t->slot[i].value;
			return true;
		}
	return false;
}

#define C(NAME) {#NAME, NAME}
static const struct {
	const char *name;
	int64_t value;
} constants[] = {
	C(O_RDONLY), C(O_WRONLY), C(O_RDWR), C(O_CREAT), C(O_EXCL), C(O_NOCTTY), C(O_TRUNC),
	C(O_APPEND), C(O_NONBLOCK), C(O_DSYNC), C(O_SYNC), C(O_DIRECT), C(O_DIRECTORY),
	C(O_NOFOLLOW), C(O_CLOEXEC), C(O_NOATIME), C(O_PATH), C(O_ASYNC), {"O_LARGEFILE", 0},
	{"O_ACCMODE", 3}, {"O_TMPFILE", 020200000}, {"__O_SYNC", 04000000}, {"FASYNC", O_ASYNC},
	C(AT_SYMLINK_NOFOLLOW), C(AT_SYMLINK_FOLLOW), C(AT_REMOVEDIR), C(AT_EACCESS),
	C(AT_EMPTY_PATH), C(AT_NO_AUTOMOUNT), {"AT_STATX_SYNC_AS_STAT", 0},
	{"AT_STATX_FORCE_SYNC", 0x2000}, {"AT_STATX_DONT_SYNC", 0x4000}, C(SEEK_SET), C(SEEK_CUR),
	C(SEEK_END), C(SEEK_DATA), C(SEEK_HOLE), C(R_OK), C(W_OK), C(X_OK), C(F_OK), C(F_DUPFD),
	C(F_DUPFD_CLOEXEC), C(F_GETFD), C(F_SETFD), C(F_GETFL), C(F_SETFL), C(F_SETLK), C(F_SETLKW),
	C(F_GETLK), {"F_OFD_GETLK", 36}, {"F_OFD_SETLK", 37}, {"F_OFD_SETLKW", 38}, C(FD_CLOEXEC),
	{"F_ADD_SEALS", 1033}, {"F_GET_SEALS", 1034}, {"F_GETPIPE_SZ", 1032},
	{"F_SETPIPE_SZ", 1031}, C(LOCK_SH), C(LOCK_EX), C(LOCK_UN), C(LOCK_NB), C(F_RDLCK),
	C(F_WRLCK), C(F_UNLCK), C(POSIX_FADV_NORMAL), C(POSIX_FADV_RANDOM),
	C(POSIX_FADV_SEQUENTIAL), C(POSIX_FADV_WILLNEED), C(POSIX_FADV_DONTNEED),
	C(POSIX_FADV_NOREUSE), C(FALLOC_FL_KEEP_SIZE), C(FALLOC_FL_PUNCH_HOLE),
	C(FALLOC_FL_COLLAPSE_RANGE), C(FALLOC_FL_ZERO_RANGE), C(FALLOC_FL_INSERT_RANGE),
	C(FALLOC_FL_UNSHARE_RANGE), C(SYNC_FILE_RANGE_WAIT_BEFORE), C(SYNC_FILE_RANGE_WRITE),
	C(SYNC_FILE_RANGE_WAIT_AFTER), C(RENAME_NOREPLACE), C(RENAME_EXCHANGE), C(RENAME_WHITEOUT),
	{"RESOLVE_IN_ROOT", SYSCALL_RESOLVE_IN_ROOT}, C(MS_REMOUNT), C(MS_SHARED), C(MS_PRIVATE),
	C(MS_SLAVE), C(MS_UNBINDABLE), C(CLONE_NEWNS), C(CLONE_FILES), C(CLONE_FS),
	C(XATTR_CREATE), C(XATTR_REPLACE), C(PROT_NONE), C(PROT_READ), C(PROT_WRITE), C(PROT_EXEC),
	C(MAP_SHARED), C(MAP_PRIVATE), C(MAP_SHARED_VALIDATE), C(MAP_FIXED), C(MAP_ANONYMOUS),
	C(MAP_NORESERVE), C(MAP_POPULATE), C(MAP_LOCKED), C(MAP_DENYWRITE), C(MAP_SYNC),
	C(MAP_FIXED_NOREPLACE), C(MAP_NONBLOCK), C(MAP_STACK), C(MAP_HUGETLB), C(MAP_GROWSDOWN),
	C(S_IFREG), C(S_IFDIR), C(S_IFCHR), C(S_IFBLK), C(S_IFIFO), C(S_IFSOCK), C(S_IFLNK),
	C(MREMAP_MAYMOVE), C(MREMAP_FIXED), C(MS_ASYNC), C(MS_INVALIDATE), C(MS_SYNC),
	C(MADV_NORMAL), C(MADV_RANDOM), C(MADV_SEQUENTIAL), C(MADV_WILLNEED), C(MADV_DONTNEED),
	C(MADV_FREE), C(MADV_REMOVE), C(MADV_DONTFORK), C(MADV_DOFORK), C(MADV_HUGEPAGE),
	C(MADV_NOHUGEPAGE), C(MADV_DONTDUMP), C(MADV_DODUMP), {"MREMAP_DONTUNMAP", 4},
	{"MADV_COLD", 20}, {"MADV_PAGEOUT", 21}, {"MADV_POPULATE_READ", 22},
	{"MADV_POPULATE_WRITE", 23}, C(RWF_HIPRI), C(RWF_DSYNC), C(RWF_SYNC), C(RWF_NOWAIT),
	C(RWF_APPEND), {"CLONE_FILES", 0x400}, {"CLONE_FS", 0x200}, {"CLONE_THREAD", 0x10000},
};

void name_table_add_constants(struct name_table *t)
{
	for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
		name_table_add(t, constants[i].name, constants[i].value);
	for (int n = 1; n < 134; n++)
		if (strerrorname_np(n))
			name_table_add(t, strerrorname_np(n), n);
	name_table_add(t, "EWOULDBLOCK", 11);
	name_table_add(t, "EOPNOTSUPP", 95);
}

uint64_t names_or(const struct name_table *t, const char *s, size_t len, bool *all)
{
	const char *end = s + len;
	uint64_t sum = 0;
	*all = true;
	while (s < end) {
		const char *bar = memchr(s, '|', (size_t)(end - s));
		const char *stop = bar ? bar : end, *p = s;
		int64_t v = 0;
		uint64_t u;
		if (s < stop && *s >= '0' && *s <= '9' && scan_c_u64(&p, stop, &u))
			v = (int64_t)u;
		else if (!name_table_find(t, s, (size_t)(stop - s), &v))
			*all = false;
		sum |= (uint64_t)v;
		s = bar ? bar + 1 : end;
	}
	return sum;
}
