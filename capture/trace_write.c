/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace file by pwrite(2). After an append, the data are in the page cache and survive a
 * kill -9. A full disk is an error, and not a SIGBUS as with a shared mapping. The kernel copies in
 * ascending order, so the last word of a record, the commit word, is never visible before the other
 * words. */
#include <libgen.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <zstd.h>

#include "capture/trace_format.h"
#include "capture/trace_private.h"
#include "common/file_beside.h"
#include "common/files.h"

static const char zeros[BLOCK_ALIGN];

struct trace_writer {
	int fd;
	char *path;	 /* name for messages */
	char *file;	 /* final name */
	/* temporary name of the new file beside an existing file; NULL: no existing file, or it is
	 * overwritten */
	char *temporary;
	bool created, whole;
	struct trace_write_options options;
	int failed; /* errno of the first failed write, after which nothing is written */
	uint64_t nonce;
	uint64_t end; /* offset of the block that is being filled, or of the next block */

	struct trace_record *record;  /* [RECORDS_PER_BLOCK]: the block that is being filled */
	uint32_t n_filled, n_in_file; /* records in the block; of these, records in the file */
	uint32_t crc;                 /* CRC of the records in the file */

	struct object_table objects;
	uint32_t n_objects_in_file;
	struct strbuf heap; /* items that are not in the file yet */
	uint32_t n_heap_items;
	uint64_t n_heap_units; /* number of units in the file */

	uint64_t n_records, n_blocks, n_metas, meta_offset;
	ZSTD_CCtx *zstd;
	void *compressed;
	size_t compressed_cap;
};

/* Writes v[n] at `offset`, and changes v. After an error, nothing more is written. */
static int writer_put(struct trace_writer *w, struct iovec *v, int n, uint64_t offset,
		      struct err *e)
{
	while (n) {
		ssize_t got = pwritev(w->fd, v, n, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int code = got ? errno : EIO;
			w->failed = code;
			return err_sys(e, code, "%s: cannot write at byte %llu", w->path,
				       (unsigned long long)offset);
		}
		offset += (uint64_t)got;
		for (; n && (size_t)got >= v->iov_len; v++, n--)
			got -= (ssize_t)v->iov_len;
		if (n) {
			v->iov_base = (char *)v->iov_base + got;
			v->iov_len -= (size_t)got;
		}
	}
	return 0;
}

/* Makes the header of a block at the end of the file. The caller sets lengths, count and
 * checksums. */
static struct block_header writer_header(const struct trace_writer *w, enum block_kind kind,
					 enum block_commit commit)
{
	return (struct block_header){.magic = BLOCK_MAGIC,
				     .kind = (uint16_t)kind,
				     .offset = w->end,
				     .nonce = w->nonce,
				     .commit = commit};
}

/* Compresses the payload if that makes it smaller. Then *data and h->stored_len change. */
static void compress_payload(struct trace_writer *w, struct block_header *h, const void **data)
{
	if (!w->zstd)
		return;
	size_t bound = ZSTD_compressBound(h->raw_len);
	if (bound > w->compressed_cap) {
		w->compressed = xrealloc(w->compressed, bound);
		w->compressed_cap = bound;
	}
	int level = w->options.compress_level ? w->options.compress_level : 3;
	size_t len = ZSTD_compressCCtx(w->zstd, w->compressed, bound, *data, h->raw_len, level);
	if (ZSTD_isError(len) || len >= h->raw_len)
		return; /* keep the uncompressed payload */
	h->flags |= BLOCK_ZSTD;
	h->stored_len = len;
	*data = w->compressed;
}

/* Appends a complete, sealed block. */
static int writer_put_block(struct trace_writer *w, enum block_kind kind, uint32_t count,
			    uint64_t first, const void *data, size_t len, struct err *e)
{
	struct block_header h = writer_header(w, kind, BLOCK_SEALED);
	h.count = count;
	h.first = first;
	h.raw_len = h.stored_len = len;
	if (kind != BLOCK_END) /* END must be at a known distance from the end of the file */
		compress_payload(w, &h, &data);
	h.payload_crc = crc32c(0, data, h.stored_len);
	h.crc = block_header_crc(&h);
	uint64_t next = align_up(w->end + sizeof h + h.stored_len, BLOCK_ALIGN);
	struct iovec v[] = {{&h, sizeof h},
			    {(void *)data, h.stored_len},
			    {(void *)zeros, next - w->end - sizeof h - h.stored_len}};
	int ret = writer_put(w, v, 3, w->end, e);
	if (!ret) {
		w->end = next;
		w->n_blocks++;
	}
	return ret;
}

