/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing records. Each append writes to the open block of records at the end of the file; see
 * trace_format.h. */

#include "capture/trace_write_private.h"
#include "common/crc32c.h"

/* Writes the filled records that are not in the file yet; the block stays open. */
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
	int rc = writer_put(w, v + begun, 2 - begun, offset, e);
	if (!rc) {
		w->crc = crc32c(w->crc, from, len);
		w->n_in_file = w->n_filled;
	}
	return rc;
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
	int rc = writer_put(w, &v, 1, w->end, e);
	if (!rc) {
		w->end = align_up(w->end + sizeof h + h.stored_len, BLOCK_ALIGN);
		w->n_blocks++;
	}
	return rc;
}

/* Writes a block of the last n records counted in n_records, after the data that they refer to. */
static int records_write_whole(struct trace_writer *w, const struct trace_record *r, uint32_t n,
			       struct err *e)
{
	int rc = writer_put_objects(w, e);
	rc = rc ? rc : writer_put_heap(w, e);
	return rc ? rc
		  : writer_put_block(w, BLOCK_RECORDS, n, w->n_records - n, r, n * sizeof *r, e);
}

int writer_end_records(struct trace_writer *w, struct err *e)
{
	int rc = 0;
	if (!w->n_filled)
		return 0;
	if (w->n_in_file) {
		rc = w->n_in_file < w->n_filled ? records_write_open(w, e) : 0;
		rc = rc ? rc : block_seal(w, e);
	} else {
		rc = records_write_whole(w, w->record, w->n_filled, e);
	}
	w->n_filled = w->n_in_file = w->crc = 0;
	return rc;
}

/* Copies and commits n records. Returns n, or the index of the first record that is not sane. */
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

/* Takes as many of the n records as the block has room for, and ends a full block. */
static int take_records(struct trace_writer *w, const struct trace_record *r, size_t n,
			size_t *n_taken, struct err *e)
{
	size_t some = RECORDS_PER_BLOCK - w->n_filled;
	*n_taken = some = n < some ? n : some;
	/* the caller has committed them: no need to copy */
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
	int rc = 0;
	if (w->failed)
		return err_sys(e, w->failed, "%s: an earlier write failed", w->path);
	if (w->n_in_file && (w->n_objects_in_file < w->objects.n || w->heap_len))
		rc = writer_end_records(w, e);
	for (size_t n_taken; n && !rc; r += n_taken, n -= n_taken)
		rc = take_records(w, r, n, &n_taken, e);
	/* a compressed block cannot grow: it is written when it is full */
	if (rc || w->zstd || w->n_filled == w->n_in_file)
		return rc;
	if (!w->n_in_file) {
		rc = writer_put_objects(w, e);
		rc = rc ? rc : writer_put_heap(w, e);
	}
	return rc ? rc : records_write_open(w, e);
}
