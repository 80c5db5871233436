/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a trace file. The file may be untrusted, or cut off because its writer was killed. Header
 * values are checked before use. Memory is limited by the limits of trace_format.h and the number
 * of distinct objects. */
#include "capture/trace_heap.h"
#include "capture/trace_private.h"

struct binary_trace {
	struct trace base;
	struct block_file file;
	struct block_view view;
	struct heap_index heap;
	uint64_t offset;                /* offset of the next block */
	/* blocks before this offset are counted in `health`, and their objects are loaded */
	uint64_t examined;
	/* remaining records of a block that is only partly committed */
	const struct trace_record *run;
	size_t n_run;
};

static struct binary_trace *binary_of(struct trace *t)
{
	return (struct binary_trace *)t;
}

/* --- damage -------------------------------------------------------------- */

static const char *const kind_names[] = {
    [BLOCK_META] = "metadata",  [BLOCK_OBJECTS] = "object", [BLOCK_HEAP] = "heap",
    [BLOCK_RECORDS] = "record", [BLOCK_END] = "end",
};

static bool is_new(const struct binary_trace *b, uint64_t offset)
{
	return offset >= b->examined;
}

/* Reports a block with a good header and damaged content. */
static int damaged_content(struct binary_trace *t, const struct trace_block *b, const char *why,
			   struct err *e)
{
	char which[64] = "";
	if (b->h.kind == BLOCK_RECORDS)
		snprintf(which, sizeof which, " (records %llu to %llu)",
			 (unsigned long long)b->h.first,
			 (unsigned long long)(b->h.first + b->h.count - 1));
	if (is_new(t, b->h.offset))
		t->base.health.n_blocks_damaged++;
	return err_set(
	    e, EBADMSG, "%s: damaged %s block%s at byte %llu, %llu bytes long: %s",
	    t->file.path,
	    b->h.kind >= BLOCK_META && b->h.kind <= BLOCK_END ? kind_names[b->h.kind] : "unknown",
	    which, (unsigned long long)b->h.offset, (unsigned long long)(b->next - b->h.offset),
	    why);
}

static int damaged_header(struct binary_trace *t, uint64_t offset, const struct trace_block *b,
			  struct err *e)
{
	if (is_new(t, offset))
		t->base.health.n_blocks_damaged++;
	return err_set(e, EBADMSG, "%s: damaged block at byte %llu; %llu bytes cannot be "
		"read: %s", t->file.path,
		(unsigned long long)offset, (unsigned long long)(b->next - offset), b->why);
}

/* --- blocks other than records ------------------------------------------- */

/* Checks a block of objects. Returns NULL, or a text that states the fault. */
static const char *objects_fault(const struct trace_block *b, const unsigned char *p,
				 uint32_t n_known, uint64_t file_bytes)
{
	uint64_t at = 0, len = b->h.raw_len;
	if (b->h.first < n_known || b->h.count > OBJECT_NONE ||
	    b->h.first > OBJECT_NONE - b->h.count)
		return "its object numbers are impossible";
	/* after damage, ids may be missing; the gap is limited by the size of the file, because
	 * tables by id grow with it */
	if (b->h.first > n_known && b->h.first + b->h.count > file_bytes)
		return "its object numbers exceed the number of objects that the file can hold";
	for (uint32_t i = 0; i < b->h.count; i++) {
		struct object_item item;
		if (len - at < sizeof item)
			return "it is shorter than its objects";
		memcpy(&item, p + at, sizeof item);
		uint64_t room = align_up(sizeof item + item.len + (uint64_t)1, 8);
		if (item.len > NAME_LEN_MAX || room > len - at)
			return "an object's name is longer than the block";
		if (item.kind < OBJECT_PATH || item.kind > OBJECT_DEVICE || item.reserved)
			return "an object's kind is unknown";
		const unsigned char *name = p + at + sizeof item;
		if (memchr(name, 0, item.len))
			return "an object's name holds a NUL";
		for (uint64_t j = item.len; j < room - sizeof item; j++)
			if (name[j])
				return "the bytes after an object's name are not zero";
		at += room;
	}
	return at == len ? NULL : "it is longer than its objects";
}

static int load_objects(struct binary_trace *t, const struct trace_block *b, const unsigned char *p,
			const char **why, struct err *e)
{
	*why = objects_fault(b, p, t->base.objects.n, t->file.size);
	int ret = 0;
	for (uint32_t i = 0; i < b->h.count && !*why && !ret; i++) {
		struct object_item item;
		memcpy(&item, p, sizeof item);
		ret = object_table_add(&t->base.objects, (uint32_t)b->h.first + i, item.kind,
				       (const char *)p + sizeof item, item.len, e);
		p += align_up(sizeof item + item.len + 1, 8);
	}
	return ret ? err_context(e, "%s", t->file.path) : 0;
}

