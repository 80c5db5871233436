/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/prctl.h>

#include "common/clock.h"
#include "common/processors.h"
#include "common/units.h"
#include "replay/engines/parallel/mpi/messages.h"
#include "replay/engines/parallel/mpi/rank.h"
#include "replay/issue/crew.h"
#include "replay/issue/loops.h"

/* --- neighbours ---------------------------------------------------------- */

struct neighbour {
	char boot[BUNDLE_BOOT], host[128], clock[64];
	uint32_t n_threads;
	cpu_set_t cpus;
};

/* Finds out whether all threads on this machine can run at the same time, and which ranks share the
 * head's clock. Hosts with the same boot id are one machine (namespaces, containers), but a time
 * namespace has a separate CLOCK_MONOTONIC. Collective. */
static void neighbours_find(struct replay_rank *r)
{
	struct neighbour own;
	SCOPED_FREE struct neighbour *all = xcalloc((size_t)r->n, sizeof *all);
	memset(&own, 0, sizeof own);
	memcpy(own.boot, *r->boot ? r->boot : r->host, sizeof own.boot);
	memcpy(own.host, r->host, sizeof own.host);
	/* fails on a kernel without time namespaces, which has one CLOCK_MONOTONIC */
	(void)!readlink("/proc/self/ns/time", own.clock, sizeof own.clock - 1);
	own.n_threads = r->plan.n_workers;
	if (sched_getaffinity(0, sizeof own.cpus, &own.cpus) < 0)
		for (int i = 0; i < processors_allowed(); i++)
			CPU_SET(i, &own.cpus);
	MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE,
		      MPI_COMM_WORLD);
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	uint32_t n_threads = 0;
	for (int i = 0; i < r->n; i++) {
		if (memcmp(all[i].boot, own.boot, sizeof own.boot))
			continue;
		n_threads += all[i].n_threads;
		CPU_OR(&cpus, &cpus, &all[i].cpus);
	}
	r->shares_clock = xcalloc((size_t)r->n, sizeof *r->shares_clock);
	for (int i = 0; i < r->n; i++)
		r->shares_clock[i] =
		    i == r->head ||
		    (*r->boot && !memcmp(all[i].boot, all[r->head].boot, sizeof own.boot) &&
		     !memcmp(all[i].host, all[r->head].host, sizeof own.host) &&
		     !strcmp(all[i].clock, all[r->head].clock));
	r->crowded = n_threads > (uint32_t)CPU_COUNT(&cpus) ||
		     own.n_threads > (uint32_t)CPU_COUNT(&own.cpus);
}

/* --- computing ----------------------------------------------------------- */

struct nodes { /* crew.shared */
	struct replay_rank *rank;
	struct messages messages;
};

/* CPU time is not measured for shorter times: preemption is rare, and reading the CPU time is a
 * system call. */
#define CPU_TIME_MIN_NS 20000

static int64_t processor_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void time_spin(const struct clock *c, int64_t ns)
{
	const uint64_t until = clock_now(c) + (uint64_t)((double)ns / c->ns_per_tick);
	while (clock_now(c) < until)
		;
}

static void compute_on_processor(const struct clock *c, int64_t ns)
{
	const int64_t until_ns = processor_ns() + ns;
	for (int64_t left_ns = ns; left_ns > 0; left_ns = until_ns - processor_ns())
		time_spin(c, left_ns);
}

struct computing {
	bool sleeps, on_processor;
};

/* Waits or computes for the traced time. Sleeping, and waiting for something that is not a node,
 * take elapsed time and use no CPU. */
static void compute_replay(struct runner *w, const struct computing *how, uint32_t kind, int64_t ns)
{
	const struct clock *c = &w->crew->plan->clock;
	if (how->sleeps || kind != COMPUTE_BUSY)
		wait_until(&w->waiter, clock_now(c) + (uint64_t)((double)ns / c->ns_per_tick));
	else if (how->on_processor && ns >= CPU_TIME_MIN_NS)
		compute_on_processor(c, ns);
	else
		time_spin(c, ns);
}

/* --- loops --------------------------------------------------------------- */

