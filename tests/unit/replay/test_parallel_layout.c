/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engine parallel without MPI: which processes share a rank, which channel carries which signals,
 * and which traces are refused. */
#include "tests/unit/capture/causality_sample.h"

#include "replay/load/slots.h"
#include "replay/order/order.h"
#include "replay/engines/parallel/layout.h"
#include "replay/issue/calls.h"
#include "replay/plan/plan.h"
#include "replay/replay.h"

struct made {
	struct trace *t;
	struct load l;
	struct slots s;
	struct replay_plan p;
};

/* Of a trace in the form of made_write(); the test covers `layout_make`. */
static int make(struct made *x, const char *path, bool causes, struct err *e)
{
	struct replay_config c;
	struct edges none = {.edge = NULL};
	replay_config_init(&c);
	c.engine = "parallel";
	c.block.mode = causes ? MODE_CAUSAL : MODE_AFAP;
	c = replay_settled(&c);
	assert_int_equal(c.causes, causes);
	memset(x, 0, sizeof *x);
	must(trace_open(&x->t, path, e), e);
	must(load_read(&x->l, x->t, causes, e), e);
	must(slots_find(&x->s, &x->l, x->t, e), e);
	must(plan_make(&x->p, &c, &x->l, &x->s, &none, e), e);
	return layout_make(&x->p.layout, &x->p, causes, &x->l, &x->s, x->t, e);
}

static void unmake(struct made *x)
{
	call_table_release(&x->p.calls);
	layout_free(x->p.layout);
	plan_release(&x->p);
	slots_release(&x->s);
	load_release(&x->l);
	trace_close(x->t);
}

static struct made made_of(uint32_t n_nodes, const char *text)
{
	struct err e = ERR_INIT;
	struct made x;
	made_write(SCRATCH("parallel"), n_nodes, 0, text);
	must(make(&x, SCRATCH("parallel"), true, &e), &e);
	return x;
}

static void refused(uint32_t n_nodes, const char *text, const char *because)
{
	struct err e = ERR_INIT;
	struct made x;
	made_write(SCRATCH("parallel"), n_nodes, 0, text);
	if (make(&x, SCRATCH("parallel"), true, &e) >= 0)
		fail_msg("not refused: %s", text);
	if (!strstr(e.msg, because))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, because);
	unmake(&x);
}

static const struct channel *channel_of(const struct made *x, uint32_t lane, uint32_t k)
{
	const struct layout_rank *r = &x->p.layout->rank[x->p.layout->rank_of_lane[lane]];
	const struct hot_request *h = &x->p.lane[lane].request[k];
	assert_true(h->op == OP_SIGNAL || h->op == OP_WAIT);
	assert_true(h->length < r->n_channels);
	return &r->channel[h->length];
}

static void a_rank_for_each_process(void **state)
{
	(void)state;
	struct made x = made_of(3, "0 w 10 5, 1 w 20 5, 2 w 30 5");
	assert_int_equal(layout_n_ranks(x.p.layout), 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(x.p.layout->rank[i].n_lanes, 1);
		assert_int_equal(x.p.layout->rank[i].lane[0], i);
		assert_int_equal(x.p.layout->rank[i].pid, 100 + i);
		assert_int_equal(x.p.layout->rank[i].n_channels, 0);
	}
	unmake(&x);
}

/* Both sides have a channel for it, with the number of the other side and the same tag. */
static void a_signal_and_its_wait_meet(void **state)
{
	(void)state;
	struct made x = made_of(
	    2, "0 w 10 5, 0 s 1, 0 s 1, 1 W 0, 1 w 40 5, 1 W 0, 1 s 0, 1 w 60 5, 0 W 1, 0 w 80 5");
	const struct channel *out = channel_of(&x, 0, 1), *in = channel_of(&x, 1, 0),
			     *back = channel_of(&x, 1, 3), *end = channel_of(&x, 0, 3);
	assert_ptr_equal(out, channel_of(&x, 0, 2));
	assert_ptr_equal(in, channel_of(&x, 1, 2));
	assert_int_equal(out->kind, CHANNEL_OUT);
	assert_int_equal(in->kind, CHANNEL_IN);
	assert_int_equal(out->peer, 1);
	assert_int_equal(in->peer, 0);
	assert_int_equal(out->tag, in->tag);
	assert_int_equal(out->n, 2);
	assert_int_equal(in->n, 2);
	assert_int_equal(back->kind, CHANNEL_OUT);
	assert_int_equal(end->kind, CHANNEL_IN);
	assert_int_equal(back->n, 1);
	assert_int_equal(x.p.layout->n_signals, 3);
	assert_int_equal(x.p.layout->n_waits, 3);
	unmake(&x);
}

static const struct channel *listed(const struct made *x, uint32_t lane, uint32_t k, uint32_t i,
				    uint32_t n)
{
	const struct layout_rank *r = &x->p.layout->rank[x->p.layout->rank_of_lane[lane]];
	const uint32_t number = x->p.lane[lane].request[k].length;
	assert_true(number & CHANNEL_LIST);
	assert_true((number & ~CHANNEL_LIST) < r->n_lists);
	const struct channel_list *l = &r->list[number & ~CHANNEL_LIST];
	assert_int_equal(l->n, n);
	return &r->channel[r->listed[l->first + i]];
}

