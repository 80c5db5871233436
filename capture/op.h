/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations a trace can hold: one row per enum trace_op. Whoever needs to know what an
 * operation uses or does asks the row; a switch over operations belongs only where each really does
 * something of its own. */
#ifndef CAPTURE_OP_H
#define CAPTURE_OP_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"

enum op_family {
	FAMILY_NAME,     /* makes or ends the use of a path: open, close */
	FAMILY_READ,     /* moves data from storage */
	FAMILY_WRITE,    /* moves data to storage */
	FAMILY_POSITION, /* moves a descriptor's position only */
	FAMILY_SYNC,     /* makes data durable */
	/* looks at or changes what is known of a file: stat, access, chmod, extended attributes */
	FAMILY_ATTRIBUTE,
	FAMILY_DIRECTORY,  /* lists directories */
	FAMILY_SIZE,       /* changes a file's length or blocks */
	FAMILY_DESCRIPTOR, /* copies a descriptor or changes it: dup, fcntl, locks */
	FAMILY_ADVICE,     /* tells the kernel what will be wanted */
	FAMILY_MAP,        /* maps files into memory */
	FAMILY_COPY,       /* moves data between two descriptors inside the kernel */
	FAMILY_STREAM,     /* stdio, as the program called it; what it does below is not seen */
	/* hands over or fetches asynchronous requests, which are requests of their own */
	FAMILY_ASYNC,
	FAMILY_PAGE, /* the page cache: faults on mapped files, pages that were not there */
	/* no request, but what makes the next one wait: computing, and other nodes of the
	   application */
	FAMILY_CAUSE,
	FAMILY_N
};
extern const char *const op_family_names[FAMILY_N + 1]; /* "name", "read", ..., NULL */

/* Which fields of the record the operation uses. */
#define OP_HAS_FD 0x01u		   /* takes a descriptor: record.fd */
#define OP_HAS_PATH 0x02u	   /* takes a path: record.object names it */
#define OP_HAS_OFFSET 0x04u	   /* record.offset is an argument of the call */
#define OP_KNOWS_OFFSET 0x08u	   /* record.offset is the position it worked at, or OFFSET_NONE */
#define OP_HAS_LENGTH 0x10u	   /* record.length: bytes */
#define OP_HAS_FLAGS 0x20u	   /* record.flags */
#define OP_HAS_MODE 0x40u	   /* record.length holds a file mode */
#define OP_OFFSET_SIGNED 0x80u	   /* record.offset is an int64_t in disguise: lseek backwards */
#define OP_RETURNS_FD 0x100u	   /* rvalue is a new descriptor, and record.fd the same */
#define OP_RETURNS_BYTES 0x200u	   /* rvalue counts bytes moved */
/* leaves the descriptor's position elsewhere: order matters on a shared one */
#define OP_MOVES_POSITION 0x400u
/* rvalue is a new descriptor, and record.fd the one it was made from */
#define OP_MAKES_FD 0x800u
/* rvalue is an address or the like: it says only whether the call succeeded */
#define OP_RESULT_VARIES 0x1000u

/* page_fault: by the file's fault handler, that page alone (else: mapped from the cache, with pages
 * around it) */
#define PAGE_HANDLED 1u
#define PAGE_WRITTEN 2u /* page_fault: the program wrote (else it read, or nothing tells) */
/* page_fault: results from here on are the address that was touched; below, the number of pages */
#define PAGE_ADDRESS_MIN 65536
/* page_cache_add: the call or fault it happened in asked for it: a miss (else: read ahead) */
#define PAGE_ASKED 1u

/* What the record's heap item holds where there is one; nothing is aligned, numbers are
 * little-endian. */
#define OP_HEAP_IOVEC 0x10000u /* uint64_t n: length of each buffer */
#define OP_HEAP_PEER 0x20000u  /* struct op_peer: the other descriptor. dup2: the number wanted */
/* the second path (rename, link: the new name; symlink: what it points at), no NUL */
#define OP_HEAP_PATH 0x40000u
#define OP_HEAP_NAME 0x80000u  /* name of the extended attribute, no NUL */
#define OP_HEAP_TIMES 0x100000u /* int64_t[4]: seconds and ns of access and of modification */
#define OP_HEAP_LOCK 0x200000u /* struct op_lock: of a lock by fcntl, as it was asked for */
#define OP_HEAP 0x3f0000u

