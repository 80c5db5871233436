/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/order.h"

#include "common/sort.h"
#include "common/units.h"
#include "replay/order/order_private.h"

void edges_add(struct edges *d, uint32_t request, uint32_t thread, uint32_t threshold)
{
	APPEND(d->edge, d->n, d->cap, (struct edge){request, thread, threshold});
}

/* --- turns of locks ------------------------------------------------------ */

/* If several requests wait for one lock, the trace shows which request got it first: it ended
 * first. A replay in which another request got the lock could not continue, because the first
 * request must precede the end of the other. So a request that took a lock counts as begun at the
 * end of the last conflicting request on the same file that ended before it. */

struct lock_turn {
	int64_t ns;
	uint32_t request;
};

struct lock_turns {
	/* turn[n], sorted: requests that count as begun later than their traced start */
	struct lock_turn *turn;
	uint32_t *left_out;	/* left_out[n]: the same requests, sorted */
	uint32_t n, at, n_left_out, next;
};

struct taker {
	int64_t end_ns;
	uint32_t file, request;
	bool shared;
};

ORDER_BY(by_file_and_end, struct taker, file, end_ns, request)

ORDER_BY(by_turn, struct lock_turn, ns, request)

static struct taker *takers_find(uint32_t *n, const struct load *l, const struct slots *s)
{
	struct taker *taker = NULL;
	uint32_t cap = 0;
	*n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		const uint32_t file = s->slot[r->slot].file;
		bool of_process;
		if (!r->slot || file == NONE32 || !s->file[file].locked)
			continue;
		const enum lock_act act = lock_act(l, r, &of_process);
		if (act != LOCK_TAKEN && act != LOCK_SHARED)
			continue;
		APPEND(taker, *n, cap,
		       (struct taker){load_end_ns(l, r), file, i, act == LOCK_SHARED});
	}
	return taker;
}

static void lock_turns_find(struct lock_turns *t, const struct load *l, const struct slots *s)
{
	*t = (struct lock_turns){.turn = NULL};
	uint32_t n, cap = 0;
	SCOPED_FREE struct taker *taker = takers_find(&n, l, s);
	int64_t exclusive = INT64_MIN, any = INT64_MIN;
	SORT(taker, n, by_file_and_end);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || taker[i].file != taker[i - 1].file)
			exclusive = any = INT64_MIN;
		const int64_t after = taker[i].shared ? exclusive : any;
		if (after > l->request[taker[i].request].begin_ns)
			APPEND(t->turn, t->n, cap, (struct lock_turn){after, taker[i].request});
		any = taker[i].end_ns;
		exclusive = taker[i].shared ? exclusive : any;
	}
	if (!t->n)
		return;
	qsort(t->turn, t->n, sizeof *t->turn, by_turn);
	t->left_out = xcalloc(t->n, sizeof *t->left_out);
	for (uint32_t i = 0; i < t->n; i++)
		t->left_out[i] = t->turn[i].request;
	qsort(t->left_out, t->n, sizeof *t->left_out, order_u32);
}

static uint32_t lock_turns_next(struct lock_turns *t, const struct load *l, int64_t *begin_ns)
{
	while (t->n_left_out < t->n && t->left_out[t->n_left_out] == t->next) {
		t->n_left_out++;
		t->next++;
	}
	const bool turn = t->at < t->n;
	if (t->next < l->n && (!turn || t->turn[t->at].ns > l->request[t->next].begin_ns)) {
		*begin_ns = l->request[t->next].begin_ns;
		return t->next++;
	}
	if (!turn)
		return NONE32;
	*begin_ns = t->turn[t->at].ns;
	return t->turn[t->at++].request;
}

/* --- policies ------------------------------------------------------------ */

/* Derives order temporal. By definition, r waits for the start of every earlier request, and for
 * the end of every request that ended before r began. Let p be the request just before r. It
 * suffices that r waits for (1) the start of p, because p has waited for the earlier starts; (2)
 * the ends between the starts of p and r, because p has waited for earlier ends. Of these ends,
 * only the last of each thread is needed, because the next request of the thread implies an earlier
 * end. So at most two requests wait for each request: the transitive reduction has at most 2n
 * edges. Requests are sorted by the turns of locks. */
