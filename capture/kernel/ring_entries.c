/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/kernel/ring_entries.h"

#include <linux/aio_abi.h>
#include <linux/btf.h>
#include <linux/io_uring.h>

/* Offsets of members in the running kernel's structures, from its type information (BTF,
 * /sys/kernel/btf/vmlinux; format: Documentation/bpf/btf.rst of Linux). */

struct btf;

struct btf_field {
	int offset, size; /* bytes */
};

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define BTF_BYTES_MAX (256u << 20)

struct btf {
	unsigned char *data;
	size_t n_bytes;
	const char *names; /* names[n_names], ends with a NUL */
	size_t n_names;
	const struct btf_type **type; /* type[n]; [0] is void */
	size_t n;
};

/* Number of bytes after the header of a type. */
static size_t rest_of(const struct btf_type *t)
{
	const size_t n = BTF_INFO_VLEN(t->info);
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return n * 2 * sizeof(uint32_t);
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return n * 3 * sizeof(uint32_t);
	default:
		return 0;
	}
}

static int types_index(struct btf *b, struct err *e)
{
	struct btf_header h;
	if (b->n_bytes < sizeof h)
		return err_set(e, EBADMSG, "%s is truncated", BTF_FILE);
	memcpy(&h, b->data, sizeof h);
	const uint64_t types = (uint64_t)h.hdr_len + h.type_off,
		       names = (uint64_t)h.hdr_len + h.str_off, end = types + h.type_len;
	if (h.magic != BTF_MAGIC || end > b->n_bytes || names + h.str_len > b->n_bytes ||
	    !h.str_len || b->data[names + h.str_len - 1])
		return err_set(e, EBADMSG, "%s: the type information (BTF) of the kernel is "
			"damaged or has an unknown form", BTF_FILE);
	b->names = (const char *)b->data + names;
	b->n_names = h.str_len;
	b->type = xcalloc(h.type_len / sizeof **b->type + 2, sizeof *b->type);
	b->n = 1;
	for (uint64_t at = types; at + sizeof(struct btf_type) <= end;) {
		const struct btf_type *t = (const void *)(b->data + at);
		at += sizeof *t + rest_of(t);
		if (at > end)
			break;
		b->type[b->n++] = t;
	}
	return 0;
}

/* `b` may be NULL. */
static void btf_close(struct btf *b)
{
	if (!b)
		return;
	FREE_EACH(b->type, b->data, b);
}

