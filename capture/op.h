/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations that a trace can contain. Each enum trace_op has a row, which states the fields that
 * the operation uses and its effects. Code switches over operations only where each operation needs
 * code of its own. */
#pragma once

#include "capture/trace.h"

enum op_family {
	FAMILY_NAME,     /* starts or ends the use of a path: open, close */
	FAMILY_READ,     /* moves data from storage */
	FAMILY_WRITE,    /* moves data to storage */
	FAMILY_POSITION, /* only changes the position of a descriptor */
	FAMILY_SYNC,     /* makes data durable */
	/* reads or changes attributes: stat, access, chmod, extended attributes */
	FAMILY_ATTRIBUTE,
	FAMILY_DIRECTORY,  /* lists directories */
	FAMILY_SIZE,       /* changes a file's length or blocks */
	FAMILY_DESCRIPTOR, /* copies a descriptor or changes it: dup, fcntl, locks */
	FAMILY_ADVICE,     /* announces future accesses to the kernel */
	FAMILY_MAP,        /* maps files into memory */
	FAMILY_COPY,       /* moves data between two descriptors inside the kernel */
	/* stdio calls of the program; the system calls that they make are not recorded */
	FAMILY_STREAM,
	/* submits or fetches asynchronous requests, which have their own records */
	FAMILY_ASYNC,
	FAMILY_PAGE, /* the page cache: faults on mapped files, pages read into the cache */
	/* not a request: states why the next request waits (computation, other nodes) */
	FAMILY_CAUSE,
	FAMILY_N
};
extern const char *const op_family_names[FAMILY_N + 1]; /* "name", "read", ..., NULL */

/* Which fields of the record the operation uses. */
#define OP_HAS_FD 0x01u		   /* takes a descriptor: record.fd */
#define OP_HAS_PATH 0x02u	   /* takes a path: record.object names it */
#define OP_HAS_OFFSET 0x04u	   /* record.offset is an argument of the call */
#define OP_KNOWS_OFFSET 0x08u	   /* record.offset is the position used, or OFFSET_NONE */
#define OP_HAS_LENGTH 0x10u	   /* record.length: bytes */
#define OP_HAS_FLAGS 0x20u	   /* record.flags */
#define OP_HAS_MODE 0x40u	   /* record.length is a file mode */
#define OP_OFFSET_SIGNED 0x80u	   /* record.offset is an int64_t, as for lseek */
#define OP_RETURNS_FD 0x100u	   /* rvalue is a new descriptor; record.fd has the same value */
#define OP_RETURNS_BYTES 0x200u	   /* rvalue is a number of transferred bytes */
/* moves the descriptor's position: the order matters if the position is shared */
#define OP_MOVES_POSITION 0x400u
/* rvalue is a new descriptor; record.fd is the original descriptor */
#define OP_MAKES_FD 0x800u
/* rvalue is an address or similar; only success or failure can be compared */
#define OP_RESULT_VARIES 0x1000u
/* rvalue depends on the state of the machine: a replay compares only success or failure */
#define OP_RESULT_LOCAL 0x2000u

/* page_fault: the file's fault handler handled it, for this page alone; otherwise pages around it
 * were mapped from the cache */
#define PAGE_HANDLED 1u
#define PAGE_WRITTEN 2u /* page_fault: caused by a write; otherwise by a read, or unknown */
/* page_fault: a result from this value on is the address of the access; a smaller result is a
 * number of pages */
#define PAGE_ADDRESS_MIN 65536
/* page_cache_add: a cache miss of the current call or fault; otherwise the page was read ahead */
#define PAGE_ASKED 1u

/* Content of the record's heap item, if it has one. Members are not aligned; numbers are
 * little-endian. */
#define OP_HEAP_IOVEC 0x10000u /* uint64_t n: length of each buffer */
/* struct op_peer: the other descriptor; for dup2, the requested number */
#define OP_HEAP_PEER 0x20000u
/* the second path without NUL: the new name (rename, link) or the target (symlink) */
#define OP_HEAP_PATH 0x40000u
#define OP_HEAP_NAME 0x80000u  /* name of the extended attribute, no NUL */
#define OP_HEAP_TIMES 0x100000u /* int64_t[4]: seconds and ns of access and of modification */
#define OP_HEAP_LOCK 0x200000u /* struct op_lock: argument of a lock by fcntl */
#define OP_HEAP 0x3f0000u

/* For sendfile, copy_file_range, splice and tee: record.fd is the source, this struct describes the
 * destination. */
struct op_peer {
	int32_t fd;
	uint32_t object; /* or OBJECT_NONE */
	uint64_t offset; /* OFFSET_NONE: the descriptor's position */
};
/* copy_file_range: was made by ioctl FICLONE or FICLONERANGE, so the files share their blocks.
 * Length 0: up to the end of the source. The result is a number of bytes; 0: unknown.
 * copy_file_range(2) itself has no flags. */
#define OP_COPY_CLONES 0x80000000u

struct op_lock { /* the members of struct flock */
	int64_t type, whence, start, length;
};
static inline bool op_is_lock(unsigned int command) /* fcntl() with a struct flock */
{
	return command == F_SETLK || command == F_SETLKW || command == F_GETLK ||
	       command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
}

/* fflush: the process ended without exit(), so the C library did not write the buffer. The record
 * is not a call of the program. */
