/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small traces, written by hand or at random, for the tests of replay/. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/trace.h"
#include "common/files.h"
#include "common/xalloc.h"
#include "replay/load/load.h"
#include "replay/order/order.h"
#include "replay/load/slots.h"

struct sample {
	struct trace_record *r;
	size_t n, cap;
	const char *paths[16]; /* object i is paths[i] */
	size_t n_paths;
	const char *extra_json;
	struct fileset files;
};

static inline struct trace_record *sample_add(struct sample *s, uint32_t tid, int64_t begin,
					      int64_t end, enum trace_op op)
{
	GROW(s->r, s->n, s->cap);
	s->r[s->n] = (struct trace_record){.seq = s->n, .begin_ns = begin, .end_ns = end, .intended_ns = TIME_NONE,
					   .dispatch_ns = TIME_NONE, .offset = OFFSET_NONE, .pid = 1, .tid = tid,
					   .object = OBJECT_NONE, .fd = -1, .heap = HEAP_NONE, .op = (uint16_t)op};
	return &s->r[s->n++];
}

/* A read or write on descriptor `fd` of file `object` (OBJECT_NONE: unknown). */
static inline struct trace_record *sample_data(struct sample *s, uint32_t tid, int64_t begin,
					       int64_t end, enum trace_op op, int fd,
					       uint32_t object, uint64_t offset, uint64_t length,
					       int64_t rvalue)
{
	struct trace_record *r = sample_add(s, tid, begin, end, op);
	r->fd = fd, r->object = object, r->offset = offset, r->length = length, r->rvalue = rvalue;
	if (rvalue < 0) {
		r->rvalue = -1;
		r->error = (uint16_t)-rvalue;
	}
	return r;
}

static inline struct trace_record *sample_open(struct sample *s, uint32_t tid, int64_t begin,
					       int64_t end, uint32_t object, int flags,
					       int64_t rvalue)
{
	struct trace_record *r = sample_data(s, tid, begin, end, OP_OPEN, (int)rvalue, object,
					     OFFSET_NONE, 0644, rvalue);
	r->flags = (uint32_t)flags;
	return r;
}

static inline void sample_release(struct sample *s)
{
	free(s->r);
	s->r = NULL;
	s->n = s->cap = 0;
}

/* A new directory; sample_dir_remove removes it. */
static inline char *sample_dir(void)
{
	const char *base = getenv("TMPDIR");
	char *dir = xasprintf("%s/replay-test.XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(dir))
		abort();
	return dir;
}

static inline void sample_dir_remove(char *dir)
{
	if (dir_remove_tree(dir, NULL))
		abort();
	free(dir);
}

static inline void sample_write(const struct sample *s, const char *path)
{
	struct err e = ERR_INIT;
	struct trace_writer *w;
	const struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "made", .extra_json = s->extra_json, .files = s->files};
	const struct trace_write_options o = {.no_sync = true};
	int ret = trace_writer_open(&w, path, &meta, &o, &e);
	for (size_t i = 0; !ret && i < s->n_paths; i++) {
		uint32_t id;
		ret = trace_writer_object(w, OBJECT_PATH, s->paths[i], &id, &e);
	}
	if (!ret && s->n)
		ret = trace_writer_append(w, s->r, s->n, &e);
	if (!ret)
		ret = trace_writer_close(w, &e);
	if (ret) {
		fprintf(stderr, "sample_write: %s\n", e.msg);
		abort();
	}
}

/* The sample as a replay loads it. */
struct loaded {
	struct trace *t;
	struct load l;
	struct slots s;
	struct edges *fs; /* of order fs, if a test needs them */
};

static inline int sample_load(const struct sample *s, const char *dir, struct loaded *x,
			      struct err *e)
{
	char *path = xasprintf("%s/sample.trace", dir);
	memset(x, 0, sizeof *x);
	sample_write(s, path);
	int ret = trace_open(&x->t, path, e);
	if (!ret)
		ret = load_read(&x->l, x->t, false, e);
	if (!ret)
		ret = slots_find(&x->s, &x->l, x->t, e);
	free(path);
	return ret;
}

static inline void loaded_release(struct loaded *x)
{
	slots_release(&x->s);
	load_release(&x->l);
	if (x->fs)
		edges_release(x->fs);
	free(x->fs);
	if (x->t)
		trace_close(x->t);
}

static inline uint64_t sample_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

/* --- the definition of each order ------------------------------------------ */

/* The progress that q's thread must have reached when r begins, 0 for none. q and r are indices
 * into l->request. */
typedef uint32_t demand(const struct loaded *x, uint32_t q, uint32_t r);

static inline uint32_t demand_temporal(const struct loaded *x, uint32_t q, uint32_t r)
{
	const struct load_request *a = &x->l.request[q], *b = &x->l.request[r];
	if (q >= r)
		return 0;
	return load_end_ns(&x->l, a) <= b->begin_ns || a->thread == b->thread ? threshold_ended(a)
									      : threshold_begun(a);
}

static inline uint32_t demand_serial(const struct loaded *x, uint32_t q, uint32_t r)
{
	return q < r ? threshold_ended(&x->l.request[q]) : 0;
}

/* The derived waits, to test that an engine keeps them; test_fs_property.c tests whether they are
 * right. */
static inline uint32_t demand_fs(const struct loaded *x, uint32_t q, uint32_t r)
{
	const struct load_request *a = &x->l.request[q], *b = &x->l.request[r];
	struct edges **known = (struct edges **)&x->fs;
	if (a->thread == b->thread)
		return q < r ? threshold_ended(a) : 0;
	if (!*known) {
		*known = xcalloc(1, sizeof **known);
		if (order_derive(*known, ORDER_FS, RULES_ALL, &x->l, &x->s, NULL))
			abort();
	}
	for (size_t i = 0; i < (*known)->n; i++)
		if ((*known)->edge[i].request == r && (*known)->edge[i].thread == a->thread &&
		    (*known)->edge[i].threshold >= threshold_ended(a))
			return threshold_ended(a);
	return 0;
}

static inline uint32_t demand_thread(const struct loaded *x, uint32_t q, uint32_t r)
{
	const struct load_request *a = &x->l.request[q], *b = &x->l.request[r];
	return q < r && a->thread == b->thread ? threshold_ended(a) : 0;
}
