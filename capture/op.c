/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/op.h"

#include <errno.h>
#include <string.h>

const char *const op_family_names[FAMILY_N + 1] = {
    "name",   "read", "write", "position", "sync",  "attribute", "directory", "size", "descriptor",
    "advice", "map",  "copy",  "stream",   "async", "page",      "cause",     NULL};

#define AT_POSITION (OP_HAS_FD | OP_KNOWS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES | OP_MOVES_POSITION)
#define AT_OFFSET (OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES)

static const struct op_info table[OP_N] = {
    [OP_INVALID] = {"invalid", FAMILY_NAME, 0},
    [OP_OPEN] = {"open", FAMILY_NAME, OP_HAS_PATH | OP_HAS_FLAGS | OP_HAS_MODE | OP_RETURNS_FD},
    [OP_CLOSE] = {"close", FAMILY_NAME, OP_HAS_FD},
    [OP_READ] = {"read", FAMILY_READ, AT_POSITION},
    [OP_WRITE] = {"write", FAMILY_WRITE, AT_POSITION},
    [OP_PREAD] = {"pread", FAMILY_READ, AT_OFFSET},
    [OP_PWRITE] = {"pwrite", FAMILY_WRITE, AT_OFFSET},
    [OP_LSEEK] = {"lseek", FAMILY_POSITION,
		  OP_HAS_FD | OP_HAS_OFFSET | OP_OFFSET_SIGNED | OP_HAS_FLAGS | OP_MOVES_POSITION},
    [OP_FSYNC] = {"fsync", FAMILY_SYNC, OP_HAS_FD},
    [OP_FDATASYNC] = {"fdatasync", FAMILY_SYNC, OP_HAS_FD},
    [OP_READV] = {"readv", FAMILY_READ,
		  OP_HAS_FD | OP_KNOWS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES |
		      OP_MOVES_POSITION | OP_HEAP_IOVEC},
    [OP_WRITEV] = {"writev", FAMILY_WRITE,
		   OP_HAS_FD | OP_KNOWS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES |
		       OP_MOVES_POSITION | OP_HEAP_IOVEC},
    [OP_PREADV] = {"preadv", FAMILY_READ,
		   OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES | OP_HEAP_IOVEC},
    [OP_PWRITEV] = {"pwritev", FAMILY_WRITE,
		    OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES | OP_HEAP_IOVEC},
    [OP_PREADV2] = {"preadv2", FAMILY_READ,
		    OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES | OP_HEAP_IOVEC |
			OP_HAS_FLAGS},
    [OP_PWRITEV2] = {"pwritev2", FAMILY_WRITE,
		     OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES | OP_HEAP_IOVEC |
			 OP_HAS_FLAGS},
    [OP_READAHEAD] = {"readahead", FAMILY_ADVICE, OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH},
    [OP_FADVISE] = {"fadvise", FAMILY_ADVICE,
		    OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_HAS_FLAGS},
    [OP_SYNC] = {"sync", FAMILY_SYNC, 0},
    [OP_SYNCFS] = {"syncfs", FAMILY_SYNC, OP_HAS_FD},
    [OP_SYNC_FILE_RANGE] = {"sync_file_range", FAMILY_SYNC,
			    OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_HAS_FLAGS},
    [OP_TRUNCATE] = {"truncate", FAMILY_SIZE, OP_HAS_PATH | OP_HAS_LENGTH},
    [OP_FTRUNCATE] = {"ftruncate", FAMILY_SIZE, OP_HAS_FD | OP_HAS_LENGTH},
    [OP_FALLOCATE] = {"fallocate", FAMILY_SIZE,
		      OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_HAS_FLAGS},
    [OP_DUP] = {"dup", FAMILY_DESCRIPTOR, OP_HAS_FD | OP_MAKES_FD | OP_HAS_FLAGS},
    [OP_DUP2] = {"dup2", FAMILY_DESCRIPTOR, OP_HAS_FD | OP_MAKES_FD | OP_HAS_FLAGS | OP_HEAP_PEER},
    [OP_FCNTL] = {"fcntl", FAMILY_DESCRIPTOR,
		  OP_HAS_FD | OP_HAS_OFFSET | OP_OFFSET_SIGNED | OP_HAS_FLAGS | OP_RESULT_VARIES |
		      OP_HEAP_LOCK},
    [OP_IOCTL] = {"ioctl", FAMILY_DESCRIPTOR,
		  OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_FLAGS | OP_RESULT_VARIES},
    [OP_FLOCK] = {"flock", FAMILY_DESCRIPTOR, OP_HAS_FD | OP_HAS_FLAGS},
    [OP_LOCKF] = {"lockf", FAMILY_DESCRIPTOR, OP_HAS_FD | OP_HAS_LENGTH | OP_HAS_FLAGS},
    [OP_STAT] = {"stat", FAMILY_ATTRIBUTE, OP_HAS_PATH | OP_HAS_FLAGS},
    [OP_FSTAT] = {"fstat", FAMILY_ATTRIBUTE, OP_HAS_FD},
    [OP_STATX] = {"statx", FAMILY_ATTRIBUTE, OP_HAS_PATH | OP_HAS_FLAGS | OP_HAS_LENGTH},
    [OP_STATFS] = {"statfs", FAMILY_ATTRIBUTE, OP_HAS_PATH},
    [OP_FSTATFS] = {"fstatfs", FAMILY_ATTRIBUTE, OP_HAS_FD},
    [OP_ACCESS] = {"access", FAMILY_ATTRIBUTE, OP_HAS_PATH | OP_HAS_FLAGS | OP_HAS_MODE},
    [OP_CHMOD] = {"chmod", FAMILY_ATTRIBUTE, OP_HAS_PATH | OP_HAS_FLAGS | OP_HAS_MODE},
    [OP_FCHMOD] = {"fchmod", FAMILY_ATTRIBUTE, OP_HAS_FD | OP_HAS_MODE},
    [OP_CHOWN] = {"chown", FAMILY_ATTRIBUTE, OP_HAS_PATH | OP_HAS_FLAGS | OP_HAS_OFFSET},
    [OP_FCHOWN] = {"fchown", FAMILY_ATTRIBUTE, OP_HAS_FD | OP_HAS_OFFSET},
    [OP_UTIMENS] = {"utimens", FAMILY_ATTRIBUTE, OP_HAS_PATH | OP_HAS_FLAGS | OP_HEAP_TIMES},
    [OP_FUTIMENS] = {"futimens", FAMILY_ATTRIBUTE, OP_HAS_FD | OP_HEAP_TIMES},
    [OP_GETXATTR] = {"getxattr", FAMILY_ATTRIBUTE,
		     OP_HAS_PATH | OP_HAS_FLAGS | OP_HAS_LENGTH | OP_HEAP_NAME},
    [OP_FGETXATTR] = {"fgetxattr", FAMILY_ATTRIBUTE, OP_HAS_FD | OP_HAS_LENGTH | OP_HEAP_NAME},
    [OP_SETXATTR] = {"setxattr", FAMILY_ATTRIBUTE,
		     OP_HAS_PATH | OP_HAS_FLAGS | OP_HAS_LENGTH | OP_HEAP_NAME},
    [OP_FSETXATTR] = {"fsetxattr", FAMILY_ATTRIBUTE,
		      OP_HAS_FD | OP_HAS_FLAGS | OP_HAS_LENGTH | OP_HEAP_NAME},
    [OP_LISTXATTR] = {"listxattr", FAMILY_ATTRIBUTE, OP_HAS_PATH | OP_HAS_FLAGS | OP_HAS_LENGTH},
    [OP_FLISTXATTR] = {"flistxattr", FAMILY_ATTRIBUTE, OP_HAS_FD | OP_HAS_LENGTH},
    [OP_REMOVEXATTR] = {"removexattr", FAMILY_ATTRIBUTE, OP_HAS_PATH | OP_HAS_FLAGS | OP_HEAP_NAME},
    [OP_FREMOVEXATTR] = {"fremovexattr", FAMILY_ATTRIBUTE, OP_HAS_FD | OP_HEAP_NAME},
    [OP_RENAME] = {"rename", FAMILY_NAME, OP_HAS_PATH | OP_HAS_FLAGS | OP_HEAP_PATH},
    [OP_LINK] = {"link", FAMILY_NAME, OP_HAS_PATH | OP_HAS_FLAGS | OP_HEAP_PATH},
    [OP_SYMLINK] = {"symlink", FAMILY_NAME, OP_HAS_PATH | OP_HEAP_PATH},
    [OP_READLINK] = {"readlink", FAMILY_NAME, OP_HAS_PATH | OP_HAS_LENGTH},
    [OP_UNLINK] = {"unlink", FAMILY_NAME, OP_HAS_PATH | OP_HAS_FLAGS},
    [OP_MKDIR] = {"mkdir", FAMILY_NAME, OP_HAS_PATH | OP_HAS_MODE},
    [OP_RMDIR] = {"rmdir", FAMILY_NAME, OP_HAS_PATH},
    [OP_MKNOD] = {"mknod", FAMILY_NAME, OP_HAS_PATH | OP_HAS_MODE | OP_HAS_OFFSET},
    [OP_REALPATH] = {"realpath", FAMILY_NAME, OP_HAS_PATH},
    [OP_CHDIR] = {"chdir", FAMILY_NAME, OP_HAS_PATH},
    [OP_FCHDIR] = {"fchdir", FAMILY_NAME, OP_HAS_FD},
    [OP_CHROOT] = {"chroot", FAMILY_NAME, OP_HAS_PATH},
    [OP_OPENDIR] = {"opendir", FAMILY_DIRECTORY, OP_HAS_PATH | OP_RETURNS_FD},
    [OP_FDOPENDIR] = {"fdopendir", FAMILY_DIRECTORY, OP_HAS_FD},
    [OP_READDIR] = {"readdir", FAMILY_DIRECTORY, OP_HAS_FD | OP_MOVES_POSITION},
    [OP_CLOSEDIR] = {"closedir", FAMILY_DIRECTORY, OP_HAS_FD},
    [OP_REWINDDIR] = {"rewinddir", FAMILY_DIRECTORY, OP_HAS_FD | OP_MOVES_POSITION},
    [OP_SEEKDIR] = {"seekdir", FAMILY_DIRECTORY, OP_HAS_FD | OP_HAS_OFFSET | OP_MOVES_POSITION},
    [OP_TELLDIR] = {"telldir", FAMILY_DIRECTORY, OP_HAS_FD | OP_RESULT_VARIES},
    [OP_GETDENTS] = {"getdents", FAMILY_DIRECTORY,
		     OP_HAS_FD | OP_HAS_LENGTH | OP_MOVES_POSITION | OP_RESULT_VARIES},
    [OP_SCANDIR] = {"scandir", FAMILY_DIRECTORY, OP_HAS_PATH},
    [OP_WALK] = {"walk", FAMILY_DIRECTORY, OP_HAS_PATH | OP_HAS_FLAGS},
    [OP_MMAP] = {"mmap", FAMILY_MAP,
		 OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_HAS_FLAGS | OP_RESULT_VARIES},
    [OP_MUNMAP] = {"munmap", FAMILY_MAP, OP_HAS_LENGTH | OP_HAS_OFFSET | OP_HAS_FD},
    [OP_MSYNC] = {"msync", FAMILY_MAP, OP_HAS_LENGTH | OP_HAS_OFFSET | OP_HAS_FLAGS | OP_HAS_FD},
    [OP_MADVISE] = {"madvise", FAMILY_MAP,
		    OP_HAS_LENGTH | OP_HAS_OFFSET | OP_HAS_FLAGS | OP_HAS_FD},
    [OP_MREMAP] = {"mremap", FAMILY_MAP,
		   OP_HAS_LENGTH | OP_HAS_OFFSET | OP_HAS_FLAGS | OP_RESULT_VARIES | OP_HAS_FD},
    [OP_SENDFILE] = {"sendfile", FAMILY_COPY,
		     OP_HAS_FD | OP_KNOWS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES | OP_HEAP_PEER},
    [OP_COPY_FILE_RANGE] = {"copy_file_range", FAMILY_COPY,
			    OP_HAS_FD | OP_KNOWS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES |
				OP_HEAP_PEER | OP_HAS_FLAGS},
    [OP_SPLICE] = {"splice", FAMILY_COPY,
		   OP_HAS_FD | OP_KNOWS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES | OP_HEAP_PEER |
		       OP_HAS_FLAGS},
    [OP_TEE] = {"tee", FAMILY_COPY,
		OP_HAS_FD | OP_HAS_LENGTH | OP_RETURNS_BYTES | OP_HEAP_PEER | OP_HAS_FLAGS},
    [OP_VMSPLICE] = {"vmsplice", FAMILY_COPY,
		     OP_HAS_FD | OP_HAS_LENGTH | OP_RETURNS_BYTES | OP_HAS_FLAGS},
    [OP_FOPEN] = {"fopen", FAMILY_STREAM, OP_HAS_PATH | OP_HAS_FLAGS | OP_RETURNS_FD},
    [OP_FDOPEN] = {"fdopen", FAMILY_STREAM, OP_HAS_FD | OP_HAS_FLAGS},
    [OP_FREOPEN] = {"freopen", FAMILY_STREAM, OP_HAS_PATH | OP_HAS_FLAGS | OP_RETURNS_FD},
    [OP_FCLOSE] = {"fclose", FAMILY_STREAM, OP_HAS_FD},
    [OP_FREAD] = {"fread", FAMILY_STREAM, OP_HAS_FD | OP_HAS_LENGTH | OP_RETURNS_BYTES},
    [OP_FWRITE] = {"fwrite", FAMILY_STREAM, OP_HAS_FD | OP_HAS_LENGTH | OP_RETURNS_BYTES},
    [OP_FGETS] = {"fgets", FAMILY_STREAM, OP_HAS_FD | OP_HAS_LENGTH | OP_RETURNS_BYTES},
    [OP_FPUTS] = {"fputs", FAMILY_STREAM, OP_HAS_FD | OP_HAS_LENGTH | OP_RETURNS_BYTES},
    [OP_GETDELIM] = {"getdelim", FAMILY_STREAM, OP_HAS_FD | OP_RETURNS_BYTES | OP_HAS_FLAGS},
    [OP_FGETC] = {"fgetc", FAMILY_STREAM, OP_HAS_FD | OP_HAS_LENGTH | OP_RETURNS_BYTES},
    [OP_FPUTC] = {"fputc", FAMILY_STREAM, OP_HAS_FD | OP_HAS_LENGTH | OP_RETURNS_BYTES},
    [OP_UNGETC] = {"ungetc", FAMILY_STREAM, OP_HAS_FD | OP_HAS_LENGTH},
    [OP_FPRINTF] = {"fprintf", FAMILY_STREAM, OP_HAS_FD | OP_RETURNS_BYTES},
    [OP_FSCANF] = {"fscanf", FAMILY_STREAM, OP_HAS_FD},
    [OP_FSEEK] = {"fseek", FAMILY_STREAM,
		  OP_HAS_FD | OP_HAS_OFFSET | OP_OFFSET_SIGNED | OP_HAS_FLAGS},
    [OP_FTELL] = {"ftell", FAMILY_STREAM, OP_HAS_FD},
    [OP_FFLUSH] = {"fflush", FAMILY_STREAM, OP_HAS_FD},
    [OP_SETVBUF] = {"setvbuf", FAMILY_STREAM, OP_HAS_FD | OP_HAS_LENGTH | OP_HAS_FLAGS},
    [OP_IO_SUBMIT] = {"io_submit", FAMILY_ASYNC, OP_HAS_LENGTH | OP_HAS_FD},
    [OP_IO_GETEVENTS] = {"io_getevents", FAMILY_ASYNC, OP_HAS_LENGTH | OP_HAS_FD},
    [OP_IO_CANCEL] = {"io_cancel", FAMILY_ASYNC, OP_HAS_FD},
    [OP_IO_URING_ENTER] = {"io_uring_enter", FAMILY_ASYNC, OP_HAS_LENGTH | OP_HAS_FD},
    [OP_AIO_READ] = {"aio_read", FAMILY_READ,
		     OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES},
    [OP_AIO_WRITE] = {"aio_write", FAMILY_WRITE,
		      OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES},
    [OP_AIO_READV] = {"aio_readv", FAMILY_READ,
		      OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES | OP_HEAP_IOVEC},
    [OP_AIO_WRITEV] = {"aio_writev", FAMILY_WRITE,
		       OP_HAS_FD | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_RETURNS_BYTES |
			   OP_HEAP_IOVEC},
    [OP_AIO_FSYNC] = {"aio_fsync", FAMILY_SYNC, OP_HAS_FD},
    [OP_AIO_FDATASYNC] = {"aio_fdatasync", FAMILY_SYNC, OP_HAS_FD},
    [OP_AIO_OTHER] = {"aio_other", FAMILY_ASYNC, OP_HAS_FD | OP_HAS_FLAGS},
    [OP_PAGE_FAULT] = {"page_fault", FAMILY_PAGE,
		       OP_HAS_PATH | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_HAS_FLAGS |
			   OP_RESULT_VARIES},
    [OP_PAGE_CACHE_ADD] = {"page_cache_add", FAMILY_PAGE,
			   OP_HAS_PATH | OP_HAS_OFFSET | OP_HAS_LENGTH | OP_HAS_FLAGS},
    [OP_COMPUTE] = {"compute", FAMILY_CAUSE, OP_HAS_OFFSET | OP_HAS_LENGTH},
    [OP_SIGNAL] = {"signal", FAMILY_CAUSE, OP_HAS_LENGTH},
    [OP_WAIT] = {"wait", FAMILY_CAUSE, OP_HAS_LENGTH},
};

