/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/load/reads.h"

#include "common/sort.h"

#include <jansson.h>
#include <sys/mman.h>

/* --- requests that change nothing ------------------------------------------------ */

static bool is_hint(uint32_t advice)
{
	return advice <= MADV_WILLNEED || advice == MADV_POPULATE_READ;
}

static bool only_looks(const struct load_request *r)
{
	switch (r->op) {
	case OP_STAT:
	case OP_FSTAT:
	case OP_STATX:
	case OP_STATFS:
	case OP_FSTATFS:
	case OP_ACCESS:
	case OP_GETXATTR:
	case OP_FGETXATTR:
	case OP_LISTXATTR:
	case OP_FLISTXATTR:
	case OP_READLINK:
	case OP_REALPATH:
	case OP_READDIR:
	case OP_REWINDDIR:
	case OP_SEEKDIR:
	case OP_TELLDIR:
	case OP_GETDENTS:
	case OP_SCANDIR:
	case OP_WALK:
	case OP_IOCTL:
		return true;
	case OP_MADVISE:
		return is_hint(r->flags);
	case OP_PAGE_FAULT:
		return !(r->flags & PAGE_WRITTEN);
	default:
		return op_info(r->op)->family == FAMILY_ADVICE;
	}
}

/* Whether the request copies to a target that is not replayed. */
static bool copies_to_nothing(const struct load *l, const struct slots *s,
			      const struct load_request *r)
{
	const struct load_more *m = load_more(l, r);
	return op_info(r->op)->family == FAMILY_COPY && m && (!m->slot || s->slot[m->slot].skipped);
}

static uint32_t origin_of(const struct slots *s, uint32_t slot)
{
	return s->slot[slot].origin;
}

/* matters[s->n], by origin: whether some request changes a file at the position of the open
 * file. */
static bool *positions_that_matter(const struct load *l, const struct slots *s)
{
	bool *matters = xcalloc((size_t)s->n + 1, sizeof *matters);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		const struct load_more *m = load_more(l, r);
		const struct op_info *o = op_info(r->op);
		const bool writes = o->family == FAMILY_WRITE &&
				    (o->uses & OP_MOVES_POSITION || (m && m->at_position));
		if (r->slot && (writes || o->family == FAMILY_COPY))
			matters[origin_of(s, r->slot)] = true;
		if (m && m->slot && o->family == FAMILY_COPY)
			matters[origin_of(s, m->slot)] = true;
	}
	return matters;
}

static bool left_out(const struct load *l, const struct slots *s, const struct load_request *r,
		     const bool *matters)
{
	const struct op_info *o = op_info(r->op);
	const struct slot *b = &s->slot[origin_of(s, r->slot)];
	if (r->op == OP_FREAD || r->op == OP_FGETS || r->op == OP_GETDELIM || r->op == OP_FGETC ||
	    r->op == OP_FSCANF || r->op == OP_UNGETC || r->op == OP_FSEEK || r->op == OP_FTELL)
		return r->slot && (b->flags & O_ACCMODE) == O_RDONLY;
	if (o->family == FAMILY_READ || o->family == FAMILY_POSITION)
		return !matters[origin_of(s, r->slot)] ||
		       (o->family == FAMILY_READ && !(o->uses & OP_MOVES_POSITION));
	return only_looks(r) || copies_to_nothing(l, s, r);
}

/* --- misses of the page cache -------------------------------------------- */

/* latest requests of a thread during the walk through the trace; NONE32 none */
struct under_way {
	uint32_t call, touch;
};

static uint32_t file_of(const struct slots *s, const struct load_request *r)
{
	return r->slot ? s->slot[r->slot].file : NONE32;
}

/* The request for which a page was added: the present call of the same thread if it is on the same
 * file, otherwise the last touch of that file by the thread. */
static uint32_t owner_of(const struct under_way *w, const struct load *l, const struct slots *s,
			 const struct load_request *r)
{
	const uint32_t file = r->name;
	const struct load_request *c = w->call == NONE32 ? NULL : &l->request[w->call];
	if (file == NONE32)
		return NONE32;
	if (c && r->begin_ns <= load_end_ns(l, c) && file_of(s, c) == file)
		return w->call;
	return w->touch != NONE32 && file_of(s, &l->request[w->touch]) == file ? w->touch : NONE32;
}

/* ordered by request and offset, not by time */
ORDER_BY(compare_miss, struct miss, request, offset)

