/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/syscall_table.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

/* Newer architectures lack some of these calls. Older headers lack others. */
#ifdef SYS_open
#define LEGACY(name) SYS_##name
#else
#define LEGACY(name) (-1)
#endif
#ifdef SYS_newfstatat
#define NUMBER_FSTATAT SYS_newfstatat
#else
#define NUMBER_FSTATAT SYS_fstatat
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

#define CREAT_FLAGS (O_WRONLY | O_CREAT | O_TRUNC)
#define NOFOLLOW AT_SYMLINK_NOFOLLOW

const struct syscall_row syscall_rows[] = {
    {"read", SYS_read, OP_READ, "f_s", 0, 0}, {"write", SYS_write, OP_WRITE, "f_s", 0, 0},
    {"pread64", SYS_pread64, OP_PREAD, "f_so", 0, 0},
    {"pwrite64", SYS_pwrite64, OP_PWRITE, "f_so", 0, 0},
    {"readv", SYS_readv, OP_READV, "fi_", 0, 0}, {"writev", SYS_writev, OP_WRITEV, "fi_", 0, 0},
    {"preadv", SYS_preadv, OP_PREADV, "fi_o", 0, 0},
    {"pwritev", SYS_pwritev, OP_PWRITEV, "fi_o", 0, 0},
    {"preadv2", SYS_preadv2, OP_PREADV2, "fi_o_v", 0, 0},
    {"pwritev2", SYS_pwritev2, OP_PWRITEV2, "fi_o_v", 0, 0},
    {"open", LEGACY(open), OP_OPEN, "pOm", 0, 0},
    {"creat", LEGACY(creat), OP_OPEN, "pm", 0, CREAT_FLAGS},
    {"openat", SYS_openat, OP_OPEN, "DpOm", 0, 0}, {"openat2", SYS_openat2, OP_OPEN, "DpH", 0, 0},
    {"open_tree", SYS_open_tree, OP_OPEN, "Dp", 0, 0},
    /* a clone of mounts (open_tree) has the path of the original */
    {"close", SYS_close, OP_CLOSE, "f", 0, 0},
    {"close_range", SYS_close_range, OP_CLOSE, "1lv", SYSCALL_CLOSE_RANGE, 0},
    {"lseek", SYS_lseek, OP_LSEEK, "fow", 0, 0}, {"fsync", SYS_fsync, OP_FSYNC, "f", 0, 0},
    {"fdatasync", SYS_fdatasync, OP_FDATASYNC, "f", 0, 0},
    {"syncfs", SYS_syncfs, OP_SYNCFS, "f", 0, 0},
    {"sync", SYS_sync, OP_SYNC, "", 0, 0},
    {"sync_file_range", SYS_sync_file_range, OP_SYNC_FILE_RANGE, "fosv", 0, 0},
    {"readahead", SYS_readahead, OP_READAHEAD, "fos", 0, 0},
    {"fadvise64", SYS_fadvise64, OP_FADVISE, "fosv", 0, 0},
    {"truncate", SYS_truncate, OP_TRUNCATE, "ps", 0, 0},
    {"ftruncate", SYS_ftruncate, OP_FTRUNCATE, "fs", 0, 0},
    {"fallocate", SYS_fallocate, OP_FALLOCATE, "fvos", 0, 0}, {"dup", SYS_dup, OP_DUP, "f", 0, 0},
    {"dup2", LEGACY(dup2), OP_DUP2, "fn", 0, 0}, {"dup3", SYS_dup3, OP_DUP2, "fnO", 0, 0},
    {"fcntl", SYS_fcntl, OP_FCNTL, "fc*", 0, 0}, {"ioctl", SYS_ioctl, OP_IOCTL, "fc*", 0, 0},
    {"flock", SYS_flock, OP_FLOCK, "fv", 0, 0}, {"newstat", LEGACY(stat), OP_STAT, "p", 0, 0},
    {"newlstat", LEGACY(lstat), OP_STAT, "p", 0, NOFOLLOW},
    {"newfstatat", NUMBER_FSTATAT, OP_STAT, "Dp_A", 0, 0},
    {"newfstat", SYS_fstat, OP_FSTAT, "f", 0, 0}, {"statx", SYS_statx, OP_STATX, "DpAs", 0, 0},
    {"statfs", SYS_statfs, OP_STATFS, "p", 0, 0}, {"fstatfs", SYS_fstatfs, OP_FSTATFS, "f", 0, 0},
    {"access", LEGACY(access), OP_ACCESS, "pm", 0, 0},
    {"faccessat", SYS_faccessat, OP_ACCESS, "Dpm", 0, 0},
    {"faccessat2", SYS_faccessat2, OP_ACCESS, "DpmA", 0, 0},
    {"chmod", LEGACY(chmod), OP_CHMOD, "pm", 0, 0},
    {"fchmod", SYS_fchmod, OP_FCHMOD, "fm", 0, 0},
    {"fchmodat", SYS_fchmodat, OP_CHMOD, "Dpm", 0, 0},
    {"fchmodat2", SYS_fchmodat2, OP_CHMOD, "DpmA", 0, 0},
    {"chown", LEGACY(chown), OP_CHOWN, "pug", 0, 0},
    {"lchown", LEGACY(lchown), OP_CHOWN, "pug", 0, NOFOLLOW},
    {"fchown", SYS_fchown, OP_FCHOWN, "fug", 0, 0},
    {"fchownat", SYS_fchownat, OP_CHOWN, "DpugA", 0, 0},
    {"utimensat", SYS_utimensat, OP_UTIMENS, "DptA", 0, 0},
    {"utime", LEGACY(utime), OP_UTIMENS, "p", 0, 0},
    {"utimes", LEGACY(utimes), OP_UTIMENS, "p", 0, 0},
    {"futimesat", LEGACY(futimesat), OP_UTIMENS, "Dp", 0, 0},
    {"getxattr", SYS_getxattr, OP_GETXATTR, "pN_s", 0, 0},
    {"lgetxattr", SYS_lgetxattr, OP_GETXATTR, "pN_s", 0, NOFOLLOW},
    {"fgetxattr", SYS_fgetxattr, OP_FGETXATTR, "fN_s", 0, 0},
    {"setxattr", SYS_setxattr, OP_SETXATTR, "pNLsv", 0, 0},
    {"lsetxattr", SYS_lsetxattr, OP_SETXATTR, "pNLsv", 0, NOFOLLOW},
    {"fsetxattr", SYS_fsetxattr, OP_FSETXATTR, "fNLsv", 0, 0},
    {"listxattr", SYS_listxattr, OP_LISTXATTR, "p_s", 0, 0},
    {"llistxattr", SYS_llistxattr, OP_LISTXATTR, "p_s", 0, NOFOLLOW},
    {"flistxattr", SYS_flistxattr, OP_FLISTXATTR, "f_s", 0, 0},
    {"removexattr", SYS_removexattr, OP_REMOVEXATTR, "pN", 0, 0},
    {"lremovexattr", SYS_lremovexattr, OP_REMOVEXATTR, "pN", 0, NOFOLLOW},
    {"fremovexattr", SYS_fremovexattr, OP_FREMOVEXATTR, "fN", 0, 0},
    {"rename", LEGACY(rename), OP_RENAME, "pP", 0, 0},
    {"renameat", LEGACY(renameat), OP_RENAME, "DpdP", 0, 0},
    {"renameat2", SYS_renameat2, OP_RENAME, "DpdPv", 0, 0},
    {"link", LEGACY(link), OP_LINK, "pP", 0, 0}, {"linkat", SYS_linkat, OP_LINK, "DpdPA", 0, 0},
    {"symlink", LEGACY(symlink), OP_SYMLINK, "Tp", 0, 0},
    {"symlinkat", SYS_symlinkat, OP_SYMLINK, "TDp", 0, 0},
    {"readlink", LEGACY(readlink), OP_READLINK, "p_s", 0, 0},
    {"readlinkat", SYS_readlinkat, OP_READLINK, "Dp_s", 0, 0},
    {"unlink", LEGACY(unlink), OP_UNLINK, "p", 0, 0},
    {"unlinkat", SYS_unlinkat, OP_UNLINK, "DpA", 0, 0},
    {"mkdir", LEGACY(mkdir), OP_MKDIR, "pm", 0, 0}, {"mkdirat", SYS_mkdirat, OP_MKDIR, "Dpm", 0, 0},
    {"rmdir", LEGACY(rmdir), OP_RMDIR, "p", 0, 0}, {"mknod", LEGACY(mknod), OP_MKNOD, "pmV", 0, 0},
    {"mknodat", SYS_mknodat, OP_MKNOD, "DpmV", 0, 0}, {"chdir", SYS_chdir, OP_CHDIR, "p", 0, 0},
    {"fchdir", SYS_fchdir, OP_FCHDIR, "f", 0, 0}, {"chroot", SYS_chroot, OP_CHROOT, "p", 0, 0},
    {"getdents64", SYS_getdents64, OP_GETDENTS, "f_s", 0, 0},
    {"getdents", LEGACY(getdents), OP_GETDENTS, "f_s", 0, 0},
    {"mmap", SYS_mmap, OP_MMAP, "_sRMfo", 0, 0}, {"munmap", SYS_munmap, OP_MUNMAP, "Bs", 0, 0},
    {"msync", SYS_msync, OP_MSYNC, "Bsv", 0, 0}, {"madvise", SYS_madvise, OP_MADVISE, "Bsv", 0, 0},
    {"mremap", SYS_mremap, OP_MREMAP, "B_sv", 0, 0},
    {"sendfile64", SYS_sendfile, OP_SENDFILE, "Xf@s", 0, 0},
    {"copy_file_range", SYS_copy_file_range, OP_COPY_FILE_RANGE, "f@X#sv", 0, 0},
    {"splice", SYS_splice, OP_SPLICE, "f@X#sv", 0, 0}, {"tee", SYS_tee, OP_TEE, "fXsv", 0, 0},
    {"vmsplice", SYS_vmsplice, OP_VMSPLICE, "fi_v", 0, 0},
    {"io_submit", SYS_io_submit, OP_IO_SUBMIT, "_s", 0, 0},
    {"io_getevents", SYS_io_getevents, OP_IO_GETEVENTS, "__sE", 0, 0},
    {"io_pgetevents", SYS_io_pgetevents, OP_IO_GETEVENTS, "__sE", 0, 0},
    {"bind", SYS_bind, OP_MKNOD, "_k", 0, 0}, {"umask", SYS_umask, 0, "m", SYSCALL_UMASK, 0},
    {"io_uring_enter", SYS_io_uring_enter, OP_IO_URING_ENTER, "fs", 0, 0},
    {"pipe", LEGACY(pipe), 0, "q", SYSCALL_PAIR, 0}, {"pipe2", SYS_pipe2, 0, "qO", SYSCALL_PAIR, 0},
    {"socketpair", SYS_socketpair, 0, "_O_q", SYSCALL_PAIR, 0},
    {"socket", SYS_socket, 0, "_O", SYSCALL_DESCRIPTOR, 0},
    {"accept", SYS_accept, 0, "", SYSCALL_DESCRIPTOR, 0},
    {"accept4", SYS_accept4, 0, "___O", SYSCALL_DESCRIPTOR, 0},
    {"eventfd", LEGACY(eventfd), 0, "", SYSCALL_DESCRIPTOR, 0},
    {"eventfd2", SYS_eventfd2, 0, "_O", SYSCALL_DESCRIPTOR, 0},
    {"epoll_create", LEGACY(epoll_create), 0, "", SYSCALL_DESCRIPTOR, 0},
    {"epoll_create1", SYS_epoll_create1, 0, "O", SYSCALL_DESCRIPTOR, 0},
    {"timerfd_create", SYS_timerfd_create, 0, "_O", SYSCALL_DESCRIPTOR, 0},
    {"signalfd", LEGACY(signalfd), 0, "", SYSCALL_DESCRIPTOR, 0},
    {"signalfd4", SYS_signalfd4, 0, "___O", SYSCALL_DESCRIPTOR, 0},
    {"inotify_init", LEGACY(inotify_init), 0, "", SYSCALL_DESCRIPTOR, 0},
    {"inotify_init1", SYS_inotify_init1, 0, "O", SYSCALL_DESCRIPTOR, 0},
    {"fanotify_init", SYS_fanotify_init, 0, "", SYSCALL_DESCRIPTOR, 0},
    {"memfd_create", SYS_memfd_create, 0, "_v", SYSCALL_DESCRIPTOR, 0},
    {"perf_event_open", SYS_perf_event_open, 0, "", SYSCALL_DESCRIPTOR, 0},
    {"io_uring_setup", SYS_io_uring_setup, 0, "", SYSCALL_DESCRIPTOR, O_CLOEXEC},
    {"pidfd_open", SYS_pidfd_open, 0, "", SYSCALL_DESCRIPTOR, O_CLOEXEC},
    {"mount", SYS_mount, 0, "_p_v", SYSCALL_CHANGE, 0},
    {"umount", SYS_umount2, 0, "pv", SYSCALL_CHANGE, 0},
    {"move_mount", SYS_move_mount, 0, "__Dp", SYSCALL_CHANGE, 0},
    {"pivot_root", SYS_pivot_root, 0, "", SYSCALL_CHANGE, 0},
    {"setns", SYS_setns, 0, "_v", SYSCALL_CHANGE, 0},
    {"unshare", SYS_unshare, 0, "v", SYSCALL_CHANGE, 0},
    {NULL, 0, 0, NULL, 0, 0},
};

