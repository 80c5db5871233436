/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ring entries that are equivalent to a system call with a path, or that use the file's position.
 * (Only requests at an offset are asynchronous requests in a trace.) A replay must open the file of
 * an open entry, because later calls use the descriptor. So each such entry becomes a record of the
 * equivalent call. It lasts from the submission to the result, and belongs to the thread that
 * fetches the result. */
#include <linux/openat2.h>

#include "capture/op.h"
#include "capture/preload/uring.h"

enum {
	N_NAMED = 128,
	TEXT_SIZE = 4096,
	N_VECTOR = TEXT_SIZE / sizeof(struct iovec),
	SKIP_SUCCESS = 1u << 6
};
enum { OPCODE_MKDIRAT = 37, OPCODE_SYMLINKAT = 38, OPCODE_LINKAT = 39, OPCODE_FTRUNCATE = 55 };
enum named_ring_slot_state { SLOT_FREE, SLOT_BUSY, SLOT_WAITS };

static struct named {
	_Atomic int state; /* enum named_ring_slot_state */
	uint64_t key;
	struct note note; /* the following arrays contain its texts */
	const void *bytes; /* the data that the entry writes */
	size_t n_bytes;
	/* for vectors, `second` contains struct iovec[N_VECTOR] */
	char path[TEXT_SIZE], second[TEXT_SIZE];
} slots[N_NAMED];
static _Atomic uint32_t n_waiting;

static bool text_keep(char *to, uint64_t at)
{
	const char *s = (const char *)(uintptr_t)at;
	const ssize_t len = capture_text(s);
	if (len < 0 || len >= TEXT_SIZE)
		return false;
	memcpy(to, s, (size_t)len);
	to[len] = '\0';
	return true;
}

static bool path_keep(struct named *n, uint64_t at)
{
	n->note.path = n->path;
	return text_keep(n->path, at);
}

static bool second_keep(struct named *n, uint64_t at)
{
	if (!text_keep(n->second, at))
		return false;
	n->note.extra = n->second;
	n->note.extra_len = strlen(n->second);
	return true;
}

static bool vector_keep(struct named *n, const struct io_uring_sqe *s)
{
	const void *from = (const void *)(uintptr_t)s->addr;
	if (s->len > N_VECTOR || !capture_readable(from, s->len * sizeof(struct iovec)))
		return false;
	memcpy(n->second, from, s->len * sizeof(struct iovec));
	n->note.vector = (const struct iovec *)(const void *)n->second;
	n->note.n_vector = s->len;
	return true;
}

/* Stores an entry that reads or writes at the file's position (offset -1). */
static bool transfer_keep(struct named *n, const struct io_uring_sqe *s, uint16_t op,
			  uint16_t op_vector)
{
	const bool vector = s->opcode == IORING_OP_READV || s->opcode == IORING_OP_WRITEV;
	if (s->off != UINT64_MAX || s->rw_flags)
		return false;
	n->note.op = vector ? op_vector : op;
	n->note.offset = OFFSET_NONE;
	n->note.length = vector ? 0 : s->len;
	if (vector && !vector_keep(n, s))
		return false;
	for (size_t i = 0; i < n->note.n_vector; i++)
		n->note.length += n->note.vector[i].iov_len;
	n->bytes = op != OP_WRITE ? NULL
		   : vector       ? (const void *)n->second
				  : (const void *)(uintptr_t)s->addr;
	return true;
}

static bool open_keep(struct named *n, const struct io_uring_sqe *s)
{
	struct open_how how = {.flags = s->open_flags, .mode = s->len};
	if (s->opcode == IORING_OP_OPENAT2) {
		const void *from = (const void *)(uintptr_t)s->addr2;
		if (s->len < sizeof how || !capture_readable(from, sizeof how))
			return false;
		memcpy(&how, from, sizeof how);
	}
	n->note.op = OP_OPEN;
	n->note.flags = (uint32_t)how.flags;
	n->note.length = how.flags & (O_CREAT | O_TMPFILE) ? how.mode : 0;
	/* opens into the table of registered files, without a descriptor */
	return !s->splice_fd_in && path_keep(n, s->addr);
}

static bool two_keep(struct named *n, const struct io_uring_sqe *s, uint16_t op, uint32_t flags)
{
	n->note.op = op;
	n->note.flags = flags;
	n->note.second_dir = (int32_t)s->len;
	return path_keep(n, s->addr) && second_keep(n, s->addr2);
}

