/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/xalloc.h"
#include "replay/order/lock_turns.h"
#include "replay/order/order_private.h"


void edges_add(struct edges *d, uint32_t request, uint32_t thread, uint32_t threshold)
{
	GROW(d->edge, d->n, d->cap);
	d->edge[d->n++] = (struct edge){request, thread, threshold};
}

void edges_release(struct edges *d)
{
	free(d->edge);
	*d = (struct edges){.edge = NULL};
}

/* Temporal. By definition r waits for the begin of every earlier request and for the end of every
 * one that ended before r began. With p the request just before r, r needs only (1) p begun: p
 * itself has waited for the rest; (2) the ends that fall between the begins of p and r: earlier
 * ends p has waited for; and of these only a thread's last: an earlier one is implied by the begin
 * of its successor in its thread. So each request is waited for at most twice, whatever the number
 * of threads: the transitive reduction, with at most 2n edges. Requests are taken as lock_turns.h
 * sorts them. */
static void derive_temporal(struct edges *out, const struct load *l, const struct slots *s)
{
	struct flight flight = {.item = NULL};
	uint32_t *n_begun = xcalloc(l->n_threads + 1, sizeof *n_begun);
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
	lock_turns_release(&turns);
	free(n_begun);
	flight_release(&flight);
}

/* Only when all earlier requests have ended: the one before has waited for those before it. */
static void derive_temporal_serial(struct edges *out, const struct load *l)
{
	for (uint32_t i = 1; i < l->n; i++) {
		const struct load_request *p = &l->request[i - 1];
		if (p->thread != l->request[i].thread)
			edges_add(out, i, p->thread, threshold_ended(p));
	}
}

/* Each thread's own order, and what channels leave of it. */
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

static int rule_unknown(const char *name, struct err *e)
{
	const char *near = nearest_name(name, fs_rule_names);
	return near ? err_set(e, EINVAL, "unknown rule \"%s\" (did you mean \"%s\"?)", name, near)
		    : err_set(e, EINVAL, "unknown rule \"%s\"", name);
}

int fs_rules_parse(unsigned int *rules, const char *text, struct err *e)
{
	unsigned int with = 0, without = 0;
	char *copy = xstrdup(text ? text : "all"), *at = copy;
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
			ret = rule_unknown(name, e);
	}
	*rules = (with || !without ? with : RULES_ALL) & ~without;
	free(copy);
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