void misses_find(struct misses *m, const struct load *l, const struct slots *s)
{
	SCOPED_FREE struct under_way *w = xcalloc((size_t)l->n_threads + 1, sizeof *w);
	for (uint32_t i = 0; i <= l->n_threads; i++)
		w[i] = (struct under_way){NONE32, NONE32};
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		if (op_info(r->op)->family != FAMILY_PAGE) {
			w[r->thread].call = i;
		} else if (load_is_touch(r)) {
			w[r->thread].touch = r->skipped ? w[r->thread].touch : i;
		} else {
			const uint32_t owner = owner_of(&w[r->thread], l, s, r);
			m->n_elsewhere += owner == NONE32;
			if (owner == NONE32 || !r->length || r->offset > INT64_MAX - r->length ||
			    r->length > INT64_MAX)
				continue;
			APPEND(m->miss, m->n, m->cap,
			       (struct miss){owner, r->flags & PAGE_ASKED, r->offset, r->length});
		}
	}
	SORT(m->miss, m->n, compare_miss);
}

const struct miss *misses_of(const struct misses *m, uint32_t request, uint32_t *n)
{
	uint32_t low = 0, high;
	BISECT(low, m->n, i, m->miss[i].request < request)
	for (high = low; high < m->n && m->miss[high].request == request; high++)
		;
	*n = high - low;
	return *n ? &m->miss[low] : NULL;
}

/* --- original: as the cache at capture ------------------------------------ */

static bool has_misses(const struct load *l, const struct trace *t)
{
	const char *extra = trace_meta(t)->extra_json;
	json_auto_t *top = extra ? json_loads(extra, 0, NULL) : NULL;
	const char *faults =
	    json_string_value(json_object_get(json_object_get(top, "capture"), "faults"));
	bool has = json_object_get(top, "joined") || (faults && strcmp(faults, "none"));
	for (uint32_t i = 0; i < l->n && !has; i++)
		has = l->request[i].op == OP_PAGE_CACHE_ADD;
	return has;
}

/* Whether the request changes the read-ahead. Such requests are skipped, because the replay reads
 * exactly the missed pages. Advice to drop pages is still replayed. */
static bool changes_reading(const struct load_request *r)
{
	if (r->op == OP_FADVISE)
		return r->flags == POSIX_FADV_NORMAL || r->flags == POSIX_FADV_SEQUENTIAL ||
		       r->flags == POSIX_FADV_RANDOM;
	return r->op == OP_MADVISE && is_hint(r->flags);
}

static int original_prepare(struct reads *x, struct load *l, const struct slots *s,
			    const struct trace *t, struct err *e)
{
	if (!has_misses(l, t))
		return err_set(e, EINVAL, "--reads original: the trace contains no recorded "
			"page-cache misses. Record them with \"validate capture vfs\", and add "
			"them with \"validate slice --join\"");
	misses_find(&x->misses, l, s);
	for (uint32_t i = 0; i < l->n; i++)
		if (!l->request[i].skipped && changes_reading(&l->request[i]))
			l->request[i].skipped = SKIP_READ;
	return 0;
}

/* --- the mode ------------------------------------------------------------ */

int reads_prepare(struct load *l, const struct slots *s, const struct trace *t,
		  enum replay_reads mode, struct err *e)
{
	if (mode == READS_CURRENT)
		return 0;
	l->reads = xcalloc(1, sizeof *l->reads);
	l->reads->mode = mode;
	if (mode == READS_ORIGINAL)
		return original_prepare(l->reads, l, s, t, e);
	SCOPED_FREE bool *matters = positions_that_matter(l, s);
	for (uint32_t i = 0; i < l->n; i++) {
		struct load_request *r = &l->request[i];
		if (!r->skipped && left_out(l, s, r, matters))
			r->skipped = SKIP_READ;
	}
	return 0;
}

static bool is_read_by_pages(const struct slots *s, const struct load_request *r)
{
	/* bypasses the cache */
	const bool direct = s->slot[origin_of(s, r->slot)].flags & O_DIRECT;
	switch (r->op) {
	case OP_READ:
	case OP_PREAD:
	case OP_READV:
	case OP_PREADV:
	case OP_PREADV2:
		return r->slot && !direct && r->rvalue > 0 &&
		       r->offset <= INT64_MAX - (uint64_t)r->rvalue;
	case OP_READAHEAD:
		return r->slot && r->rvalue == 0;
	case OP_FADVISE:
		return r->slot && r->rvalue == 0 && r->flags == POSIX_FADV_WILLNEED;
	case OP_PAGE_FAULT:
	case OP_MMAP:
		return true;
	default:
		return false;
	}
}

enum read_action reads_action(const struct reads *x, const struct slots *s,
			      const struct load_request *r)
{
	if (r->skipped)
		return READ_AS_IS;
	if (x->mode == READS_ORIGINAL)
		return is_read_by_pages(s, r) ? READ_BY_PAGES : READ_AS_IS;
	const struct op_info *o = op_info(r->op);
	const bool sequential = o->family == FAMILY_READ && o->uses & OP_MOVES_POSITION;
	return x->mode == READS_NONE && sequential && r->rvalue > 0 ? READ_SKIPPED : READ_AS_IS;
}