static void lane_causal(struct runner *w)
{
	struct nodes *n = w->crew->shared;
	const struct site site = site_of(w);
	const struct clock *clock = &site.clock;
	const struct parallel_options *o = &n->rank->terms->sent.config.parallel;
	const bool automatic = n->rank->crowded || n->rank->terms->cpu_time;
	const struct computing how =
	    (struct computing){o->compute == COMPUTE_SLEEP,
			       o->clock == COMPUTE_CPU || (o->clock == COMPUTE_AUTO && automatic)};
	struct lane_walk t = lane_walk_of(w);
	for (uint32_t k = 0; k < t.lane.n; k++) {
		const struct hot_request *h = &t.lane.request[k];
		if (LIKELY(h->op != OP_COMPUTE && h->op != OP_SIGNAL && h->op != OP_WAIT)) {
			lane_step(w, &site, &t, h, k, false, TIMING_FULLSPEED, ISSUE_ANY);
			continue;
		}
		const uint64_t begin = clock_begin(clock);
		if (h->op == OP_COMPUTE)
			compute_replay(w, &how, h->length, (int64_t)h->offset);
		else if (h->op == OP_SIGNAL)
			message_signal(&n->messages, h->length);
		else
			message_wait(&n->messages, h->length);
		outcome_set(&t.lane.outcome[k], begin, clock_end(clock), 0);
	}
	lane_leave(w);
}

static void lane_fullspeed(struct runner *w)
{
	lane_run(w, false, TIMING_FULLSPEED, ISSUE_ANY);
}

static void lane_timestamp(struct runner *w)
{
	lane_run(w, false, TIMING_TIMESTAMP, ISSUE_ANY);
}

static void lane_think(struct runner *w)
{
	lane_run(w, false, TIMING_THINK, ISSUE_ANY);
}

static void (*nodes_loop(const struct bundle_terms *t))(struct runner *)
{
	if (t->causal)
		return lane_causal;
	if (t->sent.config.timing == TIMING_FULLSPEED)
		return lane_fullspeed;
	return t->sent.config.timing == TIMING_TIMESTAMP ? lane_timestamp : lane_think;
}

/* --- heartbeats ----------------------------------------------------------
 * They detect ranks that were stopped or whose host cannot be reached: a rank that waits for such a
 * rank would wait for ever. Rank 0 and each other rank exchange heartbeats in a separate thread. If
 * no heartbeat of a rank arrives for the time of --watchdog, the job ends and the message names the
 * rank. */

struct peer { /* rank 0 has all other ranks as peers; another rank has rank 0 */
	int number;
	char host[128];
	MPI_Request in, out;
	uint32_t received;
	int64_t heard_ns;
};

struct heartbeats {
	const struct replay_rank *rank;
	struct peer *peer; /* peer[n_peers] */
	int n_peers;
	/* time without a heartbeat after which a peer is lost; 0: no heartbeats, because they were
	 * not requested, because there is only one rank, or because MPI permits only one thread to
	 * call it */
	int64_t timeout_ns;
	int64_t pause_ns;    /* between beats */
	MPI_Comm comm;
	pthread_t thread;
	sem_t ends; /* posted: the thread ends without waiting for its next beat */
};

enum { TAG_BEAT = 1, BEATS_PER_TIMEOUT = 10 };
#define PAUSE_MAX_NS 1000000000
#define PAUSE_MIN_NS 10000000

static void listen_to(struct heartbeats *l, struct peer *p)
{
	MPI_Irecv(&p->received, 1, MPI_UINT32_T, p->number, TAG_BEAT, l->comm, &p->in);
}

_Noreturn static void peer_lost(const struct heartbeats *l, const struct peer *p)
{
	struct strbuf patience = STRBUF_INIT;
	struct err e = ERR_INIT;
	format_duration(&patience, (p->number ? 1 : 2) * (double)l->timeout_ns);
	err_set(&e, ETIMEDOUT,
		"rank %d (host %s) sent no heartbeat for %s (--watchdog sets this time): a "
		"signal suspended its process, or its host cannot be reached",
		p->number, p->host, patience.s);
	rank_fail(l->rank, &e);
}