const char *const op_names[] = {
    "open",           "close",
    "read",           "write",
    "pread",          "pwrite",
    "lseek",          "fsync",
    "fdatasync",      "readv",
    "writev",         "preadv",
    "pwritev",        "preadv2",
    "pwritev2",       "readahead",
    "fadvise",        "sync",
    "syncfs",         "sync_file_range",
    "truncate",       "ftruncate",
    "fallocate",      "dup",
    "dup2",           "fcntl",
    "ioctl",          "flock",
    "lockf",          "stat",
    "fstat",          "statx",
    "statfs",         "fstatfs",
    "access",         "chmod",
    "fchmod",         "chown",
    "fchown",         "utimens",
    "futimens",       "getxattr",
    "fgetxattr",      "setxattr",
    "fsetxattr",      "listxattr",
    "flistxattr",     "removexattr",
    "fremovexattr",   "rename",
    "link",           "symlink",
    "readlink",       "unlink",
    "mkdir",          "rmdir",
    "mknod",          "realpath",
    "chdir",          "fchdir",
    "chroot",         "opendir",
    "fdopendir",      "readdir",
    "closedir",       "rewinddir",
    "seekdir",        "telldir",
    "getdents",       "scandir",
    "walk",           "mmap",
    "munmap",         "msync",
    "madvise",        "mremap",
    "sendfile",       "copy_file_range",
    "splice",         "tee",
    "vmsplice",       "fopen",
    "fdopen",         "freopen",
    "fclose",         "fread",
    "fwrite",         "fgets",
    "fputs",          "getdelim",
    "fgetc",          "fputc",
    "ungetc",         "fprintf",
    "fscanf",         "fseek",
    "ftell",          "fflush",
    "setvbuf",        "io_submit",
    "io_getevents",   "io_cancel",
    "io_uring_enter", "aio_read",
    "aio_write",      "aio_readv",
    "aio_writev",     "aio_fsync",
    "aio_fdatasync",  "aio_other",
    "page_fault",     "page_cache_add",
    "compute",        "signal",
    "wait",           NULL,
};
_Static_assert(sizeof op_names / sizeof *op_names == OP_N,
	       "op_names lists every operation but invalid");

const struct op_info *op_info(unsigned int op)
{
	return &table[op < OP_N ? op : OP_INVALID];
}

bool op_stroke_decides(unsigned int op, int error)
{
	switch (error) {
	case ENOTDIR: /* of a file, or of a link, which is followed then */
	case EISDIR:  /* open to make one */
	case EINVAL:  /* readlink of a link to a directory */
		return true;
	case ENOENT: /* what is made is no directory */
		return op == OP_LINK || op == OP_SYMLINK || op == OP_MKNOD;
	default:
		return false;
	}
}

enum trace_op op_find(const char *name)
{
	for (unsigned int op = OP_INVALID + 1; op < OP_N; op++)
		if (!strcmp(table[op].name, name))
			return (enum trace_op)op;
	return OP_INVALID;
}
