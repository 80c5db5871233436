/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/kernel/ring_entries.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>

#include "capture/kernel/btf.h"
#include "common/xalloc.h"

enum {
	OPCODE_MKDIRAT = 37,
	OPCODE_SYMLINKAT = 38,
	OPCODE_LINKAT = 39,
	OPCODE_FTRUNCATE = 55,
	N_OPCODES = 64
};
#define FD "#" /* the request's own descriptor */

/* Requests at an offset are asynchronous requests of the trace, as in capture app. */
static const struct syscall_row requests[] = {
    {"aio_read", -1, OP_AIO_READ, "f_so", 0, 0},
    {"aio_write", -1, OP_AIO_WRITE, "f_so", 0, 0},
    {"aio_readv", -1, OP_AIO_READV, "fi_o", 0, 0},
    {"aio_writev", -1, OP_AIO_WRITEV, "fi_o", 0, 0},
    {"aio_fsync", -1, OP_AIO_FSYNC, "f", 0, 0},
    {"aio_fdatasync", -1, OP_AIO_FDATASYNC, "f", 0, 0},
    {"aio_other", -1, OP_AIO_OTHER, "fv", 0, 0},
};

/* The operations on files: the kernel's structure, the equivalent call, and the member for each of
 * its arguments. */
static const struct ring_row {
	unsigned int opcode;
	const char *structure, *call;
	const char *at_position; /* the call if the entry's offset is -1 */
	const char *member[SYSCALL_ARGS];
} rows[] = {
    {IORING_OP_READV, "io_rw", "aio_readv", "readv", {FD, "addr", "len", "kiocb.ki_pos"}},
    {IORING_OP_WRITEV, "io_rw", "aio_writev", "writev", {FD, "addr", "len", "kiocb.ki_pos"}},
    {IORING_OP_READ_FIXED, "io_rw", "aio_read", NULL, {FD, NULL, "len", "kiocb.ki_pos"}},
    {IORING_OP_WRITE_FIXED, "io_rw", "aio_write", NULL, {FD, NULL, "len", "kiocb.ki_pos"}},
    {IORING_OP_READ, "io_rw", "aio_read", "read", {FD, NULL, "len", "kiocb.ki_pos"}},
    {IORING_OP_WRITE, "io_rw", "aio_write", "write", {FD, NULL, "len", "kiocb.ki_pos"}},
    {IORING_OP_FSYNC, "io_sync", "aio_fsync", NULL, {FD, "flags"}},
    {IORING_OP_SYNC_FILE_RANGE, "io_sync", "sync_file_range", NULL, {FD, "off", "len", "flags"}},
    {IORING_OP_FALLOCATE, "io_sync", "fallocate", NULL, {FD, "mode", "off", "len"}},
    {IORING_OP_FADVISE, "io_fadvise", "fadvise64", NULL, {FD, "offset", "len", "advice"}},
    {IORING_OP_OPENAT, "io_open", "openat", NULL,
     {"dfd", "filename", "how.flags", "how.mode", "file_slot"}},
    {IORING_OP_OPENAT2, "io_open", "openat", NULL,
     {"dfd", "filename", "how.flags", "how.mode", "file_slot"}},
    {IORING_OP_CLOSE, "io_close", "close", NULL, {"fd", NULL, NULL, NULL, "file_slot"}},
    {IORING_OP_STATX, "io_statx", "statx", NULL, {"dfd", "filename", "flags", "mask"}},
    {IORING_OP_RENAMEAT, "io_rename", "renameat2", NULL,
     {"old_dfd", "oldpath", "new_dfd", "newpath", "flags"}},
    {IORING_OP_UNLINKAT, "io_unlink", "unlinkat", NULL, {"dfd", "filename", "flags"}},
    {OPCODE_MKDIRAT, "io_mkdir", "mkdirat", NULL, {"dfd", "filename", "mode"}},
    {OPCODE_SYMLINKAT, "io_link", "symlinkat", NULL, {"oldpath", "new_dfd", "newpath"}},
    {OPCODE_LINKAT, "io_link", "linkat", NULL,
     {"old_dfd", "oldpath", "new_dfd", "newpath", "flags"}},
    {OPCODE_FTRUNCATE, "io_ftrunc", "ftruncate", NULL, {FD, "len"}},
};

/* Further operations on files, which are not decoded: splice, tee, extended attributes (41 to 44),
 * device commands (46), multishot reads (49), vectors in registered memory (60, 61). */
static const unsigned char others[] = {
    IORING_OP_SPLICE, IORING_OP_TEE, 41, 42, 43, 44, 46, 49, 60, 61};

struct ring_entries {
	struct {
		const struct ring_row *row;
		const struct syscall_row *call, *at_position;
		struct btf_field field[SYSCALL_ARGS]; /* size 0: there is none */
		uint64_t items;
	} op[N_OPCODES];
	struct btf_field command, fd, name;
};

static const struct syscall_row *call_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof requests / sizeof *requests; i++)
		if (!strcmp(requests[i].name, name))
			return &requests[i];
	return name ? syscall_row_of_name(name, strlen(name)) : NULL;
}

