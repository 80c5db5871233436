/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/op.h"

#include <string.h>

const char *const op_family_names[FAMILY_N + 1] = {"name", "read", "write", "position", "sync", NULL};

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
};

const char *const op_names[] = {"open",   "close", "read",  "write",     "pread",
				"pwrite", "lseek", "fsync", "fdatasync", NULL};
_Static_assert(sizeof op_names / sizeof *op_names == OP_N, "op_names lists every operation but invalid");

const struct op_info *op_info(unsigned int op)
{
	return &table[op < OP_N ? op : OP_INVALID];
}

enum trace_op op_find(const char *name)
{
	for (unsigned int op = OP_INVALID + 1; op < OP_N; op++)
		if (!strcmp(table[op].name, name))
			return (enum trace_op)op;
	return OP_INVALID;
}