/* --- objects and the side heap: in memory until a record is written ------ */

int trace_writer_object(struct trace_writer *w, enum object_kind kind, const char *name,
			uint32_t *id, struct err *e)
{
	if (kind < OBJECT_PATH || kind > OBJECT_DEVICE)
		return err_set(e, EINVAL, "%s: object kind %d does not exist", w->path, (int)kind);
	if (strlen(name) > NAME_LEN_MAX)
		return err_set(e, ENAMETOOLONG,
			       "%s: an object's name has %zu bytes, but at most %u are possible",
			       w->path, strlen(name), NAME_LEN_MAX);
	return object_table_intern(&w->objects, kind, name, strlen(name), id, e);
}

static int writer_put_objects(struct trace_writer *w, struct err *e)
{
	int ret = 0;
	while (!ret && w->n_objects_in_file < w->objects.n) {
		SCOPED_STRBUF payload = STRBUF_INIT;
		uint32_t first = w->n_objects_in_file, id = first;
		for (size_t most = 0; id < w->objects.n && most < OBJECTS_FLUSH_BYTES; id++) {
			const struct trace_object *o = object_table_get(&w->objects, id);
			struct object_item item = {.kind = (uint16_t)o->kind,
						   .len = (uint32_t)strlen(o->name)};
			strbuf_add(&payload, &item, sizeof item);
			strbuf_add(&payload, o->name, item.len);
			strbuf_add(&payload, zeros, 8 - payload.len % 8);
			most += sizeof item + item.len + 8;
		}
		ret = writer_put_block(w, BLOCK_OBJECTS, id - first, first, payload.s, payload.len,
				       e);
		if (!ret)
			w->n_objects_in_file = id;
	}
	return ret;
}

static int writer_put_heap(struct trace_writer *w, struct err *e)
{
	if (!w->heap.len)
		return 0;
	int ret = writer_put_block(w, BLOCK_HEAP, w->n_heap_items, w->n_heap_units, w->heap.s,
				   w->heap.len, e);
	w->n_heap_units += w->heap.len / 8;
	w->n_heap_items = 0;
	strbuf_reset(&w->heap);
	return ret;
}

/* --- records: each append writes to the open block at the end of the file - */

/* Writes the new records of the open block to the file. The block remains open. */
static int records_write_open(struct trace_writer *w, struct err *e)
{
	struct block_header h = writer_header(w, BLOCK_RECORDS, BLOCK_OPEN);
	h.first = w->n_records - w->n_filled;
	h.raw_len = RECORDS_PER_BLOCK * sizeof *w->record;
	h.crc = block_header_crc(&h);
	struct trace_record *from = w->record + w->n_in_file;
	size_t len = (w->n_filled - w->n_in_file) * sizeof *from;
	bool begun = w->n_in_file > 0;
	struct iovec v[] = {{&h, sizeof h}, {from, len}};
	uint64_t offset = begun ? w->end + sizeof h + w->n_in_file * sizeof *from : w->end;
	int ret = writer_put(w, v + begun, 2 - begun, offset, e);
	if (!ret) {
		w->crc = crc32c(w->crc, from, len);
		w->n_in_file = w->n_filled;
	}
	return ret;
}

static int block_seal(struct trace_writer *w, struct err *e)
{
	struct block_header h = writer_header(w, BLOCK_RECORDS, BLOCK_SEALED);
	h.count = w->n_filled;
	h.first = w->n_records - w->n_filled;
	h.raw_len = h.stored_len = w->n_filled * sizeof *w->record;
	h.payload_crc = w->crc;
	h.crc = block_header_crc(&h);
	struct iovec v = {&h, sizeof h};
	int ret = writer_put(w, &v, 1, w->end, e);
	if (!ret) {
		w->end = align_up(w->end + sizeof h + h.stored_len, BLOCK_ALIGN);
		w->n_blocks++;
	}
	return ret;
}

