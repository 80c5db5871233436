/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/op.h"

const char *const op_family_names[FAMILY_N + 1] = {
    "name",   "read", "write", "position", "sync",  "attribute", "directory", "size", "descriptor",
    "advice", "map",  "copy",  "stream",   "async", "page",      "cause",     NULL};

/* Short names of the flags, used in the rows. */
enum {
	FD = OP_HAS_FD,
	PATH = OP_HAS_PATH,
	OFFSET = OP_HAS_OFFSET,
	KNOWN = OP_KNOWS_OFFSET,
	LENGTH = OP_HAS_LENGTH,
	FLAGS = OP_HAS_FLAGS,
	MODE = OP_HAS_MODE,
	SIGNED = OP_OFFSET_SIGNED,
	NEW_FD = OP_RETURNS_FD,
	BYTES = OP_RETURNS_BYTES,
	MOVES = OP_MOVES_POSITION,
	COPY_FD = OP_MAKES_FD,
	VARIES = OP_RESULT_VARIES,
	LOCAL = OP_RESULT_LOCAL,
	IOVEC = OP_HEAP_IOVEC,
	PEER = OP_HEAP_PEER,
	PATH_2 = OP_HEAP_PATH,
	XATTR = OP_HEAP_NAME,
	TIMES = OP_HEAP_TIMES,
	LOCK = OP_HEAP_LOCK,
	AT_POSITION = FD | KNOWN | LENGTH | BYTES | MOVES,
	AT_OFFSET = FD | OFFSET | LENGTH | BYTES,
};

