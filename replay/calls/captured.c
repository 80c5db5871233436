/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/calls/captured.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/content/content.h"
#include "common/vm.h"
#include "common/xalloc.h"

#define NAP_NS 500000 /* of who fetches, when there is no room */
#define MEMORY_LEAST (UINT64_C(1) << 20)

enum item_state { ITEM_WANTED, ITEM_THERE, ITEM_TAKEN };

struct item { /* content of a request, in issue order */
	uint64_t place, n_bytes;
	uint64_t at; /* in memory, where it is there */
	_Atomic uint32_t state;
};

struct captured {
	struct content *content;
	uint64_t *seq; /* seq[n_seq] of the trace's records; NULL: each is its number */
	uint64_t n_seq;
	struct item *item; /* item[n] */
	uint64_t n, cap;
	uint64_t n_bytes;
	/* Memory is used as a ring: of items [oldest, next) what was fetched lies in it, in their order, from `from` to `to` and round its end. */
	struct vm_region memory;
	uint64_t size, n_locked_bytes;
	uint64_t oldest, next, from, to;
	bool full; /* from == to, and something is there */
	pthread_t id;
	bool runs;
	atomic_bool stop;
	_Atomic uint64_t n_late;
	_Atomic int failure; /* negative errno */
	struct err why;	     /* by who set it */
};

/* --- the trace and its content -------------------------------------------------------------------------------------- */

/* Slices keep the numbers that their requests had. */
static int seqs_read(struct captured *c, const char *path, struct err *e)
{
	const struct trace_record *r;
	struct trace *t;
	uint64_t i = 0, cap = 0;
	size_t n;
	int ret = trace_open(&t, path, e);
	if (ret)
		return ret;
	while ((ret = trace_next_batch(t, &r, &n, e)) > 0)
		for (size_t k = 0; k < n; k++, i++) {
			if (!c->seq && r[k].seq == i)
				continue;
			for (; c->n_seq <= i; c->n_seq++) {
				GROW(c->seq, c->n_seq, cap);
				c->seq[c->n_seq] = c->n_seq;
			}
			c->seq[i] = r[k].seq;
		}
	trace_close(t);
	return ret;
}

/* By which the trace knows its content; "" where it has none. */
static void name_wanted(const struct trace *t, char hex[2 * CONTENT_NAME_BYTES + 1])
{
	const char *text = trace_meta(t)->extra_json;
	json_t *extra = text ? json_loads(text, 0, NULL) : NULL;
	const char *name = json_string_value(json_object_get(json_object_get(extra, "content"), "name"));
	snprintf(hex, 2 * CONTENT_NAME_BYTES + 1, "%s", name ? name : "");
	json_decref(extra);
}