static int row_take(struct ring_entries *r, const struct btf *b, const struct ring_row *row,
		    struct err *e)
{
	unsigned int n_pointers = 0;
	r->op[row->opcode].row = row;
	r->op[row->opcode].call = call_find(row->call);
	r->op[row->opcode].at_position = call_find(row->at_position);
	r->op[row->opcode].items = UM_RING_KNOWN;
	const char *args = r->op[row->opcode].call->args;
	for (unsigned int i = 0; i < SYSCALL_ARGS; i++) {
		struct btf_field *f = &r->op[row->opcode].field[i];
		const char letter = i < strlen(args) ? args[i] : '_';
		if (!row->member[i] || !strcmp(row->member[i], FD))
			continue;
		if (!btf_member(b, row->structure, row->member[i], f) || f->offset < 0 ||
		    f->offset + f->size > 64 || f->size > 8)
			return err_set(e, ENOENT, "this kernel's struct %s has no %s",
				       row->structure, row->member[i]);
		if (strchr("pPTi", letter) && n_pointers < UM_RING_POINTERS)
			r->op[row->opcode].items |= um_ring_pointer(n_pointers++, f->offset) |
						    (letter == 'i' ? UM_RING_VECTOR : 0);
	}
	return 0;
}

int ring_entries_open(struct ring_entries **out, struct err *e)
{
	struct btf *b;
	struct btf_field within;
	*out = NULL;
	int rc = btf_open(&b, e);
	if (rc)
		return rc;
	struct ring_entries *r = xcalloc(1, sizeof *r);
	if (!btf_member(b, "io_kiocb", "cmd", &r->command) ||
	    !btf_member(b, "io_kiocb", "cqe", &r->fd) || !btf_member(b, "io_cqe", "fd", &within) ||
	    !btf_member(b, "filename", "name", &r->name))
		rc = err_set(e, ENOENT,
			     "this kernel's struct io_kiocb is laid out in an unknown way");
	else
		r->fd.offset += within.offset;
	for (size_t i = 0; !rc && i < sizeof rows / sizeof *rows; i++)
		/* an operation that the kernel lacks, or lays out differently, is not decoded */
		if (row_take(r, b, &rows[i], NULL))
			r->op[rows[i].opcode].row = NULL;
	for (size_t i = 0; i < sizeof others; i++)
		r->op[others[i]].items = UM_RING_KNOWN;
	if (!rc && !r->op[IORING_OP_READ].row)
		rc = err_set(e, ENOENT, "this kernel's struct io_rw is laid out in an unknown way");
	btf_close(b);
	if (rc)
		free(r);
	else
		*out = r;
	return rc;
}

void ring_entries_close(struct ring_entries *r)
{
	free(r);
}

void ring_entries_layout(const struct ring_entries *r, struct um_ring_layout *l)
{
	l->command = r->command.offset;
	l->fd = r->fd.offset;
	l->name = r->name.offset;
	l->vector_length = r->op[IORING_OP_READV].field[2].offset;
}

uint64_t ring_entries_items(const struct ring_entries *r, unsigned int opcode)
{
	/* later operations may concern files */
	return opcode < N_OPCODES ? r->op[opcode].items : UM_RING_KNOWN;
}

static uint64_t field_of(const struct um_ring_entry *u, struct btf_field f)
{
	uint64_t v = 0;
	memcpy(&v, (const unsigned char *)u->command + f.offset, (size_t)f.size);
	return v;
}

const struct syscall_row *ring_entries_call(const struct ring_entries *r,
					    const struct um_ring_entry *u,
					    uint64_t arg[SYSCALL_ARGS])
{
	const uint64_t opcode = u->opcode < N_OPCODES ? u->opcode : 0;
	const struct ring_row *row = r->op[opcode].row;
	const bool registered = u->flags & IOSQE_FIXED_FILE;
	memset(arg, 0, SYSCALL_ARGS * sizeof *arg);
	for (unsigned int i = 0; row && i < SYSCALL_ARGS; i++)
		if (row->member[i])
			arg[i] = strcmp(row->member[i], FD) ? field_of(u, r->op[opcode].field[i])
							    : (uint64_t)u->fd;
	const bool on_slot =
	    row && row->member[4] && !strcmp(row->member[4], "file_slot") && arg[4];
	/* on_slot: it creates or closes a registered file, without a descriptor */
	if (!row || registered || on_slot) {
		arg[0] = registered || on_slot ? UINT64_MAX : (uint64_t)u->fd;
		arg[1] = u->opcode;
		return call_find("aio_other");
	}
	if (r->op[opcode].at_position && arg[3] == UINT64_MAX)
		return r->op[opcode].at_position;
	if (opcode == IORING_OP_FSYNC && arg[1] & IORING_FSYNC_DATASYNC)
		return call_find("aio_fdatasync");
	return r->op[opcode].call;
}

const struct syscall_row *aio_entry_call(const struct um_ring_entry *u, uint64_t arg[SYSCALL_ARGS])
{
	static const char *const call_of[] = {
	    [IOCB_CMD_PREAD] = "aio_read",   [IOCB_CMD_PWRITE] = "aio_write",
	    [IOCB_CMD_FSYNC] = "aio_fsync",  [IOCB_CMD_FDSYNC] = "aio_fdatasync",
	    [IOCB_CMD_PREADV] = "aio_readv", [IOCB_CMD_PWRITEV] = "aio_writev"};
	struct iocb cb;
	memcpy(&cb, u->command, sizeof cb);
	const uint16_t opcode = cb.aio_lio_opcode;
	const char *call = opcode < sizeof call_of / sizeof *call_of ? call_of[opcode] : NULL;
	const uint64_t as_call[SYSCALL_ARGS] = {cb.aio_fildes, cb.aio_buf, cb.aio_nbytes,
						(uint64_t)cb.aio_offset};
	memcpy(arg, as_call, sizeof as_call);
	if (!call)
		arg[1] = opcode;
	return call_find(call ? call : "aio_other");
}