static void derive_temporal(struct edges *out, const struct load *l, const struct slots *s)
{
	struct flight flight = {.item = NULL};
	SCOPED_FREE uint32_t *n_begun = xcalloc(l->n_threads + 1, sizeof *n_begun);
	struct lock_turns turns;
	lock_turns_find(&turns, l, s);
	int64_t begin_ns;
	for (uint32_t i, q, before = NONE32; (i = lock_turns_next(&turns, l, &begin_ns)) != NONE32;
	     before = i) {
		const struct load_request *r = &l->request[i];
		const struct load_request *p = before == NONE32 ? NULL : &l->request[before];
		bool end_of_p = false;
		while ((q = flight_pop_ended(&flight, l, begin_ns)) != NONE32) {
			const struct load_request *x = &l->request[q];
			if (x->thread == r->thread || x->index + 1 < n_begun[x->thread])
				continue;
			edges_add(out, i, x->thread, threshold_ended(x));
			end_of_p |= x == p;
		}
		if (p && p->thread != r->thread && !end_of_p)
			edges_add(out, i, p->thread, threshold_begun(p));
		n_begun[r->thread] = r->index + 1;
		flight_push(&flight, l, i);
	}
	if (turns.n)
		edges_sort(out);
	FREE_EACH(turns.turn, turns.left_out, flight.item);
}

/* Derives order temporal-serial: each request waits for the end of the previous request, which has
 * waited for all earlier requests. */
static void derive_temporal_serial(struct edges *out, const struct load *l)
{
	for (uint32_t i = 1; i < l->n; i++) {
		const struct load_request *p = &l->request[i - 1];
		if (p->thread != l->request[i].thread)
			edges_add(out, i, p->thread, threshold_ended(p));
	}
}

/* Derives order thread: the order of each thread, including its asynchronous requests in
 * channels. */
static void derive_thread(struct edges *out, const struct load *l)
{
	struct process_waits asynchronous;
	async_waits_find(&asynchronous, l);
	for (size_t i = 0; i < asynchronous.n; i++) {
		const struct load_request *q = &l->request[asynchronous.wait[i].earlier];
		edges_add(out, asynchronous.wait[i].request, q->thread, threshold_ended(q));
	}
	process_waits_release(&asynchronous);
}

int fs_rules_parse(unsigned int *rules, const char *text, struct err *e)
{
	unsigned int with = 0, without = 0;
	SCOPED_FREE char *copy = xstrdup(text ? text : "all");
	char *at = copy;
	int ret = 0;
	for (char *name; !ret && (name = strsep(&at, ",")) != NULL;) {
		size_t i = 0;
		bool leave = *name == '-';
		name += leave;
		while (fs_rule_names[i] && strcmp(fs_rule_names[i], name))
			i++;
		if (fs_rule_names[i])
			*(leave ? &without : &with) |= 1u << i;
		else if (!leave && !strcmp(name, "all"))
			with |= RULES_ALL;
		else
			ret = name_refuse(e, EINVAL, name, fs_rule_names,
					  " (rules: descriptor, position, name, directory, data, "
					  "size, attribute, process)",
					  "unknown order rule \"%s\"", name);
	}
	*rules = (with || !without ? with : RULES_ALL) & ~without;
	return ret;
}

int order_derive(struct edges *out, enum replay_order order, unsigned int rules,
		 const struct load *l, const struct slots *s, struct err *e)
{
	*out = (struct edges){.edge = NULL};
	if (order == ORDER_TEMPORAL)
		derive_temporal(out, l, s);
	else if (order == ORDER_TEMPORAL_SERIAL)
		derive_temporal_serial(out, l);
	else if (order == ORDER_THREAD)
		derive_thread(out, l);
	else if (order == ORDER_FS)
		return order_derive_fs(out, rules, l, s, e);
	return 0;
}