static const char *heap_fault(const struct trace_block *b, const unsigned char *p)
{
	uint64_t at = 0, len = b->h.raw_len;
	if (len % 8 || b->h.first > HEAP_NONE - len / 8)
		return "its place in the heap is impossible";
	for (uint32_t i = 0; i < b->h.count; i++) {
		uint32_t item_len;
		if (len - at < sizeof item_len)
			return "it is shorter than its items";
		memcpy(&item_len, p + at, sizeof item_len);
		uint64_t room = align_up(sizeof item_len + (uint64_t)item_len, 8);
		if (room > len - at)
			return "an item is longer than the block";
		at += room;
	}
	return at == len ? NULL : "it has bytes after its last item";
}

/* Processes a block without records. Returns 0, or EBADMSG if it is damaged. */
static int take_other(struct binary_trace *t, const struct trace_block *b, struct err *e)
{
	const void *p;
	const char *why;
	int ret = block_load(&t->file, &t->view, b, &p, &why, e);
	if (ret)
		return ret;
	if (!why && b->h.kind == BLOCK_OBJECTS && is_new(t, b->h.offset))
		ret = load_objects(t, b, p, &why, e);
	if (!why && b->h.kind == BLOCK_HEAP && !(why = heap_fault(b, p)))
		ret = heap_index_add(&t->heap, b, e);
	if (!why && b->h.kind == BLOCK_END && b->next != t->file.size)
		why = "it is not the last block";
	return ret || !why ? ret : damaged_content(t, b, why, e);
}

/* --- records ------------------------------------------------------------- */

/* Finds the next committed records of a block that is open or cut off by the end of the file. */
static size_t next_run(struct binary_trace *t, const struct trace_record **r)
{
	while (t->n_run && !records_are_usable(t->run, 1)) {
		t->run++;
		t->n_run--;
	}
	size_t n = 0;
	if (!t->n_run)
		return 0;
	while (n < t->n_run && records_are_usable(&t->run[n], 1))
		n++;
	*r = t->run;
	t->run += n;
	t->n_run -= n;
	return n;
}

static uint64_t n_usable(const struct trace_record *r, uint64_t n)
{
	uint64_t usable = 0;
	for (uint64_t i = 0; i < n; i++)
		usable += records_are_usable(&r[i], 1);
	return usable;
}

/* Begins an open or cut-off block, of which only the records with a commit word are valid. */
static int begin_run(struct binary_trace *t, const struct trace_block *b, struct err *e)
{
	const void *p;
	uint64_t whole = b->available / sizeof *t->run, slots = b->h.count;
	if (b->h.commit == BLOCK_OPEN)
		slots = whole + (b->available % sizeof *t->run != 0);
	if (b->h.flags & BLOCK_ZSTD)
		whole = 0; /* part of a compressed block cannot be read */
	if (whole) {
		int ret = window_show(&t->view.window, &t->file, b->h.offset + sizeof b->h,
				      whole * sizeof *t->run, &p, e);
		if (ret)
			return ret;
		t->run = p;
		t->n_run = whole;
	}
	if (is_new(t, b->h.offset))
		t->base.health.n_records_uncommitted +=
		    slots - (whole ? n_usable(t->run, whole) : 0);
	return 0;
}

static int take_records(struct binary_trace *t, const struct trace_block *b,
			const struct trace_record **r, size_t *n, struct err *e)
{
	const void *p;
	const char *why;
	int ret = block_load(&t->file, &t->view, b, &p, &why, e);
	if (!ret && !why && !records_are_usable(p, b->h.count))
		why = "a record in it is uncommitted, or its operation or times are impossible";
	if (ret || why)
		return ret ? ret : damaged_content(t, b, why, e);
	*r = p;
	*n = b->h.count;
	return *n > 0;
}

/* Processes one block. Returns 1 if it has records, 0 if not, or a negative errno. */
static int take_block(struct binary_trace *t, const struct trace_record **r, size_t *n,
		      struct err *e)
{
	struct trace_block b;
	enum block_state state;
	uint64_t offset = t->offset;
	int ret = block_look(&t->file, &t->view.window, offset, &b, &state, e);
	if (ret)
		return ret;
	t->offset = b.next;
	if (state == BLOCK_DAMAGED)
		ret = damaged_header(t, offset, &b, e);
	else if (b.h.kind == BLOCK_RECORDS && (state == BLOCK_CUT || b.h.commit == BLOCK_OPEN))
		ret = begin_run(t, &b, e);
	else if (state == BLOCK_WHOLE)
		ret =
		    b.h.kind == BLOCK_RECORDS ? take_records(t, &b, r, n, e) : take_other(t, &b, e);
	if (t->offset > t->examined)
		t->examined = t->offset;
	return ret;
}

