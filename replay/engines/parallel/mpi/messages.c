/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/parallel/mpi/messages.h"

#include <sched.h>
#include <time.h>

#include "common/clock.h"

#define SPIN_NS 5000 /* of gates, before sleeping */
#define YIELDS 200u  /* of nodes that are not ranks, before they sleep between polls */
#define NAP_NS 50000

static void lock_take(struct messages *m)
{
	if (m->locks)
		pthread_mutex_lock(&m->one_at_a_time);
}

static void lock_release(struct messages *m)
{
	if (m->locks)
		pthread_mutex_unlock(&m->one_at_a_time);
}

/* --- setup --------------------------------------------------------------- */

static void receive_post(struct messages *m, uint32_t i)
{
	const struct channel *c = &m->rank->channel[i];
	MPI_Irecv(NULL, 0, MPI_BYTE, (int)c->peer, (int)c->tag, m->comm, &m->line[i].request);
}

/* Sends a message over each channel, in addition to its signals, to set up the connections. */
static void connect_all(struct messages *m)
{
	const struct replay_rank *r = m->rank;
	for (uint32_t i = 0; i < r->n_channels; i++) {
		m->line[i].request = MPI_REQUEST_NULL;
		if (r->channel[i].kind == CHANNEL_IN)
			receive_post(m, i);
	}
	for (uint32_t i = 0; i < r->n_channels; i++)
		if (r->channel[i].kind == CHANNEL_OUT)
			MPI_Isend(NULL, 0, MPI_BYTE, (int)r->channel[i].peer,
				  (int)r->channel[i].tag, m->comm, &m->line[i].request);
	for (uint32_t i = 0; i < r->n_channels; i++)
		MPI_Wait(&m->line[i].request, MPI_STATUS_IGNORE);
	for (uint32_t i = 0; i < r->n_channels; i++)
		if (r->channel[i].kind == CHANNEL_IN && r->channel[i].n)
			receive_post(m, i);
	MPI_Barrier(m->comm);
}

int messages_open(struct messages *m, struct replay_rank *r, struct err *e)
{
	const struct clock *clock = &r->plan.clock;
	*m = (struct messages){.rank = r, .locks = !r->multiple && r->plan.n_workers > 1};
	pthread_mutex_init(&m->one_at_a_time, NULL);
	m->line = xaligned(_Alignof(struct channel_line), r->n_channels + 1, sizeof *m->line);
	int ret = gates_init(&m->gates, r->n_inside, clock,
			     (uint64_t)(SPIN_NS / clock->ns_per_tick), r->crowded, false, e);
	if (ret)
		return ret;
	MPI_Comm_dup(MPI_COMM_WORLD, &m->comm);
	connect_all(m);
	return 0;
}

void messages_close(struct messages *m)
{
	MPI_Comm_free(&m->comm);
	vm_free(&m->gates.memory);
	pthread_mutex_destroy(&m->one_at_a_time);
	free(m->line);
}

/* --- signals and waits --------------------------------------------------- */

static bool is_over(struct messages *m, struct channel_line *l)
{
	int done;
	lock_take(m);
	MPI_Test(&l->request, &done, MPI_STATUS_IGNORE);
	lock_release(m);
	return done;
}

/* Waits for a message. Ranks of an MPI job that have a CPU each poll, as the traced ranks did.
 * Other nodes slept in the trace. They yield for a short time, and then sleep between polls: other
 * nodes and a server of the storage on this machine get their CPU. */
static void wait_for(struct messages *m, struct channel_line *l)
{
	const bool sleeps = !m->rank->terms->of_mpi, yields = m->rank->crowded || sleeps;
	const struct timespec nap = {0, NAP_NS};
	for (uint32_t n = 0; !is_over(m, l); n++) {
		if (sleeps && n >= YIELDS)
			nanosleep(&nap, NULL);
		else if (yields)
			sched_yield();
		else
			cpu_relax();
	}
}

static void signal_one(struct messages *m, uint32_t channel)
{
	const struct channel *c = &m->rank->channel[channel];
	struct channel_line *l = &m->line[channel];
	l->n_done++;
	if (c->kind == CHANNEL_INSIDE) {
		gate_publish(&m->gates, c->tag, l->n_done);
		return;
	}
	/* The send may still be in progress when this function returns. The next message over the
	 * same channel waits for it, so that at most one is pending. */
	if (l->request != MPI_REQUEST_NULL)
		wait_for(m, l);
	lock_take(m);
	MPI_Isend(NULL, 0, MPI_BYTE, (int)c->peer, (int)c->tag, m->comm, &l->request);
	lock_release(m);
	(void)is_over(m, l);
}

static void wait_one(struct messages *m, uint32_t channel)
{
	const struct channel *c = &m->rank->channel[channel];
	struct channel_line *l = &m->line[channel];
	if (c->kind == CHANNEL_INSIDE) {
		gate_wait(&m->gates, &l->waiter, c->tag, ++l->n_waited);
		return;
	}
	wait_for(m, l);
	if (++l->n_done < c->n) {
		lock_take(m);
		receive_post(m, channel);
		lock_release(m);
	}
}

static void listed_do(struct messages *m, uint32_t listed,
		      void (*one)(struct messages *, uint32_t))
{
	if (listed & CHANNEL_SENDS)
		signal_one(m, listed & ~CHANNEL_SENDS);
	else
		one(m, listed);
}

static void channels_each(struct messages *m, uint32_t channel,
			  void (*one)(struct messages *, uint32_t))
{
	if (!(channel & CHANNEL_LIST)) {
		one(m, channel);
		return;
	}
	const struct channel_list *l = &m->rank->list[channel & ~CHANNEL_LIST];
	for (uint32_t i = 0; i < l->n; i++)
		listed_do(m, m->rank->listed[l->first + i], one);
}

void message_signal(struct messages *m, uint32_t channel)
{
	channels_each(m, channel, signal_one);
}

void message_wait(struct messages *m, uint32_t channel)
{
	channels_each(m, channel, wait_one);
}
