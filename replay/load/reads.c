/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/load/reads.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/op.h"
#include "common/xalloc.h"


/* --- what changes nothing ------------------------------------------------ */

static bool reads_stream(const struct load_request *r)
{
	return r->op == OP_FREAD || r->op == OP_FGETS || r->op == OP_GETDELIM ||
	       r->op == OP_FGETC || r->op == OP_FSCANF || r->op == OP_UNGETC || r->op == OP_FSEEK ||
	       r->op == OP_FTELL;
}

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

static bool sinks(const struct load *l, const struct slots *s, const struct load_request *r)
{
	const struct load_more *m = load_more(l, r);
	return op_info(r->op)->family == FAMILY_COPY && m && (!m->slot || s->slot[m->slot].passed);
}

static uint32_t origin_of(const struct slots *s, uint32_t slot)
{
	return s->slot[slot].origin;
}

/* Whether something that changes a file happens at the position of each open file: matters[s->n],
 * by origin. */
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
	if (reads_stream(r))
		return r->slot && (b->flags & O_ACCMODE) == O_RDONLY;
	if (o->family == FAMILY_READ || o->family == FAMILY_POSITION)
		return !matters[origin_of(s, r->slot)] ||
		       (o->family == FAMILY_READ && !(o->uses & OP_MOVES_POSITION));
	return only_looks(r) || sinks(l, s, r);
}

static void none_prepare(struct load *l, const struct slots *s)
{
	bool *matters = positions_that_matter(l, s);
	for (uint32_t i = 0; i < l->n; i++) {
		struct load_request *r = &l->request[i];
		if (!r->passed && left_out(l, s, r, matters))
			r->passed = PASS_READ;
	}
	free(matters);
}

/* --- as the original cache decided --------------------------------------- */

static bool tells_misses(const struct load *l, const struct trace *t)
{
	const char *extra = trace_meta(t)->extra_json;
	json_t *top = extra ? json_loads(extra, 0, NULL) : NULL;
	const char *faults =
	    json_string_value(json_object_get(json_object_get(top, "capture"), "faults"));
	bool tells = json_object_get(top, "joined") || (faults && strcmp(faults, "none"));
	json_decref(top);
	for (uint32_t i = 0; i < l->n && !tells; i++)
		tells = l->request[i].op == OP_PAGE_CACHE_ADD;
	return tells;
}

/* What would change how much is read ahead: each read is of its pages here. Advice to drop pages
 * stays. */
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
	if (!tells_misses(l, t))
		return err_set(e, EINVAL,
			       "--reads original: the trace does not hold page-cache misses "
			       "(validate slice --join adds those of capture vfs)");
	misses_find(&x->misses, l, s);
	for (uint32_t i = 0; i < l->n; i++)
		if (!l->request[i].passed && changes_reading(&l->request[i]))
			l->request[i].passed = PASS_READ;
	return 0;
}

/* --- the whole ----------------------------------------------------------- */

int reads_prepare(struct load *l, const struct slots *s, const struct trace *t,
		  enum replay_reads mode, struct err *e)
{
	if (mode == READS_CURRENT)
		return 0;
	l->reads = xcalloc(1, sizeof *l->reads);
	l->reads->mode = mode;
	if (mode == READS_ORIGINAL)
		return original_prepare(l->reads, l, s, t, e);
	none_prepare(l, s);
	return 0;
}

void reads_free(struct reads *r)
{
	if (r)
		misses_release(&r->misses);
	free(r);
}

static bool is_read_by_pages(const struct slots *s, const struct load_request *r)
{
	const bool direct = s->slot[origin_of(s, r->slot)].flags & O_DIRECT; /* no cache decides */
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
	if (!x || r->passed)
		return READ_AS_IS;
	if (x->mode == READS_ORIGINAL)
		return is_read_by_pages(s, r) ? READ_BY_PAGES : READ_AS_IS;
	const struct op_info *o = op_info(r->op);
	const bool sequential = o->family == FAMILY_READ && o->uses & OP_MOVES_POSITION;
	return x->mode == READS_NONE && sequential && r->rvalue > 0 ? READ_SKIPPED : READ_AS_IS;
}