static int binary_next_batch(struct trace *base, const struct trace_record **r, size_t *n,
			     struct err *e)
{
	struct binary_trace *t = binary_of(base);
	for (;;) {
		*n = next_run(t, r);
		if (*n)
			return 1;
		if (t->offset >= t->file.size)
			return 0;
		int ret = take_block(t, r, n, e);
		if (ret)
			return ret;
	}
}

static int binary_rewind(struct trace *base, struct err *e)
{
	struct binary_trace *t = binary_of(base);
	(void)e;
	t->offset = sizeof(struct file_header);
	t->n_run = 0;
	return 0;
}

static int binary_heap(struct trace *base, uint32_t ref, const void **data, size_t *len,
		       struct err *e)
{
	return heap_index_get(&binary_of(base)->heap, &binary_of(base)->file, ref, data, len, e);
}

static void binary_close(struct trace *base)
{
	SCOPED_FREE struct binary_trace *t = binary_of(base);
	block_view_release(&t->view);
	block_view_release(&t->heap.view);
	fd_close(t->file.fd);
	FREE_EACH(t->heap.entry, t->file.path);
}

static const struct trace_reader reader = {.next_batch = binary_next_batch,
					   .rewind = binary_rewind,
					   .heap = binary_heap,
					   .close = binary_close};

/* --- opening ------------------------------------------------------------- */

struct overview {
	uint64_t n_records;
	/* offsets of the last metadata block and of the metadata block before it; 0: none */
	uint64_t meta[2];
	bool complete;
};

/* Finds the end block, which is at a known distance from the end of the file. */
static int overview_by_end(struct binary_trace *t, struct overview *o, bool *found, struct err *e)
{
	const uint64_t len = sizeof(struct block_header) + sizeof(struct end_payload);
	struct trace_block b;
	enum block_state state;
	const void *p;
	const char *why;
	*found = false;
	if (t->file.size < sizeof(struct file_header) + len || t->file.size % BLOCK_ALIGN)
		return 0;
	const void *h;
	int ret = window_show(&t->view.window, &t->file, t->file.size - len,
			      sizeof(struct block_header), &h, e);
	/* checked before block_look(), which would search the file if there is no header */
	if (ret || ((const struct block_header *)h)->magic != BLOCK_MAGIC)
		return ret;
	ret = block_look(&t->file, &t->view.window, t->file.size - len, &b, &state, e);
	if (ret || state != BLOCK_WHOLE || b.h.kind != BLOCK_END || b.h.flags ||
	    b.h.raw_len != sizeof(struct end_payload))
		return ret;
	ret = block_load(&t->file, &t->view, &b, &p, &why, e);
	if (ret || why)
		return ret;
	const struct end_payload *end = p;
	if (end->n_records / (RAW_LEN_MAX / sizeof(struct trace_record)) >
	    t->file.size / sizeof b.h)
		return 0; /* more records than the file can contain, even if compressed */
	*o = (struct overview){
	    .n_records = end->n_records, .meta = {end->meta_offset}, .complete = true};
	*found = true;
	return 0;
}

/* Reads all headers of a file without an end block. */
static int overview_by_walk(struct binary_trace *t, struct overview *o, struct err *e)
{
	struct trace_block b;
	const void *p;
	*o = (struct overview){0};
	for (uint64_t offset = sizeof(struct file_header); offset < t->file.size; offset = b.next) {
		enum block_state state;
		int ret = block_look(&t->file, &t->view.window, offset, &b, &state, e);
		if (ret)
			return ret;
		if (state == BLOCK_DAMAGED)
			continue;
		bool whole = state == BLOCK_WHOLE && b.h.commit == BLOCK_SEALED;
		uint64_t some =
		    b.h.flags & BLOCK_ZSTD ? 0 : b.available / sizeof(struct trace_record);
		if (whole && b.h.kind == BLOCK_META) {
			o->meta[1] = o->meta[0];
			o->meta[0] = offset;
		} else if (whole && b.h.kind == BLOCK_END) {
			o->complete = true;
		} else if (whole && b.h.kind == BLOCK_RECORDS) {
			o->n_records += b.h.count;
		} else if (b.h.kind == BLOCK_RECORDS && some) {
			ret = window_show(&t->view.window, &t->file, offset + sizeof b.h,
					  some * sizeof(struct trace_record), &p, e);
			if (ret)
				return ret;
			o->n_records += n_usable(p, some);
		}
	}
	return 0;
}

/* Reads the metadata block at `offset`. Returns 1, or 0 if it is damaged; the pass over the blocks
 * reports the damage. Errors: it cannot be read. */