enum syscall_change syscall_change_of(int64_t number, uint64_t flags, const char *path, bool alone)
{
	static const char *const virtual[] = {"/proc", "/sys", "/dev"};
	const uint64_t shared = flags & (CLONE_FILES | CLONE_FS);
	for (size_t i = 0; path && i < sizeof virtual / sizeof *virtual; i++) {
		const size_t len = strlen(virtual[i]);
		if (!strncmp(path, virtual[i], len) && (!path[len] || path[len] == '/'))
			return CHANGE_NONE;
	}
	switch (number) {
	case SYS_mount: /* these flags change a mount at its place */
		return flags & (MS_REMOUNT | MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE)
			   ? CHANGE_NONE
			   : CHANGE_MOUNTS;
	case SYS_umount2:
	case SYS_move_mount:
	case SYS_pivot_root:
		return CHANGE_MOUNTS;
	case SYS_setns:
		return flags & CLONE_NEWNS ? CHANGE_MOUNTS : CHANGE_NONE;
	case SYS_unshare:
		return shared && !alone ? CHANGE_SHARING : CHANGE_NONE;
	case SYS_clone: /* the process of a vfork usually executes a program at once */
		return shared && !(flags & (CLONE_THREAD | CLONE_VFORK)) ? CHANGE_SHARING
									 : CHANGE_NONE;
	default:
		return CHANGE_NONE;
	}
}

