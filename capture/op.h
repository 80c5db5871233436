/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations a trace can hold: one row per enum trace_op. Whoever needs to know what an operation uses or does asks
 * the row; a switch over operations belongs only where each really does something of its own. */
#ifndef CAPTURE_OP_H
#define CAPTURE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"

enum op_family {
	FAMILY_NAME,	 /* makes or ends the use of a path: open, close */
	FAMILY_READ,	 /* moves data from storage */
	FAMILY_WRITE,	 /* moves data to storage */
	FAMILY_POSITION, /* moves a descriptor's position only */
	FAMILY_SYNC,	 /* makes data durable */
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
#define OP_MOVES_POSITION 0x400u /* leaves the descriptor's position elsewhere: order matters on a shared one */

struct op_info {
	const char *name; /* as the function is called, and as CSV has it */
	enum op_family family;
	unsigned int uses; /* OP_HAS_... */
};

/* The row of `op`; OP_INVALID and numbers beyond the table give the row "invalid", which uses nothing. Never NULL. */
const struct op_info *op_info(unsigned int op);
static inline const char *op_name(unsigned int op)
{
	return op_info(op)->name;
}
/* The operation called `name`, or OP_INVALID. */
enum trace_op op_find(const char *name);

/* All names, NULL-terminated, for choices and for nearest_name(). */
extern const char *const op_names[];

/* Bytes the request really moved: rvalue of a read or write that succeeded, else 0. */
static inline uint64_t op_bytes_moved(const struct trace_record *r)
{
	return (op_info(r->op)->uses & OP_RETURNS_BYTES) && r->rvalue > 0 ? (uint64_t)r->rvalue : 0;
}

#endif
