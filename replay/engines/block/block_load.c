/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/block/block_load.h"

#include "common/sort.h"
#include "replay/engines/block/schedule.h"
#include "replay/load/load.h"

struct loader {
	struct block_input *l;
	struct trace *t;
	const struct device *d;
	const struct block_options *o;
	size_t cap, skipped_cap;
	uint32_t object; /* the device or file of all requests, if has_object */
	bool has_object, sorted;
};

/* --- records ------------------------------------------------------------- */

/* Returns BLOCK_OTHER if the record is not a request to a device. */
static enum block_direction direction_of(const struct trace_record *r)
{
	const struct op_info *op = op_info(r->op);
	bool placed =
	    op->uses & (OP_HAS_OFFSET | OP_KNOWS_OFFSET) && r->offset != OFFSET_NONE && r->length;
	if (op->family == FAMILY_READ && op->uses & OP_RETURNS_BYTES)
		return placed ? BLOCK_READ : BLOCK_OTHER;
	if (op->family == FAMILY_WRITE && op->uses & OP_RETURNS_BYTES)
		return placed ? BLOCK_WRITE : BLOCK_OTHER;
	if (r->op == OP_FSYNC || r->op == OP_FDATASYNC)
		return BLOCK_FLUSH;
	return r->op == OP_FALLOCATE && placed ? BLOCK_DISCARD : BLOCK_OTHER;
}

static uint8_t flags_of(const struct loader *p, const struct trace_record *r,
			enum block_direction direction)
{
	if (direction != BLOCK_WRITE || trace_meta(p->t)->level != LEVEL_BLOCK)
		return 0;
	return (uint8_t)((r->flags & BLOCK_FUA ? REQUEST_FUA : 0) |
			 (r->flags & BLOCK_PREFLUSH ? REQUEST_FLUSH_FIRST : 0));
}

static int object_check(struct loader *p, uint32_t object, struct err *e)
{
	if (!p->has_object || object == p->object || object == OBJECT_NONE) {
		p->has_object |= object != OBJECT_NONE;
		p->object = object != OBJECT_NONE ? object : p->object;
		return 0;
	}
	const struct trace_object *a = trace_object(p->t, p->object),
				  *b = trace_object(p->t, object);
	return err_set(e, EINVAL,
		       "the trace has requests on several devices or files, such as %s and %s; use "
		       "`validate slice --object NAME` for one of them",
		       a && a->name ? a->name : "?", b && b->name ? b->name : "?");
}

/* Refuses calls on a file if the target is a block device: their offsets do not fit the device,
 * which has other data there. */
static int target_check(const struct loader *p, struct err *e)
{
	const struct block_input *l = p->l;
	if (!p->d->is_block || !l->n_written || trace_meta(p->t)->level == LEVEL_BLOCK ||
	    trace_object_is_device(p->t, p->object))
		return 0;
	const struct trace_object *o = trace_object(p->t, p->object);
	return err_set(e, EPERM, DEVICE_FILE_CALLS, o && o->name ? o->name : "?");
}

/* --- adaptation to the device -------------------------------------------- */

static int request_align(struct loader *p, struct block_loaded *q, struct err *e)
{
	uint64_t block = p->d->logical_bytes, end = q->offset + q->length;
	if (q->offset % block == 0 && q->length % block == 0)
		return 0;
	if (p->o->unaligned == UNALIGNED_ERROR)
		return err_set(e, EINVAL,
			       "%" PRIu64 " bytes at offset %" PRIu64
			       ": the device has blocks of %" PRIu64
			       " bytes (--unaligned round extends the request to whole blocks)",
			       q->length, q->offset, block);
	q->offset -= q->offset % block;
	end = (end + block - 1) / block * block;
	q->length = end - q->offset;
	q->flags |= REQUEST_ROUNDED;
	p->l->n_rounded++;
	return 0;
}

static int request_check(const struct loader *p, const struct trace_record *r, struct err *e)
{
	if (r->end_ns != TIME_NONE && r->end_ns < r->begin_ns)
		return err_set(e, EINVAL, "the request ends %" PRId64 " ns before it begins",
			       r->begin_ns - r->end_ns);
	bool transfer = direction_of(r) == BLOCK_READ || direction_of(r) == BLOCK_WRITE;
	if (transfer && r->length > REPLAY_MAX_REQUEST_BYTES)
		return err_set(e, EINVAL,
			       "the request has %" PRIu64
			       " bytes, but at most 1 GiB can be replayed",
			       r->length);
	if (direction_of(r) != BLOCK_FLUSH &&
	    (r->offset > INT64_MAX || r->length > (uint64_t)INT64_MAX - r->offset))
		return err_set(e, EINVAL, "%" PRIu64 " bytes at offset %" PRIu64 " end "
			       "beyond offset 2^63 - 1",
			       r->length, r->offset);
	return p->l->n == REPLAY_MAX_REQUESTS ? err_set(e, E2BIG, "the trace has more than "
		"2^30 - 1 requests: replay a slice of it") : 0;
}

static void skipped_mark(struct loader *p, uint64_t record)
{
	struct block_input *l = p->l;
	if (!l->skipped || record >= p->skipped_cap) {
		size_t cap = record < 1024 ? 1024 : record * 2;
		l->skipped = xrealloc(l->skipped, cap);
		memset(l->skipped + p->skipped_cap, 0, cap - p->skipped_cap);
		p->skipped_cap = cap;
	}
	l->skipped[record] = 1;
}

