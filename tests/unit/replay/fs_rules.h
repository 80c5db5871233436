/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order `fs` by its rules, slowly: every pair is asked, and the owners of bytes are found by writing them into an array. */
#ifndef TESTS_REPLAY_FS_RULES_H
#define TESTS_REPLAY_FS_RULES_H

#include "capture/op.h"
#include "sample.h"

enum { FS_BYTES = 128, FS_REQUESTS = 128 };

struct fs_view { /* of one file, as it is when request r begins */
	uint32_t owner[FS_BYTES];
	uint64_t size;
	bool size_known;
	uint32_t truncator;
	bool vague[FS_REQUESTS]; /* a write that ended, but where it went is not known */
};

static inline bool fs_is_data(const struct load_request *q)
{
	enum op_family f = op_info(q->op)->family;
	return f == FAMILY_READ || f == FAMILY_WRITE;
}

static inline bool fs_writes(const struct load_request *q)
{
	return op_info(q->op)->family == FAMILY_WRITE && q->rvalue > 0;
}

static inline uint32_t fs_file(const struct loaded *x, uint32_t q)
{
	return x->s.slot[x->l.request[q].slot].file;
}

/* The first open that made the file: the first request of all that succeeded on it is an open that may. */
static inline uint32_t fs_maker(const struct loaded *x, uint32_t file)
{
	for (uint32_t i = 0; i < x->l.n; i++) {
		const struct load_request *q = &x->l.request[i];
		if (q->slot == 0 || fs_file(x, i) != file || q->rvalue < 0)
			continue;
		return q->op == OP_OPEN && q->flags & O_CREAT && !x->s.file[file].listed ? i : NONE32;
	}
	return NONE32;
}

/* Replays all effects of requests that ended before `r` began, in the order of their ends. */
static inline void fs_view_at(const struct loaded *x, uint32_t file, uint32_t r, struct fs_view *v)
{
	memset(v, 0xff, sizeof *v);
	memset(v->vague, 0, sizeof v->vague);
	v->size_known = x->s.file[file].listed;
	v->size = x->s.file[file].listed_size;
	bool *done = xcalloc(x->l.n, sizeof *done);
	for (;;) {
		uint32_t next = NONE32;
		for (uint32_t i = 0; i < r; i++) {
			const struct load_request *q = &x->l.request[i];
			if (done[i] || q->slot == 0 || fs_file(x, i) != file || q->end_ns > x->l.request[r].begin_ns)
				continue;
			if (next == NONE32 || q->end_ns < x->l.request[next].end_ns)
				next = i;
		}
		if (next == NONE32)
			break;
		done[next] = true;
		const struct load_request *q = &x->l.request[next];
		if (q->op == OP_OPEN && q->rvalue >= 0) {
			if (fs_maker(x, file) == next)
				v->size_known = true; /* from nothing */
			if (q->flags & O_TRUNC) {
				memset(v->owner, 0xff, sizeof v->owner);
				v->size = 0;
				v->size_known = true;
				v->truncator = next;
			}
		}
		if (!fs_writes(q))
			continue;
		uint64_t start = q->offset;
		if (start == OFFSET_NONE && x->s.slot[q->slot].flags & O_APPEND && v->size_known)
			start = v->size;
		if (start == OFFSET_NONE) {
			v->size_known = false;
			v->vague[next] = true;
			continue;
		}
		uint64_t end = start + (uint64_t)q->rvalue;
		if (v->size_known && start > v->size)
			start = v->size;
		for (uint64_t b = start; b < end; b++)
			v->owner[b] = next;
		if (end > v->size)
			v->size = end;
	}
	free(done);
}

