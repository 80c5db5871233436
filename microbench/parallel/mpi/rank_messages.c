/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/processors.h"
#include "microbench/parallel/mpi/rank.h"

/* each word has its own pair of cache lines, because the CPU fetches lines in pairs */
enum { TAG = 1, WORD_BYTES = 128 };

static void barrier_wait(void *context)
{
	(void)context;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void message_send(void *context, uint32_t to, uint32_t n_bytes)
{
	const struct rank *r = context;
	MPI_Send(r->out, (int)n_bytes, MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD);
}

static void message_receive(void *context, uint32_t from, uint32_t n_bytes)
{
	const struct rank *r = context;
	MPI_Recv(r->in, (int)n_bytes, MPI_BYTE, (int)from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void message_exchange(void *context, uint32_t with, uint32_t n_bytes)
{
	const struct rank *r = context;
	MPI_Sendrecv(r->out, (int)n_bytes, MPI_BYTE, (int)with, TAG, r->in, (int)n_bytes, MPI_BYTE,
		     (int)with, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

struct need {
	uint32_t max_bytes;
	bool words;
};

static struct need need_of(const struct script *s)
{
	struct need need = {1, false};
	for (size_t i = 0; i < s->n; i++) {
		const struct bench_step *step = &s->step[i];
		const bool moves =
		    step->op == STEP_SEND || step->op == STEP_RECEIVE || step->op == STEP_EXCHANGE;
		if (moves && step->value > need.max_bytes)
			need.max_bytes = step->value;
		need.words |= step->op == STEP_RAISE;
	}
	return need;
}

static int words_init(struct rank *r, struct err *e)
{
	unsigned char *base;
	if (!r->one_host)
		return err_set(e, EXDEV,
			       "the ranks of %s share memory: all ranks must be on one host",
			       r->run.workload->name);
	MPI_Win_allocate_shared(WORD_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &r->window);
	r->word = xcalloc((size_t)r->n_ranks, sizeof *r->word);
	for (int i = 0; i < r->n_ranks; i++) {
		MPI_Aint n_bytes;
		int unit;
		MPI_Win_shared_query(r->window, i, &n_bytes, &unit, &base);
		r->word[i] = (_Atomic uint32_t *)(void *)base;
	}
	atomic_store(r->word[r->number], 0);
	return 0;
}

int rank_messages_init(struct rank *r, struct err *e)
{
	const struct need need = need_of(&r->run.worker[r->number].script);
	r->out = xcalloc(need.max_bytes, 1);
	r->in = xcalloc(need.max_bytes, 1);
	int ret = need.words ? words_init(r, e) : 0;
	r->messages = (struct rank_messages){
	    .barrier = barrier_wait, .send = message_send, .receive = message_receive,
	    .exchange = message_exchange, .context = r, .word = r->word,
	    .rank = (uint32_t)r->number, .gives_way = r->n_ranks > processors_allowed(),
	};
	return ret;
}

void rank_messages_release(struct rank *r)
{
	if (r->window != MPI_WIN_NULL)
		MPI_Win_free(&r->window);
	FREE_EACH(r->word, r->out, r->in);
}