#define OP_FLUSH_DISCARDS 1u

/* ioctl FS_IOC_SETFLAGS: record.offset contains this bit and the flags of the argument. */
#define OP_IOCTL_VALUE (UINT64_C(1) << 62)

/* For calls that create a file or directory: if the process's umask is known, record.length
 * contains it above the mode (bits 16 to 24), together with OP_UMASK_KNOWN. Then fopen() and
 * freopen() have the mode 0666; otherwise they have no length. */
#define OP_UMASK_KNOWN 0x80000000u
#define OP_UMASK_SHIFT 16
#define OP_MODE_BITS 0xffffu /* type and permissions */

static inline bool op_makes_file(unsigned int op, uint32_t flags)
{
	const bool opens = op == OP_OPEN || op == OP_FOPEN || op == OP_FREOPEN;
	return op == OP_MKDIR || op == OP_MKNOD ||
	       (opens && (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE));
}

/* Combines the requested mode with the umask of the process. */
static inline uint64_t op_mode_under(unsigned int op, uint64_t mode, uint32_t umask)
{
	const uint64_t wanted = op == OP_FOPEN || op == OP_FREOPEN ? 0666 : mode & OP_MODE_BITS;
	return OP_UMASK_KNOWN | (uint64_t)(umask & 0777) << OP_UMASK_SHIFT | wanted;
}

/* The mode that the file gets. `umask` is used if the record has no umask. */
static inline uint32_t op_mode_made(unsigned int op, uint64_t length, uint32_t umask)
{
	if (!(length & OP_UMASK_KNOWN))
		length = op_mode_under(op, length, umask);
	return (uint32_t)(length & OP_MODE_BITS & ~(length >> OP_UMASK_SHIFT & 0777));
}

/* setxattr() and fsetxattr() of OP_ACL_NAME with a value equivalent to a mode: record.flags
 * contains OP_ACL_IS_MODE, and the mode above the flags of the call. `cp -p`, `install` and `sed
 * -i` set such values. */
#define OP_ACL_NAME "system.posix_acl_access"
#define OP_ACL_IS_MODE 0x80000000u
#define OP_ACL_SHIFT 16
/* a version, then tag, permissions and identifier for each of owner, group and others */
#define OP_ACL_BYTES 28u

/* The flags for a value that is equivalent to a mode; 0 for any other value. Inline, because the
 * preload library is not linked with the program. Source of the layout: linux/posix_acl_xattr.h. */
static inline uint32_t op_acl_flags(const void *value, size_t n)
{
	/* ACL_USER_OBJ, ACL_GROUP_OBJ, ACL_OTHER */
	const unsigned char *at = value, tag[] = {0x01, 0x04, 0x20};
	uint32_t mode = 0;
	if (n != OP_ACL_BYTES || at[0] != 2 || at[1] || at[2] || at[3])
		return 0;
	at += 4;
	for (int i = 0; i < 3; i++, at += 8) {
		if (at[0] != tag[i] || at[1] || at[2] > 7 || at[3])
			return 0;
		mode = mode << 3 | at[2];
	}
	return OP_ACL_IS_MODE | mode << OP_ACL_SHIFT;
}

/* Writes the value that these flags stand for to value[OP_ACL_BYTES]. */
static inline void op_acl_value(uint32_t flags, unsigned char *value)
{
	static const unsigned char entries[OP_ACL_BYTES] = {
	    2, 0, 0,    0,    0x01, 0,    0,    0, 0xff, 0xff, 0xff, 0xff, 0x04, 0,
	    0, 0, 0xff, 0xff, 0xff, 0xff, 0x20, 0, 0,    0,    0xff, 0xff, 0xff, 0xff};
	for (unsigned int i = 0; i < OP_ACL_BYTES; i++)
		value[i] = entries[i];
	for (int i = 0; i < 3; i++)
		value[6 + 8 * i] = flags >> (OP_ACL_SHIFT + 6 - 3 * i) & 7;
}

struct op_info {
	const char *name; /* the function's name, also used in CSV */
	enum op_family family;
	unsigned int uses; /* OP_HAS_... */
};

extern const struct op_info op_table[OP_N];

/* The row of `op`, never NULL. OP_INVALID and unknown numbers give the row "invalid", which uses
 * nothing. */
static inline const struct op_info *op_info(unsigned int op)
{
	return &op_table[op < OP_N ? op : OP_INVALID];
}

static inline const char *op_name(unsigned int op)
{
	return op_info(op)->name;
}
/* The operation called `name`, or OP_INVALID. */
enum trace_op op_find(const char *name);

/* Whether a call that failed with `error` might succeed without the trailing slash of its path. */
bool op_slash_decides(unsigned int op, int error);

/* All names, NULL-terminated, for option values and nearest_name(). */
extern const char *const op_names[];

/* Bytes that the request transferred: rvalue of a successful read or write, otherwise 0. */
static inline uint64_t op_bytes_moved(const struct trace_record *r)
{
	return (op_info(r->op)->uses & OP_RETURNS_BYTES) && r->rvalue > 0 ? (uint64_t)r->rvalue : 0;
}

/* Flag of OP_IO_URING_ENTER: the ring's requests are in the trace, because the program uses
 * liburing or the capture reads the ring. */
#define LOG_BY_LIBURING 1u