/* X(operation, name, family, uses), in the order of enum trace_op */
#define OPERATIONS(X)                                                                             \
	X(OPEN, "open", NAME, PATH | FLAGS | MODE | NEW_FD)                                       \
	X(CLOSE, "close", NAME, FD)                                                               \
	X(READ, "read", READ, AT_POSITION)                                                        \
	X(WRITE, "write", WRITE, AT_POSITION)                                                     \
	X(PREAD, "pread", READ, AT_OFFSET)                                                        \
	X(PWRITE, "pwrite", WRITE, AT_OFFSET)                                                     \
	X(LSEEK, "lseek", POSITION, FD | OFFSET | FLAGS | SIGNED | MOVES)                         \
	X(FSYNC, "fsync", SYNC, FD)                                                               \
	X(FDATASYNC, "fdatasync", SYNC, FD)                                                       \
	X(READV, "readv", READ, AT_POSITION | IOVEC)                                              \
	X(WRITEV, "writev", WRITE, AT_POSITION | IOVEC)                                           \
	X(PREADV, "preadv", READ, AT_OFFSET | IOVEC)                                              \
	X(PWRITEV, "pwritev", WRITE, AT_OFFSET | IOVEC)                                           \
	X(PREADV2, "preadv2", READ, AT_OFFSET | FLAGS | IOVEC)                                    \
	X(PWRITEV2, "pwritev2", WRITE, AT_OFFSET | FLAGS | IOVEC)                                 \
	X(READAHEAD, "readahead", ADVICE, FD | OFFSET | LENGTH)                                   \
	X(FADVISE, "fadvise", ADVICE, FD | OFFSET | LENGTH | FLAGS)                               \
	X(SYNC, "sync", SYNC, 0)                                                                  \
	X(SYNCFS, "syncfs", SYNC, FD)                                                             \
	X(SYNC_FILE_RANGE, "sync_file_range", SYNC, FD | OFFSET | LENGTH | FLAGS)                 \
	X(TRUNCATE, "truncate", SIZE, PATH | LENGTH)                                              \
	X(FTRUNCATE, "ftruncate", SIZE, FD | LENGTH)                                              \
	X(FALLOCATE, "fallocate", SIZE, FD | OFFSET | LENGTH | FLAGS)                             \
	X(DUP, "dup", DESCRIPTOR, FD | FLAGS | COPY_FD)                                           \
	X(DUP2, "dup2", DESCRIPTOR, FD | FLAGS | COPY_FD | PEER)                                  \
	X(FCNTL, "fcntl", DESCRIPTOR, FD | OFFSET | FLAGS | SIGNED | VARIES | LOCK)               \
	X(IOCTL, "ioctl", DESCRIPTOR, FD | OFFSET | FLAGS | VARIES)                               \
	X(FLOCK, "flock", DESCRIPTOR, FD | FLAGS)                                                 \
	X(LOCKF, "lockf", DESCRIPTOR, FD | LENGTH | FLAGS)                                        \
	X(STAT, "stat", ATTRIBUTE, PATH | FLAGS)                                                  \
	X(FSTAT, "fstat", ATTRIBUTE, FD)                                                          \
	X(STATX, "statx", ATTRIBUTE, PATH | LENGTH | FLAGS)                                       \
	X(STATFS, "statfs", ATTRIBUTE, PATH)                                                      \
	X(FSTATFS, "fstatfs", ATTRIBUTE, FD)                                                      \
	X(ACCESS, "access", ATTRIBUTE, PATH | FLAGS | MODE)                                       \
	X(CHMOD, "chmod", ATTRIBUTE, PATH | FLAGS | MODE)                                         \
	X(FCHMOD, "fchmod", ATTRIBUTE, FD | MODE)                                                 \
	X(CHOWN, "chown", ATTRIBUTE, PATH | OFFSET | FLAGS)                                       \
	X(FCHOWN, "fchown", ATTRIBUTE, FD | OFFSET)                                               \
	X(UTIMENS, "utimens", ATTRIBUTE, PATH | FLAGS | TIMES)                                    \
	X(FUTIMENS, "futimens", ATTRIBUTE, FD | TIMES)                                            \
	X(GETXATTR, "getxattr", ATTRIBUTE, PATH | LENGTH | FLAGS | XATTR | LOCAL)                 \
	X(FGETXATTR, "fgetxattr", ATTRIBUTE, FD | LENGTH | XATTR | LOCAL)                         \
	X(SETXATTR, "setxattr", ATTRIBUTE, PATH | LENGTH | FLAGS | XATTR)                         \
	X(FSETXATTR, "fsetxattr", ATTRIBUTE, FD | LENGTH | FLAGS | XATTR)                         \
	X(LISTXATTR, "listxattr", ATTRIBUTE, PATH | LENGTH | FLAGS | LOCAL)                       \
	X(FLISTXATTR, "flistxattr", ATTRIBUTE, FD | LENGTH | LOCAL)                               \
	X(REMOVEXATTR, "removexattr", ATTRIBUTE, PATH | FLAGS | XATTR)                            \
	X(FREMOVEXATTR, "fremovexattr", ATTRIBUTE, FD | XATTR)                                    \
	X(RENAME, "rename", NAME, PATH | FLAGS | PATH_2)                                          \
	X(LINK, "link", NAME, PATH | FLAGS | PATH_2)                                              \
	X(SYMLINK, "symlink", NAME, PATH | PATH_2)                                                \
	X(READLINK, "readlink", NAME, PATH | LENGTH)                                              \
	X(UNLINK, "unlink", NAME, PATH | FLAGS)                                                   \
	X(MKDIR, "mkdir", NAME, PATH | MODE)                                                      \
	X(RMDIR, "rmdir", NAME, PATH)                                                             \
	X(MKNOD, "mknod", NAME, PATH | OFFSET | MODE)                                             \
	X(REALPATH, "realpath", NAME, PATH | LOCAL)                                               \
	X(CHDIR, "chdir", NAME, PATH)                                                             \
	X(FCHDIR, "fchdir", NAME, FD)                                                             \
	X(CHROOT, "chroot", NAME, PATH)                                                           \
	X(OPENDIR, "opendir", DIRECTORY, PATH | NEW_FD)                                           \
	X(FDOPENDIR, "fdopendir", DIRECTORY, FD)                                                  \
	X(READDIR, "readdir", DIRECTORY, FD | MOVES)                                              \
	X(CLOSEDIR, "closedir", DIRECTORY, FD)                                                    \
	X(REWINDDIR, "rewinddir", DIRECTORY, FD | MOVES)                                          \
	X(SEEKDIR, "seekdir", DIRECTORY, FD | OFFSET | MOVES)                                     \
	X(TELLDIR, "telldir", DIRECTORY, FD | VARIES)                                             \
	X(GETDENTS, "getdents", DIRECTORY, FD | LENGTH | MOVES | VARIES)                          \
	X(SCANDIR, "scandir", DIRECTORY, PATH | LOCAL)                                            \
	X(WALK, "walk", DIRECTORY, PATH | FLAGS | LOCAL)                                          \
	X(MMAP, "mmap", MAP, FD | OFFSET | LENGTH | FLAGS | VARIES)                               \
	X(MUNMAP, "munmap", MAP, FD | OFFSET | LENGTH)                                            \
	X(MSYNC, "msync", MAP, FD | OFFSET | LENGTH | FLAGS)                                      \
	X(MADVISE, "madvise", MAP, FD | OFFSET | LENGTH | FLAGS)                                  \
	X(MREMAP, "mremap", MAP, FD | OFFSET | LENGTH | FLAGS | VARIES)                           \
	X(SENDFILE, "sendfile", COPY, FD | KNOWN | LENGTH | BYTES | PEER)                         \
	X(COPY_FILE_RANGE, "copy_file_range", COPY, FD | KNOWN | LENGTH | FLAGS | BYTES | PEER)   \
	X(SPLICE, "splice", COPY, FD | KNOWN | LENGTH | FLAGS | BYTES | PEER)                     \
	X(TEE, "tee", COPY, FD | LENGTH | FLAGS | BYTES | PEER)                                   \
	X(VMSPLICE, "vmsplice", COPY, FD | LENGTH | FLAGS | BYTES)                                \
	X(FOPEN, "fopen", STREAM, PATH | FLAGS | NEW_FD)                                          \
	X(FDOPEN, "fdopen", STREAM, FD | FLAGS)                                                   \
	X(FREOPEN, "freopen", STREAM, PATH | FLAGS | NEW_FD)                                      \
	X(FCLOSE, "fclose", STREAM, FD)                                                           \
	X(FREAD, "fread", STREAM, FD | LENGTH | BYTES)                                            \
	X(FWRITE, "fwrite", STREAM, FD | LENGTH | BYTES)                                          \
	X(FGETS, "fgets", STREAM, FD | LENGTH | BYTES)                                            \
	X(FPUTS, "fputs", STREAM, FD | LENGTH | BYTES)                                            \
	X(GETDELIM, "getdelim", STREAM, FD | FLAGS | BYTES)                                       \
	X(FGETC, "fgetc", STREAM, FD | LENGTH | BYTES)                                            \
	X(FPUTC, "fputc", STREAM, FD | LENGTH | BYTES)                                            \
	X(UNGETC, "ungetc", STREAM, FD | LENGTH)                                                  \
	X(FPRINTF, "fprintf", STREAM, FD | BYTES)                                                 \
	X(FSCANF, "fscanf", STREAM, FD | LOCAL)                                                   \
	X(FSEEK, "fseek", STREAM, FD | OFFSET | FLAGS | SIGNED)                                   \
	X(FTELL, "ftell", STREAM, FD)                                                             \
	X(FFLUSH, "fflush", STREAM, FD | FLAGS)                                                   \
	X(SETVBUF, "setvbuf", STREAM, FD | LENGTH | FLAGS)                                        \
	X(IO_SUBMIT, "io_submit", ASYNC, FD | LENGTH)                                             \
	X(IO_GETEVENTS, "io_getevents", ASYNC, FD | LENGTH | LOCAL)                               \
	X(IO_CANCEL, "io_cancel", ASYNC, FD)                                                      \
	X(IO_URING_ENTER, "io_uring_enter", ASYNC, FD | LENGTH)                                   \
	X(AIO_READ, "aio_read", READ, AT_OFFSET)                                                  \
	X(AIO_WRITE, "aio_write", WRITE, AT_OFFSET)                                               \
	X(AIO_READV, "aio_readv", READ, AT_OFFSET | IOVEC)                                        \
	X(AIO_WRITEV, "aio_writev", WRITE, AT_OFFSET | IOVEC)                                     \
	X(AIO_FSYNC, "aio_fsync", SYNC, FD)                                                       \
	X(AIO_FDATASYNC, "aio_fdatasync", SYNC, FD)                                               \
	X(AIO_OTHER, "aio_other", ASYNC, FD | FLAGS)                                              \
	X(PAGE_FAULT, "page_fault", PAGE, PATH | OFFSET | LENGTH | FLAGS | VARIES)                \
	X(PAGE_CACHE_ADD, "page_cache_add", PAGE, PATH | OFFSET | LENGTH | FLAGS)                 \
	X(COMPUTE, "compute", CAUSE, OFFSET | LENGTH)                                             \
	X(SIGNAL, "signal", CAUSE, LENGTH)                                                        \
	X(WAIT, "wait", CAUSE, LENGTH)

const struct op_info op_table[OP_N] = {
    [OP_INVALID] = {"invalid", FAMILY_NAME, 0},
#define ROW(OP, NAME, FAMILY, USES) [OP_##OP] = {NAME, FAMILY_##FAMILY, USES},
    OPERATIONS(ROW)
};

const char *const op_names[] = {
#define NAME_OF(OP, NAME, FAMILY, USES) NAME,
    OPERATIONS(NAME_OF) NULL,
};
_Static_assert(sizeof op_names / sizeof *op_names == OP_N, "each operation has a row");

bool op_slash_decides(unsigned int op, int error)
{
	switch (error) {
	case ENOTDIR: /* the name is a file, or a link to a file */
	case EISDIR:  /* open with O_CREAT */
	case EINVAL:  /* readlink of a link to a directory */
		return true;
	case ENOENT: /* the new object is not a directory */
		return op == OP_LINK || op == OP_SYMLINK || op == OP_MKNOD;
	default:
		return false;
	}
}

enum trace_op op_find(const char *name)
{
	for (unsigned int op = OP_INVALID + 1; op < OP_N; op++)
		if (!strcmp(op_table[op].name, name))
			return (enum trace_op)op;
	return OP_INVALID;
}