static void *heartbeats_run(void *heartbeats)
{
	struct heartbeats *l = heartbeats;
	int64_t before = clock_monotonic_ns();
	struct timespec next;
	do {
		const int64_t now = clock_monotonic_ns();
		/* missing heartbeats prove nothing if this thread itself did not run */
		const bool slept = now - before > l->timeout_ns / 2;
		for (int i = 0; i < l->n_peers; i++) {
			struct peer *p = &l->peer[i];
			/* at most one heartbeat per peer is pending */
			static const uint32_t alive = 1;
			int done;
			while (MPI_Test(&p->in, &done, MPI_STATUS_IGNORE), done) {
				p->heard_ns = now;
				listen_to(l, p);
			}
			if (MPI_Test(&p->out, &done, MPI_STATUS_IGNORE), done)
				MPI_Isend(&alive, 1, MPI_UINT32_T, p->number, TAG_BEAT, l->comm,
					  &p->out);
			if (slept)
				p->heard_ns = now;
			/* rank 0 waits for a shorter time than the other ranks, so that it reports
			 * first */
			if (now - p->heard_ns > (p->number ? 1 : 2) * l->timeout_ns)
				peer_lost(l, p);
		}
		before = now;
		const int64_t next_ns = clock_monotonic_ns() + l->pause_ns;
		next = (struct timespec){.tv_sec = next_ns / 1000000000,
					 .tv_nsec = next_ns % 1000000000};
	} while (sem_clockwait(&l->ends, CLOCK_MONOTONIC, &next));
	return NULL;
}

static void peers_find(struct heartbeats *l)
{
	const struct replay_rank *r = l->rank;
	SCOPED_FREE char(*host)[sizeof r->host] = xcalloc((size_t)r->n, sizeof *host);
	MPI_Allgather(r->host, sizeof r->host, MPI_CHAR, host, sizeof r->host, MPI_CHAR, l->comm);
	l->peer = xcalloc((size_t)r->n, sizeof *l->peer);
	for (int i = 0; i < r->n; i++) {
		if (i == r->number || (i && r->number))
			continue;
		struct peer *p = &l->peer[l->n_peers++];
		*p = (struct peer){.number = i,
				   .in = MPI_REQUEST_NULL,
				   .out = MPI_REQUEST_NULL,
				   .heard_ns = clock_monotonic_ns()};
		memcpy(p->host, host[i], sizeof p->host);
		listen_to(l, p);
	}
}

/* Starts the thread that sends and checks heartbeats. Collective. Errors: of starting a thread.
 * Ownership: heartbeats_close, after a barrier of all ranks. */
static int heartbeats_open(struct heartbeats *l, const struct replay_rank *r, int64_t timeout_ns,
			struct err *e)
{
	*l = (struct heartbeats){.rank = r, .comm = MPI_COMM_NULL};
	if (timeout_ns <= 0 || r->n < 2 || !r->multiple)
		return 0;
	l->timeout_ns = timeout_ns;
	l->pause_ns = timeout_ns / BEATS_PER_TIMEOUT;
	l->pause_ns = l->pause_ns > PAUSE_MAX_NS   ? PAUSE_MAX_NS
		      : l->pause_ns < PAUSE_MIN_NS ? PAUSE_MIN_NS
						   : l->pause_ns;
	MPI_Comm_dup(MPI_COMM_WORLD, &l->comm);
	peers_find(l);
	sem_init(&l->ends, 0, 0);
	int code = pthread_create(&l->thread, NULL, heartbeats_run, l);
	return code ? err_sys(e, code, "cannot start the thread that exchanges heartbeats") : 0;
}

/* Ends the thread. Some last heartbeats may be pending in either direction: their requests are
 * abandoned, together with the communicator. */
static void heartbeats_close(struct heartbeats *l)
{
	if (!l->timeout_ns)
		return;
	sem_post(&l->ends);
	pthread_join(l->thread, NULL);
	sem_destroy(&l->ends);
	for (int i = 0; i < l->n_peers; i++) {
		MPI_Cancel(&l->peer[i].in);
		MPI_Request_free(&l->peer[i].in);
		if (l->peer[i].out != MPI_REQUEST_NULL)
			MPI_Request_free(&l->peer[i].out);
	}
	free(l->peer);
}

/* --- the run ------------------------------------------------------------- */

#define LOOK_NS 500000
#define ABORT_S 3 /* longest time that MPI_Abort gets if ranks cannot be reached */
/* Time from the head's message to the common start. The message must have reached every rank by
 * then. */
#define LEAD_NS 20000000
#define LEAD_PER_RANK_NS 200000