/* Two barriers of the same nodes share their channels. Node 2 only signals at the third one. */
static void a_barrier_has_a_channel_for_each_pair(void **state)
{
	(void)state;
	struct made x = made_of(3, "0 w 10 5, 0 S 1, 0 V 1, 0 S 2, 0 V 2, 1 w 20 5, 1 S 1, 1 V 1, "
				   "1 S 2, 1 V 2, 2 w 30 5, 2 S 1, 2 V 1, 2 S 2, 2 V 2, 0 w 50 5, "
				   "2 S 3, 0 V 3");
	for (uint32_t lane = 0; lane < 3; lane++)
		for (uint32_t i = 0; i < 2; i++) {
			const struct channel *out = listed(&x, lane, 1, i, 2),
					     *in = listed(&x, lane, 2, i, 2);
			assert_int_equal(out->kind, CHANNEL_OUT);
			assert_int_equal(in->kind, CHANNEL_IN);
			assert_int_equal(out->n, 2);
			assert_int_equal(in->n, 2);
			assert_int_equal(out->peer, (lane == 0) + (i && 1) + (i && lane == 1));
			assert_ptr_equal(out, listed(&x, lane, 3, i, 2));
			assert_ptr_equal(in, listed(&x, lane, 4, i, 2));
		}
	assert_int_equal(listed(&x, 2, 5, 0, 1)->kind, CHANNEL_OUT);
	assert_int_equal(listed(&x, 0, 6, 0, 1)->peer, 2);
	assert_int_equal(x.p.layout->rank[0].n_channels, 5);
	unmake(&x);
	refused(2, "0 w 10 5, 0 S 1, 1 w 20 5, 1 S 1", "no node has a wait");
	refused(2, "0 w 10 5, 0 V 1, 1 w 20 5, 1 V 1", "no node has a signal");
	refused(2, "0 V 1, 0 w 10 5, 0 S 1, 1 V 1, 1 w 20 5, 1 S 1", "barrier 1");
}

enum { MANY = 20 };

/* Two barriers of MANY nodes; the first node does `between` after each signal. */
static struct made many_barriers(const char *between)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	for (int i = 0; i < MANY; i++)
		for (int b = 1; b <= 2; b++)
			strbuf_addf(&text, "%d w %d 5, %d S %d, %s%d V %d, ", i, 10000 * b + 10 * i, i, b,
				    i ? "" : between, i, b);
	return made_of(MANY, text.s);
}

/* Does what the list of request k says until it waits in vain. sent[from][to]: the nodes whose
 * arrival is known from the message on its way; 0: none. */
static bool list_done(const struct made *x, uint32_t lane, uint32_t k, uint32_t *at, uint32_t *known,
		      uint32_t sent[MANY][MANY])
{
	const struct layout_rank *r = &x->p.layout->rank[lane];
	const struct channel_list *l = &r->list[x->p.lane[lane].request[k].length & ~CHANNEL_LIST];
	for (; *at < l->n; ++*at) {
		const uint32_t number = r->listed[l->first + *at];
		const struct channel *c = &r->channel[number & ~CHANNEL_SENDS];
		const bool sends = x->p.lane[lane].request[k].op == OP_SIGNAL || number & CHANNEL_SENDS;
		assert_int_equal(c->kind, sends ? CHANNEL_OUT : CHANNEL_IN);
		if (sends) {
			assert_int_equal(sent[lane][c->peer], 0);
			sent[lane][c->peer] = *known;
		} else if (!sent[c->peer][lane]) {
			return false;
		} else {
			*known |= sent[c->peer][lane];
			sent[c->peer][lane] = 0;
		}
	}
	*at = 0;
	return true;
}

/* The number of channels of a node does not grow with the number of nodes, and each node continues
 * after all have arrived. */