/* Errors: ENOENT: the kernel has no type information; EBADMSG. Ownership: btf_close. */
static int btf_open(struct btf **out, struct err *e)
{
	struct btf *b = xcalloc(1, sizeof *b);
	const int fd = open(BTF_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;
	size_t cap = 0;
	while (got > 0 && b->n_bytes < BTF_BYTES_MAX) {
		if (b->n_bytes == cap)
			b->data = xreallocarray(b->data, cap = cap ? cap * 2 : 8 << 20, 1);
		got = read(fd, b->data + b->n_bytes, cap - b->n_bytes);
		b->n_bytes += got > 0 ? (size_t)got : 0;
	}
	const int code = errno;
	fd_close(fd);
	int ret = 0;
	if (got < 0)
		ret = err_sys(e, code, "cannot read the kernel's type information %s", BTF_FILE);
	ret = ret ? ret : types_index(b, e);
	*out = ret ? NULL : b;
	if (ret)
		btf_close(b);
	return ret;
}

static bool is_called(const struct btf *b, uint32_t at, const char *name, size_t len)
{
	return at < b->n_names && !strncmp(b->names + at, name, len) && !b->names[at + len];
}

/* The type without typedefs and qualifiers. NULL: void, or no such type. */
static const struct btf_type *type_strip(const struct btf *b, uint32_t id)
{
	for (int i = 0; i < 32 && id && id < b->n; i++) {
		const unsigned int kind = BTF_INFO_KIND(b->type[id]->info);
		if (kind != BTF_KIND_TYPEDEF && kind != BTF_KIND_VOLATILE &&
		    kind != BTF_KIND_CONST && kind != BTF_KIND_TYPE_TAG)
			return b->type[id];
		id = b->type[id]->type;
	}
	return NULL;
}

static bool is_structure(const struct btf_type *t)
{
	const unsigned int kind = t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN;
	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}

static bool member_find(const struct btf *b, const struct btf_type *t, const char *name, int depth,
			struct btf_field *to)
{
	const struct btf_member *m = (const void *)(t + 1);
	const size_t len = strcspn(name, ".");
	const bool last = !name[len];
	for (size_t i = 0; i < BTF_INFO_VLEN(t->info); i++) {
		const uint32_t bits =
		    BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset;
		const struct btf_type *inner = type_strip(b, m[i].type);
		const bool named = m[i].name_off && is_called(b, m[i].name_off, name, len);
		if (named && last) {
			const bool pointer = inner && BTF_INFO_KIND(inner->info) == BTF_KIND_PTR;
			*to = (struct btf_field){(int)(bits / 8), pointer ? (int)sizeof(void *)
								  : inner ? (int)inner->size
									  : 0};
			return true;
		}
		if ((named || !m[i].name_off) && is_structure(inner) && depth < 8 &&
		    member_find(b, inner, named ? name + len + 1 : name, depth + 1, to)) {
			to->offset += (int)(bits / 8);
			return true;
		}
	}
	return false;
}

/* Finds a member of a structure, also inside an anonymous structure. "how.flags" is a member of the
 * member structure `how`. False: the kernel has no such member. */
static bool btf_member(const struct btf *b, const char *structure, const char *member,
		struct btf_field *to)
{
	for (size_t i = 1; i < b->n; i++)
		if (is_structure(b->type[i]) &&
		    is_called(b, b->type[i]->name_off, structure, strlen(structure)))
			return member_find(b, b->type[i], member, 0, to);
	return false;
}

/* Number of arguments of the kernel's tracepoint. 0: there is no tracepoint of this name. */
static size_t btf_tracepoint_args(const struct btf *b, const char *name)
{
	SCOPED_FREE char *type = xasprintf("btf_trace_%s", name);
	for (size_t i = 1; i < b->n; i++) {
		if (BTF_INFO_KIND(b->type[i]->info) != BTF_KIND_TYPEDEF ||
		    !is_called(b, b->type[i]->name_off, type, strlen(type)))
			continue;
		const struct btf_type *pointer = type_strip(b, (uint32_t)i),
				      *function = pointer ? type_strip(b, pointer->type) : NULL;
		if (!function || BTF_INFO_KIND(function->info) != BTF_KIND_FUNC_PROTO)
			return 0;
		/* the first argument belongs to the probe */
		return BTF_INFO_VLEN(function->info) - 1u;
	}
	return 0;
}

enum {
	OPCODE_MKDIRAT = 37,
	OPCODE_SYMLINKAT = 38,
	OPCODE_LINKAT = 39,
	OPCODE_FTRUNCATE = 55,
	N_OPCODES = 64
};
#define FD "#" /* the descriptor of the request */

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

/* Operations on files: the kernel's structure, the equivalent call, and the member for each of its
 * arguments. */
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

/* Operations on files that are not decoded: splice, tee, extended attributes (41 to 44), device
 * commands (46), multishot reads (49), vectors in registered memory (60, 61). */
static const unsigned char others[] = {
    IORING_OP_SPLICE, IORING_OP_TEE, 41, 42, 43, 44, 46, 49, 60, 61};

struct ring_entries {
	struct {
		const struct ring_row *row;
		const struct syscall_row *call, *at_position;
		struct btf_field field[SYSCALL_ARGS]; /* size 0: no such member */
		uint64_t items;
	} op[N_OPCODES];
	struct um_ring_layout layout;
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

static int layout_take(struct um_ring_layout *l, const struct btf *b, struct err *e)
{
	struct btf_field command, cqe, fd, ring, opcode, flags, result, name, pid;
	const size_t n_args = btf_tracepoint_args(b, "io_uring_complete");
	if (!btf_member(b, "io_kiocb", "cmd", &command) ||
	    !btf_member(b, "io_kiocb", "cqe", &cqe) || !btf_member(b, "io_cqe", "fd", &fd) ||
	    !btf_member(b, "io_kiocb", "ctx", &ring) ||
	    !btf_member(b, "io_kiocb", "opcode", &opcode) ||
	    !btf_member(b, "io_kiocb", "flags", &flags) || opcode.size != 1 ||
	    (flags.size != 4 && flags.size != 8) ||
	    !btf_member(b, "io_uring_cqe", "res", &result) ||
	    !btf_member(b, "filename", "name", &name) || !btf_member(b, "task_struct", "pid", &pid))
		return err_set(e, ENOENT,
			       "this kernel lacks a structure or member that is needed to read "
			       "requests of io_uring");
	if (n_args != 3 && n_args < 5) /* ctx, req, cqe; or ctx, req, user_data, res, flags */
		return err_set(e, ENOENT,
			       "this kernel's tracepoints of io_uring have unknown arguments");
	*l = (struct um_ring_layout){.command = command.offset,
				     .fd = cqe.offset + fd.offset,
				     .ring = ring.offset,
				     .opcode = opcode.offset,
				     .flags = flags.offset,
				     .flags_bytes = flags.size,
				     .name = name.offset,
				     .result = n_args == 3 ? result.offset : -1,
				     .task_pid = pid.offset,
				     .task_status = -1};
#if defined(__x86_64__)
	struct btf_field thread, status;
	if (btf_member(b, "task_struct", "thread_info", &thread) &&
	    btf_member(b, "thread_info", "status", &status) && status.size == 4)
		l->task_status = thread.offset + status.offset;
#endif
	return 0;
}

int ring_entries_open(struct ring_entries **out, struct err *e)
{
	struct btf *b;
	*out = NULL;
	int ret = btf_open(&b, e);
	if (ret)
		return ret;
	struct ring_entries *r = xcalloc(1, sizeof *r);
	ret = layout_take(&r->layout, b, e);
	for (size_t i = 0; !ret && i < sizeof rows / sizeof *rows; i++)
		/* an operation that the kernel lacks or stores in another layout is not decoded */
		if (row_take(r, b, &rows[i], NULL))
			r->op[rows[i].opcode].row = NULL;
	for (size_t i = 0; i < sizeof others; i++)
		r->op[others[i]].items = UM_RING_KNOWN;
	if (!ret && !r->op[IORING_OP_READ].row)
		ret = err_set(e, ENOENT, "the layout of this kernel's struct io_rw is unknown");
	if (!ret)
		r->layout.vector_length = r->op[IORING_OP_READV].field[2].offset;
	btf_close(b);
	if (ret)
		free(r);
	else
		*out = r;
	return ret;
}

void ring_entries_close(struct ring_entries *r)
{
	free(r);
}

const struct um_ring_layout *ring_entries_layout(const struct ring_entries *r)
{
	return &r->layout;
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
	const struct um_ring_entry *u, uint64_t arg[SYSCALL_ARGS])
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
	/* on_slot: the operation creates or closes a registered file, without a descriptor */
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
