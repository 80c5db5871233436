/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/parallel/mpi/rank.h"

enum { TAG = 2, MOST_BYTES = 1 << 28 };

/* What rank 0 needs from another rank in addition to its samples. */
struct rank_facts {
	uint32_t pid;
	int32_t tid;
	int64_t wait_ns;
	uint64_t n_samples, n_requests_done, anonymous_bytes, anonymous_after_bytes;
	struct run_facts facts;
	uint32_t source; /* enum clock_source */
};

static void samples_send(const struct worker *w)
{
	const unsigned char *from = (const unsigned char *)w->bench.sample;
	for (size_t left = w->bench.n_samples * sizeof *w->bench.sample, n; left;
	     left -= n, from += n) {
		n = left < MOST_BYTES ? left : MOST_BYTES;
		MPI_Send(from, (int)n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
	}
}

static void samples_receive(struct worker *w, int from)
{
	unsigned char *to = (unsigned char *)w->bench.sample;
	for (size_t left = w->bench.n_samples * sizeof *w->bench.sample, n; left;
	     left -= n, to += n) {
		n = left < MOST_BYTES ? left : MOST_BYTES;
		MPI_Recv(to, (int)n, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void rank_announce(const struct rank *r)
{
	const struct worker *w = &r->run.worker[r->number];
	const struct rank_facts facts = {
	    .pid = w->pid, .tid = w->tid, .wait_ns = w->wait_ns, .n_samples = w->bench.n_samples,
	    .n_requests_done = w->bench.n_requests_done, .anonymous_bytes = r->run.anonymous_bytes,
	    .anonymous_after_bytes = r->run.anonymous_after_bytes, .facts = r->run.facts,
	    .source = r->run.clock.source,
	};
	MPI_Send(&facts, sizeof facts, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
}

/* Receives the samples of a rank. Writes the sender's script again, because the samples refer to
 * it. */
static int rank_receive(struct rank *r, int from, struct err *e)
{
	struct bench_run *run = &r->run;
	struct worker *w = &run->worker[from];
	struct rank_facts facts;
	int go_on = 1;
	MPI_Recv(&facts, sizeof facts, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	int ret = bench_worker_setup(run, w, e);
	if (!ret && facts.source != run->clock.source)
		ret = err_set(e, EXDEV, "ranks %d and 0 use different clock sources, so one "
			"trace cannot contain their times: run the application without -o", from);
	go_on = ret == 0;
	MPI_Send(&go_on, 1, MPI_INT, from, TAG, MPI_COMM_WORLD);
	if (ret)
		return ret;
	w->pid = facts.pid;
	w->tid = facts.tid;
	w->wait_ns = facts.wait_ns;
	w->bench.n_samples = facts.n_samples;
	w->bench.n_requests_done = facts.n_requests_done;
	samples_receive(w, from);
	run_facts_add(&run->facts, &facts.facts);
	run->anonymous_bytes += facts.anonymous_bytes;
	run->anonymous_after_bytes += facts.anonymous_after_bytes;
	return 0;
}

static int ranks_receive(struct rank *r, struct err *e)
{
	struct bench_run *run = &r->run;
	int ret = 0, heard;
	for (int from = 1; from < r->n_ranks; from++) {
		struct err one = ERR_INIT;
		heard = rank_receive(r, from, &one);
		if (heard && !ret)
			ret = err_set(e, -heard, "%s", one.msg);
	}
	for (unsigned int i = 0; i < run->n_workers; i++)
		run->worker[i].bench.names = (const char *const *)run->names.name;
	return ret;
}

int rank_gather(struct rank *r, struct err *e)
{
	struct microbench_outcome unwanted;
	int go_on;
	if (!r->one_host)
		return err_set(e, EXDEV, "the ranks are on several hosts without a common clock, "
			"so there is no trace: run the application without -o");
	if (r->number == 0) {
		int ret = ranks_receive(r, e);
		return ret ? ret : bench_record(&r->run, -1, &unwanted, e);
	}
	rank_announce(r);
	MPI_Recv(&go_on, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (go_on)
		samples_send(&r->run.worker[r->number]);
	return 0;
}