static void a_large_barrier_has_channels_for_its_rounds(void **state)
{
	(void)state;
	struct made x = many_barriers("");
	uint32_t known[MANY], at[MANY] = {0}, k[MANY], sent[MANY][MANY] = {{0}}, n_done = 0;
	for (uint32_t i = 0; i < MANY; i++) {
		known[i] = UINT32_C(1) << i;
		k[i] = 1;
		assert_int_equal(x.p.layout->rank[i].n_channels, 2 * 5);
		assert_int_equal(x.p.layout->rank[i].n_listed, 1 + 9);
	}
	for (uint32_t turn = 0; turn < 100; turn++)
		for (uint32_t i = 0; i < MANY; i++)
			if (k[i] < 3 && list_done(&x, i, k[i], &at[i], &known[i], sent))
				n_done += ++k[i] == 3;
	assert_int_equal(n_done, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(known[i], (UINT32_C(1) << MANY) - 1);
	unmake(&x);
	/* a node that computes before it waits cannot pass on */
	x = many_barriers("0 c 50000, ");
	assert_int_equal(x.p.layout->rank[3].n_channels, 2 * (MANY - 1));
	unmake(&x);
}

static void computing_has_its_length_and_no_result(void **state)
{
	(void)state;
	struct made x = made_of(1, "0 c 5000000000, 0 w 10 5");
	assert_int_equal(x.p.lane[0].n, 2);
	assert_int_equal(x.p.lane[0].request[0].op, OP_COMPUTE);
	assert_true(x.p.lane[0].request[0].offset == 5000000000u);
	assert_int_equal(x.p.lane[0].expected[0], 0);
	unmake(&x);
}

static void other_modes_leave_out_what_is_no_request(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct made x;
	made_write(SCRATCH("parallel"), 2, 0, "0 w 10 5, 0 c 700, 0 s 1, 1 W 0, 1 w 40 5");
	must(make(&x, SCRATCH("parallel"), false, &e), &e);
	assert_int_equal(x.p.n, 2);
	assert_int_equal(x.l.n_causes, 3);
	assert_int_equal(x.p.calls.n_skipped[SKIP_CAUSE], 3);
	assert_int_equal(layout_n_ranks(x.p.layout), 2);
	unmake(&x);
}

/* Nodes of one rank of the job are threads of one rank, although they were processes; no messages
 * are sent between them. */
static void processes_of_one_job_rank_are_one_rank(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct causality_node node[] = {
	    {0, 100, 100, 0, NULL}, {1, 101, 101, 1, NULL}, {2, 102, 102, 0, NULL}};
	const struct causality_facts f = {.n_nodes = 3, .node = node, .period = 1};
	char *text = causality_facts_text(&f, NULL);
	const struct trace_meta meta = {.level = LEVEL_SYSCALL, .extra_json = text};
	struct trace_record r[] = {made_record(100, OP_SIGNAL, 10, 10, 2),
				   made_record(102, OP_WAIT, 20, 20, 0),
				   made_record(101, OP_COMPUTE, 30, 40, 10)};
	must(trace_writer_open(&w, SCRATCH("parallel"), &meta, &(struct trace_write_options){.no_sync = true}, &e), &e);
	must(trace_writer_append(w, r, 3, &e), &e);
	must(trace_writer_close(w, &e), &e);
	free(text);
	struct made x;
	must(make(&x, SCRATCH("parallel"), true, &e), &e);
	assert_int_equal(layout_n_ranks(x.p.layout), 2);
	assert_int_equal(x.p.layout->rank[0].n_lanes, 2);
	assert_int_equal(x.p.layout->rank_of_lane[2], 0);
	assert_int_equal(x.p.layout->rank[0].n_inside, 1);
	assert_int_equal(x.p.layout->rank[0].n_channels, 1);
	assert_ptr_equal(channel_of(&x, 0, 0), channel_of(&x, 2, 0));
	assert_int_equal(channel_of(&x, 0, 0)->kind, CHANNEL_INSIDE);
	unmake(&x);
}

static void traces_that_cannot_end_are_refused(void **state)
{
	(void)state;
	refused(2, "0 w 10 5, 1 W 0, 1 w 40 5", "node");
	refused(2, "0 w 10 5, 0 s 1, 1 w 40 5", "node");
	refused(2, "0 W 1, 0 w 10 5, 0 s 1, 1 W 0, 1 w 40 5, 1 s 0", "node");
	refused(2, "0 w 10 5, 0 s 7, 1 w 20 5", "7");
	refused(2, "0 w 10 5, 0 s 0, 0 W 0, 1 w 20 5", "node 0");
	refused(1, "0 c 9223372036854775807, 0 w 10 5", "computes");
}

static void options_that_mean_nothing_here_are_refused(void **state)
{
	(void)state;
	struct replay_config c;
	struct err e = ERR_INIT;
	replay_config_init(&c);
	c.engine = "parallel";
	assert_int_equal(replay_check(&c, &e), 0);
	c.mutant = "delay:1ms";
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	c.mutant = NULL;
	c.parallel.launcher = "mpirun \"open";
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "launcher"));
	c.parallel.launcher = NULL;
	c.block.mode = MODE_DEP;
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	c.block.mode = MODE_THINK_LIMITED;
	c.speed = 2;
	assert_int_equal(replay_check(&c, &e), 0);
	c.block.mode = MODE_CAUSAL;
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	c.speed = 1;
	c.engine = "event";
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	c.block.mode = MODE_HF;
	c.parallel.compute = COMPUTE_SLEEP;
	assert_int_equal(replay_check(&c, &e), -EINVAL);
}

static int clean(void **state)
{
	(void)state;
	unlink(SCRATCH("parallel"));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_rank_for_each_process),
	    cmocka_unit_test(a_signal_and_its_wait_meet),
	    cmocka_unit_test(a_barrier_has_a_channel_for_each_pair),
	    cmocka_unit_test(a_large_barrier_has_channels_for_its_rounds),
	    cmocka_unit_test(computing_has_its_length_and_no_result),
	    cmocka_unit_test(other_modes_leave_out_what_is_no_request),
	    cmocka_unit_test(processes_of_one_job_rank_are_one_rank),
	    cmocka_unit_test(traces_that_cannot_end_are_refused),
	    cmocka_unit_test(options_that_mean_nothing_here_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, clean);
}
