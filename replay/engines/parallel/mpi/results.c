/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathers the results. Each rank converts its times to ns of the head's clock; the head writes the
 * file. */

#include "common/files.h"
#include "common/unnamed_file.h"
#include "replay/engines/parallel/mpi/rank.h"

enum { TAG_RESULT = 5, TAG_OUTCOMES };
#define PIECE_BYTES (UINT64_C(64) << 20)

static void times_settle(struct replay_rank *r)
{
	struct replay_plan *p = &r->plan;
	r->before.ns = clock_ns_of_ticks(&p->clock, r->before.ticks);
	r->after.ns = clock_ns_of_ticks(&p->clock, r->after.ticks);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			struct outcome *o = &p->lane[i].outcome[k];
			if (!o->begin_ticks)
				continue;
			o->begin_ticks = (uint64_t)clocks_head_ns(r, o->begin_ticks);
			o->end_ticks = (uint64_t)clocks_head_ns(r, outcome_end(o)) |
				       (o->end_ticks & OUTCOME_CPU_DELAYED);
		}
}

static struct bundle_rank_result result_of(const struct replay_rank *r)
{
	const struct replay_plan *p = &r->plan;
	struct bundle_rank_result own;
	memset(&own, 0, sizeof own);
	own.facts = p->facts;
	own.n_futex_sleeps = p->n_futex_sleeps;
	own.n_timed_sleeps = p->n_timed_sleeps;
	own.n_late_wakes = p->n_late_wakes;
	own.n_relays = p->n_relays;
	own.counts = p->calls.common->counts;
	memcpy(own.report.host, r->host, sizeof own.report.host);
	own.report.crowded = r->crowded;
	own.report.pid = (uint32_t)getpid();
	if (r->shares_clock[r->number])
		return own;
	const int64_t first = r->before.ns - r->before.head_ns,
		      last = r->after.ns - r->after.head_ns;
	own.report.offset_ns = first;
	own.report.drift_ns = last - first;
	own.report.uncertainty_ns = r->before.uncertainty_ns > r->after.uncertainty_ns
					? r->before.uncertainty_ns
					: r->after.uncertainty_ns;
	return own;
}

static int outcomes_write(const struct replay_rank *r, int fd, int of, struct err *e)
{
	const struct bundle_part *part = &r->part[of];
	const uint64_t room =
	    part->n_outcome_bytes < PIECE_BYTES ? part->n_outcome_bytes : PIECE_BYTES;
	if (of == r->head)
		return file_write_at(fd, r->outcome, r->n_outcome_bytes, part->outcome_at, e);
	SCOPED_FREE char *piece = xmalloc(room + 1);
	int ret = 0;
	for (uint64_t at = 0; at < part->n_outcome_bytes && !ret; at += PIECE_BYTES) {
		uint64_t n = part->n_outcome_bytes - at < PIECE_BYTES ? part->n_outcome_bytes - at
								      : PIECE_BYTES;
		MPI_Recv(piece, (int)n, MPI_BYTE, of, TAG_OUTCOMES, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		ret = file_write_at(fd, piece, n, part->outcome_at + at, e);
	}
	return ret;
}

static int head_write(struct replay_rank *r, const struct bundle_rank_result *own, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/" BUNDLE_RESULT, r->scratch);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int ret = fd < 0 ? err_sys(e, errno, "cannot create %s", path) : 0;
	struct bundle_result all = {
	    .magic = BUNDLE_MAGIC, .head = (uint32_t)r->head, .scheduling = r->plan.scheduling};
	for (int i = 0; i < r->n && !ret; i++) {
		struct bundle_rank_result other = *own;
		if (i != r->head)
			MPI_Recv(&other, (int)sizeof other, MPI_BYTE, i, TAG_RESULT, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		ret = file_write_at(fd, &other, sizeof other,
				    sizeof all + (uint64_t)i * sizeof other, e);
		ret = ret ? ret : outcomes_write(r, fd, i, e);
	}
	memcpy(all.boot, r->boot, sizeof all.boot);
	all.start_ns = r->start_ns;
	all.now_ns = clock_monotonic_ns();
	ret = ret ? ret : file_write_at(fd, &all, sizeof all, 0, e);
	if (fd >= 0 && close(fd) < 0 && !ret)
		ret = err_sys(e, errno, "cannot close %s", path);
	return ret;
}

int results_gather(struct replay_rank *r, struct err *e)
{
	int ret = clock_reanchor(&r->plan.clock, e);
	if (ret)
		return ret;
	times_settle(r);
	const struct bundle_rank_result own = result_of(r);
	if (r->number == r->head)
		return head_write(r, &own, e);
	MPI_Send(&own, (int)sizeof own, MPI_BYTE, r->head, TAG_RESULT, MPI_COMM_WORLD);
	for (uint64_t at = 0; at < r->n_outcome_bytes; at += PIECE_BYTES) {
		uint64_t n =
		    r->n_outcome_bytes - at < PIECE_BYTES ? r->n_outcome_bytes - at : PIECE_BYTES;
		MPI_Send((char *)r->outcome + at, (int)n, MPI_BYTE, r->head, TAG_OUTCOMES,
			 MPI_COMM_WORLD);
	}
	return 0;
}
