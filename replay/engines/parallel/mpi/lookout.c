/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/parallel/mpi/lookout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/strbuf.h"
#include "common/units.h"
#include "common/xalloc.h"

enum { TAG_BEAT = 1, BEATS_PER_PATIENCE = 10 };
#define PAUSE_MAX_NS 1000000000
#define PAUSE_MIN_NS 10000000

static void listen_to(struct lookout *l, struct peer *p)
{
	MPI_Irecv(&p->received, 1, MPI_UINT32_T, p->number, TAG_BEAT, l->comm, &p->in);
}

/* What a peer has not taken yet is not followed by more. */
static void beat(struct lookout *l, struct peer *p, int64_t now)
{
	static const uint32_t alive = 1;
	int done;
	while (MPI_Test(&p->in, &done, MPI_STATUS_IGNORE), done) {
		p->heard_ns = now;
		listen_to(l, p);
	}
	if (MPI_Test(&p->out, &done, MPI_STATUS_IGNORE), done)
		MPI_Isend(&alive, 1, MPI_UINT32_T, p->number, TAG_BEAT, l->comm, &p->out);
}

_Noreturn static void lost(const struct lookout *l, const struct peer *p)
{
	struct strbuf patience = STRBUF_INIT;
	struct err e = ERR_INIT;
	format_duration(&patience, (p->number ? 1 : 2) * (double)l->patience_ns);
	err_set(&e, ETIMEDOUT,
		"rank %d (host %s) was not heard of for %s: it was stopped, or its host cannot be "
		"reached any more (--watchdog)",
		p->number, p->host, patience.s);
	rank_fail(l->rank, &e);
}

static void *look_out(void *lookout)
{
	struct lookout *l = lookout;
	int64_t before = clock_monotonic_ns();
	while (!atomic_load(&l->ends)) {
		const int64_t now = clock_monotonic_ns();
		/* who did not run himself cannot tell of others */
		const bool slept = now - before > l->patience_ns / 2;
		for (int i = 0; i < l->n_peers; i++) {
			struct peer *p = &l->peer[i];
			beat(l, p, now);
			if (slept)
				p->heard_ns = now;
			/* rank 0 says first who it was */
			if (now - p->heard_ns > (p->number ? 1 : 2) * l->patience_ns)
				lost(l, p);
		}
		before = now;
		nanosleep(&(struct timespec){.tv_sec = l->pause_ns / 1000000000, .tv_nsec = l->pause_ns % 1000000000}, NULL);
	}
	return NULL;
}

static void peers_find(struct lookout *l)
{
	const struct rank *r = l->rank;
	char(*host)[sizeof r->host] = xcalloc((size_t)r->n, sizeof *host);
	MPI_Allgather(r->host, sizeof r->host, MPI_CHAR, host, sizeof r->host, MPI_CHAR, l->comm);
	l->peer = xcalloc((size_t)r->n, sizeof *l->peer);
	for (int i = 0; i < r->n; i++) {
		if (i == r->number || (i && r->number))
			continue;
		struct peer *p = &l->peer[l->n_peers++];
		*p = (struct peer){.number = i, .in = MPI_REQUEST_NULL, .out = MPI_REQUEST_NULL, .heard_ns = clock_monotonic_ns()};
		memcpy(p->host, host[i], sizeof p->host);
		listen_to(l, p);
	}
	free(host);
}

int lookout_open(struct lookout *l, const struct rank *r, int64_t patience_ns, struct err *e)
{
	*l = (struct lookout){.rank = r, .comm = MPI_COMM_NULL};
	if (patience_ns <= 0 || r->n < 2 || !r->multiple)
		return 0;
	l->patience_ns = patience_ns;
	l->pause_ns = patience_ns / BEATS_PER_PATIENCE;
	l->pause_ns = l->pause_ns > PAUSE_MAX_NS   ? PAUSE_MAX_NS
		      : l->pause_ns < PAUSE_MIN_NS ? PAUSE_MIN_NS
						   : l->pause_ns;
	MPI_Comm_dup(MPI_COMM_WORLD, &l->comm);
	peers_find(l);
	int code = pthread_create(&l->thread, NULL, look_out, l);
	return code ? err_sys(e, code, "starting a thread that looks out for the other ranks") : 0;
}

/* The others' last beats may not have come, and ours not been taken: the requests are given up, and
 * the communicator with them. */
void lookout_close(struct lookout *l)
{
	if (!l->patience_ns)
		return;
	atomic_store(&l->ends, true);
	pthread_join(l->thread, NULL);
	for (int i = 0; i < l->n_peers; i++) {
		MPI_Cancel(&l->peer[i].in);
		MPI_Request_free(&l->peer[i].in);
		if (l->peer[i].out != MPI_REQUEST_NULL)
			MPI_Request_free(&l->peer[i].out);
	}
	free(l->peer);
}
