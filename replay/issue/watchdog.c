/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/issue/watchdog.h"

#include "common/units.h"
#include "replay/issue/feed.h"

void watchdog_init(struct watchdog *w, struct crew *c, int64_t timeout_ns)
{
	const struct clock *clock = &c->plan->clock;
	*w = (struct watchdog){
	    .crew = c, .quiet_since = clock_now(clock), .looked = clock_now(clock)};
	w->next = xcalloc((size_t)c->plan->n_lanes + 1, sizeof *w->next);
	w->ticks = (uint64_t)((double)timeout_ns / clock->ns_per_tick);
}

void watchdog_restart(struct watchdog *w)
{
	w->quiet_since = clock_now(&w->crew->plan->clock);
}

/* When the next request of a lane is due; 0: at once. */
static uint64_t due_at(const struct crew *c, uint32_t lane, uint32_t k)
{
	const struct replay_plan *p = c->plan;
	if (c->config->timing == TIMING_FULLSPEED || !p->lane[lane].due)
		return 0;
	bool think = c->config->timing == TIMING_THINK && k;
	uint64_t from = think ? outcome_ended_at(plan_outcome(p, lane, k - 1)) : p->start_ticks;
	return from + plan_due(p, lane, k);
}

/* Whether the request is computing or a wait for another node. Both may take any time and do not
 * block other requests here. */
static bool is_cause(const struct replay_plan *p, uint32_t lane, uint32_t k)
{
	const unsigned int op = p->file.fd ? OP_INVALID : p->lane[lane].request[k].op;
	return op < OP_N && op_info(op)->family == FAMILY_CAUSE;
}

bool watchdog_is_quiet(struct watchdog *w)
{
	const struct replay_plan *p = w->crew->plan;
	uint64_t now = clock_now(&p->clock), sum = 0, due = p->start_ticks;
	uint32_t n_causes = 0, n_calls = 0; /* kinds of the lanes' next requests */
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		const struct lane *a = &p->lane[i];
		w->next[i] = plan_first_left(p, i, w->next[i]);
		sum += w->next[i] + atomic_load(&w->crew->queue[i].next);
		uint64_t lane_due = w->next[i] < a->n ? due_at(w->crew, i, w->next[i]) : 0;
		due = lane_due > due ? lane_due : due;
		if (w->next[i] < a->n)
			*(is_cause(p, i, w->next[i]) ? &n_causes : &n_calls) += 1;
	}
	if (sum != w->sum || due > now || (n_causes && !n_calls))
		w->quiet_since = now;
	else if (due > w->quiet_since)
		w->quiet_since = due;
	if (pause_wanted(w->crew->pause.word)) /* paused time does not count */
		w->quiet_since += now - w->looked;
	w->looked = now;
	w->sum = sum;
	return w->ticks && now > w->quiet_since && now - w->quiet_since > w->ticks;
}

/* --- messages ------------------------------------------------------------ */

static uint64_t record_of(const struct replay_plan *p, uint32_t lane, uint32_t k)
{
	for (uint64_t i = 0; i < p->n_records; i++)
		if (p->place[i].lane == lane && p->place[i].index == k)
			return i;
	return 0;
}

static void request_describe(const struct replay_plan *p, uint32_t lane, uint32_t k,
			     struct strbuf *to)
{
	const struct hot_request *h = &p->lane[lane].request[k];
	const struct call *c = h->op == HOT_CALL ? &p->calls.call[h->length] : NULL;
	const char *whole = c ? p->calls.path[c->path].whole : "",
		   *path = *whole ? whole : p->open[h->slot].path;
	if (p->n_records)
		strbuf_addf(to, "request %" PRIu64, record_of(p, lane, k));
	else
		strbuf_addf(to, "request %u of thread %u", k + 1, lane + 1);
	strbuf_addf(to, " (%s%s%s)", op_name(c ? c->op : h->op), path ? " of " : "",
		    path ? path : "");
}

/* Returns the first unsatisfied wait of a lane's next request, or NULL. */
static const struct hot_wait *waiting_for(const struct watchdog *w, uint32_t lane)
{
	const struct lane *a = &w->crew->plan->lane[lane];
	const struct hot_wait *wait = a->wait;
	if (w->crew->plan->pool || !a->wait || w->next[lane] >= a->n)
		return NULL;
	for (uint32_t k = 0; k < w->next[lane]; k++)
		wait += a->request[k].n_waits;
	for (uint32_t i = 0; i < a->request[w->next[lane]].n_waits; i++)
		if (!gate_passed(&w->crew->gates, wait[i].lane, wait[i].threshold))
			return &wait[i];
	return NULL;
}

/* Returns the first of lanes [from, to) whose next request waits for nothing, or `to`. */
static uint32_t lane_running(const struct watchdog *w, uint32_t from, uint32_t to)
{
	while (from < to && (w->next[from] >= w->crew->plan->lane[from].n || waiting_for(w, from) ||
			     is_cause(w->crew->plan, from, w->next[from])))
		from++;
	return from;
}

void watchdog_describe_lanes(const struct watchdog *w, uint32_t from, uint32_t to,
			     struct strbuf *text)
{
	for (uint32_t i = from; i < to; i++)
		w->next[i] = plan_first_left(w->crew->plan, i, w->next[i]);
	uint32_t lane = lane_running(w, from, to);
	for (uint32_t i = from; lane == to && i < to; i++)
		lane = w->next[i] < w->crew->plan->lane[i].n ? i : to;
	if (lane == to)
		return;
	strbuf_addstr(text, ", at ");
	request_describe(w->crew->plan, lane, w->next[lane], text);
}

void watchdog_describe(const struct watchdog *w, struct strbuf *to)
{
	const struct replay_plan *p = w->crew->plan;
	uint32_t blocked = lane_running(w, 0, p->n_lanes);
	if (blocked == p->n_lanes) {
		strbuf_addstr(to, "deadlock: every request waits for another request");
		return;
	}
	request_describe(p, blocked, w->next[blocked], to);
	strbuf_addstr(to, " does not return");
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		const struct hot_wait *wait = waiting_for(w, i);
		if (!wait || wait->lane != blocked)
			continue;
		strbuf_addstr(to, ", and ");
		request_describe(p, i, w->next[i], to);
		strbuf_addstr(to, " waits for ");
		request_describe(p, wait->lane, (wait->threshold - 1) / 2, to);
		return;
	}
}

bool watchdog_give_up(struct watchdog *w, struct strbuf *blocked)
{
	const struct replay_plan *p = w->crew->plan;
	const uint64_t second = (uint64_t)(1e9 / p->clock.ns_per_tick);
	if (blocked->len)
		return false;
	watchdog_describe(w, blocked);
	atomic_store(&p->calls.common->give_up, true);
	watchdog_restart(w);
	w->ticks = w->ticks > second ? second : w->ticks;
	return true;
}