static void request_append(struct loader *p, const struct block_loaded *q)
{
	struct block_input *l = p->l;
	if (l->n && q->begin_ns < l->r[l->n - 1].begin_ns)
		p->sorted = false;
	if (l->n == 0 || q->begin_ns < l->first_begin_ns)
		l->first_begin_ns = q->begin_ns;
	APPEND(l->r, l->n, p->cap, *q);
}

/* Adds the request of a record. Also returns 0 for a record that is skipped. */
static int record_take(struct loader *p, const struct trace_record *r, uint64_t record,
		       struct err *e)
{
	struct block_input *l = p->l;
	enum block_direction direction = direction_of(r);
	bool left_out = direction == BLOCK_DISCARD && (!p->o->discards || p->o->read_only);
	if (r->begin_ns == TIME_NONE)
		return 0;
	if (direction == BLOCK_OTHER || left_out) {
		l->n_discards += left_out;
		l->n_skipped += !left_out;
		skipped_mark(p, record);
		return 0;
	}
	struct block_loaded q = {.begin_ns = r->begin_ns,
				 .end_ns = r->end_ns,
				 .offset = r->offset,
				 .length = r->length,
				 .record = (uint32_t)record,
				 .direction = (uint8_t)direction,
				 .flags = flags_of(p, r, direction)};
	int ret = request_check(p, r, e);
	if (!ret && direction == BLOCK_FLUSH)
		q.offset = q.length = 0;
	else if (!ret)
		ret = object_check(p, r->object, e);
	ret = ret ? ret : request_align(p, &q, e);
	if (ret)
		return ret;
	if (p->o->read_only && direction == BLOCK_WRITE) {
		q.direction = BLOCK_READ;
		q.flags &= REQUEST_ROUNDED;
		l->n_turned++;
	}
	l->n_written += q.direction == BLOCK_WRITE || q.direction == BLOCK_DISCARD;
	request_append(p, &q);
	return 0;
}

static int records_read(struct loader *p, struct err *e)
{
	const struct trace_record *r;
	size_t n;
	uint64_t i = 0;
	int ret;
	while ((ret = trace_next_batch(p->t, &r, &n, e)) > 0)
		for (size_t k = 0; k < n; k++, i++) {
			ret = i > UINT32_MAX - 1
				  ? err_set(e, E2BIG, "the trace has more than 2^32 - 1 records: "
						       "replay a slice of it")
				  : record_take(p, &r[k], i, e);
			if (ret)
				return err_context(e, "record %" PRIu64, i);
		}
	p->l->n_records = i;
	if (p->l->skipped)
		skipped_mark(p, i); /* the last element is a sentinel */
	return ret;
}

/* --- end of the device --------------------------------------------------- */

static uint64_t extent_of(const struct block_input *l)
{
	uint64_t extent = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->r[i].offset + l->r[i].length > extent)
			extent = l->r[i].offset + l->r[i].length;
	return extent;
}

static int request_fit(struct block_input *l, struct block_loaded *q, uint64_t extent,
		       uint64_t size, uint64_t block, int how, struct err *e)
{
	if (how == BEYOND_ERROR || q->length > size)
		return err_set(e, EINVAL,
			       "record %" PRIu32 ": %" PRIu64 " bytes at offset %" PRIu64
			       " are beyond the device's end at %" PRIu64 "%s",
			       q->record, q->length, q->offset, size,
			       q->length > size ? ""
						: "; --beyond modulo or --beyond scale "
						  "changes the offset");
	uint64_t was = q->offset;
	q->offset =
	    how == BEYOND_SCALE ? (uint64_t)((unsigned __int128)was * size / extent) : was % size;
	q->offset -= q->offset % block;
	if (q->offset > size - q->length)
		q->offset = size - q->length;
	l->n_remapped += q->offset != was;
	return 0;
}

static int device_fit(struct loader *p, struct err *e)
{
	struct block_input *l = p->l;
	const uint64_t block = p->d->logical_bytes, size = p->d->n_bytes - p->d->n_bytes % block;
	uint64_t extent = extent_of(l);
	for (uint32_t i = 0; i < l->n && extent > size; i++) {
		struct block_loaded *q = &l->r[i];
		bool inside = q->length <= size && q->offset <= size - q->length;
		if (q->direction == BLOCK_FLUSH || (inside && p->o->beyond != BEYOND_SCALE))
			continue;
		int ret = request_fit(l, q, extent, size, block, p->o->beyond, e);
		if (ret)
			return ret;
	}
	return 0;
}

/* --- loading ------------------------------------------------------------- */

ORDER_BY(by_begin, struct block_loaded, begin_ns, record)

int block_load_read(struct block_input *l, struct trace *t, const struct device *d,
		    const struct block_options *o, struct err *e)
{
	struct loader p = {.l = l, .t = t, .d = d, .o = o, .sorted = true};
	*l = (struct block_input){.block_bytes = d->logical_bytes};
	int ret = trace_rewind(t, e);
	ret = ret ? ret : records_read(&p, e);
	if (!ret && !l->n)
		ret = err_set(e, EINVAL, "the trace has no request for a device: engine block "
			"replays reads and writes at known offsets, flushes, and with --discards "
			"also discards");
	ret = ret ? ret : target_check(&p, e);
	ret = ret ? ret : device_fit(&p, e);
	if (ret)
		return ret;
	if (!p.sorted)
		qsort(l->r, l->n, sizeof *l->r, by_begin);
	for (uint32_t i = 0; i < l->n; i++) {
		l->r[i].begin_ns -= l->first_begin_ns;
		if (l->r[i].end_ns != TIME_NONE)
			l->r[i].end_ns -= l->first_begin_ns;
	}
	return 0;
}

void block_load_release(struct block_input *l)
{
	FREE_EACH(l->r, l->skipped);
	*l = (struct block_input){.n = 0};
}