static bool named_keep(struct named *n, const struct io_uring_sqe *s, int fd, uint64_t begin)
{
	n->note = (struct note){.begin = begin, .fd = fd, .dir = s->fd};
	n->bytes = NULL;
	switch (s->opcode) {
	case IORING_OP_READ:
	case IORING_OP_READV:
		return transfer_keep(n, s, OP_READ, OP_READV);
	case IORING_OP_WRITE:
	case IORING_OP_WRITEV:
		return transfer_keep(n, s, OP_WRITE, OP_WRITEV);
	case IORING_OP_OPENAT:
	case IORING_OP_OPENAT2:
		return open_keep(n, s);
	case IORING_OP_CLOSE:
		n->note.op = OP_CLOSE;
		return !s->splice_fd_in;
	case IORING_OP_STATX:
		n->note.op = OP_STATX;
		n->note.flags = s->statx_flags;
		n->note.length = s->len;
		return path_keep(n, s->addr);
	case IORING_OP_UNLINKAT:
		n->note.op = OP_UNLINK;
		n->note.flags = s->unlink_flags;
		return path_keep(n, s->addr);
	case IORING_OP_RENAMEAT:
		return two_keep(n, s, OP_RENAME, s->rename_flags);
	case OPCODE_LINKAT:
		return two_keep(n, s, OP_LINK, s->rename_flags);
	case OPCODE_MKDIRAT:
		n->note.op = OP_MKDIR;
		n->note.length = s->len;
		return path_keep(n, s->addr);
	case OPCODE_SYMLINKAT:
		n->note.op = OP_SYMLINK;
		return path_keep(n, s->addr2) && second_keep(n, s->addr);
	case OPCODE_FTRUNCATE:
		n->note.op = OP_FTRUNCATE;
		n->note.length = s->off;
		return true;
	default:
		return false;
	}
}

static void named_note(struct named *n, int64_t result, uint64_t now)
{
	const int saved = errno;
	n->note.end = now > n->note.begin ? now : n->note.begin;
	n->note.result = result < 0 ? -1 : result;
	/* as note_stat() in hook_attribute.c */
	if (n->note.op == OP_STATX && !result && n->note.flags & AT_EMPTY_PATH &&
	    n->note.dir >= 0 && !*n->path)
		n->note = (struct note){.begin = n->note.begin,
					.end = n->note.end,
					.op = OP_FSTAT,
					.fd = n->note.dir};
	if (n->note.op == OP_OPEN)
		n->note.fd = (int32_t)n->note.result;
	if (unlikely(capture_flags & LOG_CONTENT) && n->bytes && result > 0)
		content_note_foreign(n->note.fd, n->bytes, (uint32_t)n->note.n_vector,
				     (uint64_t)result, n->note.begin);
	errno = result < 0 ? (int)-result : 0;
	capture_note(&n->note);
	errno = saved;
}

bool uring_named_store(const struct io_uring_sqe *s, uint64_t key, int fd, uint64_t begin)
{
	for (int i = 0; i < N_NAMED; i++) {
		struct named *n = &slots[i];
		int is_free = SLOT_FREE;
		if (!atomic_compare_exchange_strong(&n->state, &is_free, SLOT_BUSY))
			continue;
		const bool kept = named_keep(n, s, fd, begin);
		/* on success, the entry has no result */
		const bool skips = s->flags & SKIP_SUCCESS;
		n->key = key;
		if (kept && skips)
			named_note(n, 0, begin);
		n_waiting += kept && !skips;
		atomic_store(&n->state, kept && !skips ? SLOT_WAITS : SLOT_FREE);
		return kept;
	}
	return false;
}

bool uring_named_done(uint64_t key, int64_t result, uint64_t now)
{
	for (int i = 0; i < N_NAMED && atomic_load(&n_waiting); i++) {
		struct named *n = &slots[i];
		int waits = SLOT_WAITS;
		if (atomic_load(&n->state) != SLOT_WAITS || n->key != key ||
		    !atomic_compare_exchange_strong(&n->state, &waits, SLOT_BUSY))
			continue;
		named_note(n, result, now);
		n_waiting--;
		atomic_store(&n->state, SLOT_FREE);
		return true;
	}
	return false;
}