/* Writes the last n counted records as a complete block, after the data to which they refer. */
static int records_write_whole(struct trace_writer *w, const struct trace_record *r, uint32_t n,
			       struct err *e)
{
	int ret = writer_put_objects(w, e);
	ret = ret ? ret : writer_put_heap(w, e);
	return ret ? ret
		  : writer_put_block(w, BLOCK_RECORDS, n, w->n_records - n, r, n * sizeof *r, e);
}

static int writer_end_records(struct trace_writer *w, struct err *e)
{
	int ret = 0;
	if (!w->n_filled)
		return 0;
	if (w->n_in_file) {
		ret = w->n_in_file < w->n_filled ? records_write_open(w, e) : 0;
		ret = ret ? ret : block_seal(w, e);
	} else {
		ret = records_write_whole(w, w->record, w->n_filled, e);
	}
	w->n_filled = w->n_in_file = w->crc = 0;
	return ret;
}

/* Copies and commits n records. Returns n, or the index of the first invalid record. */
static size_t records_copy(struct trace_record *to, const struct trace_record *from, size_t n)
{
	bool sane = true;
	for (size_t i = 0; i < n; i++) {
		to[i] = from[i];
		to[i].commit = TRACE_COMMIT;
		sane &= record_is_sane(&from[i]);
	}
	size_t i = sane ? n : 0;
	while (i < n && record_is_sane(&from[i]))
		i++;
	return i;
}

/* Takes as many of the n records as fit into the block. Ends the block when it is full. */
static int take_records(struct trace_writer *w, const struct trace_record *r, size_t n,
			size_t *n_taken, struct err *e)
{
	size_t some = RECORDS_PER_BLOCK - w->n_filled;
	*n_taken = some = n < some ? n : some;
	/* a whole block that the caller has committed: no copy is necessary */
	if (some == RECORDS_PER_BLOCK && records_are_usable(r, some)) {
		w->n_records += some;
		return records_write_whole(w, r, (uint32_t)some, e);
	}
	size_t n_sane = records_copy(w->record + w->n_filled, r, some);
	if (n_sane < some)
		return err_set(e, EINVAL, "%s: record %llu (operation %u) is invalid: its "
			"operation or times are impossible", w->path,
			(unsigned long long)(w->n_records + n_sane), r[n_sane].op);
	w->n_filled += (uint32_t)some;
	w->n_records += some;
	return w->n_filled == RECORDS_PER_BLOCK ? writer_end_records(w, e) : 0;
}

int trace_writer_append(struct trace_writer *w, const struct trace_record *r, size_t n,
			struct err *e)
{
	int ret = 0;
	if (w->failed)
		return err_sys(e, w->failed, "%s: an earlier write failed", w->path);
	if (w->n_in_file && (w->n_objects_in_file < w->objects.n || w->heap.len))
		ret = writer_end_records(w, e);
	for (size_t n_taken; n && !ret; r += n_taken, n -= n_taken)
		ret = take_records(w, r, n, &n_taken, e);
	/* a compressed block cannot grow, so it is written when it is full */
	if (ret || w->zstd || w->n_filled == w->n_in_file)
		return ret;
	if (!w->n_in_file) {
		ret = writer_put_objects(w, e);
		ret = ret ? ret : writer_put_heap(w, e);
	}
	return ret ? ret : records_write_open(w, e);
}

int trace_writer_heap(struct trace_writer *w, const void *data, size_t len, uint32_t *ref,
		      struct err *e)
{
	if (len > HEAP_ITEM_MAX)
		return err_set(e, EFBIG,
			       "%s: one record has %zu bytes of names and arguments, but at most "
			       "%u are possible",
			       w->path, len, HEAP_ITEM_MAX);
	uint64_t unit = w->n_heap_units + w->heap.len / 8;
	size_t room = align_up(sizeof(uint32_t) + len, 8);
	if (unit + room / 8 >= HEAP_NONE)
		return err_set(e, EOVERFLOW, "%s: names and arguments exceed the limit of 32 GiB",
			       w->path);
	if (w->heap.len && w->heap.len + room > HEAP_FLUSH_BYTES) {
		/* flush early, because the record that refers to these bytes comes later */
		int ret = w->failed ? err_sys(e, w->failed, "%s: an earlier write failed", w->path)
				   : (w->n_in_file ? writer_end_records(w, e) : 0);
		ret = ret ? ret : writer_put_heap(w, e);
		if (ret)
			return ret;
	}
	heap_item_add(&w->heap, data, len);
	*ref = (uint32_t)unit;
	w->n_heap_items++;
	return 0;
}