enum { N_NUMBERS = 512 };

const struct syscall_row *syscall_row_of_number(int64_t number)
{
	/* row + 1; concurrent initialisations write the same values */
	static uint8_t row[N_NUMBERS];
	if (number < 0 || number >= N_NUMBERS)
		return NULL;
	if (!row[SYS_read])
		for (uint8_t i = 0; syscall_rows[i].name; i++)
			if (syscall_rows[i].number >= 0)
				row[syscall_rows[i].number] = (uint8_t)(i + 1);
	return row[number] ? &syscall_rows[row[number] - 1] : NULL;
}

static bool is_called(const char *known, const char *name, size_t len)
{
	return strlen(known) == len && !memcmp(known, name, len);
}

const struct syscall_row *syscall_row_of_name(const char *name, size_t len)
{
	static const char *const other[][2] = {
	    {"stat", "newstat"},       {"lstat", "newlstat"},       {"fstat", "newfstat"},
	    {"fstatat", "newfstatat"}, {"fstatat64", "newfstatat"}, {"sendfile", "sendfile64"},
	    {"pread", "pread64"},      {"pwrite", "pwrite64"},      {"fadvise", "fadvise64"}};
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (is_called(other[i][0], name, len))
			return syscall_row_of_name(other[i][1], strlen(other[i][1]));
	for (const struct syscall_row *row = syscall_rows; row->name; row++)
		if (is_called(row->name, name, len))
			return row;
	return NULL;
}

static enum syscall_pointer what_of(char letter)
{
	switch (letter) {
	case 'i':
		return POINTER_VECTOR;
	case 'q':
		return POINTER_RESULT;
	case '*':
		return POINTER_OPTIONAL;
	case 'k':
		return POINTER_SIZED;
	case 'E':
		return POINTER_EVENTS;
	default:
		return strchr("Ht@#L", letter) ? POINTER_BYTES : POINTER_TEXT;
	}
}

static size_t size_of(char letter)
{
	switch (letter) {
	case 't':
		return 2 * sizeof(struct timespec);
	case 'H':
		return 3 * sizeof(uint64_t);
	case 'L':
		return OP_ACL_BYTES;
	case '*':
		return SYSCALL_ARGUMENT_BYTES;
	default:
		return sizeof(uint64_t);
	}
}

bool syscall_pointee(const struct syscall_row *row, unsigned int i, struct syscall_pointee *to)
{
	for (unsigned int arg = 0; row->args[arg]; arg++) {
		const char letter = row->args[arg];
		if (!strchr(SYSCALL_POINTERS, letter) || i--)
			continue;
		*to = (struct syscall_pointee){what_of(letter), arg, size_of(letter)};
		return true;
	}
	return false;
}
