/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/load/replayable.h"

#include "replay/load/slots.h"

static void count_record(struct replayable_count *c, uint32_t record)
{
	if (!c->n++ || record < c->first)
		c->first = record;
}

/* Whether the trace has more than `n_max` records. If its header lacks the number, the records are
 * counted, and so they are read twice. */
static int too_many(struct trace *t, uint64_t n_max, bool *many, struct err *e)
{
	bool known;
	uint64_t n = trace_n_records(t, &known);
	const struct trace_record *r;
	size_t some;
	int ret = 0;
	while (!known && n <= n_max && (ret = trace_next_batch(t, &r, &some, e)) == 1)
		n += some;
	*many = n > n_max;
	return ret < 0 ? ret : trace_rewind(t, e);
}

/* Counts the records that load_read() ignores: records of calls that were never issued. Records
 * that are not requests do not count. */
static int count_not_loaded(struct replayable *x, struct trace *t, struct err *e)
{
	const struct trace_record *r;
	uint32_t record = 0;
	int ret = trace_rewind(t, e);
	while (!ret && (ret = trace_next(t, &r, e)) == 1) {
		if (op_info(r->op)->family == FAMILY_CAUSE)
			x->n_requests--;
		else if (r->begin_ns == TIME_NONE)
			count_record(&x->never_issued, record);
		record++;
		ret = 0;
	}
	return ret;
}

static bool is_unknown(const struct load_request *r)
{
	const struct op_info *o = op_info(r->op);
	return !r->skipped && !r->slot && r->rvalue >= 0 && r->name == NONE32 &&
	       (o->uses & OP_HAS_FD) && !(o->uses & OP_HAS_PATH) && o->family != FAMILY_MAP &&
	       (o->family != FAMILY_ASYNC || r->has_fd);
}

static void count_requests(struct replayable *x, const struct load *l)
{
	x->n_requests = l->n_records;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		if (r->skipped)
			count_record(&x->skipped[r->skipped][r->op], r->record);
		else
			x->n_replayed++;
		if (is_unknown(r))
			count_record(&x->unknown[r->op], r->record);
	}
}

int replayable_find(struct replayable *x, struct trace *t, uint64_t n_max, struct err *e)
{
	struct load load = {.n = 0};
	struct slots slots = {.n = 0};
	bool many = false;
	memset(x, 0, sizeof *x);
	err_clear(&x->why);
	if (trace_meta(t)->level == LEVEL_BLOCK) {
		x->state = REPLAYABLE_BLOCK;
		return 0;
	}
	int ret = trace_rewind(t, &x->why);
	ret = ret ? ret : too_many(t, n_max, &many, &x->why);
	x->state = many ? REPLAYABLE_TOO_MANY : REPLAYABLE_KNOWN;
	if (!ret && !many) {
		ret = load_read(&load, t, false, &x->why);
		ret = ret ? ret : slots_find(&slots, &load, t, &x->why);
		if (!ret)
			count_requests(x, &load);
		if (!ret && load.n < load.n_records)
			ret = count_not_loaded(x, t, &x->why);
		slots_release(&slots);
		load_release(&load);
	}
	/* these errors mean that a replay would refuse the trace; other errors come from the
	 * system */
	if (ret == -EINVAL || ret == -E2BIG || ret == -EBADMSG) {
		x->state = REPLAYABLE_REFUSED;
		return 0;
	}
	return ret ? err_set(e, -ret, "%s", x->why.msg) : 0;
}

uint64_t replayable_n_skipped(const struct replayable *x, enum skip_reason reason)
{
	uint64_t n = 0;
	for (int op = 0; op < OP_N; op++)
		n += x->skipped[reason][op].n;
	return n;
}

uint64_t replayable_n_unknown(const struct replayable *x)
{
	uint64_t n = 0;
	for (int op = 0; op < OP_N; op++)
		n += x->unknown[op].n;
	return n;
}
