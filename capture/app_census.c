/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app_census.h"

#include <stdlib.h>
#include <string.h>

#include "capture/op.h"
#include "common/xalloc.h"

struct birth { /* a program that should have appeared in process `pid` after `begin` */
	uint32_t pid;
	uint64_t begin;
	char *name;
	bool failed;
};

struct births {
	struct birth *v;
	size_t n, cap;
};

static void birth_expect(struct births *b, uint32_t pid, const struct merge_record *r)
{
	char *name = xcalloc(1, r->path_len + 1);
	memcpy(name, r->path ? r->path : "", r->path_len);
	GROW(b->v, b->n, b->cap);
	b->v[b->n++] = (struct birth){pid, r->r->begin, name, false};
}

/* An exec that returned has failed: it is the last one of its process. */
static void birth_withdraw(struct births *b, uint32_t pid)
{
	for (size_t i = b->n; i-- > 0;)
		if (b->v[i].pid == pid && !b->v[i].failed) {
			b->v[i].failed = true;
			return;
		}
}

static int compare_births(const void *a, const void *b)
{
	const struct birth *x = a, *y = b;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool image_follows(const struct spool *s, const struct birth *b, const struct birth *next)
{
	for (size_t i = 0; i < s->n_images; i++)
		if (s->image[i].pid == b->pid && s->image[i].start > b->begin &&
		    !(next && next->pid == b->pid && s->image[i].start > next->begin))
			return true;
	return false;
}

static void unseen_add(struct app_outcome *o, const char *name)
{
	o->n_unseen++;
	for (int i = 0; i < APP_UNSEEN_SHOWN; i++) {
		if (o->unseen[i] && !strcmp(o->unseen[i], name))
			return;
		if (!o->unseen[i]) {
			o->unseen[i] = xstrdup(name);
			return;
		}
	}
}

static void births_judge(const struct spool *s, struct births *b, struct app_outcome *o)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++) {
		if (b->v[i].failed)
			free(b->v[i].name);
		else
			b->v[n++] = b->v[i];
	}
	if (n)
		qsort(b->v, n, sizeof *b->v, compare_births);
	for (size_t i = 0; i < n; i++)
		if (!image_follows(s, &b->v[i], i + 1 < n ? &b->v[i + 1] : NULL))
			unseen_add(o, b->v[i].name);
	for (size_t i = 0; i < n; i++)
		free(b->v[i].name);
	free(b->v);
}

void census_take(struct census *c, const struct spool *s, struct merge *m, struct app_outcome *o)
{
	struct merge_record r;
	struct births births = {0};
	c->image = xcalloc(s->n_images + 1, sizeof *c->image);
	async_init(&c->async);
	o->n_processes = s->n_images;
	while (merge_next(m, &r)) {
		struct census_image *i = &c->image[r.image];
		if (r.r->op == LOG_START && !i->announced) {
			i->announced = true;
			i->parent = (uint32_t)r.r->result;
		} else if (r.r->op == LOG_EXEC && r.r->result < 0) {
			birth_withdraw(&births, r.pid);
		} else if (r.r->op == LOG_EXEC) {
			birth_expect(&births, r.pid, &r);
		} else if (r.r->op == LOG_SPAWN && r.r->result > 0) {
			birth_expect(&births, (uint32_t)r.r->result, &r);
		} else if (r.r->op == LOG_AIO_ASKED) {
			async_ask(&c->async, &r);
		} else if (r.r->op == LOG_AIO_DONE) {
			async_done(&c->async, &r);
		}
	}
	births_judge(s, &births, o);
}

void census_release(struct census *c)
{
	async_release(&c->async);
	free(c->image);
}