static int take_meta(struct binary_trace *t, uint64_t offset, struct err *e)
{
	struct trace_block b;
	enum block_state state;
	const void *p;
	const char *why;
	if (!offset || offset % BLOCK_ALIGN || offset >= t->file.size)
		return 0;
	int ret = block_look(&t->file, &t->view.window, offset, &b, &state, e);
	if (ret || state != BLOCK_WHOLE || b.h.kind != BLOCK_META)
		return ret;
	ret = block_load(&t->file, &t->view, &b, &p, &why, e);
	if (ret || why)
		return ret;
	return !meta_from_json(&t->base.meta, p, b.h.raw_len, NULL);
}

static int open_overview(struct binary_trace *t, struct err *e)
{
	struct overview o = {0};
	bool by_end;
	int ret = overview_by_end(t, &o, &by_end, e), taken = 0;
	/* the metadata that the end names; then the last metadata, or the metadata before them */
	for (int i = by_end ? 0 : 1; !ret && !taken && i < 3; i++) {
		const uint64_t n_records = o.n_records;
		if (i == 1)
			ret = overview_by_walk(t, &o, e);
		if (i == 1 && by_end)
			o.n_records = n_records;
		taken = ret ? 0 : take_meta(t, o.meta[i == 2], e);
	}
	t->base.n_records = o.n_records;
	t->base.n_records_known = true;
	t->base.health.complete = o.complete;
	t->base.meta.meta.cut |= !o.complete; /* copies of the metadata keep this mark */
	return taken < 0 ? taken : ret;
}

static int check_file_header(struct block_file *f, const struct file_header *h, struct err *e)
{
	if (memcmp(h->magic, FILE_MAGIC, sizeof h->magic))
		return err_set(e, EILSEQ, "%s: not a trace of validate", f->path);
	if (h->byte_order != FILE_BYTE_ORDER && h->byte_order == __builtin_bswap32(FILE_BYTE_ORDER))
		return err_set(e, EILSEQ, "%s was written on a machine with another byte order, "
			"and cannot be read on this machine",
			       f->path);
	if (h->crc != crc32c(0, h, offsetof(struct file_header, crc)))
		return err_set(e, EBADMSG,
			       "%s: damaged: the file header at byte 0 does not match its checksum",
			       f->path);
	if (h->version != FILE_VERSION)
		return err_set(
		    e, EILSEQ,
		    "%s has version %u of the trace format, but this version of validate reads "
		    "version %u", f->path,
		    h->version, FILE_VERSION);
	if (h->byte_order != FILE_BYTE_ORDER || h->header_bytes != sizeof *h ||
	    h->record_bytes != sizeof(struct trace_record))
		return err_set(e, EILSEQ, "%s: byte order %#x, header of %u bytes and records of "
			"%u bytes do not fit version %u", f->path, h->byte_order, h->header_bytes,
			h->record_bytes, FILE_VERSION);
	f->nonce = h->nonce;
	return 0;
}

/* Opens the file and checks its header. */
static int file_open(struct block_file *f, const char *path, struct err *e)
{
	struct file_header h;
	struct stat st;
	*f = (struct block_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK),
				 .path = xstrdup(path)};
	if (f->fd < 0 || fstat(f->fd, &st))
		return err_sys(e, errno, "cannot open the trace %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s: not a regular file", path);
	f->size = (uint64_t)st.st_size;
	ssize_t got = pread(f->fd, &h, sizeof h, 0);
	if (got < 0)
		return err_sys(e, errno, "%s: cannot read the file header", path);
	if ((size_t)got < sizeof h)
		return err_set(e, EILSEQ, "%s: not a trace: the file has %zd bytes, but a file "
			       "header has %zu", path,
			       got, sizeof h);
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return check_file_header(f, &h, e);
}

static int binary_open(struct trace **out, const char *path, const struct trace_open_options *o,
		       struct err *e)
{
	(void)o;
	struct binary_trace *t = xcalloc(1, sizeof *t);
	trace_base_init(&t->base, &reader);
	*out = NULL;
	int ret = file_open(&t->file, path, e);
	ret = ret ? ret : open_overview(t, e);
	ret = ret ? ret : binary_rewind(&t->base, e);
	if (ret)
		trace_close(&t->base);
	else
		*out = &t->base;
	return ret;
}

static int binary_bid(const unsigned char *head, size_t len, const char *path)
{
	(void)path;
	return len >= 8 && !memcmp(head, FILE_MAGIC, 8) ? FORMAT_BID_SURE : 0;
}

static int binary_export(struct trace *t, const char *path, struct trace_export_report *report,
			 struct err *e)
{
	(void)report;
	return trace_copy(t, path, NULL, NULL, e);
}

const struct trace_format format_trace = {
    .name = "trace",
    .help = "trace files of validate",
    .bid = binary_bid,
    .open = binary_open,
    .write = binary_export,
};

int trace_file_open(struct trace **t, const char *path, struct err *e)
{
	int ret = binary_open(t, path, NULL, e);
	if (!ret)
		(*t)->format = &format_trace;
	return ret;
}
