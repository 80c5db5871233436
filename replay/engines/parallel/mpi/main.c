/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "common/strbuf.h"
#include "common/xalloc.h"
#include "replay/issue/crew.h"
#include "replay/engines/parallel/mpi/lookout.h"
#include "replay/engines/parallel/mpi/messages.h"
#include "replay/engines/parallel/mpi/nodes.h"
#include "replay/engines/parallel/mpi/rank.h"

#define LOOK_NS 500000
#define ABORT_S 3 /* of telling the others, some of whom may not be reached */
/* Time from the head's message to the common begin. The message must have reached each rank. */
#define LEAD_NS 20000000
#define LEAD_PER_RANK_NS 200000

/* Leaves a file in the scratch directory, if this host has it: the engine then knows that the job is
 * over, even if the launcher cannot end it. */
static void end_note(const struct rank *r)
{
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s/" BUNDLE_ENDED, r->scratch);
	int fd = open(path.s, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	strbuf_release(&path);
}

_Noreturn void rank_fail(const struct rank *r, const struct err *e)
{
	struct strbuf line = STRBUF_INIT;
	strbuf_addf(&line, "\n" BUNDLE_MARK "rank %d of %d (host %s): %s\n", r->number, r->n,
		    r->host, e->msg);
	(void)!write(STDERR_FILENO, line.s, line.len);
	end_note(r);
	signal(SIGALRM, SIG_DFL);
	alarm(ABORT_S);
	MPI_Abort(MPI_COMM_WORLD, 3);
	_exit(3);
}

/* A barrier of all ranks. With `polls` a rank polls for the others, and yields where ranks share
 * CPUs; otherwise waiting uses no CPU. */
static void rank_meet(const struct rank *r, bool polls)
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

/* When all threads of all ranks are ready the head says when they begin. */
static int meet(struct crew *c, struct err *e)
{
	const struct nodes *n = c->shared;
	struct rank *r = n->rank;
	struct replay_plan *p = c->plan;
	rank_meet(r, false);
	if (r->number == r->head)
		r->start_ns = clock_ns_of_ticks(&p->clock, clock_now(&p->clock)) + LEAD_NS +
			      LEAD_PER_RANK_NS * r->n;
	MPI_Bcast(&r->start_ns, 1, MPI_INT64_T, r->head, MPI_COMM_WORLD);
	const struct offset *o = &r->before;
	const int64_t offset_ns = clock_ns_of_ticks(&p->clock, o->ticks) - o->head_ns;
	p->start_ticks = clock_ticks_of_ns(&p->clock, r->start_ns + offset_ns);
	(void)e;
	return 0;
}

static int replay(struct rank *r, struct err *e)
{
	struct nodes n = {.rank = r};
	struct replay_plan *p = &r->plan;
	struct crew *c = aligned_alloc(_Alignof(struct crew), sizeof *c);
	if (!c)
		return err_set(e, ENOMEM, "not enough memory for a crew");
	r->terms->config.cpus = *r->terms->cpus ? r->terms->cpus : NULL;
	r->terms->config.scheduler = *r->terms->scheduler ? r->terms->scheduler : NULL;
	int ret = messages_open(&n.messages, r, e);
	ret = ret ? ret : crew_init(c, p, &r->terms->config, p->n_workers, nodes_loop(r->terms), e);
	if (ret)
		return ret;
	c->shared = &n;
	c->meet = meet;
	ret = crew_run(c, e);
	if (ret) /* the job is ended; some thread may be under way still */
		return ret;
	messages_close(&n.messages);
	crew_release(c);
	free(c);
	return 0;
}

static void rank_run(struct rank *r)
{
	struct err e = ERR_INIT;
	int ret = share_take(r, &e);
	ret = ret ? ret : share_open(r, &e);
	if (ret)
		rank_fail(r, &e);
	neighbours_find(r);
	clocks_compare(r, &r->before);
	if (replay(r, &e))
		rank_fail(r, &e);
	/* ranks that have done their part wait in a call of MPI, which polls, and those that have
	 * not feel that */
	rank_meet(r, r->terms->of_mpi);
	clocks_compare(r, &r->after);
	if (results_gather(r, &e))
		rank_fail(r, &e);
	rank_meet(r, false);
}

int main(int argc, char **argv)
{
	struct rank *r = xcalloc(1, sizeof *r);
	struct lookout lookout;
	struct err e = ERR_INIT;
	int provided;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a rank ends with its launcher */
	signal(SIGPIPE, SIG_IGN);	  /* results of calls */
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
		err_set(&e, ENOTSUP,
			"this MPI lets only one thread call it; another build of it is needed");
		rank_fail(r, &e);
	}
	if (lookout_open(&lookout, r, strtoll(argv[3], NULL, 10), &e))
		rank_fail(r, &e);
	rank_run(r);
	lookout_close(&lookout);
	MPI_Finalize();
	return 0;
}