static bool name_is(const struct content *c, const char *wanted)
{
	const uint8_t *name = content_facts(c)->name;
	char hex[2 * CONTENT_NAME_BYTES + 1];
	for (size_t i = 0; i < CONTENT_NAME_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", name[i]);
	return !strcmp(hex, wanted);
}

int captured_open(struct captured **out, const char *path, const struct trace *t, struct err *e)
{
	char wanted[2 * CONTENT_NAME_BYTES + 1];
	*out = NULL;
	name_wanted(t, wanted);
	if (!*wanted)
		return err_set(e, ENOENT, "%s: no content was kept with this trace (validate capture app --content keeps it)", path);
	struct captured *c = xcalloc(1, sizeof *c);
	char *beside = xasprintf("%s" CONTENT_SUFFIX, path);
	int ret = content_open(&c->content, beside, e);
	if (ret)
		ret = err_context(e, "payload captured");
	else if (!name_is(c->content, wanted))
		ret = err_set(e, EINVAL, "%s: the content of another trace", beside);
	ret = ret ? ret : seqs_read(c, path, e);
	free(beside);
	if (ret)
		captured_free(c);
	else
		*out = c;
	return ret;
}

bool captured_add(struct captured *c, uint64_t record, uint64_t *number)
{
	struct item made = {.state = ITEM_WANTED};
	const uint64_t seq = record < c->n_seq ? c->seq[record] : record;
	if (!content_find(c->content, seq, &made.place, &made.n_bytes))
		return false;
	GROW(c->item, c->n, c->cap);
	c->item[c->n] = made;
	c->n_bytes += made.n_bytes;
	*number = c->n++;
	return true;
}

static void failed(struct captured *c, const struct err *why)
{
	int none = 0;
	if (atomic_compare_exchange_strong(&c->failure, &none, -why->code))
		c->why = *why;
}

/* --- fetching ------------------------------------------------------------------------------------------------------- */

static uint32_t state_of(const struct item *i)
{
	return atomic_load_explicit(&i->state, memory_order_acquire);
}

/* Gives back the memory of what was taken, oldest first. */
static void taken_forget(struct captured *c)
{
	while (c->oldest < c->next && state_of(&c->item[c->oldest]) == ITEM_TAKEN) {
		const struct item *i = &c->item[c->oldest++];
		if (i->at == UINT64_MAX)
			continue;
		c->from = i->at + i->n_bytes;
		c->full = false;
	}
	if (c->oldest == c->next) {
		c->from = c->to = 0;
		c->full = false;
	}
}

/* Where `n` bytes fit, in one piece; false where they do not. */
static bool room_find(struct captured *c, uint64_t n, uint64_t *at)
{
	if (c->full)
		return false;
	const bool wrapped = c->to < c->from;
	if (n <= (wrapped ? c->from : c->size) - c->to)
		*at = c->to;
	else if (!wrapped && n <= c->from)
		*at = 0;
	else
		return false;
	c->to = *at + n;
	c->full = c->to == c->from;
	return true;
}

/* Fetches until there is no room, or nothing more. */
static void fetch(struct captured *c)
{
	taken_forget(c);
	for (; c->next < c->n && !atomic_load(&c->stop); c->next++) {
		struct item *i = &c->item[c->next];
		struct err why = ERR_INIT;
		uint32_t wanted = ITEM_WANTED;
		i->at = UINT64_MAX;
		if (i->n_bytes > c->size || state_of(i) != ITEM_WANTED)
			continue; /* its worker reads it, or has */
		if (!room_find(c, i->n_bytes, &i->at))
			return;
		if (content_read(c->content, i->place, 0, (char *)c->memory.base + i->at, i->n_bytes, &why))
			failed(c, &why);
		atomic_compare_exchange_strong(&i->state, &wanted, ITEM_THERE);
	}
}

static void *fetch_main(void *arg)
{
	struct captured *c = arg;
	const struct timespec nap = {0, NAP_NS};
	while (!atomic_load(&c->stop) && c->next < c->n) {
		fetch(c);
		nanosleep(&nap, NULL);
	}
	return NULL;
}

int captured_start(struct captured *c, uint64_t memory_bytes, struct err *e)
{
	struct err unlocked = ERR_INIT;
	c->size = memory_bytes > c->n_bytes ? c->n_bytes : memory_bytes < MEMORY_LEAST ? MEMORY_LEAST : memory_bytes;
	if (!c->n)
		return 0;
	int ret = vm_alloc(&c->memory, c->size, "what is written", e);
	if (ret)
		return ret;
	c->n_locked_bytes = vm_lock(&c->memory, &unlocked) ? 0 : c->memory.n_bytes;
	fetch(c);
	if (atomic_load(&c->failure))
		return captured_stop(c, NULL, e);
	const int code = c->next < c->n ? pthread_create(&c->id, NULL, fetch_main, c) : 0;
	c->runs = c->next < c->n && !code;
	return code ? err_sys(e, code, "a thread for what is written") : 0;
}

/* --- taking --------------------------------------------------------------------------------------------------------- */

void captured_take(struct captured *c, uint64_t number, void *to, uint64_t n)
{
	struct item *i = &c->item[number];
	struct err why = ERR_INIT;
	uint32_t wanted = ITEM_WANTED;
	n = n < i->n_bytes ? n : i->n_bytes;
	if (atomic_compare_exchange_strong(&i->state, &wanted, ITEM_TAKEN)) {
		atomic_fetch_add_explicit(&c->n_late, 1, memory_order_relaxed);
		if (content_read(c->content, i->place, 0, to, n, &why))
			failed(c, &why);
		return;
	}
	memcpy(to, (const char *)c->memory.base + i->at, n);
	atomic_store_explicit(&i->state, ITEM_TAKEN, memory_order_release);
}

static void end(struct captured *c)
{
	atomic_store(&c->stop, true);
	if (c->runs)
		pthread_join(c->id, NULL);
	c->runs = false;
}

int captured_stop(struct captured *c, struct captured_summary *s, struct err *e)
{
	end(c);
	if (s)
		*s = (struct captured_summary){c->n, c->n_bytes, atomic_load(&c->n_late), c->n_locked_bytes};
	const int failure = atomic_load(&c->failure);
	return failure ? err_set(e, -failure, "payload captured: %s", c->why.msg) : 0;
}

void captured_free(struct captured *c)
{
	if (!c)
		return;
	end(c);
	content_close(c->content);
	vm_free(&c->memory);
	free(c->seq);
	free(c->item);
	free(c);
}