/* --- opening, metadata, closing ------------------------------------------ */

/* Creates a new file instead of overwriting an existing regular file, whose other users (perhaps
 * the input of this command) then keep its content. The existing file remains until the new file is
 * complete, unless no file can be created beside it. */
static int create_file(struct trace_writer *w)
{
	struct stat st;
	const bool there = !stat(w->file, &st) && S_ISREG(st.st_mode) && !access(w->file, W_OK);
	if (there && st.st_size && !file_is_in_place(w->file, NULL)) {
		char *real = realpath(w->file, NULL); /* if it is a link, its target is replaced */
		int fd = real ? file_beside(real, 0666, &w->temporary, NULL) : -1;
		if (fd >= 0) {
			free(w->file);
			w->file = real;
			return fd;
		}
		free(real);
	}
	if (there && !lstat(w->file, &st) && S_ISREG(st.st_mode))
		unlink(w->file);
	/* O_NONBLOCK: a pipe, which has no offsets, is an error at once, without waiting for a
	 * reader */
	return open(w->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
		    0666);
}

static int write_file_header(struct trace_writer *w, struct err *e)
{
	struct file_header h = {.version = FILE_VERSION,
				.byte_order = FILE_BYTE_ORDER,
				.header_bytes = sizeof h,
				.record_bytes = sizeof(struct trace_record),
				.nonce = w->nonce};
	memcpy(h.magic, FILE_MAGIC, sizeof h.magic);
	h.crc = crc32c(0, &h, offsetof(struct file_header, crc));
	struct iovec v = {&h, sizeof h};
	w->end = sizeof h;
	return writer_put(w, &v, 1, 0, e);
}

static int meta_write(struct trace_writer *w, const struct trace_meta *meta, struct err *e)
{
	char *text;
	size_t len;
	int ret = meta_to_json(meta, &text, &len, e);
	if (ret)
		return err_context(e, "%s", w->path);
	if (len > META_LEN_MAX)
		ret = err_set(e, EFBIG,
			      "%s: the metadata of %zu files has %zu bytes, but at most "
			      "%u bytes are possible",
			      w->path, meta->files.n, len, META_LEN_MAX);
	uint64_t at = w->end;
	ret = ret ? ret : writer_put_block(w, BLOCK_META, 1, w->n_metas, text, len, e);
	free(text);
	if (!ret) {
		w->meta_offset = at;
		w->n_metas++;
	}
	return ret;
}

int trace_output_check(const char *path, struct err *e)
{
	struct stat st;
	if (!*path)
		return err_set(e, EINVAL, "the name of the trace to be written is empty");
	if (!strcmp(path, "-"))
		return err_set(e, EINVAL, "a trace is written to a file, not to standard "
			"output: name a file (./- for a file with the name -)");
	if (stat(path, &st) == 0) {
		/* a block device given by mistake must not be overwritten */
		if (S_ISBLK(st.st_mode))
			return err_set(e, EINVAL, "%s is a block device: name a regular file for "
				"the trace", path);
		if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
			return err_set(e, ESPIPE, "%s: a trace is written to a file, not to a pipe",
				       path);
		if (S_ISDIR(st.st_mode))
			return err_sys(e, EISDIR, "cannot write %s", path);
		return access(path, W_OK) < 0 ? err_sys(e, errno, "cannot write %s", path) : 0;
	}
	if (errno != ENOENT) /* the name is not possible, for example too long */
		return err_sys(e, errno, "cannot create %s", path);
	if (path[strlen(path) - 1] == '/')
		return err_sys(e, EISDIR, "cannot create %s", path);
	SCOPED_FREE char *copy = xstrdup(path);
	return access(dirname(copy), W_OK | X_OK) < 0
		   ? err_sys(e, errno, "cannot create %s", path)
		   : 0;
}

int trace_output_check_replaced(const char *path, struct err *e)
{
	int ret = trace_output_check(path, e);
	ret = ret ? ret : file_is_in_place(path, e);
	return ret > 0 ? err_set(e, EINVAL, "%s: a trace is written to a regular file only", path)
		      : ret;
}