/* sendfile, copy_file_range, splice, tee: record.fd is read from, this is written to */
struct op_peer {
	int32_t fd;
	uint32_t object; /* or OBJECT_NONE */
	uint64_t offset; /* OFFSET_NONE: its position */
};
/* copy_file_range: made by ioctl FICLONE or FICLONERANGE, so that the files share their blocks.
 * Length 0: up to the end of the source. The result counts bytes; 0: unknown. copy_file_range(2)
 * itself takes no flags. */
#define OP_COPY_CLONES 0x80000000u

struct op_lock { /* as struct flock: type, whence, and the range */
	int64_t type, whence, start, length;
};
static inline bool op_is_lock(unsigned int command) /* of fcntl: its argument is a struct flock */
{
	return command == F_SETLK || command == F_SETLKW || command == F_GETLK ||
	       command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
}

/* ioctl FS_IOC_SETFLAGS: record.offset has this bit and the flags that the argument points to. */
#define OP_IOCTL_VALUE (UINT64_C(1) << 62)

/* Calls that make a file or a directory: the umask of the process, where it is known, is in
 * record.length above the mode (bits 16 to 24), with OP_UMASK_KNOWN. fopen() and freopen() have
 * 0666 as their mode then, and else no length. */
#define OP_UMASK_KNOWN 0x80000000u
#define OP_UMASK_SHIFT 16
#define OP_MODE_BITS 0xffffu /* type and permissions */

static inline bool op_makes_file(unsigned int op, uint32_t flags)
{
	const bool opens = op == OP_OPEN || op == OP_FOPEN || op == OP_FREOPEN;
	return op == OP_MKDIR || op == OP_MKNOD ||
	       (opens && (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE));
}

/* The mode that the call asked for, with the umask of its process. */
static inline uint64_t op_mode_under(unsigned int op, uint64_t mode, uint32_t umask)
{
	const uint64_t asked = op == OP_FOPEN || op == OP_FREOPEN ? 0666 : mode & OP_MODE_BITS;
	return OP_UMASK_KNOWN | (uint64_t)(umask & 0777) << OP_UMASK_SHIFT | asked;
}

/* The mode that the file gets; `umask` counts where the record has none. */
static inline uint32_t op_mode_made(unsigned int op, uint64_t length, uint32_t umask)
{
	if (!(length & OP_UMASK_KNOWN))
		length = op_mode_under(op, length, umask);
	return (uint32_t)(length & OP_MODE_BITS & ~(length >> OP_UMASK_SHIFT & 0777));
}

/* setxattr() and fsetxattr() of OP_ACL_NAME whose value says the same as permissions:
 * OP_ACL_IS_MODE and the permissions are in record.flags, above the flags of the call. `cp -p`,
 * `install` and `sed -i` set permissions by such a value. */
#define OP_ACL_NAME "system.posix_acl_access"
#define OP_ACL_IS_MODE 0x80000000u
#define OP_ACL_SHIFT 16
/* version, then tag, permissions and identifier of the owner, the group and others */
#define OP_ACL_BYTES 28u

/* These flags, or 0 for any other value. Here, for the preload library has none of the program's
 * functions. Source of the layout: linux/posix_acl_xattr.h. */
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

/* The value that has these flags: value[OP_ACL_BYTES]. */
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
	const char *name; /* as the function is called, and as CSV has it */
	enum op_family family;
	unsigned int uses; /* OP_HAS_... */
};

/* The row of `op`; OP_INVALID and numbers beyond the table give the row "invalid", which uses
 * nothing. Never NULL. */
const struct op_info *op_info(unsigned int op);
static inline const char *op_name(unsigned int op)
{
	return op_info(op)->name;
}
/* The operation called `name`, or OP_INVALID. */
enum trace_op op_find(const char *name);

/* Whether a call that failed with `error` may owe it to a '/' behind its last name: without that it
 * might succeed. */
bool op_stroke_decides(unsigned int op, int error);

/* All names, NULL-terminated, for choices and for nearest_name(). */
extern const char *const op_names[];

/* Bytes the request really moved: rvalue of a read or write that succeeded, else 0. */
static inline uint64_t op_bytes_moved(const struct trace_record *r)
{
	return (op_info(r->op)->uses & OP_RETURNS_BYTES) && r->rvalue > 0 ? (uint64_t)r->rvalue : 0;
}

/* A flag of OP_IO_URING_ENTER: its requests are in the trace, because the ring is liburing's or
 * capture reads it. */
#define LOG_BY_LIBURING 1u

#endif
