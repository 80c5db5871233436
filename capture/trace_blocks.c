/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/trace_blocks.h"

#define WINDOW_BYTES (4u << 20)

/* --- windows ------------------------------------------------------------- */

/* MADV_POPULATE_READ returns an error if a page cannot be read, where an access would raise SIGBUS.
 * It is also faster than page faults. */
static int window_populate(const struct window *w, const struct block_file *f, struct err *e)
{
	if (!madvise(w->map, w->len, MADV_POPULATE_READ))
		return 0;
	if (errno == EINVAL || errno == ENOSYS) /* before Linux 5.14: use page faults */
		return 0;
	return err_set(e, EIO, "%s: cannot read all of bytes %llu to %llu (%s)", f->path,
		       (unsigned long long)w->offset, (unsigned long long)(w->offset + w->len),
		       strerror(errno));
}

int window_move(struct window *w, const struct block_file *f, uint64_t offset, size_t len,
		struct err *e)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct stat st;
	window_release(w);
	if (fstat(f->fd, &st) || (uint64_t)st.st_size < offset + len)
		return err_set(e, EIO, "%s: the file was truncated while it was read", f->path);
	uint64_t from = offset - offset % page, to = offset + len;
	if (to < from + WINDOW_BYTES)
		to = from + WINDOW_BYTES < f->size ? from + WINDOW_BYTES : f->size;
	if (to > (uint64_t)st.st_size)
		to = (uint64_t)st.st_size;
	void *map = mmap(NULL, to - from, PROT_READ, MAP_SHARED, f->fd, (off_t)from);
	if (map == MAP_FAILED)
		return err_sys(e, errno, "%s: cannot map %llu bytes", f->path,
			       (unsigned long long)(to - from));
	*w = (struct window){.map = map, .offset = from, .len = to - from};
	int ret = window_populate(w, f, e);
	if (ret)
		window_release(w);
	else if (to < f->size) /* start to read the next window */
		posix_fadvise(f->fd, (off_t)to, WINDOW_BYTES, POSIX_FADV_WILLNEED);
	return ret;
}

/* --- blocks -------------------------------------------------------------- */

/* Checks the header found at `offset`. Returns NULL, or a text that states the fault. */
static const char *header_fault(const struct block_file *f, uint64_t offset,
				const struct block_header *h)
{
	if (h->magic != BLOCK_MAGIC)
		return "no block begins here";
	if (h->crc != block_header_crc(h))
		return "the block's header does not match its checksum";
	if (h->nonce != f->nonce || h->offset != offset)
		return "the block belongs to another file or offset";
	if (h->commit != BLOCK_SEALED && h->commit != BLOCK_OPEN)
		return "the block's commit word is neither open nor sealed";
	if (h->flags & ~BLOCK_ZSTD)
		return "the block has flags of another version";
	if (h->raw_len > RAW_LEN_MAX || h->stored_len > RAW_LEN_MAX)
		return "the block's length is beyond the limit of 64 MiB";
	if (h->kind == BLOCK_META && h->raw_len > META_LEN_MAX)
		return "the metadata is longer than the limit of 16 MiB";
	if (h->commit == BLOCK_OPEN)
		return h->kind == BLOCK_RECORDS && !h->flags &&
			       h->raw_len % sizeof(struct trace_record) == 0
			   ? NULL
			   : "the block is open, but it is compressed, is not a block of "
			     "records, or its length is not a multiple of a record's length";
	if (!(h->flags & BLOCK_ZSTD) && h->raw_len != h->stored_len)
		return "the block's two lengths disagree";
	if (h->kind == BLOCK_RECORDS &&
	    h->raw_len != h->count * (uint64_t)sizeof(struct trace_record))
		return "the block's length and its count of records disagree";
	return NULL;
}

/* Finds the first good header at or after `offset`, or the end of the file. Skips holes of a sparse
 * file. */
static int find_block(const struct block_file *f, struct window *w, uint64_t offset,
		      uint64_t *found, struct err *e)
{
	for (uint64_t checked = 0; offset + sizeof(struct block_header) <= f->size;
	     offset += BLOCK_ALIGN) {
		const void *p;
		if (offset >= checked) {
			off_t data = lseek(f->fd, (off_t)offset, SEEK_DATA);
			if (data < 0 && errno == ENXIO)
				break;
			if (data > (off_t)offset)
				offset = (uint64_t)data - (uint64_t)data % BLOCK_ALIGN;
			checked = offset + WINDOW_BYTES;
		}
		int ret = window_show(w, f, offset, sizeof(struct block_header), &p, e);
		if (ret)
			return ret;
		if (!header_fault(f, offset, p)) {
			*found = offset;
			return 0;
		}
	}
	*found = f->size;
	return 0;
}