int trace_writer_open(struct trace_writer **out, const char *path, const struct trace_meta *meta,
		      const struct trace_write_options *o, struct err *e)
{
	struct trace_writer *w = xcalloc(1, sizeof *w);
	int ret;
	*out = NULL;
	w->options = o ? *o : (struct trace_write_options){0};
	w->path = xstrdup(w->options.shown ? w->options.shown : path);
	w->file = xstrdup(path);
	w->record = xcalloc(RECORDS_PER_BLOCK, sizeof *w->record);
	strbuf_init(&w->heap);
	if (getrandom(&w->nonce, sizeof w->nonce, 0) != sizeof w->nonce)
		w->nonce =
		    (uint64_t)getpid() * 0x9e3779b97f4a7c15u; /* is unlikely to repeat */
	w->fd = -1;
	if ((ret = trace_output_check(path, e)) < 0)
		goto out;
	w->fd = create_file(w);
	w->created = w->fd >= 0;
	if (w->fd < 0 || lseek(w->fd, 0, SEEK_CUR) < 0) {
		ret = errno == ENXIO || errno == ESPIPE
			 ? err_set(e, ESPIPE, "a trace is written to a file, not to a pipe: %s",
				   w->path)
			 : err_sys(e, errno, "cannot create the trace %s", w->path);
		goto out;
	}
	if (w->options.compress && !(w->zstd = ZSTD_createCCtx())) {
		ret = err_set(e, ENOMEM, "%s: not enough memory to compress the trace", w->path);
		goto out;
	}
	ret = write_file_header(w, e);
	ret = ret ? ret : trace_writer_set_meta(w, meta, e);
out:
	if (ret)
		trace_writer_abort(w);
	else
		*out = w;
	return ret;
}

int trace_writer_set_meta(struct trace_writer *w, const struct trace_meta *meta, struct err *e)
{
	if (w->failed)
		return err_sys(e, w->failed, "%s: an earlier write failed", w->path);
	int ret = writer_end_records(w, e);
	return ret ? ret : meta_write(w, meta, e);
}

static int writer_finish(struct trace_writer *w, struct err *e)
{
	if (w->failed)
		return err_sys(e, w->failed, "%s: an earlier write failed", w->path);
	int ret = writer_end_records(w, e);
	ret = ret ? ret : writer_put_objects(w, e);
	ret = ret ? ret : writer_put_heap(w, e);
	struct end_payload end = {.n_records = w->n_records,
				  .n_objects = w->n_objects_in_file,
				  .n_heap_units = w->n_heap_units,
				  .n_blocks = w->n_blocks,
				  .meta_offset = w->meta_offset};
	return ret ? ret : writer_put_block(w, BLOCK_END, 1, w->n_records, &end, sizeof end, e);
}

int trace_writer_close(struct trace_writer *w, struct err *e)
{
	int ret = writer_finish(w, e);
	if (!ret && !w->options.no_sync) {
		/* EINVAL: /dev/null and similar files */
		if (fsync(w->fd) && errno != EINVAL && errno != EROFS)
			ret = err_sys(e, errno, "cannot sync %s", w->path);
	}
	if (close(w->fd) && !ret)
		ret = err_sys(e, errno, "cannot close %s", w->path);
	w->fd = -1;
	if (w->temporary)
		ret = file_beside_keep(w->temporary, w->file, ret, e);
	w->temporary = NULL;
	w->whole = !ret;
	if (!ret && !w->options.no_sync) {
		/* Makes the file's name durable, too. */
		SCOPED_FREE char *copy = xstrdup(w->file);
		int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0) {
			/* some file systems return an error here, but keep names durable anyway */
			fsync(fd);
			close(fd);
		}
	}
	trace_writer_abort(w);
	return ret;
}

void trace_writer_abort(struct trace_writer *w)
{
	if (!w)
		return;
	struct stat st;
	fd_close(w->fd);
	if (w->temporary)
		file_beside_keep(w->temporary, w->file, -ECANCELED, NULL);
	else if (w->created && !w->whole && w->options.no_part && !lstat(w->file, &st) &&
		 S_ISREG(st.st_mode))
		unlink(w->file);
	ZSTD_freeCCtx(w->zstd);
	object_table_release(&w->objects);
	strbuf_release(&w->heap);
	FREE_EACH(w->compressed, w->record, w->file, w->path, w);
}