static inline bool fs_demands(const struct loaded *x, uint32_t q, uint32_t r)
{
	const struct load_request *a = &x->l.request[q], *b = &x->l.request[r];
	bool before = a->end_ns <= b->begin_ns, same_slot = a->slot == b->slot;
	if (q >= r || a->slot == 0 || b->slot == 0)
		return false;
	if (a->thread == b->thread)
		return true;
	/* descriptor and position */
	if (same_slot && b->op != OP_OPEN) {
		if (a->op == OP_OPEN || b->op == OP_CLOSE || (a->op == OP_CLOSE && a->rvalue >= 0 && before))
			return true;
		if (op_info(a->op)->uses & OP_MOVES_POSITION && op_info(b->op)->uses & OP_MOVES_POSITION)
			return true;
	}
	uint32_t file = fs_file(x, q);
	if (file != fs_file(x, r))
		return false;
	/* name and truncation */
	if (b->op == OP_OPEN) {
		uint32_t maker = fs_maker(x, file);
		bool ok = b->rvalue >= 0, makes = b->flags & O_CREAT;
		if (q == maker && (before || (ok && !makes) || b->rvalue == -EEXIST))
			return true;
		if (r == maker && a->op == OP_OPEN && a->rvalue == -ENOENT && before)
			return true;
		struct fs_view v;
		fs_view_at(x, file, r, &v);
		return ok && b->flags & O_TRUNC && before && (fs_is_data(a) || q == v.truncator);
	}
	if (!fs_is_data(b))
		return false;
	struct fs_view v;
	fs_view_at(x, file, r, &v);
	if (q == v.truncator)
		return true;
	if (b->rvalue < 0)
		return false;
	/* data */
	if (op_info(b->op)->family == FAMILY_READ) {
		bool known = b->offset != OFFSET_NONE;
		for (uint64_t i = known ? b->offset : 0; i < (known ? b->offset + b->length : FS_BYTES) && i < FS_BYTES; i++)
			if (v.owner[i] == q)
				return true;
		if (v.vague[q])
			return true;
		uint64_t end = b->offset + (uint64_t)b->rvalue;
		return known && v.size_known && end > v.size && !before && fs_writes(a) && a->offset != OFFSET_NONE &&
		       a->offset < end && a->offset + (uint64_t)a->rvalue > v.size;
	}
	/* end of file */
	if (b->rvalue > 0 && before && op_info(a->op)->family == FAMILY_READ && a->rvalue >= 0 && (uint64_t)a->rvalue < a->length) {
		uint64_t end = b->offset == OFFSET_NONE ? UINT64_MAX : b->offset + (uint64_t)b->rvalue, least = UINT64_MAX;
		for (uint32_t i = 0; i < r; i++) { /* the least that this thread met */
			const struct load_request *c = &x->l.request[i];
			bool met = c->slot && c->thread == a->thread && fs_file(x, i) == file && c->end_ns <= b->begin_ns &&
				   op_info(c->op)->family == FAMILY_READ && c->rvalue >= 0 && (uint64_t)c->rvalue < c->length;
			uint64_t at = c->offset == OFFSET_NONE ? 0 : c->offset + (uint64_t)c->rvalue;
			if (met && at < least)
				least = at;
		}
		return end > least;
	}
	return false;
}

static inline uint32_t demand_fs(const struct loaded *x, uint32_t q, uint32_t r)
{
	return fs_demands(x, q, r) || demand_thread(x, q, r) ? threshold_ended(&x->l.request[q]) : 0;
}

/* One request of a random trace; paths are f, g, h, i, and *next_fd starts at 5. */
static inline void random_fs_request(struct sample *s, uint64_t *seed, uint32_t tid, int64_t begin, int64_t end, int *next_fd)
{
	static const enum trace_op ops[] = {OP_PREAD, OP_PWRITE, OP_READ, OP_WRITE, OP_LSEEK, OP_FSYNC, OP_PREAD, OP_PWRITE};
	uint64_t what = sample_random(seed) % 12;
	int fd = 3 + (int)(sample_random(seed) % (uint64_t)(*next_fd - 2));
	if (what < 3) {
		static const int flags[] = {O_RDWR, O_RDWR | O_CREAT, O_RDWR | O_TRUNC, O_RDWR | O_CREAT | O_TRUNC,
					    O_WRONLY | O_APPEND, O_RDWR | O_CREAT | O_EXCL};
		int f = flags[sample_random(seed) % 6];
		uint64_t outcome = sample_random(seed) % 6;
		int64_t rvalue = outcome == 0 ? -ENOENT : outcome == 1 && f & O_EXCL ? -EEXIST : (*next_fd)++;
		/* f and g have descriptors from before the trace, h and i are made by it, or looked for in vain */
		sample_open(s, tid, begin, end, (uint32_t)(sample_random(seed) % 4), f, rvalue);
	} else if (what == 3) {
		sample_data(s, tid, begin, end, OP_CLOSE, fd, OBJECT_NONE, OFFSET_NONE, 0, 0);
	} else {
		enum trace_op op = ops[sample_random(seed) % 8];
		bool at = op == OP_PREAD || op == OP_PWRITE;
		uint64_t length = 1 + sample_random(seed) % 12, offset = sample_random(seed) % 60;
		int64_t rvalue = (int64_t)(sample_random(seed) % 3 ? length : sample_random(seed) % (length + 1));
		if (sample_random(seed) % 15 == 0)
			rvalue = -EIO;
		if (op == OP_FSYNC || op == OP_LSEEK)
			rvalue = op == OP_LSEEK ? (int64_t)offset : 0;
		/* Which file a descriptor is on is told now and then only. */
		uint32_t told = fd < 5 ? (uint32_t)(fd - 3) : OBJECT_NONE;
		struct trace_record *r = sample_data(s, tid, begin, end, op, fd, told, at || op == OP_LSEEK ? offset : OFFSET_NONE,
						     op == OP_FSYNC ? 0 : length, rvalue);
		r->flags = op == OP_LSEEK ? SEEK_SET : 0;
	}
}

#endif