_Noreturn void rank_fail(const struct replay_rank *r, const struct err *e)
{
	struct strbuf line = STRBUF_INIT;
	strbuf_addf(&line, "\n" BUNDLE_MARK "rank %d of %d (host %s): %s\n", r->number, r->n,
		    r->host, e->msg);
	(void)!write(STDERR_FILENO, line.s, line.len);
	/* create a file in the scratch directory, if this host sees it: so the engine learns that
	 * the job is over, even if the launcher cannot end the job */
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s/" BUNDLE_ENDED, r->scratch);
	(void)!open(path.s, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	signal(SIGALRM, SIG_DFL);
	alarm(ABORT_S);
	MPI_Abort(MPI_COMM_WORLD, 3);
	_exit(3);
}

/* A barrier of all ranks. With `polls` a rank polls for the other ranks, and yields the CPU where
 * ranks share CPUs. Otherwise waiting uses no CPU. */
static void rank_meet(const struct replay_rank *r, bool polls)
{
	MPI_Request request;
	int done = 0;
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done) {
		if (!polls)
			nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
		else if (r->crowded)
			sched_yield();
		else
			cpu_relax();
	}
}

/* Waits until all threads of all ranks are ready. Then the head sets the time of the start. */
static int ranks_meet(struct crew *c, struct err *e)
{
	const struct nodes *n = c->shared;
	struct replay_rank *r = n->rank;
	struct replay_plan *p = c->plan;
	rank_meet(r, false);
	if (r->number == r->head)
		r->start_ns = clock_ns_of_ticks(&p->clock, clock_now(&p->clock)) + LEAD_NS +
			      LEAD_PER_RANK_NS * r->n;
	MPI_Bcast(&r->start_ns, 1, MPI_INT64_T, r->head, MPI_COMM_WORLD);
	const struct clock_offset *o = &r->before;
	const int64_t offset_ns = clock_ns_of_ticks(&p->clock, o->ticks) - o->head_ns;
	p->start_ticks = clock_ticks_of_ns(&p->clock, r->start_ns + offset_ns);
	(void)e;
	return 0;
}

static int rank_replay(struct replay_rank *r, struct err *e)
{
	struct nodes n = {.rank = r};
	struct replay_plan *p = &r->plan;
	struct crew *c = xaligned(_Alignof(struct crew), 1, sizeof *c);
	replay_config_receive(&r->terms->sent);
	int ret = messages_open(&n.messages, r, e);
	ret = ret ? ret : crew_init(c, p, &r->terms->sent.config, p->n_workers,
				    nodes_loop(r->terms), e);
	if (ret)
		return ret;
	c->shared = &n;
	c->meet = ranks_meet;
	ret = crew_run(c, e);
	if (ret) /* the caller ends the job; some thread may still be running */
		return ret;
	messages_close(&n.messages);
	crew_release(c);
	free(c);
	return 0;
}

static void rank_run(struct replay_rank *r)
{
	struct err e = ERR_INIT;
	int ret = share_take(r, &e);
	ret = ret ? ret : share_open(r, &e);
	if (ret)
		rank_fail(r, &e);
	neighbours_find(r);
	clocks_compare(r, &r->before);
	if (rank_replay(r, &e))
		rank_fail(r, &e);
	/* poll, because in the traced job the ranks that had finished polled in MPI, which slowed
	 * the other ranks */
	rank_meet(r, r->terms->of_mpi);
	clocks_compare(r, &r->after);
	if (results_gather(r, &e))
		rank_fail(r, &e);
	rank_meet(r, false);
}

int main(int argc, char **argv)
{
	struct replay_rank *r = xcalloc(1, sizeof *r);
	struct heartbeats heartbeats;
	struct err e = ERR_INIT;
	int provided;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a rank ends with its launcher */
	signal(SIGPIPE, SIG_IGN);	  /* errors of calls instead of signals */
	signal(SIGXFSZ, SIG_IGN);
	if (argc != 4) {
		fputs("validate-mpi-replay is started by `validate replay --engine parallel`\n",
		      stderr);
		return 2;
	}
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	r->multiple = provided >= MPI_THREAD_MULTIPLE;
	r->scratch = argv[1];
	r->token = argv[2];
	MPI_Comm_rank(MPI_COMM_WORLD, &r->number);
	MPI_Comm_size(MPI_COMM_WORLD, &r->n);
	if (gethostname(r->host, sizeof r->host) < 0 || !*r->host)
		strcpy(r->host, "?");
	r->host[sizeof r->host - 1] = '\0';
	bundle_boot(r->boot);
	if (provided < MPI_THREAD_SERIALIZED) {
		err_set(&e, ENOTSUP, "this MPI library permits calls from one thread only; install "
			"a build with thread support");
		rank_fail(r, &e);
	}
	if (heartbeats_open(&heartbeats, r, strtoll(argv[3], NULL, 10), &e))
		rank_fail(r, &e);
	rank_run(r);
	heartbeats_close(&heartbeats);
	MPI_Finalize();
	return 0;
}