/* Copies the header from the window, or reads it from the file, so that a walk over headers does
 * not map the whole file. */
static int read_header(const struct block_file *f, const struct window *w, uint64_t offset,
		       struct block_header *h, struct err *e)
{
	if (w->map && offset >= w->offset && offset + sizeof *h <= w->offset + w->len) {
		memcpy(h, w->map + (offset - w->offset), sizeof *h);
		return 0;
	}
	ssize_t got = pread(f->fd, h, sizeof *h, (off_t)offset);
	if (got == sizeof *h)
		return 0;
	return got < 0 ? err_sys(e, errno, "%s: cannot read at byte %llu", f->path,
				 (unsigned long long)offset)
		       : err_set(e, EIO, "%s: the file was truncated while it was read", f->path);
}

int block_look(const struct block_file *f, struct window *w, uint64_t offset, struct trace_block *b,
	       enum block_state *state, struct err *e)
{
	*b = (struct trace_block){.next = f->size};
	*state = BLOCK_CUT;
	if (f->size - offset < sizeof b->h)
		return 0;
	int ret = read_header(f, w, offset, &b->h, e);
	if (ret)
		return ret;
	b->why = header_fault(f, offset, &b->h);
	if (b->why) {
		*state = BLOCK_DAMAGED;
		return find_block(f, w, offset + BLOCK_ALIGN, &b->next, e);
	}
	uint64_t left = f->size - offset - sizeof b->h;
	uint64_t len = b->h.commit == BLOCK_OPEN ? b->h.raw_len : b->h.stored_len;
	b->available = len < left ? len : left;
	if (b->h.commit == BLOCK_SEALED && len > left)
		return 0;
	*state = BLOCK_WHOLE; /* an open block may be shorter than its maximum */
	uint64_t next = align_up(offset + sizeof b->h + len, BLOCK_ALIGN);
	b->next = next < f->size ? next : f->size;
	return 0;
}

static int payload_show(const struct block_file *f, struct window *w, const struct trace_block *b,
			const void **p, const char **why, struct err *e)
{
	uint64_t from = b->h.offset + sizeof b->h;
	size_t len = b->next - from; /* length including the padding */
	int ret = window_show(w, f, from, len, p, e);
	if (ret)
		return ret;
	*why = crc32c(0, *p, b->h.stored_len) == b->h.payload_crc
		   ? NULL
		   : "its content does not match its checksum";
	for (size_t i = b->h.stored_len; i < len && !*why; i++)
		if (((const unsigned char *)*p)[i])
			*why = "the padding after its content is not zero";
	return 0;
}

int block_load(const struct block_file *f, struct block_view *v, const struct trace_block *b,
	       const void **p, const char **why, struct err *e)
{
	int ret = payload_show(f, &v->window, b, p, why, e);
	if (ret || *why || !(b->h.flags & BLOCK_ZSTD))
		return ret;
	if (b->h.raw_len > v->raw_cap) {
		void *raw = realloc(v->raw, b->h.raw_len);
		if (!raw)
			return err_set(e, ENOMEM, "%s: not enough memory for a block of %llu bytes",
				       f->path, (unsigned long long)b->h.raw_len);
		v->raw = raw;
		v->raw_cap = b->h.raw_len;
	}
	if (!v->zstd && !(v->zstd = ZSTD_createDCtx()))
		return err_set(e, ENOMEM, "%s: not enough memory to decompress the trace", f->path);
	size_t len = ZSTD_decompressDCtx(v->zstd, v->raw, b->h.raw_len, *p, b->h.stored_len);
	if (len != b->h.raw_len)
		*why = ZSTD_isError(len) ? ZSTD_getErrorName(len)
					 : "its decompressed length differs from the stored "
					   "length";
	*p = v->raw;
	return 0;
}

void block_view_release(struct block_view *v)
{
	window_release(&v->window);
	ZSTD_freeDCtx(v->zstd);
	free(v->raw);
}
